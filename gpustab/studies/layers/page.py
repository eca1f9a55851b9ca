"""The page of layers: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

import math

from gpustab.report import Result
from gpustab.results import Block, Card, Content, SmallTable, Table
from gpustab.results.page import Columns, counted, minus, number, percent
from gpustab.studies.layers.claims import (
    ALIKE,
    BEYOND,
    LEAST,
    PARTED,
    PARTING,
    Parted,
    beyond_base,
    is_same,
    layer_called,
)
from gpustab.studies.layers.tables import FROM_BASE, LAYERS, PAIRS, SENTENCES, Layer, Pair, Sentence
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import rules, verdicts, verdicts_by_chance
from gpustab.studies.shared.wording import capital, number_span

CITATIONS = ("kornblith2019", "nguyen2021", "ding2021")
_SHOWN = 10
_WHAT = (
    "An encoder works in layers: each takes the vectors of the layer below and changes them. Layer 0 looks tokens up "
    "(words, or pieces of them), the last one gives what you use. Here every sentence has a vector in every layer: the "
    "mean over its tokens. None of the numbers sees whether the axes of a model are turned, and no use of the vectors "
    "does."
)
_MEASURES = [
    (
        "CKA",
        "1 is the same, 0 unrelated",
        "are the distances between sentences in proportion? The largest differences between sentences weigh most",
    ),
    (
        "Procrustes loss",
        "0 is the same",
        "the part of the differences between sentences that is left when one space is turned onto the other",
    ),
    (
        "Shared",
        "all is the same, few by chance",
        "how many of a sentence's nearest sentences both models have: what is near",
    ),
    (
        "Dealt out",
        "unrelated models",
        "the same numbers where the vectors of one model are dealt out to other sentences",
    ),
]
_LONG = 160
"""Letters of a sentence that a table shows."""
_RANKED = (
    "The list is of these models. Other fine-tunings may differ on other sentences: how far such a list returns is not "
    "tested here."
)


def page(result: Result) -> list[Block]:
    """Return the layers, how far all are from the base, the pairs, the sentences, and the rules."""
    rows = LAYERS.of(result.tables)
    if not rows.height:
        return []
    (row,) = PARTED.rows(result.tables)
    blocks = [
        Block("How alike are the models, layer by layer?", _MEASURES, [_layers(rows, row)], ["by_layer"], aside=_WHAT)
    ]
    blocks += _base(result, row)
    if row.models > 2 and not is_same(row):
        least = PAIRS.rows(result.tables, layer=row.least)
        title = f"Which models differ most in {layer_called(row.least)}?"
        blocks.append(Block(title, tables=[_pairs(sorted(least, key=lambda pair: pair.cka))]))
    sentences = list(SENTENCES.rows(result.tables))[:_SHOWN]
    if sentences:
        title = f"Which sentences do they read most differently in {layer_called(row.least)}?"
        blocks.append(Block(title, tables=[_sentences(sentences)], aside=_RANKED))
    observed = OBSERVED.of(result.tables)
    if observed.height:
        chance = verdicts_by_chance(_tested(row))
        blocks.append(Block("What can be said, and what not?", tables=[verdicts(observed)], answer=chance))
        blocks += rules(observed)
    return blocks


def _tested(row: Parted) -> int:
    """How many verdicts rest on an interval; that models are the same rests on none."""
    ends = (row.shared_low + row.shared_high, row.clear_low + row.clear_high, row.jump_low + row.jump_high)
    return 0 if is_same(row) else sum(not math.isnan(end) for end in ends)


def _layers(rows: Table[Layer], row: Parted) -> SmallTable:
    columns: Columns = [
        ("layer", lambda one: capital(layer_called(one.layer))),
        (
            f"shared of {row.n}",
            lambda one: f"{row.n * one.shared:.1f}",
            "nearest sentences that two models have in common",
        ),
        ("95 %", lambda one: number_span(row.n * one.shared_low, row.n * one.shared_high)),
        ("CKA", lambda one: f"{one.cka:.4f}", "1 is the same, 0 unrelated"),
        ("95 % ", lambda one: number_span(one.cka_low, one.cka_high, 4)),
        ("Procrustes loss", lambda one: number(one.loss, 2), "0 is the same"),
        ("95 %  ", lambda one: f"{number(one.loss_low, 2)}–{number(one.loss_high, 2)}"),
        ("shared by chance", lambda one: f"{row.n * one.chance:.1f}"),
        ("CKA, dealt out", lambda one: _fixed(one.cka_dealt), "of rows that are dealt out to other sentences"),
        ("loss, dealt out", lambda one: _fixed(one.loss_dealt), "of rows that are dealt out to other sentences"),
    ]
    return SmallTable.of("", rows, columns, Layer)


def _fixed(value: float) -> str:
    return "0.00" if abs(value) < 0.005 else minus(f"{value:.2f}")


def _pairs(rows: list[Pair]) -> SmallTable:
    columns: Columns = [
        ("model", "first"),
        ("and", "second"),
        ("CKA", lambda one: number(one.cka, 4)),
        ("Procrustes loss", lambda one: number(one.loss, 2)),
        ("shared nearest sentences", lambda one: percent(one.shared)),
    ]
    return SmallTable.of("", rows[:_SHOWN], columns, Pair)


def _base(result: Result, row: Parted) -> list[Block]:
    rows = list(FROM_BASE.rows(result.tables))
    if not rows:
        return []
    between = {one.layer: one for one in LAYERS.rows(result.tables)}
    layers = sorted(between)
    own = {k: [one for one in rows if one.layer == k] for k in layers}
    columns: Columns = [
        ("layer", lambda k: capital(layer_called(k["layer"]))),
        ("CKA with the base", lambda k: number(k["cka"], 4), "mean over the fine-tunings"),
        ("between fine-tunings", lambda k: number(between[k["layer"]].cka, 4)),
        (f"shared of {row.n} with the base", lambda k: f"{row.n * k['shared']:.1f}"),
        ("between fine-tunings ", lambda k: f"{row.n * between[k['layer']].shared:.1f}"),
    ]
    means = [
        {
            "layer": k,
            "cka": sum(x.cka for x in own[k]) / len(own[k]),
            "shared": sum(x.shared for x in own[k]) / len(own[k]),
        }
        for k in layers
    ]
    answer = " ".join(beyond_base(one) for one in BEYOND.rows(result.tables))
    aside = (
        "Fine-tunings that learned nothing in common lie farther from each other than from the base. Noise does that "
        "too. Where they lie no farther, a part of what they learned is the same. The columns have no errors; the "
        "sentence has."
    )
    title = f"How far did fine-tuning go from {rows[0].first}?"
    return [Block(title, tables=[SmallTable.of("", means, columns)], answer=answer, aside=aside)]


def _sentences(rows: list[Sentence]) -> SmallTable:
    columns: Columns = [
        ("sentence", lambda one: _short(one.sentence)),
        "apart",
        "shared",
        ("nearest in one model", lambda one: f"{one.first}: {_short(one.nearest_in_first)}"),
        ("nearest in the other", lambda one: f"{one.second}: {_short(one.nearest_in_second)}"),
    ]
    return SmallTable.of("", rows, columns, Sentence)


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG].rsplit(' ', 1)[0]} …"


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many models and sentences answer it."""
    rows = list(PARTED.rows(result.tables))
    title = "Where do these fine-tunings differ?"
    if not rows:
        return title, ""
    row = rows[0]
    return title, f"{counted(row.models, 'model')}, {row.layers} layers, {counted(row.sentences, 'sentence')}"


