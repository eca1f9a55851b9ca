"""The PIP loss: between spaces, of words, over fewer words, from fewer runs. Rettenmeier 2020, §2.2.3 and 2.3.

Table 2.8 has the losses of every sampling, table 2.11 what resampling the documents adds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.gram import blocks_of_run, run_pairs
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.kernels.run_blocks import word_products
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet, Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate, extrinsic, ratio
from gpustab.statistics.ranks import rank_correlations
from gpustab.studies.instability.technique import Technique, Wide
from gpustab.studies.shared.copies import are_one, same_pairs
from gpustab.studies.shared.spaces import flaws_of


class Loss(NamedTuple):
    """Table 2.8: the reduced PIP loss of one sampling."""

    technique: str
    sampling: str
    runs: int
    words: Annotated[int, Column(about="in all runs of all samplings")]
    reduced_pip: Annotated[float, Column(about="mean over the pairs of runs, in [0, 1]")]
    sd: Annotated[float, Column(about="over the pairs")]
    se: Annotated[float, Column(about="of the mean, by the jackknife over runs")]
    pairs: int
    relative_sd: Annotated[float, Column(about="SD as a part of the mean")]
    word_relative_sd: Annotated[float, Column(about="that of one word's loss, root mean square over words")]
    word_degrees_of_freedom: Annotated[float, Column(about="of the χ that has this relative SD")]
    mean_cosine: Annotated[float, Column(about="of two different words")]
    chance: Annotated[float, Column(about="loss between unrelated spaces")]

    @property
    def loss(self) -> Estimate:
        """The mean loss with its error."""
        return Estimate.of_runs(self.reduced_pip, self.se, self.runs)


class Extrinsic(NamedTuple):
    """Table 2.11: what resampling the documents adds."""

    technique: str
    runs: Annotated[int, Column(about="of the smaller group: errors rest on these")]
    intrinsic: Annotated[float, Column(about="reduced PIP loss of shuffled runs")]
    bootstrap: Annotated[float, Column(about="that of bootstrap runs")]
    signed_square: Annotated[float, Column(about="bootstrap² − intrinsic²")]
    square_se: float
    extrinsic: Annotated[float | None, Column(about="root of the square; none of a negative one")]
    se: float | None
    mean_word_square: Annotated[float, Column(about="mean over words of their signed squares")]
    negative_words: int


class Word(NamedTuple):
    """How much a word's cosines differ between runs."""

    technique: str
    word: str
    frequency: Annotated[float | None, Column(about="occurrences in a run")]
    intrinsic: Annotated[float, Column(about="mean PIP loss of the word, shuffled runs")]
    intrinsic_se: float
    intrinsic_square: Annotated[float, Column(about="mean square of it")]
    bootstrap: Annotated[float, Column(about="mean PIP loss of the word, bootstrap runs")]
    bootstrap_square: float
    extrinsic_square: Annotated[float, Column(about="J²: signed, so that the mean over words is the global one")]


class OverProxies(NamedTuple):
    """Table 2.6: Spearman's ρ over words of the PIP loss over m words drawn at random with that over other numbers."""

    technique: str
    words: Annotated[str, Column(about="m, or all")]
    pairs_of_runs: int
    targets: int
    rho: Annotated[Mapping[str, float], Column(about="by the other number of words, the last by all")]


class Proxy(NamedTuple):
    """The reduced PIP loss over m words drawn at random, as a part of the exact one."""

    technique: str
    words: int
    ratio: Annotated[float, Column(about="root mean square over pairs of runs and draws")]
    expected: Annotated[float, Column(about="√((1 − 1/m) / (1 − 1/v))")]


class Identity(NamedTuple):
    """Eq. 2.35: mean squared losses of pairs of runs, and the same from variances of cosines."""

    technique: str
    scope: Annotated[str, Column(about="some words together, or all")]
    mean_square: Annotated[float, Column(about="⟨d²⟩, over the pairs of runs")]
    from_variances: Annotated[float, Column(about="Σσ²/(2v), from the cosines")]
    largest_difference: Annotated[float, Column(about="relative, of any word")]
    squared_mean: Annotated[float, Column(about="⟨d⟩²/⟨d²⟩, which the printed equation takes for 1")]


