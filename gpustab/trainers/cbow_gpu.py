"""Continuous bag of words, many runs at once on a GPU."""

from gpustab.trainers.word2vec_gpu import technique

TECHNIQUE = technique("cbow", cbow=True)
