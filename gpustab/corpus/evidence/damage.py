"""Doubts about letters that were lost, written as codes or cut apart before the text was given."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from urllib.parse import unquote_to_bytes

from gpustab.corpus.evidence.alphabets import digits_for_letters, dotless, mixed_alphabets
from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_STRONG, _SLIGHT, _FEWEST = 0.01, 0.002, 5
"""Of the words between blanks, how many are damaged, and words from which it is no accident."""
_REPLACED = 0.1
"""The same where bytes were to be replaced: then of so many words no text is left."""
_MOSTLY = 0.5
"""Of the characters beyond ASCII, how many are parts of a letter that was coded twice."""
_CODECS = ("cp1252", "latin-1", "cp1250", "cp1251", "koi8_r", "mac_roman", "cp437", "cp850")
"""In no writing of these are letters what UTF-8 has of one letter: a first byte, and others which are signs there."""
_COMMON = tuple("'’‘‛`´′＇.,:;!/&@+*_|#=%$\\~·‧•…()[]{}<>-‐‑‒–—―−")
"""Signs that stand between letters in some writing: of joined words, cut text, addresses, both genders."""
_PIECED, _MARKED, _DIFFERENT = 0.03, 0.3, 10
"""Of the words, how many begin or end with one sign twice or a mark of pieces, or with a letter or underscore that is
one; and different ones: C++ is one."""
_APART, _MOSTLY_APART = 0.01, 0.2
"""Of the words, how many are letters of a word that stand alone, one after the other: in print with stress, and where
letters are the most frequent words. Notes of music have seven different ones."""
_OTHER_BYTES, _LONG_ENOUGH = 0.2, 3
"""Of words of so many letters, how many are of other letters than a to z: in Icelandic and Vietnamese one in a hundred.
"""
_SOME = 0.1
"""Of the texts or words, how many are unlike the others where files are in several encodings."""
_ALPHABETS = ("cp1251", "koi8_r", "iso8859_7", "cp1255", "cp1256")
"""Of Cyrillic, Greek, Hebrew and Arabic, which are taken for cp1252 where nothing says what they are."""
_LATIN = ("mac_roman", "cp850", "cp437", "cp1250", "iso8859_2", "mac_latin2", "cp852")
"""Of Latin alphabets, whose letters are signs or capitals in cp1252."""
_BROKEN, _MENDED, _ONE = 0.2, 0.2, 0.8
"""Of the words with letters beyond ASCII, how many are no words as they were read; of these, how many are none in the
right encoding; and how many have one sign: then it is that of a scanner."""
_BESIDE_ASCII = re.compile("[^\x80-\xff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2122]")
"""What cp1252 has no byte beyond ASCII for."""
_NO_PIECE = re.compile(rf"\d|(?=[^\x00-\x7f]){_BESIDE_ASCII.pattern}")
_JOINTS = re.compile(r"[-'’‘`´–—…/&.]+")
"""What stands between two words, or parts of one, that are written together."""
_OUTSIDE = re.compile(r"^[^A-Za-z\xc0-\u017e]+|(?<=[A-Za-z\xc0-\u017e])[^A-Za-z\xc0-\u017e]+$")
_UTF8 = re.compile("[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_LETTER = r"[^\W\d_]"
_WITHIN = re.compile(rf"(?<={_LETTER})([^\w\s]+)(?={_LETTER})")
_SUBWORD = "▁Ġ￭_"
"""Marks of SentencePiece, of GPT-2's letters for bytes, of OpenNMT, and the first one as it is typed."""
_BEFORE = re.compile(rf"(([@#+_~￭])\2|[{_SUBWORD}])(?={_LETTER})")
_AFTER = re.compile(rf"(?<={_LETTER})(([@#+_~])\2|[{_SUBWORD}])$")
_SPACED = re.compile(r"(?<!\S)(?:[^\W\d_] ){2,}[^\W\d_](?!\w)")
_CODES = {
    "entities": r"&(?:[A-Za-z]{2,8}|#\d{2,7}|#[xX][0-9A-Fa-f]{2,6});",
    "percent": r"(?:%[0-9A-Fa-f]{2})+",
    "quoted": r"(?:=[0-9A-F]{2})+",
    "bytes": r"\\x[c-fC-F][0-9A-Fa-f](?:\\x[89abAB][0-9A-Fa-f])+",
    "escapes": r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\U[0-9A-Fa-f]{8}",
    "points": r"<U\+[0-9A-F]{4,6}>",
}
_CODED = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _CODES.items()))
_DECODERS = {
    "entities": "html.unescape(text)",
    "percent": "urllib.parse.unquote(text, {codec!r})",
    "quoted": "quopri.decodestring(text.encode()).decode({codec!r})",
    "bytes": r"re.sub(r'(\\x..)+', lambda found: bytes.fromhex(found[0].replace(r'\x', '')).decode(), text)",
    "escapes": r"re.sub(r'\\(?:x..|u.{4}|U.{8})', lambda found: chr(int(found[0][2:], 16)), text)",
    "points": "re.sub(r'<U[+](.*?)>', lambda found: chr(int(found[1], 16)), text)",
}


