"""A word that comes out of a report goes in again by ``--words``, byte for byte: through CSV, Parquet and page."""

import csv
import gzip
import itertools
import json
import re
import unicodedata
from base64 import b64decode

import pandas as pd
import pytest
import torch

from gpustab import load_runs
from gpustab.cli import app
from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions, read_word_list
from gpustab.formats.registry import read_space
from gpustab.formats.writers import write_space
from gpustab.report.files import write_csv, write_files
from gpustab.report.terminal import to_text
from gpustab.results.table import Table
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import guarded, meant, readings, show, unguarded, unshown
from gpustab.studies.stability.study import stability

HOSTILE = [
    word if isinstance(word, bytes) else word.encode()
    for word in (
        "می‌شود", "क्‍ष", "👩‍🚀", "🏴\U000e0067\U000e0062\U000e007f", "a\u2028b", "a\u2029", "x\u202ey",
        "\u2066x\u2069", "a\u200bb", "a\u00adb", "a\u2060b", "\ufeffx", "x\u200f", "a\u00a0b", "a\u3000b",
        "a\tb", "a\rb", "a\x0bb", "esc\x1b[31m", "\x7f", "a\x85b", "=1+1", "-", "+a", "@x", "'=1+1", "''=",
        "'", "'tis", "'-", "==", "-\\t", "'\\t", "\\", "\\\\", "C:\\new", "C:\\\\new", "\\t", "\\\\t",
        "\\u200c", "\\u202e", "\\xff", "\\\\xff", "\\U0001f600", "a\\b", "\\\t", "\\\\\t", "\\\u202e",
        "\\q\u202e", "\ue000", "\U000f0000", "\u0378", "שלום", "العربية", "<b>x</b>", "</script>", "&lt;",
        'q"uo"te', "a,b", "a;b", '"', "a b", "#x", "__proto__", "nan", "NULL", "1e5", "0", "word", "e\u0301",
        "é", "a" * 400, b"ab\xff", b"\xe9", b"\xff\\", b"\\\xff", b"\xc2", b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80", b"caf\xe9\\x", "\U0010fffd",
    )
]  # fmt: skip


def test_what_is_shown_is_undone_for_every_kind_of_sign():
    pieces = ["\\", "t", "x41", "u200c", "\t", "\u202e", "é", "\udcff", "'", "=", "U0001f600", "\u00ad"]
    words = [
        "".join(own).encode("utf-8", "surrogateescape")
        for n in (1, 2, 3)
        for own in itertools.product(pieces, repeat=n)
    ]
    for word in [*HOSTILE, *words]:
        shown = show(word)
        assert unshown(shown) == word
        assert unshown(unguarded(guarded(shown))) == word
        assert word in readings(shown)
        assert word in readings(word)
    assert len({show(word) for word in words}) == len(set(words))


def test_nothing_that_is_shown_acts():
    """Joiners stay; what ends a line, moves the cursor, hides or turns the direction of reading is spelled out."""
    for word in HOSTILE:
        for sign in show(word):
            assert unicodedata.category(sign) not in ("Cc", "Zl", "Zp", "Cs", "Co", "Cn")
            assert unicodedata.category(sign) != "Cf" or sign in "\u200c\u200d"
    assert show("می‌شود".encode()) == "می‌شود"
    assert show("👩‍🚀".encode()) == "👩‍🚀"