LOSSES = Sheet("table_2_8", Loss, "one row a technique and sampling")
EXTRINSIC = Sheet("table_2_11", Extrinsic, "one row a technique with bootstrap runs")
WORDS = Sheet("words", Word, "one row a technique and word", long=True)
OVER_PROXIES = Wide("table_2_6", OverProxies, "one row a technique and number of words")
PROXIES = Sheet("proxy", Proxy, "one row a technique and number of words")
IDENTITY = Sheet("identity", Identity, "one row a technique and scope")


PROXY_SIZES = (100, 1000, 10_000, 100_000)
PAIRS = 10
"""Pairs of runs over which table 2.6 averages, as the thesis does."""
TARGETS = 1000
WHOLE = 10_000
"""Up to so many words the identity is also verified over all pairs of words."""
IDENTITY_WORDS = 100
_QUERIES = 256


def instability_tables(technique: Technique) -> dict[str, Table]:
    """Measure the reduced PIP loss of every sampling, and every word's, all over the same words; flaws are kept.

    Returns:
        ``table_2_8`` (one row per sampling), ``table_2_11`` (empty without bootstrap runs) and ``words``. A word's
        extrinsic instability is signed and squared, ``J² = ⟨d²⟩_bootstrap − ⟨d²⟩_shuffled``, so that the mean over
        words is the global one.

    Raises:
        InputError: if fewer than two words are in all runs of all samplings.
    """
    name, groups = technique.name, technique.groups
    restricted, common = over_common_words(list(groups.values()))
    rows = dict(zip(groups, common, strict=True))
    if len(common[0]) < 2:
        raise InputError(f"technique '{name}': {len(common[0])} words are in all runs of all samplings")
    losses, words = {}, {}
    for sampling, runs in zip(groups, restricted, strict=True):
        alone = len(groups) == 1
        pip = technique.measure_losses() if alone else engine.pip_pass(runs, technique.compute, wordwise=True)
        losses[sampling], words[sampling] = _loss(name, sampling, runs, rows[sampling], pip, technique.compute)
        technique.flaws[sampling] = flaws_of(runs, pip)
    parts = [_extrinsic(name, losses, words)] if "bootstrap" in losses else []
    of_words = _words(name, technique.runs, rows["shuffled"], words)
    return LOSSES.named(losses.values()) | EXTRINSIC.named(parts) | WORDS.named(of_words)


def _loss(
    name: str, sampling: str, runs: Runs, rows: Tensor, pip: engine.PipPass, compute: Compute
) -> tuple[Loss, WordwisePip]:
    same = same_pairs(runs, pip).same
    losses = pair_matrix(pip.reduced, len(runs)).cpu().masked_fill(same, 0)  # rounding is no distance
    statistics = pair_statistics(losses)
    words = WordwisePip(*(field.cpu()[rows] for field in engine.wordwise_pass(runs, pip.basis, compute)))
    if are_one(same):
        words = words._replace(**{name: torch.zeros_like(words.mean) for name in ("mean", "sd", "se", "square")})
    spread = float((words.sd / words.mean)[words.mean > 0].square().mean())  # NaN where no word moves
    loss = Loss(
        name,
        sampling,
        len(runs),
        len(rows),
        *statistics,
        relative_sd=ratio(statistics.sd, statistics.mean),
        word_relative_sd=math.sqrt(spread),
        word_degrees_of_freedom=ratio(1.0, 2 * spread),  # a χ of k degrees of freedom has a relative SD of 1/√(2k)
        mean_cosine=math.nan if pip.scale is None else float(pip.scale.mean_cosine.mean()),
        chance=math.nan if pip.scale is None else float(pip.scale.chance.square().mean().sqrt()),
    )
    return loss, words


def _extrinsic(name: str, losses: Mapping[str, Loss], words: Mapping[str, WordwisePip]) -> Extrinsic:
    a, b = losses["shuffled"], losses["bootstrap"]
    square = words["bootstrap"].square - words["shuffled"].square
    added = extrinsic(a.reduced_pip, b.reduced_pip, a.se, b.se)
    of_words = (float(square.mean()), int((square < 0).sum()))
    return Extrinsic(name, min(a.runs, b.runs), a.reduced_pip, b.reduced_pip, *added, *of_words)