def coded_twice(look: Look) -> Doubt | None:
    """Doubt letters that were UTF-8, read as another encoding and saved again: ``fÃ¼r``."""
    runs = Counter(run for line in look.filled for run in _BEYOND.findall(line))
    found = {codec: _twice(runs, codec) for codec in _CODECS} if runs else {}
    codec = max(found, key=lambda one: found[one].total(), default="")
    if not codec or sum(len(piece) * n for piece, n in found[codec].items()) < _MOSTLY * sum(
        len(run) * n for run, n in runs.items()
    ):
        return _read_wrongly(look) or _read_as_signs(look)
    table, number = _bytes_of(codec), found[codec].total()
    words = look.spaced
    held = [word for word in words if _UTF8.search(word.translate(table))]
    share = number / max(len(words), 1)
    if number < _FEWEST or share < _SLIGHT:
        return None
    piece = next(iter(found[codec]))
    meant = piece.translate(table).encode("latin-1").decode()
    says = f"letters coded twice: {number:,} in {len(words):,} words, UTF-8 read as {codec}, as '{piece}' for '{meant}'"
    mend = f"piece.encode('{codec}').decode('utf-8')"
    way = f"give the text before that, or mend each piece beyond ASCII in Python, {mend}"
    return Doubt("twice", min(share, 1.0), shown(held), share >= _STRONG, says, way)


def _read_wrongly(look: Look) -> Doubt | None:
    """Doubt words all of whose letters are those that Latin alphabets have beside a to z: of another alphabet's bytes.

    Of words of three letters or more nearly none is so in a language of Western Europe.
    """
    around, words = "".join(_COMMON), Counter[str]()
    for word, n in look.spans.items():
        words[word.strip(around)] += n
    long = Counter({word: n for word, n in words.items() if len(word) >= _LONG_ENOUGH})
    held = [word for word in long if not _BESIDE_ASCII.search(word) and word.encode("cp1252", "ignore").strip()]
    share = sum(long[word] for word in held) / max(long.total(), 1)
    if len(held) < _DIFFERENT or share < _OTHER_BYTES:
        return None
    says = f"another alphabet's bytes: {share:.0%} of the words of three letters or more have no letter from a to z"
    if _of_several(look, words):
        says = f"several encodings: {says}"
        one = "the files differ: save each as UTF-8, in Python path.write_text(path.read_text(ENCODING), 'utf-8')"
    else:
        one = _SAY
    return Doubt("twice", share, shown(held), True, says, f"{_shown_as(held, _ALPHABETS)}: {one}")


_SAY = (
    f"say {option('encoding', ...)} of the one that can be read; or, of a text that was saved so, in Python "
    "text.encode('cp1252').decode(ENCODING)"
)


