"""Quality beside consistency: a model that gives every term one vector is consistent, and agrees with nobody.

Two criteria say whether vectors of terms are any good: scored pairs of terms, and groups of terms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from scipy.stats import rankdata
from torch import Tensor

from gpustab.errors import InputError
from gpustab.evaluation.files import read_similarity
from gpustab.evaluation.labels import read_labels
from gpustab.kernels.arithmetic import product
from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import Columns, counted, number
from gpustab.small_data.text import Samples, cutter_of
from gpustab.spaces.words import show, some_words
from gpustab.statistics.ranks import spearman
from gpustab.studies.consistency.claims import GROUPED_FEWEST, GROUPS_NEARER, of_groups
from gpustab.studies.consistency.measures import Array, LeftOut, unit
from gpustab.studies.consistency.samples import Prepared
from gpustab.studies.consistency.tables import GROUPED, QUALITY, Grouped, Quality
from gpustab.studies.consistency.verdict import of_each
from gpustab.studies.shared.wording import capital

FEWEST_PAIRS = 8
"""Scored pairs below which a rank correlation says nothing."""
_NO_QUALITY = (
    "Consistency is no quality: a model that gives every term one vector has a cosine of 1 for each, and tells no two "
    "terms apart."
)


def quality_of(
    prepared: Prepared, vectors: Mapping[str, Tensor], scores: str, language: str = "en"
) -> Iterator[Quality]:
    """Yield how models agree with scored pairs of terms, with the jackknife error over terms.

    Args:
        prepared: the samples.
        vectors: of every model the vectors of samples, ``(P, d)``; a term's vector is their mean.
        scores: a file of scored pairs; those without two terms that have samples are left out.
        language: by whose rules the file's terms are cut into words.
    """
    test, place = read_similarity(Path(scores)), _places(prepared)
    name = _namer(place, language)
    names = [tuple(map(name, pair)) for pair in test.pairs]
    known = [k for k, (a, b) in enumerate(names) if a in place and b in place and a != b]
    pairs = np.array([[place[name] for name in names[k]] for k in known], np.int64).reshape(-1, 2)
    gold = np.array([test.gold[k] for k in known])
    for model, rows in vectors.items():
        means = _means(rows, prepared.samples)
        cosines = (means[pairs[:, 0]] * means[pairs[:, 1]]).sum(1).numpy()
        rho = _rho(cosines, gold, pairs).estimate
        terms = len(np.unique(pairs))
        yield Quality(prepared.group, model, len(pairs), len(names), terms, rho.value, *rho.interval)


def grouped_of(
    prepared: Prepared, vectors: Mapping[str, Tensor], others: Mapping[str, Tensor], groups: str, language: str = "en"
) -> Iterator[Grouped]:
    """Yield how often two terms of one group are nearer than two of different groups, with its error over terms.

    Args:
        prepared: the samples.
        vectors: of every model the vectors of samples, ``(P, d)``; a term's vector is their mean.
        others: of some, ``(P, d)`` those of made-up words in other sentences of the same documents, dealt into the
            groups of their terms.
        groups: a file of a term and its group a line; groups of one term are left out.
        language: by whose rules the file's terms are cut into words.

    Raises:
        InputError: if it cannot be read, two spellings of a term have two groups, or fewer than two groups have two
            terms with samples.
    """
    of = _groups_of(prepared, Path(groups), language)
    known = sorted(of.items())
    many = Counter(label for _, label in known)
    known = [(k, label) for k, label in known if many[label] > 1]
    if len({label for _, label in known}) < 2:
        raise InputError(f"{groups}: fewer than two groups have two terms with samples in {prepared.text.name}")
    rows, labels = zip(*known, strict=True)
    label = np.unique(labels, return_inverse=True)[1]
    for model, own in vectors.items():
        means = _means(own, prepared.samples)[list(rows)]
        auc = auc_of_groups(means, label)
        row = Grouped(prepared.group, model, len(rows), int(label.max()) + 1, auc.value, *auc.estimate.interval)
        if model in others:
            row = _beside(row, means, _means(others[model], prepared.samples)[list(rows)], label)
        yield row


def _beside(row: Grouped, own: Tensor, made_up: Tensor, label: np.ndarray) -> Grouped:
    """Return a row with how far terms ``(T, d)`` are beyond made-up words, of those where both have a vector.

    A made-up word whose documents have no other sentence has none: as a cosine of 0 it would know no group.
    """
    both = ((own != 0).any(1) & (made_up != 0).any(1)).numpy()
    compared = int(both.sum())
    row = row._replace(compared=compared)
    if compared < GROUPED_FEWEST:
        return row
    other = auc_of_groups(made_up[both], label[both])
    low, high = auc_of_groups(own[both], label[both]).minus(other).estimate.interval
    return row._replace(documents_auc=other.value, beyond_low=low, beyond_high=high)


def _groups_of(prepared: Prepared, path: Path, language: str) -> dict[int, str]:
    """Return the group of each term by its place; notes tell which terms of the file have no samples."""
    place, found, lost = _places(prepared), dict[int, str](), list[bytes]()
    name, spelled = _namer(place, language), dict[int, bytes]()
    labels = read_labels(path)
    for word, label in labels.items():
        k = place.get(name(word))
        if k is None:
            lost.append(word)
        elif found.setdefault(k, label) != label:
            both = f"'{show(spelled[k])}' and '{show(word)}' are one term of {prepared.text.name}"
            raise InputError(f"{path}: {both}, and its groups are {found[k]} and {label}")
        else:
            spelled[k] = word
    if lost:
        terms = counted(len(lost), "term", "has/have", of=len(labels))
        prepared.notes.append(f"{path.name}: {terms} no samples in {prepared.text.name}: {some_words(lost)}.")
    return found


def _namer(place: Mapping[bytes, int], language: str) -> Callable[[bytes], bytes]:
    """Return what gives a term of a file the name that it has in the text: as it stands, or cut as the text is."""
    cut = cutter_of(language)

    def name(word: bytes) -> bytes:
        plain = show(word).lower().replace(" ", "_").encode()
        return plain if plain in place else b"_".join(cut(show(word)))

    return name


def _places(prepared: Prepared) -> dict[bytes, int]:
    words = prepared.text.words
    return {words[term]: k for k, term in enumerate(prepared.samples.terms.tolist())}


def _means(rows: Tensor, samples: Samples) -> Tensor:
    """Return the vectors of terms, ``(T, d)`` of unit length."""
    total = torch.zeros(len(samples.terms), rows.shape[1], dtype=torch.float64, device="cpu")
    return unit(total.index_add_(0, torch.from_numpy(samples.term), unit(rows.cpu().double())))


def auc_of_groups(vectors: Tensor, label: np.ndarray) -> LeftOut:
    """Return the AUC of cosines of pairs of one group against pairs of two, and what it is without each term.

    Args:
        vectors: ``(T, d)`` of unit length.
        label: ``(T,)`` the number of each term's group.
    """
    one, two = np.triu_indices(len(label), 1)
    cosines, same = product(vectors, vectors.mT).numpy()[one, two], label[one] == label[two]

    def of(kept: np.ndarray) -> float:
        inside = int(same[kept].sum())
        outside = int(kept.sum()) - inside
        if not inside or not outside:
            return math.nan
        ranks = rankdata(cosines[kept])[same[kept]].sum()
        return float(ranks - inside * (inside + 1) / 2) / (inside * outside)

    every = np.ones(len(one), np.bool_)
    return LeftOut(of(every), np.array([of((one != term) & (two != term)) for term in range(len(label))]))


def _rho(cosines: Array, gold: Array, pairs: np.ndarray) -> LeftOut:
    """Spearman's ρ, and what it is without each of the terms that stand in a pair."""

    def of(kept: np.ndarray) -> float:
        if kept.sum() < FEWEST_PAIRS or np.ptp(cosines[kept]) < 1e-12:
            return math.nan
        return float(spearman(torch.from_numpy(cosines[kept])[None], torch.from_numpy(gold[kept])[None]))

    every = np.ones(len(pairs), np.bool_)
    return LeftOut(of(every), np.array([of(~(pairs == term).any(1)) for term in np.unique(pairs)]))


