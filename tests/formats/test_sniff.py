"""Files that are something else than their name says."""

import errno
import gzip
import io
import os
import pathlib
import pickle
import struct
import zipfile

import numpy as np
import pytest

from gpustab.errors import InputError
from gpustab.formats.registry import read_space
from gpustab.formats.sniff import foreign

TEXT = b"2 2\na 1 2\nb 3 4\n"


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x.vec", TEXT)
    return stream.getvalue()


FOREIGN = {
    "empty file": b"",
    "HTML page": b"<!DOCTYPE html>\n<html><head><title>Not found 404</title></head></html>\n",
    "Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "zip archive": zipped(),
    "pickle of plain data": pickle.dumps({"a": ["b"]}),
    "pandas.read_pickle(FILE).to_parquet(OTHER)": b"\x80\x04cpandas.core.frame\nDataFrame\n.",
    "SQLite database (Magnitude's?)": b"SQLite format 3\x00" + bytes(90),
    "gguf.GGUFReader(FILE)": b"GGUF\x03\x00\x00\x00" + bytes(90),
    "h5py.File(FILE)[NAME][:]": b"\x89HDF\r\n\x1a\n" + bytes(90),
    "PDF file": b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n",
    "picture (PNG)": b"\x89PNG\r\n\x1a\n" + bytes(90),
    "picture (JPEG)": b"\xff\xd8\xff\xe0" + bytes(90),
    "Office file; save its sheet as CSV": b"PK\x03\x04" + bytes(22) + b"\x13\0\0\0[Content_Types].xml" + bytes(90),
    "give model-00001-of-00002.safetensors, which has model.embed_tokens.weight": (
        b'{"metadata": {"total_size": 9}, "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors", '
        b'"model.embed_tokens.weight": "model-00001-of-00002.safetensors"}}'
    ),
    "gpustab.load_runs([json.load(open(FILE)), ...])": b'{"the": [0.1, 0.2], "of": [0.3, 0.4]}\n',
    "gpustab.load_runs([json.load(open(FILE))": b'{\n "the": [\n  0.1,\n  0.2\n ],\n "of": [\n  0.3,\n  0.4\n ]\n}\n',
    "pandas.read_json(FILE, lines=True)": b'{"word": "the", "vector": [0.1]}\n{"word": "of", "vector": [0.2]}\n',
    "readRDS(FILE)": b"X\n\x00\x00\x00\x03" + bytes(90),
    "scipy.io.loadmat(FILE)": b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(90),
    "FAISS index": b"IxFI" + bytes(90),
    "XML file": b"<?xml version='1.0'?>\n<a/>\n",
    "tar archive": bytes(257) + b"ustar\x0000" + bytes(250),
    "UTF-16": "2 2\na 1 2\nb 3 4\n".encode("utf-16"),
    "carriage returns alone": TEXT.replace(b"\n", b"\r"),
    "gzip file inside": gzip.compress(TEXT, mtime=0),
    "no known kind": np.random.default_rng(0).standard_normal(12).tobytes(),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_content_is_named_in_one_sentence(tmp_path, kind, packed):
    if kind == "gzip file inside" and not packed:
        pytest.skip("a gzip file is read")
    path = tmp_path / "x.bin"
    path.write_bytes(gzip.compress(FOREIGN[kind]) if packed else FOREIGN[kind])
    with pytest.raises(InputError) as caught:
        read_space(path)
    is_pickle = FOREIGN[kind].startswith(b"\x80")
    assert ("this is a pickle within gzip; unpack it" if packed and is_pickle else kind) in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


WORD2VEC = b"2 3\nab " + struct.pack("<3f", 0.1, 0.2, 0.3) + b"\ncd " + struct.pack("<3f", 1, 2, 3) + b"\n"


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        (WORD2VEC, "word2vec binary"),
        (gzip.compress(WORD2VEC, mtime=0), "word2vec binary"),
        (gzip.compress(TEXT, mtime=0), "word2vec text"),
        (b"\xba\x16\x4f\x2f" + struct.pack("<2i", 12, 100), "damaged download: the list of arguments"),
        (pickle.dumps({"a": ["b"]}), "pickle"),
        (np.random.default_rng(0).standard_normal(12).tobytes(), "GloVe's own binary has numbers only"),
    ],
)
def test_the_suffix_bin_says_nothing(tmp_path, content, outcome):
    """F08: five kinds of file go by this name."""
    path = tmp_path / "x.bin"
    path.write_bytes(content)
    if outcome.startswith("word2vec"):
        assert read_space(path).report.format == outcome
        return
    with pytest.raises(InputError, match=outcome):
        read_space(path)


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_mark(tmp_path, coding):
    (tmp_path / "x.vec").write_bytes(TEXT.decode().encode(coding))
    with pytest.raises(InputError, match="UTF-16"):
        read_space(tmp_path / "x.vec")


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("executed",)


def test_pickle_is_never_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.vec").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(InputError, match="pickle"):
        read_space("x.vec")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(("name", "content"), [("x.vec", gzip.compress(TEXT, mtime=0)), ("x.vec.gz", TEXT)])
def test_gzip_is_told_by_content(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    space = read_space(tmp_path / name)
    assert space.vectors.tolist() == [[1, 2], [3, 4]]
    assert space.report.compression == ("gzip" if content != TEXT else None)
    assert space.name == "x"


@pytest.mark.parametrize(
    "word", [b"<html>", b"\x80\x04", b"\xff\xfe", b"a\x00b", b"\x00\x01\x02", b"<unk>", b"GGUF", b"ORC", b'{"', b"["]
)
def test_odd_first_words_do_not_hide_text(tmp_path, word):
    (tmp_path / "x.txt").write_bytes(word + b" 1 2\nb 3 4\n")
    assert read_space(tmp_path / "x.txt").vocabulary[0] == word


def test_a_colour_at_any_place_makes_text_no_binary_file():
    """Of the first bytes that are looked at, the last ones may be half a colour."""
    for place in range(4_080, 4_100):
        assert foreign((b"word " * 1_000)[:place] + b"\x1b[1;31mred\x1b[0m " + b"word " * 1_000) is None


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match=r"none\.vec: there is no such file"):
        read_space(tmp_path / "none.vec")
    with pytest.raises(InputError, match="folder"):
        read_space(tmp_path)


def test_unreadable_file(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")  # as modes do not stop a superuser

    monkeypatch.setattr(pathlib.Path, "open", refuse)
    with pytest.raises(InputError, match=r"x\.vec: cannot be read: Permission denied"):
        read_space(tmp_path / "x.vec")


def test_pipe_is_read_once():
    reader, writer = os.pipe()
    os.write(writer, TEXT)
    os.close(writer)
    try:
        assert read_space(f"/dev/fd/{reader}").vectors.tolist() == [[1, 2], [3, 4]]
    finally:
        os.close(reader)
