"""The law of cosines over runs: is it normal and independent, and does it predict p@n? Rettenmeier 2020, §2.1.3, 2.2.2.

Figures 2.3 to 2.5, 2.7 and A.2, tables 2.5 and A.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.engine.cosines import pair_values
from gpustab.errors import InputError
from gpustab.kernels import prediction
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.results import Column, Sheet, Table
from gpustab.runs.runs import Runs
from gpustab.statistics import hypotheses
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.losses import word_matrices
from gpustab.studies.instability.subsets import DISTANCE, with_distance
from gpustab.studies.instability.technique import Technique, draw_words
from gpustab.studies.shared.wording import groups_in_words


class CosineTest(NamedTuple):
    """A test of the cosines of random word pairs over the runs, §2.1.3."""

    technique: str
    hypothesis: str
    runs: int
    tested: Annotated[int, Column(about="word pairs, or couples of them")]
    below: Annotated[float, Column(about="share of p-values below 0.05")]
    normals_below: Annotated[float, Column(about="that of simulated normals")]
    distance: Annotated[float, Column(about="of the p-values' law from that of simulated normals, in [0, 1]")]
    distance_band: Annotated[float, Column(about="by so much the distance errs in 95 % of the cases")]
    p: Annotated[float, Column(about="of the distance")]
    uniform_p: Annotated[float, Column(about="of the test against the uniform law, which is wrong for few runs")]
    correlation: Annotated[float, Column(about="mean Spearman's ρ over couples; NaN of the test of normality")]
    correlation_se: Annotated[float, Column(about="its error, by permuted runs")]
    correlation_p: Annotated[float, Column(about="its p-value, by permuted runs")]
    kurtosis: Annotated[float, Column(about="of the whitened cosines; NaN of the other tests")]
    kurtosis_normal: Annotated[float, Column(about="that of normals at so many runs")]

    @property
    def mean_correlation(self) -> Estimate:
        """The mean correlation over couples, with its error."""
        return Estimate.of_runs(self.correlation, self.correlation_se, self.runs)


@dataclass(frozen=True)
class CosineTests(Sheet[CosineTest]):
    """The table of tests, two of whose columns are called by what is no name of Python's."""

    def table(self, rows: Iterable[CosineTest] = ()) -> Table[Any]:
        """Return the table of some rows."""
        table = super().table(rows)
        return Table({_CALLED.get(name, name): column for name, column in table.items()})

    def rows(self, tables: Mapping[str, Table[Any]], **wanted: Any) -> Iterator[CosineTest]:
        """Yield those of its rows in a result that have the wanted values; none where it is not there."""
        return (CosineTest(*record.values()) for record in tables.get(self.name, Table()).records(**wanted))


class WhitenedBin(NamedTuple):
    """Figure 2.5: one bar of the histogram of whitened cosines, and the law of normals at so many runs."""

    technique: str
    z: float
    density: float
    normals: float


class Bar(NamedTuple):
    """Figures 2.3, 2.4: the share of p-values in a bin, and that of simulated normals."""

    technique: str
    hypothesis: str
    p_from: float
    share: float
    normals: float


class Prediction(NamedTuple):
    """Measured and predicted p@n of one word."""

    technique: str
    word: str
    n: int
    measured: float
    plain: Annotated[float, Column(about="by independent normals")]
    corrected: Annotated[float, Column(about="by normals that are correlated as a target's nearest neighbours are")]
    structure: Annotated[float, Column(about="structure factor ρ@n: the same means, one SD for all")]
    correlation: Annotated[float, Column(about="of a target's nearest neighbours")]


class Accuracy(NamedTuple):
    """Table A.2: predicted against measured p@n over words; ``exact``: of the plain model if it were true."""

    technique: str
    n: int
    targets: int
    measured: Annotated[float, Column(about="mean p@n")]
    plain_pearson: float
    plain_bias: float
    plain_rmse: float
    corrected_pearson: float
    corrected_bias: float
    corrected_rmse: float
    exact_pearson: float
    exact_bias: float
    exact_rmse: float


