"""Groups of ten query words, as ``study bootstrap`` measures them."""

from __future__ import annotations

import math
from typing import Any

from docs.examples import made
from gpustab.studies.bootstrap.claims import Pair, Ranked
from gpustab.studies.bootstrap.claims_of_runs import Judged
from gpustab.studies.bootstrap.tables import Neighbour, Setting

_GROUP = {"technique": "sgns", "unit": "document", "fraction": 1.0, "part": "", "runs": 10, "queries": 10}
_ERRORS = {"log_spread": 0.05, "relative": 0.05, "mean": 0.004, "j2": 0.02, "jn": 0.02, "p": 0.02, "rank_change": 0.5}
_ERRORS |= {"recurring": 0.02, "rise": 0.02}


def setting(sampling: str = "bootstrap", technique: str = "sgns", **values: Any) -> Setting:
    """A group whose numbers have the errors of ten runs."""
    names = {"sampling": sampling, "technique": technique, "group": f"{technique}/{sampling}"}
    errors = {f"{name}_se": error for name, error in _ERRORS.items()}
    errors |= {f"{name}_freedom": 9 for name in _ERRORS}
    return made(Setting, **_GROUP | errors | names | values)


def neighbour(query: str, word: str, verdict: str, share: float, chosen_by: str = "sgns/shuffled") -> Neighbour:
    """A neighbour with its verdict."""
    names = {"query": query, "word": word, "verdict": verdict, "chosen_by": chosen_by}
    return made(Neighbour, share_low=share, margin=share, mean=share, **names)


SURE, FIXED, SHUFFLED = setting(p_value=0.18), setting("fixed"), setting("shuffled", p_value=0.57)
FIRM, PASSING, OPEN = (
    neighbour("war", "peace", "firm", 0.72),
    neighbour("war", "mexico", "passing", 0.1),
    neighbour("labor", "wages", "open", 0.4),
)
BY_ITSELF = neighbour("labor", "capital", "firm", 0.66, "sgns/bootstrap")


def _spread(first: float, second: float, se: float = 0.05) -> Pair:
    drawn = SURE._replace(log_spread_value=math.log(first), log_spread_se=se)
    return Pair(drawn, SHUFFLED._replace(log_spread_value=math.log(second), log_spread_se=se))


def _ranked(relative: float, se: float = 0.05) -> Ranked:
    """LSA beside skip-gram."""
    less = setting("fixed", "lsa", relative_value=relative, relative_se=se, jn_value=0.8, jn_se=se)
    more = setting("fixed", "sgns", relative_value=0.0, relative_se=se, jn_value=0.8 + relative / 2, jn_se=se)
    return Ranked([less], [more])


def _estimates(name: str, *values: float, **rest: Any) -> list[Setting]:
    """Groups of one number each, the first two sure."""
    return [setting(**{f"{name}_value": value}, **rest) for value in values]


_OPEN_SPREAD = _spread(0.04, 0.037, 0.3)
_BLIND = Pair(*(group._replace(relative=1.3) for group in _spread(0.17, 0.16)))
_BESIDE = [_spread(0.08, 0.03), _spread(0.02, 0.05), _OPEN_SPREAD, _BLIND]
_SWAPPED = [Pair(pair.second, pair.first) for pair in _BESIDE]
_PPMI, _MUCH_MORE = _spread(0.03, 0.028), _spread(0.1, 0.03)
_CHANGED = {"j2": 0.4, "jn": 0.3, "mean": 0.1, "rank_change": 8.0, "relative": 0.5}
_MORE = setting(**{f"{name}_value": value for name, value in _CHANGED.items()})
_NONE = setting(**{f"{name}_se": 5.0 for name in _CHANGED})
_RANK = [Pair(_MORE, SURE), Pair(SURE, _MORE), Pair(_NONE, SURE)]

EXAMPLES = {
    "bootstrap.small-variation": _estimates("jn", 0.8, 0.3, 0.5),
    "bootstrap.small-standard-deviation": [
        setting("fixed", spread=x, log_spread_value=math.log(x)) for x in (0.02, 0.12, 0.05)
    ],
    "bootstrap.order-has-no-effect": [_spread(0.03, 0.03), _spread(0.08, 0.03), _OPEN_SPREAD, None, _BLIND],
    "bootstrap.varies-more": _BESIDE,
    "bootstrap.lower-cosines": _RANK,
    "bootstrap.glove-and-lsa-least": [_ranked(-0.5), _ranked(0.5), _ranked(-0.05, 0.3)],
    "bootstrap.ppmi-most": [_ranked(-0.5), _ranked(0.5), _ranked(-0.05, 0.3)],
    "bootstrap.weakest-for-ppmi": [
        (_PPMI, [other, _MUCH_MORE]) for other in (_spread(0.08, 0.03), _spread(0.02, 0.05), _OPEN_SPREAD, _BLIND)
    ],
    "bootstrap.lists-agree-less": _RANK,
    "bootstrap.ppmi-lists-least": [_ranked(-0.5), _ranked(0.5), _ranked(-0.05, 0.3)],
    "bootstrap.top-two-drop-out": _estimates("j2", 0.5, 0.99, 0.9),
    "bootstrap.disjoint-lists": [setting(disjoint=0.01, disjoint_of_most=0.01), SURE],
    "bootstrap.ranks-change": _RANK,
    "bootstrap.sentences-vary-less": _SWAPPED,
    "bootstrap.small-varies-more": _RANK,
    "bootstrap.stabilises": [*_estimates("rise", 0.4, 0.02, 0.1, runs=30), *_estimates("rise", 0.4, runs=4)],
    "bootstrap.averaging-suffices": [*_estimates("recurring", 0.97, 0.6, 0.9, runs=50), setting(recurring_value=0.6)],
    "bootstrap.neighbours-hold": [
        Judged(SURE, [FIRM, PASSING, OPEN]),
        Judged(SURE, [FIRM, BY_ITSELF._replace(chosen_by="sgns/bootstrap")]),
        Judged(SURE, [PASSING, PASSING]),
        Judged(SURE, [OPEN, PASSING]),
        Judged(SURE._replace(runs=4), [OPEN._replace(verdict="not judged")]),
    ],
    "bootstrap.documents-matter": [*_BESIDE, Pair(_BESIDE[0].first._replace(far=True), _BESIDE[0].second)],
}
