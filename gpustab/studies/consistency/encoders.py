"""Contextual encoders beside sums: a sample is the mean of the states of the words around its term, which is masked.

The state of a term knows the term by its own letters, even with random weights, so that two samples would always be
alike. So the term is replaced by the mask before a sentence is read, and the states of the words around it are taken,
as sums take vectors. All states of a transformer point one way, so the mean of the text's contexts is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.corpus.tokenise import prepare_corpus
from gpustab.encoders.passages import Passage, Passages
from gpustab.encoders.runner import Model, models_of
from gpustab.encoders.sums import word_sums
from gpustab.errors import InputError, option
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import check_layer
from gpustab.results.page import counted
from gpustab.small_data.text import Ids, Samples, Term, Text, digest_of_words, long_words, reading
from gpustab.studies.consistency.measures import Array, Consistency, NullPairs, consistency_of
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Prepared, are_enough, same_documents
from gpustab.studies.consistency.tables import ENCODER
from gpustab.studies.shared.finished import Finished

_LOT = 256
"""Sentences that are read together."""


class Written(NamedTuple):
    """A sentence as it was written, and where its n words stand there, ``(n, 2)``."""

    text: str
    places: Ids


class ByEncoder(NamedTuple):
    """What an encoder gives: of the terms, and of made-up words in the same documents, if there are any.

    Attributes:
        vectors: ``(P, d)`` of the samples, less the mean of all contexts.
        numbers: their consistency.
        beside: that of made-up words at random in other sentences of the same documents.
        others: ``(P, d)`` vectors of these, term by term as the samples.
        lost: sentences without a word that the encoder reads.
        cosine: mean cosine of samples of different terms before the mean was taken out.
    """

    vectors: Array
    numbers: Consistency
    beside: Consistency | None
    others: Array | None
    lost: int
    cosine: float

    def notes(self, name: str) -> Iterator[str]:
        """Yield what is to be said of it."""
        yield (
            f"{name}: a sample is the mean of the states of the words around its masked term, less the mean of all "
            f"contexts. Before that was taken out, two different terms had a mean cosine of {self.cosine:.2f}."
        )
        if self.lost:
            yield f"{name}: {counted(self.lost, 'sentence', 'has/have')} no word around the term that it reads."


def encoded(
    text: Text,
    terms: Sequence[Term],
    prepared: Prepared,
    options: ConsistencyOptions,
    kept: Finished,
    report: Callable[[float], None],
) -> dict[str, ByEncoder]:
    """Return what every encoder gives, by the name of its model; one that was finished before is taken.

    Args:
        text: as it was read, without terms of several words.
        terms: those of several words are one token of the text that is prepared.
        prepared: the samples.
        options: which encoders.
        kept: finished parts.
        report: called with the finished part of a model's work.

    Raises:
        InputError: if a folder holds no model, or has no such layer.
    """
    device = prepared.words.device

    def make(model: Model) -> ByEncoder:
        encoder = SentenceEncoder(model.folder, device)
        return by_encoder(encoder, check_layer(encoder, options.layer), text, terms, prepared, options, report)

    models = models_of([Path(folder) for folder in options.encoders or ()])
    return {f"{ENCODER} {one.name}": kept.of(one.digest).part("encoder", partial(make, one)) for one in models}


def by_encoder(
    encoder: SentenceEncoder,
    layer: int,
    text: Text,
    terms: Sequence[Term],
    prepared: Prepared,
    options: ConsistencyOptions,
    tell: Callable[[float], None],
) -> ByEncoder:
    """Read all samples, and made-up words beside them, by an encoder.

    Args:
        encoder: the model.
        layer: whose states, from 0.
        text: as it was read, without terms of several words.
        terms: those of several words are one token of the text that is prepared.
        prepared: the samples.
        options: language, window.
        tell: called with the finished part.
    """
    made, others, _ = same_documents(prepared.text, prepared.samples, options.seed)
    needed = {*prepared.samples.members.tolist(), *others.members.tolist()}
    parts = {b"_".join(term): len(term) for term in terms}
    sentences = dict(_written(text, prepared.text, parts, needed, options, lower=encoder.lower))
    mask = encoder.tokenizer.mask_token or encoder.tokenizer.unk_token or "…"
    own = _members(prepared.text, prepared.samples, sentences, mask, options.window)
    beside = _members(made, others, sentences, mask, options.window, inserted=True)
    vectors, counts = _read(encoder, layer, [*own, *beside], tell)
    first, second = _per_sample(prepared.samples, vectors, counts), _per_sample(others, vectors, counts, len(own))
    mean = vectors.sum(0) / counts.sum().clamp(min=1)
    raw = consistency_of(first, prepared.samples, prepared.allowed).numbers["null"].value
    centred, other = (torch.where(rows.any(1, keepdim=True), rows - mean, rows) for rows in (first, second))
    numbers = consistency_of(centred, prepared.samples, prepared.allowed)
    null = None
    if are_enough(others):
        null = consistency_of(other, others, NullPairs(others, prepared.words.cpu()))
    made_up = None if null is None else other.numpy()
    return ByEncoder(centred.numpy(), numbers, null, made_up, int((counts[: len(own)] == 0).sum()), raw)


def _written(
    text: Text, joined: Text, parts: dict[bytes, int], needed: set[int], options: ConsistencyOptions, *, lower: bool
) -> Iterator[tuple[int, Written]]:
    """Yield those sentences of a text that are needed, by number, with the places of the words of the joined text."""
    how = reading(options.language, options.layout)
    corpus = prepare_corpus(text.source, how, look=False)
    passages = Passages(corpus, how)
    passages.lower = lower
    long = long_words(list(corpus.vocabulary)) if options.drop_short else np.ones(len(corpus.vocabulary), np.bool_)
    seen, number = set[bytes](), 0
    for unit, passage in enumerate(passages):
        every = corpus.tokens[corpus.texts[unit] : corpus.texts[unit + 1]].astype(np.int64)
        kept = long[every]
        key = digest_of_words(every[kept])
        if not kept.any() or key in seen:
            continue
        seen.add(key)
        if number in needed and np.array_equal(every, passage.words):  # else a sign that has no place in the text
            yield (
                number,
                Written(passage.text, _joined_places(joined, number, every[kept], passage.places[kept], parts)),
            )
        number += 1


def _joined_places(joined: Text, number: int, words: Ids, places: Ids, parts: dict[bytes, int]) -> Ids:
    found, at = [], 0
    for token in joined.tokens[joined.starts[number] : joined.starts[number + 1]].tolist():
        size = 1 if at < len(words) and words[at] == token else parts.get(joined.words[token], 1)
        found.append((places[at][0], places[at + size - 1][1]))
        at += size
    return np.array(found, np.int64).reshape(-1, 2)


def _members(
    text: Text, samples: Samples, sentences: dict[int, Written], mask: str, window: int, *, inserted: bool = False
) -> list[Passage]:
    """Return every member of samples as a passage of the words around its term, which is masked.

    Where the term is a made-up word, which no sentence has, the word before its place is masked for it, or the first.
    """
    found = []
    for number, (sentence, owner) in enumerate(zip(samples.members.tolist(), samples.owner.tolist(), strict=True)):
        term = samples.terms[samples.term[owner]]
        tokens = text.tokens[text.starts[sentence] : text.starts[sentence + 1]]
        targets = np.flatnonzero(tokens == term)
        if inserted:
            real = np.cumsum(~_made_up(tokens, text)) - 1
            targets = np.unique(np.maximum(real[targets], 0))
        written = sentences.get(sentence)
        found.append(_masked(number, written, targets, mask, window) if written else _nothing(number))
    return found


def _made_up(tokens: Ids, text: Text) -> np.ndarray:
    """Which tokens of a sentence are made-up words."""
    return np.array([text.words[token].startswith(b"\0") for token in tokens.tolist()], np.bool_)


def _masked(number: int, written: Written, targets: Ids, mask: str, window: int) -> Passage:
    places, text = written.places, written.text
    pieces, shifts, end, shift = [], np.zeros(len(places), np.int64), 0, 0
    for target in targets.tolist():
        begin, stop = places[target].tolist()
        pieces += [text[end:begin], mask]
        shift += len(mask) - (stop - begin)
        shifts[target + 1 :] = shift
        end = stop
    distance = np.abs(np.arange(len(places))[:, None] - targets).min(1)
    around = (distance > 0) & (distance <= window)
    kept = (places + shifts[:, None])[around]
    return Passage(number, "".join([*pieces, text[end:]]), np.zeros(len(kept), np.int64), kept)


def _nothing(number: int) -> Passage:
    return Passage(number, "", np.zeros(0, np.int64), np.zeros((0, 2), np.int64))


def _read(
    encoder: SentenceEncoder, layer: int, passages: Sequence[Passage], tell: Callable[[float], None]
) -> tuple[Tensor, Tensor]:
    """Return sums of states of passages, ``(n, d)``, and of how many words they are, ``(n,)``."""
    width = int(encoder.model.config.hidden_size)
    total = torch.zeros(len(passages), width, dtype=torch.float64, device="cpu")
    counts = torch.zeros(len(passages), dtype=torch.float64, device="cpu")
    for start in range(0, len(passages), _LOT):
        lot = [passage._replace(unit=start + k) for k, passage in enumerate(passages[start : start + _LOT])]
        made = word_sums(encoder, layer, lot)
        if len(made.sums):
            rows = torch.from_numpy(made.units)
            total[rows] = torch.from_numpy(made.sums).double()
            counts[rows] = torch.from_numpy(made.counts).double()
        tell(min(start + _LOT, len(passages)) / len(passages))
    return total, counts


def _per_sample(samples: Samples, sums: Tensor, counts: Tensor, start: int = 0) -> Tensor:
    """Return the mean state of every sample, ``(P, d)``; zero where it has no word."""
    owner = torch.from_numpy(samples.owner)
    part = slice(start, start + len(owner))
    total = torch.zeros(len(samples.term), sums.shape[1], dtype=torch.float64, device="cpu")
    total.index_add_(0, owner, sums[part])
    size = torch.zeros(len(samples.term), dtype=torch.float64, device="cpu").index_add_(0, owner, counts[part])
    return total / size.clamp(min=1)[:, None]


def check_sources(options: ConsistencyOptions) -> None:
    """Refuse samples of a file, whose sentences are words without the text that an encoder reads."""
    if options.encoders and options.sample_file is not None:
        raise InputError(
            f"{option('encoders', ...)} takes a model that reads text, and {option('sample_file')} holds words: "
            f"give {option('text', ...)} instead"
        )
