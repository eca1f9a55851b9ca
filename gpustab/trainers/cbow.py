"""Continuous bag of words, by gensim."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.word2vec import Word2VecParameters, train_each, with_output

TECHNIQUE = Technique(
    "cbow",
    Word2VecParameters,
    partial(train_each, sg=0),
    tells=True,
    with_output=partial(with_output, sg=0),
)
