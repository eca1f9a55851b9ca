"""Texts as items: what an encoder makes of a list of texts, and what each layer of a model does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.memory import from_pair
from gpustab.spaces.space import Space


def encode(encoder: Any, texts: Sequence[str], *, name: str = "run") -> Space:
    """Return the space of some texts: its items are the texts, its rows what an encoder makes of them.

    Args:
        encoder: a model of sentence-transformers, or anything with ``encode``, or a function: of a list of texts to
            ``(n, d)`` numbers.
        texts: distinct texts; the same ones for all runs that shall be compared.
        name: of the run.

    Raises:
        InputError: if the encoder does not give one row for each text, or a text occurs twice.

    Example:
        >>> space = encode(lambda texts: torch.tensor([[len(t), 1.0] for t in texts]), ["one", "three"])
        >>> list(space.vocabulary), space.vectors.tolist()
        ([b'one', b'three'], [[3.0, 1.0], [5.0, 1.0]])
    """
    _distinct(texts)
    rows = getattr(encoder, "encode", encoder)(list(texts))
    return from_pair(texts, rows, name)


@torch.no_grad()
def layer_outputs(
    model: Any, tokenizer: Callable[..., Any], texts: Sequence[str], *, batch: int = 32, name: str = "model"
) -> list[Space]:
    """Return one space per layer of a transformer: its items are the texts, a row the mean over a text's tokens.

    Args:
        model: of ``transformers``, or alike: called with what the tokenizer gives and ``output_hidden_states=True``.
            It is put into evaluation mode meanwhile.
        tokenizer: of the model; pads on any side, and says what it padded by ``attention_mask``.
        texts: distinct texts; the same ones for all models that shall be compared.
        batch: texts at a time; changes no result beyond rounding.
        name: of the model; spaces are called ``name layer k``, layer 0 being the input embedding.

    Raises:
        InputError: if a text has no token, or the model gives no hidden states.
    """
    _distinct(texts)
    training = model.training
    model.eval()
    try:
        parts = list(_pooled(model, tokenizer, texts, batch))
    finally:
        model.train(training)
    layers = [torch.cat(rows) for rows in zip(*parts, strict=True)]
    return [from_pair(texts, rows, f"{name} layer {k}") for k, rows in enumerate(layers)]


def _distinct(texts: Sequence[str]) -> None:
    """Refuse, before a model works on them, texts that cannot be items."""
    if not texts or isinstance(texts, str):
        raise InputError("no texts were given" if not texts else "texts is one text, wanted several")
    first: dict[str, int] = {}
    for number, text in enumerate(texts):
        if first.setdefault(text, number) != number:
            raise InputError(f"texts {first[text]} and {number} are equal: {text[:60]!r}; an item occurs once")


def _pooled(model: Any, tokenizer: Callable[..., Any], texts: Sequence[str], batch: int) -> Iterator[list[Tensor]]:
    """Mean rows of every layer, ``(b, d)``, batch by batch."""
    device = next(model.parameters()).device
    for start in range(0, len(texts), batch):
        some = list(texts[start : start + batch])
        given = tokenizer(some, padding=True, truncation=True, return_tensors="pt").to(device)
        mask = given["attention_mask"].to(torch.float32)
        tokens = mask.sum(1, keepdim=True)
        if bool((tokens == 0).any()):
            raise InputError(f"the text {some[int((tokens == 0).nonzero()[0, 0])]!r} has no token")
        states = model(**given, output_hidden_states=True).hidden_states
        if states is None:
            raise InputError(f"{type(model).__name__} gives no hidden states")
        # Not by a product with the mask: what is padded may be infinite in half precision.
        kept = mask[:, :, None] > 0
        yield [state.float().where(kept, 0).sum(1).div(tokens).cpu() for state in states]
