"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.corpus.options import Layout
from gpustab.errors import InputError, option
from gpustab.options import Option

CUTOFF = {"random": 10, "half": 2}
"""Sentences that a term must have: in the whole text, or in each half (Bloem et al. 2019, §4)."""


@dataclass(frozen=True)
class ConsistencyOptions:
    """Whose consistency is measured, on which samples, by which models.

    Attributes:
        terms: a file of terms, one a line, those of several words become one token; or ``"random"`` words of the text;
            or ``"keywords"``, those most over-represented in the text against the background's counts.
        number: of terms that are drawn or taken as keywords.
        sample_file: samples that are given, instead of a text; see :mod:`gpustab.studies.consistency.sample_file`.
        split: ``"random"``: non-overlapping samples of sentences with the term; ``"half"``: all such sentences of the
            first and of the second half of the text, cut where a document begins.
        samples: of every term, random split.
        sentences: most in a sample, random split.
        cutoff: sentences that a term must have, in each half for the half split; default 10 and 2.
        window: furthest distance of a context word within the sentence, after subsampling.
        subsample: word2vec's threshold, as a share of all tokens; 0 keeps all.
        count: whether a word counts as often as it occurs in a sample, or once.
        drop_short: whether tokens of one character are left out.
        language: two letters of ISO 639-1, whose rules end a sentence.
        layout: of a plain text: what is a document, see :class:`gpustab.corpus.options.ReadOptions`.
        permutations: random splits of the same sizes that a half split is compared with.
        model: ``"nonce2vec"`` is trained beside the additive model; it needs output vectors and counts.
        output_vectors: a file of vectors: the background's output vectors, by the same words. Default: those that its
            training kept.
        output: whether Nonce2Vec leaves the output vectors as they are (paper) or trains them too (public code).
        alpha: learning rate at the first pair.
        negatives: negative samples of a pair.
        sample: threshold of Nonce2Vec's subsampling, in tokens of the sample (no rate).
        alpha_decay: pairs in which the learning rate falls by e.
        sample_decay: factor by which fewer words are kept in every further sentence.
        window_decay: words by which the window shrinks in every further sentence.
        nonce_window: window in the first sentence.
        grid: train Nonce2Vec with every setting of the paper's grid too.
        general: a text of general language: the SVD model is made of it and of the marked sentences.
        general_layout: what a document is there.
        svd_dim: coordinates of the SVD model.
        svd_window: its window.
        svd_min_count: words rarer in all its text are left out; marked terms are exempt.
        domain_low: a relative frequency in the text below this is low (table 5).
        domain_high: above this it is high.
        general_low: likewise in the general text.
        general_high: likewise.
        seed: of every draw.

    Raises:
        InputError: for a value out of range.
    """

    terms: Annotated[str, Option("File of terms, or random, or keywords.", metavar="FILE|random|keywords")] = "random"
    number: Annotated[int, Option("Terms that are drawn, or taken as keywords.", low=2)] = 60
    sample_file: Annotated[
        str | None,
        Option(
            "Instead of a text: lines of a term and its samples, tabs between; sentences joined by @@.", metavar="FILE"
        ),
    ] = None
    split: Annotated[Literal["random", "half"], Option("Random samples of sentences, or halves of the text.")] = (
        "random"
    )
    samples: Annotated[int, Option("Samples of a term.", low=2)] = 5
    sentences: Annotated[int, Option("Most sentences of a sample.", low=1)] = 10
    cutoff: Annotated[int | None, Option("Sentences of a term. Default 10; half: 2 in each.", low=1)] = None
    window: Annotated[int, Option("Furthest context word, within the sentence.", low=1)] = 15
    subsample: Annotated[float, Option("Word2vec's threshold as a share of all tokens; 0: off.")] = 1e-4
    count: Annotated[Literal["tokens", "types"], Option("A word counts as often as it occurs, or once.")] = "tokens"
    drop_short: Annotated[bool, Option("Leave out tokens of one character.", ("--drop-short/--keep-short",))] = False
    language: Annotated[str, Option("Whose rules end a sentence.", metavar="CODE")] = "en"
    layout: Annotated[Layout | None, Option("Of a plain text: what is a document. Default: found.")] = None
    permutations: Annotated[int, Option("Random splits beside a half split.", low=1)] = 99
    model: Annotated[Literal["additive", "nonce2vec"], Option("nonce2vec: trained too, from the sums.")] = "additive"
    output_vectors: Annotated[
        str | None, Option("The background's output vectors. Default: kept by its training.", metavar="FILE")
    ] = None
    output: Annotated[Literal["frozen", "updated"], Option("Of Nonce2Vec: its output vectors.")] = "frozen"
    alpha: Annotated[float, Option("Nonce2Vec: learning rate at the first pair.")] = 1.0
    negatives: Annotated[int, Option("Nonce2Vec: negative samples.", low=1)] = 3
    sample: Annotated[float, Option("Nonce2Vec: threshold of subsampling.")] = 10_000
    alpha_decay: Annotated[float, Option("Nonce2Vec: pairs until the rate has fallen by e.")] = 70
    sample_decay: Annotated[float, Option("Nonce2Vec: fewer words kept per sentence.")] = 1.9
    window_decay: Annotated[int, Option("Nonce2Vec: shrinking of the window per sentence.", low=0)] = 5
    nonce_window: Annotated[int, Option("Nonce2Vec: window in the first sentence.", low=1)] = 15
    grid: Annotated[bool, Option("Train Nonce2Vec with the paper's grid of settings.", ("--grid/--no-grid",))] = False
    general: Annotated[str | None, Option("General text: adds the SVD model.", metavar="TEXT")] = None
    general_layout: Annotated[Layout | None, Option("The same of the general text.")] = None
    svd_dim: Annotated[int, Option("Coordinates of the SVD model.", low=1)] = 100
    svd_window: Annotated[int, Option("Window of the SVD model.", low=1)] = 5
    svd_min_count: Annotated[int, Option("Rarer words are left out; marked terms stay.", low=1)] = 5
    domain_low: Annotated[float, Option("Low relative frequency in the text.")] = 0.0005
    domain_high: Annotated[float, Option("High relative frequency in the text.")] = 0.001
    general_low: Annotated[float, Option("Low relative frequency in the general text.")] = 0.000025
    general_high: Annotated[float, Option("High relative frequency in the general text.")] = 0.00005
    seed: Annotated[int, Option("Of every random draw.")] = 0

    def __post_init__(self) -> None:
        lowest = {"number": 2, "samples": 2, "sentences": 1, "cutoff": 1, "window": 1, "permutations": 1}
        lowest |= {"negatives": 1, "window_decay": 0, "nonce_window": 1, "svd_dim": 1, "svd_min_count": 1}
        for name, low in (lowest | {"svd_window": 1, "subsample": 0}).items():
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise InputError(f"{option(name)} is {value}, wanted at least {low}")
        for name in ("alpha", "sample", "alpha_decay", "domain_low", "general_low"):
            if not getattr(self, name) > 0:
                raise InputError(f"{option(name)} is {getattr(self, name)}, wanted above 0")
        if not self.sample_decay >= 1:
            raise InputError(f"{option('sample_decay')} is {self.sample_decay}, wanted at least 1")
        for under, over in (("domain_low", "domain_high"), ("general_low", "general_high")):
            if not getattr(self, under) <= getattr(self, over):
                raise InputError(f"{option(under)} is {getattr(self, under)}, above {option(over)}")
        if self.grid and self.model != "nonce2vec":
            raise InputError(f"{option('grid')} is of Nonce2Vec: give {option('model', 'nonce2vec')} too")

    @property
    def least(self) -> int:
        """Sentences that a term must have; a random split needs one for each sample at least."""
        cutoff = CUTOFF[self.split] if self.cutoff is None else self.cutoff
        return cutoff if self.split == "half" else max(cutoff, self.samples)
