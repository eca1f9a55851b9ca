"""What the report of localization says beside its blocks: its title, a methods paragraph, and what to cite."""

from __future__ import annotations

from gpustab.results import Content
from gpustab.results.page import counted

CITATIONS = ("white2015",)


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what was looked at."""
    corpus, *models = result.groups
    looked = f"{counted(corpus['pairs'], 'pair')} of paraphrases · {counted(len(models), 'model')}"
    return "Do these sentence embeddings place meaning or form?", looked


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    made, sense = result.settings["provenance"], result.settings["sense"]
    rule = "the highest tag count summed over a synset" if sense == "paper" else "WordNet's first sense"
    return (
        f"Sentences were changed word by word with gpustab {result.environment.get('gpustab')}, after White (2015): "
        f"nouns by synonyms and verbs by antonyms of one sense ({rule}), inflected ({made.get('inflection')}) and "
        f"checked against a word list ({made.get('words')}); tokens: {made.get('tokens')}; tags: {made.get('tagger')}. "
        "Each changed sentence was compared with the paraphrase, with random words of the same tag in the same places, "
        "with synonyms of verbs and with the words in another order. Shares have 95 % intervals by bootstrap over "
        "components of pairs that share a sentence; equal distances are counted apart."
    )