class Structure(NamedTuple):
    """Table 2.5: structure factor against measured p@n over words."""

    technique: str
    n: int
    pearson: float
    bias: float
    targets: int
    exact_pearson: Annotated[float, Column(about="were the model true")]
    gamma: Annotated[float, Column(about="the one SD of all cosines")]
    candidates: Annotated[int, Column(about="words that enter into the model, mean over targets")]
    pearson_with_pip: Annotated[float, Column(about="of measured p@n with the word's PIP loss")]


_CALLED = {"below": "below_0.05", "normals_below": "normals_below_0.05"}
NORMALITY, DISJOINT, SHARING = "normal", "independent, disjoint", "independent, sharing"
"""The hypotheses of this table."""
TESTS = CosineTests("distribution", CosineTest, "one row a technique and hypothesis")
WHITENED = Sheet("whitened", WhitenedBin, "one row a technique and bin", long=True)
P_VALUES = Sheet("p_values", Bar, "one row a technique, hypothesis and bin", long=True)
PREDICTIONS = Sheet("predictions", Prediction, "one row a technique, length of lists and word", long=True)
ACCURACY = Sheet("table_a_2", Accuracy, "one row a technique and length of lists")
STRUCTURE = Sheet("table_2_5", Structure, "one row a technique and length of lists")

EPSILON = 1e-4
"""Leaving out words changes no p@n by more than twice this: a hundredth of the errors of the model itself."""
CANDIDATES = 300
"""Words of highest mean cosine that are simulated; of others hardly any comes among 50 neighbours."""
_BIN = 0.25
_REACH = 4.0
_P_BINS = 20
_TARGETS = 32
_COSINES = 1 << 18
"""Cosines of targets with all words that are formed at a time."""
_RUNS = 4
"""Runs: of fewer no test of normality says anything."""


def drawn_cosines(technique: Technique) -> tuple[Tensor, Tensor, Tensor]:
    """Return the cosines ``(M, R)`` over the runs of drawn pairs of words: of (a, b), of (c, d), and of (a, c)."""
    joint = technique.joint.cpu()
    a, b, c, d = joint[draw_words(len(joint), technique.options.pairs, technique.seed)].T
    values, disjoint, sharing = (
        technique.as_copies(pair_values(technique.runs, x, y, technique.compute).cpu())
        for x, y in ((a, b), (c, d), (a, c))
    )
    return values, disjoint, sharing


def distribution_tables(technique: Technique) -> dict[str, Table]:
    """Test both hypotheses on random word pairs, calibrated by simulated normals at the same number of runs.

    Returns:
        ``distribution`` (one row per hypothesis), ``whitened`` (histogram of the whitened cosines beside the law of
        normals at R runs) and ``p_values`` (histograms of the p-values beside simulated ones). None of fewer than 4
        runs, which is noted.

    Raises:
        InputError: if no cosine varies over the runs, or for fewer than 4 words that all runs have.
    """
    name, runs, seed = technique.name, len(technique.runs), technique.seed
    if runs < _RUNS:
        technique.notes.append(
            f"{groups_in_words([name])}: the distribution over runs is left out, because it needs at least {_RUNS} "
            "runs."
        )
        return {}
    values, *others = drawn_cosines(technique)
    p, null = hypotheses.shapiro_p(values), hypotheses.simulated_p(hypotheses.shapiro_p, runs, seed)
    fourth = hypotheses.kurtosis(hypotheses.whiten(values))
    rows = [of_normality(name, runs, hypotheses.uniformity(p, null), fourth)]
    bars, null = [*_histogram(name, NORMALITY, p, null)], hypotheses.simulated_p(hypotheses.paired_p, runs, seed)
    for hypothesis, other in zip((DISJOINT, SHARING), others, strict=True):
        part = hypotheses.independence(values, other, seed)
        rows.append(of_couples(name, runs, hypothesis, part))
        bars += _histogram(name, hypothesis, part.p_values, null)
    return TESTS.named(rows) | WHITENED.named(_whitened(name, values, runs)) | P_VALUES.named(bars)


