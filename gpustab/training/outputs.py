"""Which trainings have output vectors to keep, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpustab.errors import InputError, option
from gpustab.runs.outputs import OUTPUT
from gpustab.trainers import technique
from gpustab.training.engines import engine_of
from gpustab.training.leaves import Leaf
from gpustab.training.settings import TrainingSettings


def check_output(settings: TrainingSettings) -> None:
    """Refuse to keep output vectors where there are none of words, before anything is trained.

    Raises:
        InputError: naming the technique and why.
    """
    for name in settings.techniques if settings.keep_output else ():
        if technique(name, engine_of(name, settings)[0]).with_output is None:
            raise InputError(f"{option('keep_output')}: {name} keeps no output vectors of words; sgns and cbow do")
        if settings.parameters_of(name).model_dump()["hierarchical_softmax"]:
            raise InputError(
                f"{option('keep_output')}: hierarchical softmax has output vectors of the nodes of a tree, and none of "
                f"words; train {name} with negative samples"
            )


def output_notes(leaves: Sequence[Leaf], settings: TrainingSettings) -> Iterator[str]:
    """Say where output vectors were kept."""
    if settings.keep_output:
        names = ", ".join(str(leaf.key) for leaf in leaves)
        yield f"{names}: the output vectors of every run lie in the folder {OUTPUT} of the group, under the run's name."
