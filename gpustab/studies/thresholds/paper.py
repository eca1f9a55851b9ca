"""What thresholds says for papers: its title, four numbers, what they allow, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.report.origin import embeddings, sized
from gpustab.report.svg.colours import series
from gpustab.results import Card, Content
from gpustab.results.page import counted, percent
from gpustab.studies.shared.observations import judged_by
from gpustab.studies.shared.wording import listed, number_span, the_runs
from gpustab.studies.thresholds.claims import MEANINGFUL, Threshold, cosine, proven_near, thresholds_of
from gpustab.studies.thresholds.tables import THRESHOLDS, OverRuns

CITATIONS = ("elekes2018",)


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of how many words were looked at."""
    runs = sum(len(group["runs"]) for group in result.groups)
    words = sorted({group["words"] for group in result.groups})
    made = embeddings(result, "")
    title = f"When is the similarity of two words meaningful{f' in {made}' if made else ''}?"
    if not words:
        return title, ""
    return title, sized(runs, words, len(result.groups))


def _proven(result: Content) -> list[Threshold]:
    """The thresholds that the words prove near where they are, of groups whose numbers no alarm forbids to read."""
    verdicts = judged_by(result.tables, MEANINGFUL)
    rows = list(THRESHOLDS.rows(result.tables, kind="value"))
    return [one for one in thresholds_of(rows) if verdicts.get(one.chance.group) == "yes"]


def cards(result: Content) -> list[Card]:
    """Return both thresholds of the first group that has one, the pairs below, and what training does; or how few."""
    first = next(iter(_proven(result)), None)
    if first is None:
        known = [group for group in result.groups if group["baseline"]]
        pairs = max((group["baseline"]["pairs"] for group in known), default=0)
        words = f"{known[0]['baseline']['words']:,} words" if known else ""
        return [
            Card("Proven thresholds", "none", f"in {counted(len(result.groups), 'group')}"),
            Card("Pairs of words that the baseline knows", f"{pairs:,.0f}", "", words),
        ]
    row, style = first.chance, series(group["name"] for group in result.groups)[first.chance.group].style
    made = [
        Card("More related than the average pair", cosine(row.mean), "and above", f"by the words {_span(row)}", style),
        Card("Of all pairs of words lie below", percent(row.below), "", "no more related than the average pair", style),
    ]
    if proven_near(first.clear):
        made.append(
            Card(
                "Clear of the least similar 1 %",
                cosine(first.clear.mean),
                "and above",
                f"by the words {_span(first.clear)}",
                style,
            )
        )
    if row.sd is not None:
        made.append(
            Card(
                "Retraining moves the threshold by", f"{row.sd:.3f}", "(SD)", f"over {counted(row.found, 'run')}", style
            )
        )
    return made


def _span(row: OverRuns) -> str:
    return number_span(row.proven_from or 0.0, row.proven_to or 0.0, 2)


def may_claim(result: Content) -> str:
    """Return what a paper may say of the thresholds that the words prove."""
    proven = [
        f"{cosine(one.chance.mean)} ({_span(one.chance)}) in {the_runs(one.chance.group)}" for one in _proven(result)
    ]
    if not proven:
        return "" if result.alarms else "No threshold: these words do not prove one."
    return (
        f"That two words are on average more closely related than the average pair above a cosine of {listed(proven)}. "
        "Nothing about one single pair, and nothing about other vectors: a threshold holds for the vectors that it was "
        "measured in."
    )


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    base = next((group["baseline"] for group in result.groups if group["baseline"]), None)
    if base is None:
        return ""
    confidence = result.settings.get("confidence", 0.99)
    return (
        f"Thresholds of cosine similarity were found with gpustab {result.environment.get('gpustab')}, after Elekes et "
        f"al. (2018). All pairs of {base['words']:,} words that the baseline knows ({base['name']}) were grouped by "
        "their cosine in steps of 0.01, in every run by itself. A threshold is the lowest cosine from which on the "
        "mean of the baseline, made monotone by weighted least squares, is above that of all pairs, or a tenth of a "
        "standard deviation above that of the least similar 1 % of the pairs. Where it surely lies was tested step by "
        f"step from the most similar pairs down, one-sided at {percent(confidence)}, with standard errors that take "
        "pairs which share a word for dependent, and words for independent; errors over runs are 95 % intervals by "
        "Student's t. The thresholds of the paper are by Welch's test between groups."
    )
