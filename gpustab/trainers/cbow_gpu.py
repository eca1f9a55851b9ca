"""Continuous bag of words, many runs at once on a GPU."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.word2vec import Word2VecParameters
from gpustab.trainers.word2vec_gpu import fitting, train, with_output

TECHNIQUE = Technique(
    "cbow",
    Word2VecParameters,
    partial(train, cbow=True),
    together=128,
    tells=True,
    with_output=partial(with_output, cbow=True),
    fitting=fitting,
)
