"""What the rows of an embedding are called, by the files of a tokenizer.

Tokenizers mark where words begin in several ways: GPT-2's ``Ġthe``, SentencePiece's ``▁the`` and WordPiece's ``the``
begin one; their ``the``, ``the`` and ``##the`` go on with one. Here all have WordPiece's form: a token that begins a
word is called as the word, one that goes on with a word has ``##`` before it. So equal stems of two tokenizers are
never taken for each other, and words meet those of vectors of words.

Punctuation and Chinese characters are words by themselves, as WordPiece takes them: the comma of ``cat,`` has no blank
before it, but goes on with no word. Their tokens are called as they are, with ``▁`` for a blank.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gpustab.errors import InputError, option
from gpustab.formats.checkpoints.weights import entry, nested, read_object
from gpustab.spaces.words import some_words

BLANK = "▁"
GOES_ON = "##"

FILES = ("tokenizer.json", "vocab.json", "vocab.txt")
"""Where the tokens may stand; the first that is there is read."""

_SHARE = 0.01
"""Of the tokens, how many have a mark at least where it is the tokenizer's, and no odd word."""

_MERGED = re.compile(r"(\S+) (\S+)")


class Tokens(NamedTuple):
    """What the rows of an embedding are called.

    Attributes:
        named: row number and word, by row; a row may have several names, and a word several rows.
        source: the file that said so.
        notes: what was found.
    """

    named: list[tuple[int, bytes]]
    source: Path
    notes: tuple[str, ...] = ()


def read_tokens(folder: Path) -> Tokens:
    """Return the tokens of a checkpoint.

    Raises:
        InputError: if there is no file of tokens that can be read, or it is not what its name says.
    """
    for name, read in zip(FILES, (_tokenizer, _vocab_json, _vocab_txt), strict=True):
        if (folder / name).is_file():
            return read(folder / name)
    model = next((file.name for file in folder.glob("*.model")), None)
    instead = f"; {model} alone cannot be read: save the tokenizer in its fast form" if model else ""
    raise InputError(
        f"{folder}: there are no words; wanted one of {', '.join(FILES)}, or a file of one word a line by "
        f"{option('vocab', ...)}{instead}"
    )


def _tokenizer(file: Path) -> Tokens:
    return tokens_of(read_object(file), file)


def tokens_of(content: Mapping[str, Any], file: Path) -> Tokens:
    """Return the tokens of a tokenizer, whose model has them by name or as a list of pieces, and what was added to it.

    Raises:
        InputError: if it is none.
    """
    model: dict[str, Any] = entry(content, "model", dict, file) or {}
    vocab = model.get("vocab")
    if isinstance(vocab, list):
        pairs = [(piece[0], row) for row, piece in enumerate(vocab) if isinstance(piece, list) and piece]
    elif isinstance(vocab, dict):
        pairs = list(vocab.items())
    else:
        raise InputError(f"{file}: there is no model with a vocab")
    added = [
        (token["content"], token["id"])
        for token in entry(content, "added_tokens", list, file) or ()
        if isinstance(token, dict) and {"content", "id"} <= token.keys()
    ]
    return _tokens(file, pairs, added, _marks(content, model, file))


def _vocab_json(file: Path) -> Tokens:
    pairs, merges = list(read_object(file).items()), file.parent / "merges.txt"
    added_file = file.parent / "added_tokens.json"
    added = read_object(added_file) if added_file.is_file() else {}
    special = _special(file.parent)
    lines = merges.read_text(encoding="utf-8", errors="replace").splitlines() if merges.is_file() else []
    if merged := {
        pair[1] + pair[2] for line in lines if not line.startswith("#version") and (pair := _MERGED.fullmatch(line))
    }:
        # What is neither one sign nor merged of two is no piece.
        special |= {token for token, _ in pairs if len(token.removesuffix("</w>")) > 1 and token not in merged}
    known = [pair for pair in pairs if pair[0] in special]
    # Merges mark the ends of words in the first GPT alone, and are of bytes in the others.
    are_bytes = merges.is_file() or _share([token for token, _ in pairs], "Ġ", str.startswith)
    ends = any(token.endswith("</w>") for token, _ in pairs)
    return _tokens(file, pairs, [*known, *added.items()], _Marks(are_bytes and not ends))


