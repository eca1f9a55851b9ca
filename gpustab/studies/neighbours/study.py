"""A word's nearest neighbours in each run side by side, and how sure each of them is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.corpus.variants import fold
from gpustab.errors import InputError, option
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.overlap import chance_overlap, mean_over_measured
from gpustab.machine.device import Compute
from gpustab.options import ListLength, check
from gpustab.report import Result
from gpustab.results import Column, Sheet
from gpustab.results.page import counted, percent
from gpustab.runs.families import families
from gpustab.runs.group import Group
from gpustab.runs.key import WHOLE
from gpustab.runs.runs import Runs
from gpustab.spaces.words import near_words, show
from gpustab.statistics.intervals import wilson
from gpustab.studies.neighbours.claims import (
    HOLDS,
    SOME_HOLD,
    Ahead,
    Hits,
    Judged,
    Neighbour,
    margin,
    on_these_documents,
)
from gpustab.studies.shared.claims import MOST
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of
from gpustab.studies.shared.spaces import look_at
from gpustab.studies.shared.ties import alarm_of_ties, note_of_ties
from gpustab.studies.shared.wording import capital, groups_in_words, the_runs


class Share(NamedTuple):
    """How sure one neighbour is."""

    group: Annotated[str, Column(about="whose runs judge")]
    neighbour: str
    place: Annotated[
        int | None, Column(about="among the nearest by mean cosine; none for a word that is a neighbour in some run")
    ]
    runs: Annotated[int, Column(about="in how many runs it is a neighbour")]
    of: Annotated[int, Column(about="how many runs have the query; one that lacks the neighbour does not list it")]
    share: Annotated[float, Column(about="part of these runs", text=percent)]
    low: Annotated[float, Column(about="lower end of the share's 95 % Wilson interval")]
    high: Annotated[float, Column(about="its upper end")]
    margin: Ahead
    cosine: Annotated[float, Column(digits=3, about="mean over runs")]
    cosine_sd: Annotated[float, Column("SD", 2, "of the cosine over runs")]
    verdict: Annotated[str, Column(about="firm, passing, open, or not judged")]


class Listed(NamedTuple):
    """One neighbour of one run."""

    group: str
    run: str
    rank: int
    neighbour: str
    cosine: float


SHARES = Sheet("shares", Share, "one row a group and word that is a neighbour in some run")
LISTS = Sheet("lists", Listed, "one row a group, run and rank", long=True)


def neighbours_of(groups: Groups, word: str | bytes, n: int = 10, *, compute: Compute | None = None) -> Result:
    """Return the n nearest neighbours of a word in every run, and for each in how many runs it is among them.

    Judged are the n words of highest mean cosine: firm, passing, open, or not judged, see
    :func:`gpustab.studies.neighbours.claims.verdict`. Bootstrap runs judge the words that the shuffled (or fixed)
    runs of their family choose, where there are such. Where the same runs choose and judge, shares look too stable, by
    0.09 at 5 runs: what an unseen run would share is told by ``p``, the mean p@n over pairs of runs.

    Args:
        groups: one group or several, each with an answer of its own.
        word: the query.
        n: length of the lists.
        compute: device, precision, back end; default: where the runs lie.

    Raises:
        InputError: if the word is in no group's vocabulary, or n is below 1.
    """
    check("n", n, ListLength)
    given = [_read_whole(group) for group in groups_of(groups)]
    with answering("neighbours", groups=given, compute=compute) as answer:
        answer.result.tables = {SHARES.name: SHARES.table(), LISTS.name: LISTS.table()}
        missing: list[str] = []
        for family in families(given, models_together=True):
            members = [answer.take(group) for group in family.members]
            _of_family(members, members[0].vocabulary.meant(word), n, answer, missing, several=len(given) > 1)
        if not answer.result.groups:
            raise InputError(missing[0])
        answer.result.notes += missing
    return answer.result


def _read_whole(group: Runs | Group) -> Runs | Group:
    """Read every word that any run has, unless a way of joining was chosen: runs that lack one do not list it."""
    return group.with_all_words() if isinstance(group, Group) and group.loading.vocabulary is None else group


def _of_family(
    members: Sequence[Runs], word: bytes, n: int, answer: Answer, missing: list[str], *, several: bool
) -> None:
    """Answer for every group that differs in sampling, bootstrap first: for reading, that is the answer.

    Whole-corpus runs choose what bootstrap runs judge; their own answer is beside it.
    """
    if (spelled := _as_read(word, members)) != word:
        answer.result.verdict.append(f"'{show(word)}' is looked up as '{show(spelled)}', as texts are read.")
        word = spelled
    whole = {runs.key.sampling: runs for runs in members if runs.key.sampling in WHOLE}
    chooser = next((whole[kind] for kind in WHOLE if kind in whole and word in whole[kind].vocabulary), None)
    drawn: Judged | None = None
    several_drawn = sum(runs.key.sampling == "bootstrap" for runs in members) > 1  # of several models
    for runs in sorted(members, key=lambda runs: runs.key.sampling != "bootstrap"):
        if word not in runs.vocabulary:
            missing.append(_why_missing(runs, word))
            continue
        if runs.key.sampling == "bootstrap":
            judged = _find(runs, chooser, None, word, n, answer, several=several)
            drawn = None if several_drawn else judged
        else:
            _find(runs, None, drawn, word, n, answer, several=several)


def _find(
    there: Runs, chooser: Runs | None, drawn: Judged | None, word: bytes, n: int, answer: Answer, *, several: bool
) -> Judged:
    """Answer for one group, and return how its neighbours were judged."""
    result, compute, query = answer.result, answer.compute, there.vocabulary.index_of(word)
    runs = engine.place(there, compute)
    nearest = engine.neighbour_pass(runs, torch.tensor([query], device="cpu"), n + 1, compute)
    shown = min(n, nearest.k)
    overlap = engine.overlap_pass(nearest, [shown], compute)
    p, chance = pair_statistics(overlap.p[0]), mean_over_measured(chance_overlap(runs.present), overlap.targets)
    chosen, lacking = _chosen(runs, chooser, word, shown)
    rows = shares(runs, query, nearest, shown, chosen, p.mean)
    having, lists = int(nearest.present[:, 0].sum()), nearest.indices[:, 0, :shown].tolist()
    listed, beyond = (
        [Neighbour(row.neighbour, row.runs, row.of, row.verdict) for row in rows if bool(row.place) is placed]
        for placed in (True, False)
    )
    kind = f"{runs.key.sampling} runs" if runs.key.sampling else "runs"
    judged = Judged(
        runs.vocabulary.text(query),
        shown,
        listed,
        having,
        kind,
        p.mean,
        beyond,
        the_runs(chooser.name) if chooser else "",
        lacking,
        shown / max(runs.words - 1, 1),
    )
    sentence = on_these_documents(judged, drawn) if drawn and judged.chance <= MOST else SOME_HOLD.sentence(judged)
    result.settings |= {"word": runs.vocabulary.text(query), "n": shown}
    result.groups.append(
        {
            "name": runs.name,
            "word": runs.vocabulary.text(query),
            "n": shown,
            "runs": list(runs.names),
            "p": p.mean,
            "p_sd": p.sd,
            "p_se": p.se,
            "chance_p": shown * chance,
            "chosen_by": chooser.name if chooser else runs.name,
            "lacking": lacking,
            "verdict": sentence,
            "lists": [[runs.vocabulary.text(k) for k in row if k >= 0] for row in lists],
        }
    )
    SHARES.add(result.tables, rows)
    LISTS.add(result.tables, _listed(runs, nearest, shown))
    result.verdict.append(f"{groups_in_words([runs.name])}: {sentence}" if several else sentence)
    answer.warn(
        runs.name,
        [*look_at(runs, compute), *alarm_of_ties(nearest, shown)],
        [*note_of_ties(nearest, shown), *_notes(runs, chooser, n, shown, having, p.mean, lacking)],
    )
    return judged


def _chosen(runs: Runs, chooser: Runs | None, word: bytes, n: int) -> tuple[list[int], list[str]]:
    """The row numbers of the words to be judged, and the chosen words that these runs do not have."""
    source = chooser or runs
    nearest = nearest_by_mean(source, source.vocabulary.index_of(word), n)
    words = [source.vocabulary[k] for k in nearest]
    there = [runs.vocabulary.index_of(one) for one in words if one in runs.vocabulary]
    return there, [show(one) for one in words if one not in runs.vocabulary]


def _notes(
    runs: Runs, chooser: Runs | None, n: int, shown: int, having: int, p: float, lacking: Sequence[str]
) -> Iterator[str]:
    if shown < n:
        yield f"There are only {shown} other words, so every list holds {shown}."
    if having < len(runs):
        yield f"{counted(len(runs) - having, 'run', 'does/do', of=len(runs))} not have the word."
    if lacking:
        not_judged = f"{counted(len(lacking), 'chosen word', 'is/are')} not in all of these runs and not judged"
        yield f"{not_judged}: {', '.join(lacking)}."
    if chooser is not None:
        yield f"{capital(the_runs(chooser.name))} chose the neighbours; these runs judge them."
    elif having > 1:
        yield (
            f"These {having} runs both chose and judge the neighbours, so that too many look firm. Two runs share "
            f"{percent(p)} of their {shown} neighbours."
        )


def _listed(runs: Runs, nearest: engine.NeighbourPass, n: int) -> Iterator[Listed]:
    lists, cosines = nearest.indices[:, 0, :n].tolist(), nearest.cosines[:, 0, :n].tolist()
    for name, row, values in zip(runs.names, lists, cosines, strict=True):
        for rank, (k, cosine) in enumerate(zip(row, values, strict=True), 1):
            if k >= 0:
                yield Listed(runs.name, name, rank, runs.vocabulary.text(k), cosine)


def _as_read(word: bytes, members: Sequence[Runs]) -> bytes:
    """Return a word as texts are read, with one spelling and in small letters, where only that is in the runs."""
    typed = word.decode("utf-8", "surrogateescape")
    spellings = (typed, fold(typed), typed.lower(), fold(typed.lower()))
    known = (spelling.encode("utf-8", "surrogateescape") for spelling in spellings)
    return next((one for one in known if any(one in runs.vocabulary for runs in members)), word)


def _why_missing(runs: Runs, word: bytes) -> str:
    typed = show(word)
    if len(parts := typed.split()) > 1:
        return f"'{typed}' is several words, and the words of runs are single: ask for {' or '.join(parts[:4])}"
    hint = near_words(word, runs.vocabulary)
    if runs.joining.rule == "joint" and runs.joining.dropped:
        union = option("vocabulary", "union")
        hint += f"; {runs.joining.dropped:,} words are not in all runs: {union} keeps those in several"
    return f"the word '{typed}' is not in the vocabulary of group '{runs.name}'{hint}"


def nearest_by_mean(runs: Runs, query: int, n: int) -> list[int]:
    """Return the n words of highest mean cosine to the query, nearest first; those that half of the runs have."""
    statistics = engine.query_cosines(runs, torch.tensor([query], device=runs.device))
    mean = statistics.mean[0].clone()
    mean[(statistics.runs[0] * 2 < len(runs)) | mean.isnan()] = -torch.inf
    mean[query] = -torch.inf
    order = mean.cpu().argsort(descending=True, stable=True)[:n].tolist()
    return [k for k in order if mean[k] > -torch.inf]


def shares(
    runs: Runs, query: int, nearest: engine.NeighbourPass, n: int, chosen: Sequence[int], p: float
) -> list[Share]:
    """Return the chosen words in their order, then all others that are neighbours in some run, the surest first.

    Sure is what has a high lower end of its interval: 9 of 10 runs (0.60) come before 2 of 2 (0.34), which is a higher
    share but says less. Lists are one word longer than n where they can be; p is p@n of the query.
    """
    lists = nearest.indices[:, 0, :n].cpu()  # (R, n)
    others = [k for k in lists.unique().tolist() if k >= 0 and k not in chosen]
    words = torch.tensor([*chosen, *others], dtype=torch.long, device="cpu")
    cosines = engine.pair_values(runs, torch.full_like(words, query), words).cpu()  # (w, R)
    if nearest.k > n:
        beyond = cosines - nearest.cosines[:, 0, n].cpu()
    else:
        beyond = torch.where(cosines.isnan(), torch.nan, torch.ones_like(cosines))  # no word is outside the list
    of, rows, chance = int(nearest.present[:, 0].sum()), [], n / max(runs.words - 1, 1)
    for k, values, margins in zip(words.tolist(), cosines, beyond, strict=True):
        if not bool(values.isnan().all()):
            place = chosen.index(k) + 1 if k in chosen else None
            rows.append(
                _share(runs, k, place, Hits(int((lists == k).sum()), of, margin(*_mean_sd(margins)), p, chance), values)
            )
    listed = len([row for row in rows if row.place])
    return rows[:listed] + sorted(rows[listed:], key=lambda x: (-x.low, -x.cosine))


def _share(runs: Runs, k: int, place: int | None, hits: Hits, values: Tensor) -> Share:
    (low, high), (cosine, sd), share = wilson(hits.hits, hits.runs), _mean_sd(values), hits.hits / hits.runs
    what = (runs.name, runs.vocabulary.text(k), place, hits.hits, hits.runs)
    return Share(*what, share, low, high, hits.margin, cosine, sd, HOLDS.judge(hits))


def _mean_sd(values: Tensor) -> tuple[float, float]:
    known = values[~values.isnan()]
    return float(known.mean()), float(known.std()) if len(known) > 1 else math.nan
