"""Sentence embeddings: what gives distances between tokenised sentences."""
