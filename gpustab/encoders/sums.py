"""What an encoder makes of passages, kept per unit, so that each draw of units is a weighted sum.

A file is of a lot of passages: for each unit and each word that stands there the sum of the word's states, and its
count. So no passage is read twice, and memory does not grow with the text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.corpus.sampling import ranges
from gpustab.encoders.passages import Passage, Passages
from gpustab.formats.atomic import make_folder
from gpustab.formats.binary.tensors import Part, load_tensors, open_tensors, write_tensors
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import Window, prompted_windows, states_of, vectors_of, windows_of
from gpustab.formats.parsed import parse_json
from gpustab.machine.memory import let_go

Numbers = NDArray[np.int64]
_NAMES = ("units", "items", "counts", "sums")
_STATS = "gpustab.read"


class Sums(NamedTuple):
    """Sums of states by unit and item.

    Attributes:
        units: ``(n,)`` int64.
        items: ``(n,)`` int64, numbers of words; of texts those of their units.
        counts: ``(n,)`` int64, how many states are summed.
        sums: ``(n, d)`` float32.
        read: how many passages, windows, pieces, occurrences there were, and how many of these have no vector.
    """

    units: Numbers
    items: Numbers
    counts: Numbers
    sums: NDArray[np.float32]
    read: Counter[str]


def word_sums(encoder: SentenceEncoder, layer: int, passages: Sequence[Passage]) -> Sums:
    """Return the sums of the states of all words of some passages; a word of several pieces is their mean.

    An occurrence without a piece, or whose every piece is the unknown one, has no vector and is counted only.

    Args:
        encoder: the model.
        layer: from 0, the input embedding.
        passages: of a corpus.
    """
    windows = windows_of(encoder, [passage.text for passage in passages])
    read = Counter(passages=len(passages), windows=len(windows))
    read["cut passages"] = sum(n > 1 for n in Counter(window.text for window in windows).values())
    read["occurrences"] = sum(len(passage.words) for passage in passages)
    owned = [_owned(window, passages[window.text], encoder.tokenizer.unk_token_id, read) for window in windows]
    read["without a piece"] += read["occurrences"] - read["seen"]
    used = [k for k, (words, _, _) in enumerate(owned) if len(words)]
    unit_of = [np.full(len(owned[k][0]), passages[windows[k].text].unit) for k in used]
    words = _joined([owned[k][0] for k in used])
    keys = np.stack([_joined(unit_of), words], 1)
    pairs, pair_of, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    bounds = np.concatenate([[0], np.cumsum([len(owned[k][0]) for k in used])])
    total: torch.Tensor | None = None
    for part, states in states_of(encoder, [windows[k] for k in used], layer):
        if total is None:
            total = torch.zeros(len(pairs), states.shape[2], dtype=torch.float64, device="cpu")
        for row, k in enumerate(part):
            _, first, stop = owned[used[k]]
            tokens = windows[used[k]].tokens[ranges(first, stop)]
            weights = torch.from_numpy(np.repeat(1 / (stop - first), stop - first))
            rows = torch.from_numpy(np.repeat(pair_of.reshape(-1)[bounds[k] : bounds[k + 1]], stop - first))
            total.index_add_(0, rows, states[row][torch.from_numpy(tokens)].double() * weights[:, None])
    sums = np.zeros((0, 0), np.float32) if total is None else total.float().numpy()
    return Sums(pairs[:, 0], pairs[:, 1], counts.astype(np.int64), sums, read)


def _owned(window: Window, passage: Passage, unknown: int | None, read: Counter[str]) -> tuple[Numbers, ...]:
    """Return the words that are read in a window, with the first of their pieces and the one after the last."""
    low, high = np.searchsorted(passage.places.mean(1), window.span)
    words, places = passage.words[low:high], passage.places[low:high]
    first, stop = window.pieces(places)
    are_unknown = np.array(window.given["input_ids"])[window.tokens] == unknown
    before = np.concatenate([[0], np.cumsum(are_unknown)])
    lost, strange = stop == first, before[stop] - before[first] == stop - first
    kept = ~lost & ~strange
    read.update(
        {
            "seen": len(words),
            "without a piece": int(lost.sum()),
            "unknown": int((strange & ~lost).sum()),
            "pieces": int((stop - first)[kept].sum()),
            "of several pieces": int((stop - first > 1)[kept].sum()),
        }
    )
    return words[kept], first[kept], stop[kept]


def _joined(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def text_sums(encoder: SentenceEncoder, passages: Sequence[Passage]) -> Sums:
    """Return what an encoder's own pooling gives for some passages.

    A long one is the mean over its windows, the first of which begins with the folder's prompt. A passage without a
    token has no vector and is counted only.
    """
    windows = prompted_windows(encoder, [passage.text for passage in passages])
    number = Counter(window.text for window in windows)
    read = Counter(passages=len(passages), windows=len(windows), occurrences=len(number))
    read.update({"cut passages": sum(n > 1 for n in number.values()), "without a piece": len(passages) - len(number)})
    places = {text: k for k, text in enumerate(number)}
    total: torch.Tensor | None = None
    for part, vectors in vectors_of(encoder, windows):
        if total is None:
            total = torch.zeros(len(number), vectors.shape[1], dtype=torch.float64, device="cpu")
        at = torch.tensor([places[windows[k].text] for k in part], dtype=torch.long, device="cpu")
        total.index_add_(0, at, vectors.double())
    units = np.array([passages[text].unit for text in number], np.int64)
    if total is None:
        return Sums(units, units, np.ones_like(units), np.zeros((0, 0), np.float32), read)
    total /= torch.tensor([*number.values()], dtype=torch.float64, device="cpu")[:, None]
    return Sums(units, units, np.ones_like(units), total.float().numpy(), read)


def kept_sums(
    folder: Path, passages: Passages, make: Callable[[Sequence[Passage]], Sums], tell: Callable[[float], None]
) -> list[Path]:
    """Make the sums of all passages that a folder has not yet, and return its files.

    Args:
        folder: of one model and one way of reading.
        passages: of a corpus.
        make: reads a lot of passages.
        tell: called with the part of the passages that is done.
    """
    files, done = list[Path](), 0
    make_folder(folder)
    for number, lot in enumerate(passages.together()):
        files.append(folder / f"sums-{number:05d}.safetensors")
        if not files[-1].is_file():
            _write(make(lot), files[-1])
            let_go()
        done += len(lot)
        tell(done / len(passages))
    return files


def _write(made: Sums, file: Path) -> None:
    parts = {name: Part.of(torch.from_numpy(getattr(made, name))) for name in _NAMES}
    write_tensors(parts, file, {_STATS: json.dumps(made.read, sort_keys=True)})


def read_sums(files: Sequence[Path]) -> Iterator[Sums]:
    """Yield what files hold, in order; a file without any vector is passed over."""
    for file in files:
        with open_tensors(file) as content:
            read = Counter(parse_json(content.metadata()[_STATS]))
        units, items, counts, sums = (tensor.numpy() for tensor in load_tensors(file, *_NAMES))
        yield Sums(units, items, counts, sums, read)


def weighted(files: Sequence[Path], weights: Numbers, items: int) -> tuple[NDArray[np.float64], Numbers, Counter[str]]:
    """Return the sum over a draw.

    Args:
        files: of all units.
        weights: ``(u,)`` how often each unit was drawn.
        items: number of items.

    Returns:
        Sums of states ``(items, d)``, counts ``(items,)``, and how much was read once.
    """
    from scipy.sparse import csr_array

    total, counts, read = np.zeros((items, 0)), np.zeros(items, np.int64), Counter[str]()
    for part in read_sums(files):
        read.update(part.read)
        times = weights[part.units]
        np.add.at(counts, part.items, times * part.counts)
        if not len(part.sums):
            continue
        if not total.shape[1]:
            total = np.zeros((items, part.sums.shape[1]))
        there, places = np.unique(part.items, return_inverse=True)
        each = csr_array((times.astype(np.float64), (places, np.arange(len(times)))), (len(there), len(times)))
        total[there] += each.dot(part.sums.astype(np.float64))
    return total, counts, read
