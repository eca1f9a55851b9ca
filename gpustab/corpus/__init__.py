"""Text to train on: documents, cut into words, sampled, counted."""

from gpustab.corpus.corpus import Corpus, CorpusOptions, Ids, Offsets, Unit

__all__ = ["Corpus", "CorpusOptions", "Ids", "Offsets", "Unit"]