def _special(folder: Path) -> set[str]:
    """The special tokens that the files of a tokenizer name."""
    found: set[str] = set()
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        content = read_object(folder / name) if (folder / name).is_file() else {}
        values = [value for key, value in content.items() if key.endswith(("_token", "_tokens"))]
        values += [*(entry(content, "added_tokens_decoder", dict, folder / name) or {}).values()]
        for value in values:
            parts = value if isinstance(value, list) else [value]
            found |= {str(one.get("content") if isinstance(one, dict) else one) for one in parts if one}
    return found


def _vocab_txt(file: Path) -> Tokens:
    lines = file.read_bytes().removesuffix(b"\n").split(b"\n")
    tokens = [line.removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines]
    pairs, special = [(token, row) for row, token in enumerate(tokens)], _special(file.parent)
    return _tokens(file, pairs, [pair for pair in pairs if pair[0] in special], _Marks())


class _Marks(NamedTuple):
    """How a tokenizer writes where a word begins; what is open is told by the tokens.

    Attributes:
        are_bytes: whether tokens stand for bytes, a blank before a word being one.
        goes_on: what is before a token that goes on with a word.
        ends: what is after a token that ends one.
        begins: what is before a token that begins one.
        whole: whether tokens are words.
    """

    are_bytes: bool = False
    goes_on: str = ""
    ends: str = ""
    begins: str = ""
    whole: bool = False


def _marks(content: Mapping[str, Any], model: Mapping[str, Any], file: Path) -> _Marks:
    of_words = [content.get("pre_tokenizer"), content.get("decoder")]
    parts = [part for part in nested(of_words) if isinstance(part, dict)]
    spaces = [entry(part, "replacement", str, file) or BLANK for part in parts if part.get("type") == "Metaspace"]
    return _Marks(
        any(part.get("type") == "ByteLevel" for part in parts),
        entry(model, "continuing_subword_prefix", str, file) or "",
        entry(model, "end_of_word_suffix", str, file) or "",
        next(iter(spaces), ""),
        model.get("type") == "WordLevel",
    )


Kind = Literal["begin", "go on", "sign", "unmarked"]
_Reader = Callable[[str], tuple[Kind, bytes]]


def _reader(tokens: Collection[str], marks: _Marks) -> tuple[_Reader, str]:
    """Return what tells whether a token begins a word and what it is without its mark, and how that is marked."""
    if marks.are_bytes:
        return partial(_with_signs, read=_read_bytes), "a blank before it"
    if goes_on := marks.goes_on or GOES_ON * (not marks.begins and _share(tokens, GOES_ON, str.startswith)):
        return partial(_cut, mark=goes_on, there="go on", lacking="begin"), f"no {goes_on} before it"
    if begins := marks.begins or BLANK * _share(tokens, BLANK, str.startswith):
        read = partial(_cut, mark=begins, there="begin", lacking="go on")
        return partial(_with_signs, read=read), f"{begins} before it"
    for ends, inner in ((marks.ends or "</w>", ""), ("", "@@")):
        if _share(tokens, ends or inner, str.endswith):
            return partial(_ended, ends=ends, inner=inner), ""
    return partial(_cut, mark="", there="unmarked", lacking="begin" if marks.whole else "unmarked"), ""


def _share(tokens: Collection[str], mark: str, has: Callable[[str, str], bool]) -> bool:
    return sum(has(token, mark) for token in tokens) > _SHARE * len(tokens)


def _cut(token: str, mark: str, there: Kind, lacking: Kind) -> tuple[Kind, bytes]:
    rest = token.removeprefix(mark)
    return (there, _encoded(rest)) if rest != token and (rest or there == "begin") else (lacking, _encoded(token))


def _read_bytes(token: str) -> tuple[Kind, bytes]:
    if not all(character in _BYTES for character in token):
        return "unmarked", _encoded(token)
    content = bytes(_BYTES[character] for character in token)
    kind: Kind = "begin" if content.startswith(b" ") else "go on"
    return kind, content.removeprefix(b" ").replace(b" ", BLANK.encode())


def _with_signs(token: str, read: _Reader) -> tuple[Kind, bytes]:
    """Read a token of which a mark says whether a blank is before it: signs are words with and without one."""
    kind, content = read(token)
    if kind == "unmarked" or not _is_sign(content):
        return kind, content
    return "sign", BLANK.encode() * (kind == "begin") + content


_IDEOGRAPHS = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf\U0002f800-\U0002fa1f]")


