"""Vectors as text: word2vec, GloVe and fastText."""
