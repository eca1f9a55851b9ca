"""The page of factors of stability: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.report import Result
from gpustab.report.origin import embeddings, in_words, sized
from gpustab.results import Block, Card, Content, SmallTable
from gpustab.results.page import Columns, percent, signed
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import by_chance, rules, verdicts
from gpustab.studies.shared.wording import WORDS_DEPEND, capital, listed, number_span, sampling_of, signed_span
from gpustab.studies.words.claims import EFFECTS, PARTS_OF, Effect, Part, matters
from gpustab.studies.words.factors import CLASSES, FACTORS, PART_OF_SPEECH
from gpustab.studies.words.measured import FITS, LOSS

CITATIONS = ("wendlandt2018", "pierrejean2018", "burdick2021", "rettenmeier2020")
_ASIDE = (
    "An effect says what a factor does while all others stay the same. “Alone” says how the factor goes with stability "
    "while nothing stays the same. Where the two differ, other factors do what this one seems to do: a rare word is in "
    "few documents too. Effects are of these words in these runs; they are no causes. Frequency is taken out by a "
    "curve; its effect is that of the line through the curve. The cosine with the nearest word is read from the same "
    "vectors as the stability, so it explains nothing by itself. " + WORDS_DEPEND
)
_PAPERS = (
    "Burdick, Kummerfeld and Mihalcea (2021) ask the same of languages, and find that stability goes with grammar, "
    "such as affixes and gender; one run set is of one language and cannot show that. The part of speech is that of "
    "most of a word's senses in WordNet, whatever the sentence."
)


def page(result: Result) -> list[Block]:
    """Return the effects of every group, how much they tell together, the papers, and the rules."""
    blocks = [block for group in result.groups for block in _group(result, group["name"])]
    rows = OBSERVED.of(result.tables)
    if rows.height:
        chance = by_chance(rows.rows())
        blocks.append(Block("What did others find?", tables=[verdicts(rows)], answer=chance, aside=_PAPERS))
        blocks += rules(rows)
    return blocks


def _group(result: Result, group: str) -> list[Block]:
    effects = list(EFFECTS.rows(result.tables, group=group))
    if not effects:
        return []
    several = len(result.groups) > 1
    first = group == result.groups[0]["name"]
    of = f"{in_words(group)}: " if several else ""
    tables = [_effects(result, group, measure) for measure in dict.fromkeys(row.measure for row in effects)]
    title = f"{of}what makes words stable?"
    figures = ["factors"] if first else []
    blocks = [Block(title[:1].upper() + title[1:], [], tables, figures, aside=_ASIDE if first else "")]
    title = f"{of}how much do these factors tell together?"
    return [*blocks, Block(title[:1].upper() + title[1:], _fits(result, group), folded=several and not first)]


def _effects(result: Result, group: str, measure: str) -> SmallTable:
    parts = {row.factor: row for row in PARTS_OF.rows(result.tables, group=group, measure=measure)}
    rows = sorted(EFFECTS.rows(result.tables, group=group, measure=measure), key=lambda row: -abs(row.effect))
    by = f"Stability by {measure}" + (", the word's loss turned round" if measure == LOSS else "")

    def adds(row: Effect) -> str:
        part: Part | None = parts.get(PART_OF_SPEECH if row.factor in CLASSES else row.factor)
        return "–" if part is None else percent(part.partial, 1)

    gained = "% of loss less" if measure == LOSS else "neighbours more"
    columns: Columns = [
        ("factor", lambda row: FACTORS[row.factor].title + (", beside nouns" if row.factor in CLASSES else "")),
        ("effect", lambda row: signed(row.effect)),
        ("95 % interval", lambda row: signed_span(row.low, row.high), "errors over runs and over words together"),
        ("SE over runs", ("runs_se", 2), "standard error: what other runs would change"),
        ("SE over words", ("words_se", 2), "standard error: what other words would change"),
        ("alone", lambda row: signed(row.alone), "correlation with stability, nothing else the same"),
        ("adds", adds, "partial R²: part of what all others leave unexplained; of all parts of speech together"),
        (gained, lambda row: signed(row.change, 1), "the effect in the unit of the measure"),
        ("if a word", lambda row: row.step.removeprefix("if a word").lstrip(), "by which step of the factor"),
    ]
    return SmallTable.of(by, rows, columns, Effect)


def _fits(result: Result, group: str) -> list[tuple[str, str, str]]:
    facts = []
    for row in FITS.rows(result.tables, group=group):
        span = number_span(100 * max(row.low, 0.0), 100 * row.high, 0)
        said = f"of the differences between {row.words:,} words ({span} %)"
        facts.append((f"all factors explain, by {row.measure}", percent(row.r2), said))
        if row.held_out == row.held_out:
            facts.append(
                (
                    f"judged by other runs, by {row.measure}",
                    percent(row.held_out),
                    f"fitted on half of the runs, where they explain {percent(row.half_r2)}, and judged by the other "
                    f"half; the stability in one half goes with that in the other by r = {row.most:.2f}, so that no "
                    f"factors could explain more than {percent(row.most)}",
                )
            )
    if all(row.held_out != row.held_out for row in FITS.rows(result.tables, group=group)):
        facts.append(("judged by other runs", "–", "that takes four runs"))
    return facts


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs of how many words answer it."""
    made = embeddings(result, "")
    title = f"Why are some words less stable than others{f' in {made}' if made else ''}?"
    runs, words = sum(len(group["runs"]) for group in result.groups), sorted({g["words"] for g in result.groups})
    return title, sized(runs, words, len(result.groups)) if words else ""


