"""Naive float64 versions of every kernel: v × v arrays and Python loops, written from the formulas alone."""

import itertools

import numpy as np


def unit(x):
    x = np.asarray(x, dtype=np.float64)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def pip_difference(x, y):
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return x @ x.T - y @ y.T


def near_difference(x, y, rotation):
    """The same of spaces that a known rotation brings near to each other: nothing cancels."""
    e, s = x @ rotation - y, x @ rotation + y
    return (e @ s.T + s @ e.T) / 2


def pip_loss(x, y):
    return np.linalg.norm(pip_difference(x, y))


def reduced_pip(x, y):
    return pip_loss(x, y) / (2 * len(x))


def wordwise_pip(x, y):
    return np.linalg.norm(pip_difference(x, y), axis=1) / (2 * np.sqrt(len(x)))


def pairs(runs):
    return list(itertools.combinations(range(runs), 2))


def chance_pip(x, y, permutations, rng):
    """Root mean square reduced PIP of x against y with its words permuted at random."""
    return np.sqrt(np.mean([reduced_pip(x, y[rng.permutation(len(y))]) ** 2 for _ in range(permutations)]))


def mean_cosine(x):
    x = unit(x)
    return np.mean((x @ x.T)[~np.eye(len(x), dtype=bool)])


def jackknife(matrix):
    """Delete-one-run jackknife of the mean over the pairs of a symmetric (R, R) matrix, or of each of (..., R, R)."""
    runs = matrix.shape[-1]

    def mean_of(keep):
        return np.mean([matrix[..., i, j] for i, j in itertools.combinations(keep, 2)], axis=0)

    left_out = np.array([mean_of([r for r in range(runs) if r != out]) for out in range(runs)])
    return np.sqrt((runs - 1) / runs * np.sum((left_out - left_out.mean(0)) ** 2, axis=0))


def procrustes(x, y):
    u, _, vt = np.linalg.svd(np.asarray(x, np.float64).T @ np.asarray(y, np.float64))
    return u @ vt


def top_k(x, target, k):
    """Indices of the k nearest rows: full ranking by cosine; rows whose cosines follow within 2⁻⁴⁰ rank by number.

    Rows that rounding ranks are refused: where a gap is 2⁻⁴⁰ but for what float64 sums of other orders may err by, no
    list is the right one.
    """
    x = unit(x)
    cosines, rounding = np.clip((x * x[target]).sum(1), -1, 1), 4 * (x.shape[1] + 4) * 2**-53
    order = sorted((i for i in range(len(x)) if i != target), key=lambda i: -cosines[i])
    ranked, tied = [], order[:1]
    for before, i in itertools.pairwise(order):
        gap = cosines[before] - cosines[i]
        assert abs(gap - 2**-40) > rounding, f"rows {before} and {i} lie at the edge of a tie for row {target}"
        if gap > 2**-40:
            ranked, tied = ranked + sorted(tied), []
            if len(ranked) >= k:
                break
        tied.append(i)
    return (ranked + sorted(tied))[:k]


def overlap(lists, n):
    """p@n and j@n per (pair, target) of lists[run][target]."""
    p, j = [], []
    for a, b in pairs(len(lists)):
        shared = [len(set(s[:n]) & set(t[:n])) for s, t in zip(lists[a], lists[b], strict=True)]
        p.append([m / n for m in shared])
        j.append([m / (2 * n - m) for m in shared])
    return np.array(p), np.array(j)


def aligned_average(x, y, weight_x=1, weight_y=1):
    return (weight_x * (x @ procrustes(x, y)) + weight_y * y) / (weight_x + weight_y)


def procrustes_distance(x, y):
    return np.linalg.norm(x @ procrustes(x, y) - y)


def centred(x):
    x = np.asarray(x, np.float64)
    return x - x.mean(0)


def linear_cka(x, y):
    """By the v × v kernel matrices and HSIC, as it was published."""
    k, m = (centred(part) @ centred(part).T for part in (x, y))
    return np.sum(k * m) / np.sqrt(np.sum(k * k) * np.sum(m * m))


def canonical_correlations(x, y):
    """By orthonormal bases of the columns."""
    bases = [np.linalg.svd(centred(part), full_matrices=False) for part in (x, y)]
    u, w = (basis[:, values > 1e-6 * values[0]] for basis, values, _ in bases)
    return np.linalg.svd(u.T @ w, compute_uv=False)


def explaining(x, part):
    """The fewest principal directions of x that explain a part of its variance."""
    u, values, _ = np.linalg.svd(centred(x), full_matrices=False)
    share = np.cumsum(values**2) / np.sum(values**2)
    n = int(np.searchsorted(share, part)) + 1
    return u[:, :n] * values[:n]


def pwcca(x, y):
    """Morcos et al. 2018, eq. 2, with canonical variables as columns."""
    x, y = centred(x), centred(y)
    (u, _, _), (w, _, _) = (np.linalg.svd(part, full_matrices=False) for part in (x, y))
    left, values, _ = np.linalg.svd(u.T @ w)
    variables = u @ left[:, : len(values)]
    weights = np.abs(variables.T @ x).sum(1)
    return np.sum(weights * values) / np.sum(weights)


