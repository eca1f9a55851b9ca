"""Texts and backgrounds whose answer is known."""

import numpy as np

from gpustab.runs.load import load_runs
from gpustab.small_data.text import Text

WORDS = 300


def word(k):
    """Letters alone, so that it is one word whatever cuts it."""
    return "".join(chr(ord("a") + (k // 26**p) % 26) for p in range(4))


def background(runs=1, words=WORDS, d=20, seed=0, mean=0.0, **choices):
    """Random vectors around a mean of some length in each coordinate."""
    generator = np.random.default_rng(seed)
    names = [word(k) for k in range(words)]
    spaces = [(names, mean + generator.normal(size=(words, d))) for _ in range(runs)]
    if runs == 1:
        from gpustab.runs.load import open_groups

        return open_groups([spaces[0]], single_runs=True)[0].load()
    return load_runs(spaces, **choices)


def text_of(sentences, documents=None):
    """A text from lists of words."""
    words = sorted({w for sentence in sentences for w in sentence})
    number = {w: k for k, w in enumerate(words)}
    return Text(
        "made",
        [w.encode() for w in words],
        np.array([number[w] for sentence in sentences for w in sentence], dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])]),
        np.zeros(len(sentences), np.int64) if documents is None else np.array(documents),
        0,
    )


def sentences(terms, per_term, length, seed=0, own=0.0, words=WORDS):
    """Sentences with one term each, in random order; a share ``own`` of the other words is of the term's own ten."""
    generator = np.random.default_rng(seed)
    found = []
    for t in range(terms):
        for _ in range(per_term):
            mine, common = 10 * t + generator.integers(10, size=length), generator.integers(words, size=length)
            other = [word(int(k)) for k in np.where(generator.random(length) < own, mine, common)]
            other.insert(int(generator.integers(length + 1)), term_names(terms)[t])
            found.append(other)
    return [found[k] for k in generator.permutation(len(found))]


def write(path, lists):
    """A file of one sentence a line, in blocks of documents of twenty."""
    blocks = [lists[k : k + 20] for k in range(0, len(lists), 20)]
    path.write_text("\n\n".join("\n".join(" ".join(s) for s in block) for block in blocks) + "\n")
    return path


def term_names(terms):
    """Names of the terms of :func:`sentences`."""
    return ["term" + chr(ord("a") + t // 26) + chr(ord("a") + t % 26) for t in range(terms)]


def naive_counts(text, samples, rows, kept, window, types):
    """Loops over samples, sentences and tokens."""
    found = []
    for p in range(len(samples.term)):
        term, bag = samples.terms[samples.term[p]], []
        for s in samples.members[samples.starts[p] : samples.starts[p + 1]]:
            places = [k for k in range(text.starts[s], text.starts[s + 1]) if kept[k] or text.tokens[k] == term]
            targets = [i for i, k in enumerate(places) if text.tokens[k] == term]
            for i, k in enumerate(places):
                near = any(abs(i - t) <= window for t in targets)
                if near and text.tokens[k] != term and rows[text.tokens[k]] >= 0:
                    bag.append(int(rows[text.tokens[k]]))
        found.append(sorted(set(bag) if types else bag))
    return found
