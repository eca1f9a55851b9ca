"""What was trained, and how, in words: for titles and methods paragraphs, from what run sets record of their runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from gpustab.corpus.options import ABOUT
from gpustab.results import Content
from gpustab.results.page import counted
from gpustab.runs.key import ENCODER, SAMPLINGS, noun_of
from gpustab.spaces.words import printable

TECHNIQUES = {
    "sgns": "skip-gram",
    "cbow": "CBOW",
    "fasttext": "fastText",
    "glove": "GloVe",
    "ppmi_svd": "PPMI-SVD",
    "lsa": "LSA",
    "doc2vec_dm": "PV-DM",
    "doc2vec_dbow": "PV-DBOW",
    "fasttext_ngrams": "fastText n-grams",
}
"""What people call the techniques."""

_GROUP = re.compile(
    rf"(?<![\w/.])(?:{'|'.join(TECHNIQUES)})/(?:{'|'.join(SAMPLINGS)})(?:-[\w.]+)*(?:/\w+=[\w.-]*\w)*(?![\w/])"
)
_PARAMETERS = {
    "dim": "{} dimensions",
    "window": "a window of {} words",
    "epochs": "{} epochs",
    "negative": "{} negative samples",
}
"""What a methods paragraph says of every technique that has it, in this order; the page lists all."""
_MOST = 3
"""So many techniques, or corpora, stand in a title."""
_OF_ENCODERS = {
    "train runs on two halves of the documents (train --halves, then stability)": (
        "encode each half of the documents, and compare both run sets"
    ),
    "Train shuffled runs too": "Give three fine-tunings",
    "Train longer, or with fewer dimensions": "Fine-tune longer, or take another layer",
    "Train longer, or on more text, and measure again": "Fine-tune longer, or encode more text, and measure again",
    "Train longer": "Fine-tune longer",
    "train longer": "fine-tune longer",
    "differ by the seed of their training alone": "are the models, which differ by their fine-tuning",
    "did its training fail": "did its fine-tuning fail",
    "did their training fail": "did their fine-tuning fail",
    "Train two techniques on the same text": "Encode the same text by two models",
    "Train two techniques with": "Take two models with",
    "trained with the same seeds": "made with the same seeds",
    "no shuffled runs": "no fixed runs",
    "Training again": "Fine-tuning again",
    "training again": "fine-tuning again",
    "Train again": "Fine-tune again",
    "train again": "fine-tune again",
    "Retraining moves": "Fine-tuning again moves",
    "Retraining does not move": "Fine-tuning again does not move",
    "retraining moves": "fine-tuning again moves",
    "retraining does not move": "fine-tuning again does not move",
}
"""What sentences on runs that were trained become of encoders: phrases, since a word alone may be a user's."""
COUNTED = frozenset({"lsa", "ppmi_svd"})
"""Techniques that count and factorise at once: nothing of them can be trained longer."""
_OF_COUNTS = {
    "Train longer, or with fewer dimensions": "Take more text, or fewer dimensions",
    "Train longer, or on more text": "Take more text",
    "Train longer": "Take more text",
    "train longer": "take more text",
}
"""What sentences on runs that were trained become of those."""
_OF_KINDS = {"counts": _OF_COUNTS, ENCODER: _OF_ENCODERS}
_LONGER = re.compile(r"\b[Tt]rain longer\b")
_MORE = re.compile(r"\b([Tt])rain(?= (?:at least|more|three|five|ten|bootstrap)\b)")
_MADE = re.compile(r"\b[Mm]ake (?:at least|more|three|five|ten|bootstrap)\b")
_HOW = (
    "More runs of an encoder: of fixed ones give more fine-tunings (gpustab encode --model), of bootstrap ones more "
    "draws (gpustab encode --runs)."
)


def technique(name: str) -> str:
    """Return what people call a technique; any other name is what it is.

    >>> technique("sgns"), technique("my runs")
    ('skip-gram', 'my runs')
    """
    return TECHNIQUES.get(name, printable(name))


