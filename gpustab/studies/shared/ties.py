"""Neighbour lists whose places ties decide: every run decides them alike, which is no agreement of runs."""

from __future__ import annotations

from gpustab import engine
from gpustab.results.page import number, percent
from gpustab.studies.shared.claims import Margin

TIED = Margin(0.5, "share of the places of lists that ties decide, from which shared neighbours are no agreement")
"""Words are tied by frequency and alphabet, in all runs alike. Where each run's vectors are dealt out to other words,
p@10 of 300 words should be 0.03: it is 0.05 where ties decide 0.6 of the places of sign vectors in 5 dimensions, 0.16
where they decide 0.5 since half of the words have one vector, and 0.4 where they decide all, in one dimension."""


HARDLY = 0.01
"""Share of places: what ties decide less of is not worth a word."""


def decided_by_ties(found: engine.NeighbourPass, n: int) -> float:
    """Return the share of the first n places of lists that ties decide, mean over runs and targets.

    These are the last places that are tied with each other and with the neighbour that follows: more words are equally
    near than there are places left. Ties that all find a place decide nothing but an order.

    >>> import torch
    >>> from gpustab import load_runs
    >>> runs = load_runs([(["a", "b", "c", "d"], torch.eye(4).numpy())] * 2)
    >>> decided_by_ties(engine.neighbour_pass(runs, torch.tensor([0, 1]), 2), 2)
    1.0
    """
    places = found.tied[:, :, :n].flip(2).long().cumprod(2).sum(2).double()
    return float(places[found.present].mean()) / n


def note_of_ties(found: engine.NeighbourPass, n: int) -> list[str]:
    """Return the note on lists of n some places of which ties decide, too few for an alarm."""
    share = decided_by_ties(found, n)
    if not HARDLY < share < TIED:
        return []
    return [
        f"Ties decide {percent(share)} of the places of neighbour lists, in all runs alike. So much of what they share "
        "at most is no agreement of runs."
    ]


def alarm_of_ties(found: engine.NeighbourPass, n: int) -> list[str]:
    """Return the alarm of lists of n that ties decide, if they do."""
    share = decided_by_ties(found, n)
    if not share >= TIED:
        return []
    places = f"{number(n * share, 2)} of {n} places" if n > 1 else f"{number(100 * share, 2)} % of the places"
    return [
        f"Ties decide {places} of a neighbour list: more words are equally near than there are places. The more "
        "frequent one is taken, or else the first in the alphabet, in all runs alike. So shared neighbours are no "
        "agreement of runs. Do many words have the same vector, or the vectors too few dimensions or too few different "
        "values? Then give the vectors before they were rounded."
    ]