def _words(name: str, runs: Runs, rows: Tensor, words: Mapping[str, WordwisePip]) -> Iterator[Word]:
    shuffled, bootstrap = words["shuffled"], words.get("bootstrap")
    nothing = torch.full_like(shuffled.mean, torch.nan)
    mean, square = (nothing, nothing) if bootstrap is None else (bootstrap.mean, bootstrap.square)
    numbers = (shuffled.mean, shuffled.se, shuffled.square, mean, square, square - shuffled.square)
    # Counts are totals over the runs that have them.
    counts = [None] * len(rows) if runs.counts is None else (runs.counts.cpu()[rows] / len(runs)).tolist()
    for k, *values in zip(rows.tolist(), counts, *(column.tolist() for column in numbers), strict=True):
        yield Word(name, runs.vocabulary.text(k), *values)


def gram_of_words(runs: Runs, compute: Compute) -> engine.GramPass | None:
    """Return the float64 Gram of runs for :func:`word_matrices`; none where the words' cosines take fewer products."""
    return None if engine.fewer_products(runs, compute) else engine.gram_pass(runs, compute, torch.float64)


def word_matrices(runs: Runs, rows: Tensor, compute: Compute, basis: engine.GramPass | None = None) -> Tensor:
    """Return the pair matrices ``(w, R, R)`` of the word-wise reduced PIP loss of some words.

    Args:
        runs: the runs.
        rows: ``(w,)`` row numbers.
        compute: how to compute.
        basis: float64 Gram of the runs, or the inner products of all words, where they are at hand.
    """
    basis = basis or gram_of_words(runs, compute)
    inner = None if basis is None else basis.inner
    if basis is None or inner is not None:
        parts = [torch.empty(0, len(runs), len(runs), dtype=torch.float64, device=runs.device)]
        known = engine.inner_products(runs, rows) if inner is None else (inner[part] for part in rows.split(_QUERIES))
        for some in known:
            own = some.diagonal(dim1=1, dim2=2)
            square = (own[:, :, None] + own[:, None, :] - 2 * some).clamp_(min=0)
            parts.append(square.sqrt_() / (2 * math.sqrt(int(runs.joint.sum()))))
        return torch.cat(parts).cpu()
    chunk = torch.stack([runs.select(r, rows) for r in range(len(runs))], 1)  # (w, R, d)
    own = torch.empty(len(runs), len(rows), dtype=torch.float64, device=runs.device)
    losses = torch.zeros(len(runs), *own.shape, dtype=torch.float64, device=runs.device)
    for i in reversed(range(len(runs))):
        blocks = blocks_of_run(basis.gram, len(runs), i).transpose(0, 1)  # (d, R - i, d)
        both = word_products(chunk[:, i], blocks, chunk[:, i:])  # (R - i, w)
        own[i] = both[0]
        square = (own[i] + own[i + 1 :] - 2 * both[1:]).clamp_(min=0)
        losses[i, i + 1 :] = losses[i + 1 :, i] = square.sqrt_() / (2 * math.sqrt(basis.words))
    return losses.permute(2, 0, 1).cpu()


