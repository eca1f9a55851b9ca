"""Which baseline the similarities of a group are compared with, as it was asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpustab.evaluation.similarity_file import read_similarity
from gpustab.formats.gensim.native import DOCUMENTS
from gpustab.formats.word_list import read_word_list
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import (
    Baseline,
    Similarity,
    UnknownWordsError,
    leacock_chodorow,
    of_callable,
    of_test,
)
from gpustab.studies.thresholds.options import NONE, ThresholdsOptions
from gpustab.trainers import NOT_OF_WORDS
from gpustab.wordnet.files import read_nouns

Bases = Callable[[Runs, str], tuple[Baseline | None, str]]
"""The baseline of a group, or why it has none; asked with what its vectors are of, if not of words."""


def items_of(group: Runs | Group) -> str:
    """Return what the vectors of a group are of: ``"documents"``, say; empty for words, and where nobody knows."""
    loading = group.loading if isinstance(group, Group) else None
    asked = "documents" if loading is not None and loading.options.tensor == DOCUMENTS else ""
    items = NOT_OF_WORDS.get(group.key.technique, asked)
    return "sentences" if items == "documents" and group.key.unit == "sentence" else items


def bases_of(options: ThresholdsOptions, similarity: Similarity | None) -> Bases:
    """Return what makes the baseline of a group; files are read once, and before the work.

    Raises:
        InputError: if WordNet is not here, or a file cannot be read.
    """
    if similarity is None and options.baseline == NONE:
        return lambda *_: (None, "distributions alone were asked for")
    made = _made(options, similarity)
    of_words = similarity is None and options.baseline is None

    def known(runs: Runs, items: str) -> tuple[Baseline | None, str]:
        if of_words and items:
            return None, f"its items are {items}, and WordNet knows words"
        try:
            return made(runs), ""
        except UnknownWordsError as error:
            return None, str(error)

    return known


def _made(options: ThresholdsOptions, similarity: Similarity | None) -> Callable[[Runs], Baseline]:
    if similarity is not None:
        return lambda runs: of_callable(runs, similarity, options)
    if options.baseline is not None:
        test = read_similarity(Path(options.baseline))
        return lambda runs: of_test(runs, test)
    nouns = read_nouns(options.wordnet)
    excluded = [] if options.exclude is None else read_word_list(options.exclude)
    return lambda runs: leacock_chodorow(runs, nouns, options, excluded)
