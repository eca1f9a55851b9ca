"""Doc2Vec by distributed memory, which resembles CBOW."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.doc2vec import Doc2VecParameters, names_of, train_each

TECHNIQUE = Technique("doc2vec_dm", Doc2VecParameters, partial(train_each, dm=1), tells=True, items=names_of)
