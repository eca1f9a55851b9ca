"""What became of the vocabularies of runs that were joined."""

from __future__ import annotations

from dataclasses import dataclass

from gpustab.runs.loading import Rule


@dataclass(frozen=True)
class Joining:
    """How the vocabularies of the runs were joined, and which words did not come along.

    Attributes:
        rule: ``"joint"``: words present in all runs; ``"union"``: words present in ``min_runs`` of them.
        min_runs: least number of runs that a word must be in.
        seen: number of distinct words over all runs.
        dropped: words left out because too few runs have them.
        dropped_sample: the first of these in canonical order.
        undefined: words whose vector is zero in some run, so that they have no cosine there.
        undefined_sample: the first of these in canonical order.
        smallest: words of the run that has the fewest; 0 where it is not known.
        folded: where hardly any words are in common, how many would be if letter case did not count; else 0.
    """

    rule: Rule
    min_runs: int
    seen: int
    dropped: int = 0
    dropped_sample: tuple[bytes, ...] = ()
    undefined: int = 0
    undefined_sample: tuple[bytes, ...] = ()
    smallest: int = 0
    folded: int = 0
