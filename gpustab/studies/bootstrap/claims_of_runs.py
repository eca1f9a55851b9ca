"""What the study says itself: which neighbours hold, what drawing the documents again changes, and its alarms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpustab.results import Table
from gpustab.results.page import counted, percent
from gpustab.runs.key import WHOLE
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.claims import WIDER, Pair, is_flat
from gpustab.studies.bootstrap.tables import NEIGHBOURS, SETTINGS, Neighbour, Setting
from gpustab.studies.neighbours.claims import (
    FIRM,
    LEAST_RUNS,
    NONE_IN_ALL,
    OPEN,
    PASSING,
    UNJUDGED,
    some_hold,
    train_more,
)
from gpustab.studies.shared.chance import what_to_do
from gpustab.studies.shared.claims import NOISY, NOISY_RUNS, Claim, Margin, within
from gpustab.studies.shared.frame import merged
from gpustab.studies.shared.unfit import RULE
from gpustab.studies.shared.wording import capital, groups_in_words, listed, number_span, technique, word

NOISE = Margin(0.2, "share of their lists that two runs of the same documents share, below which vectors are noise")


class Judged(NamedTuple):
    """The neighbours of a group's query words that have a verdict."""

    setting: Setting
    rows: Sequence[Neighbour]

    @property
    def kind(self) -> str:
        """What the runs are."""
        return f"{self.setting.runs} bootstrap runs"

    @property
    def p(self) -> float:
        """What part of a list two runs share."""
        return self.setting.p_value

    @property
    def firm(self) -> list[Neighbour]:
        """Those that are firm."""
        return [row for row in self.rows if row.verdict == FIRM]

    @property
    def lead(self) -> str:
        """Of which words the sentence is."""
        queries = {row.query for row in self.rows}
        of = f"{word(len(queries))} query words" if len(queries) > 1 else self.rows[0].query
        return f"{groups_in_words([self.setting.group])}: of the {word(len(self.rows))} nearest words of {of}"

    @property
    def others(self) -> str:
        """How many are passing and open, in sentences; empty where all are firm."""
        counts = {kind: sum(row.verdict == kind for row in self.rows) for kind in (PASSING, OPEN, UNJUDGED)}
        parts = [f"{word(n)} {'is' if n == 1 else 'are'} {verdict}" for verdict, n in counts.items() if n]
        chose = self.rows[0].chosen_by == self.setting.group
        flattered = ["The same runs chose the words, so too many look firm."] * chose
        return " ".join([*([f"{capital(listed(parts))}."] if parts else []), *flattered])


def _some_firm(judged: Judged) -> str:
    firm = judged.firm
    best = _without_repeats(sorted(firm, key=lambda row: (-row.share_low, -row.margin, -row.mean)))[:3]
    named = listed([f"{row.query} – {row.word}" for row in best])
    such = "such as " if len(firm) > len(best) else ""
    verb = "is" if len(firm) == 1 else "are"
    return f"{judged.lead}, {word(len(firm))} {verb} firm over {judged.kind} ({such}{named}). {judged.others}".rstrip()


def _without_repeats(rows: Sequence[Neighbour]) -> list[Neighbour]:
    """The pairs of which no word is in a pair before: bin – laden and laden – bin are one example."""
    kept: list[Neighbour] = []
    for row in rows:
        if not {row.query, row.word} & {word for other in kept for word in (other.query, other.word)}:
            kept.append(row)
    return kept


def _none_firm(judged: Judged) -> str:
    return f"{judged.lead}, none is firm over {judged.kind}. {judged.others}"


HOLD = Claim[Judged](
    id="bootstrap.neighbours-hold",
    says="Some neighbours of the query words hold over bootstrap runs.",
    source="§7, table 5",
    paper=NONE_IN_ALL,
    rule=(
        f"one of them is firm; no if all are passing; no test below {LEAST_RUNS:g} runs, or below {NOISY_RUNS:g} if "
        f"two share less than {percent(NOISY)} of every list"
    ),
    judge=lambda x: (
        "no test" if {row.verdict for row in x.rows} == {UNJUDGED} else some_hold([row.verdict for row in x.rows])
    ),
    sentences={
        "yes": _some_firm,
        "no": _none_firm,
        "undecided": _none_firm,
        "no test": lambda x: (
            f"{groups_in_words([x.setting.group])}: {x.kind} are too few to judge a neighbour. {train_more(x.p)}"
        ),
    },
)


def _leaf(row: Setting) -> str:
    """What bootstrap runs and those of the whole corpus are called: the group without its sampling."""
    parts = [f"{row.unit}s"] * (row.unit != "document")
    parts += [f"{percent(row.fraction)} of the corpus"] * (row.fraction != 1) + [row.part] * bool(row.part)
    name = capital(technique(row.technique))
    return f"{name} ({', '.join(parts)})" if parts else name


def _beside(says: str) -> Callable[[Pair], str]:
    """A sentence on bootstrap runs, with ``{times}`` or ``{ratio}``, beside the whole corpus; with what runs share.

    The ratio is of the cosines of the query words with their nearest words, ``{cosines}``.
    """

    def sentence(pair: Pair) -> str:
        wider = pair.less()
        times, low, high = (math.exp(x) if x == x else math.nan for x in (wider.value, *wider.interval))
        drawn, whole = (10 * row.estimate("p").value for row in pair)
        span = number_span(low, high, 1)
        cosines = f"the cosines of {counted(pair.first.queries, 'query word')} with their nearest words"
        said = says.format(times=f"{times:.1f} times ({span})", ratio=f"{times:.1f}, {span}", cosines=cosines)
        return (
            f"{_leaf(pair.first)}: {said}. "
            f"Of the ten nearest words of a query word, two {pair.second.sampling} runs share {whole:.1f} and two "
            f"bootstrap runs {drawn:.1f}."
        )

    return sentence


