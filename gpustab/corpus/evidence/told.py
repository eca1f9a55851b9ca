"""Evidence in words: a page of it, and the six lines that a training shows first."""

from __future__ import annotations

from collections.abc import Iterator

from gpustab.corpus.evidence.doubt import Doubt
from gpustab.corpus.evidence.doubts import DOUBTS
from gpustab.corpus.evidence.page import Evidence
from gpustab.errors import option

_LONG, _SHORT = 60, 16
"""Words of the example that a page shows, and a line."""


def lines_of(found: Evidence, *, short: bool = False) -> Iterator[tuple[str, str]]:
    """Yield a label and what is to be said under it; options are marked.

    Args:
        found: the evidence.
        short: say each in one line.
    """
    for label, notes in (("read as", found.read_as), ("words", found.notes)):
        yield from ((label if not n else "", note.removeprefix(f"{found.name}: ")) for n, note in enumerate(notes))
    sizes = (found.documents, "document"), (found.sentences, "sentence"), (found.tokens, "token"), (found.words, "word")
    sized = [_counted(n, noun) for n, noun in sizes]
    least = f" that occur {found.min_count} times or more ({option('min_count', found.min_count)})"
    size = ", ".join(sized if found.sentences != found.documents else [sized[0], *sized[2:]])
    yield "holds", size + least * (found.min_count > 1)
    few = found.frequent[: 10 if short else None]
    yield "most frequent", ", ".join(word if short else f"{word} {n:,}" for word, n in few)
    yield "as trained", _example(found, _SHORT if short else _LONG)
    yield "left out", ", ".join(_counted(n, what) for what, n in found.left_out.items() if n) or "nothing"
    if not found.doubts:
        looked = f"{found.looked_at:,} of {found.characters:,} characters"
        yield "doubts", f"none of the {len(DOUBTS)} that were looked for, in {looked}"
    for n, doubt in enumerate(found.doubts):
        yield "doubts" if not n else "", told(doubt)


def told(doubt: Doubt) -> str:
    """Return a doubt in one line: what it is, examples, and the way to go on."""
    examples = f" ({'; '.join(doubt.examples)})" if doubt.examples else ""
    return f"{'STRONG: ' if doubt.strong else ''}{doubt.says}{examples}: {doubt.way}"


def _example(found: Evidence, most: int) -> str:
    name, texts = found.example
    words: list[str] = []
    for n, text in enumerate(texts):
        words += [*(["|"] if n else []), *text]
        if len(words) > most:
            break
    more = " …" if len(words) > most or sum(map(len, texts)) > most else ""
    return f"document {name}: {' '.join(words[:most])}{more}"


def _counted(n: int, noun: str) -> str:
    one = noun.removesuffix("s") if n == 1 else noun if noun.endswith("s") else f"{noun}s"
    return f"{n:,} {one}"