def proxy_tables(technique: Technique) -> dict[str, Table]:
    """Compare losses over m words drawn at random with the exact ones.

    Word by word: Spearman's ρ over 1,000 target words between two independent draws of m and m' words, averaged over
    at most 10 pairs of runs. Globally: ``E[D²_m] = D² (1 − 1/m) / (1 − 1/v)``. Copies are left out: their words have no
    ranks, and nothing is a part of their loss.

    Returns:
        ``table_2_6`` and ``proxy`` (root mean square of ``D_m / D`` beside what is expected, one row per m).
    """
    name, runs, compute = technique.name, technique.runs, technique.compute
    words = engine.joint_words(runs)
    sizes = [m for m in PROXY_SIZES if m < words] + [words]
    generator = torch.Generator().manual_seed(technique.seed)
    targets = engine.draw_targets(runs, min(TARGETS, runs.words), technique.seed)
    pairs = _pairs_of_runs(technique, generator)
    correlations, squares = [], []
    for pair in pairs:
        both = runs.take(pair)
        draws = [[_draw(both, m, words, generator) for m in sizes] for _ in range(2)]
        losses = [[_pair_losses(both, draw, compute) for draw in row] for row in draws]
        columns = torch.stack([word[targets] for row in losses for word, _ in row], 1)
        table = rank_correlations(columns)[: len(sizes), len(sizes) :]
        correlations.append((table + table.mT) / 2)
        exact = losses[0][-1][1]
        squares += [[ratio(loss, exact) ** 2 for _, loss in row] for row in losses]
    nothing = [torch.full((len(sizes), len(sizes)), math.nan, dtype=torch.float64, device="cpu")]
    rho = torch.stack(correlations or nothing).nanmean(0)
    ratios = torch.tensor(squares or [[math.nan] * len(sizes)], dtype=torch.float64, device="cpu").nanmean(0).sqrt()
    labels = [str(m) for m in sizes[:-1]] + ["all"]
    nothing_yet = dict.fromkeys((*map(str, PROXY_SIZES), "all"), math.nan)  # sizes may be more words than there are
    over = [
        OverProxies(name, label, len(pairs), len(targets), nothing_yet | dict(zip(labels, row, strict=True)))
        for label, row in zip(labels, rho.tolist(), strict=True)
    ]
    expected = [math.sqrt((1 - 1 / m) / (1 - 1 / words)) for m in sizes]
    proxies = [Proxy(name, *row) for row in zip(sizes, ratios.tolist(), expected, strict=True)]
    return OVER_PROXIES.named(over) | PROXIES.named(proxies)


def _pairs_of_runs(technique: Technique, generator: torch.Generator) -> list[list[int]]:
    every = run_pairs(len(technique.runs)).T
    if technique.same is not None:
        every = every[~technique.same[every[:, 0], every[:, 1]]]
    drawn: list[list[int]] = every[torch.randperm(len(every), generator=generator, device="cpu")[:PAIRS]].tolist()
    return drawn


def _draw(runs: Runs, m: int, words: int, generator: torch.Generator) -> Tensor | None:
    """A mask of m joint words, or ``None`` for all."""
    seed = int(torch.randint(2**31, (), generator=generator, device="cpu"))
    return None if m == words else engine.draw_proxy(runs, m, seed)


def _pair_losses(pair: Runs, proxy: Tensor | None, compute: Compute) -> tuple[Tensor, float]:
    """Word-wise losses ``(v,)`` and the reduced loss of one pair of runs, both over the proxy's words."""
    pip = engine.pip_pass(pair, compute, proxy)
    return engine.wordwise_pass(pair, pip.basis, compute).mean.cpu(), float(pip.reduced[0])


def identity_table(technique: Technique, words: int = IDENTITY_WORDS) -> dict[str, Table]:
    """Verify ``⟨d²⟩ = Σ_l σ²_kl / (2v)`` (eq. 2.35, exact for squares and ddof 1) for some words and globally.

    The left side comes from the losses of all pairs of runs, the right side from the SDs over runs of the cosines.

    Returns:
        ``identity``, one row per scope: the words together (their sums, and the largest relative difference of any),
        and all words where there are at most 10,000.
    """
    runs, joint = technique.runs, technique.joint
    drawn = technique.draw(words)
    scopes = [(f"{len(drawn)} words", drawn)] + ([("all words", joint)] if len(joint) <= WHOLE else [])
    measured = scopes[-1][1]  # the drawn words are some of all
    spreads = (engine.query_cosines(runs, part).sd[:, joint] for part in measured.split(_QUERIES))
    of_word = torch.zeros(runs.words, dtype=torch.float64, device="cpu")
    of_word[measured.cpu()] = torch.cat([sd.square().sum(1) / (2 * len(joint)) for sd in spreads]).cpu()
    identities = []
    for scope, rows in scopes:
        right, left = of_word[rows.cpu()], technique.wordwise.square[rows].cpu()
        # A word that no run moves has no relative difference; of copies there is rounding only.
        varies = (left > 0) & (right > 0) & (not technique.is_one)
        relative = ((left - right).abs() / right)[varies]
        difference = float(relative.max()) if len(relative) else math.nan
        jensen = float((technique.wordwise.mean[rows].cpu().square() / left)[varies].mean())
        identities.append(Identity(technique.name, scope, float(left.mean()), float(right.mean()), difference, jensen))
    return IDENTITY.named(identities)