def _space(seed):
    vectors = torch.randn(len(HOSTILE), 6, generator=torch.Generator().manual_seed(seed))
    return Space(Vocabulary(HOSTILE), vectors)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The files of a report on three runs of these words."""
    folder = tmp_path_factory.mktemp("report")
    for r in range(3):
        write_space(_space(r), folder / f"r{r}.safetensors")
    runs = load_runs([_space(r) for r in range(3)])
    result = stability([runs], neighbours=[2])
    write_files(result, folder / "out")
    return folder, runs, result


def of_csv(folder, name="words.csv"):
    with (folder / "out" / name).open(encoding="utf-8-sig", newline="") as file:
        return [row["word"] for row in csv.DictReader(file)]


def of_parquet(folder):
    return pd.read_parquet(folder / "out" / "words.parquet").word.tolist()


def of_page(folder):
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    (island,) = re.findall(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    return json.loads(gzip.decompress(b64decode(json.loads(island)["groups"][0]["words"])))


def of_pandas(folder):
    return pd.read_csv(folder / "out" / "words.csv", keep_default_na=False).word.tolist()


@pytest.mark.parametrize("reader", [of_csv, of_parquet, of_page, of_pandas])
def test_words_copied_from_a_report_are_the_words(written, tmp_path, reader):
    folder, runs, _ = written
    copied = reader(folder)
    assert len(copied) == len(HOSTILE)
    path = tmp_path / "words.txt"
    path.write_text("\n".join(copied) + "\n", encoding="utf-8")
    listed = read_word_list(path)
    there = set(HOSTILE)
    # Of words of which one is what another is guarded as, the table itself tells which is meant.
    twins = {b"=1+1", b"'=1+1", b"-", b"'-"} if reader in (of_csv, of_pandas) else set()
    found = [meant(word, there) for word in listed]
    assert [own for own, word in zip(found, HOSTILE, strict=True) if own != word and word not in twins] == []
    measured = stability([runs], neighbours=[2], words=listed).notes
    assert not any("not there" in note for note in measured)


@pytest.mark.parametrize("name", ["words.csv", "words.parquet"])
def test_a_table_of_words_is_a_list_of_words(written, name):
    folder, _, _ = written
    assert read_word_list(folder / "out" / name) == HOSTILE


def is_text(word):
    try:
        return bool(word.decode())
    except UnicodeDecodeError:
        return False


def test_a_list_of_raw_words_is_read_as_it_is(tmp_path):
    plain = [word for word in HOSTILE if b"\n" not in word and not word.endswith(b"\r")]
    plain = [word for word in plain if is_text(word)]  # others are refused, and written with \\x
    (tmp_path / "raw.txt").write_bytes(b"\n".join(plain))
    assert read_word_list(tmp_path / "raw.txt") == plain
    for word in plain:
        assert meant(word, {word}) == word


def test_a_list_of_words_may_be_packed_and_damage_is_told(tmp_path):
    packed = gzip.compress(b"war\npeace\n")
    (tmp_path / "whole.txt.gz").write_bytes(packed)
    assert read_word_list(tmp_path / "whole.txt.gz") == [b"war", b"peace"]
    (tmp_path / "cut.txt.gz").write_bytes(packed[:-6])
    with pytest.raises(InputError, match=r"cut\.txt\.gz: incomplete or damaged download"):
        read_word_list(tmp_path / "cut.txt.gz")


def test_only_some_words_are_loaded_by_what_is_shown_of_them(written):
    folder, _, _ = written
    for word in (b"=1+1", "x\u202ey".encode(), b"ab\xff", b"C:\\new", "می‌شود".encode()):
        found = read_space(folder / "r0.safetensors", LoadOptions(only=[guarded(show(word))]))
        assert word in list(found.vocabulary)


def test_the_terminal_and_the_page_hold_no_sign_that_acts(written):
    folder, _, result = written
    for text in (to_text(result), (folder / "out" / "report.html").read_text(encoding="utf-8")):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)


def test_the_command_takes_its_own_tables(written):
    from typer.testing import CliRunner

    folder, _, _ = written
    runs = [str(folder / f"r{r}.safetensors") for r in range(3)]
    for name in ("words.csv", "words.parquet"):
        command = ["stability", *runs, "--words", str(folder / "out" / name), "--json"]
        done = CliRunner().invoke(app, command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert "not there" not in done.output


def test_a_word_is_typed_as_it_is_shown(written):
    from gpustab import neighbours_of

    _, runs, _ = written
    for word in HOSTILE[::3]:
        assert neighbours_of([runs], show(word), 2).settings["word"] == show(word)


def test_a_table_that_is_no_report_is_named(tmp_path):
    with (tmp_path / "t.csv").open("wb") as file:
        write_csv(Table({"a": ["x"], "word": ["'=1"]}), file)
    assert read_word_list(tmp_path / "t.csv") == [b"'=1"]
    (tmp_path / "lines.csv").write_text("word\nwar\n")  # one column is a list, and its header a word
    assert read_word_list(tmp_path / "lines.csv") == [b"word", b"war"]


def test_lists_of_targets_and_terms_end_lines_at_line_feeds_alone(tmp_path):
    from gpustab.evaluation.semeval import read_semeval
    from gpustab.small_data.text import read_terms

    (tmp_path / "targets.txt").write_bytes("a\u2028b\r\nc\x85d\ne\x0bf\n".encode())
    assert read_semeval(tmp_path).targets == ("a\u2028b", "c\x85d", "e\x0bf")
    assert read_terms(tmp_path / "targets.txt", "en") == [(b"a", b"b"), (b"c", b"d"), (b"e", b"f")]
