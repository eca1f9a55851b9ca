"""word2vec's binary form: both layouts, cut files, and words of any bytes."""

import bz2
import gzip
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpustab.formats import sniff
from gpustab.formats.binary.word2vec import LONGEST_WORD, WORD2VEC_BINARY
from gpustab.formats.registry import place_space
from tests.formats.binary_files import attempt, read, refused, word2vec

WORDS = [b"</s>", b"the", b"caf\xc3\xa9", b"a", b"longer-word"]
VALUES = np.arange(1, 11, dtype="<f4").reshape(5, 2) / 7
LAYOUTS = pytest.mark.parametrize("newline", [True, False])


NAME = "vectors.bin"
refusal = partial(refused, read, WORD2VEC_BINARY)


def same(space, words, values):
    assert list(space.vocabulary) == words
    assert space.vectors.numpy().tobytes() == np.asarray(values, dtype="<f4").tobytes()
    return True


@LAYOUTS
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_both_layouts_bit_by_bit(save, newline, pack):
    space = read(WORD2VEC_BINARY, save(pack(word2vec(WORDS, VALUES, newline))))
    assert same(space, WORDS, VALUES)
    assert (space.report.header, space.report.rows, space.report.trailing) == ((5, 2), 5, 0)
    assert space.report.format == "word2vec binary"
    assert not space.report.notes
    assert space.counts is None


def bytes_as_floats(*rows):
    return np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1)


@LAYOUTS
@pytest.mark.parametrize("first", [b"\n", b" ", b"\n ", b" \n"])
@pytest.mark.parametrize("last", [b"\n", b" ", b"\n ", b" \n"])
def test_separators_within_the_values(save, newline, first, last):
    """A second vector that begins with a newline, and a word right after a vector that ends in one."""
    values = bytes_as_floats(b"....1111", first.ljust(4, b"x") + b"....", b"...." + last.rjust(4, b"x"), b"12345678")
    assert same(read(WORD2VEC_BINARY, save(word2vec(WORDS[:4], values, newline))), WORDS[:4], values)


@LAYOUTS
@given(data=st.data())
@settings(max_examples=60)
def test_whatever_is_written_is_read(tmp_path_factory, newline, data):
    d = data.draw(st.integers(1, 4))
    word = st.binary(min_size=1, max_size=6).filter(lambda w: not set(w) & {0x20, 0x0A})
    words = data.draw(st.lists(word, min_size=1, max_size=8, unique=True))
    value = st.floats(width=32, allow_nan=False, allow_infinity=False)
    tricky = st.sampled_from([float(x) for x in bytes_as_floats(b"\n\n\n\n    \n \n  \n \n")[0]])
    values = data.draw(
        st.lists(st.lists(value | tricky, min_size=d, max_size=d), min_size=len(words), max_size=len(words))
    )
    path = tmp_path_factory.getbasetemp() / "drawn.bin"
    path.write_bytes(word2vec(words, values, newline))
    space = read(WORD2VEC_BINARY, path, allow_misread=True)  # such words and values betray nothing but the draw
    assert same(space, words, values)
    assert not any("newline" in note for note in space.report.notes)


@LAYOUTS
def test_blocks_cut_rows_anywhere(save, newline):
    """Several blocks of 1 MiB, also rows of more than a block."""
    rng = np.random.default_rng(0)
    for v, d in ((3001, 301), (3, 300_001)):
        words = [b"w%d" % i * (1 + i % 5) for i in range(v)]
        words = [word + b"." for word in words[:-1]] + words[-1:]
        values = rng.standard_normal((v, d), dtype=np.float32)
        for pack in (bytes, lambda content: gzip.compress(content, 1)):
            space = read(WORD2VEC_BINARY, save(pack(word2vec(words, values, newline))))
            assert len(space.vocabulary) == len(set(words))
            kept = sorted({w: i for i, w in reversed(list(enumerate(words)))}.values())
            assert np.array_equal(space.vectors.numpy(), values[kept])


@LAYOUTS
def test_bytes_that_are_not_utf8_stay_three_words(save, newline):
    cut = ("é" * 50).encode()[:-1]
    words = [b"ok", cut, b"ab\xff", b"ab\xfe", b"ab"]
    space = read(WORD2VEC_BINARY, save(word2vec(words, VALUES, newline)))
    assert same(space, words, VALUES)
    assert space.report.undecodable.count == 3


