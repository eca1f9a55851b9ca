"""Vectors as bytes: word2vec binary, NumPy arrays, safetensors."""
