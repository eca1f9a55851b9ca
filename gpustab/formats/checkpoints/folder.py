"""A folder with a checkpoint as one space: the rows of its input embedding are its tokens."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import torch

from gpustab.errors import InputError
from gpustab.formats.checkpoints.embedding import choose_embedding, said_of_output
from gpustab.formats.checkpoints.tokens import Tokens, in_order, read_tokens
from gpustab.formats.checkpoints.weights import INDEXES, WHOLE, Weights, read_json
from gpustab.formats.memory import OF_ROWS, from_pair
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.vocabulary_file import words_for
from gpustab.spaces.space import Space

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
    rows, words = in_order(tokens.words, len(matrix))
    if not rows:
        raise InputError(
            f"{tokens.source}: none of {len(tokens.words):,} tokens has a row in {name}, {len(matrix)} rows"
        )
    config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    notes = [f"the vectors are the tensor '{name}'", *tokens.notes, *_left_out(rows, tokens, len(matrix))]
    if tied := said_of_output(weights, name, config):
        notes.append(tied)
    whole = len(rows) == len(matrix)
    space = from_pair(words, matrix if whole else matrix[torch.tensor(rows)], str(folder), _of_rows(options))
    assert space.report is not None  # noqa: S101  # from_pair always says
    report = replace(space.report, source=str(folder), format="checkpoint", notes=(*notes, *space.report.notes))
    return replace(space, name=folder.resolve().name, report=report)


def _of_first_module(folder: Path) -> Path:
    """The folder of the module that reads text, the first one of sentence-transformers."""
    try:
        first = json.loads((folder / _MODULES).read_text(encoding="utf-8"))[0]["path"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(f"{folder / _MODULES}: this is no list of modules with their paths") from error
    return folder / str(first)


def _named(folder: Path, rows: int, options: LoadOptions) -> Tokens:
    if options.vocab is None:
        return read_tokens(folder)
    found = words_for(folder, rows, options)
    return Tokens(dict(enumerate(found.words)), found.path, tuple(found.notes))


def _of_rows(options: LoadOptions) -> LoadOptions:
    """The options that concern rows, with the files named by the others already read."""
    return replace(options, tensor=DEFAULTS.tensor, vocab=None)


def _left_out(rows: list[int], tokens: Tokens, total: int) -> list[str]:
    notes = []
    if len(rows) < total:
        beyond = total - 1 - rows[-1]
        where = "they pad the matrix" if beyond == total - len(rows) else f"{beyond} of them pad the matrix"
        notes.append(f"{total - len(rows)} of {total} rows have no token and were left out: {where}")
    if more := len(tokens.words) - len(rows):
        notes.append(f"{more} of {len(tokens.words)} tokens have no row and were left out")
    return notes
