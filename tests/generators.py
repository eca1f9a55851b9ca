"""Stacks of runs whose answers are known by construction."""

from dataclasses import replace

import torch

from gpustab import Space, Vocabulary, load_runs
from gpustab.runs.key import Key

SIZES = [(2, 63, 7), (3, 127, 10), (5, 200, 16), (3, 5, 9)]  # (R, v, d): odd sizes, R not a power of two, v < d


def rotation(d, seed=0):
    q, r = torch.linalg.qr(torch.randn(d, d, dtype=torch.float64, generator=generator(seed)))
    return q * r.diagonal().sign()


def generator(seed):
    return torch.Generator().manual_seed(seed)


def anisotropic(v, d, seed=0, mean=0.3):
    """Unit rows as real spaces have them: unequal variances and a common direction."""
    scale = torch.linspace(2, 0.2, d, dtype=torch.float64)
    x = torch.randn(v, d, dtype=torch.float64, generator=generator(seed)) * scale + mean
    return x / x.norm(dim=1, keepdim=True)


def noisy_copies(runs, v, d, noise=0.3, seed=0):
    """(R, v, d) unit rows: rotated copies of one space with independent noise; noise = 0 gives equal spaces."""
    base = anisotropic(v, d, seed)
    copies = []
    for r in range(runs):
        x = base + noise * torch.randn(v, d, dtype=torch.float64, generator=generator(1000 + 97 * seed + r))
        copies.append(x / x.norm(dim=1, keepdim=True) @ rotation(d, seed + r))
    return torch.stack(copies)


def collapsed(runs, v, d, seed=0):
    """Every word nearly the same vector: a tiny PIP loss that means nothing."""
    common = torch.ones(d, dtype=torch.float64)
    x = common + 0.02 * torch.randn(runs, v, d, dtype=torch.float64, generator=generator(seed))
    return x / x.norm(dim=2, keepdim=True)


def narrow(v, d, width, clusters=1, seed=0):
    """Unit rows that point in one direction, or in a few, but for a narrow spread: float32 cannot tell them apart."""
    g = generator(seed)
    centres = torch.randn(clusters, d, dtype=torch.float64, generator=g)
    x = centres[torch.arange(v) % clusters] + width * torch.randn(v, d, dtype=torch.float64, generator=g)
    return x / x.norm(dim=1, keepdim=True)


def duplicates(v, d, copies, seed=0):
    """(v, d) with the first `copies` rows equal."""
    x = anisotropic(v, d, seed)
    x[:copies] = x[0]
    return x


def runs_of(stack, **choices):
    """The stack as runs over the words w0, w1, ..."""
    words = [f"w{i}" for i in range(stack.shape[1])]
    return load_runs([(words, run.numpy()) for run in stack], **choices)


def named(path, runs=3, v=12, d=4):
    """Noisy copies as a group of a name."""
    return replace(runs_of(noisy_copies(runs, v, d)), key=Key.of_path(path))


def spaces(runs=3, v=30, d=4, seed=0):
    """Noisy copies as spaces with falling counts, rows three times unit length."""
    words = Vocabulary(f"w{i}" for i in range(v))
    counts = torch.arange(v, 0, -1)
    stack = noisy_copies(runs, v, d, seed=seed).float() * 3
    return [Space(words, run, counts, f"run-{r:03d}", {"seed": r}) for r, run in enumerate(stack)]
