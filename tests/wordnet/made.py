"""Small WordNets written as files, and the naive distance of two words in one."""

import numpy as np


def write_wordnet(folder, hypernyms, index, exceptions=()):
    """Write ``data.noun``, ``index.noun`` and ``noun.exc``; synsets are numbers, every lemma has a list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    data = ["  1 A licence stands here.  "]
    for synset, up in hypernyms.items():
        pointers = " ".join(f"{'@' if k % 2 == 0 else '@i'} {parent:08d} n 0000" for k, parent in enumerate(up))
        data.append(
            f"{synset:08d} 03 n 02 a_word 0 another 0 {len(up) + 1:03d} {pointers} ~ {synset:08d} n 0000 | gloss"
        )
    lemmas = [
        f"{lemma} n {len(own)} 2 @ ~ {len(own)} 1 {' '.join(f'{s:08d}' for s in own)}  " for lemma, own in index.items()
    ]
    texts = {"data.noun": data, "index.noun": lemmas, "noun.exc": [" ".join(line) for line in exceptions]}
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


def ways_up(hypernyms, synset):
    """Fewest edges from a synset up to everything above it, by trying every way."""
    found = {synset: 0}
    for parent in hypernyms[synset]:
        for above, steps in ways_up(hypernyms, parent).items():
            found[above] = min(found.get(above, 99), steps + 1)
    return found


def naive_distance(hypernyms, first, second):
    """Least sum of two ways up over senses and common hypernyms; 100 without one."""
    best = 100
    for s in first:
        for t in second:
            a, b = ways_up(hypernyms, s), ways_up(hypernyms, t)
            best = min([best, *(a[h] + b[h] for h in a.keys() & b.keys())])
    return best


def random_wordnet(synsets, words, seed, roots=1):
    """A random taxonomy, a fifth of it with two hypernyms or three, and words of one to four senses."""
    rng = np.random.default_rng(seed)
    hypernyms = {}
    for k in range(synsets):
        many = 0 if k < roots else int(rng.choice([1, 2, 3], p=[0.8, 0.15, 0.05]))
        hypernyms[100 + k] = tuple(int(x) for x in dict.fromkeys((100 + rng.integers(0, max(k, 1), many)).tolist()))
    senses = [
        [int(x) for x in rng.choice(synsets, min(synsets, rng.integers(1, 5)), replace=False) + 100]
        for _ in range(words)
    ]
    return hypernyms, senses
