"""Models of sentences in folders, of sentence-transformers or of transformers alone: pooled as the folder says.

A folder of sentence-transformers lists its modules: a transformer, what pools the states of its tokens, and what
follows. The usual ones are computed here; any other is refused by name, since another pooling is another model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor
from torch.nn import functional

from gpustab.errors import InputError
from gpustab.formats.checkpoints.folder import MODULES, modules_of
from gpustab.formats.checkpoints.normaliser import keep_normaliser
from gpustab.formats.checkpoints.weights import INDEXES, Weights, entry, forms, read_object
from gpustab.formats.pieces import Pieces, token_limit

Step = Callable[[Tensor], Tensor]

_BATCH = 64
_WITH_DECODER = ("t5", "mt5", "umt5")
"""Models of which sentence-transformers takes the encoder alone."""


def _by_position(states: Tensor) -> Tensor:
    """Return means of which the k-th token counts k times."""
    weights = torch.arange(1, states.shape[1] + 1, dtype=states.dtype, device=states.device)[:, None]
    return (states * weights).sum(1) / weights.sum()


POOLINGS: dict[str, Step] = {
    "cls": lambda states: states[:, 0],
    "max": lambda states: states.amax(1),
    "mean": lambda states: states.mean(1),
    "mean_sqrt_len_tokens": lambda states: states.sum(1) / states.shape[1] ** 0.5,
    "weightedmean": _by_position,
    "lasttoken": lambda states: states[:, -1],
}
"""Of the states ``(b, t, d)`` of texts of ``t`` tokens, in the order in which several are put together."""

_OLD = ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
_FLAGS = {f"pooling_mode_{old}": mode for old, mode in zip(_OLD, POOLINGS, strict=True)}
"""What sentence-transformers before version 6 called them, each true or false."""

_ACTIVATIONS: dict[str, Step] = {
    "torch.nn.modules.activation.Tanh": torch.tanh,
    "torch.nn.modules.linear.Identity": lambda x: x,
    "torch.nn.modules.activation.ReLU": functional.relu,
    "torch.nn.modules.activation.GELU": functional.gelu,
    "torch.nn.modules.activation.Sigmoid": torch.sigmoid,
}


class SentenceEncoder:
    """A model of sentences, read from its folder. Nothing is downloaded, and no code of the folder is executed.

    Args:
        folder: of sentence-transformers, with ``modules.json``: a transformer, ``Pooling``, and after it ``Dense`` and
            ``Normalize``; or of transformers alone, which says nothing of pooling: means over tokens are taken then.
        device: where it runs.

    Attributes:
        notes: how it pools, and which of the texts that it was given were cut.
        tokenizer: of the folder.
        model: the transformer, without what pools.
        prompt: put before every text whose tokens are pooled.
        lower: whether texts are read in small letters.
        limit: tokens at most.

    Raises:
        InputError: if transformers is missing, the folder holds no such model, or it has a part that is not computed
            here; sentence-transformers computes those.
    """

    def __init__(self, folder: Path, device: torch.device | None = None) -> None:
        self.prompt, prompts = _prompt(folder)
        inner, self._steps, said = _modules(folder, self.prompt)
        limit, self.lower = _reading(inner)
        self._device = device or torch.device("cpu")
        with torch.device("cpu"):
            self.tokenizer: Any = _tokenizer(inner)
            self.model: Any = _from(inner, "AutoModel").eval().to(self._device)
        keep_normaliser(self.tokenizer, inner)
        if self.model.config.model_type in _WITH_DECODER:
            self.model = self.model.get_encoder()
        self.limit = token_limit(self.tokenizer, self.model, limit)
        self._own = [*said, *prompts]
        self._of_texts: dict[str, None] = {}
        self.notes = list(self._own)

    def read(self, text: str) -> str:
        """Return a text as it is read to be pooled: after the folder's prompt, in small letters where it says so."""
        return f"{self.prompt}{text}".lower() if self.lower else f"{self.prompt}{text}"

    def given_by(self, given: Mapping[str, Tensor], **how: bool) -> Any:
        """Return what the transformer gives for texts of one length, by what it takes.

        oneDNN keeps what it made for each of a thousand shapes, and every length of a text is one: memory grew with the
        texts. Half precision alone needs it, where other ways are many times slower.
        """
        library = torch.backends.mkldnn
        before, library.enabled = library.enabled, library.enabled and self.model.dtype != torch.float32
        try:
            return self.model(**given, **how)
        finally:
            library.enabled = before

    def pooled(self, given: Mapping[str, Tensor]) -> Tensor:
        """Return the vectors ``(n, d)`` float32 of texts of one length, by what the model takes."""
        vectors: Tensor = self.given_by(given).last_hidden_state.float()
        for step in self._steps:
            vectors = step(vectors)
        return vectors

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> Tensor:
        """Return the vectors ``(n, d)`` float32 of some texts; no result depends on the other texts."""
        pieces = Pieces(self.tokenizer, [self.read(text) for text in texts], self.model, self.limit)
        found: list[Tensor] = [torch.empty(0, device="cpu")] * len(texts)
        for rows, given in pieces.batches(_BATCH):
            for row, vector in zip(rows, self.pooled(given), strict=True):
                found[row] = vector
        self._of_texts |= dict.fromkeys(pieces.notes())
        self.notes[:] = [*self._own, *self._of_texts]
        return torch.stack(found) if found else torch.empty(0, 0, device="cpu")


