"""An invented WordNet of a few dozen nouns that news speak of: for machines where the real one is not installed."""

from tests.wordnet.made import write_wordnet

HYPERNYMS = {
    "all": (),
    "thing": ("all",),
    "event": ("all",),
    "measure": ("all",),
    "living": ("thing",),
    "place": ("thing",),
    "group": ("thing",),
    "person": ("living",),
    "leader": ("person",),
    "worker": ("person",),
    "speaker": ("person",),
    "minister": ("leader",),
    "president": ("leader",),
    "official": ("leader", "worker"),
    "spokesman": ("speaker", "worker"),
    "region": ("place",),
    "state": ("region",),
    "city": ("region",),
    "area": ("region",),
    "centre": ("place",),
    "body": ("group",),
    "government": ("body",),
    "union": ("body",),
    "company": ("body",),
    "police": ("body",),
    "commission": ("body",),
    "bank": ("company",),
    "team": ("group",),
    "force": ("group",),
    "troop": ("force",),
    "act": ("event",),
    "attack": ("act",),
    "war": ("act",),
    "match": ("act",),
    "meeting": ("act",),
    "test": ("act",),
    "report": ("act",),
    "fire": ("event",),
    "weather": ("event",),
    "time": ("measure",),
    "day": ("time",),
    "week": ("time",),
    "year": ("time",),
    "hour": ("time",),
    "number": ("measure",),
    "two": ("number",),
    "three": ("number",),
    "sydney": ("city",),
    "australia": ("state",),
}
"""Every synset with what lies one edge above it; the longest way down has five edges."""

FURTHER = {
    "state": ["government"],
    "fire": ["attack"],
    "union": ["state"],
    "force": ["act"],
    "man": ["person", "troop"],
}
"""Senses of lemmas beside the synset that is called as they are."""

EXCEPTIONS = [("people", "person"), ("men", "man")]

BY_HAND = {
    ("president", "minister"): 2,
    ("officials", "troops"): 7,
    ("official", "spokesman"): 2,
    ("state", "government"): 0,
    ("war", "fire"): 2,
    ("days", "two"): 4,
    ("people", "men"): 0,
    ("sydney", "australia"): 4,
    ("people", "week"): 6,
}
"""Edges of the shortest way through a common hypernym, over all senses, counted by hand."""


def small_wordnet(folder):
    """Write its files into a folder, which is returned."""
    number = {name: 100 + k for k, name in enumerate(HYPERNYMS)}
    lemmas = dict.fromkeys([*HYPERNYMS, *FURTHER])
    senses = {lemma: [lemma] * (lemma in number) + FURTHER.get(lemma, []) for lemma in lemmas}
    index = {lemma: [number[sense] for sense in own] for lemma, own in senses.items()}
    hypernyms = {number[name]: tuple(number[up] for up in above) for name, above in HYPERNYMS.items()}
    return write_wordnet(folder, hypernyms, index, EXCEPTIONS)
