"""Records and keys of many documents: the same as plain objects, in a fraction of the room."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab.corpus import words
from gpustab.corpus.broken import Breaks, taken_apart
from gpustab.corpus.compact import Record, Records, copies_among
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus, tokeniser

RECORDS = [Record("1", {}, 0), Record("", {}, 1), Record("4", {"year": "1790"}, 3), Record("b/c.txt", {}, 9)]


def test_records_are_those_that_were_given():
    records = Records(RECORDS)
    assert [*records] == RECORDS
    assert records[-1] == RECORDS[-1]
    assert [*records[1:3]] == RECORDS[1:3]
    assert [*Records(records[k] for k in (3, 0))] == [RECORDS[3], RECORDS[0]]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=300), st.sampled_from([3, 1 << 18]))
def test_copies_are_sequences_that_were_there_before(sequences, at_once):
    ids = np.array([k for sequence in sequences for k in sequence], np.int32)
    starts = np.concatenate([[0], np.cumsum([len(sequence) for sequence in sequences])]).astype(np.int64)
    wanted, before = list[bool](), set()
    for sequence in sequences:
        own = tuple(k for k in sequence if k)
        wanted.append(bool(own) and own in before)
        before.add(own)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpustab.corpus.compact._AT_ONCE", at_once)
        assert copies_among(ids, starts, 0).tolist() == wanted


def test_sequences_with_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr("gpustab.corpus.compact._ODD", np.uint64(0))  # then all have one
    ids = np.array([1, 2, 2, 1, 1, 2], np.int32)
    assert copies_among(ids, np.array([0, 2, 4, 6]), 0).tolist() == [False, False, True]


@pytest.mark.parametrize("options", [{}, {"tokenizer": "whitespace"}, {"drop_punctuation": False, "language": "tr"}])
@pytest.mark.parametrize(
    "text", ["The naïve “don’t” presi-\ndent Σίσυφος ΟΔΟΣ, of İstanbul e\u0301t 中文 ", "a-\n", "  \n"]
)
def test_a_long_text_is_cut_part_by_part_into_the_same_words(monkeypatch, options, text):
    cut = tokeniser(CorpusOptions(join_broken="all", **options))
    whole = cut([50 * text, text])
    monkeypatch.setattr(words, "_PART", 40)
    assert cut([50 * text, text]) == whole


def test_a_column_of_letters_is_no_broken_word():
    """All ways to join thousands of line ends were tried."""
    breaks, word = Breaks(), taken_apart("-\x7f".join("a" * 5_000), hyphens_part=True)
    breaks.see(word, 1)
    assert len(breaks.mended({0: word}, np.ones(1, int))[0].parts) == 5_000


MEMORY = """
import sys
from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import _select
from gpustab.machine.environment import peak_memory
options = CorpusOptions(min_count=5, as_is=True, layout="lines")
_select_of = lambda path: _select((found := number(path, options)).source, found, options)
_select_of(sys.argv[1])
before = peak_memory()
corpus = _select_of(sys.argv[2])
print(len(corpus), peak_memory() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells memory in KiB")
def test_a_text_of_short_lines_is_read_in_three_bytes_for_each_of_its_own(tmp_path):
    """Twelve were needed once: a line takes some eighty bytes, whatever it holds.

    Modules and the sample that doubts look at stand before, as a small text has them.
    """
    random = np.random.default_rng(0)
    words = ["".join(chr(97 + int(digit)) for digit in str(k)) for k in range(5_001)]  # digits are not words
    rows = np.minimum(random.zipf(1.3, (480_000, 12)), 5_000).tolist()
    lines = [" ".join(words[k] for k in row) for row in rows]
    for name, some in (("small.txt", lines[:40_000]), ("large.txt", lines)):
        (tmp_path / name).write_text("\n".join(some))
    child = subprocess.run(
        [sys.executable, "-c", MEMORY, tmp_path / "small.txt", tmp_path / "large.txt"],
        capture_output=True,
        text=True,
        check=True,
    )
    documents, more = map(int, child.stdout.split())
    assert documents > 440_000
    assert more < 3 * (tmp_path / "large.txt").stat().st_size


def test_a_corpus_keeps_its_documents_by_name(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        "\n".join(f'{{"text": "one two {k}", "id": "d{k}", "year": 1790}}' for k in "abcab")
    )
    corpus = prepare_corpus(tmp_path / "a.jsonl", CorpusOptions(min_count=1, as_is=True, id_column="id"))
    assert [(record.id, record.place) for record in corpus.records] == [("da", 0), ("db", 1), ("dc", 2)]
    assert [record.id for record in corpus.take([2, 0]).records] == ["da", "dc"]
    assert [document.id for document in corpus.raw()] == ["da", "db", "dc"]
