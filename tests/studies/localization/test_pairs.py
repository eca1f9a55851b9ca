"""Files of paraphrases: forms, quotes, line ends and marks as they come, and corpora at the edge."""

import pytest

from gpustab.errors import InputError
from gpustab.report import to_text
from gpustab.sentences.model import BagOfWords
from gpustab.studies.localization.corpus import Pair, components, read_pairs
from gpustab.studies.localization.study import localization

HEAD = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def test_quotes_marks_and_line_ends_are_as_they_stand(tmp_path):
    lines = ['"He said "no" .\tHe said " no .', "Café naïve\tÜber – “it”", "", "a\u2028b\tc\x0bd"]
    (tmp_path / "p.tsv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n")
    assert read_pairs([tmp_path / "p.tsv"]).pairs == [
        Pair('"He said "no" .', 'He said " no .'),
        Pair("Café naïve", "Über – “it”"),
        Pair("a\u2028b", "c\x0bd"),
    ]


def test_the_microsoft_form_keeps_pairs_of_quality_1_and_says_that_a_copy_is_another(tmp_path):
    (tmp_path / "m.txt").write_text(f"\ufeff{HEAD}\n1\t2\t3\tone\ttwo\n0\t4\t5\tthree\tfour\n", encoding="utf-8")
    found = read_pairs([tmp_path / "m.txt"])
    assert found.pairs == [Pair("one", "two")]
    assert "has 2 pairs, 1 of them paraphrases" in found.notes[0]
    whole = [HEAD, *(f"{int(n < 1147)}\t1\t2\ta{n}\tb{n}" for n in range(1725))]
    (tmp_path / "m.txt").write_text("\n".join(whole))
    assert read_pairs([tmp_path / "m.txt"]).notes == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there is no pair"),
        (b"\n \n", "there is no pair"),
        (b"\xef\xbb\xbf", "there is no pair"),
        (f"{HEAD}\n".encode(), "there is no pair"),
        (f"{HEAD}\n0\t1\t2\ta\tb\n".encode(), "there is no pair"),
        (b"one sentence\n", "line 1 has 1 fields, wanted 2"),
        (b"a\tb\nc\t\n", "line 2 has 2 fields, wanted 2, the last two of them sentences"),
        (b"a\tb\tc\n", "line 1 has 3 fields"),
        (f"{HEAD}\n2\t1\t2\ta\tb\n".encode(), "line 2 has the quality '2'"),
        (b"a\t\xff\n", "line 1: byte 0xFF is not UTF-8"),
    ],
)
def test_what_is_no_file_of_pairs_is_named_by_its_line(content, message, tmp_path):
    (tmp_path / "p.tsv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_pairs([tmp_path / "p.tsv"])


def test_a_line_is_counted_as_it_stands_in_the_file(tmp_path):
    (tmp_path / "p.tsv").write_bytes(b"a\tb\n\n\nbad\n")
    with pytest.raises(InputError, match="line 4 has 1 fields"):
        read_pairs([tmp_path / "p.tsv"])


def test_components_join_over_both_sides():
    pairs = [Pair("a", "b"), Pair("c", "d"), Pair("e", "a"), Pair("d", "e"), Pair("x", "y")]
    assert components(pairs) == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "pairs",
    [
        [Pair("the unions met", "x y")],
        [Pair("the car", "the car")],
        [Pair("they begin", "they end")],
        [Pair("the unions met w", "x"), Pair("x", "the cars y")],
    ],
    ids=["one pair, no verb", "its own paraphrase", "no noun", "one component"],
)
def test_corpora_at_the_edge_have_a_page(pairs, language, lexicon):
    result = localization(pairs, [BagOfWords()], language=language, lexicon=lexicon, draws=100)
    assert result.verdict[0].startswith("Bag of words cannot be judged")
    assert "cannot be judged" in to_text(result)
    assert "nan" not in to_text(result)


@pytest.mark.parametrize("pairs", [[], [Pair("x y", "y x")]])
def test_a_corpus_in_which_nothing_changes_is_refused(pairs, language, lexicon):
    with pytest.raises(InputError, match=r"no pair|in none of the 2 sentences"):
        localization(pairs, [BagOfWords()], language=language, lexicon=lexicon, draws=100)
