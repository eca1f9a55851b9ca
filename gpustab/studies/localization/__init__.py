"""Do sentence embeddings follow meaning or form? Substituted sentences beside paraphrases (White 2015)."""
