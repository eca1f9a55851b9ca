"""Checkpoints of models as spaces: their input embeddings, with the words of their tokenizers."""
