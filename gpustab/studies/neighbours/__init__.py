"""A word's nearest neighbours in each run side by side, and how sure each of them is."""
