"""XML whose words stand in attributes, or twice, or among links: it is named and refused, with a way to convert it.

What plain text is full of is told by its statistics, in :mod:`gpustab.corpus.evidence`; what is binary, in
:mod:`gpustab.corpus.formats.registry`.
"""

from __future__ import annotations

import re
from pathlib import Path

from gpustab.errors import InputError, option

_ROOT = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:\w+:)?([\w.-]+)\b", re.S)
_KINDS = {
    "alto": ("ALTO, words in attributes as OCR writes them", "let the OCR program write text"),
    "PcGts": (
        "PAGE XML, where a text stands in its region and again in its lines",
        "let the OCR program write text or TEI",
    ),
    **dict.fromkeys(
        ("rss", "feed", "RDF"),
        ("a feed (RSS, Atom) or RDF, whose links would be words", "save its texts as JSON lines"),
    ),
}


def refuse_root(path: Path, text: str) -> None:
    """Refuse XML of which no reader here knows what of it is text.

    Raises:
        InputError: naming what it looks like, and the way to convert it.
    """
    if (root := _ROOT.match(text)) and (known := _KINDS.get(root[1])):
        what, way = known
        raise InputError(
            f"{path}: this looks like {what}; {way}, or say {option('format', 'plain')} if all of it is to become words"
        )
