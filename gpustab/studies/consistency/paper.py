"""What consistency says for papers: title, four numbers, what they allow, methods, what to cite, and its terms."""

from __future__ import annotations

from gpustab.report.origin import embeddings
from gpustab.results import Card, Content
from gpustab.results.page import counted
from gpustab.results.table import titles
from gpustab.studies.consistency import tables
from gpustab.studies.consistency.claims import TOLD_APART
from gpustab.studies.consistency.tables import ADDITIVE, CONSISTENCY, ENCODER, ModelNumbers, as_cosine
from gpustab.studies.shared.wording import listed, number_span

CITATIONS = ("bloem2019",)
WORDS = {"terms": titles(tables.TermNumbers, "occurrences", "sentences", "same", "null", "auc", "rank", "own")}


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what was looked at."""
    texts = list(dict.fromkeys(group["text"] for group in result.groups))
    made = embeddings(result, "vectors")
    if not texts:
        return "How well does a text distinguish its terms?", ""
    names = list(dict.fromkeys(row.model.replace("Encoder", "encoder", 1) for row in _encoders(result)))
    asked = f"How well does {texts[0]} distinguish" if len(texts) == 1 else f"How well do {listed(texts)} distinguish"
    terms = {group["text"]: f"{counted(group['terms'], 'term')} of {group['text']}" for group in result.groups}
    samples = max(group["samples"] for group in result.groups)
    about = f"{listed(list(terms.values()))} · up to {counted(samples, 'sample')}"
    return f"{asked} {'its' if len(texts) == 1 else 'their'} terms, by {listed([f'sums of {made}', *names])}?", about


def _leading(result: Content) -> ModelNumbers | None:
    """The sums of the first background and text, which the page leads with."""
    return next(CONSISTENCY.rows(result.tables, model=ADDITIVE), None)


def _encoders(result: Content) -> list[ModelNumbers]:
    return [row for row in CONSISTENCY.rows(result.tables) if row.model.startswith(ENCODER)]


def _often(row: ModelNumbers, by: str) -> Card:
    span = number_span(max(100 * row.auc_low, 0), min(100 * row.auc_high, 100), 0)
    title = f"One term's samples are more alike than two terms'{by}"
    return Card(title, f"{100 * row.auc:.0f}", "of 100 comparisons", f"{span}; by chance 50")


def cards(result: Content) -> list[Card]:
    """Return how often two samples of one term are the more alike, beside made-up words, and both cosines.

    Where an encoder was asked about, its share stands first, and the cosines of sums are left to the page.
    """
    row = _leading(result)
    if row is None:
        return []
    if encoders := [one for one in _encoders(result) if one.group == row.group]:
        return [*(_often(one, f", by {one.model}") for one in encoders[:3]), _often(row, ", by sums")]
    made = [_often(row, "")]
    if row.documents_auc is not None:
        made.append(
            Card(
                "Made-up words in the same documents reach",
                f"{100 * row.documents_auc:.0f}",
                "of 100",
                "what the documents alone do",
            )
        )
    both = (
        ("Two samples of one term", row.same, row.same_low, row.same_high),
        ("Samples of two terms", row.null, row.null_low, row.null_high),
    )
    return [
        *made,
        *(
            Card(f"{name} have the cosine", as_cosine(value), "", number_span(low, high, 2))
            for name, value, low, high in both
        ),
    ]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the leading background and text."""
    row = _leading(result)
    if result.alarms or row is None:
        return ""
    encoders = [one for one in _encoders(result) if one.group == row.group]
    by = [f"By {one.model}: " for one in encoders] + (["By sums: "] if encoders else [""])
    return " ".join(
        by + _CLAIMS[TOLD_APART.judge(one)].format(text=one.text) for by, one in zip(by, [*encoders, row], strict=True)
    )


_CLAIMS = {
    "apart": (
        "That {text} distinguishes its terms more often than chance does, with the number and its interval. Not that "
        "a term has one vector: no cosine of this page means anything by itself."
    ),
    "documents": "That samples from the same documents are alike. Not that {text} distinguishes its terms.",
    "alike": "That these vectors do not distinguish the terms of {text}.",
    "open": "Neither that {text} distinguishes its terms nor that it does not. Take more terms.",
    "few": "Nothing about {text}. Take more terms.",
}


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    if not result.groups:
        return ""
    s, first = result.settings, result.groups[0]
    how = (
        f"up to {s['samples']} non-overlapping random samples of up to {s['sentences']} sentences"
        if s["split"] == "random"
        else "all its sentences in each half of the text"
    )
    copies = "" if s["sample_file"] else "duplicate sentences left out first, "
    how = "the samples of a given file" if s["sample_file"] else how
    several = (
        " Texts were compared by samples cut at random to one number of context words, with errors over the terms of "
        "each text and over the runs of the background."
        if tables.TEXTS.name in result.tables
        else ""
    )
    tuned = (
        " Nonce2Vec's setting was chosen from the paper's grid by the area under the curve on 70 % of the terms, drawn "
        f"at random, and is reported on the others (seed {s['seed']})."
        if any("tuned" in model for model in CONSISTENCY.of(result.tables).get("model", ()))
        else ""
    )
    return (
        f"Consistency was measured with gpustab {result.environment.get('gpustab')}, after Bloem et al. (2019): of "
        f"each of {counted(first['terms'], 'term')}, {how} were taken, {copies}and the background "
        f"vectors of the context words ({s['window']} words within the sentence, subsampled at {s['subsample']:g}) "
        "were added. Cosines of samples of one term are compared with those of samples of different terms without a "
        "common sentence (area under the curve over all pairs of both); the same was done without the mean background "
        "vector of the text's words. Intervals are 95 % by jackknife over terms." + several + tuned
    )