def in_words(group: str) -> str:
    """Return what a group is called in a sentence: ``sgns/bootstrap`` is "skip-gram, bootstrap".

    >>> in_words("sgns/bootstrap"), in_words("runs"), in_words("lsa/shuffled/half=a")
    ('skip-gram, bootstrap', 'runs', 'LSA, shuffled, half=a')
    """
    first, *others = group.split("/")
    return ", ".join([technique(first), *others]) if first in TECHNIQUES else group


def called(text: str) -> str:
    """Return a text in which groups of our techniques are called by words; a path is left as it is.

    >>> called("runs of sgns/bootstrap and lsa/fixed/half=a"), called("R/sgns/fixed/run-000.safetensors")
    ('runs of skip-gram, bootstrap and LSA, fixed, half=a', 'R/sgns/fixed/run-000.safetensors')
    """
    return _GROUP.sub(lambda found: in_words(found[0]), text)


def fitting(text: str, ways: Sequence[Mapping[str, Any]]) -> str:
    """Return a text whose advice fits what the runs are: encoders are fine-tuned, and counts not trained longer.

    Args:
        text: as it is said of runs that were trained.
        ways: how the runs were made; where they are of several kinds, it says what to do with each.

    >>> [fitting("Train longer.", [{"techniques": names}]) for names in (["lsa"], ["sgns", "encoder"])]
    ['Take more text.', 'Train longer (an encoder: fine-tune longer).']
    """
    techniques = _techniques(ways)
    kinds = {"": techniques - {ENCODER} - COUNTED, "counts": techniques & COUNTED, ENCODER: techniques & {ENCODER}}
    kinds = {kind: own for kind, own in kinds.items() if own}
    if len(kinds) > 1:
        text = _LONGER.sub(lambda found: _each_way(found[0], kinds), text)
    elif kinds:
        for said, instead in _OF_KINDS.get(next(iter(kinds)), {}).items():
            text = text.replace(said, instead)
    return _MORE.sub(lambda found: "Make" if found[1] == "T" else "make", text) if ENCODER in techniques else text


def _each_way(said: str, kinds: Mapping[str, set[str]]) -> str:
    """What to do with runs of each kind: first with the first, then in brackets with the others."""
    ways = [said if kind == "" else _OF_KINDS[kind][said] for kind in kinds]
    names = {kind: "an encoder" if kind == ENCODER else _and([*map(technique, sorted(kinds[kind]))]) for kind in kinds}
    others = [f"{names[kind]}: {way.lower()}" for kind, way in zip([*kinds][1:], ways[1:], strict=True)]
    return f"{ways[0]} ({'; '.join(others)})"


