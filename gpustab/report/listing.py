"""Settings, environment, and how runs were made, as lists that people read, instead of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab.corpus.options import ABOUT
from gpustab.report.json_text import plain
from gpustab.results.page import counted
from gpustab.spaces.words import printable

UNKNOWN = "not known: only run sets that gpustab trained say how"
_SAID = frozenset({"techniques", "samplings", "runs", "engine", "epochs_by"})
"""What a manifest says that the groups' names, or other lines, say too."""
_NOTHING = ("", None, False, 0)
_STREAMS = {"draw": "the draw of the text", "training": "the seed of the training"}

_MOST = 40
"""So many values of a list are shown."""

Lines = list[tuple[str, str]]
Way = Mapping[str, Any]


def listed(values: Mapping[str, Any]) -> Lines:
    """Return names and values as text; what is nested has the names of what it is in before its own.

    >>> listed({"seed": 0, "words": None, "loading": {"min_runs": [1, 2], "centre": False}})
    [('seed', '0'), ('words', 'not given'), ('loading: min runs', '1, 2'), ('loading: centre', 'no')]
    """
    return [(name.replace("_", " "), value) for name, value in _flat(plain(dict(values)), "")]


def size(count: int) -> str:
    """Return a number of bytes for people.

    >>> size(812), size(2_400_000), size(3 * 10**9)
    ('812 B', '2.4 MB', '3.0 GB')
    """
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if count >= 10**power:
            return f"{count / 10**power:.1f} {unit}"
    return f"{count} B"


def _flat(values: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            if value:
                yield from _flat(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", _text(value)


def _text(value: Any) -> str:
    if value is None or value == "":
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        more = f" … ({len(value):,} in all)" if len(value) > _MOST else ""
        return ", ".join(map(_text, value[:_MOST])) + more if value else "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    return printable(f"{value:.6g}" if isinstance(value, float) else str(value))


def account(ways: Sequence[Way]) -> list[tuple[str, Lines]]:
    """Return how runs were made as titles and lines; what holds for all of them stands once, before the rest.

    Args:
        ways: see :func:`gpustab.studies.shared.frame.how_made`.
    """
    lines = [list(_lines(way)) for way in ways]
    common = [line for line in lines[0] if all(line in own for own in lines)] if len(lines) > 1 else []
    parts = [(_title(way), [line for line in own if line not in common]) for way, own in zip(ways, lines, strict=True)]
    return [*([("all runs", common)] if common else []), *parts]


def account_line(ways: Sequence[Way]) -> str:
    """Return how runs were made in one line, of the first way where there are several; empty without runs.

    >>> account_line([{"groups": [{"name": "runs", "runs": 3}], "techniques": ["runs"], "made": {}, "versions": {}}])
    'How the runs were made: not known: only run sets that gpustab trained say how.'
    """
    if not ways:
        return ""
    way = next((one for one in ways if one["made"]), ways[0])
    several = "two" if len(ways) == 2 else len(ways)
    which = "the first" if way is ways[0] else "one of them"
    others = f"; made in {several} ways, this is {which}" if len(ways) > 1 else ""
    made = way["made"]
    if "corpus" not in made:
        return f"How the runs were made: {UNKNOWN if not made else 'not by gpustab train'}{others}."
    parts = [", ".join(way["techniques"]), _corpora(ways) or _corpus(made), f"seed {made.get('seed', '–')}"]
    return f"How the runs were made: {'; '.join(parts)}{others}. All settings: on the page that --out DIR writes."


def _corpora(ways: Sequence[Way]) -> str:
    """Parts of one text, such as periods, with the sizes of the smallest and the largest; empty of one, or of texts."""
    known = [_mapping(_mapping(way["made"]).get("corpus")) for way in ways]
    sizes = sorted({(size, one.get("tokens")) for one in known if isinstance(size := one.get("units"), int)})
    if len(sizes) < 2 or len({one.get("name") for one in known}) > 1:
        return ""
    unit = _mapping(ways[0]["made"].get("options")).get("unit", "document")
    return f"{known[0].get('name')} (parts of {sizes[0][0]:,} to {_counted(sizes[-1][0], unit)})"


def _title(way: Way) -> str:
    shown = [f"{group['name']} ({counted(group['runs'], 'run')})" for group in way["groups"]]
    return ", ".join(shown[:6]) + (f" and {counted(len(shown) - 6, 'more group')}" if len(shown) > 6 else "")


def _lines(way: Way) -> Iterator[tuple[str, str]]:
    made = dict(way["made"])
    if not made:
        yield "training", UNKNOWN
        return
    if "corpus" in made:
        text, known = _corpus(made), _mapping(made.pop("corpus"))
        about = f"{ABOUT[known['name']]}: " if known.get("name") in ABOUT else ""
        yield "text", f"{about}{text}; hash {known.get('hash', '–')}"
    for name, title in (("parameters", "parameters of"), ("engines", "engine of")):
        own = _mapping(made.pop(name, {}))
        yield from ((f"{title} {one}", _plain(own[one])) for one in way["techniques"] if one in own)
    yield from _of_the_text(made)
    if "vary" in made:
        vary = made.pop("vary")
        streams = [str(stream) for stream in (vary if isinstance(vary, list | tuple) else [vary] if vary else [])]
        differ = " and ".join(_STREAMS.get(stream, stream) for stream in streams)
        yield "what differs from run to run", differ or "nothing"
    if "seed" in made:
        yield "seed of all draws", str(made.pop("seed"))
    yield from listed({key: value for key, value in made.items() if key not in _SAID and value not in _NOTHING})
    if way["versions"]:
        yield "versions", _joined(way["versions"])


def _of_the_text(made: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """How the text was read, and what was left out of it; both are taken out of what is still to be told."""
    if options := _joined(_mapping(made.pop("options", {}))):
        yield "how the text was read", options
    if dropped := {key: value for key, value in _mapping(made.pop("dropped", {})).items() if value}:
        yield (
            "left out of the text",
            ", ".join(_counted(value, key.replace("_", " ").removesuffix("s")) for key, value in dropped.items()),
        )


def _corpus(made: Way) -> str:
    corpus = _mapping(made["corpus"])
    unit = _mapping(made.get("options")).get("unit", "document")
    sizes = (corpus.get("units", 0), unit), (corpus.get("tokens", 0), "running word")
    told = [_counted(n, noun) for n, noun in sizes]
    tokens, rare = corpus.get("tokens"), _mapping(made.get("dropped")).get("rare_running_words")
    if isinstance(tokens, int) and isinstance(rare, int) and rare:
        told[1] = f"{tokens:,} of {counted(tokens + rare, 'running word')}"
    return f"{corpus.get('name', 'a corpus')} ({', '.join(told)})"


def _counted(n: Any, noun: Any) -> str:
    return counted(n, str(noun)) if isinstance(n, int) else f"{n} {noun}s"


def _plain(values: Any) -> str:
    """Values as they were recorded; of an engine, that a seed gives its vectors again, which is no word on seeds."""
    renamed = {"deterministic": "a seed gives the same vectors again:"}
    return _joined({renamed.get(name, name): value for name, value in _mapping(values).items()} or values)


def _joined(values: Any) -> str:
    if not isinstance(values, Mapping):
        return "" if values is None else ", ".join(text for _, text in listed({"": values}))
    return ", ".join(f"{name} {value}" for name, value in listed({k: v for k, v in values.items() if v is not None}))


def _mapping(value: Any) -> dict[str, Any]:
    """What a manifest of another hand holds need be no object."""
    return dict(value) if isinstance(value, Mapping) else {}
