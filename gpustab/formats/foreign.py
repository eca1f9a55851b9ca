"""Signatures of files that hold no vectors, or none that can be read here, each with the way to convert."""

from __future__ import annotations

import re

_WORDS_APART = "and the words, one a line, in x.vocab"
_SAVE = f"its matrix by numpy.save('x.npy', ...) {_WORDS_APART}"

MAGIC = (
    (b"\xba\x16\x4f\x2f", "a fastText binary model"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer and not the data; fetch it with `git lfs pull`"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b\x08", "a gzip file inside a gzip file; unpack it once"),
    (b"BZh91AY&SY", "a bzip2 file inside a compressed file; unpack it once"),
    (b"\xfd7zXZ\x00", "an xz file, which cannot be read; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file, which cannot be read; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and give the file of vectors in it"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it and give the file of vectors in it"),
    (b"\x89HDF\r\n\x1a\n", f"an HDF5 file; save {_SAVE}: h5py.File(FILE)[NAME][:]"),
    (
        b"SQLite format 3\x00",
        "an SQLite database (Magnitude's?); save word and values as CSV, with pymagnitude for Magnitude's numbers",
    ),
    (b"GGUF", f"a GGUF model; save {_SAVE}: the tensor token_embd.weight and the tokens of gguf.GGUFReader(FILE)"),
    (b"%PDF-", "a PDF file and no vectors; the data lie elsewhere"),
    (b"\x89PNG\r\n\x1a\n", "a picture (PNG) and no vectors"),
    (b"\xff\xd8\xff", "a picture (JPEG) and no vectors"),
    (b"GIF8", "a picture (GIF) and no vectors"),
    (b"II*\x00", "a picture (TIFF) and no vectors"),
    (b"MM\x00*", "a picture (TIFF) and no vectors"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file; save its sheet as CSV"),
    (b"RDX", "an R workspace; in R: write.csv(VECTORS, FILE)"),
    (b"X\n\x00\x00\x00", "an R object (.rds); in R: write.csv(readRDS(FILE), OTHER)"),
    (b"MATLAB 5.0 MAT-file", f"a MATLAB file; save {_SAVE}: scipy.io.loadmat(FILE)[NAME]"),
    (b"IxF", f"a FAISS index, which holds no words; save {_SAVE}: index.reconstruct_n()"),
    (b"ORC", "an ORC table; save it as Parquet or CSV"),
    (b"Obj\x01", "an Avro file; save it as Parquet or CSV"),
)
"""First bytes that no text file of vectors has, and what has them, as the end of a sentence."""

# A key in quotes and a colon: words of a text of vectors may begin with brackets and quotes, but not so.
_KEY = rb'"(?:[^"\\\n]|\\.)*"\s*:'
_JSON = re.compile(rb"\s*(?:\{\s*" + _KEY + rb"|\[\s*\{\s*" + _KEY + rb'|\[\s*\[\s*"[^"\n]*"\s*,)')
_SHARD = re.compile(rb'"([^"]*embed[^"]*)"\s*:\s*"([^"/]+\.(?:safetensors|bin))"')
_VECTOR = re.compile(rb'\s*\{\s*"(?:[^"\\\n]|\\.)*"\s*:\s*\[\s*-?[0-9.]')
_ZIPPED = (
    ("[Content_Types].xml", "an Office file; save its sheet as CSV"),
    ("mimetype", "an OpenDocument file or an e-book; save its sheet as CSV"),
    ("META-INF/", "a Java archive and no vectors"),
    ("metadata.json", f"a Keras model; save {_SAVE}: keras.models.load_model(FILE).get_layer(NAME).get_weights()[0]"),
)


def zipped(first: str) -> str:
    """Say what a zip archive is by the name of its first file.

    >>> zipped("glove.6B.50d.txt")
    'a zip archive (it begins with glove.6B.50d.txt); unpack it and give the file of vectors in it'
    """
    named = first if first.isprintable() else "a file of an odd name"
    what = next((what for start, what in _ZIPPED if first.startswith(start)), None)
    return what or f"a zip archive (it begins with {named}); unpack it and give the file of vectors in it"


def structured(head: bytes) -> str | None:
    r"""Say what a JSON file is, ``None`` where the text is none.

    >>> structured(b'{"the": [0.1, 0.2]}')
    'a JSON file; in Python: gpustab.load_runs([json.load(open(FILE)), ...]) takes a dict of word and vector'
    >>> structured(b'{" 0.1 0.2\n')
    """
    start = head[: 1 << 16]
    if not _JSON.match(start):
        return None
    if b'"weight_map"' in head:
        shard = _SHARD.search(head)
        which = f"{shard[2].decode()}, which has {shard[1].decode()}" if shard else "the one with the embedding"
        return f"the index of a model in several files, not the data; give {which}, and its words by --vocab"
    if _VECTOR.match(start):
        return "a JSON file; in Python: gpustab.load_runs([json.load(open(FILE)), ...]) takes a dict of word and vector"
    if start.lstrip().startswith(b"{") and b"}\n{" in start:
        return "JSON lines; in Python: pandas.read_json(FILE, lines=True) gives a table to save as Parquet"
    return "a JSON file and no vectors that are known; in Python, load_runs takes a dict of word and vector"


def is_tar(head: bytes) -> bool:
    """Tell a tar archive (POSIX.1-1988, the field ``magic``)."""
    return head[257:262] == b"ustar"