def soft_list(scores, n, temperature):
    """Memberships whose sum is n, by bisection of the threshold."""
    low, high = scores.min() - 100 * temperature - 10, scores.max() + 100 * temperature + 10
    for _ in range(200):
        middle = (low + high) / 2
        member = 1 / (1 + np.exp(np.clip((middle - scores) / temperature, -700, 700)))
        low, high = (middle, high) if member.sum() > n else (low, middle)
    return member


def soft_jaccard(x, y, target, n, temperature):
    lists = []
    for space in (x, y):
        cosines = np.delete(unit(space) @ unit(space)[target], target)
        lists.append(soft_list(cosines, n, temperature))
    a, b = lists
    return (a * b).sum() / ((a * a).sum() + (b * b).sum() - (a * b).sum())


def upper_cosines(x):
    """The cosines of all pairs of different words."""
    return (unit(x) @ unit(x).T)[np.triu_indices(len(x), 1)]


def unbiased_hsic(k, m):
    """Song et al. 2012, eq. 5, of two v × v kernel matrices."""
    v = len(k)
    k, m = (part - np.diag(np.diag(part)) for part in (k, m))
    one = np.ones(v)
    pairs_of = (one @ k @ one) * (one @ m @ one) / ((v - 1) * (v - 2))
    return (np.trace(k @ m) + pairs_of - 2 / (v - 2) * (one @ k @ m @ one)) / (v * (v - 3))


def debiased_cka(x, y, kernel=lambda x: x @ x.T):
    k, m = kernel(np.asarray(x, np.float64)), kernel(np.asarray(y, np.float64))
    return unbiased_hsic(k, m) / np.sqrt(unbiased_hsic(k, k) * unbiased_hsic(m, m))


def rbf(share):
    """The Gaussian kernel whose width is a share of the median distance of two rows (Kornblith et al. 2019, §3)."""

    def kernel(x):
        distances = np.linalg.norm(x[:, None] - x[None], axis=2)
        width = share * np.median(distances[np.triu_indices(len(x), 1)])
        return np.exp(-(distances**2) / (2 * width**2))

    return kernel


def rbf_cka(x, y, share=1.0):
    """By centred kernel matrices."""
    centring = np.eye(len(x)) - 1 / len(x)
    k, m = (centring @ rbf(share)(np.asarray(part, np.float64)) @ centring for part in (x, y))
    return np.sum(k * m) / np.sqrt(np.sum(k * k) * np.sum(m * m))


def projection(x):
    """Onto the columns of a space, v × v."""
    u, values, _ = np.linalg.svd(np.asarray(x, np.float64), full_matrices=False)
    u = u[:, values > 1e-6 * values[0]]
    return u @ u.T


def eigenspace_overlap(x, y):
    """May et al. 2019, definition 1."""
    return np.trace(projection(x) @ projection(y)) / max(np.linalg.matrix_rank(x), np.linalg.matrix_rank(y))


def eigenspace_instability(x, y, power=3):
    """Leszczynski et al. 2020, definition 2, with the two spaces as anchors; a whole power."""
    u, w = projection(x), projection(y)
    sigma = np.linalg.matrix_power(x @ x.T, power) + np.linalg.matrix_power(y @ y.T, power)
    return np.trace((u + w - 2 * w @ u) @ sigma) / np.trace(sigma)


def partly_whitened(x, alpha):
    """Williams et al. 2021, eq. 9: between the identity and whitening, of centred columns."""
    x = centred(x)
    u, values, vt = np.linalg.svd(x, full_matrices=False)
    kept = values > 1e-6 * values[0]
    return (u[:, kept] * (alpha * values[kept] + (1 - alpha))) @ vt[kept]


def shape_angle(x, y):
    nuclear = np.linalg.svd(x.T @ y, compute_uv=False).sum()
    return np.arccos(min(1.0, nuclear / (np.linalg.norm(x) * np.linalg.norm(y))))


def rank_similarity(lists):
    """Wang et al. 2022: shared neighbours count the more, the nearer they stand and the more alike their ranks are.

    Args:
        lists: two lists of neighbours, nearest first.
    """
    first, second = ({word: rank for rank, word in enumerate(some, 1)} for some in lists)
    shared = set(first) & set(second)
    if not shared:
        return 0.0
    weights = [2 / ((1 + abs(first[w] - second[w])) * (first[w] + second[w])) for w in shared]
    return sum(weights) / sum(1 / n for n in range(1, len(shared) + 1))


def permuted(measure, x, y, times, rng):
    """Mean and standard error of a measure where the words of y are permuted at random."""
    found = [measure(x, y[rng.permutation(len(y))]) for _ in range(times)]
    return np.mean(found), np.std(found) / np.sqrt(times)
