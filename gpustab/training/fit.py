"""Whether a corpus is large enough for what a plan asks of it."""

from __future__ import annotations

from gpustab.corpus.corpus import Corpus
from gpustab.errors import InputError, option
from gpustab.trainers import technique
from gpustab.training.settings import TrainingSettings


def check_dimensions(settings: TrainingSettings, corpus: Corpus) -> None:
    """Refuse a dimension that no sample of a corpus allows; a sample may allow fewer than its corpus.

    Raises:
        InputError: naming the largest that can be.
    """
    for name in settings.techniques:
        most, dim = technique(name).most, getattr(settings.parameters_of(name), "dim", 0)
        if most and dim > (can := most(corpus)):
            at_most = f"{option('dim', can)} at most, less where a sample has fewer words" if can > 0 else "give more"
            raise InputError(
                f"{corpus.name}: {name} cannot have dim {dim} with {len(corpus)} {corpus.unit}s and "
                f"{len(corpus.vocabulary):,} words; {at_most}"
            )