DOCUMENTS = Claim[Pair](
    id="bootstrap.documents-matter",
    says="Resampling the documents changes the cosines of near words more than training again.",
    source=WIDER.source,
    paper=WIDER.paper,
    rule=f"{WIDER.rule}. Far: {RULE}; then no interval over runs helps",
    judge=lambda x: "far" if x.unfit else WIDER.judge(x),
    sentences={
        "yes": _beside(
            "resampling the documents makes {cosines} vary {times} as much as training again. This is the ratio of "
            "their SDs over runs; gpustab stability compares all pairs of words"
        ),
        "no": _beside("resampling the documents makes {cosines} vary less than training again, {times} as much"),
        "undecided": _beside(
            "these runs are too few to say whether resampling the documents makes {cosines} vary more than training "
            "again (ratio {ratio})"
        ),
        "far": lambda x: (
            f"{_leaf(x.first)}: {x.unfit.why}. So these runs cannot say whether resampling the documents changes the "
            f"cosines of near words more than training again. {x.unfit.advice}."
        ),
        "no test": _beside(
            "the cosines of near words vary over runs nearly as much as over words. So these runs cannot say whether "
            "resampling the documents changes them more than training again (ratio {ratio})"
        ),
    },
)


def _is_below(estimate: Estimate, bound: float) -> bool:
    """Whether a number surely lies below a bound; without an interval by its value alone."""
    if math.isnan(estimate.interval[0]):
        return estimate.value < bound
    return within(estimate, -math.inf, bound) == "yes"


def is_noise(group: Setting) -> bool:
    """Tell whether runs of the very same documents share less than a fifth of their lists."""
    same_documents = group.sampling in WHOLE
    return same_documents and not is_flat(group) and _is_below(group.estimate("p"), NOISE)


def is_silent(group: Setting, settings: Sequence[Setting]) -> bool:
    """Tell whether an alarm forbids to read a group's numbers: its own, or one on its runs of the whole corpus."""
    family = [other for name in ("shuffled", "fixed") for other in settings if group.is_beside(other, name)]
    return is_flat(group) or any(is_flat(other) or is_noise(other) for other in family)


def verdict(tables: Mapping[str, Table]) -> list[str]:
    """Return the answer in sentences, the first one leads."""
    settings = {row.group: row for row in SETTINGS.rows(tables)}
    rows = [row for row in NEIGHBOURS.rows(tables) if row.verdict]
    every = list(settings.values())
    groups = [name for name in dict.fromkeys(row.group for row in rows) if not is_silent(settings[name], every)]
    sentences = [HOLD.sentence(Judged(settings[name], [row for row in rows if row.group == name])) for name in groups]
    if not rows:
        sentences = [
            "There are no bootstrap runs, so nobody can say whether a neighbour depends on single documents. "
            "Train bootstrap runs."
        ]
    sentences += of_documents(every)
    if groups:
        sentences.append(
            "Bootstrap runs resample these documents. Other documents may differ far more. To see by how much, train "
            "runs on two halves of the documents (train --halves, then stability)."
        )
    return sentences


def of_documents(settings: Sequence[Setting]) -> Iterator[str]:
    """Yield whether resampling the documents changes the neighbours more than training again does."""
    for row in settings:
        if row.sampling == "bootstrap" and not is_silent(row, settings):
            beside = (other for name in ("shuffled", "fixed") for other in settings if row.is_beside(other, name))
            if whole := next(beside, None):
                yield DOCUMENTS.sentence(Pair(row, whole))


def alarms(settings: Sequence[Setting], spaces: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield which groups do not tell near words apart, and whose runs on the very same documents do not agree.

    Args:
        settings: one row a group.
        spaces: by group, what :func:`gpustab.studies.shared.spaces.of_spaces` says; that a flat group is collapsed is
            said with the others.
    """
    flat = [row for row in settings if is_flat(row)]
    level = {row.group for row in flat}
    yield from merged(
        {
            name: [sentence for sentence in sentences if name not in level or _COLLAPSED not in sentence]
            for name, sentences in spaces.items()
        }
    )
    if flat:
        values = sorted(f"{row.mean_value:.3f}" for row in flat)
        span = values[0] if values[0] == values[-1] else f"{values[0]} to {values[-1]}"
        yield (
            f"{_each(flat)}: the space hardly tells near words apart. A query word has a mean cosine of {span} with "
            "its ten closest words. The order of its list is chance, and every SD is small. Train longer."
        )
    noise: dict[str, list[Setting]] = {}
    for row in settings:
        if is_noise(row):
            noise.setdefault(row.technique, []).append(row)
    for name, rows in noise.items():
        shared = max(10 * row.p_value for row in rows)
        yield (
            f"{_each(rows)}: two runs of the same documents share at most {shared:.1f} of ten nearest words. These "
            f"vectors do not represent this corpus. {what_to_do(name)}"
        )


def _each(rows: Sequence[Setting]) -> str:
    return groups_in_words([row.group for row in rows])


_COLLAPSED = "The space is collapsed"
