"""The statistics of the study by the letter, in Python loops over float64."""

import itertools
import math
import statistics

import numpy as np


def cosine(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


def all_cosines(spaces, query):
    """By word: the cosine with the query in every run, None where a run lacks one of both."""
    words = sorted({word for space in spaces for word in space} - {query})
    return {word: [cosine(x[query], x[word]) if query in x and word in x else None for x in spaces] for word in words}


def known(values):
    return [value for value in values if value is not None]


def closest(cosines, n):
    """The n words of highest mean cosine among those of half the runs."""
    runs = len(next(iter(cosines.values())))
    means = {word: statistics.fmean(known(own)) for word, own in cosines.items() if len(known(own)) * 2 >= runs}
    return sorted(means, key=lambda word: -means[word])[:n]


def list_of(cosines, r, n):
    own = {word: values[r] for word, values in cosines.items() if values[r] is not None}
    return sorted(own, key=lambda word: -own[word])[:n]


def rank(cosines, word, r):
    """1 + how many words are nearer."""
    return 1 + sum(values[r] is not None and values[r] > cosines[word][r] for values in cosines.values())


def jaccard(lists):
    """Mean set Jaccard over all pairs of lists."""
    pairs = list(itertools.combinations(map(set, lists), 2))
    return statistics.fmean(len(a & b) / len(a | b) for a, b in pairs)


def spread(values):
    """Root of the mean variance of word pairs over the runs that have them."""
    return math.sqrt(statistics.fmean(statistics.variance(known(own)) for own in values))
