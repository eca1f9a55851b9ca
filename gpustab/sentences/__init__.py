"""Sentence embeddings as White 2015 compares them: what gives distances between tokenised sentences.

:mod:`~gpustab.sentences.model` says what a model is and has the bag of words;
:mod:`~gpustab.sentences.pretrained` reads the mean of word vectors and transformers,
:mod:`~gpustab.sentences.paragraph_vectors` and :mod:`~gpustab.sentences.urae` train, and
:mod:`~gpustab.sentences.language` takes sentences apart and puts them together.
"""
