"""A word's nearest neighbours in each run side by side, and how sure each of them is."""

from gpustab.studies.neighbours.study import neighbours_of

__all__ = ["neighbours_of"]
