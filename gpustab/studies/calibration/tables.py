"""The tables of the study: what one row of each is, declared once."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from gpustab.evaluation.calibration import Calibration, Errors
from gpustab.results import Column, Sheet
from gpustab.statistics.intervals import Estimate

_RMSE = "root mean square error, in units of the scores, of pairs that share no item with those that it was fitted to"


class Calibrated(NamedTuple):
    """How well the cosine of one model or space tells the scores."""

    group: str
    test: Annotated[str, Column(about="where the scores are from")]
    kind: Annotated[str, Column(about="what the pairs are of: sentences or words")]
    pairs: Annotated[int, Column("pairs", text=lambda n: f"{n:,}")]
    items: Annotated[int, Column("distinct ones", about="sentences or words", text=lambda n: f"{n:,}")]
    lowest: Annotated[float, Column(about="least score")]
    highest: Annotated[float, Column(about="greatest score")]
    cosine: Annotated[float, Column("mean cosine", 2, "over the pairs")]
    curve: Annotated[float, Column("curve", 3, f"a broken line that never falls: {_RMSE}")]
    isotonic: Annotated[float, Column("isotonic regression", 3, _RMSE)]
    line: Annotated[float, Column("straight line", 3, _RMSE)]
    constant: Annotated[float, Column("one value", 3, f"the mean score for all: {_RMSE}")]
    gain: Annotated[float, Column("explained", about="share of the variance of the scores, of pairs not fitted to")]
    error: Annotated[float, Column(about="its standard error, over pairs and the items that they share")]
    freedom: Annotated[int, Column(about="its degrees of freedom")]
    shared: Annotated[
        float | None, Column(about="what the share of words that two sentences have in common explains in the same way")
    ]
    more: Annotated[
        float | None, Column("more than shared words", about="explained by the cosine, less by shared words")
    ]
    more_error: Annotated[float | None, Column(about="its standard error, over pairs and the items that they share")]
    drawn: Annotated[bool, Column(about="whether the pairs were drawn evenly over the cosines")]

    @property
    def gained(self) -> Estimate:
        """The explained share with its error."""
        return Estimate(self.gain, self.error, self.freedom)

    @property
    def beyond(self) -> Estimate | None:
        """How much more than shared words the cosine explains, with its error; ``None`` for words."""
        if self.more is None or self.more_error is None:
            return None
        return Estimate(self.more, self.more_error, self.freedom)


class CurvePoint(NamedTuple):
    """One point of a curve."""

    group: str
    cosine: float
    similarity: Annotated[float, Column(about="mean of pairs of this cosine, in units of the scores")]
    lower: Annotated[float, Column(about="lower end of the 95 % interval at this cosine")]
    upper: Annotated[float, Column(about="upper end")]


class Named(NamedTuple):
    """The cosine at which pairs have a similarity on average."""

    group: str
    similarity: float
    cosine: Annotated[float | None, Column("cosine", 2, "none if none can be named")]
    lower: Annotated[float | None, Column(about="pairs of a lower one surely have less")]
    upper: Annotated[float | None, Column(about="pairs of a higher one surely have more")]
    reason: Annotated[str, Column(about="why none can be named")]


CALIBRATED = Sheet("calibrated", Calibrated, "one row a model or space")
CURVES = Sheet("curves", CurvePoint, "one row a model or space and point of its curve", long=True)
NAMED = Sheet("named", Named, "one row a model or space and similarity")


def curve_of(made: Calibration, group: str) -> list[CurvePoint]:
    """Return the points of a calibration."""
    parts = (made.cosines, made.values, made.lower, made.upper)
    return [CurvePoint(group, *point) for point in zip(*parts, strict=True)]


def calibration_of(row: Calibrated, points: list[CurvePoint]) -> Calibration:
    """Return the calibration that rows are of."""
    names = ("cosine", "similarity", "lower", "upper")
    cosines, values, lower, upper = (tuple(getattr(point, name) for point in points) for name in names)
    errors = Errors(row.curve, row.isotonic, row.line, row.constant)
    name = f"{row.group}, {row.test}"
    gain = (row.gain, row.error, row.freedom)
    return Calibration(cosines, values, lower, upper, errors, *gain, row.pairs, row.items, name)
