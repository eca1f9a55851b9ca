"""Runs whose truth is known, drawn again and again: what `benchmarks.verdicts` counts the rules' verdicts on.

Every case is a function of the number of runs and a NumPy generator that returns a verdict of the product's own rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch

from gpustab.engine import NeighbourPass, agreement, top_n_probabilities
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.kernels.prediction import predicted_overlap
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.statistics import hypotheses
from gpustab.statistics.extrinsic import extrinsic
from gpustab.statistics.intervals import Estimate, correlation_interval, sd_interval
from gpustab.studies.instability import averaging_observations as averaging
from gpustab.studies.instability import observations as rules
from gpustab.studies.instability import space_observations as spaces
from gpustab.studies.instability.alignment import alignment_tables, term_of
from gpustab.studies.instability.averages import averaging_tables
from gpustab.studies.instability.consistency import BATCHES, consistency_over_n
from gpustab.studies.instability.cosine_ratios import cosine_ratios
from gpustab.studies.instability.distance import with_distance
from gpustab.studies.instability.frequency import trend
from gpustab.studies.instability.frequency_observations import is_falling, is_flat
from gpustab.studies.instability.how_many import errors
from gpustab.studies.instability.trend_errors import change_error
from gpustab.studies.shared.spaces import far_runs
from gpustab.studies.shared.verdicts import above, decide, rising, within
from gpustab.studies.sweep.changes import change
from gpustab.studies.sweep.observations import more_stable
from tests.generators import noisy_copies, runs_of

Rng = np.random.Generator
Draw = Callable[[int, Rng], str]


class Case(NamedTuple):
    """A rule, the truth it is asked about, the verdict that is right (``-``: none is), and how to draw it.

    ``least`` runs are wanted for a verdict; a ``part`` of the sets is drawn of what takes long, a multiple of others.
    """

    rule: str
    truth: str
    right: str
    draw: Draw
    least: int = 3
    part: float = 1.0


def losses(scale: float, runs: int, rng: Rng, effect: float = 0.1) -> torch.Tensor:
    """Losses between runs of independent noise, ``√((s_i² + s_j²)/2)``, the noise varying from run to run as e^{ez}."""
    s = scale * np.exp(effect * rng.normal(size=runs))
    matrix = np.sqrt((s[:, None] ** 2 + s**2) / 2) * (1 + 0.005 * np.triu(rng.normal(size=(runs, runs)), 1))
    upper = np.triu(matrix, 1)
    return torch.from_numpy(upper + upper.T)


def _loss(scale: float, runs: int, rng: Rng, effect: float = 0.1) -> Estimate:
    found = pair_statistics(losses(scale, runs, rng, effect))
    return Estimate.of_runs(found.mean, found.se, runs)


def _order(step: float) -> Draw:
    return lambda runs, rng: rising([_loss(1.0, runs, rng), _loss(1 + step, runs, rng)])


def _equivalent(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        difference = _loss(1 + step, runs, rng, 0.01).minus(_loss(1.0, runs, rng, 0.01)).over(1.0)
        return within(difference, -spaces.EQUIVALENT, spaces.EQUIVALENT)

    return draw


def _extrinsic(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        a, b = _loss(1.0, runs, rng), _loss(1 + step, runs, rng)
        found = extrinsic(a.value, b.value, a.se, b.se)
        return above(Estimate.of_runs(found.signed_square, found.square_se, runs), 0)

    return draw


def _hardly_vary(effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        found = pair_statistics(losses(1.0, runs, rng, effect))
        return decide(sd_interval(found.sd / found.mean, runs), 0, spaces.VARIES)

    return draw


def _training(step: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        a, b = _loss(1.0, runs, rng, 0.03), _loss(1 + step, runs, rng, 0.03)
        found = change(a.value, b.value, a.se, b.se)
        return more_stable(Estimate.of_runs(found.percent, found.percent_se, runs))

    return draw


def _two_runs(effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        _, error = errors(losses(1.0, runs, rng, effect), 2, 0)
        row = {"technique": "x", "quantity": "reduced PIP loss"}
        table = Table.of([row | {"runs": r, "subsampling": error} for r in range(2, runs + 1)])
        (found,) = spaces.of_two_runs({"how_many": table})
        return found.agrees

    return draw


def _far(noise: float, effect: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        s = np.exp(effect * rng.normal(size=runs))
        s[0] *= noise
        matrix = np.sqrt(s[:, None] ** 2 + s**2)
        found = [r for r, _ in far_runs(torch.from_numpy(matrix))]
        if not found:
            return "undecided" if noise > 1 else "no"  # a run that is not named is missed
        return "yes" if found == [0] else "other"

    return draw


def _normal(law: Callable[[Rng, tuple[int, int]], np.ndarray], pairs: int = 3000) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        null = _null(runs)
        found = hypotheses.uniformity(hypotheses.shapiro_p(torch.from_numpy(law(rng, (pairs, runs)))), null)
        return rules.normal({"distance": found.distance, "distance_band": found.band, "runs": runs})

    return draw


_nulls: dict[int, torch.Tensor] = {}


def _null(runs: int) -> torch.Tensor:
    if runs not in _nulls:
        _nulls[runs] = hypotheses.simulated_p(hypotheses.shapiro_p, runs, 0)
    return _nulls[runs]


def _independent(correlation: float, dependent: float, couples: int = 3000) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        shape, common = (couples, runs), rng.normal(size=(1, runs))
        z = rng.normal(size=shape)
        values = []
        for _ in range(2):
            own = math.sqrt(correlation) * z + math.sqrt(1 - correlation) * rng.normal(size=shape)
            signs = rng.choice([-1, 1], (couples, 1))
            values.append(math.sqrt(1 - dependent) * own + math.sqrt(dependent) * signs * common)
        found = hypotheses.independence(*map(torch.from_numpy, values), 0, permutations=799, simulated=50)
        return rules.independent(Estimate.of_runs(found.correlation, found.spread, runs), found.p)

    return draw


def _consistent(kind: str, words: int = 400, candidates: int = 120) -> Draw:
    """Targets whose neighbours' cosines are normal: one noise level a target, and profiles alike or each its own."""

    def draw(runs: int, rng: Rng) -> str:
        fixed = np.random.default_rng(7)  # the same targets in all sets
        profile = np.sort(fixed.exponential(0.1, (words, candidates)))[:, ::-1]
        if kind == "alike":
            profile = np.tile(np.linspace(0.5, 0, candidates), (words, 1))
        sd = 0.03 * np.exp((1.0 if kind == "alike" else 0.5) * fixed.normal(size=(words, 1)))
        values = torch.from_numpy(profile + sd * rng.normal(size=(runs, words, candidates)))
        lists = values.topk(50, dim=2).indices
        everyone = torch.ones(runs, words, dtype=torch.bool)
        found = NeighbourPass(torch.arange(words), 50, lists, values, everyone[:, :, None], everyone)
        row = consistency_over_n("x", found, Compute(), 0)
        if not row:
            return "undecided"
        return decide(Estimate(row[0].correlation, row[0].se, BATCHES - 1).interval, -1, rules.CONSISTENT)

    return draw


