"""Do sentence embeddings place meaning or form? Substituted sentences beside paraphrases (White 2015)."""
