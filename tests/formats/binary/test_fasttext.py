"""fastText's model files: composed vectors, and three different messages for what cannot be read."""

import bz2
import gzip
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab.formats.binary.fasttext import FASTTEXT
from gpustab.formats.binary.ngrams import ngram_buckets
from tests.formats import binary_files
from tests.formats.binary_files import attempt, read, refused

WORDS = [b"</s>", b"the", "naïve".encode(), "日本語".encode(), b"ab\xff", b"ab\xfe", b"\x80\x81", b"a"]
MATRIX = np.random.default_rng(0).standard_normal((58, 4)).astype("<f4")


NAME = "model.bin"
refusal = partial(refused, read, FASTTEXT)


def model(shortest=3, longest=6, **parts):
    return binary_files.fasttext(WORDS, MATRIX, shortest, longest, 50, **parts)


SMALL = np.arange(14, dtype="<f4").reshape(7, 2)


def small():
    """A small model, to be damaged at each of its bytes."""
    return binary_files.fasttext([b"</s>", b"the"], SMALL, 2, 3, 5)


@given(
    words=st.lists(st.binary(max_size=12) | st.text("aé日😀<>", max_size=6).map(str.encode), max_size=5),
    shortest=st.integers(0, 4),
    longest=st.integers(0, 7),
)
def test_ngrams_are_those_of_the_definition(words, shortest, longest):
    owner, bucket = ngram_buckets(words, shortest, longest, 997)
    # A word's first byte may be a continuation: it then belongs to the opening bracket.
    for i, word in enumerate(words):
        wanted = [binary_files.fnv(ngram) % 997 for ngram in binary_files.ngrams(word, shortest, longest)]
        assert sorted(bucket[owner == i].tolist()) == sorted(wanted)


def test_known_ngrams_and_hashes():
    """The example of Bojanowski et al. 2017, section 3.2; and FNV-1a of one byte, as published by its authors."""
    assert list(binary_files.ngrams(b"where", 3, 3)) == [b"<wh", b"whe", b"her", b"ere", b"re>"]
    assert binary_files.fnv(b"a") == 0xE40C292C
    assert binary_files.fnv(b"foobar") == 0xBF9CF968
    owner, bucket = ngram_buckets([b"a"], 1, 1, 2**31)
    assert (owner.tolist(), bucket.tolist()) == ([0], [0xE40C292C % 2**31])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize(("shortest", "longest"), [(3, 6), (1, 2), (0, 1), (2, 9), (4, 3), (0, 0)])