def _unrelated(related: bool, words: int = 300, candidates: int = 60) -> Draw:
    """Lists of normal cosines beside losses whose level is the noise of the lists (``related``), or is not."""

    def draw(runs: int, rng: Rng) -> str:
        profile = np.sort(rng.exponential(0.1, (words, candidates)))[:, ::-1]
        sd = 0.03 * np.exp((0.7 if related else 0.0) * rng.normal(size=(words, 1)))
        values = torch.from_numpy(profile + sd * rng.normal(size=(runs, words, candidates)))
        everyone = torch.ones(runs, words, dtype=torch.bool)
        lists = values.topk(10, dim=2).indices
        found = NeighbourPass(torch.arange(words), 10, lists, values, everyone[:, :, None], everyone)
        level = sd if related else np.exp(0.5 * rng.normal(size=(words, 1)))
        noise = np.triu(rng.normal(size=(words, runs, runs)), 1)
        pairs = level[:, :, None] * (1 + 0.1 * (noise + noise.swapaxes(1, 2)))
        row = with_distance("x", found, torch.from_numpy(pairs * (1 - np.eye(runs))), Compute(), 0)
        return rules.unrelated(row[-1]._asdict()) if row else "undecided"

    return draw


def _predicted(unequal: float, model: str, targets: int = 150, candidates: int = 60) -> Draw:
    """Cosines of independent normals, predicted by their own SDs (``plain``) or by one for all (``structure``)."""

    def measured(mean: torch.Tensor, sd: torch.Tensor, runs: int, rng: Rng) -> tuple[float, torch.Tensor, torch.Tensor]:
        values = mean + sd * torch.from_numpy(rng.normal(size=(runs, *mean.shape)))
        p = neighbour_overlap(values.topk(1, dim=2).indices, [1]).p_word
        found, spread = values.mean(0), values.std(0)
        if model == "structure":
            spread = torch.full_like(spread, float(spread.mean()))
        probabilities = top_n_probabilities(found, spread, [1])
        return float(agreement(predicted_overlap(probabilities, [1]), p).pearson[0]), found, spread

    def draw(runs: int, rng: Rng) -> str:
        mean = torch.from_numpy(np.sort(rng.exponential(0.1, (targets, candidates)))[:, ::-1].copy())
        sd = torch.from_numpy(0.03 * np.exp(unequal * rng.normal(size=(targets, 1)))).expand_as(mean)
        pearson, found, spread = measured(mean, sd, runs, rng)
        exact, _, _ = measured(found, spread, runs, rng)
        return rules.predicted(correlation_interval(pearson, targets), exact, targets)

    return draw