def test_the_same_word_twice(save):
    path = save(word2vec([b"a", b"b", b"a", b"c"], [[1, 2], [3, 4], [9, 9], [5, 6]]))
    first = read(WORD2VEC_BINARY, path)
    assert same(first, [b"a", b"b", b"c"], [[1, 2], [3, 4], [5, 6]])
    assert first.report.duplicates.examples == ["'a' in rows 0 and 2"]
    assert read(WORD2VEC_BINARY, path, keep_duplicate="last").vectors[0].tolist() == [9, 9]
    assert "'a' in rows 0 and 2" in refusal(path, keep_duplicate="error")


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(save, bad):
    values = VALUES.copy()
    values[2, 1] = bad
    path = save(word2vec(WORDS, values))
    assert "1 row(s) with values that are not finite in float32: 'café' in row 2" in refusal(path)
    assert list(read(WORD2VEC_BINARY, path, drop_nonfinite=True).vocabulary) == [*WORDS[:2], *WORDS[3:]]


@LAYOUTS
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_every_cut_is_refused_or_reported(save, newline, pack):
    content = pack(word2vec(WORDS, VALUES, newline))
    for size in range(1 if pack is bytes else 20, len(content)):
        path = save(content[:size])
        space, message = attempt(read, WORD2VEC_BINARY, path)
        if newline and pack is bytes and size == len(content) - 1:
            assert space.report.notes == (f"no newline at byte {size} ends the last row, as one does all rows before",)
        else:
            assert message.startswith(f"{path}: ")
        space, message = attempt(read, WORD2VEC_BINARY, path, allow_truncated=True)
        if space is None:
            assert "there are no rows" in message or "wanted the number of rows" in message
        else:
            whole = len(space.vocabulary)
            assert same(space, WORDS[:whole], VALUES[:whole])
            assert any(said in str(space.report.notes) for said in ("allow_truncated", "no newline", "declares 5 rows"))


@LAYOUTS
def test_a_cut_file_names_offset_wanted_and_found(save, newline):
    content = word2vec(WORDS, VALUES, newline)
    message = refusal(save(content[:-5]))
    start = content.index(b"longer-word")
    left = len(content) - 5 - start
    assert (
        f"declares 5 rows, found 4 complete ones: the row at byte {start} takes at least 9 bytes, {left} are left"
        in (message)
    )
    assert "incomplete or damaged download" in message