def cards(result: Content) -> list[Card]:
    """Return the least alike layer, and how alike the models are in it."""
    rows = [row for row in PARTED.rows(result.tables) if not is_same(row)]
    if not rows:
        return []
    row = rows[0]
    (least,) = LAYERS.rows(result.tables, layer=row.least)
    span = number_span(row.n * row.shared_low, row.n * row.shared_high)
    return [
        Card("Least alike", capital(layer_called(row.least)), f"of {row.layers}"),
        Card(
            "CKA there",
            number(least.cka, 3),
            "1 is the same, 0 unrelated",
            number_span(least.cka_low, least.cka_high, 3),
        ),
        Card(
            "Shared nearest sentences there",
            f"{row.n * row.shared:.1f}",
            f"of {row.n}",
            f"{span}; by chance {row.n * row.chance:.1f}",
        ),
    ]


def may_claim(result: Content) -> str:
    """Return what a paper may say of the layers."""
    rows = list(PARTED.rows(result.tables))
    if result.alarms or not rows:
        return ""
    row = rows[0]
    said = " ".join(filter(None, (claim.sentence(row) for claim in (ALIKE, LEAST, PARTING))))
    whose = "these two fine-tunings" if row.models == 2 else "fine-tunings made like these"
    return (
        f"{said} Say it of {whose} and of sentences like these. Do not say that a layer is the cause: the layers above "
        "take over what those below have changed."
    )


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    rows = list(PARTED.rows(result.tables))
    if not rows:
        return ""
    row = rows[0]
    over = "over 20 stretches of this text" + (" and over models" if row.models > 2 else "")
    return (
        f"The states of {row.models} models for {row.sentences:,} sentences (means over tokens, every layer) were "
        "compared in pairs by debiased linear CKA (Kornblith et al. 2019; Nguyen et al. 2021), by the Procrustes loss "
        "1 − r² of centred and scaled rows (Ding et al. 2021), and by the share of the "
        f"{row.n} nearest sentences by centred cosine that two models have in common, with gpustab "
        f"{result.environment.get('gpustab')}. Intervals (95 %) are by the jackknife {over}. The null level is that of "
        "rows dealt out to other sentences."
    )