def _shown_as(words: Sequence[str], codecs: Sequence[str]) -> str:
    """Return what three words are in some encodings."""
    three = list(dict.fromkeys(words))[:3]
    others = [
        f"{one} “{' '.join(word.encode('cp1252', 'ignore').decode(one, 'replace') for word in three)}”"
        for one in codecs
    ]
    return f"read as cp1252 they are “{' '.join(three)}”, as {', as '.join(others)}"


def _read_as_signs(look: Look) -> Doubt | None:
    """Doubt words with signs or capitals within that are small letters in another encoding of a Latin alphabet.

    ``lŠuft`` is *läuft* in MacRoman, ``trŠs`` is *très* in cp850. Quotation marks and dashes stand between words.
    """
    words = Counter[str]()
    for word, n in look.spans.items():
        for piece in _pieces(word) if not word.isascii() else ():
            words[piece] += n
    broken = Counter({word: n for word, n in words.items() if _odd(word)})
    share = broken.total() / max(len(look.spaced), 1)
    if len(broken) < _DIFFERENT or broken.total() < _BROKEN * words.total() or share < _SLIGHT:
        return None
    signs = Counter[str]()
    for word, n in broken.items():
        signs.update(dict.fromkeys(_odd(word), n))
    left = {codec: sum(n for word, n in words.items() if _odd(_in(word, codec))) for codec in _LATIN}
    right = [codec for codec in _LATIN if left[codec] <= _MENDED * broken.total()]
    if not right or max(signs.values()) > _ONE * broken.total():
        return None
    held = [word for word, _ in broken.most_common()]
    many = broken.total() / words.total()
    says = (
        f"another encoding's letters: of the words with letters beyond a to z, {many:.0%} have signs or capitals within"
    )
    return Doubt("twice", share, shown(held), share >= _STRONG, says, f"{_shown_as(held, right)}: {_SAY}")


def _pieces(word: str) -> Iterator[str]:
    """Yield the parts between apostrophes and dashes that have no digits, and letters of cp1252 beyond ASCII."""
    for part in _JOINTS.split(word):
        piece = _OUTSIDE.sub("", part)
        if len(piece) >= _LONG_ENOUGH and not (piece.isascii() or _NO_PIECE.search(piece)):
            yield piece


def _in(word: str, codec: str) -> str:
    """Return what a word is in another encoding, where it was read as cp1252."""
    return word.encode("cp1252", "ignore").decode(codec, "replace")


def _odd(word: str) -> set[str]:
    """Return what makes no word of letters: signs, and capitals behind small letters."""
    kinds = [unicodedata.category(one) for one in word]
    return {
        one
        for one, kind, before in zip(word, kinds, ["", *kinds], strict=False)
        if kind not in ("Lu", "Ll") or (before, kind) == ("Ll", "Lu")
    }


def _of_several(look: Look, words: Counter[str]) -> bool:
    """Tell whether texts differ: some have letters that cp1252 has not; or their small letters are large ones of it.

    KOI8 has its small letters where cp1251 has the large ones.
    """
    if look.layout != "files":
        return False
    beyond = {word: [letter for letter in word if not letter.isascii()] for word in words if not word.isascii()}
    number = sum(words[word] for word in beyond)
    other = sum(words[word] for word, own in beyond.items() if any(map(_BESIDE_ASCII.match, own))) / max(number, 1)
    texts = ["".join(piece.texts) for piece in look.pieces]
    large = sum(sum(map(str.isupper, text)) > sum(map(str.islower, text)) for text in texts) / max(len(texts), 1)
    return any(_SOME <= share <= 1 - _SOME for share in (other, large))


@cache
def _bytes_of(codec: str) -> dict[int, str]:
    """Return the byte of each character beyond ASCII, as a character; what cp1252 leaves undefined is itself."""
    table = {code: chr(code) for code in range(0x80, 0xA0)} if codec.startswith("cp125") else {}
    for byte in range(0x80, 0x100):
        character = bytes([byte]).decode(codec, "replace")
        if character != "\ufffd":
            table[ord(character)] = chr(byte)
    return table


