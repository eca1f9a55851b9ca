"""The measures of stability as plain functions of tensors, for use inside other people's PyTorch code.

Every function takes matrices ``(v, d)`` over the same words (row k of both is the same word), or batches
``(..., v, d)`` whose leading dimensions broadcast. Results are float64, whatever the matrices are: near equality their
digits are wanted. Neither autocast nor TF32 reaches them. Vectors are rows, and nothing is centred unless it is said.

    from gpustab.functional import pip_loss
    loss = pip_loss(embedding.weight, frozen)
"""

from gpustab.functional.alignment import Alignment, align, average, procrustes
from gpustab.functional.losses import pip_loss, procrustes_loss, wordwise_pip_loss
from gpustab.functional.similarity import cca, linear_cka, neighbour_overlap

__all__ = [
    "Alignment",
    "align",
    "average",
    "cca",
    "linear_cka",
    "neighbour_overlap",
    "pip_loss",
    "procrustes",
    "procrustes_loss",
    "wordwise_pip_loss",
]
