"""The measures by loops over pairs of usages, in Python's floats."""

import math


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return dot / lengths


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def apd(first, second):
    return mean(1 - cosine(a, b) for a in first for b in second)


def within(vectors, documents):
    """Of two usages of different documents."""
    return mean(
        1 - cosine(a, b)
        for a, k in zip(vectors, documents, strict=True)
        for b, other in zip(vectors, documents, strict=True)
        if k != other
    )


def prt(first, second):
    return 1 - cosine([mean(x) for x in zip(*first, strict=True)], [mean(x) for x in zip(*second, strict=True)])


def jsd(first, second):
    """Of two lists of clusters, in bits."""
    total = 0.0
    for cluster in {*first, *second}:
        p, q = (own.count(cluster) / len(own) for own in (first, second))
        total += sum(x / 2 * math.log2(2 * x / (p + q)) for x in (p, q) if x)
    return total


def silhouette(points, clusters):
    widths = []
    for k, (point, own) in enumerate(zip(points, clusters, strict=True)):
        apart = {}
        for j, (other, cluster) in enumerate(zip(points, clusters, strict=True)):
            if j != k:
                apart.setdefault(cluster, []).append(math.dist(point, other))
        if own not in apart:
            widths.append(0.0)
            continue
        a, b = mean(apart[own]), min(mean(rest) for cluster, rest in apart.items() if cluster != own)
        widths.append((b - a) / max(a, b))
    return mean(widths)
