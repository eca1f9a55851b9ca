"""Tables of vectors: a column of words and a column for every dimension."""
