"""Groups of runs that are no groups, of vectors that know nothing, and groups that do differ.

Runs of a pool are dealt out to groups that are called what a claim asks for: one group under the names of three
techniques, or shuffled runs of which half are called bootstrap. Whatever a study says to tell them apart is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, World, cells, never, should
from gpustab import engine
from gpustab.formats.options import LoadOptions
from gpustab.results.page import percent
from gpustab.runs.key import Key
from gpustab.runs.load import load_runs
from gpustab.runs.runs import Runs
from gpustab.studies.average.study import average
from gpustab.studies.bootstrap.study import bootstrap
from gpustab.studies.compare.study import compare
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.shared.spaces import flaws_of
from gpustab.studies.stability.study import stability

WORDS = 700
"""The most frequent ones, so that the long studies can be asked often."""
QUERIES = ("government", "people", "minister", "police", "attack", "team", "water", "company")
FEWER = (3, 5, 8)
"""Which R where a study takes long."""
ENOUGH = (5, 8, 16)
"""R of rules that say nothing at three runs."""
ODD = 0.1
"""Part of the runs that are of another kind."""
NOISE = 0.3
"""By how much of their length vectors vary in runs that are made of one."""

Deal = Callable[[int, np.random.Generator], list[Runs]]


class Source:
    """Runs of one sampling, to be dealt out.

    Args:
        folder: of a run set.
        sampling: which of its runs.
        words: so many of the most frequent ones; ``None``: all.
    """

    def __init__(self, folder: Path, sampling: str, words: int | None = WORDS) -> None:
        self.sampling = sampling
        files = sorted(folder.glob(f"lsa/{sampling}/*.safetensors"))
        self.runs = load_runs(files, options=LoadOptions(limit=words))
        shared = stability(self.runs.take(list(range(12))), neighbours=[10]).groups[0]["neighbours"]["10"]["p"]
        self.noise = f"{sampling}, p@10 {shared:.2f}"

    def without_last(self, count: int) -> Source:
        """Return a source of all runs but the last ones."""
        other = copy(self)
        other.runs = self.runs.take(list(range(len(self.runs) - count)))
        return other

    def dealt(self, keys: Sequence[Key], *, odd: bool = False) -> Deal:
        """Return what deals R runs to every key, none to two; where wanted, one run in ten is of another kind."""

        def deal(r: int, rng: np.random.Generator) -> list[Runs]:
            order = rng.permutation(len(self.runs)).tolist()
            groups = [self.runs.take(order[k * r : (k + 1) * r]) for k in range(len(keys))]
            if odd:
                groups = [with_odd_ones(runs, rng) for runs in groups]
            return [replace(runs, key=key) for runs, key in zip(groups, keys, strict=True)]

        return deal


def with_odd_ones(runs: Runs, rng: np.random.Generator) -> Runs:
    """Return runs of which each is, with a probability of a tenth, one with noise as large as its vectors."""
    rows = []
    for run in runs.rows:
        x = run[:]
        noise = torch.from_numpy(rng.normal(size=tuple(x.shape))).to(x.dtype) * x.norm(dim=1, keepdim=True)
        rows.append(x + noise / x.shape[1] ** 0.5 if rng.random() < ODD else x)
    lengths = torch.stack([x.double().norm(dim=1) for x in rows])
    return replace(runs, rows=tuple(rows), lengths=lengths)


def with_one_edited(runs: Runs, edit: Callable[[torch.Tensor], torch.Tensor]) -> Runs:
    """Return runs of which the first has other vectors."""
    first, *others = runs.rows
    rows = (edit(first[:]), *others)
    return replace(runs, rows=rows, lengths=torch.stack([x[:].double().norm(dim=1) for x in rows]))


def of_varying_noise(runs: Runs, rng: np.random.Generator, spread: float) -> Runs:
    """Return runs that are the first one with noise of NOISE e^{spread z} of its vectors' length, z normal."""
    x = runs.rows[0][:]
    unit = x.norm(dim=1, keepdim=True) / x.shape[1] ** 0.5
    rows = [
        x + size * unit * torch.from_numpy(rng.normal(size=tuple(x.shape))).to(x.dtype)
        for size in NOISE * np.exp(spread * rng.normal(size=len(runs)))
    ]
    return replace(runs, rows=tuple(rows), lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


def knowing_nothing(runs: Runs, rng: np.random.Generator) -> Runs:
    """Return runs whose vectors are dealt out to other words, in every run anew."""
    orders = [torch.from_numpy(rng.permutation(runs.words)) for _ in range(len(runs))]
    rows = tuple(run[:][order] for run, order in zip(runs.rows, orders, strict=True))
    lengths = torch.stack([own[order] for own, order in zip(runs.lengths, orders, strict=True)])
    return replace(runs, rows=rows, lengths=lengths)


def with_some_dealt_out(part: float, rng: np.random.Generator) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return what gives a part of the rows to other words, all of which are among these."""

    def dealt(x: torch.Tensor) -> torch.Tensor:
        some = torch.from_numpy(rng.choice(len(x), round(part * len(x)), replace=False))
        y = x.clone()
        y[some] = x[some.roll(1)]
        return y

    return dealt


def stretched(most: float, _: np.random.Generator) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return what stretches the dimensions, by 1 to so much."""
    return lambda x: x * torch.linspace(1, most, x.shape[1], dtype=x.dtype)


def placed(technique: str = "lsa", sampling: str = "shuffled", **fields: object) -> Key:
    """Return a key."""
    return Key(technique, sampling, **fields)  # type: ignore[arg-type]


SAMPLINGS = (placed(), placed(sampling="bootstrap"))
TECHNIQUES = tuple(map(placed, ("sgns", "glove", "ppmi_svd")))


def two_samplings(source: Source, *, odd: bool) -> Iterator[World]:
    """Runs of one sampling, half of them called another: documents do not matter, nor does their order."""
    deal = source.dealt(SAMPLINGS, odd=odd)
    fixed = source.dealt([placed(sampling="fixed"), placed()], odd=odd)
    also = ", one run in ten odd" * odd
    yield World(
        f"runs of one sampling, half of them called bootstrap{also}",
        lambda r, rng: (stability(groups := deal(r, rng)), bootstrap(groups, query=QUERIES)),
        {
            "shared.documents-matter": never("matter"),
            "bootstrap.varies-more": NEITHER,
            "bootstrap.lower-cosines": NEITHER,
            "bootstrap.lists-agree-less": NEITHER,
            "bootstrap.ranks-change": NEITHER,
            "bootstrap.documents-matter": NEITHER,
        },
    )
    yield World(
        f"runs of one sampling, half of them called fixed{also}",
        lambda r, rng: bootstrap(fixed(r, rng), query=QUERIES),
        {"bootstrap.order-has-no-effect": should("yes", "no")},
    )


def three_techniques(source: Source, *, odd: bool) -> Iterator[World]:
    """Runs of one technique under three names: none is more stable."""
    about = "runs of one technique under several names" + ", one run in ten odd" * odd
    two, three = source.dealt(TECHNIQUES[:2], odd=odd), source.dealt(TECHNIQUES, odd=odd)
    yield World(
        about,
        lambda r, rng: compare(*two(r, rng)),
        {"compare.more-stable": never("first", "second", "disagree"), "compare.words-differ": never("yes")},
    )
    yield World(
        about,
        lambda r, rng: bootstrap(three(r, rng), query=QUERIES),
        {
            "bootstrap.glove-and-lsa-least": NEITHER,
            "bootstrap.ppmi-most": NEITHER,
            "bootstrap.ppmi-lists-least": NEITHER,
        },
    )
    if not odd:
        both = [replace(key, sampling=name) for key in TECHNIQUES for name in ("shuffled", "bootstrap")]
        six = source.dealt(both)
        yield World(
            about, lambda r, rng: bootstrap(six(r, rng), query=QUERIES), {"bootstrap.weakest-for-ppmi": NEITHER}, FEWER
        )


def other_names(source: Source, *, odd: bool) -> Iterator[World]:
    """Runs of one group under the names of two units, two sizes, two halves."""
    units = source.dealt([placed(sampling="bootstrap"), placed(sampling="bootstrap", unit="sentence")], odd=odd)
    sizes = source.dealt([placed(sampling="bootstrap"), placed(sampling="bootstrap", fraction=0.2)], odd=odd)
    halves = source.dealt([placed(part=(("half", name),)) for name in "ab"], odd=odd)
    also = ", one run in ten odd" * odd
    yield World(
        f"runs of one group, half of them said to draw sentences{also}",
        lambda r, rng: bootstrap(units(r, rng), query=QUERIES),
        {"bootstrap.sentences-vary-less": NEITHER},
    )
    yield World(
        f"runs of one group, half of them said to be of a fifth of the corpus{also}",
        lambda r, rng: bootstrap(sizes(r, rng), query=QUERIES),
        {"bootstrap.small-varies-more": NEITHER},
    )
    yield World(
        f"runs of one group, said to be of two halves of the documents{also}",
        lambda r, rng: stability(halves(r, rng)),
        {"stability.other-documents": should("same", "other")},
    )


def averages(source: Source) -> Iterator[World]:
    """Averages of runs agree better than runs do, of which one in ten may be odd; unrelated spaces prove nothing."""
    of = {odd: source.dealt([placed(sampling=source.sampling)], odd=odd) for odd in (False, True)}
    for odd, deal in of.items():
        yield World(
            "averages of the runs of one group" + ", one run in ten odd" * odd,
            lambda r, rng, deal=deal: average(deal(r, rng)[0])[1],  # type: ignore[misc]
            {"average.agree-better": should("yes", "no")},
            ENOUGH,
        )
    yield World(
        "averages of runs of which each has its vectors dealt out to other words",
        lambda r, rng: average(knowing_nothing(of[False](r, rng)[0], rng))[1],
        {"average.agree-better": NEITHER},
        ENOUGH,
    )


def dealt_out(source: Source) -> Iterator[World]:
    """Vectors dealt out to other words in every run: nothing holds, and no word is more stable than another."""
    shuffled, drawn = source.dealt([placed()]), source.dealt([placed(sampling="bootstrap")])

    def nothing(deal: Deal, r: int, rng: np.random.Generator) -> list[Runs]:
        return [knowing_nothing(runs, rng) for runs in deal(r, rng)]

    about = "vectors dealt out to other words in every run"
    yield World(
        about,
        lambda r, rng: stability(nothing(shuffled, r, rng)),
        {
            "stability.neighbours-return": should(
                "next to nothing", "read one", "read one, advice", "read one, permission", "several runs"
            ),
            "stability.ranks-words": never("group", "place"),
            "stability.least-listed": never("yes"),
            "stability.points-opposite": never("yes"),
        },
    )
    yield World(
        about,
        lambda r, rng: [neighbours_of(nothing(shuffled, r, rng), word) for word in QUERIES[:3]],
        {"neighbours.some-hold": never("yes"), "neighbours.holds": never("firm")},
    )
    yield World(
        about,
        lambda r, rng: bootstrap(nothing(drawn, r, rng), query=QUERIES),
        {
            "bootstrap.neighbours-hold": never("yes"),
            "bootstrap.top-two-drop-out": should("yes", "no"),
            "bootstrap.disjoint-lists": should("yes", "no"),
            "bootstrap.averaging-suffices": never("yes"),
        },
    )
    yield World(
        about,
        lambda r, rng: bootstrap(
            [replace(x, key=placed(sampling="fixed")) for x in nothing(shuffled, r, rng)], query=QUERIES
        ),
        {"bootstrap.small-variation": never("yes")},
    )


def differing(shuffled: Source, bootstrapped: Source) -> Iterator[World]:
    """Shuffled and bootstrap runs under their own names: documents do matter here, by far."""

    def deal(r: int, rng: np.random.Generator) -> list[Runs]:
        return [source.dealt([key])(r, rng)[0] for source, key in zip((shuffled, bootstrapped), SAMPLINGS, strict=True)]

    def renamed(r: int, rng: np.random.Generator) -> list[Runs]:
        return [replace(runs, key=placed(name)) for runs, name in zip(deal(r, rng), ("sgns", "glove"), strict=True)]

    about = "shuffled and bootstrap runs, which differ three times as much"
    yield World(
        about,
        lambda r, rng: (stability(groups := deal(r, rng)), bootstrap(groups, query=QUERIES)),
        {
            "shared.documents-matter": should("matter", "hardly"),
            "bootstrap.varies-more": should("yes", "no"),
            "bootstrap.lower-cosines": should("yes", "no"),
            "bootstrap.lists-agree-less": should("yes", "no"),
            "bootstrap.ranks-change": should("yes", "no"),
            "bootstrap.documents-matter": should("yes", "no"),
        },
    )
    yield World(
        "shuffled and bootstrap runs called two techniques",
        lambda r, rng: compare(*renamed(r, rng)),
        {"compare.more-stable": should("first", "second", "alike")},
    )


def one_apart(source: Source, dealt: float, stretch: float) -> Iterator[World]:
    """Runs of one sampling belong together; one is edited so little that it lies less than far from the others."""
    deal = source.dealt([placed(sampling=source.sampling)])
    apart = "shared.one-lies-apart"

    def look(runs: Runs) -> None:
        flaws_of(runs, engine.pip_pass(runs))

    yield World("runs of one sampling", lambda r, rng: look(deal(r, rng)[0]), {apart: never("yes")})
    for spread in (0.1, 0.3):
        yield World(
            f"one run with noise of {percent(NOISE)} of it, whose size varies as e^({spread} z) over runs",
            lambda r, rng, spread=spread: look(of_varying_noise(deal(r, rng)[0], rng, spread)),  # type: ignore[misc]
            {apart: never("yes")},
        )
    for about, edit in (
        (f"one run of which {percent(dealt)} of the vectors are dealt out", partial(with_some_dealt_out, dealt)),
        (f"one run of which the dimensions are stretched by 1 to {stretch:g}", partial(stretched, stretch)),
    ):
        yield World(
            about,
            lambda r, rng, edit=edit: look(with_one_edited(deal(r, rng)[0], edit(rng))),  # type: ignore[misc]
            {apart: should("yes")},
        )


def worlds(shuffled: Source, bootstrapped: Source) -> Iterator[tuple[str, World]]:
    """Yield every world, with what its runs are."""
    for source in (shuffled, bootstrapped):
        for world in (
            *two_samplings(source, odd=False), *three_techniques(source, odd=False),
            *three_techniques(source, odd=True), *other_names(source, odd=False), *averages(source),
        ):  # fmt: skip
            yield source.noise, world
    for world in dealt_out(shuffled):
        yield "p@10 by chance", world
    for world in differing(shuffled, bootstrapped):
        yield f"{shuffled.noise}; {bootstrapped.noise}", world
    for source in (shuffled, bootstrapped):  # the last ones, since the place of a world seeds it
        for world in (*two_samplings(source, odd=True), *other_names(source, odd=True)):
            yield source.noise, world
    for source, dealt, stretch in ((shuffled, 0.02, 1.3), (bootstrapped, 0.1, 3.0)):
        for world in one_apart(source, dealt, stretch):
            yield source.noise, world


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of groups of runs."""
    shuffled, bootstrapped = (Source(folder, kind) for kind in ("shuffled", "bootstrap"))
    for seed, (noise, world) in enumerate(worlds(shuffled, bootstrapped)):
        yield from cells(world, noise, sets, seed)
