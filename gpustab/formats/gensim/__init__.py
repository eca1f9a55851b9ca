"""What gensim saves: a pickle that is read as data and never executed."""