def check_encoder(folder: Path) -> None:
    """Refuse a folder that holds no model of sentences, before its weights are read: all that lies beside them is.

    Raises:
        InputError: see :class:`SentenceEncoder`; also if the weights are not there, or their files are cut.
    """
    prompt, _ = _prompt(folder)
    inner, _, _ = _modules(folder, prompt)
    _reading(inner)
    _from(inner, "AutoConfig")
    _tokenizer(inner)
    there = forms(inner)
    is_cheap = not there or there[0].endswith(".safetensors") or there[0] in INDEXES  # others are read to be looked at
    if is_cheap and (lacking := Weights(inner).lacking):
        raise InputError(f"{inner}: the shard {lacking[0]} is not there")


def _tokenizer(folder: Path) -> Any:
    """Return the tokenizer of a folder; without its files transformers gives one without words, and says nothing."""
    found = _from(folder, "AutoTokenizer")
    if len(found) <= len(set(found.all_special_tokens)):
        raise InputError(f"{folder}: the tokenizer has no words: its files, such as tokenizer.json, are not there")
    return found


def _from(folder: Path, kind: str) -> Any:
    """Return what transformers reads of a folder by one of its automatic classes; nothing is downloaded."""
    try:
        import transformers
        from transformers.utils import logging as told
    except ImportError:
        raise InputError("an encoder needs transformers: pip install transformers") from None
    told.disable_progress_bar()  # of reading the weights
    try:
        reader = getattr(transformers, kind)
        return reader.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{folder}: holds no encoder: {next(iter(str(error).splitlines()), error)}") from None


def _modules(folder: Path, prompt: str) -> tuple[Path, list[Step], list[str]]:
    """Return the folder of the transformer, what is done to the states of tokens, and what is to be said of it."""
    above = folder.resolve().parent / MODULES
    if not (folder / MODULES).is_file():
        if above.is_file() and folder.resolve().name in [Path(path).name for _, path in _listed(above)]:
            raise InputError(f"{folder}: how its tokens are pooled stands in {above}; give {above.parent}")
        return folder, [POOLINGS["mean"]], ["The folder does not say how tokens are pooled: their means were taken."]
    (first, inner), *others = _listed(folder / MODULES)
    kinds = [kind for kind, _ in others]
    if first != "Transformer" or "Pooling" not in kinds[:1]:
        raise _not_computed(folder, f"modules {', '.join([first, *kinds])}")
    steps, said = [], []
    for kind, path in others:
        file = folder / path / "config.json"
        config = read_object(file) if file.is_file() else {}
        if kind not in _STEPS:
            raise _not_computed(folder, f"a module {kind}")
        if prompt and config.get("include_prompt") is False:
            raise _not_computed(folder, f"a pooling of all tokens but those of the prompt {prompt!r}")
        step, name = _STEPS[kind](folder / path, config)
        steps.append(step)
        said.append(name)
    return folder / inner, steps, [f"The folder's own modules were taken: {', '.join(said)}."]