def of_normality(name: str, runs: int, law: hypotheses.Uniformity, fourth: float = math.nan) -> CosineTest:
    """Return the test of normality: what the p-values say, and the kurtosis of the whitened cosines."""
    undefined = (math.nan,) * 3
    return CosineTest(name, NORMALITY, runs, *law, *undefined, fourth, hypotheses.whitened_kurtosis(runs))


def of_couples(name: str, runs: int, hypothesis: str, part: hypotheses.Independence) -> CosineTest:
    """Return a test of independence."""
    correlation = (part.correlation, part.spread, part.p)
    return CosineTest(name, hypothesis, runs, *part.uniformity, *correlation, math.nan, math.nan)


def _whitened(name: str, values: Tensor, runs: int) -> Iterator[WhitenedBin]:
    z = hypotheses.whiten(values)
    edges = torch.arange(-_REACH, _REACH + _BIN / 2, _BIN, dtype=torch.float64, device="cpu")
    counts = torch.histogram(z[~z.isnan()], edges).hist
    within = torch.linspace(0, _BIN, 51, dtype=torch.float64, device="cpu")
    law = hypotheses.whitened_density((edges[:-1, None] + within).flatten(), runs).view(-1, 51)
    columns = ((edges[:-1] + _BIN / 2), counts / counts.sum() / _BIN, law.mean(1))
    for row in zip(*(column.tolist() for column in columns), strict=True):
        yield WhitenedBin(name, *row)


def _histogram(name: str, hypothesis: str, p: Tensor, null: Tensor) -> Iterator[Bar]:
    shares = []
    for values in (p, null):
        counts = torch.histc(values[~values.isnan()], _P_BINS, 0, 1)
        shares.append((counts / counts.sum()).tolist())
    for k, (share, normal) in enumerate(zip(*shares, strict=True)):
        yield Bar(name, hypothesis, k / _P_BINS, share, normal)


def prediction_tables(technique: Technique, longest: float = math.inf) -> dict[str, Table]:
    """Compare predicted with measured p@n over a seeded draw of target words.

    The predictions are ``plain`` (independent normals), ``corrected`` (for the correlation among a target's nearest
    neighbours) and ``structure``, the structure factor ρ@n: the same means, all SDs equal to their mean γ.

    Args:
        technique: whose p@n it is.
        longest: no longer lists are predicted; they take most of the time.

    Returns:
        ``predictions`` (one row per word and n), ``table_a_2`` (Pearson, bias, RMSE of both models,
        and ``exact_…``: of the first if it were true, with as many runs, see :func:`exact_agreement`) and
        ``table_2_5`` (Pearson's ρ between structure factor and measured p@n; ``exact_pearson``: were that model true)
        and ``distance`` (p@n beside the words' PIP loss, freed of the noise of few runs).

    Raises:
        InputError: if all runs are one space, so that there is nothing to predict.
    """
    if technique.is_one:
        raise InputError("no cosine varies over the runs, so that there is nothing to predict")
    name, runs, compute, seed = technique.name, technique.runs, technique.compute, technique.seed
    rows = engine.draw_targets(runs, technique.options.targets, seed)
    lists, p_word, measured_at = technique.neighbours_of(rows)
    lengths = [n for n in measured_at if n <= longest]  # they rise
    predicted = engine.predict_pass(runs, rows, lengths, compute, epsilon=EPSILON)
    p_word = p_word[: len(lengths)]
    models = [predicted.plain.cpu(), predicted.corrected.cpu(), predicted.structure.cpu()]
    *accuracy, structure = (engine.agreement(p, p_word) for p in models)
    nearest = nearest_cosines(runs, rows)
    exact = exact_agreement(nearest, len(runs), lengths, seed)
    as_structure = exact_agreement(nearest, len(runs), lengths, seed, predicted.gamma)
    # The PIP loss is free of the means: what p@n says of distance.
    losses = technique.wordwise.mean.cpu()[rows]
    with_pip = engine.agreement(losses.expand_as(p_word), p_word).pearson.tolist()
    measured = p_word.mean(1).tolist()
    candidates = int(predicted.candidates[2].double().mean())
    of_lengths, of_structure = [], []
    for m, n in enumerate(lengths):
        numbers = (float(x[m]) for agreement in (*accuracy, exact) for x in agreement)
        of_lengths.append(Accuracy(name, n, len(rows), measured[m], *numbers))
        agreement = (float(structure.pearson[m]), float(structure.bias[m]), len(rows), float(as_structure.pearson[m]))
        of_structure.append(Structure(name, n, *agreement, predicted.gamma, candidates, with_pip[m]))
    words = [runs.vocabulary.text(k) for k in rows.tolist()]
    distance = with_distance(name, lists, word_matrices(runs, rows, compute, technique.of_words), compute, seed)
    predictions = _predictions(name, words, lengths, [p_word, *models], predicted.correlation)
    accuracies = ACCURACY.named(of_lengths) | STRUCTURE.named(of_structure)
    return PREDICTIONS.named(predictions) | accuracies | DISTANCE.named(distance)