def _twice(runs: Counter[str], codec: str) -> Counter[str]:
    """Return the pieces of runs that are a letter of UTF-8 in the bytes of a codec."""
    table, pieces = _bytes_of(codec), Counter[str]()
    for run, n in runs.items():
        if len(run) > 1:
            # What the codec does not have stays as it is, beyond U+00FF or as a byte that begins nothing.
            coded = "".join(table.get(ord(one), "\xff") for one in run)
            for found in _UTF8.finditer(coded):
                pieces[run[found.start() : found.end()]] += n
    return pieces


def lost_letters(look: Look) -> Doubt | None:
    """Doubt characters that somebody replaced: U+FFFD within words, or question marks and other signs.

    Of a sign between letters it asks that it stand there more often than anywhere else.
    """
    words, total = look.spans, len(look.spaced)
    replaced = {word: n for word, n in words.items() if "\ufffd" in word}
    least = _REPLACED if look.options.errors == "replace" else _STRONG
    if (lost := sum(replaced.values())) >= max(_FEWEST, _SLIGHT * total):
        says = f"letters that are lost: {lost / total:.1%} of the words have U+FFFD"
        way = f"give the file as it was before, and its {option('encoding', ...)}"
        share = lost / total
        return Doubt("lost", share, shown(replaced), share >= least, says, way)
    if look.options.cut != "words":
        return None
    cut = Counter[str]()
    for word, n in ((word, n) for word, n in words.items() if not word.isalnum() and "://" not in word):
        for sign in {found[1][0] for found in _WITHIN.finditer(word) if _is_of_the_word(word, found)}:
            if sign not in _COMMON and _is_sign(sign):
                cut[sign] += n
    (sign, number), *_ = cut.most_common(1) or [("", 0)]
    share = number / max(total, 1)
    if number < _FEWEST or share < _SLIGHT or 2 * number < sum(n for word, n in words.items() if sign in word):
        return None
    held = [word for word in words if sign in word]
    says = f"letters that are lost or written with a sign: {share:.1%} of the words have '{sign}' within"
    # Quotation marks and brackets stand so in editions, others in other writings.
    strong = share >= _STRONG and (sign in '?"' or unicodedata.category(sign) in ("Sc", "So"))
    return Doubt("lost", share, shown(held), strong, says, "give the text with these letters, as UTF-8")


def _is_of_the_word(word: str, found: re.Match[str]) -> bool:
    """Tell one sign, or the same again, after which a word goes on: another begins with a capital.

    Scripts without capitals have signs of their own between letters.
    """
    before, after = word[found.start() - 1], word[found.end()]
    cased = before.upper() != before.lower() and after.upper() != after.lower()
    return cased and (not after.isupper() or before.isupper()) and len(set(found[1])) == 1


def coded_letters(look: Look) -> Doubt | None:
    r"""Doubt letters that are written as codes: ``&uuml;``, ``%C3%BC``, ``=C3=BC``, ``\u00fc``, ``<U+00FC>``."""
    words = {word: n for word, n in look.spans.items() if "://" not in word}
    kinds, held = Counter[str](), list[str]()
    for word, n in words.items():
        codes = (found for found in _CODED.finditer(word) if _is_a_letter(decoded(found[0])))
        if own := [found.lastgroup or "" for found in codes]:
            held.append(word)
            for kind in own:
                kinds[kind] += n
    number = sum(words[word] for word in held)
    share = number / max(sum(words.values()), 1)
    if number < _FEWEST or share < _SLIGHT:
        return None
    kind = kinds.most_common(1)[0][0]
    code = next(found[0] for word in held for found in _CODED.finditer(word) if found.lastgroup == kind)
    says = f"letters as codes: {share:.1%} of the words have such as '{code}' for '{decoded(code)}'"
    way = f"decode them in Python, {_decoder(kind, code)}"
    options = look.options
    alone = look.layout in ("lines", "blocks", "paragraphs") and not (options.layout or options.format)
    if kind == "entities" and alone:  # a folder of HTML has other names
        way = f"say {option('format', 'html')}, which makes one document of the file, or {way}"
    return Doubt("codes", share, shown(held), share >= _STRONG, says, way)


