"""What stability says for papers: title, four numbers, what they allow, methods, what to cite, and all words."""

from __future__ import annotations

from typing import Any, cast

from gpustab.report.origin import embeddings, in_words, sized
from gpustab.report.words import Browsed
from gpustab.results import Card, Content
from gpustab.results.page import counted, number, with_half
from gpustab.runs.key import ENCODER
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.wording import listed, of_list
from gpustab.studies.stability import claims
from gpustab.studies.stability.summary import GroupSummary, leading, sampling_of, share_of_chance

CITATIONS = ("rettenmeier2020", "antoniak2018", "hellrich2016")

WORDS = {
    "words": {
        "count": "times in a run",
        "pip_mean": "PIP loss",
        "pip_se": Browsed("± (loss)", "half"),
        "p@10": "p@10",
        "p@10_se": Browsed("± (p@10)", "half"),
        "p@10_place": Browsed("less stable than", "percent"),
        "least": Browsed("in the least tenth", "percent"),
    }
}


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of how many words were compared."""
    runs = sum(len(group["runs"]) for group in result.groups)
    words = sorted({group["vocabulary"]["joint"] for group in result.groups})
    title = f"How stable are {embeddings(result)}?"
    if not words:
        return title, ""
    return title, sized(runs, words, len(result.groups))


def cards(result: Content) -> list[Card]:
    """Return shared neighbours and losses: of bootstrap runs, and of runs on the same documents."""
    groups = [cast(GroupSummary, group) for group in result.groups]
    chosen = leading(groups)
    return [*(_shared(group) for group in chosen), *(card for group in chosen if (card := _loss_card(group)))]


_AGAIN = {
    "bootstrap": "Draw the documents again",
    "shuffled": "Train again, documents in another order",
    "fixed": "Train again on the same texts",
}


def _shared(group: GroupSummary) -> Card:
    n = group["words"]["n"]
    shared = group["neighbours"][str(n)]
    p = Estimate.of_runs(shared["p"], shared["p_se"], len(group["runs"]))
    span = of_list(p, n, shared["chance_p"])
    fine_tuned = group["name"].startswith(f"{ENCODER}/fixed")
    what = "Fine-tune again" if fine_tuned else _AGAIN.get(sampling_of(group), in_words(group["name"]))
    if group.get("constant"):
        return Card(
            what, "the same", "vectors", f"in all {len(group['runs'])} runs, each with its own seed", sampling_of(group)
        )
    return Card(what, number(n * p.value, 2), f"of {n} neighbours come back", span, sampling_of(group))


def _loss_card(group: GroupSummary) -> Card | None:
    pip, share = group["pip"]["reduced"], share_of_chance(group)
    if not share or group.get("constant"):
        return None
    half = Estimate.of_runs(pip["mean"], pip["se"], len(group["runs"])).half
    what = f"Difference of all cosines, {sampling_of(group) or in_words(group['name'])} runs"
    return Card(what, share, "of chance", f"PIP loss {with_half(pip['mean'], half, 0.0)}", sampling_of(group))


def may_claim(result: Content) -> str:
    """Return what a paper may say of neighbours, by the rule of the lead; nothing where an alarm stands before it."""
    groups = leading([cast(GroupSummary, group) for group in result.groups])
    if result.alarms or not groups:
        return ""
    group, n = groups[0], groups[0]["words"]["n"]
    shared, drawn = group["neighbours"][str(n)], sampling_of(groups[0]) == "bootstrap"
    p = Estimate.of_runs(shared["p"], shared["p_se"], len(group["runs"]))
    said = claims.RETURN.judge(claims.Returning(p, n, shared["chance_p"], sampling_of(group)))
    rest = "" if drawn else " No run drew the documents again, so that all of this holds for these very documents only."
    return _CLAIMS.get(said, _CLAIMS["several runs"]) + rest


_CLAIMS = {
    "two runs": "How near these two runs are, without an interval; no neighbour and no word by itself.",
    "few words": "Nothing of neighbours: so few words were measured that a list holds most of them.",
    "read one": "A neighbour that you read in one run, and the order of words that the tables show with an error.",
    "several runs": (
        "Not a neighbour that you saw in one run. Say in how many runs it is there: a word in the list of all words "
        "opens "
        "its neighbours, and only the firm ones can carry an argument."
    ),
    "single documents": (
        "No neighbour of one run: most hang on single documents. Open a word in the list of all words; only the firm "
        "neighbours there can carry an argument."
    ),
    "next to nothing": "No neighbour: two runs share hardly any. Train longer, or on more text, and measure again.",
}


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    targets = " or ".join(f"{n:,}" for n in sorted({group["targets"]["words"] for group in result.groups}))
    groups, proxy = [_runs_of(group) for group in result.groups] or [""], result.settings.get("proxy")
    sampled = (
        "All pairs of words were compared." if proxy is None else f"Losses are over {proxy:,} words drawn at random."
    )
    return (
        f"We compared {listed(groups)} with gpustab {result.environment.get('gpustab')}. Stability was "
        "measured between all pairs of runs of a group and never across groups: as the reduced PIP loss, half the "
        "root mean square difference of the cosines of all pairs of words, beside the value of unrelated spaces, and "
        "as p@n, the share of a word's n nearest neighbours in one run that are among the n nearest in another "
        f"(n = {', '.join(map(str, result.settings.get('neighbours', ())))}), over {targets} target "
        f"words. {sampled} Intervals are 95 % intervals over runs: the standard error is found by leaving out "
        "one run after the other, and multiplied by Student's t with one degree of freedom less than there are runs."
    )


def _runs_of(group: dict[str, Any]) -> str:
    of = "" if group["name"] == "runs" else f" of {in_words(group['name'])}"  # what runs without a name are called
    words, dimension = group["vocabulary"]["joint"], group["dimension"]
    return f"{counted(len(group['runs']), 'run')}{of} ({words:,} words, {dimension} dimensions)"
