"""How far edits move a model, and how often a change moves it more than its control."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.sentences.model import Model
from gpustab.statistics.intervals import t_quantile, wilson
from gpustab.studies.localization.claims import ALIKE
from gpustab.studies.localization.distances import Array
from gpustab.studies.localization.edits import Edit, EditKind, Edits
from gpustab.studies.localization.scores import bootstrap_weights, interval_over_runs
from gpustab.studies.localization.tables_of_edits import EditScore


class Moved(NamedTuple):
    """How far the edits of one kind move a model: ``(n,)`` in a run, ``(R, n)`` in all.

    Attributes:
        changed: distances of changed sentences, the mean of two where there are two.
        control: of their controls.
        unrelated: of other sentences of the text.
    """

    changed: Array
    control: Array
    unrelated: Array


def moved_by(edits: Edits, model: Model) -> dict[EditKind, Moved]:
    """Return how far edits move a model, by kind; every sentence is embedded once."""
    asked = []
    for own in edits.found.values():
        for k, edit in enumerate(own):
            asked += [(edit.base, text) for text in (*edit.changed, *edit.control, own[_other(k, len(own))].base)]
    distances = model.distances([base for base, _ in asked], [text for _, text in asked])
    found: dict[EditKind, Moved] = {}
    start = 0
    for kind, own in edits.found.items():
        versions = len(own[0].changed) if own else 1
        size = len(own) * (2 * versions + 1)
        table = distances[start : start + size].reshape(len(own), 2 * versions + 1)
        start += size
        unrelated = table[:, -1] if len(own) > 1 else np.full(len(own), np.nan)  # one sentence has no other
        found[kind] = Moved(table[:, :versions].mean(1), table[:, versions:-1].mean(1), unrelated)
    return found


def _other(k: int, n: int) -> int:
    """Which sentence stands for another one beside sentence k of n: they are dealt out in pairs, see :func:`_pair`."""
    half = n // 2
    return (k + half) % (2 * half) if half else k


def _pair(n: int) -> NDArray[np.int64]:
    """Which pair every sentence of n is of; of an odd number the last is a third one of the first pair.

    The distance of two sentences holds the error of both, and each pair has it twice: so pairs are drawn.
    """
    return np.arange(n) % max(n // 2, 1)


def score(model: str, kind: EditKind, edits: Sequence[Edit], moved: Moved, draws: int, seed: int) -> EditScore:
    """Return how often a model moves more by the changes of a kind than by their controls.

    Sentences whose controls put in the same word share what a model makes of that word. So the interval draws these
    words, not sentences; of negations, whose words are few, :func:`luck_of` asks the words apart.

    Args:
        model: its name.
        kind: of the edits.
        edits: ``n`` of them.
        moved: their distances.
        draws: bootstrap samples.
        seed: of them.
    """
    there = np.asarray(np.isfinite(moved.changed + moved.control).all(axis=0))
    own = [edit for edit, is_there in zip(edits, there, strict=True) if is_there]
    changed, control = moved.changed[:, there], moved.control[:, there]
    names = [edit.kept if kind in ("numbers", "names") else edit.sentence for edit in own]
    number = {name: k for k, name in enumerate(dict.fromkeys(names))}
    counts = (len(changed), len(own), len(number), 0)
    empty = EditScore(model, kind, *counts, *(math.nan,) * 14, 0, *(math.nan,) * 3, len(edits))
    if not own:
        return empty
    hits = (changed > control) + 0.5 * (changed == control)
    weights, group = bootstrap_weights(len(number), draws, seed), np.array([number[name] for name in names])
    sd, low, high = interval_over_runs(hits, group, weights)
    share = float(hits.mean())
    # Of sentences that are all alike every draw is too, and the bootstrap's interval would be a point.
    low, high = _of_few(share, low, high, len(number)) if 0 < share < 1 else wilson(share * len(number), len(number))
    pairs, won, luck, unluck = (
        luck_of(own, (changed - control).mean(0)) if kind == "negation" else (0, *(math.nan,) * 3)
    )
    known = np.asarray(np.isfinite(moved.unrelated).all(axis=0))
    other, pair = moved.unrelated[:, known], np.unique(_pair(len(known))[known], return_inverse=True)[1]
    of_other = bootstrap_weights(int(pair.max(initial=-1)) + 1, draws, seed)
    changed_low, changed_high = _of_distance(changed, group, weights)
    control_low, control_high = _of_distance(control, group, weights)
    unrelated_low, unrelated_high = _of_distance(other, pair, of_other)
    return empty._replace(
        unmoved=int((changed <= ALIKE).all(0).sum()),
        half=float(hits.mean()),
        sd=sd,
        low=low,
        high=high,
        equal=float((changed == control).mean()),
        changed=float(changed.mean()),
        control=float(control.mean()),
        unrelated=float(other.mean()) if other.size else math.nan,
        changed_low=changed_low,
        changed_high=changed_high,
        control_low=control_low,
        control_high=control_high,
        unrelated_low=unrelated_low,
        unrelated_high=unrelated_high,
        pairs=pairs,
        won=won,
        luck=luck,
        unluck=unluck,
    )


def _of_distance(distances: Array, group: NDArray[np.int64], weights: Array) -> tuple[float, float]:
    """The 95 % interval of a mean distance ``(R, n)``, over groups of sentences and over runs."""
    if not distances.size:
        return math.nan, math.nan
    _, low, high = interval_over_runs(distances, group, weights)
    return _of_few(float(distances.mean()), low, high, weights.shape[1], most=2.0)


def _of_few(mean: float, low: float, high: float, groups: int, most: float = 1.0) -> tuple[float, float]:
    """An interval as wide as t says of so few groups, since the bootstrap's is that of a normal."""
    if groups < 2:
        return math.nan, math.nan
    wider = t_quantile(groups - 1) / t_quantile(10**6) * math.sqrt(groups / (groups - 1))
    return max(mean - wider * (mean - low), 0.0), min(mean + wider * (high - mean), most)