@pytest.mark.parametrize("damage", ["cut", "flipped", "checksum"])
def test_damaged_gzip(save, damage):
    rng = np.random.default_rng(0)
    words = [b"w%d" % i for i in range(5000)]
    values = rng.standard_normal((5000, 100), dtype=np.float32)
    content = bytearray(gzip.compress(word2vec(words, values), 1))
    if damage == "cut":
        del content[-6:]
    elif damage == "checksum":
        content[-8] ^= 1
    else:
        content[len(content) // 2 : len(content) // 2 + 40] = bytes(40)
    path = save(content)
    message = refusal(path)
    assert "incomplete or damaged download" in message
    assert "decompressed bytes and" in message
    if damage == "flipped":
        return
    space = read(WORD2VEC_BINARY, path, allow_truncated=True)
    assert same(space, words, values)
    assert "5000 complete rows" in message
    assert (
        message.removeprefix(f"{path}: ").removesuffix("; allow_truncated keeps the complete rows")
        in (space.report.notes[0])
    )


def test_rows_before_the_damage_are_kept(save):
    words, values = [b"w%d" % i for i in range(900)], np.ones((900, 50), "<f4")
    packed = gzip.compress(word2vec(words, values), 0)  # stored as it is: half the bytes hold half the rows
    path = save(packed[: len(packed) // 2])
    message = refusal(path)
    space = read(WORD2VEC_BINARY, path, allow_truncated=True)
    kept = len(space.vocabulary)
    assert 445 <= kept <= 450
    assert same(space, words[:kept], values[:kept])
    assert f"decompressed bytes and {kept} complete rows could be read" in message
    assert f"{kept} complete rows" in space.report.notes[0]


def test_a_header_that_promises_too_much_allocates_nothing(save):
    """8,000,000 x 300: sizes beyond 32 bits (F33)."""
    path = save(word2vec(WORDS, np.zeros((5, 300), "<f4"), rows=8_000_000))
    message = refusal(path)
    assert "promises 8000000 rows of 300 values, at least 9608000000 bytes after byte 12" in message
    assert "hold at most 5 rows" in message
    assert len(read(WORD2VEC_BINARY, path, allow_truncated=True).vocabulary) == 5
    assert "declares 100000000000000000 values" in refusal(save(b"3 100000000000000000\nw \0\0\0\0"))
    assert "declares 0 values" in refusal(save(b"3 0\nw \0\0\0\0"))


@LAYOUTS
def test_fewer_rows_than_declared(save, newline):
    path = save(word2vec([b"a" * 90, *WORDS], np.ones((6, 2)), newline, rows=9))
    message = refusal(path)
    assert "header declares 9 rows, found 6" in message
    assert "allow_count_mismatch" in message
    space = read(WORD2VEC_BINARY, path, allow_count_mismatch=True)
    assert len(space.vocabulary) == 6
    assert space.report.notes == ("the header declares 9 rows, found 6; all of them were read",)


@LAYOUTS
def test_bytes_after_the_last_row(save, newline):
    content = word2vec(WORDS, VALUES, newline)
    space = read(WORD2VEC_BINARY, save(content + b"\n"))
    assert same(space, WORDS, VALUES)
    assert space.report.trailing == 1
    path = save(word2vec(WORDS, VALUES, newline, rows=3))
    left = len(path.read_bytes()) - path.read_bytes().index(b"a ")
    message = refusal(path)
    assert f"wanted the end of the file after 3 rows, found {left} more bytes" in message
    assert f"byte {len(content) - left}" in message
    space = read(WORD2VEC_BINARY, path, allow_count_mismatch=True)
    assert same(space, WORDS[:3], VALUES[:3])
    assert space.report.trailing == left


def test_neither_layout(save):
    """The first block's rows all end in newlines; a later one does not."""
    words = [b"w%05d" % i for i in range(3000)]
    content = bytearray(word2vec(words, np.ones((3000, 200), "<f4")))
    place = content.index(b"w02000") - 1
    del content[place]
    message = refusal(save(content))
    assert f"byte {place}: wanted 0x0A, which ends the 1999 rows before, found 0x77" in message
    assert "neither layout" in message


def test_a_changed_byte_in_gzip_is_named_as_damage(save):
    """The newline that is missing is not the reason, but what came of it."""
    words = [b"w%05d" % i for i in range(3000)]
    content = word2vec(words, np.ones((3000, 200), "<f4"))
    packed = bytearray(gzip.compress(content, 0))
    packed[packed.index(b"w02000") - 1] = 0x77
    path = save(packed)
    message = refusal(path)
    assert "damaged download (CRC check failed" in message
    assert f"{len(content)} decompressed bytes and 1999 complete rows" in message
    assert list(read(WORD2VEC_BINARY, path, allow_truncated=True).vocabulary) == words[:1999]


def test_words_that_begin_with_a_newline_are_said(save):
    words = [b"a", b"\n", b"b"]
    space = read(WORD2VEC_BINARY, save(word2vec(words, VALUES[:3], newline=False)))
    assert same(space, words, VALUES[:3])
    assert "1 word(s) begin with a newline, though none ends the rows: '\\n' in row 1" in space.report.notes


@LAYOUTS
def test_an_empty_word(save, newline):
    content = word2vec([b"a", b"", b"b"], VALUES[:3], newline)
    path = save(content)
    offset = content.index(b"a ") + 10 + newline
    assert f"byte {offset}: the word before this space is empty" in refusal(path)
    space = read(WORD2VEC_BINARY, path, skip_empty_tokens=True)
    assert same(space, [b"a", b"b"], VALUES[[0, 2]])
    assert space.report.notes == (f"skip_empty_tokens: 1 row(s) with an empty word left out: byte {offset}",)


@LAYOUTS
def test_a_word_without_end(save, newline):
    longest = b"x" * LONGEST_WORD
    path = save(word2vec([b"a", longest, b"b"], VALUES[:3], newline))
    assert same(read(WORD2VEC_BINARY, path), [b"a", longest, b"b"], VALUES[:3])
    message = refusal(save(word2vec([b"a", longest + b"x", b"b", *WORDS], np.ones((8, 2)), newline)))
    assert "wanted a word after 1 rows, found 65536 bytes without a space" in message


@LAYOUTS
def test_limit_reads_no_more_than_needed(save, newline):
    content = word2vec(WORDS, VALUES, newline)
    path = save(content[:-3])
    for limit in (1, 2, 4):
        space = read(WORD2VEC_BINARY, path, limit=limit)
        assert same(space, WORDS[:limit], VALUES[:limit])
        end = content.index(WORDS[limit] + b" ")
        assert f"limit={limit}: nothing was read from byte {end} on" in space.report.notes[0]
    assert "incomplete" in refusal(path, limit=5)
    space = read(WORD2VEC_BINARY, save(content), limit=9)
    assert not space.report.notes


def test_wanted_words_only(save):
    values = np.arange(40_000, dtype="<f4").reshape(10_000, 4)
    path = save(word2vec([b"w%d" % i for i in range(10_000)], values))
    space = read(WORD2VEC_BINARY, path, only=["w7", "w3", "nowhere"])
    assert same(space, [b"w3", b"w7"], values[[3, 7]])
    big = np.zeros((10_000, 60), dtype="<f4")
    space = read(WORD2VEC_BINARY, save(word2vec([b"w%d" % i for i in range(10_000)], big)), only=["w7"])
    assert any("all were found before byte" in note for note in space.report.notes)


def test_options_that_contradict_the_file(save):
    path = save(word2vec(WORDS, VALUES))
    assert "dim=3 was asked for" in refusal(path, dim=3)
    assert "header=False" in refusal(path, header=False)
    assert len(read(WORD2VEC_BINARY, path, dim=2, header=True).vocabulary) == 5


def test_no_rows(save):
    assert "there are no rows" in refusal(save(b"0 3\n"))


@LAYOUTS
def test_what_is_taken_for_this_format(newline):
    matches = WORD2VEC_BINARY.matches
    assert matches(word2vec(WORDS, VALUES, newline))
    assert not matches(b"5 2\n" + b"".join(w + b" 0.5 1.5\n" for w in WORDS))
    assert not matches(b"5 2\n")
    assert not matches(b"\xba\x16\x4f\x2f\x0c\0\0\0")
    assert not matches(b"\x80\x04\x95")
    assert not matches(np.ones(9).tobytes())
    assert sniff.foreign(word2vec(WORDS, VALUES, newline)) is not None


@LAYOUTS
def test_any_changed_byte_is_read_or_refused(save, newline):
    content = word2vec(WORDS, VALUES, newline)
    for place in range(len(content)):
        for byte in (0x0A, 0x20, 0x39, 0xFF):
            changed = bytearray(content)
            changed[place] = byte
            path = save(changed)
            space, message = attempt(read, WORD2VEC_BINARY, path)
            assert space or message.startswith(f"{path}: ")


def many(v=60, d=20, seed=0):
    """Words of several scripts, none with a space, and vectors of usual size."""
    kinds = ["the", "naïve", "漢字", "слово", "…", "don't"]
    words = [f"{kinds[i % len(kinds)]}{i}".encode() for i in range(v)]
    return words, np.random.default_rng(seed).normal(size=(v, d)).astype("<f4") / 10


@pytest.mark.parametrize("rest", [b"", b"b", b"ab", b"abc", b"abcd", b"york", b"new york"])
def test_a_space_within_a_word_is_not_read_over(save, rest):
    """What gensim writes of such words: nothing parts the rows, so the rest of the word becomes values."""
    words, values = many()
    words[17] += b" " + rest
    content = word2vec(words, values, newline=False)
    path, at = save(content), content.index(words[17])
    message = refusal(path)
    assert f"byte {at}: the values of row 17 are not those of one vector: a space within its word" in message
    assert "allow_misread takes it as it is" in message
    space = read(WORD2VEC_BINARY, path, allow_misread=True)
    assert any(
        f"allow_misread: rows that are not those of one vector, or more often: row 17 at byte {at}" in note
        for note in space.report.notes
    )
    if b" " not in rest:  # with a newline after each row no row begins elsewhere
        assert "wanted 0x0A" in refusal(save(word2vec(words, values, newline=True)))


@pytest.mark.parametrize("where", [0, 1, 58])
def test_the_row_is_named_across_blocks_and_at_the_ends(save, where):
    words, values = many(60, 9000)  # a block holds some thirty rows
    words[where] += b" x"
    content = word2vec(words, values, newline=False)
    assert f"byte {content.index(words[where])}: the values of row {where} " in refusal(save(content))


def test_gensims_own_file_of_phrases(tmp_path):
    models = pytest.importorskip("gensim.models")
    words, values = many(200, 50)
    phrases = [word.decode() for word in words]
    path = tmp_path / "x.bin"

    def write():
        vectors = models.KeyedVectors(50)
        vectors.add_vectors(phrases, values)
        vectors.save_word2vec_format(str(path), binary=True)

    write()
    assert same(read(WORD2VEC_BINARY, path), words, values)
    phrases[40] = "new york"
    write()
    if b"new york " in path.read_bytes():  # some versions replace the space
        assert "row 40 are not those of one vector" in refusal(path)


GOOD_WORDS = {
    "latin-1": lambda i: b"\xe9t\xe9%d" % i,
    "cut": lambda i: b"%d\xc3" % i,
    "control": lambda i: b"\x07%d" % i,
    "any bytes": lambda i: bytes(np.random.default_rng(i).integers(128, 256, 5).astype("u1")) + b"%d" % i,
}
GOOD_VALUES = {
    "usual": lambda v: v,
    "noise in some coordinates": lambda v: v * np.where(np.arange(v.shape[1]) % 4, 1, 1e-15),
    "words hardly trained": lambda v: v * np.where(np.arange(len(v)) % 5, 1, 1e-22)[:, None],
    "denormals": lambda v: v * np.where(np.arange(len(v)) % 5, 1, 1e-38)[:, None],
    "sparse": lambda v: v * (np.abs(v) > 0.1),
    "heavy tails": lambda v: np.tan(v * 15),
    "one of 1e30": lambda v: np.where(np.arange(v.shape[1]) == 3, 1e30, v),
}


@pytest.mark.parametrize("kind", GOOD_WORDS)
@pytest.mark.parametrize("values", GOOD_VALUES)
def test_good_files_of_odd_words_or_odd_values_are_not_refused(save, kind, values):
    """Simulated with more of them, 200 files for each of 120 kinds: none refused but 1 of Cauchy values at d = 2."""
    words = [GOOD_WORDS[kind](i) for i in range(150)]
    vectors = GOOD_VALUES[values](many(150, 40)[1].astype(float)).astype("<f4")
    assert same(read(WORD2VEC_BINARY, save(word2vec(words, vectors, newline=False))), words, vectors)


@pytest.mark.parametrize("newline", [True, False])
@pytest.mark.parametrize("kind", [">f4", "<f8", ">f8", "<f2", ">f2"])
@pytest.mark.parametrize("draw", ["normal", "heavy", "signs"])
def test_values_of_another_type_are_read_as_they_were_written(save, kind, newline, draw):
    drawn = np.random.default_rng(3)
    normal = drawn.standard_normal((300, 12))
    values = {"normal": normal, "heavy": normal**3, "signs": np.sign(normal)}[draw].astype(kind)
    words = [f"wört{n}".encode() for n in range(300)]
    end = b"\n" if newline else b""
    rows = (word + b" " + row.tobytes() + end for word, row in zip(words, values, strict=True))
    path = save(b"300 12\n" + b"".join(rows))
    space = read(WORD2VEC_BINARY, path)
    assert same(space, words, values.astype("f4"))
    assert any("were converted from" in note and "to float32" in note for note in space.report.notes)
    assert place_space(path) is None, "such values are not where they lie"


@pytest.mark.parametrize("draw", [np.abs, np.exp, np.sign, lambda x: x * 10.0 ** -np.arange(12), lambda x: x**15])
def test_float32_stays_float32(save, draw):
    values = np.asarray(draw(3 * np.random.default_rng(4).standard_normal((300, 12))), "<f4")
    words = [f"w{n}".encode() for n in range(300)]
    space = read(WORD2VEC_BINARY, save(word2vec(words, values)))
    assert same(space, words, values)
    assert not any("converted" in note for note in space.report.notes)
