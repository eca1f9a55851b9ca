"""What the thesis states of several corpora, §2.3 and 2.3.1, and whether these runs show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.corpora import CORPORA, OverCorpora, curves, over_corpora
from gpustab.studies.shared.claims import Claim, Margin, Observation, Verdict, above, shown

CORPORA_FROM = Margin(5, "corpora of different sizes: of fewer not even a perfect order has p < 0.05")
WITH_SIZE_P = Margin(0.05, "p-value by permuted corpora below which the extrinsic instability goes with their size")


def _goes_with_size(over: OverCorpora | None) -> Verdict:
    """By ρ and its p.

    Of sizes that have nothing to do with it 2 to 6 % of 300 sets of corpora are judged; where ρ is about 0.9, a fifth
    of the sets of five corpora, half of those of six, three in four of seven, and nine in ten of nine.
    """
    if over is None or over.corpora < CORPORA_FROM:
        return "no test"
    if not over.p < WITH_SIZE_P:
        return "undecided"
    return "yes" if over.rho > 0 else "no"


WITH_CORPUS_SIZE = Claim[OverCorpora | None](
    id="instability.extrinsic-with-corpus-size",
    says="The extrinsic instability falls with corpus size and rises with vocabulary size",
    source="2.3, 4",
    paper="Rettenmeier found ρ = 0.715 (word2vec), 0.143 (GloVe) and 0.536 (fastText) over seven languages",
    rule=(
        f"Spearman's ρ over corpora with words per token (eq. 2.43) above 0, p < {WITH_SIZE_P} by permuted corpora; no "
        f"if below 0; wants {CORPORA_FROM:g} corpora"
    ),
    judge=_goes_with_size,
    sentences={
        "yes": "a corpus of more different words per token has a larger extrinsic instability",
        "no": "a corpus of more different words per token has a smaller extrinsic instability",
    },
)
CURVES_DIFFER = Claim[Estimate](
    id="instability.curves-over-frequency",
    says="Curves over frequency differ between techniques and agree between languages",
    source="2.3.1, 1",
    paper="Rettenmeier found curves of one shape in all languages, another for each technique",
    rule=(
        "squared differences of curves over 20 batches of words, between techniques of a corpus less those between "
        "corpora of a technique: 95 % interval over batches and runs above 0; no if below; wants two techniques on two "
        "corpora"
    ),
    judge=lambda more: "no test" if math.isnan(more.value) else above(more, 0),
    sentences={
        "yes": "how instability depends on frequency differs more between techniques than between corpora",
        "no": "how instability depends on frequency differs more between corpora than between techniques",
    },
)


def of_corpora(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what several corpora tell, technique by technique; or that there is one."""
    parts = CORPORA.of(tables).split("trained_by")
    for technique, part in parts:
        over = over_corpora(list(part.rows()))
        shows = f"ρ = {shown(over.rho, '+.3f')}, p = {shown(over.p, '.2g')} over {over.corpora} corpora"
        yield WITH_CORPUS_SIZE.observed(over, technique, shows)
    if not parts:
        yield WITH_CORPUS_SIZE.observed(None, "", "one corpus")
    shows, more = "one corpus", Estimate(math.nan, math.nan, 0)
    if found := curves(tables):
        more, between, beside = found.more, number(found.corpora, 2), number(found.techniques, 2)
        shows = f"{beside} between techniques, {between} between corpora: {more.text()} more"
    yield CURVES_DIFFER.observed(more, "", shows)
