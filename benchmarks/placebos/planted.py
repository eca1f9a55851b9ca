"""Planted truths of known size: query words whose numbers over a whole pool are known, and runs with noise added.

Sets are drawn from a pool, so that the truth of what they are asked is what all runs of the pool say. Query words are
chosen by it: just beyond a margin, where a rule is wrong most easily, and well beyond it, where it should speak. Other
truths are made by noise of known size on all vectors, or by dealing vectors out to other words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from benchmarks.placebos.runsets import ENOUGH, QUERIES, Deal, Source, placed
from gpustab import engine
from gpustab.kernels.cosine import query_cosines
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import DEFAULT
from gpustab.runs.runs import Runs
from gpustab.studies.bootstrap.claims import PLATEAU
from gpustab.studies.bootstrap.study import bootstrap
from gpustab.studies.compare.study import compare
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.stability.study import stability

N = 10
FREQUENT = 300
"""So many words, the most frequent ones, may be query words."""
SPLITS = 20
"""How many random halves tell what averages of so many runs share."""
CLUSTER = 12
"""Words that move as one: each has the others in its list of ten."""

Words = list[str]


class Known:
    """What all runs of a pool say of each of its most frequent words.

    Args:
        source: the pool.
    """

    def __init__(self, source: Source) -> None:
        runs = self.runs = source.runs
        own = [runs.vocabulary[k] for k in range(FREQUENT)]
        rows = runs.rows_of(own)
        self.names = [runs.vocabulary.text(k) for k in range(FREQUENT)]
        self.cosines = torch.stack([query_cosines(runs.run(r), rows) for r in range(len(runs))])  # (R, q, v)
        self.cosines[:, torch.arange(FREQUENT), rows] = -torch.inf
        lists = engine.neighbour_pass(runs, rows, N, DEFAULT)
        overlap = engine.overlap_pass(lists, [2, N], DEFAULT)
        self.j2, self.jn, self.p = (x.cpu().numpy() for x in (overlap.j_word[0], overlap.j_word[1], overlap.p_word[1]))
        common = torch.cat([shared_neighbours(part, [N])[0] for part in lists.indices.split(100, 1)])
        self.disjoint = (common == 0).double().mean((1, 2)).numpy()  # no run has a word with itself
        common.diagonal(dim1=1, dim2=2).fill_(N)
        self.fewest = common.amin((1, 2)).double().numpy()
        nearest = self.cosines.mean(0).topk(N).indices
        self.variance = self.cosines.gather(2, nearest.expand(len(runs), -1, -1)).var(0).mean(1).numpy()
        inside = torch.zeros(FREQUENT, runs.words).scatter_add_(
            1, lists.indices.permute(1, 0, 2).reshape(FREQUENT, -1), torch.ones(FREQUENT, len(runs) * N)
        )
        self.held = (inside.amax(1) / len(runs)).double().numpy()

    def words(self, values: NDArray[np.float64], wanted: float, count: int = 8) -> tuple[Words, float]:
        """Return the words whose values are nearest to the one that is wanted, and their mean value."""
        chosen = np.argsort(np.abs(values - wanted), kind="stable")[:count]
        return [self.names[k] for k in chosen], float(values[chosen].mean())

    def averaged(self, r: int) -> NDArray[np.float64]:
        """Return by word what averages of half of so many runs share with those of the others, over random halves."""
        rng, half = np.random.default_rng(r), r // 2
        shares = torch.zeros(FREQUENT, dtype=torch.float64)
        for _ in range(SPLITS):
            order = rng.permutation(len(self.runs))[: 2 * half].reshape(2, half)
            one, other = (self.cosines[torch.from_numpy(own)].mean(0).topk(N).indices for own in order)
            shares += (one[:, :, None] == other[:, None]).sum((1, 2)) / N
        return (shares / SPLITS).numpy()


def with_noise(deal: Deal, sizes: Sequence[float]) -> Deal:
    """Return what deals runs to whose vectors noise is added, of so many of their lengths; by group."""

    def noisy(runs: Runs, size: float, rng: np.random.Generator) -> Runs:
        if not size:
            return runs
        rows = []
        for run in runs.rows:
            x = run[:]
            noise = torch.from_numpy(rng.normal(size=tuple(x.shape))).to(x.dtype) * x.norm(dim=1, keepdim=True)
            rows.append(x + size * noise / x.shape[1] ** 0.5)
        return replace(runs, rows=tuple(rows), lengths=torch.stack([x.double().norm(dim=1) for x in rows]))

    return lambda r, rng: [noisy(runs, size, rng) for runs, size in zip(deal(r, rng), sizes, strict=True)]


def rearranged(runs: Runs, order: torch.Tensor) -> Runs:
    """Return runs whose vectors are dealt out to other words, in every run alike."""
    lengths = torch.stack([own[order] for own in runs.lengths])
    return replace(runs, rows=tuple(run[:][order] for run in runs.rows), lengths=lengths)


def unknown_words(runs: Runs, words: Sequence[str], rng: np.random.Generator) -> Runs:
    """Return runs in which some words have the vector of any other word, in every run of another one."""
    rows, own = [], runs.rows_of([word.encode() for word in words])
    for run in runs.rows:
        x = run[:].clone()
        x[own] = run[:][torch.from_numpy(rng.choice(runs.words, len(own), replace=False))]
        rows.append(x)
    return replace(runs, rows=tuple(rows), lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


def moving_together(runs: Runs, part: float, rng: np.random.Generator) -> Runs:
    """Return runs in which a part of the words stand in dozens around a word, whose place in every run is any other's.

    Their lists come back while their cosines with all other words do not.
    """
    dozens = round(part * runs.words / CLUSTER)
    members = torch.from_numpy(np.random.default_rng(0).permutation(runs.words)[: dozens * CLUSTER]).reshape(dozens, -1)
    rows = []
    for run in runs.rows:
        x = run[:].clone()
        heads = run[:][torch.from_numpy(rng.choice(runs.words, dozens, replace=False))]
        own = run[:][members]
        x[members] = heads[:, None] + 0.1 * own * heads.norm(dim=1)[:, None, None] / own.norm(dim=2, keepdim=True)
        rows.append(x)
    return replace(runs, rows=tuple(rows), lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


def _asked(deal: Deal, queries: Words) -> Callable[[int, np.random.Generator], object]:
    return lambda r, rng: bootstrap(deal(r, rng), query=queries)


def of_lists(source: Source, known: Known, *, odd: bool) -> Iterator[World]:
    """Query words whose lists, cosines and neighbours are known: one group of fixed runs, and one of bootstrap runs."""
    fixed, drawn = (source.dealt([placed(sampling=name)], odd=odd) for name in ("fixed", "bootstrap"))
    also = ", one run in ten odd" * odd
    yes_is_wrong, yes_is_right = should("no", "yes"), should("yes", "no")

    def world(deal: Deal, about: str, words: tuple[Words, float], truths: dict[str, Truth], **more: object) -> World:
        return World(about.format(words[1]) + also, _asked(deal, words[0]), truths, **more)  # type: ignore[arg-type]

    for wanted, truth in ((0.48, yes_is_wrong), (0.6, yes_is_right))[: 1 if odd else 2]:
        about = "words whose lists of two runs have a Jaccard of {:.2f}, against 0.5"
        yield world(fixed, about, known.words(known.jn, wanted), {"bootstrap.small-variation": truth})
    for wanted, count, truth in ((0.053, 4, yes_is_wrong), (0.035, 8, yes_is_right))[: 1 if odd else 2]:
        words, mean = known.words(known.variance, wanted**2, count)
        about = "words whose cosines with the closest spread by {:.3f}, against 0.05"
        yield world(fixed, about, (words, mean**0.5), {"bootstrap.small-standard-deviation": truth})
    for wanted, truth in ((0.93, yes_is_wrong), (0.8, yes_is_right)):
        words, mean = known.words(known.j2, wanted)
        if mean > 0.9 or (truth is yes_is_right and not odd):
            about = "words whose two nearest of two runs have a Jaccard of {:.2f}, against 0.9"
            yield world(drawn, about, (words, mean), {"bootstrap.top-two-drop-out": truth})
    words, least = known.words(known.fewest, 5.0)
    about = "words whose lists share {:.0f} words or more in any two runs"
    yield world(drawn, about, (words, np.floor(least)), {"bootstrap.disjoint-lists": never("yes")})
    words, share = known.words(known.disjoint, 1.0)
    if share > 0.01 and not odd:
        about = "words that have no neighbour in common in {:.0%} of the pairs of runs"
        yield world(drawn, about, (words, share), {"bootstrap.disjoint-lists": should("yes")})
    yield World(
        "frequent words: the spread rises by its bias alone" + also,
        lambda r, rng: bootstrap(drawn(r, rng), query=rng.choice(known.names, 8, replace=False).tolist()),
        {"bootstrap.stabilises": yes_is_wrong},
        (int(PLATEAU),),
    )
    for wanted, truth in ((0.87, never("yes", "no")), (0.96, should("yes", "no")))[: 1 if odd else 2]:
        by_r = {r: known.words(known.averaged(r), wanted, 24) for r in ENOUGH}
        by_r = {r: own for r, own in by_r.items() if not truth.right or own[1] > 0.9}  # noisy lists have none such
        if not by_r:
            continue
        shared = ", ".join(f"{mean:.2f}" for _, mean in by_r.values())
        yield World(
            f"words of which two averages share {shared}, against 0.9" + also,
            lambda r, rng, by_r=by_r: bootstrap(drawn(r, rng), query=rng.choice(by_r[r][0], 8, replace=False).tolist()),
            {"bootstrap.averaging-suffices": truth},
            tuple(by_r),
        )


def of_neighbours(source: Source, known: Known, *, odd: bool) -> Iterator[World]:
    """Query words none of whose neighbours holds, and such as have one that always does."""
    drawn, also = source.dealt([placed(sampling="bootstrap")], odd=odd), ", one run in ten odd" * odd
    names = ("neighbours.some-hold", "bootstrap.neighbours-hold")

    def asking(words: Words, dealing: Deal) -> Callable[[int, np.random.Generator], object]:
        def ask(r: int, rng: np.random.Generator) -> object:
            groups, some = dealing(r, rng), rng.choice(words, 3, replace=False).tolist()
            return [neighbours_of(groups, some[0]), bootstrap(groups, query=some)]

        return ask

    for wanted in () if odd else (1.0, 0.8):
        words, share = known.words(known.held, wanted, 24)
        about = f"words with a neighbour that is in {share:.0%} of all lists"
        yield World(about, asking(words, drawn), dict.fromkeys(names, should("yes", "no")))
    if float(known.held.min()) < 0.45:
        words, share = known.words(known.held, 0.45, 24)
        about = f"words whose most frequent neighbour is in {share:.0%} of all lists"
        yield World(about + also, asking(words, drawn), dict.fromkeys(names, never("yes")))
    frequent = known.names

    def nothing(r: int, rng: np.random.Generator) -> list[Runs]:
        return [unknown_words(runs, frequent[::10], rng) for runs in drawn(r, rng)]

    about = "words that have another word's vector in every run"
    yield World(about + also, asking(frequent[::10], nothing), dict.fromkeys(names, never("yes")))


def of_stability(source: Source, known: Known, *, odd: bool) -> Iterator[World]:
    """Words whose p@10 is known, halves of other documents, and words whose loss and lists say opposite things."""
    sampling, also = source.sampling, ", one run in ten odd" * odd
    one = source.dealt([placed(sampling=sampling)], odd=odd)
    little, alone = ("next to nothing", "single documents"), ("read one", "read one, advice", "read one, permission")
    edges = ((0.84, never(*alone, *little)), (0.9, Truth(frozenset(little), frozenset(alone))))
    if sampling == "bootstrap":
        edges = ((0.215, never(*alone, *little)), (0.14, Truth(frozenset(alone), frozenset(little))))
    for wanted, truth in edges:
        words, mean = known.words(known.p, wanted, 40)
        yield World(
            f"words of whose lists {mean:.2f} come back, against {0.2 if sampling == 'bootstrap' else 0.85}" + also,
            lambda r, rng, words=words: stability(one(r, rng), words=words, targets=1),
            {"stability.neighbours-return": truth},
        )
    yield World(
        "runs that learned their text" + also,
        lambda r, rng: stability(one(r, rng)),
        {"stability.points-opposite": never("yes")},
        part=0.5,
    )
    part, truth = 0.4, should("yes")
    if not odd:
        yield World(
            f"{part:.0%} of the words stand in dozens that move" + also,
            lambda r, rng: stability([moving_together(runs, part, rng) for runs in one(r, rng)]),
            {"stability.points-opposite": truth},
            part=0.5,
        )
        halves = source.dealt([placed(part=(("half", name),)) for name in "ab"])
        order = torch.arange(source.runs.words)
        moved = torch.from_numpy(np.random.default_rng(0).permutation(source.runs.words)[: source.runs.words // 2])
        order[moved] = moved.roll(1)

        def other(r: int, rng: np.random.Generator) -> list[Runs]:
            a, b = halves(r, rng)
            return [a, rearranged(b, order)]

        yield World(
            "two halves, of which the other has half of the words in each other's places",
            lambda r, rng: stability(other(r, rng)),
            {"stability.other-documents": should("other", "same")},
            part=0.5,
        )


def of_noise(source: Source, size: float) -> Iterator[World]:
    """Groups that differ in noise of known size: what varies more, does."""
    about = f"noise of {size:g} of the lengths added"
    samplings = source.dealt([placed(), placed(sampling="bootstrap")])
    two = with_noise(samplings, (0, size))
    more = should("yes", "no")
    yield World(
        f"bootstrap runs with {about}",
        lambda r, rng: bootstrap(two(r, rng), query=QUERIES),
        {
            "bootstrap.varies-more": more,
            "bootstrap.lower-cosines": more,
            "bootstrap.lists-agree-less": more,
            "bootstrap.ranks-change": more,
            "bootstrap.documents-matter": more,
        },
    )
    yield World(
        f"bootstrap runs with {about}",
        lambda r, rng: stability(two(r, rng)),
        {"shared.documents-matter": should("matter", "hardly")},
        part=0.5,
    )
    for more_noise in (size, 2 * size):  # of bootstrap runs neither is seen by a spread, of shuffled ones both
        orders = with_noise(source.dealt([placed(sampling="fixed"), placed()]), (0, more_noise))
        yield World(
            f"shuffled runs with noise of {more_noise:g} of the lengths added",
            lambda r, rng, orders=orders: bootstrap(orders(r, rng), query=QUERIES),  # type: ignore[misc]
            {"bootstrap.order-has-no-effect": should("no", "yes")},
        )
    techniques = with_noise(source.dealt([placed("glove"), placed("sgns"), placed("ppmi_svd")]), (0, size, 2 * size))
    yield World(
        f"skip-gram with {about}, PPMI with twice as much",
        lambda r, rng: bootstrap(techniques(r, rng), query=QUERIES),
        {"bootstrap.glove-and-lsa-least": more, "bootstrap.ppmi-most": more, "bootstrap.ppmi-lists-least": more},
    )
    both = [placed(name, kind) for name in ("ppmi_svd", "sgns") for kind in ("shuffled", "bootstrap")]
    effects = with_noise(source.dealt(both), (0, 0, 0, size))
    yield World(
        f"skip-gram's bootstrap runs with {about}",
        lambda r, rng: bootstrap(effects(r, rng), query=QUERIES),
        {"bootstrap.weakest-for-ppmi": more},
    )
    drawn = placed(sampling="bootstrap")
    units = with_noise(source.dealt([drawn, replace(drawn, unit="sentence")]), (size, 0))
    sizes = with_noise(source.dealt([drawn, replace(drawn, fraction=0.2)]), (0, size))
    yield World(
        f"runs that draw documents with {about}",
        lambda r, rng: bootstrap(units(r, rng), query=QUERIES),
        {"bootstrap.sentences-vary-less": more},
    )
    yield World(
        f"runs of a fifth of the corpus with {about}",
        lambda r, rng: bootstrap(sizes(r, rng), query=QUERIES),
        {"bootstrap.small-varies-more": more},
    )
    pair = source.dealt([placed("sgns"), placed("glove")])
    names = with_noise(pair, (0, size))
    yield World(
        f"the second technique with {about}",
        lambda r, rng: compare(*names(r, rng)),
        {"compare.more-stable": should("first", "second", "alike", "disagree")},
    )
    yield World(
        "a twentieth of the words with noise of their length in the second technique",
        lambda r, rng: compare(*_with_noisy_words(*pair(r, rng), rng)),
        {"compare.words-differ": should("yes")},
    )


def _with_noisy_words(one: Runs, other: Runs, rng: np.random.Generator) -> tuple[Runs, Runs]:
    """Two groups, of the second of which every twentieth word has noise as large as its vector."""
    rows = []
    for run in other.rows:
        x = run[:].clone()
        own = x[::20]
        noise = torch.from_numpy(rng.normal(size=tuple(own.shape))).to(x.dtype) * own.norm(dim=1, keepdim=True)
        x[::20] = own + noise / x.shape[1] ** 0.5
        rows.append(x)
    return one, replace(other, rows=tuple(rows), lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


def worlds(source: Source, size: float) -> Iterator[World]:
    """Yield every world of a pool; noise of that size is added where groups are to differ."""
    known = Known(source)
    for odd in (False, True):
        yield from of_lists(source, known, odd=odd)
        yield from of_neighbours(source, known, odd=odd)
        yield from of_stability(source, known, odd=odd)
    yield from of_noise(source, size)


SIZES = {"shuffled": 0.2, "bootstrap": 0.5}
"""Noise that is added, in parts of a vector's length."""


def rows(folder: Path, sets: int, samplings: Sequence[str] = tuple(SIZES)) -> Iterator[Row]:
    """Yield the cells of planted truths."""
    for seed, sampling in enumerate(samplings):
        source = Source(folder, sampling)
        for world in worlds(source, SIZES[sampling]):
            yield from cells(replace(world, whole_to=8), source.noise, sets, seed)