def _listed(file: Path) -> list[tuple[str, str]]:
    """Return the kinds and folders of the modules; a class of somebody else's has its whole name."""
    ours = "sentence_transformers."
    return [(kind.rpartition(".")[2] if kind.startswith(ours) else kind, path) for kind, path in modules_of(file)]


def _not_computed(folder: Path, what: str) -> InputError:
    return InputError(
        f"{folder}: {what}, which gpustab does not compute; in Python: "
        "gpustab.encode(sentence_transformers.SentenceTransformer(FOLDER), texts)"
    )


def _pooling(folder: Path, config: Mapping[str, Any]) -> tuple[Step, str]:
    flags = [_FLAGS.get(key, key) for key, is_on in config.items() if key.startswith("pooling_mode_") and is_on]
    modes = config.get("pooling_mode") or flags or ["mean"]
    modes = [str(mode) for mode in (modes if isinstance(modes, list) else [modes])]
    if not config or not set(modes) <= POOLINGS.keys():
        raise _not_computed(
            folder, f"a pooling of {' and '.join(modes)}" if config else "a pooling without config.json"
        )
    steps = [step for name, step in POOLINGS.items() if name in modes] if flags else [POOLINGS[mode] for mode in modes]
    return lambda states: torch.cat([step(states) for step in steps], 1), f"pooling by {' and '.join(modes)}"


def _dense(folder: Path, config: Mapping[str, Any]) -> tuple[Step, str]:
    _want_plain(folder, config)
    activation = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    if activation not in _ACTIVATIONS or config.get("use_residual"):
        raise _not_computed(folder, "a residual layer" if config.get("use_residual") else f"an activation {activation}")
    weights = Weights(folder)
    matrix = weights.tensor("linear.weight").float()
    shift = weights.tensor("linear.bias").float() if config.get("bias", True) else None

    def step(vectors: Tensor) -> Tensor:
        if vectors.shape[1] != matrix.shape[1]:
            raise InputError(
                f"{folder}: takes vectors of {matrix.shape[1]} numbers, the modules before give {vectors.shape[1]}"
            )
        linear = functional.linear(vectors, matrix.to(vectors), None if shift is None else shift.to(vectors))
        return _ACTIVATIONS[activation](linear)

    return step, f"a layer of {len(matrix)}"


def _normalize(folder: Path, config: Mapping[str, Any]) -> tuple[Step, str]:
    _want_plain(folder, config)
    return functional.normalize, "length 1"


def _want_plain(folder: Path, config: Mapping[str, Any]) -> None:
    names = {config.get(f"module_{side}_name") or "sentence_embedding" for side in ("input", "output")}
    if names != {"sentence_embedding"}:
        raise _not_computed(folder, f"a module of {' and '.join(sorted(names))}")


_STEPS: dict[str, Callable[[Path, Mapping[str, Any]], tuple[Step, str]]] = {
    "Pooling": _pooling,
    "Dense": _dense,
    "Normalize": _normalize,
    "Dropout": lambda _folder, _config: (lambda vectors: vectors, "no dropout"),
}


def _reading(folder: Path) -> tuple[int | None, bool]:
    """Return how many tokens of a text are read at most, and whether in small letters."""
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: holds no encoder: there is no config.json")
    file = next(iter(sorted(folder.glob("sentence_*_config.json"))), None)
    config = read_object(file) if file else {}
    task, output = config.get("transformer_task"), config.get("module_output_name")
    if task not in (None, "feature-extraction") or output not in (None, "token_embeddings"):
        raise _not_computed(folder, f"a transformer for {task}, of which {output} are taken")
    limit = config.get("max_seq_length")
    return limit if isinstance(limit, int) else None, bool(config.get("do_lower_case"))


def _prompt(folder: Path) -> tuple[str, Iterator[str]]:
    """Return what is put before every text, and what is to be said of it."""
    file = folder / "config_sentence_transformers.json"
    config = read_object(file) if file.is_file() else {}
    own: dict[str, Any] = entry(config, "prompts", dict, file) or {}
    prompts = {name: text for name in own if (text := entry(own, name, str, file))}
    chosen = prompts.get(entry(config, "default_prompt_name", str, file) or "", "")
    if chosen:
        return chosen, iter([f"The folder's prompt {chosen!r} was put before every text."])
    left = f"The folder's prompts ({', '.join(prompts)}) were put before no text: none of them is its default."
    return "", iter([left] if prompts else [])
