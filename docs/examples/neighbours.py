"""The ten nearest words of one word."""

from __future__ import annotations

from gpustab.studies.neighbours.claims import Hits, Judged, Neighbour

_OPEN = [Neighbour(word, 5, 8, "open") for word in ("men", "women", "daily", "gain", "wages")]
_PASSING = [Neighbour(word, 1, 8, "passing") for word in ("refund", "fee")]
_FIRM = [Neighbour("electronic", 7, 8, "firm"), Neighbour("labour", 8, 8, "firm"), Neighbour("toil", 8, 8, "firm")]


def _judged(words: list[Neighbour], runs: int = 8, p: float = 0.5, n: int = 10) -> Judged:
    return Judged("work", n, words, runs, "bootstrap runs", p)


EXAMPLES = {
    "neighbours.holds": [Hits(8, 8, 0.97, 0.6), Hits(1, 8, 0.1, 0.6), Hits(5, 8, 0.6, 0.6), Hits(4, 4, 1.0, 0.6)],
    "neighbours.some-hold": [
        _judged([*_FIRM, *_OPEN, *_PASSING]),
        _judged([*_FIRM[:1], *_OPEN, *_PASSING], n=8),
        _judged([*_FIRM[1:2], *_OPEN[:1]], n=3),
        _judged(_PASSING, n=2),
        _judged([*_OPEN, *_PASSING], n=7),
        _judged(_OPEN, runs=3, n=5),
        _judged(_OPEN, runs=8, p=0.2, n=5),
    ],
}
