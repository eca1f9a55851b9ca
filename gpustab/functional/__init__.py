"""The measures of stability as plain functions of tensors, for use inside other people's PyTorch code.

Every function takes matrices ``(v, d)`` over the same words (row k of both is the same word), or batches
``(..., v, d)`` whose leading dimensions broadcast. Results are float64, whatever the matrices are: near equality their
digits are wanted. Neither autocast nor TF32 reaches them. Vectors are rows, and nothing is centred unless it is said.

    from gpustab.functional import pip_loss
    loss = pip_loss(embedding.weight, frozen)
"""

from gpustab.functional.alignment import Alignment, align, angular, average, disparity, procrustes
from gpustab.functional.chance import ChanceLevel, chance_level
from gpustab.functional.losses import pip_loss, procrustes_loss, wordwise_pip_loss
from gpustab.functional.similarity import (
    Eigenspaces,
    activation_rows,
    cca,
    debiased_cka,
    eigenspaces,
    linear_cka,
    neighbour_overlap,
    rank_similarity,
    rbf_cka,
    rdm,
)

__all__ = [
    "Alignment",
    "ChanceLevel",
    "Eigenspaces",
    "activation_rows",
    "align",
    "angular",
    "average",
    "cca",
    "chance_level",
    "debiased_cka",
    "disparity",
    "eigenspaces",
    "linear_cka",
    "neighbour_overlap",
    "pip_loss",
    "procrustes",
    "procrustes_loss",
    "rank_similarity",
    "rbf_cka",
    "rdm",
    "wordwise_pip_loss",
]
