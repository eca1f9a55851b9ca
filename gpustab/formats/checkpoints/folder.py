"""A folder with a checkpoint as one space: the rows of its input embedding are its tokens."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NoReturn

import torch

from gpustab.errors import InputError
from gpustab.formats.checkpoints.embedding import choose_embedding, numbers, said_of_output
from gpustab.formats.checkpoints.tokens import Tokens, read_tokens
from gpustab.formats.checkpoints.weights import Weights, entry, forms, read_object
from gpustab.formats.memory import OF_ROWS, from_pair
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.parsed import read_json
from gpustab.formats.vocabulary_file import words_for
from gpustab.spaces.space import Space
from gpustab.spaces.words import show

MODULES = "modules.json"
"""Of sentence-transformers: says in which folders its modules lie."""

_NO_PADDING = tuple(f"{use}_token_id" for use in ("bos", "eos", "decoder_start", "sep", "cls", "mask"))
"""What a token may be beside what pads, by ``config.json``: then its row is trained."""


def is_checkpoint(folder: Path) -> bool:
    """Tell whether a folder holds a checkpoint: weights by the names that Hugging Face's libraries give them."""
    return (folder / MODULES).is_file() or (folder.is_dir() and bool(forms(folder)))


_READ = {".json", ".txt", ".model", ".safetensors", ".bin"}
"""Files that make a model what it is; a README, a log or the state of a training beside them does not."""
_NOT_READ = {"training_args.bin", "trainer_state.json", "all_results.json", "train_results.json", "eval_results.json"}


def digest_of_files(path: Path) -> str:
    """Return a name for the bytes of a file, or of the files of a model's folder.

    Hidden files, and what says something of the model but is not read with it, change nothing.

    Raises:
        OSError: if a folder within cannot be listed or a file cannot be read; without them it were another name.
    """
    digest = sha256()
    for file in sorted(_files_of(path)) if path.is_dir() else [path]:
        with file.open("rb") as content:
            digest.update(f"{file.relative_to(path)}\0{file_digest(content, 'sha256').hexdigest()}\0".encode())
    return digest.hexdigest()[:32]


def _files_of(folder: Path) -> Iterator[Path]:
    def stop(error: OSError) -> NoReturn:
        raise error  # what Path.rglob passes over

    for above, _, names in os.walk(folder, onerror=stop):
        for path in (Path(above, name) for name in names if name not in _NOT_READ):
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if path.suffix in _READ and not hidden and path.is_file():
                yield path


def read_checkpoint(folder: Path, options: LoadOptions = DEFAULTS) -> Space:
    """Read the input embedding of a checkpoint, whole or in shards; nothing in the folder is executed.

    Where there are several files of weights or of tokens, those are read that transformers would read. ``tensor`` names
    another matrix of as many tokens, or the end of its name.

    Returns:
        The space, its vectors ``(v, d)`` float32, words as :mod:`.tokens` calls them; its report says which tensor it
        is, which rows have no token or pad and were left out, and whether the output embedding is tied.

    Raises:
        InputError: if weights or words are not there or damaged, no single tensor is an input embedding, or it is
            quantised in a way that is not read.
    """
    options.want_only(OF_ROWS | {"tensor", "vocab"}, "a checkpoint")
    folder = folder / modules_of(folder / MODULES)[0][1] if (folder / MODULES).is_file() else folder
    weights = Weights(folder)
    config = _config(folder / "config.json")
    asked = options.tensor if "tensor" in options.given else None
    name = choose_embedding(weights, asked, config)
    matrix, done = numbers(weights, name, config, by_name=asked is None)
    tokens = _named(folder, len(matrix), options)
    pad = _padding(config)
    kept = [(row, word) for row, word in tokens.named if row < len(matrix) and row != pad]
    if not kept:
        raise InputError(
            f"{tokens.source}: none of {len(tokens.named):,} tokens has a row in {name}, {len(matrix)} rows"
        )
    notes = [f"the vectors are the tensor '{name}'", *done, *weights.notes(name), *tokens.notes]
    notes += _left_out(tokens, len(matrix), pad)
    if tied := said_of_output(weights, name, asked, config):
        notes.append(tied)
    rows, words = [row for row, _ in kept], [word for _, word in kept]
    whole = rows == list(range(len(matrix)))
    # The files that options name are read already.
    of_rows = replace(options, tensor=DEFAULTS.tensor, vocab=None)
    table = matrix if whole else matrix[torch.tensor(rows, device="cpu")]
    space = from_pair(words, table, str(folder), of_rows, rows, form="checkpoint", notes=notes)
    return replace(space, name=folder.resolve().name)


def _config(file: Path) -> dict[str, Any]:
    config = read_object(file) if file.is_file() else {}
    for key, kind in (("architectures", list), ("quantization_config", dict)):
        entry(config, key, kind, file)
    return config


def modules_of(file: Path) -> list[tuple[str, str]]:
    """Return the kinds and folders of sentence-transformers' modules, the first of which reads text.

    Raises:
        InputError: if there are none, or the file is no list of them.
    """
    try:
        modules = [(str(one.get("type")), str(one["path"])) for one in read_json(file)]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: this is not a list of modules with their types and paths") from error
    if not modules:
        raise InputError(f"{file}: there are no modules")
    return modules


def _named(folder: Path, rows: int, options: LoadOptions) -> Tokens:
    if options.vocab is None:
        return read_tokens(folder)
    found = words_for(folder, rows, options)
    return Tokens(list(enumerate(found.words)), found.path, tuple(found.notes))


def _padding(config: Mapping[str, Any]) -> int | None:
    """Return the row of the token that only pads, which no training touches."""
    pad = config.get("pad_token_id")
    starts = config.get("is_encoder_decoder") and config.get("decoder_start_token_id") is None  # by it, as T5's do
    is_other = starts or any(config.get(name) == pad for name in _NO_PADDING)
    return pad if type(pad) is int and not is_other else None


def _left_out(tokens: Tokens, total: int, pad: int | None) -> Iterator[str]:
    rows = {row for row, _ in tokens.named if row < total}
    if pad in rows:
        word = next(word for row, word in tokens.named if row == pad)
        yield f"row {pad}, '{show(word)}', pads and was left out"
    if len(rows) < total:
        beyond = total - 1 - max(rows)
        where = "they pad the matrix" if beyond == total - len(rows) else f"{beyond} of them pad the matrix"
        yield f"{total - len(rows)} of {total} rows have no token and were left out: {where}"
    if more := [(row, word) for row, word in tokens.named if row >= total]:
        shown = ", ".join(f"'{show(word)}' ({row})" for row, word in more[:3]) + " ..." * (len(more) > 3)
        yield f"{len(more)} of {len(tokens.named)} tokens have no row among {total} and were left out: {shown}"
