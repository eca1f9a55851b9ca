"""Word sets that are associated with nothing, and sets that were moved toward others by a known step.

Sixteen targets and twelve attributes are drawn from the words of real runs and dealt out to sets at random: whatever is
said to be more than chance of the words is wrong. In runs whose vectors are dealt out to other words, each run by
itself, an association is that run's luck. Made-up words stand at random places of the documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, World, cells, never, should
from benchmarks.placebos.runsets import Source, knowing_nothing, placed
from benchmarks.placebos.terms import news
from gpustab.runs.runs import Runs
from gpustab.statistics.splits import Floats
from gpustab.studies.association.claims import THERE, TURNS
from gpustab.studies.association.effects import measure, numbers_of
from gpustab.studies.association.sets import Sets
from gpustab.studies.association.study import take
from gpustab.training import read_settings, train_runs

SIZES = (8, 8, 6, 6)
"""Words of X, Y, A and B."""
CLEAR = 2.0
"""A clear step of X along A − B, in standard deviations of the associations of all words."""
LUCK = 60
"""Draws of a dozen runs: they tell by how much to move a set for another sign in as many runs as the margin."""
MADE_UP, TIMES, POOL = 240, 12, 32
"""Made-up words, how often each stands in the text, and runs that are trained on it."""


class Associations:
    """A pool of runs of which sets of words are asked.

    Args:
        source: the pool.
        targets: words that targets are drawn from; default: all but those that are drawn for attributes.
    """

    def __init__(self, source: Source, targets: tuple[bytes, ...] = ()) -> None:
        words = [source.runs.vocabulary[k] for k in range(source.runs.words)]
        self.targets = targets or tuple(words)
        self.attributes = [word for word in words if word not in set(targets)]
        self.deal = {odd: source.dealt([placed(sampling=source.sampling)], odd=odd) for odd in (False, True)}

    @cached_property
    def turning(self) -> float:
        """By how much to move a set for another sign in as many runs as the margin, where each run has its own."""
        luck = [self._cosines(12, np.random.default_rng(k), 0.0, odd=False, dealt=True) for k in range(LUCK)]
        return -float(np.quantile(np.concatenate([measure(x, SIZES).difference for x, _ in luck]), float(TURNS)))

    def _cosines(
        self, r: int, rng: np.random.Generator, step: float | None, *, odd: bool, dealt: bool
    ) -> tuple[Floats, Sets]:
        (runs,) = self.deal[odd](r, rng)
        if dealt:
            runs = knowing_nothing(runs, rng)
        targets = rng.permutation(len(self.targets))[: sum(SIZES[:2])]
        chosen = [self.targets[k] for k in targets]
        others = [word for word in self.attributes if word not in chosen]
        chosen += [others[k] for k in rng.permutation(len(others))[: sum(SIZES[2:])]]
        bounds = np.cumsum((0, *SIZES)).tolist()
        words = tuple(tuple(chosen[a:b]) for a, b in pairwise(bounds))
        sets = Sets("made", ("x", "y", "a", "b"), words)
        own = take(runs, {word: word for word in chosen})
        if step != 0.0:
            toward, against = (own.rows[:, a:b].mean(1) for a, b in pairwise(bounds[2:]))
            along = toward - against
            gain = step if step is not None else CLEAR * _spread(runs, along)
            moved = own.rows.clone()
            moved[:, : SIZES[0]] += gain * (along / along.square().sum(1, keepdim=True))[:, None]
            own = own._replace(rows=torch.nn.functional.normalize(moved, dim=2) if step is None else moved)
        return own.cosines(sets), sets

    def ask(
        self, r: int, rng: np.random.Generator, step: float | None = 0.0, *, odd: bool = False, dealt: bool = False
    ) -> None:
        """Judge one test.

        Args:
            r: how many runs.
            rng: draws.
            step: by how much the association of X is raised in every run, in cosine; None: by :data:`CLEAR`.
            odd: whether one run in ten is of another kind.
            dealt: whether vectors are dealt out to other words in every run.
        """
        cosines, sets = self._cosines(r, rng, step, odd=odd, dealt=dealt)
        THERE.judge(numbers_of(cosines, sets, int(rng.integers(1 << 30)), ("lsa", "training"))[0])


def _spread(runs: Runs, along: torch.Tensor) -> float:
    """SD over all words of their products with a direction, mean over the runs."""
    return float(torch.stack([(runs.run(r) * along[r]).sum(1).std() for r in range(len(runs))]).mean())


def worlds(asked: Associations) -> Iterator[World]:
    """Yield every world of one pool."""
    name = THERE.id
    for odd in (False, True):
        also = ", one run in ten odd" * odd
        yield World(
            f"random words dealt out to the sets of targets{also}",
            lambda r, rng, odd=odd: asked.ask(r, rng, odd=odd),
            {name: never("yes")},
        )
        yield World(
            f"random words, one set moved toward one of attributes by two SD of associations{also}",
            lambda r, rng, odd=odd: asked.ask(r, rng, None, odd=odd),
            {name: should("yes", "no")},
        )
    yield World(
        "random words in runs of which each has its vectors dealt out to other words",
        lambda r, rng: asked.ask(r, rng, dealt=True),
        {name: should("no", "yes", "words")},
    )
    yield World(
        "the same, one set moved so far that 5 % of runs have another sign",
        lambda r, rng: asked.ask(r, rng, asked.turning, dealt=True),
        {name: NEITHER._replace(wrong=frozenset({"yes", "no", "words"}))},
    )


def made_up(folder: Path) -> tuple[bytes, ...]:
    """Train runs of news in which made-up words stand at random places, where they are not there yet; their words."""
    words = [f"{chr(97 + k // 26)}{chr(97 + k % 26)}zzq" for k in range(MADE_UP)]
    rng, texts = np.random.default_rng(0), [list(text) for text in news()]
    for word in words:
        for k in rng.integers(len(texts), size=TIMES):
            texts[k].insert(int(rng.integers(len(texts[k]) + 1)), word)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "news.jsonl"
    path.write_text("".join(json.dumps({"text": " ".join(text)}) + "\n" for text in texts), encoding="utf-8")
    choices = {"corpus": str(path), "techniques": ["lsa"], "samplings": ["shuffled", "bootstrap"], "runs": POOL}
    options = {"min_count": 3, "as_is": True}
    train_runs(read_settings(choices | {"options": options, "lsa": {"dim": 30}}), folder / "runs")
    return tuple(word.encode() for word in words)


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of associations."""
    for seed, kind in enumerate(("shuffled", "bootstrap")):
        source = Source(folder, kind)
        for k, world in enumerate(worlds(Associations(source))):
            yield from cells(world, source.noise, sets, 10 * seed + k)
    beside = folder.with_name(f"{folder.name}-made-up")  # within, it would be runs of another text in a run set
    words = frozenset(made_up(beside))
    for seed, kind in enumerate(("shuffled", "bootstrap")):
        source = Source(beside / "runs", kind, None)
        asked = Associations(source, tuple(word for word in source.runs.joint_words() if word in words))
        world = World(
            "made-up words at random places of the documents",
            lambda r, rng, asked=asked: asked.ask(r, rng),
            {THERE.id: never("yes")},
        )
        yield from cells(world, source.noise, sets, 20 + seed)