def cards(result: Content) -> list[Card]:
    """Return the largest effects that matter by p@n of the first group, and how much all factors tell."""
    group = result.groups[0]["name"] if result.groups else ""
    every = [row for row in EFFECTS.rows(result.tables, group=group) if row.measure != LOSS and row.words]
    rows = sorted(filter(matters, every), key=lambda row: -abs(row.effect))
    made = [
        Card(
            f"{capital(FACTORS[row.factor].title)}: effect",
            signed(row.effect),
            "standard deviations",
            f"{signed_span(row.low, row.high)}, all others the same",
        )
        for row in rows[:3]
    ]
    fits = FITS.rows(result.tables, group=group, measure=every[0].measure if every else "")
    return [*made, *(Card("All factors explain", percent(x.r2), "of the differences between words") for x in fits)]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the factors: what bootstrap runs show where there are such, else all."""
    if result.alarms:
        return ""
    rows = list(OBSERVED.rows(result.tables))
    deciding = [row for row in rows if sampling_of(row.technique) == "bootstrap"] or rows
    verdicts = {row.claim: {other.agrees for other in deciding if other.claim == row.claim} for row in deciding}
    sure = [str(claim) for claim, found in verdicts.items() if found == {"yes"}]
    if not sure:
        return "That you looked for factors, and that these runs show none that surely matters in every group."
    said = " ".join(sure)
    return (
        f"{said} Say it of these runs of this text, with the effect and its interval. Do not say that a factor is the "
        "cause: these are words as they are, and no experiment."
    )


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    known: Sequence[str] = next((group["factors"] for group in result.groups if group["factors"]), [])
    if not known:
        return ""
    n = result.settings.get("n")
    return (
        f"The stability of a word is the mean share of its {n} nearest neighbours that two runs share (p@{n}), or "
        "minus the logarithm of its reduced PIP loss. It was regressed by least squares on "
        f"{listed(list(known))} with gpustab {result.environment.get('gpustab')}. Frequency, spread over documents "
        "(documents that hold the word by those that chance would give it, Church & Gale 1995) and senses are "
        "logarithms. Frequency has a curve (a natural cubic spline of five knots), so that a hump in it is no effect "
        "of another factor. Effects are standardised. Intervals (95 %) join the jackknife over runs, by Student's t "
        "with R − 1 degrees of freedom, and the jackknife over 20 parts of the words. Partial R² is adjusted for the "
        "number of columns."
    )
