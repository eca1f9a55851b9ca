"""What is written can be read back, to the bit."""

import gzip

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gpustab.errors import InputError
from gpustab.formats.atomic import WritingError
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.writers import write_space, write_word2vec_text
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary

WORD = st.binary(min_size=1, max_size=8).filter(lambda word: not set(word) & {0x20, 0x09, 0x0A})
ANY_WORD = st.binary(max_size=8)


@st.composite
def spaces(draw, word):
    words = draw(st.lists(word, min_size=1, max_size=8, unique=True))
    finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
    shape = (len(words), draw(st.integers(1, 5)))
    return Space(Vocabulary(words), torch.from_numpy(draw(arrays.arrays(np.float32, shape, elements=finite))))


def same_bits(one, other):
    return np.array_equal(one.numpy().view(np.uint32), other.numpy().view(np.uint32))


quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(space=spaces(WORD), suffix=st.sampled_from([".vec", ".vec.gz"]))
def test_text_round_trip(tmp_path, space, suffix):
    path = tmp_path / f"x{suffix}"
    write_word2vec_text(space, path)
    back = read_space(path)
    assert back.vocabulary == space.vocabulary
    assert same_bits(back.vectors, space.vectors)
    assert back.report.header == tuple(space.vectors.shape)
    assert back.report.compression == ("gzip" if suffix.endswith("gz") else None)


@quick
@given(space=spaces(ANY_WORD))
def test_text_restores_every_word_or_refuses(tmp_path, space):
    try:
        write_word2vec_text(space, tmp_path / "x.vec")
    except InputError:
        assert any(not word or set(word) & {0x20, 0x09, 0x0A} for word in space.vocabulary)
    else:
        assert read_space(tmp_path / "x.vec").vocabulary == space.vocabulary


@quick
@given(space=spaces(ANY_WORD))
def test_safetensors_round_trip(tmp_path, space):
    write_safetensors(space, tmp_path / "x.safetensors")
    back = read_space(tmp_path / "x.safetensors")
    assert back.vocabulary == space.vocabulary
    assert same_bits(back.vectors, space.vectors)


@pytest.mark.parametrize("word", [b"", b" a", b"a ", b"\ta", b"a\t", b"a\nb", b" "])
def test_words_that_text_cannot_hold(tmp_path, word):
    with pytest.raises(InputError, match=r"x\.vec: word 1"):
        write_word2vec_text(Space(Vocabulary([b"ok", word]), torch.ones(2, 3)), tmp_path / "x.vec")
    assert not list(tmp_path.iterdir())


def test_inner_spaces_are_written(tmp_path):
    words = [b"new york", b"a  b", b"c\td", b"12 34", b"e"]
    write_word2vec_text(Space(Vocabulary(words), torch.ones(5, 3)), tmp_path / "x.vec")
    assert list(read_space(tmp_path / "x.vec").vocabulary) == words


def test_words_that_would_hide_the_header_are_refused(tmp_path):
    with pytest.raises(InputError, match="would not restore"):
        write_word2vec_text(Space(Vocabulary([b"12 34", b"5 6"]), torch.ones(2, 3)), tmp_path / "x.vec")


def test_failed_writing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.vec"
    path.write_bytes(b"old")
    space = Space(Vocabulary(["a"]), torch.ones(1, 2))

    def fail(_):
        yield b"1 2\n"
        raise OSError("disk full")

    monkeypatch.setattr("gpustab.formats.writers._refuse_ambiguity", lambda *_: None)
    monkeypatch.setattr("gpustab.formats.writers._lines", fail)
    with pytest.raises(WritingError, match=r"x\.vec: cannot be written: disk full"):
        write_word2vec_text(space, path)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.vec"]


@pytest.mark.parametrize("write", [write_word2vec_text, write_safetensors])
def test_permissions_are_those_of_any_new_file(tmp_path, write):
    (tmp_path / "ordinary").touch()
    write(Space(Vocabulary(["a"]), torch.ones(1, 2)), tmp_path / "x.vec")
    assert (tmp_path / "x.vec").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_missing_folder(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        write_word2vec_text(Space(Vocabulary(["a"]), torch.ones(1, 2)), tmp_path / "none" / "x.vec")


@pytest.mark.parametrize("name", ["a.txt", "./b/../a.txt", "link.txt", "c.safetensors"])
def test_no_space_is_written_over_the_file_that_it_was_read_from(tmp_path, name):
    """What was read may be a part of it, ``limit``, or have fewer digits."""
    for path in ("a.txt", "c.safetensors"):
        write_space(Space(Vocabulary([b"a", b"b"]), torch.ones(2, 3)), tmp_path / path)
    (tmp_path / "b").mkdir()
    (tmp_path / "link.txt").symlink_to("a.txt")
    before = (tmp_path / name).read_bytes()
    part = read_space(tmp_path / name, LoadOptions(limit=1))
    with pytest.raises(InputError, match="one of the runs that are read; writing there would destroy it"):
        write_space(part, tmp_path / name)
    if name != "c.safetensors":
        with pytest.raises(InputError, match="would destroy it"):
            write_space(part, tmp_path / "a.txt")
    assert (tmp_path / name).read_bytes() == before
    write_space(part, tmp_path / "other.txt")


def test_gzip_is_reproducible(tmp_path):
    space = Space(Vocabulary(["a"]), torch.tensor([[0.1, -0.0]]))
    for name in ("x.gz", "y.gz"):
        write_word2vec_text(space, tmp_path / name)
    assert (tmp_path / "x.gz").read_bytes() == (tmp_path / "y.gz").read_bytes()
    assert gzip.decompress((tmp_path / "x.gz").read_bytes()) == b"1 2\na 0.100000001 -0\n"


def test_gensim_reads_what_is_written(tmp_path):
    keyedvectors = pytest.importorskip("gensim.models.keyedvectors")
    vectors = torch.randn(20, 5, generator=torch.Generator().manual_seed(0))
    write_word2vec_text(Space(Vocabulary([f"w{i}" for i in range(20)]), vectors), tmp_path / "x.vec")
    peer = keyedvectors.KeyedVectors.load_word2vec_format(str(tmp_path / "x.vec"))
    assert np.array_equal(peer.vectors, vectors.numpy())
