"""Text to train on: documents, cut into words, sampled, counted."""
