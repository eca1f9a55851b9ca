"""Skip-gram with negative sampling, many runs at once on a GPU."""

from gpustab.trainers.word2vec_gpu import technique

TECHNIQUE = technique("sgns", cbow=False)