def test_composed_vectors(save, pack, shortest, longest):
    space = read(FASTTEXT, save(pack(model(shortest, longest))))
    wanted = binary_files.composed(WORDS, MATRIX, shortest, longest, 50)
    assert list(space.vocabulary) == WORDS
    np.testing.assert_allclose(space.vectors.numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert np.array_equal(space.vectors[0].numpy(), MATRIX[0]), "</s> is its row alone"
    assert space.counts.tolist() == [8, 7, 6, 5, 4, 3, 2, 1]
    assert (space.report.format, space.report.header, space.report.rows) == ("fastText binary", (8, 4), 8)
    assert ("composed" in space.report.notes[0]) == (longest > 0)
    if not longest:
        assert np.array_equal(space.vectors.numpy(), MATRIX[:8])
        assert "own rows: the model has no n-grams" in space.report.notes[0]


def test_many_words_in_several_steps(save):
    rng = np.random.default_rng(1)
    words = [b"</s>", *(b"word%d" % i for i in range(5000))]
    words[3000] = b"longer" * 20
    matrix = rng.standard_normal((5001 + 777, 3)).astype("<f4")
    space = read(FASTTEXT, save(binary_files.fasttext(words, matrix, 3, 6, 777)))
    wanted = binary_files.composed(words, matrix, 3, 6, 777)
    np.testing.assert_allclose(space.vectors.numpy(), wanted, rtol=1e-5, atol=1e-6)
    some = read(FASTTEXT, save(binary_files.fasttext(words, matrix, 3, 6, 777)), only=[words[4000], words[7], "none"])
    assert list(some.vocabulary) == [words[7], words[4000]]
    np.testing.assert_allclose(some.vectors.numpy(), wanted[[7, 4000]], rtol=1e-5, atol=1e-6)
    assert some.counts.tolist() == [5001 - 7, 5001 - 4000]


def test_limit(save):
    space = read(FASTTEXT, save(model()), limit=3)
    assert list(space.vocabulary) == WORDS[:3]
    np.testing.assert_allclose(space.vectors, binary_files.composed(WORDS, MATRIX, 3, 6, 50)[:3], rtol=1e-5, atol=1e-6)
    assert "limit=3: 5 of 8 rows were not read" in space.report.notes


def test_words_that_are_not_utf8_shift_nothing(save):
    space = read(FASTTEXT, save(model()))
    assert space.report.undecodable.count == 3
    assert space.vocabulary.index_of(b"ab\xfe") == 5


def test_the_same_word_twice(save):
    words = [b"a", b"b", b"a", b"c"]
    path = save(binary_files.fasttext(words, MATRIX[:4]))
    space = read(FASTTEXT, path)
    assert list(space.vocabulary) == [b"a", b"b", b"c"]
    assert np.array_equal(space.vectors.numpy(), MATRIX[[0, 1, 3]])
    assert space.counts.tolist() == [4, 3, 1]
    assert space.report.duplicates.examples == ["'a' in rows 0 and 2"]


@pytest.mark.parametrize("bad", [[np.nan], [np.inf, -np.inf]])
def test_values_that_are_not_finite(save, bad):
    matrix = MATRIX.copy()
    matrix[1, : len(bad)] = bad
    path = save(binary_files.fasttext(WORDS, matrix, 3, 6, 50))
    assert "1 row(s) with values that are not finite in float32: 'the' in row 1" in refusal(path)
    assert len(read(FASTTEXT, path, drop_nonfinite=True).vocabulary) == 7


def test_three_messages(save):
    assert "byte 4: this is a fastText model of version 13, wanted 11 or 12" in refusal(save(model(version=13)))
    quantised = refusal(save(model(quantised=1, pruned=3)))
    assert "quantised fastText model (.ftz)" in quantised
    content = model()
    cut = refusal(save(content[:-500]))
    start = content.index(MATRIX.tobytes())
    size, found = MATRIX.nbytes, len(content) - 500 - start
    assert (
        f"incomplete or damaged download: the input matrix, from byte {start} on, has {found} bytes, wanted {size}"
        in cut
    )


def test_every_cut_is_refused_and_never_read_in_part(save):
    wanted = read(FASTTEXT, save(small())).vectors
    content = small()
    complete = content.index(SMALL.tobytes()) + SMALL.nbytes
    for size in range(4, len(content)):
        path = save(content[:size])
        assert "incomplete or damaged download" in refusal(path)
        space, message = attempt(read, FASTTEXT, path, allow_truncated=True)
        if size < complete:
            assert "incomplete or damaged download" in message
        else:
            assert np.array_equal(space.vectors, wanted)
            assert "allow_truncated: incomplete or damaged download" in space.report.notes[0]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_every_cut_of_a_compressed_file(save, pack):
    content = pack(model())
    for size in range(40, len(content), 7):
        assert "incomplete or damaged download (" in refusal(save(content[:size]))
    if pack is gzip.compress:
        assert "incomplete or damaged download (" in refusal(save(content[:-1]))
        space = read(FASTTEXT, save(content[:-4]), allow_truncated=True)
        assert len(space.vocabulary) == 8


def test_bytes_after_the_end(save):
    content = model()
    assert f"byte {len(content)}: wanted the end of the file, found 3 more bytes" in refusal(save(content + b"abc"))


def test_any_changed_byte_is_read_or_refused(save):
    for place in range(4, len(small())):
        for byte in (0, 1, 0x7F, 0xFF):
            changed = bytearray(small())
            changed[place] = byte
            path = save(changed)
            space, message = attempt(read, FASTTEXT, path)
            assert space or message.startswith(f"{path}: ")


def test_parts_that_contradict_each_other(save):
    assert "9 entries, but 8 words and 0 labels" in refusal(save(model(entries=9)))
    assert "has 57 rows, wanted 58, for 8 words and 50 buckets" in refusal(save(model(shape=(57, 4))))
    assert "input matrix is 58 x 5, wanted 4 columns" in refusal(save(model(shape=(58, 5))))
    assert "output matrix is -1 x 4" in refusal(save(model(output_shape=(-1, 4))))
    assert "the dictionary is pruned, which only quantised models can be" in refusal(save(model(pruned=0)))
    assert "wanted 0 or 1, found 7" in refusal(save(model(quantised=7)))
    contradiction = binary_files.fasttext(WORDS, MATRIX[:8], 3, 6, 0)
    assert "4 dimensions, 0 buckets, n-grams of 3 to 6 characters" in refusal(save(contradiction))
    assert "dim=5 was asked for" in refusal(save(model()), dim=5)


def test_sizes_beyond_32_bits_are_refused_without_allocation(save):
    """F33: a matrix of 2**31 - 8 buckets."""
    buckets = 2**31 - 9
    content = binary_files.fasttext(WORDS, MATRIX, 3, 6, buckets, shape=(buckets + 8, 4))
    assert f"wanted {(2**31 - 1) * 16}" in refusal(save(content))


@pytest.mark.parametrize("version", [11, 12])
def test_labels_of_a_classifier_are_no_words(save, version):
    """Classifiers of version 11 had no n-grams, whatever their arguments say."""
    space = read(FASTTEXT, save(model(version=version, model=3, labels=[b"__label__x", b"__label__y"])))
    longest = 6 if version == 12 else 0
    assert list(space.vocabulary) == WORDS
    wanted = binary_files.composed(WORDS, MATRIX, 3, longest, 50)
    np.testing.assert_allclose(space.vectors.numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert "its 2 label(s) are not words" in str(space.report.notes)


def test_what_is_taken_for_this_format():
    assert FASTTEXT.matches(model())
    assert not FASTTEXT.matches(b"2 1\na 0.5\nb 0.5\n")


@pytest.fixture
def trained(tmp_path):
    """Trains with fastText itself on 11 words and saves the model."""
    fasttext = pytest.importorskip("fasttext")
    text = tmp_path / "text"
    lines = ["the naïve 日本語 of and to in was café ééééé\n"] * 30
    text.write_text("".join(lines), encoding="utf-8")

    def train(**arguments):
        arguments = {"dim": 8, "bucket": 1000, "epoch": 1, "minCount": 1, "thread": 1, "verbose": 0} | arguments
        found = fasttext.train_unsupervised(str(text), **arguments)
        found.save_model(str(tmp_path / "trained.bin"))
        return found, tmp_path / "trained.bin"

    return train


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"model": "cbow", "loss": "hs"},
        {"minn": 1, "maxn": 3},
        {"minn": 2, "maxn": 2, "loss": "softmax"},
        {"maxn": 0, "minn": 0},
        {"wordNgrams": 2},
    ],
)
def test_models_of_fasttext_itself(trained, arguments):
    found, path = trained(**arguments)
    space = read(FASTTEXT, path)
    words, counts = found.get_words(include_freq=True)
    assert list(space.vocabulary) == [word.encode() for word in words]
    assert space.counts.tolist() == counts.tolist() == [30] * 11
    rows = found.get_input_matrix().astype(np.float64)
    wanted = [rows[found.get_subwords(word)[1]].mean(axis=0) for word in words]
    np.testing.assert_allclose(space.vectors.numpy(), wanted, rtol=1e-5, atol=1e-7)
    own = rows[found.get_word_id("</s>")]
    np.testing.assert_array_equal(space.vectors[space.vocabulary.index_of("</s>")].numpy(), own.astype(np.float32))


