"""What unpacks to far more than it is refused while it is unpacked, with the file, the limit and the way on."""

import bz2
import gzip
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.feather import write_feather
from pyarrow.parquet import write_table

from gpustab import InputError, load_space
from gpustab.corpus.documents import open_documents
from gpustab.formats import source

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
LIMIT = r"unpack more than \d MB; at most 3 times as many are read; if it is meant so, unpack it"


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    monkeypatch.setattr(source, "_FREE", 1 << 21)
    monkeypatch.setattr(source, "_PACKED", 3)


def docx(path, paragraphs, declared=None):
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
    if declared is not None:
        content = bytearray(path.read_bytes())
        struct.pack_into("<I", content, content.rindex(b"PK\x01\x02") + 24, declared)
        path.write_bytes(content)


@pytest.mark.parametrize("unit", [b"a", b"a b\n"])
@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
def test_compressed_text(tmp_path, suffix, pack, unit):
    path = tmp_path / f"a.txt.{suffix}"
    path.write_bytes(pack(unit * (4_000_000 // len(unit))))
    with pytest.raises(InputError, match=rf"a\.txt\.{suffix}: of .* {LIMIT}"):
        list(open_documents(path, layout="lines"))


def test_compressed_vectors(tmp_path):
    path = tmp_path / "a.vec.gz"
    path.write_bytes(gzip.compress(b"".join(b"w%d%s\n" % (k, b" 0" * 30) for k in range(60_000))))
    with pytest.raises(InputError, match=LIMIT):
        load_space(path)


def test_words_of_an_archive(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, vectors=np.ones((2, 2), "f4"), words=np.array(["a", "b" + "\0" * 600_000 + "c"]))
    with pytest.raises(InputError, match=rf"a\.npz: of .* {LIMIT}"):
        load_space(path)


@pytest.mark.parametrize("content", ["one word", "long vectors"])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_tables(tmp_path, kind, content):
    """Parquet says what it holds before it is unpacked; of Feather the batches are counted that Arrow has unpacked."""
    words = ["a" * 8_000_000, "b"] if content == "one word" else ["a", "b"]
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(2_000_000, "f4")), 1_000_000)
    vectors = {"x": [0.5, 1.0], "y": [1.0, 0.5]} if content == "one word" else {"v": lists}
    write, path = {"parquet": write_table, "feather": write_feather}[kind], tmp_path / f"a.{kind}"
    write(pa.table({"word": words, **vectors}), path, compression="zstd")
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match=rf"a\.{kind}: of .* {LIMIT}"):
        load_space(path)


def test_a_word_document(tmp_path):
    docx(path := tmp_path / "a.docx", ["hello dear world"] * 100_000)
    with pytest.raises(InputError, match=rf"a\.docx: of .* {LIMIT}"):
        list(open_documents(path))


def test_a_word_document_whose_header_lies(tmp_path):
    docx(path := tmp_path / "a.docx", ["hello dear world"] * 100_000, declared=1_000)
    with pytest.raises(InputError, match=r"a\.docx: (this \.docx is damaged|of )"):
        list(open_documents(path))


def test_what_is_small_or_packs_little_is_read(tmp_path):
    docx(tmp_path / "a.docx", ["one", "two &amp; three", ""])
    (document,) = open_documents(tmp_path / "a.docx")
    assert document.texts == ["one\ntwo & three\n"]
    random = np.random.default_rng(0)
    lines = random.integers(0, 1 << 62, 80_000)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress("\n".join(map(hex, lines)).encode()))
    assert len(list(open_documents(tmp_path / "a.txt.gz", layout="lines"))) == 80_000
