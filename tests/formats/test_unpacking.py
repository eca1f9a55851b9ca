"""What unpacks to far more than it is refused while it is unpacked, with the file, the limit and the way on."""

import bz2
import gzip
import json
import lzma
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
from gpustab.formats.binary import tensors

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


@pytest.mark.parametrize(
    "words",
    [np.array(["a" * 100] * 10_000), np.array([b"a" * 60_000] * 50), np.array(["a" * 4_000_000, "b"], object)],
    ids=["many words", "bytes", "objects"],
)
def test_words_of_an_archive(tmp_path, words):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, vectors=np.ones((2, 2), "f4"), words=words)
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match=rf"a\.npz: of .* {LIMIT}"):
        load_space(path)


@pytest.mark.parametrize("content", ["one word", "long vectors"])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_tables(tmp_path, kind, content):
    """Both say what they hold before it is unpacked."""
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


@pytest.mark.parametrize("declared", [0, 1, 1_000, 0xFFFFFFFE])
def test_a_word_document_whose_header_lies(tmp_path, declared):
    docx(path := tmp_path / "a.docx", ["hello dear world"] * 50_000, declared)
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


@pytest.fixture
def pool():
    """What Arrow allots."""
    before = pa.default_memory_pool()

    def begin():
        pa.set_memory_pool(pool := pa.proxy_memory_pool(before))
        return pool

    yield begin
    pa.set_memory_pool(before)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_feather_is_counted_before_arrow_makes_room(tmp_path, pool, compression):
    path = tmp_path / "a.feather"
    write_feather(pa.table({"word": ["a" * 8_000_000, "b"], "x": [0.5, 1.0], "y": [1.0, 0.5]}), path, compression)
    room = pool()
    with pytest.raises(InputError, match=LIMIT):
        load_space(path)
    assert room.max_memory() < 1 << 16


SAME = ["a" * 10_000] * 400
TWO = {"x": np.arange(400.0), "y": np.arange(400.0)}


@pytest.mark.parametrize("kind", ["parquet", "parquet without Arrow's types", "feather"])
def test_a_word_that_is_there_once_and_meant_many_times(tmp_path, pool, kind):
    """The file says 10 kB, a dictionary of one word; its 400 rows are 4 MB."""
    path = tmp_path / f"a.{kind.split()[0]}"
    table = pa.table({"word": pa.array(SAME).dictionary_encode(), **TWO})
    if kind == "feather":
        write_feather(table, path)
    else:
        write_table(table, path, store_schema=kind == "parquet")
    room = pool()
    with pytest.raises(InputError, match=LIMIT):
        load_space(path)
    assert room.max_memory() < 1 << 20


def test_views_of_one_word(tmp_path):
    path = tmp_path / "a.feather"
    view = pa.array([SAME[0], "b"], pa.string_view())
    one = np.frombuffer(view.buffers()[1], np.uint8)[:16]
    views = pa.Array.from_buffers(pa.string_view(), 400, [None, pa.py_buffer(one.tobytes() * 400), view.buffers()[2]])
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, (table := pa.table({"word": views, **TWO})).schema) as w,
    ):
        w.write_table(table)
    assert path.stat().st_size < 40_000
    with pytest.raises(InputError, match=LIMIT):
        load_space(path)


@pytest.mark.parametrize("says", [8, 8_000_001, -2, 1 << 62])
def test_a_feather_file_that_lies_of_what_it_unpacks_to(tmp_path, says):
    path = tmp_path / "a.feather"
    write_feather(pa.table({"word": ["a" * 1_000_000, "b"], "x": [0.5, 1.0], "y": [1.0, 0.5]}), path, "zstd")
    content, true = path.read_bytes(), struct.pack("<q", 1_000_001)
    assert content.count(true) == 1
    path.write_bytes(content.replace(true, struct.pack("<q", says)))
    with pytest.raises(InputError, match=r"a\.feather: (not a complete Parquet or Feather|of .* unpack more)"):
        load_space(path)


def test_offsets_that_lead_out_of_a_feather_file(tmp_path):
    """Arrow would read beyond its memory."""
    path = tmp_path / "a.feather"
    write_feather(pa.table({"word": ["aaaa", "bbbb"], "x": [0.5, 1.0], "y": [1.0, 0.5]}), path, "uncompressed")
    content, true = path.read_bytes(), struct.pack("<3i", 0, 4, 8)
    assert content.count(true) == 1
    path.write_bytes(content.replace(true, struct.pack("<3i", 0, 4, 1 << 30)))
    with pytest.raises(InputError, match="not a complete Parquet or Feather file"):
        load_space(path)


@pytest.mark.parametrize("part", ["metadata", "tensors"])
def test_a_header_of_safetensors(tmp_path, monkeypatch, part):
    monkeypatch.setattr(tensors, "_HEADER", 1 << 16)
    many = {f"k{k}": "" for k in range(8_000)}
    none = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    head = json.dumps({"__metadata__": many} if part == "metadata" else dict.fromkeys(many, none)).encode()
    path = tmp_path / "a.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head)
    with pytest.raises(InputError, match=r"a\.safetensors: its header has \d+.* MB; at most 0 MB are read"):
        load_space(path)


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_one_string_of_json(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}.gz"
    path.write_bytes(gzip.compress(b'{"text": "' + b"a" * 8_000_000 + b'"}\n'))
    with pytest.raises(InputError, match=LIMIT):
        list(open_documents(path))


@pytest.mark.parametrize(("inner", "kind"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")])
@pytest.mark.parametrize("outer", [gzip.compress, bz2.compress])
def test_what_is_packed_twice(tmp_path, outer, inner, kind):
    """So even a packing has few control characters."""
    path = tmp_path / "a.txt.gz"
    path.write_bytes(outer(inner(b"a b\n" * 100_000)))
    for read in (lambda: list(open_documents(path)), lambda: load_space(path)):
        with pytest.raises(InputError, match=rf"a\.txt\.gz: this is an? {kind} file"):
            read()


def test_an_archive_within_an_archive(tmp_path):
    np.savez_compressed(tmp_path / "inner.npz", words=np.array(["a" * 4_000_000]))
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "inner.npz", "vectors.npy")
        archive.write(tmp_path / "inner.npz", "inner.npz")
    with pytest.raises(InputError, match=r"a\.npz: the header of the NumPy array is damaged"):
        load_space(path)


def test_a_word_document_whose_zip64_header_lies(tmp_path):
    docx(path := tmp_path / "a.docx", ["hello dear world"] * 100_000)
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"PK\x01\x02")
    name = struct.unpack_from("<H", content, entry + 28)[0]
    extra = struct.pack("<HHQ", 1, 8, 1_000)  # the true size, which the field below leaves to it
    content[entry + 46 + name : entry + 46 + name] = extra
    struct.pack_into("<I", content, entry + 24, 0xFFFFFFFF)
    struct.pack_into("<H", content, entry + 30, len(extra))
    end = content.rindex(b"PK\x05\x06")
    struct.pack_into("<I", content, end + 12, struct.unpack_from("<I", content, end + 12)[0] + len(extra))
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive:
        assert archive.infolist()[0].file_size == 1_000
    with pytest.raises(InputError, match=r"a\.docx: (this \.docx is damaged|of )"):
        list(open_documents(path))