def test_damage_to_a_model_of_fasttext_itself(trained, save):
    _, path = trained()
    content = path.read_bytes()
    version = refusal(save(content[:4] + b"\x63" + content[5:]))
    assert "version 99" in version
    assert "the input matrix" in refusal(save(content[:-500]))
    assert "incomplete" in refusal(save(content[:300]))
    place = content.index(b"was\0")
    patched = content[:place] + b"\xff" + content[place + 1 :]
    space = read(FASTTEXT, save(patched))
    assert len(space.vocabulary) == 11
    assert b"\xffas" in space.vocabulary
    assert space.report.undecodable.count == 1


def test_quantised_and_supervised_models_of_fasttext_itself(tmp_path):
    fasttext = pytest.importorskip("fasttext")
    text = tmp_path / "labelled"
    text.write_text("".join(f"__label__{i % 2} word{i % 7} more\n" for i in range(300)))
    found = fasttext.train_supervised(
        str(text), dim=4, bucket=600, minn=2, maxn=3, epoch=1, minCount=1, thread=1, verbose=0
    )
    found.save_model(str(tmp_path / "x.bin"))
    space = read(FASTTEXT, tmp_path / "x.bin")
    assert [word.decode() for word in space.vocabulary] == found.words
    rows = found.get_input_matrix()
    wanted = [rows[found.get_subwords(word)[1]].mean(axis=0) for word in found.words]
    np.testing.assert_allclose(space.vectors.numpy(), wanted, rtol=1e-5, atol=1e-7)
    assert "its 2 label(s) are not words" in str(space.report.notes)
    found.quantize(cutoff=300, retrain=False)
    found.save_model(str(tmp_path / "x.ftz"))
    assert "quantised" in refusal(tmp_path / "x.ftz")
