"""A folder with a checkpoint as one space: the rows of its input embedding are its tokens.

Tokens of byte-level tokenizers (GPT-2, RoBERTa, Llama 3) write bytes as other characters, so that ``Ġthe`` is the bytes
of " the". Here a token is its bytes, with a blank written as ``▁``, as SentencePiece's own tokens write it: the same
word of two kinds of tokenizers so has one name, and a blank can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.errors import InputError, option
from gpustab.formats.checkpoints.weights import INDEXES, WHOLE, Weights, choose_embedding, read_object, said_of_output
from gpustab.formats.memory import OF_ROWS, from_pair
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.parsed import read_json
from gpustab.formats.vocabulary_file import words_for
from gpustab.spaces.space import Space

BLANK = "▁"

FILES = ("tokenizer.json", "vocab.json", "vocab.txt")
"""Where the tokens may stand; the first that is there is read."""


class Tokens(NamedTuple):
    """What the rows of an embedding are called.

    Attributes:
        words: by row number.
        source: the file that said so.
        notes: what was found.
    """

    words: dict[int, bytes]
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
    """Read ``tokenizer.json``: a model's vocabulary, by token or as a list of pieces, and what was added to it."""
    content = read_object(file)
    model = content.get("model")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocab, list):
        vocab = {piece[0]: row for row, piece in enumerate(vocab) if isinstance(piece, list) and piece}
    if not isinstance(vocab, dict):
        raise InputError(f"{file}: there is no model with a vocab")
    added = {
        token["content"]: token["id"]
        for token in content.get("added_tokens") or ()
        if isinstance(token, dict) and {"content", "id"} <= token.keys()
    }
    return _tokens(file, vocab, added, byte_level="ByteLevel" in _kinds(content))


def _vocab_json(file: Path) -> Tokens:
    vocab = read_object(file)
    added_file = file.parent / "added_tokens.json"
    # What has merges beside it is byte-level BPE; the first GPT is not, and marks the ends of words.
    byte_level = (file.parent / "merges.txt").is_file() and not any(token.endswith("</w>") for token in vocab)
    return _tokens(file, vocab, read_object(added_file) if added_file.is_file() else {}, byte_level=byte_level)


def _vocab_txt(file: Path) -> Tokens:
    lines = file.read_bytes().removesuffix(b"\n").split(b"\n")
    return Tokens({row: line.removesuffix(b"\r") for row, line in enumerate(lines)}, file)


def _tokens(file: Path, vocab: Mapping[str, Any], added: Mapping[str, Any], *, byte_level: bool) -> Tokens:
    words = {}
    for token, row in vocab.items():
        if not isinstance(row, int) or row < 0:
            raise InputError(f"{file}: the token {token!r} has the id {row!r}, wanted a whole number from 0")
        words[row] = readable(token) if byte_level and token not in added else _encoded(token)
    for token, row in added.items():
        if isinstance(row, int):
            words[row] = _encoded(token)
    notes = (f"byte-level tokens are shown as their bytes, a blank as {BLANK}",) if byte_level else ()
    return Tokens(words, file, notes)


