"""What change says for papers: its title, four numbers, what they allow, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.report.origin import corpus as corpus_of
from gpustab.report.origin import embeddings
from gpustab.results import Card, Content
from gpustab.results.page import counted, number
from gpustab.studies.change import tables
from gpustab.studies.change.claims import BEYOND_SAMPLING
from gpustab.studies.change.claims_of_splits import differ_too, placebos
from gpustab.studies.change.differences import at_random, beyond, spanned
from gpustab.studies.shared.wording import listed, signed_span

CITATIONS = ("rettenmeier2020",)


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many periods and runs answer it."""
    runs = sum(sum(group["runs"]) for group in result.groups)
    periods = max((len(group["epochs"]) for group in result.groups), default=0)
    text = corpus_of(result)
    made = embeddings(result, "") if text else ""
    title = f"What changed between the periods{f' in {made}' if made else ''}, beyond noise?"
    return title, f"{counted(periods, 'period')} · {counted(runs, 'run')}"


def _verdicts(result: Content) -> list[tuple[str, tables.Pair]]:
    """The pairs of periods of the series that answer the question, and what the rule of sampling is worth of them."""
    return [
        ("at random" if differ_too(beside) else BEYOND_SAMPLING.judge(beside.pair), beside.pair)
        for beside in placebos(tables.PAIRS.of(result.tables))
    ]


def cards(result: Content) -> list[Card]:
    """Return how far words moved between the periods that differ most, beside what moves them where nothing changed."""
    verdicts = _verdicts(result)
    if not verdicts:
        return []
    _, row = max(verdicts, key=lambda one: (one[0] == "more", one[1].change))
    unlike = f"0: used alike; {number(row.unlike, 2)}: two different words"
    splits = tables.splits_of(tables.PAIRS.of(result.tables), row)
    others = (
        *([] if splits else [("Two runs of one period differ by", row.training_floor, row.training_se, _TRAINING)]),
        ("Two samplings of one period differ by", row.sampling_floor, row.sampling_se, _SAMPLING),
    )
    moved = row.estimate(row.change, row.change_se)
    made = [_card(f"From {row.first} to {row.second}, words moved by", moved.value, moved.half, unlike)]
    made += [
        _card(what, value, row.estimate(value, se).half, why)
        for what, value, se, why in others
        if value is not None and value == value
    ]
    if row.sampling_floor is not None and (ends := beyond(row))[0] == ends[0]:
        made.append(Card("The change beyond sampling is", signed_span(*ends), "", "95 %; above 0 is a change"))
    value, half = at_random(row, splits)
    if value == value:
        without = ", without training noise" if tables.beside_splits(row) == "corrected" else ""
        one = ", over runs of one split" if len(splits) == 1 else ""
        why = f"nothing changed between them{without}{one}"
        made.append(_card("Documents dealt out at random differ by", value, half, why))
    return made


_TRAINING = "the training noise"
_SAMPLING = "training and the choice of documents"


def _card(about: str, value: float, half: float, why: str) -> Card:
    """Return a card with a number, its 95 % interval if it has one, and what it stands for."""
    shown, _, span = spanned(value, half).partition(" (")
    return Card(about, shown, "", f"{span.removesuffix(')')}; {why}" if span else why)


def may_claim(result: Content) -> str:
    """Return what a paper may say of the periods."""
    said: dict[str, list[str]] = {}
    for verdict, pair in _verdicts(result):
        said.setdefault(verdict, []).append(f"from {pair.first} to {pair.second}")
    told = [
        text.format(listed(list(dict.fromkeys(said[verdict])))) for verdict, text in _CLAIMS.items() if verdict in said
    ]
    return " ".join([*told, *([_MEANING] if "more" in said else [])])


_CLAIMS = {
    "more": "That the contexts of words differ {} more than the sampling of documents explains.",
    "at random": "Nothing about a change {}: documents dealt out at random differ by the same rule.",
    "no more": "That contexts differ {} no more than two samplings of one period's documents.",
    "open": "Nothing about a change {}: these runs cannot tell it from sampling.",
    "no spread": "Nothing about a change {}: equal runs give no interval.",
    "too noisy": "Nothing about a change {}: the training noise is too large.",
    "no test": "Nothing about a change {}: nobody measured what sampling alone does.",
}
_MEANING = "Not that meanings changed: topics, authors and register change contexts too."


def _aligned(result: Content) -> str:
    anchors = len(result.settings.get("anchors", ()))
    return {
        "anchors": f"aligned by orthogonal Procrustes over {anchors:,} anchor words, taken for unmoved",
        "none": "taken as they are, in one frame",
    }.get(result.settings.get("align", "all"), "aligned by orthogonal Procrustes over their joint vocabulary")


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    standard = "in every pair of periods" if result.settings.get("per_pair") else "over all pairs of periods together"
    count, version = result.settings.get("min_count"), result.environment.get("gpustab")
    return (
        f"Spaces of consecutive periods were {_aligned(result)}, and the "
        f"change of a word is one minus the cosine of its vectors, with gpustab {version} after Rettenmeier (2020). It "
        "was measured between all pairs of a run of each period, between the aligned averages of all runs, and "
        "corrected for training noise by the mean cosines of runs within each period. Errors are by the jackknife over "
        f"the runs of both periods. Words count that occur at least {count} times in both. The effect of frequency is "
        "from a linear mixed model with a random intercept per word (REML), both variables being logarithms that were "
        f"standardised {standard}; shares of variance are those of Nakagawa and Schielzeth (2013)."
    )
