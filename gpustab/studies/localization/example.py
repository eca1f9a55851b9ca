"""The paper's own example (White 2015, §5), where it is among the sentences, and how far a model puts its changes.

It is found by its words, since nothing of the Microsoft corpus may stand here.
"""

from __future__ import annotations

from gpustab.sentences.language import Tokens
from gpustab.sentences.model import Model
from gpustab.studies.localization.corpus import Base, Corpus
from gpustab.studies.localization.substitution import Kind, progressive

_PAPER: dict[Kind, tuple[tuple[str, str, float], ...]] = {
    "noun_synonym": (
        ("unions", "brotherhoods", 0.27),
        ("government", "authorities", 0.25),
        ("negotiations", "dialogues", 0.43),
    ),
    "verb_antonym": (
        ("demanded", "obviated", 0.36),
        ("begin", "end", 0.36),
        ("remained", "changed", 0.43),
        ("including", "excluding", 0.46),
    ),
}
"""The paper's changes in their order: a word, what stands in its place, and the distance by its PV-DM."""

_PARAPHRASE = 0.35

Line = tuple[str, int, Tokens, float]
"""Of a sentence: its kind, how many words were changed, its tokens, and the paper's distance; NaN where it has none."""


def papers_base(corpus: Corpus) -> Base | None:
    """Return the base of the paper's example; ``None`` where the corpus does not have it."""
    wanted = {old for changes in _PAPER.values() for old, *_ in changes}
    return next((base for base in corpus.bases if wanted <= set(base.tokens)), None)


def papers_lines(base: Base) -> list[Line]:
    """Return the sentences of the paper's table, from the base on."""
    lines: list[Line] = [("base", 0, base.tokens, 0.0), ("paraphrase", 0, base.paraphrase, _PARAPHRASE)]
    for kind, changes in _PAPER.items():
        steps = progressive(base.tokens, [(base.tokens.index(old), new) for old, new, _ in changes])
        printed = (distance for *_, distance in changes)
        lines += [(kind, k, step.tokens, d) for k, (step, d) in enumerate(zip(steps, printed, strict=True), 1)]
    return lines


def measure_papers(corpus: Corpus, model: Model) -> list[float]:
    """Return a model's distances of the sentences of :func:`papers_lines`; none where the corpus lacks the example.

    Changed sentences are read in the tree of the base, as all are.
    """
    base = papers_base(corpus)
    if base is None:
        return []
    lines = papers_lines(base)
    like = [tokens if kind == "paraphrase" else base.tokens for kind, _, tokens, _ in lines]
    found: list[float] = model.distances([base.tokens] * len(lines), [own for _, _, own, _ in lines], like).tolist()
    return found
