"""What a file is, told from its first bytes; a suffix is never trusted, and nothing is executed."""

from __future__ import annotations

import re

from gpustab.formats.text.decimals import SEPARATORS, is_number_like

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
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and give the file of vectors, or the texts, in it"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it and give the file of vectors, or the texts, in it"),
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
    (
        b"\xff\xff\xff\xff",
        "an Arrow stream; save it as Parquet: "
        "pyarrow.parquet.write_table(pyarrow.ipc.open_stream(FILE).read_all(), OTHER)",
    ),
    (b"ORC", "an ORC table; save it as Parquet or CSV"),
    (b"Obj\x01", "an Avro file; save it as Parquet or CSV"),
)
"""First bytes that no text file of vectors has, and what has them, as the end of a sentence."""

# A key in quotes and a colon: words of a text of vectors may begin with brackets and quotes, but not so.
_KEY = rb'"(?:[^"\\\n]|\\.)*"\s*:'
_JSON = re.compile(rb"\s*(?:\{\s*" + _KEY + rb"|\[\s*\{\s*" + _KEY + rb'|\[\s*\[\s*"[^"\n]*"\s*,)')
_SHARD = re.compile(rb'"([^"]*embed[^"]*)"\s*:\s*"([^"/]+\.(?:safetensors|bin))"')
_VECTOR = re.compile(rb'\s*\{\s*"(?:[^"\\\n]|\\.)*"\s*:\s*\[\s*-?[0-9.]')
_BRACKETED = re.compile(rb"""[^\n\[]*\[[^\n]*[0-9.]\s*\]["')]*[,;]?\s*""")
_PRINTED = re.compile(rb"""[^\n]*,"\[ *-?[0-9.][^\n,\]]*""")
_ZIPPED = (
    ("[Content_Types].xml", "an Office file; save its sheet as CSV"),
    ("mimetype", "an OpenDocument file or an e-book; save its sheet as CSV"),
    ("META-INF/", "a Java archive and no vectors"),
    ("metadata.json", f"a Keras model; save {_SAVE}: keras.models.load_model(FILE).get_layer(NAME).get_weights()[0]"),
)


def zipped(first: str) -> str:
    """Say what a zip archive is by the name of its first file.

    >>> zipped("glove.6B.50d.txt")
    'a zip archive (it begins with glove.6B.50d.txt); unpack it and give the file of vectors, or the texts, in it'
    """
    named = first if first.isprintable() else "a file of an odd name"
    what = next((what for start, what in _ZIPPED if first.startswith(start)), None)
    return (
        what or f"a zip archive (it begins with {named}); unpack it and give the file of vectors, or the texts, in it"
    )


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


COLOURS = r"(?:\x1b|\^\[|\\(?:x1b|033|e|u001b))(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b\n^\\]*(?:\x07|\x1b\\|\^\[\\))"
"""A pattern of what terminals make colours and links of."""
UTF8_BOM = b"\xef\xbb\xbf"

_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\b")
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_COLOURS = re.compile(COLOURS.encode())
_HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*\r?")


def read_header(line: bytes) -> tuple[int, int] | None:
    """Return the two integers of a word2vec header, or ``None`` where the line is something else.

    >>> read_header(b"3 5"), read_header(b"the 0.5")
    ((3, 5), None)
    """
    match = _HEADER.fullmatch(line)
    return (int(match[1]), int(match[2])) if match else None


def first_in_zip(head: bytes) -> str:
    """Return the name of the first file in a zip archive; of anything else an empty text.

    The layout is that of the local file header: APPNOTE.TXT of PKWARE, section 4.3.7.
    """
    if not head.startswith(b"PK\x03\x04") or len(head) < 30:
        return ""
    length = int.from_bytes(head[26:28], "little")
    return head[30 : 30 + length].decode("utf-8", "surrogateescape")


def foreign(head: bytes) -> str | None:
    r"""Say what a file is that is no text file of vectors, or return ``None`` where it may be one.

    Args:
        head: the first bytes of the (unpacked) content.

    Returns:
        The end of a sentence that starts with "this is".

    >>> foreign(b"\x80\x04\x95...")
    'a pickle, which can run code when it is opened and is never executed'
    """
    if not head:
        return "an empty file"
    for magic, what in MAGIC:
        if head.startswith(magic) and not (magic.isalnum() and _rows_end_in_numbers(head)):
            return what  # letters alone may begin a word
    if head.startswith(b"PK\x03\x04"):
        return zipped(first_in_zip(head))
    if is_tar(head):
        return "a tar archive; unpack it and give the file of vectors, or the texts, in it"
    if (found := structured(head)) is not None:
        return found
    lines = head.split(b"\n", 21)
    if len(lines) > 3 and all(map(_BRACKETED.fullmatch, lines[1:20][:-1])):
        return "text whose vectors stand in brackets; save each word and its numbers a line, with blanks between"
    if len(lines) > 2 and _PRINTED.fullmatch(lines[1]) and b']"' in head:
        return (
            "text in which arrays were printed, with fewer digits; save the table anew: "
            "pandas.DataFrame(numpy.stack(TABLE[COLUMN]), TABLE[WORDS]).to_csv(FILE)"
        )
    if b"\n" not in head and head.count(b"\r") > 1:
        return "text whose lines end in carriage returns alone, as on old Macs; convert them to newlines"
    return None if _rows_end_in_numbers(head) else _not_rows(head)


def _rows_end_in_numbers(head: bytes) -> bool:
    """Tell whether at least half of the first lines (20, without a header) end in a number.

    A word may consist of any bytes, so only the numbers tell text from a binary file.
    """
    lines = head.split(b"\n", 22)
    if len(lines) > 1 and read_header(lines[0].removeprefix(UTF8_BOM)):
        del lines[0]
    ends = [fields[-1] for line in lines[:20] if (fields := line.removesuffix(b"\r").replace(b"\t", b" ").split())]
    return bool(ends) and 2 * sum(map(is_number_like, ends)) >= len(ends)


def _not_rows(head: bytes) -> str | None:
    """Name the content of a file whose lines do not end in numbers, ``None`` where it is plain text."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or _zero_bytes_alternate(head):
        return "UTF-16 text; convert it to UTF-8"
    if _HTML.search(head[:1024]):
        return "an HTML page and not the data; the download went wrong"
    if _XML.match(head):
        return "an XML file and no vectors"
    if _PICKLE.match(head):
        return "a pickle, which can run code when it is opened and is never executed"
    if _is_text(head):
        return None
    if read_header(head.partition(b"\n")[0]):
        return "a word2vec binary file"
    return (
        "a binary file of no known kind (GloVe's own binary has numbers only, without words: let it write text; of "
        "TensorBoard's .bytes: numpy.save('x.npy', numpy.fromfile(FILE, '<f4').reshape(ROWS, -1)), words in x.vocab)"
    )


def _zero_bytes_alternate(head: bytes) -> bool:
    start = head[:512]
    even, odd = start[::2].count(0), start[1::2].count(0)
    return max(even, odd) > len(start) // 4 and min(even, odd) == 0


def _is_text(head: bytes) -> bool:
    start = without_colours(head)[:4096]
    # A character may be cut at the end of the sample: up to three bytes of it.
    decodes = any(_decodes(start[: len(start) - cut]) for cut in range(4))
    return decodes and not _CONTROL.search(start.strip(SEPARATORS))


def without_colours(text: bytes) -> bytes:
    """Return text without what terminals make colours of; what is cut at its end stays."""
    return _COLOURS.sub(b"", text)


def _decodes(sample: bytes) -> bool:
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
