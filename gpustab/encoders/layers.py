"""What all layers of an encoder make of some texts, kept in a file: memory does not grow with the texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import layer_means_of, prompted_windows

_TEXTS = 256
"""Texts that are read together: their states are held, of all layers."""


class Layers:
    """Rows of texts in every layer of a model, read from a file a part at a time.

    Args:
        file: float32, layer after layer.
        shape: layers with the input embedding, texts, dimensions.

    Attributes:
        shape: as given.
        known: ``(n,)`` bool, which texts have a row: one without a token has none.
        windows: how many parts of texts the model has read.
        cut: how many texts were longer than the model takes.
    """

    def __init__(self, file: Path, shape: tuple[int, int, int]) -> None:
        self._file, self.shape = file, shape
        self.known = np.zeros(shape[1], np.bool_)
        self.windows = self.cut = 0

    def write(self, start: int, rows: Tensor) -> None:
        """Keep the rows ``(b, layers, d)`` of the texts from a number on."""
        _, texts, width = self.shape
        with self._file.open("r+b" if self._file.exists() else "w+b") as file:
            for layer, own in enumerate(rows.permute(1, 0, 2).contiguous().numpy()):
                file.seek(4 * width * (layer * texts + start))
                own.tofile(file)

    def rows(self, layer: int, start: int, stop: int) -> Tensor:
        """Return the rows ``(stop − start, d)`` float32 of some texts in a layer; zeros of one that has none."""
        _, texts, width = self.shape
        place = 4 * width * (layer * texts + start)
        rows = np.fromfile(self._file, np.float32, (stop - start) * width, offset=place)
        return torch.from_numpy(rows.reshape(stop - start, width))


def read_layers(
    encoder: SentenceEncoder, texts: Sequence[str], file: Path, tell: Callable[[float], None] = lambda _: None
) -> Layers:
    """Read texts by a model and keep in a file what every layer makes of each: the mean over its tokens.

    A text that is longer than the model takes is the mean of its windows.

    Args:
        encoder: the model.
        texts: in any number.
        file: to be made.
        tell: called with the part of the texts that is done.

    Raises:
        ComputationError: if a state is not finite.
    """
    config = encoder.model.config
    made = Layers(file, (int(config.num_hidden_layers) + 1, len(texts), int(config.hidden_size)))
    for start in range(0, len(texts), _TEXTS):
        windows = prompted_windows(encoder, texts[start : start + _TEXTS])
        count = min(_TEXTS, len(texts) - start)
        times = np.bincount([window.text for window in windows], minlength=count)
        total = torch.zeros(count, made.shape[0], made.shape[2], dtype=torch.float64, device="cpu")
        for part, means in layer_means_of(encoder, windows):
            total.index_add_(0, torch.tensor([windows[k].text for k in part], device="cpu"), means.double())
        made.write(start, (total / torch.from_numpy(times).clamp(min=1)[:, None, None]).float())
        made.known[start : start + count] = times > 0
        made.windows += len(windows)
        made.cut += int((times > 1).sum())
        tell((start + count) / len(texts))
    return made
