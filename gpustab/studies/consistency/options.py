"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.corpus.options import CORPORA, Layout
from gpustab.errors import InputError, option
from gpustab.options import Option, Options, Seed, want_there

CUTOFF = {"random": 10, "half": 2}
"""Sentences that a term must have: in the whole text, or in each half (Bloem et al. 2019, §4)."""


def check_folder(folder: str) -> None:
    """Refuse a model that is not there."""
    want_there("encoders", folder, "folder")


@dataclass(frozen=True)
class ConsistencyOptions(Options):
    """Whose consistency is measured, on which samples, by which models.

    Attributes:
        terms: a file of terms, one a line, those of several words become one token; or ``"random"`` words of the text;
            or ``"keywords"``, those most over-represented in the text against the background's counts.
        number: terms that are drawn, or taken as keywords.
        sample_file: samples that are given, instead of a text: lines of a term and its samples with tabs between,
            sentences joined by @@.
        split: ``"random"``: non-overlapping samples of sentences with the term; ``"half"``: all such sentences of the
            first and of the second half of the text, cut where a document begins.
        samples: samples of every term, random split.
        sentences: most sentences in a sample, random split.
        cutoff: sentences that a term must have, in each half for the half split; default 10 and 2.
        window: furthest distance of a context word within the sentence, after subsampling.
        subsample: word2vec's threshold, as a share of all tokens; 0 keeps all.
        count: whether a word counts as often as it occurs in a sample, or once.
        drop_short: leave out tokens of one character.
        language: two letters of ISO 639-1, whose rules end a sentence.
        layout: what is a document of a plain text, as in ``gpustab train``; default: found.
        permutations: random splits of the same sizes that a half split is compared with.
        model: ``"nonce2vec"`` is trained beside the additive model, from its sums; it needs output vectors and counts.
        encoders: folders of contextual encoders, which are measured beside the additive model on the same samples: a
            sample is the mean of the states of the words around its term, which is masked.
        layer: whose states; 0 is the input embedding, -1 the last.
        scores: a file of scored pairs of terms: consistency is no quality, so a model's agreement with them stands
            beside.
        term_groups: a file of terms and their groups, ``term TAB group``: whether terms of one group are nearer than
            terms of two stands beside, with made-up words of the same documents.
        output_vectors: a file of vectors: the background's output vectors, by the same words. Default: those that its
            training kept.
        nonce_output: whether Nonce2Vec leaves the output vectors as they are (paper) or trains them too (public code).
        alpha: Nonce2Vec's learning rate at the first pair.
        negatives: Nonce2Vec's negative samples of a pair.
        sample: threshold of Nonce2Vec's subsampling, in tokens of the sample (no rate).
        alpha_decay: pairs in which Nonce2Vec's learning rate falls by e.
        sample_decay: factor by which Nonce2Vec keeps fewer words in every further sentence.
        window_decay: words by which Nonce2Vec's window shrinks in every further sentence.
        nonce_window: Nonce2Vec's window in the first sentence.
        grid: train Nonce2Vec with every setting of the paper's grid too: the best is chosen on 70 % of the terms, and
            reported on the others.
        general: a text of general language: the SVD model is made of it and of the marked sentences.
        general_layout: what a document is in the text of general language.
        svd_dim: coordinates of the SVD model.
        svd_window: window of the SVD model.
        svd_min_count: words rarer in all text of the SVD model are left out; marked terms are exempt.
        domain_low: a relative frequency in the text below this is low (table 5).
        domain_high: a relative frequency in the text above this is high.
        general_low: a relative frequency in the general text below this is low.
        general_high: a relative frequency in the general text above this is high.

    Raises:
        InputError: for a low frequency above the high one, or a grid of a model that has none.
    """

    terms: Annotated[str, Option(metavar="FILE|random|keywords", reads=("random", "keywords"))] = "random"
    number: Annotated[int, Option(low=2)] = 60
    sample_file: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    split: Literal["random", "half"] = "random"
    samples: Annotated[int, Option(low=2)] = 5
    sentences: Annotated[int, Option(low=1)] = 10
    cutoff: Annotated[int | None, Option(low=1)] = None
    window: Annotated[int, Option(low=1)] = 15
    subsample: Annotated[float, Option(low=0)] = 1e-4
    count: Literal["tokens", "types"] = "tokens"
    drop_short: Annotated[bool, Option(flags=("--drop-short/--keep-short",))] = False
    language: Annotated[str, Option(metavar="CODE")] = "en"
    layout: Layout | None = None
    permutations: Annotated[int, Option(low=1)] = 99
    model: Literal["additive", "nonce2vec"] = "additive"
    encoders: Annotated[
        tuple[str, ...] | None, Option(flags=("--encoder",), metavar="FOLDER,...", each=check_folder)
    ] = None
    layer: int = -1
    scores: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    term_groups: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    output_vectors: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    nonce_output: Literal["frozen", "updated"] = "frozen"
    alpha: Annotated[float, Option(above=0)] = 1.0
    negatives: Annotated[int, Option(low=1)] = 3
    sample: Annotated[float, Option(above=0)] = 10_000
    alpha_decay: Annotated[float, Option(above=0)] = 70
    sample_decay: Annotated[float, Option(low=1)] = 1.9
    window_decay: Annotated[int, Option(low=0)] = 5
    nonce_window: Annotated[int, Option(low=1)] = 15
    grid: Annotated[bool, Option(flags=("--grid/--no-grid",))] = False
    general: Annotated[str | None, Option(metavar="TEXT", reads=CORPORA)] = None
    general_layout: Layout | None = None
    svd_dim: Annotated[int, Option(low=1)] = 100
    svd_window: Annotated[int, Option(low=1)] = 5
    svd_min_count: Annotated[int, Option(low=1)] = 5
    domain_low: Annotated[float, Option(above=0)] = 0.0005
    domain_high: float = 0.001
    general_low: Annotated[float, Option(above=0)] = 0.000025
    general_high: float = 0.00005
    seed: Seed = 0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        for under, over in (("domain_low", "domain_high"), ("general_low", "general_high")):
            if getattr(self, under) > getattr(self, over):
                raise InputError(f"{option(under)} is {getattr(self, under)}, above {option(over)}")
        if self.grid and self.model != "nonce2vec":
            raise InputError(f"{option('grid')} is of Nonce2Vec: give {option('model', 'nonce2vec')} too")

        if self.layer != -1 and not self.encoders:
            raise InputError(f"{option('layer', self.layer)} has no effect here: give {option('encoders', ...)} too")

    @property
    def least(self) -> int:
        """Sentences that a term must have; a random split needs one for each sample at least."""
        cutoff = CUTOFF[self.split] if self.cutoff is None else self.cutoff
        return cutoff if self.split == "half" else max(cutoff, self.samples)
