"""Skip-gram with negative sampling, many runs at once on a GPU."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.word2vec import Word2VecParameters
from gpustab.trainers.word2vec_gpu import fitting, train, with_output

TECHNIQUE = Technique(
    "sgns",
    Word2VecParameters,
    partial(train, cbow=False),
    together=128,
    tells=True,
    with_output=partial(with_output, cbow=False),
    fitting=fitting,
)
