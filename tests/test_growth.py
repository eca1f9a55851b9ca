"""No text makes the work grow faster than itself; the whole table is printed by ``python -m tests.growth``."""

import re
from random import Random

import pytest

from tests import growth

PATTERNS_OF_USERS = {
    ("corpus.options", "pattern"),
    ("corpus.words", "tokenizer"),
    ("corpus.numbering", "options.drop or '(?!)'"),
    ("encoders.passages", "self._options.drop"),
}
MADE = {  # while the product runs: what they are made like
    ("corpus.words", "f'{letters}(?:{inside}|{hyphen}{within})*{sign}|\\n'"): "words and signs, below",
    ("corpus.words", "f'[{majors}]+'"): "of the 1.1 million code points alone",
    ("evaluation.files", "_DELIMITERS[delimiter]"): re.compile(rb"[ \t]+"),
    ("formats.binary.word2vec_rows", "row + b'|.+'"): re.compile(rb"([^ ]{0,1000} ).{8}\n|.+", re.DOTALL),
}


@pytest.fixture(scope="module")
def found():
    return growth.expressions()


def test_every_expression_is_known(found):
    expressions, made = found
    assert len(expressions) > 150
    assert set(made) == PATTERNS_OF_USERS | set(MADE)
    assert len({one.place for one in expressions}) > 150


def test_no_expression_takes_more_than_linear_time(found):
    """Some hostile texts of each, other ones in each place; those that were too slow once come first."""
    draw = Random(0)
    wrong = []
    for one in found[0]:
        length = min(8_000, one.longest or 8_000)
        texts = growth.hostile(one.pattern)
        for name, work in growth.works(one).items():
            worst = growth.worst(f"{one.place} {name}", work, draw.sample(texts, min(6, len(texts))), length)
            wrong += [worst] if not worst.linear else []
    assert not wrong


@pytest.mark.slow
def test_no_expression_takes_more_than_linear_time_for_any_text(found):
    assert not [worst for one in found[0] if not (worst := growth.of_expression(one, 8_000)).linear]


@pytest.mark.parametrize("pattern", [p for p in MADE.values() if isinstance(p, re.Pattern)])
def test_expressions_that_are_made_take_linear_time(pattern):
    one = growth.Expression("made", pattern, frozenset({"findall", "split"}), None)
    assert growth.of_expression(one, 4_000).linear


@pytest.mark.parametrize("pattern", [r"(?:<!--.*?-->\s*)*<a", r"\w+(?:[#|_]+\w+)+", r"x\s+$", r"<!--.*?-->", r"(a+)+$"])
def test_expressions_that_take_more_are_found(pattern, monkeypatch):
    """Those of the product once, and the usual bad ones: their texts are made from the expressions themselves.

    Bad ones take far more than the budget at this length, and linear ones a thousandth of it, on any machine.
    """
    monkeypatch.setattr(growth, "BUDGET", 0.1)
    one = growth.Expression("bad", re.compile(pattern, re.S), frozenset({"search"}), None)
    assert growth.of_expression(one, 16_000).linear is (pattern == r"x\s+$")


SLOW_ONCE = (("", "<!-- a -->", ""), ("", "a", ""), ("", "a-\n", ""), ("", "<!--", ""), ("", " ", "\0"))


@pytest.mark.parametrize("name", growth.FUNCTIONS)
def test_functions_of_text_take_linear_time(name):
    read = name.startswith("a corpus") or name == "lines"  # whole readings: some texts each, other ones for each
    texts = Random(name).sample([text for text in growth.scanned() if text not in SLOW_ONCE], 3)
    assert growth.of_function(name, [*texts, *(SLOW_ONCE[:3] if read else SLOW_ONCE)], 2_000 if read else 8_000).linear


@pytest.mark.slow
@pytest.mark.parametrize("name", growth.FUNCTIONS)
def test_functions_of_text_take_linear_time_for_any_text(name):
    assert growth.of_function(name, growth.scanned(), 8_000).linear