def more_runs(texts: Iterable[str], ways: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on how more runs of encoders are made, where fitting texts ask for some; else none."""
    return [_HOW] if ENCODER in _techniques(ways) and any(map(_MADE.search, texts)) else []


def _techniques(ways: Sequence[Mapping[str, Any]]) -> set[str]:
    return {name for way in ways for name in way["techniques"]}


def embeddings(result: Content, otherwise: str = "these word embeddings") -> str:
    """Return what a result is about, for its title: "skip-gram embeddings of sotu".

    Args:
        result: its environment says how its runs were made.
        otherwise: where nobody knows.

    >>> way = {"techniques": ["sgns"], "made": {"corpus": {"name": "sotu"}}}
    >>> embeddings(Content("x", environment={"trained": [way]})), embeddings(Content("x"))
    ('skip-gram embeddings of sotu', 'these word embeddings')
    """
    ways = ways_of(result)
    corpora = list(dict.fromkeys(_corpus(way) for way in ways))
    if not ways or not all(corpora):
        return otherwise
    techniques = list(dict.fromkeys(technique(name) for way in ways for name in way["techniques"]))
    made = f"{_and(techniques)} embeddings" if len(techniques) <= _MOST else "word embeddings"
    return f"{made} of {_and(corpora)}" if len(corpora) <= _MOST else made


def corpus(result: Content) -> str:
    """Return the name of the one corpus behind a result; empty where there are several, or none is known."""
    names = {_corpus(way) for way in ways_of(result)}
    return names.pop() if len(names) == 1 else ""


def training(result: Content) -> str:
    """Return how the runs were made, as sentences of a methods paragraph; empty where no run set says it."""
    ways = [way for way in ways_of(result) if _corpus(way)]
    return " ".join(sentence for way in ways[:_MOST] for sentence in _sentences(way))


def _sentences(way: Mapping[str, Any]) -> Iterator[str]:
    made = way["made"]
    runs = sum(group["runs"] for group in way["groups"])
    kinds = _and([f"{group['runs']} {in_words(group['name'])}" for group in way["groups"][:6]])
    verb = "encoded from" if way["techniques"] == [ENCODER] else "trained on"
    yield f"{counted(runs, 'run')} ({kinds}) were {verb} {_text(made)}."
    for name in way["techniques"]:
        if parameters := _mapping(made.get("parameters")).get(name):
            said = [text.format(parameters[key]) for key, text in _PARAMETERS.items() if key in parameters]
            engine = _mapping(_mapping(made.get("engines")).get(name)).get("engine")
            by = f", by {engine}" if engine else ""
            yield f"{technique(name)[0].upper()}{technique(name)[1:]} had {_and(said)}{by}." if said else ""
    if (seed := made.get("seed")) is not None:
        yield f"All draws come from seed {seed}."


def _text(made: Mapping[str, Any]) -> str:
    """The corpus, its size, and which words were kept."""
    known, options = _mapping(made.get("corpus")), _mapping(made.get("options"))
    sizes = [(known.get("units"), noun_of(str(options.get("unit", "document")))), (known.get("tokens"), "running word")]
    counts = [counted(size, noun) for size, noun in sizes if isinstance(size, int)]
    least = options.get("min_count")
    cut = f"; only words that occur {least} times or more count" if isinstance(least, int) and least > 1 else ""
    if isinstance(rare := _mapping(made.get("dropped")).get("rare_running_words"), int) and rare and len(counts) > 1:
        counts[1] = f"{known['tokens']:,} of {counted(known['tokens'] + rare, 'running word')}"
    what = [ABOUT[known["name"]]] if known.get("name") in ABOUT else []
    return f"{_name(known)} ({'; '.join([*what, ', '.join(counts)])}{cut})" if counts else _name(known)


def ways_of(result: Content) -> list[Mapping[str, Any]]:
    """Return how the runs of a result were made, as far as its environment says."""
    return [way for way in result.environment.get("trained") or () if isinstance(way, Mapping)]


def _corpus(way: Mapping[str, Any]) -> str:
    return _name(_mapping(_mapping(way.get("made")).get("corpus")))


def _name(known: Mapping[str, Any]) -> str:
    """A file is called by its name, without the folders it lies in."""
    return printable(PurePath(str(known.get("name", ""))).name)


def _mapping(value: Any) -> Mapping[str, Any]:
    """What a manifest of another hand holds need be no object."""
    return value if isinstance(value, Mapping) else {}


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def sized(runs: int, words: Sequence[int], groups: int) -> str:
    """Return how much was looked at, as it stands beside a title.

    Args:
        runs: of all groups.
        words: how many each group has, ascending.
        groups: how many there are.

    >>> sized(6, [900, 1200], 2), sized(1, [900], 1)
    ('6 runs in 2 groups · 900–1,200 different words', '1 run · 900 different words')
    """
    span = f"{words[0]:,}" if len(words) == 1 else f"{words[0]:,}–{words[-1]:,}"
    within = f" in {counted(groups, 'group')}" if groups > 1 else ""
    return f"{counted(runs, 'run')}{within} · {span} different words"