def _encoded(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")


def _kinds(part: Any) -> set[str]:
    """The types of the pre-tokenizer and decoder of a tokenizer, also within sequences."""
    return {kind for name in ("pre_tokenizer", "decoder") for kind in _types(part.get(name))}


def _types(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield str(part.get("type"))
        for inner in part.values():
            yield from _types(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _types(inner)


def _alphabet() -> dict[str, int]:
    """The byte that every character of a byte-level token stands for.

    Bytes that print as Latin-1 stand for themselves; the others, in order, are the characters from 256 upwards
    (Radford et al. 2019, §2.2).
    """
    printing = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(b): b for b in printing} | {chr(256 + n): b for n, b in enumerate(others)}


_BYTES = _alphabet()


def readable(token: str) -> bytes:
    """Return the bytes that a byte-level token stands for, a blank as ``▁``; any other token as it is.

    >>> readable("ĠcafÃ©").decode(), readable("the").decode()
    ('▁café', 'the')
    """
    if not all(character in _BYTES for character in token):
        return _encoded(token)
    return bytes(_BYTES[character] for character in token).replace(b" ", BLANK.encode())


_MODULES = "modules.json"
"""Of sentence-transformers: says in which folders its modules lie."""


def is_checkpoint(folder: Path) -> bool:
    """Tell whether a folder holds a checkpoint: weights by the names that Hugging Face's libraries give them."""
    return any((folder / name).is_file() for name in (*WHOLE, *INDEXES, _MODULES))


def read_checkpoint(folder: Path, options: LoadOptions = DEFAULTS) -> Space:
    """Read the input embedding of a checkpoint; nothing in the folder is executed.

    Args:
        folder: ``model.safetensors`` or ``pytorch_model.bin``, whole or in shards with an index; beside it
            ``tokenizer.json``, ``vocab.json`` or ``vocab.txt``.
        options: which rows are taken; ``tensor`` names another matrix of as many tokens, ``vocab`` a file of words.

    Returns:
        The space, its vectors ``(v, d)`` float32; its report says which tensor it is, which rows have no token and were
        left out, and whether the output embedding is tied.

    Raises:
        InputError: if weights or words are not there or damaged, or no single tensor is an input embedding.
    """
    options.want_only(OF_ROWS | {"tensor", "vocab"}, "a checkpoint")
    folder = _of_first_module(folder) if (folder / _MODULES).is_file() else folder
    weights = Weights(folder)
    name = choose_embedding(weights, options.tensor if "tensor" in options.given else None)
    matrix = weights.tensor(name)
    tokens = _named(folder, len(matrix), options)
    rows = sorted(row for row in tokens.words if row < len(matrix))
    if not rows:
        raise InputError(
            f"{tokens.source}: none of {len(tokens.words):,} tokens has a row in {name}, {len(matrix)} rows"
        )
    config = read_object(folder / "config.json") if (folder / "config.json").is_file() else {}
    notes = [f"the vectors are the tensor '{name}'", *tokens.notes, *_left_out(rows, tokens, len(matrix))]
    if tied := said_of_output(weights, name, config):
        notes.append(tied)
    whole = len(rows) == len(matrix)
    # The files that options name are read already.
    of_rows, words = replace(options, tensor=DEFAULTS.tensor, vocab=None), [tokens.words[row] for row in rows]
    space = from_pair(words, matrix if whole else matrix[torch.tensor(rows)], str(folder), of_rows)
    assert space.report is not None  # noqa: S101  # from_pair always says
    report = replace(space.report, source=str(folder), format="checkpoint", notes=(*notes, *space.report.notes))
    return replace(space, name=folder.resolve().name, report=report)


def _of_first_module(folder: Path) -> Path:
    """The folder of the module that reads text, the first one of sentence-transformers."""
    try:
        first = read_json(folder / _MODULES)[0]["path"]
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"{folder / _MODULES}: this is no list of modules with their paths") from error
    return folder / str(first)


def _named(folder: Path, rows: int, options: LoadOptions) -> Tokens:
    if options.vocab is None:
        return read_tokens(folder)
    found = words_for(folder, rows, options)
    return Tokens(dict(enumerate(found.words)), found.path, tuple(found.notes))


def _left_out(rows: list[int], tokens: Tokens, total: int) -> list[str]:
    notes = []
    if len(rows) < total:
        beyond = total - 1 - rows[-1]
        where = "they pad the matrix" if beyond == total - len(rows) else f"{beyond} of them pad the matrix"
        notes.append(f"{total - len(rows)} of {total} rows have no token and were left out: {where}")
    if more := len(tokens.words) - len(rows):
        notes.append(f"{more} of {len(tokens.words)} tokens have no row and were left out")
    return notes