def luck_of(edits: Sequence[Edit], difference: Array) -> tuple[int, float, float, float]:
    """Return in how many pairs of words the one that negates is farther, and how probable that is by chance.

    "not" is one word, and a model that knows no meaning puts one word farther than another. By chance the words that
    negate are any of those that can stand in the same place, so that the pairs they win are counted by Mann and
    Whitney's law, place by place.

    Args:
        edits: negations.
        difference: ``(n,)`` distance of the change less that of the control.

    Returns:
        Pairs, pairs won (a tie counts half), and the probabilities of winning as many and as few.
    """
    cells: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    for edit, own in zip(edits, difference.tolist(), strict=True):
        cells[edit.slot, edit.new, edit.kept].append(own)
    won = sum(_won(sum(own)) for own in cells.values())
    law: Mapping[float, float] = {0.0: 1.0}
    pairs = 0
    for slot in sorted({slot for slot, *_ in cells}):
        new, kept = ({key[side] for key in cells if key[0] == slot} for side in (1, 2))
        missing = len(new) * len(kept) - sum(key[0] == slot for key in cells)
        won += 0.5 * missing
        pairs += len(new) * len(kept)
        law = _added(law, _mann_whitney(len(new), len(kept)))
    above = sum(p for u, p in law.items() if u >= won)
    below = sum(p for u, p in law.items() if u <= won)
    return pairs, won, above, below


def _won(difference: float) -> float:
    return 0.5 if difference == 0 else float(difference > 0)


def _mann_whitney(first: int, second: int) -> dict[float, float]:
    """The law of the pairs that ``first`` things win of ``second`` others of their kind."""
    places = list(combinations(range(first + second), first))
    law: dict[float, float] = defaultdict(float)
    for own in places:
        law[float(sum(own) - first * (first - 1) // 2)] += 1 / len(places)
    return law


def _added(one: Mapping[float, float], other: Mapping[float, float]) -> dict[float, float]:
    law: dict[float, float] = defaultdict(float)
    for a, p in one.items():
        for b, q in other.items():
            law[a + b] += p * q
    return law
