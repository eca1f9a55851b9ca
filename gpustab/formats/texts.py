"""Spaces whose items are texts: what an encoder makes of each, and what the layers of a transformer do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.memory import from_pair
from gpustab.formats.pieces import Pieces
from gpustab.spaces.space import Space


def encode(encoder: Any, texts: Sequence[str], *, name: str = "run") -> Space:
    """Return the space of some texts: its items are the texts, its rows what an encoder makes of them.

    Args:
        encoder: a folder of sentence-transformers or transformers, read as
            :class:`gpustab.formats.checkpoints.encoder.SentenceEncoder` does; a model of sentence-transformers, or
            anything with ``encode``, or a function: of a list of texts to ``(n, d)`` numbers.
        texts: distinct texts; the same ones for all runs that shall be compared.
        name: of the run.

    Raises:
        InputError: if the folder is not read, the encoder does not give one row for each text, or a text occurs twice.

    Example:
        >>> space = encode(lambda texts: torch.tensor([[len(t), 1.0] for t in texts]), ["one", "three"])
        >>> list(space.vocabulary), space.vectors.tolist()
        ([b'one', b'three'], [[3.0, 1.0], [5.0, 1.0]])
    """
    _distinct(texts)
    encoder = SentenceEncoder(Path(encoder)) if isinstance(encoder, str | os.PathLike) else encoder
    rows = getattr(encoder, "encode", encoder)(list(texts))
    notes = encoder.notes if isinstance(encoder, SentenceEncoder) else _cut_by(encoder, texts)
    return from_pair(texts, rows, name, notes=notes)


def _cut_by(encoder: Any, texts: Sequence[str]) -> Iterator[str]:
    """Say which texts a model of sentence-transformers cuts without a word."""
    tokenizer, limit = getattr(encoder, "tokenizer", None), getattr(encoder, "max_seq_length", None)
    if callable(tokenizer) and hasattr(tokenizer, "model_max_length") and isinstance(limit, int):
        yield from Pieces(tokenizer, texts, limit=limit).notes()


@torch.no_grad()
def layer_outputs(
    model: Any, tokenizer: Callable[..., Any], texts: Sequence[str], *, batch: int = 32, name: str = "model"
) -> list[Space]:
    """Return one space per layer of a transformer: its items are the texts, a row the mean over a text's tokens.

    Args:
        model: of ``transformers``, or alike: called with what the tokenizer gives and ``output_hidden_states=True``.
            It is put into evaluation mode meanwhile.
        tokenizer: of the model; called with one text at a time.
        texts: distinct texts; the same ones for all models that shall be compared. Those that are longer than the
            tokenizer or the model takes are cut, which the reports of the spaces say.
        batch: texts at a time. Texts of equal length go together, so that none is padded: neither the batch nor the
            side on which the tokenizer pads changes a result beyond rounding.
        name: of the model; spaces are called ``name layer k``, layer 0 being the input embedding.

    Raises:
        InputError: if a text has no token or too many, or the model gives no hidden states.
    """
    _distinct(texts)
    training = model.training
    model.eval()
    try:
        pieces = Pieces(tokenizer, texts, model)
        layers: list[Tensor] = []
        for rows, given in pieces.batches(batch):
            states = model(**given, output_hidden_states=True).hidden_states
            if states is None:
                raise InputError(f"{type(model).__name__} gives no hidden states")
            means = [state.float().mean(1).cpu() for state in states]
            layers = layers or [mean.new_empty(len(texts), mean.shape[1]) for mean in means]
            for layer, mean in zip(layers, means, strict=True):
                layer[rows] = mean
    finally:
        model.train(training)
    notes = tuple(pieces.notes())
    return [from_pair(texts, rows, f"{name} layer {k}", notes=notes) for k, rows in enumerate(layers)]


def _distinct(texts: Sequence[str]) -> None:
    """Refuse, before a model works on them, texts that cannot be items."""
    if not texts or isinstance(texts, str):
        raise InputError("no texts were given" if not texts else "texts is one text, wanted several")
    first: dict[str, int] = {}
    for number, text in enumerate(texts):
        if first.setdefault(text, number) != number:
            raise InputError(f"texts {first[text]} and {number} are equal: {text[:60]!r}; an item occurs once")
