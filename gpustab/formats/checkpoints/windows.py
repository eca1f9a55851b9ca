"""Texts of any length as windows that an encoder takes, and the states of the pieces of words in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import ComputationError, InputError, option
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.pieces import of_one_length

Places = NDArray[np.int64]

_UNLIMITED = 512
"""Tokens of a window of a model that takes texts of any length."""
_LAP = 4
"""Windows share this part of their tokens, a quarter: a word that is no longer is whole in one of them."""
_TOKENS = 1024
"""Tokens that a model takes at once. With four times as many no CPU is faster, and memory grows with the text until one
length has that many."""


class Window(NamedTuple):
    """A part of a text, as the model takes it.

    Attributes:
        text: number of the text.
        given: what the model takes, by name, ``(t,)`` each.
        tokens: ``(k,)`` those of the ``t`` tokens that stand for signs of the text; the others are special ones.
        starts: ``(k,)`` where they begin in the text.
        ends: ``(k,)`` where they end.
        span: the part of the text whose words are read here: windows overlap, these parts do not.
    """

    text: int
    given: dict[str, list[int]]
    tokens: Places
    starts: Places
    ends: Places
    span: tuple[float, float]

    def pieces(self, words: Places) -> tuple[Places, Places]:
        """Return the first piece of each word and the one after its last, ``(n,)`` each, as numbers of ``tokens``.

        Args:
            words: ``(n, 2)`` where words begin and end in the text. One without a piece has two equal numbers.
        """
        first = np.searchsorted(self.ends, words[:, 0], "right")
        return first, np.maximum(np.searchsorted(self.starts, words[:, 1], "left"), first)


def windows_of(encoder: SentenceEncoder, texts: Sequence[str]) -> list[Window]:
    """Return the windows of some texts, in order; a text without a token has none.

    A text that is longer than the model takes is several windows, which overlap by a quarter. Nothing is padded.

    Raises:
        InputError: if the tokenizer does not tell where its tokens stand, or a window would hold next to nothing.
    """
    tokenizer = encoder.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(
            f"{tokenizer.name_or_path}: its tokenizer does not tell where a token stands in a text; save it as a fast "
            "one, with tokenizer.json"
        )
    limit = encoder.limit or _UNLIMITED
    room = limit - tokenizer.num_special_tokens_to_add()
    if room < _LAP:
        raise InputError(f"{tokenizer.name_or_path}: takes {max(room, 0)} tokens of a text, wanted {_LAP} at least")
    side, tokenizer.truncation_side = tokenizer.truncation_side, "right"
    try:
        given = tokenizer(
            list(texts),
            padding=False,
            truncation=True,
            max_length=limit,
            stride=room // _LAP,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
    finally:
        tokenizer.truncation_side = side
    numbers, offsets = given.pop("overflow_to_sample_mapping"), given.pop("offset_mapping")
    found: list[Window] = []
    for k, number in enumerate(numbers):
        places = np.array(offsets[k], np.int64).reshape(-1, 2)
        own = {name: list(column[k]) for name, column in given.items()}
        tokens = np.flatnonzero(places[:, 0] < places[:, 1])
        if not len(tokens):
            continue
        starts, ends = places[tokens].T
        begin = 0.0
        if found and found[-1].text == number:
            begin = (int(starts[0]) + int(found[-1].ends[-1])) / 2
            found[-1] = found[-1]._replace(span=(found[-1].span[0], begin))
        # Pieces of one sign, as of bytes, have one place; no later token ends before an earlier one.
        found.append(Window(number, own, tokens, starts, np.maximum.accumulate(ends), (begin, np.inf)))
    return found


def prompted_windows(encoder: SentenceEncoder, texts: Sequence[str]) -> list[Window]:
    """Return the windows of texts that are pooled as a whole, each behind the folder's prompt."""
    windows = windows_of(encoder, [encoder.read(text) for text in texts])
    return [window for window in windows if window.ends[-1] > len(encoder.prompt)]


def check_layer(encoder: SentenceEncoder, layer: int) -> int:
    """Return the number of a layer from 0, the input embedding; negative ones count from the last.

    Raises:
        InputError: if the model has none of this number.
    """
    layers = int(encoder.model.config.num_hidden_layers)
    if not -layers - 1 <= layer <= layers:
        raise InputError(
            f"{option('layer', layer)}: {encoder.tokenizer.name_or_path} has the layers 0 to {layers}, or "
            f"{-layers - 1} to -1 from its last one"
        )
    return layer % (layers + 1)


@torch.no_grad()
def states_of(encoder: SentenceEncoder, windows: Sequence[Window], layer: int) -> Iterator[tuple[list[int], Tensor]]:
    """Yield numbers of windows of equal length, and their tokens' states ``(b, t, d)`` float32 on the CPU."""
    for part, states in _every_layer(encoder, windows):
        yield part, states[layer].float().cpu()


@torch.no_grad()
def layer_means_of(encoder: SentenceEncoder, windows: Sequence[Window]) -> Iterator[tuple[list[int], Tensor]]:
    """Yield numbers of windows of equal length, and the means over all their tokens in every layer, ``(b, L + 1, d)``.

    Layer 0 is the input embedding; special tokens count, as in most poolings. Float32 on the CPU.
    """
    for part, states in _every_layer(encoder, windows):
        yield part, torch.stack([state.float().mean(1) for state in states], 1).cpu()


def _every_layer(encoder: SentenceEncoder, windows: Sequence[Window]) -> Iterator[tuple[list[int], tuple[Tensor, ...]]]:
    for part, given in _of_one_length(encoder, windows):
        states = encoder.model(**given, output_hidden_states=True).hidden_states
        if states is None:
            raise InputError(f"{type(encoder.model).__name__} gives no hidden states")
        if not all(bool(state.isfinite().all()) for state in states):
            raise ComputationError(f"{encoder.tokenizer.name_or_path}: gives states that are not finite")
        yield part, states


@torch.no_grad()
def vectors_of(encoder: SentenceEncoder, windows: Sequence[Window]) -> Iterator[tuple[list[int], Tensor]]:
    """Yield numbers of windows of equal length, and their vectors by the encoder's own pooling, ``(b, d)`` float32."""
    for part, given in _of_one_length(encoder, windows):
        yield part, encoder.pooled(given).cpu()


def _of_one_length(
    encoder: SentenceEncoder, windows: Sequence[Window]
) -> Iterator[tuple[list[int], dict[str, Tensor]]]:
    """Yield numbers of windows of equal length and what the model takes for them."""
    device = next(encoder.model.parameters()).device
    lengths = [len(window.given["input_ids"]) for window in windows]
    for part in of_one_length(lengths, lambda length: max(1, _TOKENS // length)):
        names = windows[part[0]].given
        yield part, {name: torch.tensor([windows[k].given[name] for k in part], device=device) for name in names}
