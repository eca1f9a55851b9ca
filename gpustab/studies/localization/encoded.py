"""What one run of a model says of the corpus, and how it is kept until the study is done."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.formats.atomic import replacing
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.studies.localization.builder import Corpus
from gpustab.studies.localization.comparisons import Distances
from gpustab.studies.localization.measure import measure, unknown_shares
from gpustab.studies.localization.models.model import Flaws, Runs
from gpustab.studies.localization.sentence_spaces import vectors_of
from gpustab.studies.shared.finished import Finished, digest_of


class Encoded(NamedTuple):
    """One run.

    Attributes:
        distances: of all sentences.
        lacks: share of the tokens, and of the words put in as synonyms, that the model lacks.
        notes: of the model.
        flaws: sentences that it gives no vector.
    """

    distances: Distances
    lacks: tuple[float, float]
    notes: list[str]
    flaws: Flaws


KINDS = (Encoded, Distances, Flaws)


def encode(
    source: Runs, run: int, corpus: Corpus, digest: str, compute: Compute, finished: Finished
) -> tuple[Encoded, Tensor | None]:
    """Return one run, and the vectors of the bases if the model has several; a run that was finished is not made.

    Args:
        source: of the model.
        run: from 1.
        corpus: of sentences.
        digest: of the corpus, see :func:`digest_of_corpus`.
        compute: where it is encoded.
        finished: runs that a stopped call left.
    """
    version, device = environment(compute.device).get("gpustab"), compute.device.type
    key = None if source.key is None else digest_of(source.key, run, digest, version, device)
    if key is not None and (said := finished.get(key)) is not None:
        vectors = _vectors(finished, key) if source.number > 1 else None
        if source.number == 1 or vectors is not None:
            return said._replace(lacks=tuple(said.lacks)), vectors
    model = source.make(run)
    distances = measure(corpus, model)
    vectors = vectors_of(model, corpus) if source.number > 1 else None
    said = Encoded(distances, unknown_shares(corpus, model), list(model.notes), getattr(model, "flaws", Flaws()))
    if key is not None and (source.number == 1 or vectors is not None):
        finished.put(key, said)
        if finished.folder is not None and vectors is not None:
            with replacing(finished.folder / f"{key}.npy") as new, new.open("wb") as file:
                np.save(file, vectors.numpy())
    return said, vectors


def digest_of_corpus(corpus: Corpus) -> str:
    """Return a name for all sentences that are encoded, in their order."""
    return digest_of([[base.tokens, base.paraphrase, base.component, base.chains] for base in corpus.bases])


def _vectors(finished: Finished, key: str) -> Tensor | None:
    if finished.folder is None:
        return None
    try:
        return torch.from_numpy(np.load(finished.folder / f"{key}.npy", allow_pickle=False))
    except (OSError, ValueError, EOFError):
        return None
