"""The output vectors of a background: those its training kept beside its runs, or those of a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.formats.gensim.output import read_output_vectors
from gpustab.runs.group import Group
from gpustab.runs.outputs import output_file
from gpustab.runs.runs import Runs
from gpustab.spaces.space import Space
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.text import Ids

_WHY = "Nonce2Vec trains by the background's output vectors and draws negatives by its counts"


class Output(NamedTuple):
    """What Nonce2Vec needs beside the word vectors of a run.

    Attributes:
        vectors: ``(v, d)`` float64 output vectors, row by row the words of the background; zero rows have no counts.
        counts: ``(v,)`` of the background's words, means over its runs, so that every run has the same schedule.
    """

    vectors: Tensor
    counts: Ids


class Outputs:
    """The output vectors of the runs of a background, read one run at a time.

    Args:
        runs: the background.
        files: of the output vectors of each run.
        device: where they shall lie.
    """

    def __init__(self, runs: Runs, files: Sequence[Path], device: torch.device) -> None:
        self.files = dict(zip(runs.names, files, strict=True))
        self._device = device

    def digest(self, name: str) -> str:
        """Return a digest of the file of one run's output vectors."""
        with self.files[name].open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def of(self, runs: Runs, r: int) -> Output:
        """Return those of one run.

        Raises:
            InputError: if they do not belong to this background.
        """
        path = self.files[runs.names[r]]
        space = read_output_vectors(path)
        if space.dimension != runs.rows[r].shape[1]:
            raise InputError(f"{path}: {space.dimension} dimensions, the background has {runs.rows[r].shape[1]}")
        vectors = torch.zeros(runs.words, space.dimension)
        there = torch.from_numpy(_there(runs))
        vectors[there] = space.vectors[_rows(path, space, runs, there)]
        if torch.equal(vectors, runs.rows[r][0 : runs.words].cpu() * there[:, None]):
            raise InputError(f"{path}: these are the word vectors of '{runs.name}', no output vectors")
        return Output(vectors.double().to(self._device), counts_of(runs))


def _there(runs: Runs) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return runs.joint.cpu().numpy()


def _rows(path: Path, space: Space, runs: Runs, there: Tensor) -> Tensor:
    words = [runs.vocabulary[k] for k in there.nonzero().flatten().tolist()]
    missing = sum(word not in space.vocabulary for word in words)
    if missing:
        raise InputError(f"{path}: {missing:,} of {len(words):,} words of the background have no output vector there")
    return torch.tensor([space.vocabulary.index_of(word) for word in words])


def counts_of(runs: Runs) -> Ids:
    """Return how often a run has every word, a mean over runs; 0 for words that not all runs have.

    Raises:
        InputError: if the background has no counts, or too few.
    """
    if runs.counts is None:
        raise InputError(f"{_WHY}, and '{runs.name}' has no counts; a run set and gensim's own files have them")
    counts: Ids = np.where(_there(runs), runs.counts.cpu().numpy() // len(runs), 0)
    if (counts > 0).sum() < 2:
        raise InputError(f"'{runs.name}' has fewer than two words with counts; negatives cannot be drawn")
    return counts


def find_outputs(group: Runs | Group, runs: Runs, options: ConsistencyOptions, device: torch.device) -> Outputs:
    """Return where the output vectors of a background's runs are.

    Args:
        group: as it was given: the files of its runs tell where their output vectors lie.
        runs: the same, read.
        options: ``output_vectors`` names those of a background of one run.
        device: where they shall lie.

    Raises:
        InputError: if there are none, or no counts.
    """
    if options.output_vectors is not None:
        if len(runs) > 1:
            raise InputError(
                f"{option('output_vectors')} names those of one run, and '{runs.name}' has {len(runs)}; give one run, "
                f"or a run set that was trained with {option('keep_output')}"
            )
        counts_of(runs)
        return Outputs(runs, [Path(options.output_vectors)], device)
    files = [output_file(Path(source)) for source in _sources(group)]
    lost = [file for file in files if not file.is_file()]
    if lost or not files:
        what = f" ({lost[0]} is not there)" if lost and isinstance(group, Group) and group.folder else ""
        raise InputError(
            f"{_WHY}, and of '{runs.name}' there are its word vectors alone{what}: train it with "
            f"{option('keep_output')}, which trains the runs that are there again and keeps their output vectors "
            f"beside them, or name a full model of gensim's or a file of vectors by the same words with "
            f"{option('output_vectors')}"
        )
    counts_of(runs)
    return Outputs(runs, files, device)


def _sources(group: Runs | Group) -> list[str | os.PathLike[str]]:
    """The files of a group's runs; none of a packed one, whose files hold words in another order, or of memory."""
    if isinstance(group, Runs) or group.packed or not all(isinstance(s, str | os.PathLike) for s in group.sources):
        return []
    return list(group.sources)
