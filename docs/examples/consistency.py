"""Terms of a text, by one background."""

from __future__ import annotations

import math
from typing import Any

from docs.examples import made
from gpustab.studies.consistency.claims import TrainedOn
from gpustab.studies.consistency.claims_of_sums import Placed, Sums
from gpustab.studies.consistency.tables import (
    CLOSEST,
    Contrast,
    Domain,
    Grouped,
    ModelNumbers,
    OwnVectors,
    Size,
    Split,
    TextPair,
    Updates,
    WordRanks,
)


def model(auc: float = 0.68, reach: float = 0.04, **values: Any) -> ModelNumbers:
    """Twenty terms by sums on three runs of a background."""
    numbers = {"group": "sgns/shuffled", "runs": 3, "terms": 20, "same": 0.919, "null": 0.884, "excess": 0.035}
    numbers |= {"auc": auc, "auc_low": auc - reach, "auc_high": auc + reach, "auc_sd": 0.01, "beyond_low": None}
    return made(ModelNumbers, **numbers | {"beyond_high": None, "documents_auc": 0.55, "among": 118.0} | values)


def _texts(auc: float, same: float, reach: float = 0.02, **values: Any) -> TextPair:
    """Two texts by their differences."""
    numbers = {"text": "Walden", "against": "Emma", "words": 240, "terms": 20, "terms_against": 20, "null": 0.88}
    numbers |= {"same": 0.92, "same_against": 0.92 - same, "same_low": same - reach / 4, "same_high": same + reach / 4}
    numbers |= {"auc": 0.72, "auc_against": 0.72 - auc, "auc_low": auc - reach, "auc_high": auc + reach}
    return made(TextPair, **numbers | {"null_against": 0.86} | values)


def _split(p: float, permuted: str = "documents") -> Split:
    return made(Split, permuted=permuted, terms=20, halves=0.907, random=0.935, p=p)


def _contrast(auc: float, reach: float = 0.02, same: float = -0.1, **values: Any) -> Contrast:
    numbers: dict[str, Any] = {
        "model": "Nonce2Vec",
        "against": "sums",
        "auc": auc,
        "auc_low": auc - reach,
        "auc_high": auc + reach,
    }
    numbers |= {"same_low": same - 0.05, "same_high": same + 0.05, "same": same, "terms": 20}
    numbers |= {"beyond_low": None, "beyond_high": None}
    return made(Contrast, **numbers | values)


def _size(n: int | None, same: float, reach: float = 0.01) -> Size:
    ends = {"same_low": same - reach, "same_high": same + reach}
    return made(Size, n=n, mean=31.4, terms=20, same=same, c=1.93, law=same - 0.004, **ends)


def _own(excess: float, reach: float = 0.05, terms: int = 20) -> OwnVectors:
    ends = {"excess": excess, "excess_low": excess - reach, "excess_high": excess + reach}
    return made(OwnVectors, model="sums", terms=terms, cosine=0.48, null=0.48 - excess, place=312.0, **ends)


def _domain(terms_of: str, excess: float, terms: int = 12, reach: float = 0.03) -> Domain:
    ends = {"excess": excess, "excess_low": excess - reach, "excess_high": excess + reach}
    return made(Domain, terms_of=terms_of, terms=terms, cosine=0.735, null=0.735 - excess, **ends)


def _placed(place: float, rank: float, low: float) -> Placed:
    return Placed(model(rank=rank, auc_low=low), made(WordRanks, both=place, words=8412))


_BELOW, _ABOVE = _contrast(-0.12), _contrast(0.12, same=0.1)
_LARGE = 2.0
_OTHER = "high in both"

EXAMPLES = {
    "consistency.told-apart": [
        model(),
        model(beyond_low=0.05, beyond_high=0.21),
        model(beyond_low=-0.02, beyond_high=0.06, documents_auc=0.66),
        model(0.49),
        model(0.52, 0.12),
        model(terms=2),
        model(terms=1),
    ],
    "consistency.trained-on": [
        TrainedOn("Walden", ["sgns/shuffled"], False),
        TrainedOn("Walden", ["sgns/shuffled", "lsa/shuffled"], True),
        TrainedOn("Walden", [], False),
    ],
    "consistency.halves-differ": [
        _split(0.01),
        _split(0.34),
        _split(0.34, "blocks"),
        _split(math.nan, "3 documents"),
        _split(math.nan),
    ],
    "consistency.better-text": [_texts(0.08, 0.0), _texts(-0.08, 0.0), _texts(0.01, 0.0), _texts(0.08, 0.0, terms=2)],
    "consistency.higher-cosine": [
        _texts(0.08, 0.03),
        _texts(0.08, -0.03),
        _texts(-0.08, 0.03),
        _texts(0.01, -0.03),
        _texts(0.08, 0.001),
        _texts(0.01, 0.001),
        _texts(0.08, 0.03, terms=2),
    ],
    "consistency.mostly-common": [
        Sums(model(), model(same=0.41, null=0.22)),
        Sums(model(excess=0.3, null=0.62), model(same=0.41, null=0.22)),
    ],
    "consistency.near-as-sums": [_placed(1.002, 31.4, 0.46), _placed(1.002, 1.4, 0.9)],
    "consistency.grows": [
        [_size(8, 0.91)],
        [_size(1, 0.71), _size(8, 0.91), _size(None, 0.96)],
        [_size(1, 0.905, 0.02), _size(8, 0.91)],
    ],
    "consistency.groups-nearer": [
        Grouped("g", "MiniLM", 24, 4, 0.91, 0.85, 0.97, 0.62, 0.14, 0.42, 24),
        Grouped("g", "MiniLM", 24, 4, 0.66, 0.58, 0.74, 0.64, -0.06, 0.1, 21),
        Grouped("g", "MiniLM", 60, 4, 0.5, 0.46, 0.54),
        Grouped("g", "MiniLM", 12, 4, 0.6, 0.4, 0.8),
        Grouped("g", "MiniLM", 6, 2, 0.9, 0.8, 1.0),
    ],
    "consistency.surer": [
        model(runs=1),
        model(),
        model(reach=0.004, auc_sd=0.02),
        model(reach=0.02, auc_sd=0.016),
        model(terms=2),
    ],
    "consistency.better-model": [
        _ABOVE,
        _contrast(0.12),
        _BELOW,
        _contrast(-0.12, same=0.1),
        _contrast(0.01),
        _contrast(0.01, same=0.0),
        _contrast(0.01, 0.09),
        _contrast(0.12, beyond_low=-0.03, beyond_high=0.08),
    ],
    "consistency.sums-first": [
        [_BELOW, _contrast(0.01)._replace(model="SVD")],
        [_BELOW, _ABOVE._replace(model="SVD")],
        [_contrast(0.01, same=-0.02)],
        [_contrast(0.01, terms=2)],
        [],
    ],
    "consistency.read-by-nonce": [
        [made(Updates, updates=x) for x in updates] for updates in ((0.1, 0.0), (21.0, 12.0), (21.0, 1.3, 0.1))
    ],
    "consistency.own-nearer": [_own(0.2), _own(-0.2), _own(0.02), _own(0.2, terms=2)],
    "consistency.closest": [
        [_domain(CLOSEST, 0.3), _domain(_OTHER, 0.1)],
        [_domain(CLOSEST, 0.1), _domain(_OTHER, 0.3)],
        [_domain(CLOSEST, 0.2), _domain(_OTHER, 0.19)],
        [_domain(CLOSEST, 0.3, 1), _domain(_OTHER, 0.1)],
        [_domain(_OTHER, 0.1)],
        [_domain(CLOSEST, 0.3, 5)],
    ],
}
