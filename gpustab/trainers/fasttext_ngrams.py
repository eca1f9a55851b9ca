"""fastText's vectors of character n-grams, which its word vectors are composed of."""

from functools import partial

from gpustab.trainers.base import Technique
from gpustab.trainers.fasttext import FastTextParameters, ngram_rows, ngrams_of, train

TECHNIQUE = Technique("fasttext_ngrams", FastTextParameters, partial(train, rows_of=ngram_rows), items=ngrams_of)
