"""Several techniques or corpora beside each other: runs of one law under several names, and of laws that do differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.placebos.cells import NEITHER, Row, Truth, World, cells, never, should
from benchmarks.placebos.losses import WORDS, Chapter, Draw, Groups, ask, distances, of_law, trends
from benchmarks.placebos.made import Law, laws
from benchmarks.placebos.runsets import Source, placed
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.instability.corpora import corpus_table
from gpustab.studies.instability.technique import Technique

CORPORA = 7
"""As many as the thesis has languages."""
STEP = 1.5
"""How many times the noise that resampling adds on one corpus that on the next smaller one is."""
LOUDER = 1.2
"""How many times the noise of one technique that of the next is, where techniques differ."""

Deal = Callable[[int, np.random.Generator], Mapping[str, Groups]]


def corpus(technique: Technique, tables: Mapping[str, Table]) -> dict[str, Table]:
    """The size of the corpus, beside what resampling adds."""
    return corpus_table(technique, tables)


OF_CORPORA: Sequence[Chapter] = (distances, trends, corpus)


def louder(law: Law, times: float) -> Law:
    """Return the law with so many times its noise."""
    return replace(law, noise=lambda rng: law.noise(rng) * times)


def of_laws(own: Mapping[str, Law], samplings: Sequence[str]) -> Deal:
    """Runs of a law for every technique, all its samplings alike."""

    def deal(r: int, rng: np.random.Generator) -> dict[str, Groups]:
        return {name: {s: law.runs(r, rng, placed(name, s)) for s in samplings} for name, law in own.items()}

    return deal


def of_pool(source: Source, names: Sequence[str], samplings: Sequence[str], *, odd: bool = False) -> Deal:
    """Runs of a pool for every technique and sampling; where wanted, one run in ten is of another kind."""
    keys = [placed(name, sampling) for name in names for sampling in samplings]
    dealt = source.dealt(keys, odd=odd)

    def deal(r: int, rng: np.random.Generator) -> dict[str, Groups]:
        runs = {(group.key.technique, group.key.sampling): group for group in dealt(r, rng)}
        return {name: {sampling: runs[name, sampling] for sampling in samplings} for name in names}

    return deal


def of_techniques(source: Source) -> Iterator[World]:
    """Techniques and samplings of one law, and of laws that differ."""
    names, of = ("glove", "sgns", "fasttext"), laws(source)["normal"]
    order, first = "instability.order-of-techniques", "instability.most-stable"
    fixed, part = "instability.glove-fixed-is-shuffled", "instability.extrinsic-part"
    for odd in (False, True):
        about = "runs of one technique under three names" + ", one run in ten odd" * odd
        deal = of_pool(source, names, ["shuffled"], odd=odd)
        yield asking(about, deal, {order: NEITHER, first: never("first")})
        about = "runs of one sampling called bootstrap and fixed too" + ", one run in ten odd" * odd
        deal = of_pool(source, names[:1], ["shuffled", "fixed", "bootstrap"], odd=odd)
        yield asking(about, deal, {part: NEITHER, fixed: never("no") if odd else should("yes", "no")})
    about = f"{of.about}; three techniques, each {LOUDER:g} times as loud as the one before"
    rising = {name: louder(of, LOUDER**k) for k, name in enumerate(names)}
    yield asking(
        about,
        of_laws(rising, ["shuffled"]),
        {order: should("yes", "no"), first: Truth(frozenset(), frozenset({"first"}))},
    )
    falling = dict(zip(names, reversed(rising.values()), strict=True))
    yield asking(f"{about}, against the order", of_laws(falling, ["shuffled"]), {order: should("no", "yes")})
    samplings = of_samplings(of, {"shuffled": 1, "fixed": 1 / LOUDER, "bootstrap": LOUDER})
    about = f"{of.about}; fixed runs {LOUDER:g} times as quiet, bootstrap runs as much louder"
    yield asking(about, samplings, {fixed: should("no", "yes"), part: should("yes", "no")})


def of_two_pools(low: Source, high: Source) -> World:
    """Shuffled and bootstrap runs under their own names: documents do matter, by far."""
    shuffled, drawn = low.dealt([placed("sgns")]), high.dealt([placed("sgns", "bootstrap")])

    def deal(r: int, rng: np.random.Generator) -> dict[str, Groups]:
        return {"sgns": {"shuffled": shuffled(r, rng)[0], "bootstrap": drawn(r, rng)[0]}}

    about = "shuffled and bootstrap runs, which differ three times as much"
    return asking(about, deal, {"instability.extrinsic-part": should("yes", "no")})


def of_samplings(law: Law, times: Mapping[str, float]) -> Deal:
    """Runs of GloVe whose samplings have so many times the noise."""
    return lambda r, rng: {"glove": {s: louder(law, x).runs(r, rng, placed("glove", s)) for s, x in times.items()}}


def asking(about: str, deal: Deal, truths: Mapping[str, object]) -> World:
    """Return the world of some techniques on one corpus."""
    return World(about, lambda r, rng: ask((distances,), deal(r, rng)), truths)  # type: ignore[arg-type]


def of_sizes(law: Law, *, planted: bool) -> World:
    """Corpora whose resampling adds more and more noise; their sizes go with it, or were dealt out."""
    extra = [STEP ** (k - CORPORA / 2) for k in range(CORPORA)]
    names = [f"sgns on {k}" for k in range(CORPORA)]
    places = {name: ("sgns", f"corpus {k}") for k, name in enumerate(names)}

    def deal(r: int, rng: np.random.Generator) -> dict[str, Groups]:
        sizes = range(CORPORA) if planted else rng.permutation(CORPORA)
        techniques = {}
        for name, times, size in zip(names, extra, sizes, strict=True):
            bootstrap = louder(law, (1 + times**2) ** 0.5)
            groups = {"shuffled": law.runs(r, rng, placed()), "bootstrap": bootstrap.runs(r, rng, placed())}
            techniques[name] = {sampling: of_size(runs, int(size)) for sampling, runs in groups.items()}
        return techniques

    about = f"seven corpora, resampling adds more on each{'' if planted else ', sizes dealt out'}; {law.about}"
    truth = should("yes", "no") if planted else NEITHER
    return World(
        about,
        lambda r, rng: ask((distances, corpus), deal(r, rng), places),
        {"instability.extrinsic-with-corpus-size": truth},
        part=0.5 if planted else 1.0,
    )


def of_size(runs: Runs, size: int) -> Runs:
    """Return runs that are said to be of a larger corpus, the larger the smaller the number."""
    assert runs.counts is not None
    return replace(runs, counts=runs.counts * 2 ** (CORPORA - size))


def of_curves(source: Source) -> Iterator[World]:
    """Two techniques on two corpora: curves over frequency of one shape, of one for a technique, or for a corpus."""
    made, claim = laws(source), "instability.curves-over-frequency"
    names = [f"{technique} on {place}" for technique in ("sgns", "glove") for place in "ab"]
    places = {name: (name[: name.index(" ")], name[-1]) for name in names}
    flat, steep = of_law(made["normal"]), of_law(made["falling"])
    kinds: dict[str, tuple[list[Draw], object]] = {
        "of one law": ([flat] * 4, NEITHER),
        "of a law for each technique": ([flat, flat, steep, steep], should("yes", "no")),
        "of a law for each corpus": ([flat, steep, flat, steep], should("no", "yes")),
    }
    for which, (draws, truth) in kinds.items():

        def deal(r: int, rng: np.random.Generator, draws: list[Draw] = draws) -> dict[str, Groups]:
            return {name: draw(r, rng) for name, draw in zip(names, draws, strict=True)}

        def asked(r: int, rng: np.random.Generator, deal: Deal = deal) -> None:
            ask(OF_CORPORA, deal(r, rng), places)

        yield World(f"two techniques on two corpora, {which}", asked, {claim: truth})  # type: ignore[dict-item]
    dealt = source.dealt([placed("sgns")] * 4)

    def of_real(r: int, rng: np.random.Generator) -> None:
        groups = ({"shuffled": runs} for runs in dealt(r, rng))
        ask(OF_CORPORA, dict(zip(names, groups, strict=True)), places)

    yield World("runs of a pool, called two techniques on two corpora", of_real, {claim: NEITHER})


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of several techniques and corpora."""
    low, high = (Source(folder, kind, WORDS) for kind in ("shuffled", "bootstrap"))
    yield from cells(of_two_pools(low, high), f"{low.noise}; {high.noise}", sets)
    for seed, source in enumerate((low, high)):
        law = laws(source)["normal"]
        worlds = (*of_techniques(source), of_sizes(law, planted=False), of_sizes(law, planted=True), *of_curves(source))
        for world in worlds:
            yield from cells(world, source.noise, sets, seed)