def _is_sign(content: bytes) -> bool:
    """Tell what BERT's tokenizer takes apart everywhere: punctuation, ASCII's signs among it, and ideographs."""
    text = content.decode("utf-8", "replace")
    is_mark = text.startswith(GOES_ON)  # would be taken for what goes on
    return bool(text) and not is_mark and all(map(_stands_alone, text))


def _stands_alone(character: str) -> bool:
    is_ascii = character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    return is_ascii or unicodedata.category(character)[0] == "P" or bool(_IDEOGRAPHS.match(character))


def _ended(token: str, ends: str, inner: str) -> tuple[Kind, bytes]:
    """Read a token of which the mark says only whether a word ends: ``cat</w>``, and ``cat@@`` where none does."""
    is_end = token.endswith(ends) if ends else not token.endswith(inner)
    bare = token.removesuffix(ends).removesuffix(inner)
    return "unmarked", _encoded(bare + ("</w>" if is_end else "@@"))


def _name(kind: Kind, content: bytes) -> bytes:
    """Return what a token is called, so that no two kinds of token have one name."""
    if kind == "go on":
        return GOES_ON.encode() + content
    if kind == "begin" and (not content or content.startswith((GOES_ON.encode(), BLANK.encode()))):
        return BLANK.encode() + content
    return content


_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def _tokens(file: Path, vocab: list[tuple[str, Any]], added: list[tuple[str, Any]], marks: _Marks) -> Tokens:
    for token, row in [*vocab, *added]:
        if not isinstance(token, str):
            raise InputError(f"{file}: a token is {token!r}, wanted text")
        if type(row) is not int or row < 0:
            raise InputError(f"{file}: the token {token!r} has the id {row!r}, wanted a whole number from 0")
    own = {token for token, _ in added}
    added, pieces = (
        [*added, *[pair for pair in vocab if pair[0] in own]],
        [pair for pair in vocab if pair[0] not in own],
    )
    read, how = _reader([token for token, _ in pieces], marks)
    kinds: Counter[Kind] = Counter()
    named: dict[tuple[int, bytes], None] = dict.fromkeys((row, _encoded(token)) for token, row in added)
    fallback = []
    for token, row in pieces:
        if how and not marks.are_bytes and (byte := _BYTE.fullmatch(token)):
            content = bytes([int(byte[1], 16)])
            fallback.append((row, token, _name("sign" if _is_sign(content) else "go on", content)))
            continue
        kind, content = read(token)
        kinds[kind] += 1
        named[row, _name(kind, content)] = None
    words = {word for _, word in named}
    # A byte's own token is of use only where no other is that byte.
    named |= dict.fromkeys((row, _encoded(token) if word in words else word) for row, token, word in fallback)
    pairs = sorted(named, key=lambda pair: pair[0])
    return Tokens(pairs, file, (*_said(kinds, how, len(own), len(fallback)), *_shared(file, pairs)))


def _said(kinds: Counter[Kind], how: str, added: int, fallback: int) -> Iterator[str]:
    if how:
        and_more = f", {kinds['sign']} signs are words with and without a blank before them" * bool(kinds["sign"])
        and_more += f", {fallback} bytes go on" * bool(fallback)
        yield (
            f"a token that begins a word ({how}) is called as the word, one that goes on has {GOES_ON} before it: "
            f"{kinds['begin']} begin, {kinds['go on']} go on{and_more}, {added} are special or added, and as they are"
        )
    elif kinds["unmarked"]:
        yield "the tokens do not tell where a word begins: whether one is a word or goes on with one is not known"


def _shared(file: Path, pairs: list[tuple[int, bytes]]) -> Iterator[str]:
    names: dict[int, list[bytes]] = {}
    for row, word in pairs:
        names.setdefault(row, []).append(word)
    several = {row: words for row, words in names.items() if len(words) > 1}
    if several:
        row, words = next(iter(several.items()))
        yield f"{file.name} has {len(several)} row(s) of several names, all kept: row {row} is {some_words(words)}"


def _encoded(token: str) -> bytes:
    try:
        return token.encode("utf-8", "surrogateescape")  # bytes of vocab.txt that are no text
    except UnicodeEncodeError:
        return token.encode("utf-8", "surrogatepass")  # half a pair of JSON's


def _alphabet() -> dict[str, int]:
    """The byte that every character of a byte-level token stands for.

    Bytes that print as Latin-1 stand for themselves; the others, in order, are the characters from 256 upwards
    (Radford et al. 2019, §2.2).
    """
    printing = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(b): b for b in printing} | {chr(256 + n): b for n, b in enumerate(others)}


_BYTES = _alphabet()
