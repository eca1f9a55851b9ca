"""What a tokenizer does to a text before it cuts it, as the files of its folder say: small letters, accents, signs.

Transformers 5 makes the tokenizer of a BERT anew, and takes of ``tokenizer.json`` its tokens alone. What is done to
letters comes from ``tokenizer_config.json``; what is not said there is small letters without accents. So a folder
whose ``tokenizer.json`` keeps capitals or umlauts lost them, and nothing was said.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.checkpoints.weights import read_object
from gpustab.formats.parsed import parse_json

_OPTIONS = {"do_lower_case": "lowercase", "strip_accents": "strip_accents"}
"""What ``tokenizer_config.json`` calls the options of BERT's normaliser."""


def keep_normaliser(tokenizer: Any, folder: Path) -> None:
    """Give a fast tokenizer the normaliser of its folder's ``tokenizer.json``, if the folder has one.

    Raises:
        InputError: if ``tokenizer_config.json`` says something else of small letters or accents.
    """
    file, inner = folder / "tokenizer.json", getattr(tokenizer, "backend_tokenizer", None)
    if inner is None or not file.is_file():
        return
    from tokenizers import Tokenizer

    there = read_object(file).get("normalizer")
    beside = folder / "tokenizer_config.json"
    _check(there, read_object(beside) if beside.is_file() else {}, folder)
    if there != parse_json(inner.to_str()).get("normalizer"):
        inner.normalizer = Tokenizer.from_file(str(file)).normalizer


def _check(normaliser: Any, config: dict[str, Any], folder: Path) -> None:
    if not isinstance(normaliser, dict) or normaliser.get("type") != "BertNormalizer":
        return
    for name, inside in _OPTIONS.items():
        meant, wanted = _value(normaliser, inside), config.get(name)
        if isinstance(wanted, bool) and wanted != meant:
            raise InputError(
                f"{folder}: two files say different things of its tokens: {name} is {_word(wanted)} in "
                f"tokenizer_config.json, {inside} {_word(meant)} in tokenizer.json; make them equal, as the model was "
                "trained"
            )


def _value(normaliser: dict[str, Any], name: str) -> bool:
    """Return an option of BERT's normaliser; accents go with capitals where nothing is said of them."""
    value = normaliser.get(name)
    return bool(normaliser.get("lowercase") if value is None else value)


def _word(value: bool) -> str:
    return json.dumps(value)
