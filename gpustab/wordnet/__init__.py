"""WordNet's nouns (Fellbaum 1998) from its own files: senses of words, hypernyms, and how far words are apart."""
