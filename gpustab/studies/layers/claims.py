"""What is said of layers: whether models differ, which layer is least alike, and whether they part at one layer."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.results.page import number, percent
from gpustab.studies.shared.claims import Claim, Margin, decide
from gpustab.studies.shared.wording import capital, number_span

SAME = Margin(1e-6, "1 − CKA up to which two models are one but for rounding, in every layer")
KEPT = Margin(
    0.9, "share of a sentence's nearest sentences that two models have in common, from which on they are alike"
)
CLEAR = Margin(1.1, "ratio of the difference (1 − CKA) in the least alike layer to that in every other: a tenth more")
JUMP = Margin(
    10.0, "ratio of the difference (1 − CKA) in a layer to the largest below it, from which on models part there"
)
FLOOR = 1e-9
"""Differences below are rounding, and a ratio to them is one to this."""


def layer_called(layer: int) -> str:
    """Return the name of a layer.

    >>> layer_called(0), layer_called(4)
    ('the input embedding', 'layer 4')
    """
    return f"layer {layer}" if layer else "the input embedding"


class Parted(NamedTuple):
    """How the models differ over all layers: what the claims judge."""

    models: int
    sentences: int
    layers: Annotated[int, Column(about="beside the input embedding, which is layer 0")]
    n: Annotated[int, Column(about="length of the lists of nearest sentences")]
    largest: Annotated[float, Column("1 − CKA", about="in the least alike layer")]
    least: Annotated[int, Column("least alike layer", about="by 1 − CKA")]
    beside: Annotated[int, Column("next layer", about="the one whose difference comes nearest to the largest")]
    clear_low: Annotated[
        float,
        Column(about="difference in the least alike layer by that in the next: 95 % interval, all layers together"),
    ]
    clear_high: float
    shared: Annotated[
        float, Column("p@n there", about="share of nearest sentences in common, in the least alike layer")
    ]
    shared_low: float
    shared_high: float
    chance: Annotated[float, Column(about="of p@n")]
    jump: Annotated[int, Column("parting layer", about="where the difference grows most beyond all layers below")]
    below: Annotated[float, Column("1 − CKA below", about="the largest of all layers below the parting layer")]
    there: Annotated[float, Column("1 − CKA there", about="in the parting layer")]
    jump_low: Annotated[float, Column(about="their ratio: 95 % interval, all layers together")]
    jump_high: float


PARTED = Sheet("parting", Parted, "one row: all models together")


def is_same(row: Parted) -> bool:
    """Tell whether the models are one but for rounding."""
    return row.largest <= SAME


def _others(row: Parted) -> str:
    return "two models" if row.models == 2 else f"{row.models} models"


def _they(row: Parted) -> str:
    return "they" if row.models == 2 else "two of them"


def shares(row: Parted) -> str:
    """Return how many of its nearest sentences a sentence keeps, a clause."""
    n, digits = row.n, 1
    low, high = (n * min(max(end, 0.0), 1.0) for end in (row.shared_low, row.shared_high))
    span = number_span(low, high, digits) if not math.isnan(low + high) else "no interval"
    return f"{n * row.shared:.{digits}f} of {n} nearest sentences ({span}; by chance {n * row.chance:.1f})"


def _judge_alike(row: Parted) -> str:
    return "same" if is_same(row) else decide((row.shared_low, row.shared_high), KEPT, math.inf)


ALIKE = Claim[Parted](
    id="layers.alike",
    says="The models read sentences alike in every layer.",
    rule=(
        f"same if 1 − CKA is at most {number(SAME, 1)} in every layer. Else, in the layer of the least CKA, the 95 % "
        f"interval of the share of nearest sentences in common lies above {percent(KEPT)} (yes) or below (no)"
    ),
    judge=_judge_alike,
    sentences={
        "same": lambda row: (
            f"The {_others(row)} are the same in every layer: CKA is 1 to six digits. Axes may be turned."
        ),
        "yes": lambda row: (
            f"The {_others(row)} read these sentences alike in every layer. In {layer_called(row.least)}, the least "
            f"alike, {_they(row)} share {shares(row)}."
        ),
        "no": lambda row: f"The {_others(row)} differ. In {layer_called(row.least)} {_they(row)} share {shares(row)}.",
        "undecided": lambda row: (
            f"Whether the {_others(row)} differ in more than one of ten nearest sentences cannot be told. In "
            f"{layer_called(row.least)} {_they(row)} share {shares(row)}. {_more(row)}"
        ),
    },
)


def _more(row: Parted) -> str:
    if row.models > 2:
        return "Take more fine-tunings, or more sentences (--sentences)."
    return "Take more sentences (--sentences)."


LEAST = Claim[Parted](
    id="layers.least-alike",
    says="One layer is less alike than every other.",
    rule=(
        f"the 95 % interval of the ratio of 1 − CKA there to that in every other layer lies above {CLEAR} (yes); no if "
        "it lies below for some layer. All layers together have 95 %. No test of models that are the same"
    ),
    judge=lambda row: "no test" if is_same(row) else decide((row.clear_low, row.clear_high), CLEAR, math.inf),
    sentences={
        "yes": lambda row: (
            f"{capital(layer_called(row.least))} is the least alike: CKA is {number(1 - row.largest, 3)} there (1 "
            f"in equal models, 0 in unrelated ones). In {layer_called(row.beside)}, the next, the difference is "
            f"smaller by {_smaller(row)}."
        ),
        "no": lambda row: (
            f"No single layer is the least alike: {layer_called(row.least)} and {layer_called(row.beside)} differ by "
            "nearly the same."
        ),
        "undecided": lambda row: (
            f"Which layer is the least alike cannot be told: it may be {layer_called(row.least)} or "
            f"{layer_called(row.beside)}."
        ),
    },
)


def _smaller(row: Parted) -> str:
    ends = sorted(1 - 1 / max(end, 1.0) for end in (row.clear_low, row.clear_high))
    if ends[0] > 0.995:
        return "more than 99 %"
    return f"{100 * ends[0]:.0f}–{percent(min(ends[1], 0.99))}"


def _judge_jump(row: Parted) -> str:
    return "no test" if is_same(row) else decide((row.jump_low, row.jump_high), JUMP, math.inf)


PARTING = Claim[Parted](
    id="layers.part-at",
    says="The models are nearly the same up to a layer, and differ from there on.",
    rule=(
        f"1 − CKA in a layer is set beside the largest in all layers below, where their ratio is largest: its 95 % "
        f"interval lies above {JUMP:g} (yes) or below (no). All layers together have 95 %. No test of models that are "
        "the same"
    ),
    judge=_judge_jump,
    sentences={
        "yes": lambda row: (
            f"They part at layer {row.jump}: all layers below are {_nearly(row)}, and from there on they differ."
            if row.jump > 1
            else f"They differ from the first layer on: only the input embedding is {_nearly(row)}."
        ),
        "no": "They part at no single layer: no layer adds so much that those below it were nearly the same.",
        "undecided": lambda row: (
            f"Whether they part at one layer cannot be told. The difference grows most in {layer_called(row.jump)}."
        ),
    },
)


def _nearly(row: Parted) -> str:
    if row.below <= FLOOR:
        return "the same"
    return f"nearly the same (1 − CKA is smaller there by {number(row.jump_low, 2)} times or more)"


class Beyond(NamedTuple):
    """Whether fine-tunings lie farther from each other than from their base, in the least alike layer."""

    base: str
    layer: int
    n: int
    with_base: Annotated[float, Column(digits=3, about="share of nearest sentences in common with the base")]
    fewer: Annotated[float, Column(digits=3, about="by so much less fine-tunings share with each other")]
    low: Annotated[float, Column(about="95 % interval")]
    high: float


BEYOND = Sheet("beyond_base", Beyond, "one row: all models together")


def beyond_base(row: Beyond) -> str:
    """Return how far fine-tunings lie from each other, beside their base, a sentence."""
    n, where = row.n, capital(f"in {layer_called(row.layer)}")
    said = f"{where} the fine-tunings share {n * row.with_base:.1f} of {n} nearest sentences with {row.base}"
    if row.low > 0:
        span = number_span(n * row.low, n * row.high, 2)
        return f"{said}, and {n * row.fewer:.2f} fewer with each other ({span}): in part they went different ways."
    if row.high < 0:
        span = number_span(-n * row.high, -n * row.low, 2)
        return f"{said}, and {-n * row.fewer:.2f} more with each other ({span}): they have learned something in common."
    span = f"from {-n * row.high:+.2f} to {-n * row.low:+.2f}".replace("-", "−")
    return f"{said}. Whether they share more or fewer with each other cannot be told ({span})."


def missing(row: Parted) -> str:
    """Return what these models cannot tell, a sentence; empty where nothing is missing."""
    if row.models > 2:
        return ""
    return (
        "Two fine-tunings make one comparison, and the intervals are over 20 stretches of this text alone: another "
        "seed or another text may differ elsewhere. Give three folders or more for errors over fine-tunings."
    )
