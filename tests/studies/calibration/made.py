"""Scored pairs of made sentences, and encoders of them: one of words, one that knows nothing, one of one point."""

import numpy as np
import torch

WORDS = "river bank water stone harbour sail walk never slowly cat dog tree house street child music".split()  # noqa: SIM905


def pairs(count=120, seed=0):
    """Two sentences that share some of eight words, and a score that rises with the share, with noise."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        first = rng.choice(WORDS, 8, replace=False)
        kept = int(rng.integers(0, 9))
        rest = [word for word in WORDS if word not in first][: 8 - kept]
        second = rng.permutation([*first[:kept], *rest])
        score = 5 * (kept / 8) ** 2 + rng.normal(0, 0.4)
        rows.append((" ".join(first), " ".join(second), round(float(score), 3)))
    return rows


def pairs_of_meanings(count=160, seed=0):
    """Two sentences of five words that mean the same in part, by the same word or by another; scored by meaning."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(count):
        order, same = rng.permutation(8), int(rng.integers(0, 4))
        first, second = order[:5], np.append(order[:same], rng.permutation(order[5:])[: 5 - same])[:5]
        other = second + 8 * rng.integers(0, 2, len(second))
        score = 5 * (same / 3) + rng.normal(0, 0.4)
        rows.append((" ".join(WORDS[k] for k in first), " ".join(WORDS[k] for k in other), round(float(score), 3)))
    return rows


def pairs_file(path, rows=None):
    """Write pairs as score, sentence, sentence."""
    lines = [f"{score}\t{first}\t{second}\n" for first, second, score in (rows or pairs())]
    path.write_text("".join(lines), encoding="utf-8")
    return path


class BagOfWords:
    """An encoder whose vectors are sums of its words'."""

    def __init__(self, dealt=False, point=False, meanings=17):
        self.dealt, self.point, self.notes = dealt, point, []
        self.words = {word: torch.eye(len(WORDS))[k % meanings] for k, word in enumerate(WORDS)}

    def encode(self, texts):
        if self.dealt:  # a vector of its own for every sentence
            made = [torch.randn(16, generator=torch.Generator().manual_seed(hash(text) % 2**31)) for text in texts]
            return torch.stack(made)
        unknown = torch.full((len(WORDS),), torch.nan)
        rows = torch.stack([sum(self.words.get(word, unknown) for word in text.split()) for text in texts])
        return torch.ones_like(rows) + 1e-9 * rows if self.point else rows