def _proxy(true: float, words: int = 1000) -> Draw:
    def draw(_runs: int, rng: Rng) -> str:
        normal = 2 * math.sin(math.pi * true / 6)  # Pearson's of normals whose Spearman's is `true`
        x, y = rng.normal(size=(2, words))
        ranks = [np.argsort(np.argsort(z)) for z in (x, normal * x + math.sqrt(1 - normal**2) * y)]
        return decide(correlation_interval(float(np.corrcoef(*ranks)[0, 1]), words), rules.AGREES, 1)

    return draw


def _trend(shape: Callable[[np.ndarray], np.ndarray], rule: Callable[[dict], str], slope: float = 0.0) -> Draw:
    """Losses of words, log-normal about a function of log frequency; runs differ in how steep theirs is."""

    def draw(runs: int, rng: Rng, words: int = 1500) -> str:
        x = np.sort(rng.exponential(0.7, words)) + 1.3  # decades
        x = np.minimum(x, 4.5)
        i, j = np.triu_indices(runs, 1)
        steep = slope * rng.normal(size=runs)
        level = shape(x) * np.exp(0.3 * rng.normal(size=words))
        pairs = level[:, None] * (
            1 + 0.15 * rng.normal(size=(words, len(i))) + (steep[i] + steep[j]) * (x - 2)[:, None]
        )
        centred = x - x.mean()
        ends = np.array_split(x, 20)
        weights = np.stack(
            [centred * (ends[-1].mean() - ends[0].mean()) / np.square(centred).sum(), np.full(words, 1 / words)]
        )
        matrices = np.zeros((2, runs, runs))
        matrices[:, i, j] = matrices[:, j, i] = weights @ pairs
        error, rest = change_error({"shuffled": torch.from_numpy(matrices)})
        found = trend(torch.from_numpy(10**x), torch.from_numpy(pairs.mean(1)), runs_se=error, runs=rest)
        return rule(found._asdict())

    return draw


def _ratios(sd: float, slope: float, which: str) -> Draw:
    def draw(runs: int, rng: Rng, pairs: int = 600) -> str:
        mean = 0.15 * rng.normal(size=(pairs, 1))
        values = mean + 0.02 * np.exp(0.1 * rng.normal(size=runs)) * rng.normal(size=(pairs, runs))
        k = runs // 2
        averages = (values[:, : 2 * k : 2] + values[:, 1 : 2 * k : 2]) / 2
        centre = averages.mean(1, keepdims=True)
        extra = 0.02 * math.sqrt(max(sd**2 - 0.5, 0)) * rng.normal(size=averages.shape)
        averages = slope * (centre + averages - centre + extra)
        single, double = torch.from_numpy(values), torch.from_numpy(averages)
        if k < 2:
            return "undecided"
        groups = [[2 * a, 2 * a + 1] for a in range(k)]
        row = cosine_ratios("x", False, 2, [(groups, (double, double))], (single, single))._asdict()
        table = Table.of([row])
        found = {o.claim: o.agrees for o in averaging.of_averaging({"cosine_ratios": table})}
        return next(agrees for claim, agrees in found.items() if which in claim)

    return draw