def quality_in_words(row: Quality) -> str:
    """Return how a model agrees with the scores, in a sentence."""
    model, pairs = capital(row.model), f"{row.pairs} of {row.given} scored pairs"
    if row.pairs < FEWEST_PAIRS:
        return f"{model} cannot be judged: {pairs} have samples of both terms, and the test needs {FEWEST_PAIRS}."
    if math.isnan(row.rho):
        return f"{model} cannot be judged: it gives {pairs} one cosine."
    if math.isnan(row.low):
        return f"{model} cannot be judged: of {pairs} too few are left without one of their {row.terms} terms."
    numbers = f"(ρ {number(row.rho, 2)}, {number(row.low, 2)} to {number(row.high, 2)}; {pairs})"
    if row.high < 0:
        return (
            f"{model} runs against the scores {numbers}: terms of a high score are less alike. If the scores are "
            "distances, turn them round."
        )
    return f"{model} {'agrees with the scores' if row.low > 0 else 'may agree with the scores or not'} {numbers}."


def quality_blocks(result: Result) -> Iterator[Block]:
    """Yield what is shown of both criteria, where they were given."""
    scored, grouped = list(QUALITY.rows(result.tables)), list(GROUPED.rows(result.tables))
    if scored:
        columns: Columns = ["model", "pairs", "given", "terms", ("ρ, 95 % over terms", _rho_in_words)]
        yield Block(
            "Do the vectors agree with scored pairs of terms?",
            tables=[_table("Spearman's ρ between cosines of terms and scores", scored, columns)],
            answer=f"{' '.join(map(quality_in_words, scored))} {_NO_QUALITY}",
        )
    if grouped:
        columns = ["model", "terms", "groups", ("AUC, 95 % over terms", _auc_in_words), "documents_auc", "compared"]
        yield Block(
            "Are terms of one group nearer than terms of two?",
            tables=[_table("How often two terms of one group are nearer than terms of two", grouped, columns)],
            answer=f"{' '.join(of_each(GROUPED.of(result.tables), _each_verdict_once))} {_NO_QUALITY}",
        )


def _each_verdict_once(rows: Sequence[Grouped]) -> str:
    """What is said of the models of one background and text, of those with one verdict together."""
    verdicts = dict.fromkeys(map(GROUPS_NEARER.judge, rows))
    return " ".join(of_groups([row for row in rows if GROUPS_NEARER.judge(row) == verdict]) for verdict in verdicts)


def _table(title: str, rows: Sequence[Quality] | Sequence[Grouped], columns: Columns) -> SmallTable:
    return SmallTable.of(title, rows, [*(["group"] if len({row.group for row in rows}) > 1 else []), *columns])


def _rho_in_words(row: Quality) -> str:
    return "–" if math.isnan(row.rho) else f"{number(row.rho, 2)} ({_span(row)})"


def _auc_in_words(row: Grouped) -> str:
    return "–" if math.isnan(row.auc) else f"{row.auc:.3f} ({_span(row)})"


def _span(row: Quality | Grouped) -> str:
    return "no interval" if math.isnan(row.low) else f"{number(row.low, 2)} to {number(min(row.high, 1.0), 2)}"
