"""Trained models in one file each, read without running code, and corpora that they are trained on."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from gpustab.errors import InputError
from gpustab.formats.atomic import replacing
from gpustab.studies.localization.language import Tokens

_FEWEST = 10
"""Sentences that a model is trained on at least."""


def write_saved(path: str | os.PathLike[str], form: str, content: dict[str, Any]) -> None:
    """Write a model's content, whole or not at all."""
    with replacing(path) as new:
        torch.save({"form": form} | content, new)


@contextmanager
def read_saved(path: str | os.PathLike[str], form: str, what: str) -> Iterator[dict[str, Any]]:
    """Give the content of a saved model to who builds it.

    Args:
        path: of the file.
        form: that it must have.
        what: the file should hold, for the message.

    Raises:
        InputError: if it is another file, or the model cannot be built of it.
    """
    try:
        content = torch.load(Path(path), weights_only=True)
        if not isinstance(content, dict) or content.get("form") != form:
            raise InputError(f"{path}: holds no {what} of this study")
        yield content
    except InputError:
        raise
    except (OSError, RuntimeError, EOFError, KeyError, TypeError, ValueError, AttributeError, pickle.UnpicklingError):
        raise InputError(f"{path}: could not be read as {what} of this study") from None


def read_sentences(path: str | os.PathLike[str]) -> list[Tokens]:
    """Read a corpus of one tokenised sentence a line, spaces between tokens.

    Raises:
        InputError: if it cannot be read, or has fewer than ten sentences.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or 'is no UTF-8 text'}") from None
    found = [tuple(line.split()) for line in text.split("\n") if line.split()]
    if len(found) < _FEWEST:
        raise InputError(f"{path}: has {len(found)} sentences, wanted {_FEWEST} or more, one a line")
    return found
