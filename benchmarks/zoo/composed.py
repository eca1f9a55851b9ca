"""Ordinary texts of many forms, composed of real sentences: verse, plays, dialogues, letters, lists, old print."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from benchmarks.zoo.specimen import Specimen, a_folder
from benchmarks.zoo.writer import Writer


def composed() -> Iterator[Specimen]:
    """Yield every form as a folder of texts and as one book."""
    for make in _FORMS:
        name, w = f"composed: {make.__name__.replace('_', ' ').strip()}", Writer(make.__name__)
        yield from a_folder(name, (make(w) for _ in range(24)))
        yield Specimen(f"{name}, a book", {"book.txt": "\n\n\n".join(make(w) for _ in range(12))}, {"layout": "files"})
    w = Writer("composed")
    yield Specimen("composed: poems", {"book.txt": "\n\n".join(_verse(w) for _ in range(60))}, {"layout": "paragraphs"})
    yield Specimen("composed: talk", {"book.txt": "\n".join(_dialogue(w) for _ in range(30))}, {"layout": "lines"})


def _verse(w: Writer) -> str:
    lines = [w.words(w.n(5, 8)).capitalize() + w.draw.choice(",;. ") for _ in range(14)]
    return "\n".join(lines[:8]) + "\n\n" + "\n".join(lines[8:])


def _play(w: Writer) -> str:
    names = ["ANTON", "MARIA", "THE KING", "A SERVANT"]
    turns = "\n\n".join(f"{w.draw.choice(names)}.\n{w.some(w.n(1, 5))}" for _ in range(15))
    return f"ACT {w.n(1, 5)}. SCENE {w.n(1, 9)}.\n\n[A room in the castle.]\n\n{turns}\n\n[Exeunt.]\n"


def _dialogue(w: Writer) -> str:
    return "\n".join(f"“{one}” said {w.draw.choice(['he', 'she', 'Anton'])}. {w.sentence()}" for one in w.several(20))


def _letter(w: Writer) -> str:
    body = "\n\n".join(textwrap.fill(w.some(4), 65) for _ in range(4))
    end = "I have the honour to be, Sir,\nyour most obedient servant,\n\nA. B.\n"
    return f"London, {w.n(1, 28)} May 18{w.n(10, 99)}\n\nMy dear Sir,\n\n{body}\n\n{end}"


def _contents(w: Writer) -> str:
    lines = [f"{i}. {w.words(4).title()} {'.' * 20} {i * 7}" for i in range(1, 30)]
    return "CONTENTS\n\n" + "\n".join(lines) + "\n\n" + "\n\n".join(textwrap.fill(w.some(6), 72) for _ in range(12))


def _old_print(w: Writer) -> str:
    return re.sub(r"s(?=[a-z])", "ſ", "\n\n".join(w.some(6) for _ in range(8)))


def _list(w: Writer) -> str:
    return "\n".join(f"- {one}" for one in w.several(30))


def _interview(w: Writer) -> str:
    return "\n\n".join(f"{'' if i % 2 else 'Question. '}{w.some(3)}" for i in range(16))


def _minutes(w: Writer) -> str:
    items = "\n\n".join(f"{i}. {w.words(3).title()}\n{w.some(3)}" for i in range(1, 12))
    head = f"Minutes of the meeting of {w.n(1, 28)} June\n\nPresent: twelve members."
    return f"{head}\n\n{items}\n\nThe meeting closed at nine.\n"


def _recipe(w: Writer) -> str:
    parts = "\n".join(f"{w.n(1, 9)}00 g {w.word()}" for _ in range(8))
    return f"{w.word().title()} pie\n\n{parts}\n\n{w.some(8)}"


def _quotations(w: Writer) -> str:
    return "\n\n".join(f"“{one.replace(chr(39), '’')}”—{w.word().title()}." for one in w.several(20))


def _headlines(w: Writer) -> str:
    return "\n\n".join(w.sentence() if i % 9 else w.sentence().upper() for i in range(30))


def _footnotes(w: Writer) -> str:
    notes = "\n".join(f"[{i}] See page {w.n(1, 400)}." for i in range(25))
    return "\n\n".join(f"{one} [{i}]" for i, one in enumerate(w.several(25))) + f"\n\n{notes}"


def _diary(w: Writer) -> str:
    return "\n\n".join(
        f"{w.draw.choice(['Monday', 'Tuesday', 'Friday'])}, {i} March. {w.some(4)}" for i in range(1, 20)
    )


def _sermon(w: Writer) -> str:
    return "\n\n".join(f"{i}. And it came to pass: {w.some(2)}" for i in range(1, 30))


def _dictionary(w: Writer) -> str:
    return "\n".join(f"{w.word()}, n. {w.some(1)} See also {w.word()}." for _ in range(40))


def _laws(w: Writer) -> str:
    return "\n\n".join(f"§ {i} {w.words(2).title()}\n(1) {w.sentence()}\n(2) {w.sentence()}" for i in range(1, 20))


def _songs(w: Writer) -> str:
    refrain = "\n".join(w.words(6).capitalize() for _ in range(4))
    return "\n\n".join(f"{_verse(w)}\n\n{refrain}" for _ in range(3))


_FORMS = (
    *(_verse, _play, _dialogue, _letter, _contents, _old_print, _list, _interview, _minutes, _recipe, _quotations),
    *(_headlines, _footnotes, _diary, _sermon, _dictionary, _laws, _songs),
)
