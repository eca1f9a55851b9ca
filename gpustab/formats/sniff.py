"""What a file is, told from its first bytes; a suffix is never trusted, and nothing is executed."""

from __future__ import annotations

import re

from gpustab.formats.foreign import MAGIC, is_tar, structured, zipped
from gpustab.formats.text.decimals import SEPARATORS, is_number_like

UTF8_BOM = b"\xef\xbb\xbf"

_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\b")
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
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
        return "a tar archive; unpack it and give the file of vectors in it"
    if (found := structured(head)) is not None:
        return found
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
    return "a binary file of no known kind (GloVe's own binary has numbers only, without words)"


def _zero_bytes_alternate(head: bytes) -> bool:
    start = head[:512]
    even, odd = start[::2].count(0), start[1::2].count(0)
    return max(even, odd) > len(start) // 4 and min(even, odd) == 0


def _is_text(head: bytes) -> bool:
    start = head[:4096]
    # A character may be cut at the end of the sample: up to three bytes of it.
    decodes = any(_decodes(start[: len(start) - cut]) for cut in range(4))
    return decodes and not _CONTROL.search(start.strip(SEPARATORS))


def _decodes(sample: bytes) -> bool:
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
