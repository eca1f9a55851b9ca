"""Skip-gram with negative sampling (or hierarchical softmax), by gensim; Antoniak & Mimno 2018, §5.2."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.word2vec import Word2VecParameters, train_each, with_output

TECHNIQUE = Technique(
    "sgns",
    Word2VecParameters,
    partial(train_each, sg=1),
    tells=True,
    with_output=partial(with_output, sg=1),
)
