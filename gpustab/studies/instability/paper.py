"""What instability says for papers: its title, four numbers, what they allow, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.report.origin import embeddings
from gpustab.report.origin import technique as called
from gpustab.results import Card, Content
from gpustab.results.page import counted, number, percent
from gpustab.studies.instability.answers import losses_of, rivals_of, silent_of
from gpustab.studies.instability.claims_of_averages import AVERAGING_HELPS, largest_averages
from gpustab.studies.instability.claims_of_losses import MOST_STABLE
from gpustab.studies.instability.corpora import place_of
from gpustab.studies.instability.losses import LOSSES, Loss
from gpustab.studies.shared.claims import BOOTSTRAP_IS, DOCUMENTS_MATTER
from gpustab.studies.shared.wording import group_in_words, listed, number_span, word

CITATIONS = ("rettenmeier2020",)


def heading(result: Content) -> tuple[str, str]:
    """Return the title, and how many runs of which techniques were studied."""
    runs = sum(len(names) for group in result.groups for names in group["runs"].values())
    places = [place_of(result.tables)(str(group["name"])) for group in result.groups]
    techniques = listed(list(dict.fromkeys(called(by) for by, _ in places)))
    corpora = len({corpus for _, corpus in places})
    about = f"{counted(runs, 'run')} of {techniques}" if techniques else ""
    about += f" on {word(corpora)} corpora" if corpora > 1 else ""
    return f"How unstable are {embeddings(result)}, and why?", about


def _spoken(result: Content) -> list[str]:
    silent = silent_of(result.groups)
    return [str(group["name"]) for group in result.groups if group["name"] not in silent]


def cards(result: Content) -> list[Card]:
    """Return how far two runs differ: of one technique also beside other documents and averages."""
    names = _spoken(result)
    losses = [row for name in names for row in LOSSES.rows(result.tables, technique=name) if row.sampling in _AGAIN]
    made = [_loss_card(row, several=len(names) > 1) for row in losses if row.chance > 0]
    if len(names) != 1:
        return made
    if both := losses_of(result.tables, names[0]):
        value, _, times = both.times.partition(" times ")
        made.append(
            Card(
                "Resampling these documents changes the cosines", value, "times as much as training", times.strip("()")
            )
        )
    if level := largest_averages(result.tables, names[0]):
        about = f"Averages of {counted(level.runs_beneath, 'shuffled run')} differ"
        made.append(
            Card(
                about,
                percent(level.ratio_cosine),
                "of what runs differ",
                f"independent errors: {percent(level.runs_beneath**-0.5)}",
            )
        )
    return made


_AGAIN = {"shuffled": "Training again", "bootstrap": "Drawing the documents again"}


def _loss_card(row: Loss, *, several: bool) -> Card:
    low, high = (end / row.chance for end in row.loss.interval)
    span = "no interval" if low != low else f"{number_span(100 * max(low, 0.0), 100 * high, 0)} %"
    of = f" ({called(row.technique)})" if several else ""
    about = f"{_AGAIN[row.sampling]} changes all cosines by{of}"
    return Card(
        about,
        percent(row.reduced_pip / row.chance),
        "of chance",
        f"{span}; PIP loss {number(row.reduced_pip, 2)}",
        row.sampling,
    )


def may_claim(result: Content) -> str:
    """Return what a paper may say of the techniques that get a verdict."""
    said, names = [], _spoken(result)
    for name in names:
        both = losses_of(result.tables, name)
        if both and (what := _DOCUMENTS.get(DOCUMENTS_MATTER.judge(both))):
            said.append(what.format(f" of {group_in_words(name)}" if len(names) > 1 else ""))
    said += [
        _RIVALS[MOST_STABLE.judge(rivals)].format(group_in_words(rivals.first), group_in_words(rivals.keeps))
        for rivals in rivals_of(result.tables, names)
        if MOST_STABLE.judge(rivals) in _RIVALS
    ]
    helps = [
        name
        for name in names
        if (level := largest_averages(result.tables, name)) and AVERAGING_HELPS.judge(level) == "helps"
    ]
    if helps:
        of = f" of {listed([group_in_words(name) for name in helps])}" if len(names) > 1 else ""
        said.append(f"That averages of runs{of} are more stable than single runs.")
    if not said:
        return "" if result.alarms else "How far these runs differ, with the intervals. They allow no other statement."
    bootstrap = [BOOTSTRAP_IS] if any(LOSSES.rows(result.tables, sampling="bootstrap")) else []
    return " ".join([*said, "All of it holds for this text and these settings.", *bootstrap])


_RIVALS = {
    "first": "That {0} is the most stable of these techniques, by the cosines of all words.",
    "measures disagree": (
        "That {0} is the most stable of these techniques by the cosines of all words, and {1} by nearest neighbours."
    ),
}
_DOCUMENTS = {
    "matter": "That the vectors{} depend on the choice of the documents more than on the training.",
    "hardly": "That the choice of the documents hardly matters for the vectors{}.",
}


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    settings = result.settings
    return (
        f"With gpustab {result.environment.get('gpustab')}, after Rettenmeier (2020), instability was measured "
        "between all "
        "pairs of runs as the reduced PIP loss, half the root mean square difference of the cosines of all pairs of "
        "words: "
        "intrinsic between shuffled runs, extrinsic as √(bootstrap² − shuffled²). Shared neighbours are p@n, the "
        "share of a "
        f"word's n nearest neighbours that two runs have in common. {settings.get('pairs', 0):,} random word pairs and "
        f"{settings.get('targets', 0):,} target words were drawn for tests of distributions (seed "
        f"{settings.get('seed')}). "
        "Averages are trees of orthogonal Procrustes. Errors are by the jackknife over runs, intervals by Student's "
        "t at "
        "95 %; each claim is judged by the rule that is given with it."
    )
