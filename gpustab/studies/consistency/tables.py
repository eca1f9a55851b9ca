"""The tables of the study: what each row is, and of every column its title, digits and meaning, each said once."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet
from gpustab.results.page import minus, percent, thousands

ADDITIVE, CENTRED, TESTED = "additive", "additive (centred)", "additive (test terms)"
"""Names of the models of sums: as they are, without the mean context, and of the terms that choose no setting."""

ENCODER = "Encoder"
"""Begins the names of models of encoders."""

CLOSEST = "high in text, low in general"
"""The group of terms that the paper finds closest to themselves (table 5)."""

_GROUP = Column("background, text", about="the background, and the text where they are several")
_LOW, _HIGH = "lower end of its 95 % interval over terms", "upper end of its 95 % interval over terms"
_SD = "its standard deviation over runs; none with one run"
_SAME = "mean cosine of two samples of one term"
_NULL = "mean cosine of samples of different terms, without a common sentence and of like size"
_EXCESS = "the first less the second"
_AUC = "how often a pair of one term has the larger cosine than one of different terms; by chance 0.5"
_LAW = "words · (1 − same) / same: what the cosine says once the number of words is taken out"


def as_cosine(value: float | None) -> str:
    """Return a cosine with the digits that tell it from 1, ``–`` where there is none; for columns and sentences.

    >>> as_cosine(0.9852), as_cosine(0.41), as_cosine(-0.95), as_cosine(-0.001), as_cosine(None), as_cosine(math.nan)
    ('0.985', '0.41', '−0.950', '0.00', '–', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return minus(f"{value:.{3 if abs(value) > 0.9 else 2}f}")


def _all_or(n: int | None) -> str:
    return "all" if n is None else str(n)


class ModelNumbers(NamedTuple):
    """One model's consistency, means over the runs of a background."""

    group: Annotated[str, _GROUP]
    background: str
    text: str
    model: str
    runs: Annotated[int, Column(about="of the background")]
    terms: int
    same: Annotated[float, Column("same term", about=_SAME)]
    same_low: Annotated[float, Column(about=_LOW)]
    same_high: Annotated[float, Column(about=_HIGH)]
    same_sd: Annotated[float | None, Column(about=_SD)]
    null: Annotated[float, Column("different terms", about=_NULL)]
    null_low: Annotated[float, Column(about=_LOW)]
    null_high: Annotated[float, Column(about=_HIGH)]
    null_sd: Annotated[float | None, Column(about=_SD)]
    excess: Annotated[float, Column("difference", about=_EXCESS)]
    excess_low: Annotated[float, Column(about=_LOW)]
    excess_high: Annotated[float, Column(about=_HIGH)]
    excess_sd: Annotated[float | None, Column(about=_SD)]
    auc: Annotated[float, Column("AUC", about=_AUC)]
    auc_low: Annotated[float, Column(about=_LOW)]
    auc_high: Annotated[float, Column(about=_HIGH)]
    auc_sd: Annotated[float | None, Column("SD over runs", 2, _SD)]
    rank: Annotated[
        float, Column(about="mean place of a term's sample among the samples of other terms, 1 the nearest")
    ]
    among: Annotated[float, Column(about="mean number of those places")]
    words: Annotated[float, Column(about="mean over terms of the harmonic mean of a pair's context words")]
    c: Annotated[float | None, Column("c", 3, f"of sums alone: {_LAW}")]
    documents_auc: Annotated[
        float | None, Column("AUC of documents", 3, "of sums: that of made-up words at random in the same documents")
    ]
    beyond_low: Annotated[float | None, Column(about="lower end of the 95 % interval, over terms, of AUC above that")]
    beyond_high: Annotated[float | None, Column(about="its upper end")]


class RunNumbers(NamedTuple):
    """One model's consistency in one run of a background."""

    group: Annotated[str, _GROUP]
    run: str
    model: str
    same: Annotated[float, Column("same term", about=_SAME)]
    null: Annotated[float, Column("different terms", about=_NULL)]
    excess: Annotated[float, Column("difference", about=_EXCESS)]
    auc: Annotated[float, Column("AUC", about=_AUC)]


class TermNumbers(NamedTuple):
    """One term in the additive model, means over runs."""

    group: Annotated[str, _GROUP]
    term: str
    occurrences: Annotated[int, Column("times in the text")]
    sentences: Annotated[int, Column("sentences in samples")]
    same: Annotated[float, Column("cosine of its samples")]
    null: Annotated[float, Column("to other terms", about="mean cosine of its null pairs")]
    auc: Annotated[float, Column("AUC", about=_AUC)]
    rank: Annotated[float, Column("place among samples", about="of its samples among those of other terms")]
    own: Annotated[float, Column("to background's", about="mean cosine of its samples to its own background vector")]


class WordRanks(NamedTuple):
    """Places of one sample of a term by cosine to another among the background's words, 1 the nearest; means."""

    group: Annotated[str, _GROUP]
    model: str
    forward: Annotated[float, Column("second to first", 3, "of the later sample among the words near the earlier")]
    back: Annotated[float, Column("first to second", 3, "of the earlier among those near the later")]
    both: Annotated[float, Column("mean", 3, "of the two")]
    without_own: Annotated[float, Column("without the term's own word", 3, "as if the background lacked the term")]
    first: Annotated[float, Column("at the first place", about="share of all these places that are 1", text=percent)]
    words: Annotated[int, Column("of words", about="that the background has", text=thousands)]


class OwnVectors(NamedTuple):
    """How near samples are to their term's vector in the background, over the terms that it has."""

    group: Annotated[str, _GROUP]
    model: str
    terms: int
    cosine: Annotated[float | None, Column("own vector", 3, "mean cosine of a sample to its term's vector")]
    null: Annotated[float | None, Column("other terms'", 3, "to the vectors of the other terms")]
    excess: Annotated[float | None, Column("difference", about=_EXCESS)]
    excess_low: Annotated[float, Column(about=_LOW)]
    excess_high: Annotated[float, Column(about=_HIGH)]
    place: Annotated[float | None, Column("place among words", 4, "of the term's vector, 1 the nearest to the sample")]


class Neighbours(NamedTuple):
    """The nearest words of one of the first two samples of a frequent term, in the first run."""

    group: Annotated[str, _GROUP]
    model: str
    term: str
    sample: int
    cosine: Annotated[float, Column("cosine", 3, "of the two samples")]
    place: Annotated[int, Column("place of the other", about="sample among all words, 1 the nearest", text=thousands)]
    shared: Annotated[int, Column("shared", about="words that both samples have")]
    nearest: Annotated[str, Column("nearest", about="words, nearest first")]


class Updates(NamedTuple):
    """What one sentence of a sample gives Nonce2Vec, the first, the second, ...; means over samples."""

    group: Annotated[str, _GROUP]
    sentence: int
    samples: Annotated[int, Column(about="that have so many sentences")]
    updates: Annotated[float, Column("updates", 3, "of a sample in this sentence")]


class Setting(NamedTuple):
    """One setting of Nonce2Vec's grid, means over runs; without numbers where it diverged in one.

    The best is chosen on some of the terms, and reported on the others.
    """

    group: Annotated[str, _GROUP]
    alpha: float
    negatives: int
    sample: float
    alpha_decay: float
    sample_decay: float
    window_decay: int
    same: Annotated[float | None, Column(about=f"over the terms that choose: {_SAME}")]
    null: Annotated[float | None, Column(about=_NULL)]
    auc: Annotated[float | None, Column("AUC", about=_AUC)]
    test_same: Annotated[float | None, Column("same, other terms", about="over the terms that do not choose")]
    test_null: Annotated[float | None, Column("null, other terms", about="likewise")]
    test_auc: Annotated[float | None, Column("AUC, other terms", about="likewise; none for fewer than four terms")]


class Size(NamedTuple):
    """The additive model from so many sentences a sample, over the same terms for every size."""

    group: Annotated[str, _GROUP]
    n: Annotated[int | None, Column("sentences", about="of a sample; none: all that the term has", text=_all_or)]
    mean: Annotated[float, Column("mean of them", 3, "over samples")]
    terms: int
    words: Annotated[
        float,
        Column(
            "words",
            about="mean over terms of the harmonic mean of a pair's context words",
            text=lambda words: f"{words:.1f}",
        ),
    ]
    same: Annotated[float, Column("same term", about=_SAME)]
    null: Annotated[float, Column("different terms", 3, _NULL)]
    auc: Annotated[float, Column("AUC", 3, _AUC)]
    same_low: Annotated[float, Column(about=_LOW)]
    same_high: Annotated[float, Column(about=_HIGH)]
    c: Annotated[float, Column("c", 3, _LAW)]
    law: Annotated[float, Column("by the law", 3, "1 / (1 + c / words) with the c of the largest size")]


class Split(NamedTuple):
    """The halves of a text beside parts as large drawn at random: of whole documents, or blocks of sentences."""

    group: Annotated[str, _GROUP]
    permuted: Annotated[str, Column("moved at random", about="what changes places: documents or blocks")]
    terms: int
    halves: Annotated[float, Column("halves", 3, "mean cosine of the two halves of a term's sentences")]
    random: Annotated[float, Column("random parts", 3, "mean cosine of parts drawn at random")]
    p: Annotated[float, Column("as unlike (p)", 2, "share of the permutations, with the split itself, as unlike")]
    unlike_terms: Annotated[
        float,
        Column("terms unlike by themselves", about="share of terms whose halves are, at the same level", text=percent),
    ]


class TextPair(NamedTuple):
    """Two texts on one background, at one number of context words a sample."""

    group: Annotated[str, _GROUP]
    text: str
    against: str
    words: Annotated[int, Column(about="context words of every sample")]
    runs: int
    terms: int
    terms_against: Annotated[int, Column(about="of the second text")]
    same: Annotated[float, Column("same term", about=_SAME)]
    same_against: Annotated[float, Column(about="in the second text")]
    same_difference: Annotated[float, Column("difference of cosines", about="first text less second")]
    same_low: Annotated[float, Column(about="lower end of the difference's 95 % interval, over terms and runs")]
    same_high: Annotated[float, Column(about="upper end")]
    null: Annotated[float, Column("different terms", about=_NULL)]
    null_against: Annotated[float, Column(about="in the second text")]
    null_difference: Annotated[float, Column(about="first text less second")]
    null_low: Annotated[float, Column(about="lower end of the difference's 95 % interval, over terms and runs")]
    null_high: Annotated[float, Column(about="upper end")]
    auc: Annotated[float, Column("AUC", about=_AUC)]
    auc_against: Annotated[float, Column(about="in the second text")]
    auc_difference: Annotated[float, Column("difference of AUC", about="first text less second")]
    auc_low: Annotated[float, Column(about="lower end of the difference's 95 % interval, over terms and runs")]
    auc_high: Annotated[float, Column(about="upper end")]


class Domain(NamedTuple):
    """Terms of like frequencies in the text and in the general text: how like themselves they are in both."""

    group: Annotated[str, _GROUP]
    terms_of: Annotated[str, Column("terms", about="which: by their frequencies in the text and in general")]
    terms: Annotated[int, Column("number")]
    cosine: Annotated[
        float, Column("cosine", about="mean cosine of a term to the same word in general", text=as_cosine)
    ]
    null: Annotated[
        float, Column("others of like frequency", about="to the ten terms of the most like frequencies", text=as_cosine)
    ]
    excess: Annotated[float, Column("difference", about=_EXCESS)]
    excess_low: Annotated[float, Column(about=_LOW)]
    excess_high: Annotated[float, Column(about=_HIGH)]


class Contrast(NamedTuple):
    """One model less another, over the same terms; in the JSON, not a file."""

    group: Annotated[str, _GROUP]
    model: str
    against: Annotated[str, Column(about="the other model")]
    same: Annotated[float, Column("difference of cosines")]
    same_low: Annotated[float, Column(about=_LOW)]
    same_high: Annotated[float, Column(about=_HIGH)]
    auc: Annotated[float, Column("difference of AUC")]
    auc_low: Annotated[float, Column(about=_LOW)]
    auc_high: Annotated[float, Column(about=_HIGH)]
    terms: int
    beyond_low: Annotated[
        float | None, Column(about=f"{_LOW} of the difference of AUC above that of made-up words in the same documents")
    ] = None
    beyond_high: Annotated[float | None, Column(about=_HIGH)] = None


class Quality(NamedTuple):
    """How a model's vectors of terms agree with scored pairs of terms, in the first run of the background."""

    group: Annotated[str, _GROUP]
    model: str
    pairs: Annotated[int, Column(about="scored pairs of two terms that have vectors")]
    given: Annotated[int, Column(about="scored pairs in the file")]
    terms: Annotated[int, Column(about="that stand in the former")]
    rho: Annotated[float, Column("Spearman's ρ", 2, "between cosines and scores")]
    low: Annotated[float, Column(about=_LOW)]
    high: Annotated[float, Column(about=_HIGH)]


class Grouped(NamedTuple):
    """Whether terms of one group are nearer than terms of two, in the first run of the background.

    The group is the background and text, as everywhere; what terms are dealt into stands as ``groups``.
    """

    group: Annotated[str, _GROUP]
    model: str
    terms: Annotated[int, Column(about="that have a group and samples")]
    groups: Annotated[int, Column(about="of two terms at least")]
    auc: Annotated[float, Column("AUC of groups", 3, "how often two terms of one group have the larger cosine")]
    low: Annotated[float, Column(about=_LOW)]
    high: Annotated[float, Column(about=_HIGH)]
    documents_auc: Annotated[
        float | None, Column("made-up words", 3, "the same of made-up words in random sentences of the documents")
    ] = None
    beyond_low: Annotated[float | None, Column(about=f"{_LOW} of the difference, of the compared terms")] = None
    beyond_high: Annotated[float | None, Column(about=_HIGH)] = None
    compared: Annotated[int | None, Column(about="terms that have a vector as their made-up words have")] = None


class Case(NamedTuple):
    """What was measured of one background and one text; in the JSON, not a file."""

    name: str
    text: str
    source: Annotated[str, Column(about="path or name of the text")]
    runs: list[str]
    words: Annotated[int, Column(about="that the background has")]
    known: Annotated[float, Column(about="share of the text's running words that the background knows")]
    terms: int
    samples: int
    sentences: Annotated[float, Column(about="mean number of a sample")]
    full: Annotated[float, Column(about="share of samples as large as the largest")]


CONSISTENCY = Sheet("consistency", ModelNumbers, "one row a background, text and model")
RUNS = Sheet("runs", RunNumbers, "one row a run and model")
TERMS = Sheet("terms", TermNumbers, "one row a term", long=True)
RANKS = Sheet("ranks", WordRanks, "one row a model whose vectors lie among the background's words (tables 1 and 3)")
OWN = Sheet("own", OwnVectors, "one row a model whose vectors lie among the background's words (table 6)")
NEIGHBOURS = Sheet("neighbours", Neighbours, "two rows a model and term, of the ten most frequent (table 7)")
UPDATES = Sheet("updates", Updates, "one row a place of a sentence in its sample, with Nonce2Vec")
SETTINGS = Sheet("grid", Setting, "one row a setting of Nonce2Vec's grid")
SIZES = Sheet("sizes", Size, "one row a number of sentences (table 2)")
SPLIT = Sheet("split", Split, "one row a background and text, with a half split")
TEXTS = Sheet("texts", TextPair, "one row a pair of texts")
DOMAIN = Sheet("domain", Domain, "one row a group of terms, with a general text (table 5)")
QUALITY = Sheet("quality", Quality, "one row a model, with scored pairs of terms")
GROUPED = Sheet("grouped", Grouped, "one row a model, with groups of terms")
CONTRASTS = Sheet("contrasts", Contrast, "one row a model beside the additive one")
