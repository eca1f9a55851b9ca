"""Which tensor of a checkpoint is its input embedding, and what its numbers are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from gpustab.errors import InputError, marked, option
from gpustab.formats.checkpoints.weights import Weights, equal, nested
from gpustab.formats.quantised import dequantised
from gpustab.formats.vocabulary_file import by_end, several_end

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


def choose_embedding(weights: Weights, asked: str | None, config: Mapping[str, Any]) -> str:
    """Return the name of the input embedding.

    Args:
        weights: of the checkpoint.
        asked: the name that was asked for, if any, whole or its end, as wrappers put names before it; an output
            embedding that is tied, and so not stored, is the input embedding.
        config: what ``config.json`` holds.

    Raises:
        InputError: if there is no such tensor, or no single one that has the name of an input embedding; the matrices
            that there are, are listed.
    """
    if asked is not None:
        name = _asked(weights, asked, config)
        if len(weights.shape(name)) != 2:
            raise InputError(f"{weights.folder}: the tensor '{name}' has shape {weights.shape(name)}, wanted (v, d)")
        return name
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
        _refuse_quantised(weights, module)
    outputs = _outputs(weights)
    what, way = "no tensor has the name of an input embedding", option("tensor", ...)
    if outputs:
        what, way = f"{what}, and {outputs[0]} has that of an output embedding", option("tensor", outputs[0])
    raise InputError(f"{weights.folder}: {what}; choose by {way}{_there(weights)}")


def _asked(weights: Weights, asked: str, config: Mapping[str, Any]) -> str:
    found = by_end(asked, weights.files)
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{weights.folder}: {several_end(asked, found)}")
    if f".{asked.removesuffix('.weight')}".endswith(tuple(f".{module}" for module in _OUTPUTS)) and is_tied(config):
        return choose_embedding(weights, None, config)
    raise InputError(f"{weights.folder}: there is no tensor '{asked}'{_there(weights)}")


def is_tied(config: Mapping[str, Any]) -> bool:
    """Tell whether a model predicts words by its input embedding, so that the output embedding is not stored."""
    architectures = " ".join(map(str, config.get("architectures") or ()))
    return bool(config.get("tie_word_embeddings")) and any(part in architectures for part in _WITH_OUTPUT)


def _outputs(weights: Weights) -> list[str]:
    return [name for name in weights.files if f".{name}".endswith(tuple(f".{m}.weight" for m in _OUTPUTS))]


def said_of_output(weights: Weights, chosen: str, asked: str | None, config: Mapping[str, Any]) -> str | None:
    """Say what the output embedding is to the one that was chosen, where the checkpoint tells."""
    if asked is not None and asked.removesuffix(".weight") not in chosen:
        return f"'{asked}' is not stored, as the output embedding is tied: it is the same matrix"
    outputs = [name for name in _outputs(weights) if name != chosen]
    if outputs and not weights.has(outputs[0]):
        return f"the output embedding {outputs[0]} lies in {weights.files[outputs[0]].name}, which is not there"
    outputs = [name for name in outputs if weights.has(name) and weights.shape(name) == weights.shape(chosen)]
    if outputs:
        if _all_equal(weights, [chosen, outputs[0]]):
            return f"the output embedding {outputs[0]} is tied: it holds the same numbers"
        return f"the output embedding is another matrix, which tensor='{outputs[0]}' reads"
    return "the output embedding is tied: it is the same matrix" if is_tied(config) else None


def numbers(weights: Weights, name: str, config: Mapping[str, Any], *, by_name: bool) -> tuple[Tensor, list[str]]:
    """Return the numbers of a table, and what was done with those of few bits.

    One that was found ``by_name`` alone must have a width that ``config`` knows.

    Raises:
        InputError: if the table is quantised in a way whose formula is not sure, or is no table of this model.
    """
    table = weights.table(name)
    known = {part for part in nested(config) if type(part) is int}
    if by_name and "vocab_size" in config and table.shape[1] not in known:
        misfit = f"config.json has {config['vocab_size']} words and no width of {table.shape[1]}"
        if table.is_plain:
            way = f"if it is the table of words, choose it by {option('tensor', ...)}"
            raise InputError(f"{weights.folder}: '{name}' has shape {table.shape}, but {misfit}; {way}")
        raise InputError(f"{weights.folder}: {table.refusal(f'; {misfit}')}")
    if table.is_plain:
        method = (config.get("quantization_config") or {}).get("quant_method")
        said = f"the model is quantised by {method}, but not this table: {table.kind}, without scales"
        return weights.tensor(name), [said] if method else []
    try:
        matrix, note = dequantised(table, weights.tensor)
    except InputError as error:
        raise InputError(f"{weights.folder}: {marked(error)}") from error
    return matrix, [note]


def _refuse_quantised(weights: Weights, module: str) -> None:
    """Refuse a checkpoint whose input embedding is there in parts alone: packed numbers, scales, zero points."""
    for name in weights.files:
        _before, found, part = f".{name}".rpartition(f".{module}.")
        if found and part.count(".") <= 1 and weights.has(name) and len(weights.shape(name)) == 2:
            table = weights.table(name)
            if table.is_quantised and table.parts:
                raise InputError(f"{weights.folder}: {table.refusal()}")


def _all_equal(weights: Weights, names: list[str]) -> bool:
    first = weights.tensor(names[0])
    return all(weights.shape(n) == tuple(first.shape) and equal(weights.tensor(n), first) for n in names[1:])


def _there(weights: Weights) -> str:
    """List the matrices, those of most rows first, and the shards that lack."""
    matrices = [name for name in weights.files if weights.has(name) and len(weights.shape(name)) == 2]
    matrices.sort(key=lambda name: -weights.shape(name)[0])
    shown = ", ".join(f"{name} {weights.shape(name)}" for name in matrices[:5])
    lacking = f"; the shards {', '.join(weights.lacking[:3])} are not there" if weights.lacking else ""
    return (f"; there are {shown}{' ...' * (len(matrices) > 5)}" if matrices else "") + lacking
