"""The passes over R runs: they stream row chunks through the kernels and never hold more than a tile.

Rows come from memory or from a packed leaf on disk; the numbers are the same. Global numbers are over the words that
all runs have; word by word, and for neighbours, every run takes part that has the word.
"""

from gpustab.engine.alignment import average_levels, average_pass, procrustes_pass, undetermined
from gpustab.engine.cosines import pair_cosines, pair_values, query_cosines
from gpustab.engine.gram import GramPass, cross_gram, draw_proxy, gram_pass, joint_words, place
from gpustab.engine.neighbours import (
    CommonOverlap,
    NeighbourPass,
    common_pass,
    draw_targets,
    neighbour_pass,
    overlap_pass,
)
from gpustab.engine.pip import PipPass, pip_pass
from gpustab.engine.prediction import Agreement, OverlapPrediction, agreement, predict_pass, top_n_probabilities
from gpustab.engine.rows import fewer_products, inner_products
from gpustab.engine.sketch import Sketch, sketch_pass
from gpustab.engine.tiles import norms_pass
from gpustab.engine.wordwise import wordwise_pass
from gpustab.kernels.overlap import WordOverlap

__all__ = [
    "Agreement",
    "CommonOverlap",
    "GramPass",
    "NeighbourPass",
    "OverlapPrediction",
    "PipPass",
    "Sketch",
    "WordOverlap",
    "agreement",
    "average_levels",
    "average_pass",
    "common_pass",
    "cross_gram",
    "draw_proxy",
    "draw_targets",
    "fewer_products",
    "gram_pass",
    "inner_products",
    "joint_words",
    "neighbour_pass",
    "norms_pass",
    "overlap_pass",
    "pair_cosines",
    "pair_values",
    "pip_pass",
    "place",
    "predict_pass",
    "procrustes_pass",
    "query_cosines",
    "sketch_pass",
    "top_n_probabilities",
    "undetermined",
    "wordwise_pass",
]
