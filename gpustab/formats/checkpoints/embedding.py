"""Which tensor of a checkpoint is the input embedding, and whether the output embedding is the same matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from gpustab.errors import InputError, option
from gpustab.formats.checkpoints.weights import Weights

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
