"""Doc2Vec by the distributed bag of words, which resembles skip-gram."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.doc2vec import Doc2VecParameters, names_of, train_each

TECHNIQUE = Technique("doc2vec_dbow", Doc2VecParameters, partial(train_each, dm=0), tells=True, items=names_of)
