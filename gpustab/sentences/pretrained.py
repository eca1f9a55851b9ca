"""Models that are read from disk: the mean of a space's word vectors, and a transformer (as MiniLM is used)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.sentences.language import Tokens, detokenise
from gpustab.sentences.model import Embedding
from gpustab.spaces.space import Space
from gpustab.spaces.words import show


def mean_of_words(space: Space, name: str | None = None, device: torch.device | None = None) -> Embedding:
    """Return the model of a space.

    A token is looked up as it stands, and in small letters where the space does not have it so. Unknown tokens are
    left out; a sentence of unknown tokens has no distance.

    Args:
        space: words and vectors.
        name: shown to people; default: the mean of the space's name.
        device: where distances are computed.
    """
    row = {show(word): k for k, word in enumerate(space.vocabulary)}
    dimension = space.vectors.shape[1]

    def embed(texts: Sequence[Tokens]) -> Tensor:
        means = torch.zeros(len(texts), dimension, dtype=torch.float64, device="cpu")
        for k, text in enumerate(texts):
            rows = [found for token in text if (found := row.get(token, row.get(token.lower()))) is not None]
            if rows:
                means[k] = space.vectors[sorted(rows)].double().mean(0)
        return means

    known = _Known(row)
    return Embedding(
        name or f"mean of {space.name}",
        embed,
        known,
        device or torch.device("cpu"),
        ["Words that the space lacks are left out of the mean, so that a change to such a word is a deletion."],
    )


class _Known(frozenset[str]):
    """The words of a space, in any case that it is looked up in."""

    def __contains__(self, word: object) -> bool:
        return super().__contains__(word) or super().__contains__(str(word).lower())


_BATCH = 64


def encoder(folder: Path, name: str | None = None, device: torch.device | None = None) -> Embedding:
    """Return the model of a folder with ``config.json``, weights and tokenizer. Nothing is downloaded.

    Sentences are given as people write them, not as tokens. Pieces beyond the model's length are cut off.

    Args:
        folder: of the model.
        name: shown to people; default: the folder's name.
        device: where it runs.

    Raises:
        InputError: if transformers is missing, or the folder holds no model.
    """
    try:
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging as told
    except ImportError:
        raise InputError("an encoder needs transformers: pip install transformers") from None
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: holds no encoder: there is no config.json")
    told.disable_progress_bar()  # type: ignore[no-untyped-call]  # of reading the weights
    place = device or torch.device("cpu")
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model: Any = AutoModel.from_pretrained(str(folder), local_files_only=True).eval().to(place)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{folder}: holds no encoder: {str(error).splitlines()[0]}") from None

    def embed(texts: Sequence[Tokens]) -> Tensor:
        sentences = [detokenise(text) for text in texts]
        order = sorted(range(len(sentences)), key=lambda k: len(sentences[k]))
        found: list[Tensor] = [torch.empty(0, device="cpu")] * len(sentences)
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            pieces = tokenizer([sentences[k] for k in part], padding=True, truncation=True, return_tensors="pt")
            with torch.inference_mode():
                states = model(**pieces.to(place)).last_hidden_state
            mask = pieces["attention_mask"].unsqueeze(-1).to(states.dtype)
            for k, vector in zip(part, (states * mask).sum(1) / mask.sum(1), strict=True):
                found[k] = vector.float()
        return torch.stack(found)

    return Embedding(name or folder.name, embed, device=place)
