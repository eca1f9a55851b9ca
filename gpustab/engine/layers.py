"""Which layers of two models agree."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from gpustab.engine.similarity import similarity_matrix
from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.runs.join import join
from gpustab.spaces.space import Space


def compare_layers(
    first: Sequence[Space], second: Sequence[Space], metric: str = "cka", *, compute: Compute | None = None
) -> Tensor:
    """Return how similar every layer of one model is to every layer of another, over the same texts.

    Args:
        first: from :func:`gpustab.layer_outputs`.
        second: the same of the other model, or of the same one trained again.
        metric: see :func:`gpustab.similarity_matrix`; vectors are taken as they are, not scaled to unit length.
        compute: how to compute.

    Returns:
        ``(L1, L2)`` float64.

    Raises:
        InputError: as :func:`gpustab.similarity_matrix`, or if a model has no layers.
    """
    if not (first and second):
        raise InputError(f"the models have {len(first)} and {len(second)} layers, wanted one at least of each")
    together = similarity_matrix(join([*first, *second], unit=False), metric, compute=compute)
    return together[: len(first), len(first) :]
