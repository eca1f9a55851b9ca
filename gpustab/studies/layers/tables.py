"""The tables of layers: what each row is, and what each column means."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet


class Layer(NamedTuple):
    """One layer: means over all pairs of models."""

    layer: Annotated[int, Column(about="0 is the input embedding")]
    cka: Annotated[float, Column("CKA", 4, "debiased, of the mean states of sentences; 1 in equal models")]
    cka_low: Annotated[float, Column(about="95 % interval")]
    cka_high: float
    cka_dealt: Annotated[float, Column("CKA, dealt out", 2, "of rows that are dealt out to other sentences")]
    loss: Annotated[
        float,
        Column(
            "Procrustes loss",
            3,
            "part of the differences between sentences that no turning and stretching brings together",
        ),
    ]
    loss_low: float
    loss_high: float
    loss_dealt: Annotated[float, Column("loss, dealt out", 2)]
    shared: Annotated[float, Column("p@n", 3, "share of a sentence's nearest sentences that two models have in common")]
    shared_low: float
    shared_high: float
    chance: Annotated[float, Column("p@n by chance", 2)]


class Pair(NamedTuple):
    """Two models in one layer."""

    layer: int
    first: str
    second: str
    cka: Annotated[float, Column("CKA", 4)]
    loss: Annotated[float, Column("Procrustes loss", 3)]
    shared: Annotated[float, Column("p@n", 3)]


class ReadBy(NamedTuple):
    """What a model has read."""

    model: str
    sentences: Annotated[int, Column(about="that have a token")]
    cut: Annotated[int, Column(about="that are longer than the model takes, and were read in windows")]
    layers: int
    dimensions: int


class Sentence(NamedTuple):
    """A sentence in the least alike layer."""

    sentence: str
    apart: Annotated[
        float, Column("1 − cosine", 2, "between the models, one turned onto the other; mean over pairs. 0 is the same")
    ]
    shared: Annotated[
        float, Column("nearest shared", 2, "share of its nearest sentences that two models have in common")
    ]
    first: Annotated[str, Column(about="one of the two models that differ most here")]
    nearest_in_first: Annotated[str, Column("nearest in it")]
    second: str
    nearest_in_second: Annotated[str, Column("nearest in that")]


LAYERS = Sheet("layers", Layer, "one row a layer")
PAIRS = Sheet("pairs", Pair, "one row a layer and pair of models")
FROM_BASE = Sheet("from_base", Pair, "one row a layer and model: the base and it")
READ = Sheet("models", ReadBy, "one row a model")
SENTENCES = Sheet("sentences", Sentence, "one row a sentence, those that differ most")
