"""Text of the length that a doubt needs, and the choices that a doubt's way names."""

import random
import re
from ast import literal_eval

import pytest

from gpustab.corpus.evidence import evidence
from gpustab.errors import InputError

WORDS = """the house stood by the river and an old man who had seen the war told of it to whoever came there in winter
when nobody else would go out while his sister kept bees under the hill where their mother was born long before any
road"""


def prose(sentences, seed=0, low=6, high=14):
    """Sentences of ordinary words, with small words as often as prose has them."""
    chance = random.Random(seed)
    drawn = [" ".join(chance.choices(WORDS.split(), k=chance.randint(low, high))) for _ in range(sentences)]
    return [f"{one[0].upper()}{one[1:]}." for one in drawn]


@pytest.fixture
def look(tmp_path):
    """Write a text, or several as a folder, and return its evidence."""

    def look(content, name="a.txt", **options):
        path = tmp_path / name
        if isinstance(content, dict):
            path = tmp_path / "folder"
            for part, text in content.items():
                (path / part).parent.mkdir(parents=True, exist_ok=True)
                (path / part).write_text(text)
        else:
            path.write_text(content)
        return evidence(path, min_count=1, **options)

    return look


def choices(way):
    """Return the choices that a way to go on names, in order; each is tried as it stands."""
    marked = re.findall("\ue000([a-z_]+)=([^\ue001]*)\ue001", way)
    return [{name: literal_eval(value)} for name, value in marked]


def leads_on(look, content, kind, name="a.txt", **options):
    """Whether the first choice of a doubt's way takes the doubt away, on the text that raised it."""
    found = look(content, name, **options)
    doubt = next(doubt for doubt in found.doubts if doubt.kind == kind)
    choice = choices(doubt.way)[0]
    try:
        after = look(content, name, **options | choice)
    except InputError as error:
        raise AssertionError(f"{choice} of '{doubt.way}' is refused: {error}") from None
    return kind not in {doubt.kind for doubt in after.doubts}