def _is_a_letter(text: str) -> bool:
    """Tell letters that are worth a code."""
    return text.isalpha() and not text.isascii()


def _decoder(kind: str, code: str) -> str:
    codec = "cp1252" if kind in ("percent", "quoted") and _read_raw(code)[1] == "cp1252" else "utf-8"
    return _DECODERS[kind].replace("{codec!r}", repr(codec))


def decoded(code: str) -> str:
    r"""Return what a code of characters stands for; what stands for none is itself.

    >>> decoded("&uuml;"), decoded("%C3%BC"), decoded("=FC"), decoded(r"\u00fc"), decoded("<U+00FC>"), decoded("&x;")
    ('ü', 'ü', 'ü', 'ü', 'ü', '&x;')
    """
    if code.startswith("&"):
        return html.unescape(code)
    if code.startswith(("\\u", "\\U", "<U+")):
        number = int(code.strip("<>")[2:], 16)
        return chr(number) if number <= 0x10FFFF else code
    return _read_raw(code)[0]


def _read_raw(code: str) -> tuple[str, str]:
    """Return the characters that bytes stand for, and their encoding."""
    raw = unquote_to_bytes(code.replace("\\x", "%").replace("=", "%"))
    try:
        return raw.decode(), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), "cp1252"


def pieces_of_words(look: Look) -> Doubt | None:
    """Doubt pieces of words, as a model of subwords cuts them: ``Hun@@ dreds``, ``▁Hun dreds``, ``Hun ##dreds``."""
    if look.options.cut != "words":
        return None
    signs = Counter[str]()
    for word, n in look.spans.items():
        for sign in _ends(word):
            signs[sign] += n
    for sign, number in signs.most_common():
        share = number / len(look.spaced)
        held = [word for word in look.spans if sign in word]
        if len(held) < _DIFFERENT or share < (_MARKED if sign in "Ġ_" else _PIECED):
            continue
        says = f"pieces of words: {share:.0%} of what stands between blanks begins or ends with '{sign}'"
        return Doubt("pieces", share, shown(held), True, says, "give the text before words were cut to pieces")
    return None


def _is_sign(character: str) -> bool:
    """Tell signs from vowel signs, which are of a letter."""
    return unicodedata.category(character)[0] in "PS"


def _ends(word: str) -> Iterator[str]:
    """Yield the signs that a word begins with or ends with, and that no sentence has there."""
    for found in (_BEFORE.match(word), _AFTER.search(word)):
        if found and (len(sign := found[1]) > 1 or sign in _SUBWORD):
            yield sign


def letters_apart(look: Look) -> Doubt | None:
    """Doubt words whose letters stand apart, as print had them for stress: ``F ü r s t``."""
    found = [one for line in look.filled for one in _SPACED.findall(line) if one.upper() != one.lower()]
    share = sum(len(one.split()) for one in found) / max(len(look.spaced), 1)
    if len(found) < _FEWEST or share < _APART:
        return None
    says = f"letters apart: {share:.0%} of the words are single letters of words such as '{found[0]}'"
    strong = share >= _MOSTLY_APART and len({letter for one in found for letter in one.lower().split()}) >= _DIFFERENT
    return Doubt("apart", share, shown(found), strong, says, "put the letters of these words together")


DAMAGES: tuple[Callable[[Look], Doubt | None], ...] = (
    coded_twice,
    lost_letters,
    coded_letters,
    pieces_of_words,
    letters_apart,
    mixed_alphabets,
    digits_for_letters,
    dotless,
)