def _term(by_pair: float, variance: float) -> Draw:
    """A second term of eq. 3.4 whose word pairs have means of a part of σ, and a variance of a part of σ²/2."""

    def draw(runs: int, rng: Rng, pairs: int = 600) -> str:
        cosine = rng.normal(size=(pairs, runs))
        means = by_pair * rng.normal(size=(pairs, 1))
        term = means + math.sqrt(variance / 2) * rng.normal(size=(pairs, runs // 2))
        return averaging.judge_term(term_of("x", torch.from_numpy(term), torch.from_numpy(cosine))._asdict())

    return draw


def _fall(noise: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        there = runs_of(noisy_copies(runs, 150, 10, noise=noise, seed=int(rng.integers(1e6))))
        tables = averaging_tables("x", there, 60, int(rng.integers(1e6)))
        found = [o.agrees for o in averaging.of_averaging({"figure_3_5": tables["figure_3_5"]})]
        return found[0] if found else "undecided"

    return draw


def _tree(noise: float, which: str) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        there = runs_of(noisy_copies(runs, 120, 8, noise=noise, seed=int(rng.integers(1e6))))
        table = alignment_tables("x", there, 60, int(rng.integers(1e6)))["table_tree"]
        return next(o.agrees for o in averaging.of_averaging({"table_tree": table}) if which in o.claim)

    return draw


def _gain(gain: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        rows, n = [], 2
        single = 0.4 + 0.01 * rng.normal(size=runs)
        while runs // n > 1:
            k = runs // n
            own = single[: k * n].reshape(k, n).mean(1)
            differences = gain + 0.006 * rng.normal(size=k) + 0 * own
            se = float(differences.std(ddof=1)) / math.sqrt(k)
            rows.append(
                {
                    "technique": "x",
                    "test": "t",
                    "runs_beneath": n,
                    "averages": k,
                    "gain": float(differences.mean()),
                    "se": se,
                }
            )
            n *= 2
        found = [o.agrees for o in averaging.of_averaging({"table_3_6": Table.of(rows)})] if rows else []
        return found[0] if found else "undecided"

    return draw


def _t(freedom: int) -> Callable[[Rng, tuple[int, int]], np.ndarray]:
    return lambda rng, shape: rng.standard_t(freedom, size=shape)


def _signs_of_one(rng: Rng, shape: tuple[int, int]) -> np.ndarray:
    """Normals that all hold a part of one run's common normal: correlated at ±0.3."""
    return math.sqrt(0.7) * rng.normal(size=shape) + math.sqrt(0.3) * rng.choice([-1, 1], (shape[0], 1)) * rng.normal(
        size=(1, shape[1])
    )


def _hump(x: np.ndarray) -> np.ndarray:
    return 1 + 1.2 * np.exp(-2 * np.square(x - 2.2))


def cases() -> Iterator[Case]:
    """Yield every case."""
    yield Case("normal", "normals", "yes", _normal(lambda rng, shape: rng.normal(size=shape)), 4, 0.2)
    yield Case("normal", "normals correlated at ±0.3", "yes", _normal(_signs_of_one), 4, 0.2)
    yield Case("normal", "t(3)", "no", _normal(_t(3)), 4, 0.2)
    yield Case("normal", "t(5)", "no", _normal(_t(5)), 4, 0.2)
    yield Case("normal", "uniform", "no", _normal(lambda rng, shape: rng.uniform(size=shape)), 4, 0.2)
    yield Case("normal", "exponential", "no", _normal(lambda rng, shape: rng.exponential(size=shape)), 4, 0.2)
    yield Case("independent", "correlation 0", "yes", _independent(0.0, 0.0), 4)
    yield Case("independent", "correlation 0, couples alike at ±0.3", "yes", _independent(0.0, 0.3), 4)
    yield Case("independent", "correlation 0.1", "no", _independent(0.1, 0.0), 4)
    yield Case("independent", "correlation 0.2", "no", _independent(0.2, 0.0), 4)
    yield Case("p@n inconsistent", "true ρ 0.99 (one profile)", "no", _consistent("alike"), 4)
    yield Case("p@n inconsistent", "true ρ 0.5 (own profiles)", "yes", _consistent("own"), 4)
    yield Case("predicted (A.4)", "independent normals, true", "yes", _predicted(0.7, "plain"))
    yield Case("structure factor", "one SD for all, true", "yes", _predicted(0.0, "structure"))
    yield Case("structure factor", "SDs differ by e^{0.7 z}", "no", _predicted(0.7, "structure"))
    yield Case("proxies", "ρ 0.97", "yes", _proxy(0.97), part=10)
    yield Case("proxies", "ρ 0.90", "no", _proxy(0.90), part=10)
    yield Case("losses hardly vary", "SD about 0.7 %", "yes", _hardly_vary(0.01), part=10)
    yield Case("losses hardly vary", "SD about 14 %", "no", _hardly_vary(0.2), part=10)
    yield Case("order of techniques", "no difference", "-", _order(0.0), part=10)
    yield Case("order of techniques", "+30 %", "yes", _order(0.3), part=10)
    yield Case("order of techniques", "−30 %", "no", _order(-0.3), part=10)
    yield Case("fixed = shuffled", "no difference", "yes", _equivalent(0.0), part=10)
    yield Case("fixed = shuffled", "+10 %", "no", _equivalent(0.1), part=10)
    yield Case("extrinsic part", "none", "-", _extrinsic(0.0), part=10)
    yield Case("extrinsic part", "bootstrap +30 %", "yes", _extrinsic(0.3), part=10)
    yield Case("flat over frequency", "flat, runs alike", "yes", _trend(np.ones_like, lambda r: is_flat(r, 0.2)))
    yield Case(
        "flat over frequency", "flat, runs steep by ±3 %", "yes", _trend(np.ones_like, lambda r: is_flat(r, 0.2), 0.03)
    )
    yield Case("flat over frequency", "hump", "-", _trend(_hump, lambda r: is_flat(r, 0.2)))
    yield Case(
        "flat over frequency", "rises by half", "no", _trend(lambda x: 1 + 0.2 * (x - 1.3), lambda r: is_flat(r, 0.2))
    )
    yield Case("falls over frequency", "falls by half", "yes", _trend(lambda x: 1.4 - 0.2 * x, is_falling))
    yield Case("falls over frequency", "hump", "-", _trend(_hump, is_falling))
    yield Case("falls over frequency", "flat, runs steep by ±3 %", "-", _trend(np.ones_like, is_falling, 0.03), part=10)
    yield Case("falls over frequency", "rises by half", "no", _trend(lambda x: 1 + 0.2 * (x - 1.3), is_falling))
    yield Case("SD of averages", "1/√2", "yes", _ratios(math.sqrt(0.5), 1.05, "smaller SD"))
    yield Case("SD of averages", "0.9", "no", _ratios(0.9, 1.0, "smaller SD"))
    yield Case("mean cosine of averages", "× 1.05", "yes", _ratios(math.sqrt(0.5), 1.05, "larger mean"))
    yield Case("mean cosine of averages", "× 1.00", "no", _ratios(math.sqrt(0.5), 1.0, "larger mean"))
    yield Case("second term", "no means, variance 0.2", "yes", _term(0.0, 0.2))
    yield Case("second term", "means of 0.15 σ", "no", _term(0.15, 0.2))
    yield Case("falls as 1/√n", "small noise", "yes", _fall(0.1))
    yield Case("falls as 1/√n", "noise like the signal", "no", _fall(2.0))
    yield Case("one reference, tree", "noisy copies", "yes", _tree(0.4, "more than trees"))
    yield Case("one reference adds", "noisy copies", "no", _tree(0.4, "add more"), 6)
    yield Case("two runs suffice", "SD about 0.7 %", "yes", _two_runs(0.01), part=5)
    yield Case("two runs suffice", "SD about 14 %", "no", _two_runs(0.2), part=5)
    yield Case("p@n unrelated", "losses of their own", "yes", _unrelated(False), 4, 0.5)
    yield Case("p@n unrelated", "both from one noise level", "no", _unrelated(True), 4, 0.5)
    yield Case("more training", "no difference", "-", _training(0.0), part=5)
    yield Case("more training", "−12 %", "yes", _training(-0.12), part=5)
    yield Case("more training", "+12 %", "no", _training(0.12), part=5)
    yield Case("averaging raises scores", "no gain", "-", _gain(0.0), part=10)
    yield Case("averaging raises scores", "gain of two SDs", "yes", _gain(0.02), part=10)
    yield Case("far run", "equal runs", "no", _far(1.0, 0.0), part=10)
    yield Case("far run", "run effect e^{0.3 z}", "no", _far(1.0, 0.3), part=10)
    yield Case("far run", "one of three times the noise", "yes", _far(3.0, 0.0), part=10)
    yield Case("far run", "the same, run effect e^{0.3 z}", "yes", _far(3.0, 0.3), part=10)
    yield Case("far run", "one unrelated", "yes", _far(7.0, 0.1), part=10)
