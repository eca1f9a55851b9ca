"""What the scores of a model say, in sentences whose rules are simulated in the tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

from gpustab.results import Table
from gpustab.studies.localization.tables import of_models
from gpustab.studies.shared.wording import listed

FEWEST = 30
"""Components of pairs below which no verdict is given."""

MARGIN = 0.05
"""A share within this of one half is no difference that matters; a verdict needs an interval beyond it, or within."""

Told = Literal["yes", "no", "reversed", "open", "few"]

SYNONYM, NEGATION = "random noun beyond noun synonym", "verb antonym beyond verb synonym"
WITHIN, RANDOM_WITHIN = "noun synonym within paraphrase", "random noun within paraphrase"
UNRELATED = "unrelated beyond paraphrase"

KNOWS = 0.9
"""An unrelated sentence should be farther than the paraphrase so often: else a model hardly tells sentences apart."""


def told_apart(components: int, low: float, high: float) -> Told:
    """Return whether the first of two sentences is farther more often than by chance.

    Args:
        components: of pairs that share a sentence.
        low: of the 95 % interval of P(farther) + ½ P(equal).
        high: its upper end.

    >>> told_apart(9, 0.6, 0.7), told_apart(99, 0.6, 0.7), told_apart(99, 0.48, 0.53), told_apart(99, 0.4, 0.6)
    ('few', 'yes', 'no', 'open')
    """
    if components < FEWEST:
        return "few"
    if low > 0.5 + MARGIN:
        return "yes"
    if high < 0.5 - MARGIN:
        return "reversed"
    return "no" if low >= 0.5 - MARGIN and high <= 0.5 + MARGIN else "open"


def verdict(tables: Mapping[str, Table], silent: Collection[str] = ()) -> list[str]:
    """Return one sentence for every model, then those of which table 1 says nothing of meaning.

    Args:
        tables: of the study.
        silent: models whose numbers an alarm forbids to read.
    """
    scores = of_models(tables)
    models = [model for model in dict.fromkeys(tables["scores"]["model"]) if model not in silent]
    if not models:
        return ["Nothing can be said of meaning or form: an alarm forbids to read the numbers of every model."]
    return [*(_of_model(scores, model) for model in models), *_near(scores, models), *_unrelated(scores, models)]


def _near(scores: Table, models: Sequence[str]) -> Iterator[str]:
    """A random noun is mostly within the paraphrase's distance: then table 1 counts form."""
    found = []
    for model in models:
        synonym, other = (_row(scores, model, name) for name in (WITHIN, RANDOM_WITHIN))
        if synonym and other and other["components"] >= FEWEST and other["low"] > 0.5:
            found.append(f"{model} {100 * other['share']:.0f} % (synonyms {100 * synonym['share']:.0f})")
    if found:
        yield (
            "That a synonym lies no farther than the paraphrase is no sign of meaning here: a random noun in its place "
            f"does so too, with {listed(found)}."
        )


def _unrelated(scores: Table, models: Sequence[str]) -> Iterator[str]:
    """Sentences of other pairs are often nearer than the paraphrase: then nothing that is near means much."""
    rows = ((model, _row(scores, model, UNRELATED)) for model in models)
    found = [
        f"{model} {100 * (1 - row['half']):.0f} %"
        for model, row in rows
        if row and row["components"] >= FEWEST and row["half_high"] < KNOWS
    ]
    if found:
        yield (
            "To lie near a sentence means little where a sentence of another pair is often nearer than the paraphrase: "
            f"with {listed(found)}."
        )


def placed(synonym: Told, opposite: Told) -> str:
    """Return what a model places sentences by, of its two tests.

    >>> placed("yes", "yes"), placed("yes", "no"), placed("no", "reversed"), placed("open", "yes")
    ('meaning', 'likeness', 'form', 'open')
    """
    if "few" in (synonym, opposite):
        return "few"
    if synonym == opposite == "yes":
        return "meaning"
    no = ("no", "reversed")
    if synonym == "yes" and opposite in no:
        return "likeness"
    return "form" if synonym in no and opposite in no else "open"


_SAID = {
    "meaning": "{model} places sentences by what they say, as far as one word goes: {both}.",
    "likeness": "{model} places sentences by which words are alike, not by what is said: {both}.",
    "form": "{model} places sentences by form: {both}.",
    "open": "Whether {model} places sentences by meaning or by form cannot be told from these sentences: {both}.",
    "few": "{model} cannot be judged: the tests need sentences of 30 unconnected pairs.",
}


def _of_model(scores: Table, model: str) -> str:
    rows = [_row(scores, model, name) for name in (SYNONYM, NEGATION)]
    tests: list[Told] = [
        told_apart(row["components"], row["half_low"], row["half_high"]) if row else "few" for row in rows
    ]
    both = "; ".join(
        f"{text} {_percent(row)}"
        for text, row in zip(
            ("a random noun is farther than a synonym", "a verb's antonym farther than its synonym"), rows, strict=True
        )
        if row
    )
    known = ", of sentences whose words it has" if any(row and row["subset"] == "known" for row in rows) else ""
    said = _SAID[placed(*tests)].format(model=model, both=f"{both} (by chance 50 %){known}")
    return _capital(said)


def _row(scores: Table, model: str, comparison: str) -> dict[str, Any] | None:
    """One change: over all runs, or in the only one; of the sentences whose changed words the model has.

    A word that it lacks is left out or stands for all such words, which is no synonym's distance.
    """
    table = scores.where(model=model)
    own = {row["subset"]: row for row in table.records(comparison=comparison, k=1)}
    return own.get("known" if "known" in table["subset"] else "all")


def _percent(row: Mapping[str, Any]) -> str:
    span = "" if row["half_low"] != row["half_low"] else f" ({100 * row['half_low']:.0f}–{100 * row['half_high']:.0f})"
    return f"in {100 * row['half']:.0f} %{span} of {row['n']:,}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def negation_sentences(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what is said of double negation, of the rows of its table; models that cannot be judged are said once."""
    said = [_negation(row) for row in rows if row["verdict"] != "cannot be judged"]
    if few := [row for row in rows if row["verdict"] == "cannot be judged"]:
        said.append(
            f"Double negation cannot be judged for {listed([row['model'] for row in few])}: {few[0]['n']} sentences "
            f"have three changes of both kinds, and {FEWEST} unconnected pairs are wanted."
        )
    return " ".join(said)


def _negation(row: Mapping[str, Any]) -> str:
    said = {
        "back": "double negation is seen, a second antonym brings sentences back",
        "not back": "double negation is not seen, a second antonym moves sentences on",
        "open": "whether a second antonym brings sentences back cannot be told",
    }[row["verdict"]]
    span = f"{row['difference']:.4f}; {row['low']:.4f} to {row['high']:.4f}"
    return f"{_capital(row['model'])}: {said} ({row['n']} sentences, {span})."
