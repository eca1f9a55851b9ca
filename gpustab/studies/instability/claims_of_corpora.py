"""What the thesis states of several corpora, §2.3 and 2.3.1, and whether these runs show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from gpustab.results import Table
from gpustab.results.page import counted, minus, number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.corpora import CORPORA, OverCorpora, curves, over_corpora
from gpustab.studies.shared.claims import Claim, Margin, Observation, Verdict, above, shown
from gpustab.studies.shared.wording import with_error

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
        f"Spearman's ρ with words per token (eq. 2.43) over corpora lies above 0, with p < {WITH_SIZE_P} by permuted "
        f"corpora; no if below 0. It needs {CORPORA_FROM:g} corpora"
    ),
    judge=_goes_with_size,
    sentences={
        "yes": "a corpus with more different words per token has a larger extrinsic instability",
        "no": "a corpus with more different words per token has a smaller extrinsic instability",
    },
)
CURVES_DIFFER = Claim[Estimate](
    id="instability.curves-over-frequency",
    says="Curves over frequency differ between techniques and agree between languages",
    source="2.3.1, 1",
    paper="Rettenmeier found one shape of curve per technique, the same in all languages",
    rule=(
        "curves over 20 batches of words differ more between techniques of a corpus than between corpora of a "
        "technique, by the 95 % interval of the squared differences; no if less. It needs two techniques on two corpora"
    ),
    judge=lambda more: "no test" if math.isnan(more.value) else above(more, 0),
    sentences={
        "yes": "the curve of instability over frequency differs more between techniques than between corpora",
        "no": "the curve of instability over frequency differs more between corpora than between techniques",
    },
)


def of_corpora(tables: Mapping[str, Table]) -> Iterator[Observation]:
    """Yield what several corpora tell, technique by technique; or that there is one."""
    parts = CORPORA.of(tables).split("trained_by")
    for technique, part in parts:
        over = over_corpora(list(part.rows()))
        rho = minus(shown(over.rho, ".3f"))
        shows = f"ρ = {rho}, p = {shown(over.p, '.2g')} over {counted(over.corpora, 'corpus size')}"
        yield WITH_CORPUS_SIZE.observed(over, technique, shows)
    if not parts:
        yield WITH_CORPUS_SIZE.observed(None, "", "there is one corpus")
    shows, more = "there is one corpus", Estimate(math.nan, math.nan, 0)
    if found := curves(tables):
        more, between, beside = found.more, number(found.corpora, 2), number(found.techniques, 2)
        shows = f"{beside} between techniques, {between} between corpora; difference {with_error(more)}"
    yield CURVES_DIFFER.observed(more, "", shows)