def _predictions(
    name: str, words: Sequence[str], lengths: Sequence[int], of_words: Sequence[Tensor], correlation: Tensor
) -> Iterator[Prediction]:
    for m, n in enumerate(lengths):
        columns = (*(values[m] for values in of_words), correlation)
        for word, *row in zip(words, *(column.tolist() for column in columns), strict=True):
            yield Prediction(name, word, n, *row)


def nearest_cosines(runs: Runs, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Return means and SDs over the runs ``(T, K)`` of the cosines with each target's words of highest mean."""
    k = min(CANDIDATES, runs.words - 1)
    parts = []
    # Every part prepares all rows of all runs once more: of few words, more targets than a simulation holds.
    for part in targets.to(runs.device).split(max(_TARGETS, _COSINES // runs.words)):
        cosines = engine.query_cosines(runs, part)
        itself = torch.arange(runs.words, device=runs.device) == part[:, None]
        mean, words = cosines.mean.masked_fill(itself, -torch.inf).topk(k)
        parts.append((mean.cpu(), cosines.sd.gather(1, words).cpu()))
    mean, sd = (torch.cat(field) for field in zip(*parts, strict=True))
    return mean, sd


def exact_agreement(
    nearest: tuple[Tensor, Tensor], runs: int, lengths: Sequence[int], seed: int, gamma: float | None = None
) -> engine.Agreement:
    """Return how predicted and measured p@n would agree if the model were exact: what few runs alone explain.

    Every simulated run draws each cosine from the normal of its measured mean and SD; from these runs p@n is measured,
    and predicted by their own means and SDs, as from real ones.

    Args:
        nearest: means and SDs, of :func:`nearest_cosines`.
        runs: so many are simulated: as many as the means are of.
        lengths: values of n.
        seed: of the normals.
        gamma: SD of all cosines, drawn and predicted with: the model of the structure factor.
    """
    generator = torch.Generator().manual_seed(seed)
    means, sds, measured = [], [], []
    for mean, sd in zip(*(x.split(_TARGETS) for x in nearest), strict=True):
        spread = sd if gamma is None else torch.full_like(sd, gamma)
        noise = torch.randn(runs, *mean.shape, dtype=torch.float64, generator=generator, device="cpu")
        values = mean + spread * noise  # (R, t, K)
        means.append(values.mean(0))
        sds.append(values.std(0) if gamma is None else spread)
        measured.append(neighbour_overlap(values.topk(max(lengths), dim=2).indices, lengths).p_word)
    probabilities = engine.top_n_probabilities(torch.cat(means), torch.cat(sds), lengths)
    return engine.agreement(prediction.predicted_overlap(probabilities, lengths), torch.cat(measured, 1))
