"""The tensors of a folder that Hugging Face's libraries write, and which of them is the input embedding.

Nothing in such a folder is executed: safetensors cannot, and ``.bin`` files are unpickled by torch's ``weights_only``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.formats.binary.tensors import open_tensors
from gpustab.formats.parsed import read_json

WHOLE = ("model.safetensors", "pytorch_model.bin")
"""Files that hold all tensors; safetensors come first."""

INDEXES = tuple(f"{name}.index.json" for name in WHOLE)
"""Files that say which shard holds which tensor."""


class Weights:
    """Where the tensors of a checkpoint lie.

    Attributes:
        folder: the checkpoint.
        files: the file of every tensor, by its name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loaded: dict[Path, Mapping[str, Tensor]] = {}
        self.files = self._files()

    def _files(self) -> dict[str, Path]:
        for whole, index in zip(WHOLE, INDEXES, strict=True):
            if (self.folder / whole).is_file():
                return dict.fromkeys(self._names(self.folder / whole), self.folder / whole)
            if (self.folder / index).is_file():
                return self._sharded(self.folder / index)
        raise InputError(f"{self.folder}: there are no weights; wanted one of {', '.join((*WHOLE, *INDEXES))}")

    def _sharded(self, index: Path) -> dict[str, Path]:
        where = read_object(index).get("weight_map")
        if not isinstance(where, dict):
            raise InputError(f"{index}: there is no weight_map")
        files = {str(name): self.folder / Path(str(shard)).name for name, shard in where.items()}
        for file in dict.fromkeys(files.values()):
            if not file.is_file():
                raise InputError(f"{index}: the shard {file.name} is not there")
        return files

    def _names(self, file: Path) -> list[str]:
        if file.suffix == ".bin":
            return list(self._pickled(file))
        with open_tensors(file) as tensors:
            return list(tensors.keys())

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor; of safetensors without reading it."""
        file = self.files[name]
        if file.suffix == ".bin":
            return tuple(self._pickled(file)[name].shape)
        with open_tensors(file) as tensors:
            return tuple(tensors.get_slice(name).get_shape())

    def tensor(self, name: str) -> Tensor:
        """Return a tensor as it is stored."""
        file = self.files[name]
        try:
            if file.suffix == ".bin":
                return self._pickled(file)[name]
            with open_tensors(file) as tensors:
                found: Tensor = tensors.get_tensor(name)
                return found
        except (KeyError, SafetensorError) as error:
            raise InputError(f"{file}: the tensor {name}, which the index says is here, cannot be read") from error

    def _pickled(self, file: Path) -> Mapping[str, Tensor]:
        if file not in self._loaded:
            self._loaded[file] = _unpickled(file)
        return self._loaded[file]


def _unpickled(file: Path) -> Mapping[str, Tensor]:
    try:
        try:
            state = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # a file of the time before zip cannot be mapped
            state = torch.load(file, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        raise InputError(
            f"{file}: it holds more than tensors, which could run code and is never executed; save it as safetensors"
        ) from error
    except (RuntimeError, EOFError, OSError, ValueError) as error:
        raise InputError(f"{file}: this is no whole file of tensors: {str(error).splitlines()[0]}") from error
    if not isinstance(state, dict) or not all(isinstance(part, Tensor) for part in state.values()):
        raise InputError(f"{file}: this is no state dict, which is tensors by name")
    return state


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file.

    Raises:
        InputError: if it cannot be read or is none.
    """
    found = read_json(file)
    if not isinstance(found, dict):
        raise InputError(f"{file}: this is a {type(found).__name__}, wanted a JSON object")
    return found


_INPUTS = (
    "shared",  # T5, BART
    "embed_tokens",  # Llama, Mistral, Gemma, Qwen, OPT
    "word_embeddings",  # BERT and its kin, BLOOM, Falcon
    "wte",  # GPT-2
    "tok_embeddings",  # ModernBERT, Llama's own files
    "embed_in",  # GPT-NeoX
    "word_embedding",  # XLNet
    "tokens_embed",  # the first GPT
    "token_embedding",  # CLIP
    "embedding",  # static embeddings of sentence-transformers
    "embeddings",
)
"""Last names of modules that hold input embeddings; where a checkpoint has several, the first counts."""

_OUTPUTS = ("lm_head", "embed_out", "output", "lm_head.decoder", "predictions.decoder", "generator_lm_head")
_WITH_OUTPUT = ("LM", "ForConditionalGeneration", "ForMaskedLM", "ForPreTraining")
"""Parts of the names of architectures that predict words."""


def choose_embedding(weights: Weights, asked: str | None) -> str:
    """Return the name of the input embedding.

    Args:
        weights: of the checkpoint.
        asked: the name that was asked for, if any.

    Raises:
        InputError: if there is no such tensor, or no single one that has the name of an input embedding; the matrices
            that there are, are listed.
    """
    if asked is not None:
        if asked not in weights.files:
            raise InputError(f"{weights.folder}: there is no tensor '{asked}'{_there(weights)}")
        if len(weights.shape(asked)) != 2:
            raise InputError(f"{weights.folder}: the tensor '{asked}' has shape {weights.shape(asked)}, wanted (v, d)")
        return asked
    for module in _INPUTS:
        found = [name for name in weights.files if f".{name}".endswith(f".{module}.weight")]
        found = [name for name in found if len(weights.shape(name)) == 2]
        if len(found) > 1 and not _all_equal(weights, found):
            raise InputError(
                f"{weights.folder}: {' and '.join(found[:3])} are embeddings of words; choose by "
                f"{option('tensor', found[0])}"
            )
        if found:
            return found[0]
    raise InputError(
        f"{weights.folder}: no tensor has the name of an input embedding; choose by {option('tensor', ...)}"
        f"{_there(weights)}"
    )


def said_of_output(weights: Weights, chosen: str, config: Mapping[str, Any]) -> str | None:
    """Say what the output embedding is to the one that was chosen, where the checkpoint tells."""
    outputs = [name for name in weights.files if f".{name}".endswith(tuple(f".{m}.weight" for m in _OUTPUTS))]
    outputs = [name for name in outputs if name != chosen and weights.shape(name) == weights.shape(chosen)]
    if outputs:
        if _all_equal(weights, [chosen, outputs[0]]):
            return f"the output embedding {outputs[0]} is tied: it holds the same numbers"
        return f"the output embedding is another matrix, which tensor='{outputs[0]}' reads"
    architectures = " ".join(map(str, config.get("architectures") or ()))
    if config.get("tie_word_embeddings") and any(part in architectures for part in _WITH_OUTPUT):
        return "the output embedding is tied: it is the same matrix"
    return None


def _all_equal(weights: Weights, names: list[str]) -> bool:
    first = weights.tensor(names[0])
    return all(weights.shape(n) == tuple(first.shape) and torch.equal(weights.tensor(n), first) for n in names[1:])


def _there(weights: Weights) -> str:
    """List the matrices, those of most rows first."""
    matrices = [name for name in weights.files if len(weights.shape(name)) == 2]
    matrices.sort(key=lambda name: -weights.shape(name)[0])
    shown = ", ".join(f"{name} {weights.shape(name)}" for name in matrices[:5])
    return f"; there are {shown}{' ...' * (len(matrices) > 5)}" if matrices else ""
