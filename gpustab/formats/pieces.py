"""Texts as the tokens that a model takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from gpustab.errors import InputError

_POSITIONS = re.compile(r"^(?!.*relative).*position|^wpe$")
"""Names of tables of positions that are counted from the first token."""
_NO_LIMIT = 10**9
"""Tokenizers that know no limit have one above this."""


class Pieces:
    """Texts as the tokens that a model takes, without padding.

    What is padded changes what many models give: behind padding at the left GPT-2 counts positions from the padding on,
    and a convolution mixes it into its neighbours. Texts of equal length need none.

    Args:
        tokenizer: of the model.
        texts: to be read.
        model: that takes them, for the number of positions it has learned and its device.
        limit: tokens at most, beside what tokenizer and model allow.

    Attributes:
        cut: numbers of the texts that were cut.
        limit: tokens at most, ``None`` where nothing is known of any.

    Raises:
        InputError: if a text has no token, or more than the model has positions and the tokenizer cannot cut it.
    """

    def __init__(
        self, tokenizer: Callable[..., Any], texts: Sequence[str], model: Any = None, limit: int | None = None
    ) -> None:
        self._tokenizer, self._texts, self._model = tokenizer, texts, model
        self.limit = token_limit(tokenizer, model, limit)
        self.cut: list[int] = []
        self.tokens = [self._tokens(number) for number in range(len(texts))]

    def _tokens(self, number: int) -> dict[str, Tensor]:
        """Return what the tokenizer gives for one text, ``(t,)`` each, without what it padded."""
        of_transformers = hasattr(self._tokenizer, "model_max_length")
        whole = self._call(number, truncation=False, **({"verbose": False} if of_transformers else {}))
        size = _size(whole)
        if not size:
            raise InputError(f"the text {self._texts[number][:60]!r} has no token")
        if of_transformers and (self.limit is None or size <= self.limit):
            return whole
        found = self._call(number, truncation=True, **({"max_length": self.limit} if of_transformers else {}))
        if _size(found) < size:
            self.cut.append(number)
        if self.limit is not None and _size(found) > self.limit:
            raise InputError(f"the text {self._texts[number][:60]!r} has {size} tokens, the model takes {self.limit}")
        return found

    def _call(self, number: int, **how: Any) -> dict[str, Tensor]:
        with torch.device("cpu"):  # whatever the program's default is
            given = dict(self._tokenizer([self._texts[number]], padding=False, return_tensors="pt", **how))
        ids = given["input_ids"]
        mask = given.get("attention_mask", torch.ones_like(ids))[0] > 0
        return {key: value[0][mask] for key, value in given.items() if value.shape[:2] == ids.shape}

    def batches(self, size: int) -> Iterator[tuple[list[int], dict[str, Tensor]]]:
        """Yield numbers of texts, and what the model takes for them, ``(b, t)`` each, on its device."""
        device = next(self._model.parameters()).device
        for rows in of_one_length(map(_size, self.tokens), lambda _: size):
            keys = self.tokens[rows[0]]
            yield rows, {key: torch.stack([self.tokens[k][key] for k in rows]).to(device) for key in keys}

    def notes(self) -> Iterator[str]:
        """Yield what a reader must know: texts that were cut, and texts that are the same tokens."""
        if self.cut:
            yield (
                f"{len(self.cut)} of {len(self._texts)} texts were cut at {_size(self.tokens[self.cut[0]])} tokens: "
                f"{self._texts[self.cut[0]][:60]!r}{' ...' * (len(self.cut) > 1)}"
            )
        first: dict[tuple[int, ...], int] = {}
        pairs = [(first.setdefault(tuple(one["input_ids"].tolist()), k), k) for k, one in enumerate(self.tokens)]
        if same := [(one, k) for one, k in pairs if one != k]:
            one, k = same[0]
            yield (
                f"{len(same)} of {len(self._texts)} texts have the tokens of another one, and so its row: "
                f"{self._texts[k][:60]!r} those of {self._texts[one][:60]!r}{' ...' * (len(same) > 1)}"
            )


def _size(tokens: dict[str, Tensor]) -> int:
    return len(tokens["input_ids"])


def of_one_length(lengths: Iterable[int], most: Callable[[int], int]) -> Iterator[list[int]]:
    """Yield numbers of texts of equal length, so that none is padded, of each length so many together at most."""
    by_length: dict[int, list[int]] = {}
    for number, length in enumerate(lengths):
        by_length.setdefault(length, []).append(number)
    for length, numbers in sorted(by_length.items()):
        for start in range(0, len(numbers), most(length)):
            yield numbers[start : start + most(length)]


def token_limit(tokenizer: Any, model: Any = None, limit: int | None = None) -> int | None:
    """Return how many tokens of a text are read at most by a tokenizer, a model and a limit; ``None``: any number."""
    own = getattr(tokenizer, "model_max_length", None)
    own = own if isinstance(own, int) and own < _NO_LIMIT else None
    positions = None if model is None else learned_positions(model)
    return min((one for one in (limit, positions, own) if one is not None), default=None)


def learned_positions(model: Any) -> int | None:
    """Return how many tokens a model has learned positions for, ``None`` where it has no table of them.

    The first rows of such a table may be no positions: those up to ``padding_idx`` (RoBERTa), or ``offset`` of them
    (OPT, BART).
    """
    found = []
    for name, module in model.named_modules():
        last = name.rpartition(".")[2]
        if isinstance(module, nn.Embedding) and _POSITIONS.search(last):
            before = 0 if module.padding_idx is None else module.padding_idx + 1
            found.append(module.num_embeddings - max(before, getattr(module, "offset", 0)))
    return min(found, default=None)
