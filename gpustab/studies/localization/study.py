"""Do sentence embeddings follow meaning or form? Substituted sentences beside paraphrases (White 2015)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted, percent
from gpustab.runs.load import load_runs
from gpustab.sentences.language import Language, english
from gpustab.sentences.model import Flaws, Model, Runs
from gpustab.studies.localization.claims import ALIKE, observations, verdict
from gpustab.studies.localization.claims_of_vectors import ALARMS_OF_RUNS, COPIES, RunPair, RunVectors
from gpustab.studies.localization.corpus import Base, Corpus, Pair, Paraphrases, build, corpus_tables
from gpustab.studies.localization.distances import KEPT, Distances, Encoded, digest_of_corpus, encode
from gpustab.studies.localization.example import Line, papers_base, papers_lines
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.scores import negation, over_runs, scores
from gpustab.studies.localization.substitution import Kind
from gpustab.studies.localization.tables import (
    COUNTS,
    EXAMPLES,
    NEGATION,
    OVER_RUNS,
    SCORES,
    SENTENCE_SPACES,
    UNRELATED,
    Example,
    SpaceStability,
)
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Answer, answering
from gpustab.wordnet.lexicon import Lexicon, read_lexicon

_OF_MODELS = (SCORES, OVER_RUNS, NEGATION, SENTENCE_SPACES, EXAMPLES)
"""Tables of what models show; they are there without rows too."""

_SHOWN: tuple[Kind, Kind] = ("noun_synonym", "verb_antonym")
"""Chains of examples, as in the paper."""

_NEIGHBOURS = 10


def localization(
    pairs: Paraphrases | Sequence[Pair],
    models: Sequence[Model | Runs],
    options: LocalizationOptions | None = None,
    *,
    language: Language | None = None,
    lexicon: Lexicon | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
    finished: Path | None = None,
    **choices: Any,
) -> Result:
    """Change words of sentences, and see whether models put the changed ones nearer than a paraphrase.

    Args:
        pairs: of :func:`gpustab.studies.localization.corpus.read_pairs`, or any pairs of one meaning.
        models: whose distances are scored.
        options: how sentences are changed.
        language: tokens, tags, forms and word list; default: those of the extra ``sentences``.
        lexicon: default: WordNet, where ``options.wordnet`` says.
        compute: recorded; models have devices of their own.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        finished: folder where runs that are encoded are kept, so that a stopped call goes on from there; who calls
            removes it. Default: nothing is kept.
        **choices: options one by one, see :class:`LocalizationOptions`.

    Returns:
        Tables ``counts``, ``outcomes``, ``scores``, ``over_runs``, ``negation``, ``sentence_spaces``, ``examples``,
        ``observations`` and long ones ``sentences`` (the corpus) and ``decisions``.

    Raises:
        InputError: if there is no model, no pair, two models of one name, or no sentence in which a word can be
            changed.
    """
    options = chosen(LocalizationOptions, options, choices)
    paraphrases = pairs if isinstance(pairs, Paraphrases) else Paraphrases(list(pairs), [])
    sources = [model if isinstance(model, Runs) else _once(model) for model in models]
    _check(paraphrases, sources)
    with answering("localization", options, (), compute, progress) as answer:
        lexicon = lexicon or read_lexicon(options.wordnet, tags=options.sense == "paper" or options.choice == "count")
        language = language or english(options.words)
        corpus = build(paraphrases.pairs, lexicon, language, options, _part_of(answer, 0.0, 0.4))
        _describe(corpus, paraphrases, answer)
        kept, digest, part = Finished(finished, KEPT), digest_of_corpus(corpus), 0.6 / len(sources)
        answer.result.tables |= {sheet.name: sheet.table() for sheet in _OF_MODELS}
        silent = [
            source.name
            for number, source in enumerate(sources)
            if _measure(source, corpus, digest, options, answer, kept, _part_of(answer, 0.4 + part * number, part))
        ]
        answer.result.verdict = verdict(answer.result.tables, silent)
        answer.result.tables[OBSERVED.name] = OBSERVED.table(observations(answer.result.tables, silent))
    return answer.result


def _part_of(answer: Answer, start: float, part: float) -> Callable[[str, float], None]:
    """What reports of a part of the work, from a start on."""
    return lambda work, done: answer.report(work, start + part * done)


def _once(model: Model) -> Runs:
    return Runs(model.name, lambda _run: model)


def _check(pairs: Paraphrases, sources: Sequence[Runs]) -> None:
    if not pairs.pairs:
        raise InputError("no pair of sentences was given")
    names = [source.name for source in sources]
    if not names or len(set(names)) < len(names):
        raise InputError(f"wanted models of different names, not {', '.join(names) or 'none'}")


def _describe(corpus: Corpus, paraphrases: Paraphrases, answer: Answer) -> None:
    """Put what the corpus is into the answer, and refuse one in which nothing changed."""
    result = answer.result
    result.settings["provenance"] = corpus.provenance
    result.notes += paraphrases.notes
    result.tables |= corpus_tables(corpus)
    if not COUNTS.of(result.tables).height:
        raise InputError(f"in none of the {len(corpus.bases):,} sentences a noun or verb can be changed")
    if same := sum(base.tokens == base.paraphrase for base in corpus.bases):
        result.notes.append(
            f"{counted(same, 'sentence', 'has/have')} the same words as {'its' if same == 1 else 'their'} paraphrase: "
            "the distance is 0."
        )
    result.groups.append({"name": "corpus", "pairs": len(paraphrases.pairs), "sentences": len(corpus.bases)})


def _measure(
    source: Runs,
    corpus: Corpus,
    digest: str,
    options: LocalizationOptions,
    answer: Answer,
    finished: Finished,
    report: Callable[[str, float], None],
) -> list[str]:
    """Put what a model shows over its runs, one in memory at a time, into the answer; of several, vectors are kept.

    Returns:
        Alarms that forbid to read its numbers.
    """
    component, name = [base.component for base in corpus.bases], source.name
    encoded: list[Encoded] = []
    spaces: list[Tensor] = []
    for run in range(1, source.number + 1):
        report(f"{name}, run {run}", (run - 1) / source.number)
        of_run, vectors = encode(source, run, corpus, digest, answer.compute, finished)
        encoded.append(of_run)
        spaces += [] if vectors is None else [vectors]
    distances = [run.distances for run in encoded]
    same = copies(distances)
    kept = [run for r, run in enumerate(distances) if r not in same]
    papers = [run.papers for r, run in enumerate(encoded) if r not in same]
    lacking, judged = any(any(run.lacks) for run in encoded), (component, options.draws, options.seed)
    tables, result = answer.result.tables, answer.result
    for r, run_of in enumerate(kept, 1):
        SCORES.add(tables, scores(name, r, run_of, *judged, lacking))
    OVER_RUNS.add(tables, over_runs(name, kept, *judged, lacking))
    NEGATION.add(tables, [negation(name, kept, *judged)])
    stability = space_stability(name, [space for r, space in enumerate(spaces) if r not in same], answer.compute)
    SENTENCE_SPACES.add(tables, [stability] if stability else [])
    EXAMPLES.add(tables, examples(name, kept, papers, corpus))
    alarms = alarms_of_runs(name, distances, [run.flaws for run in encoded])
    result.alarms += alarms
    result.alarms += [COPIES.sentence(RunPair(name, first + 1, r + 1, 0.0)) for r, first in same.items()]
    result.groups.append({"name": name, "runs": len(kept)})
    answer.notes[name] = _notes(encoded[0])
    return alarms


def copies(runs: Sequence[Distances]) -> dict[int, int]:
    """Return the runs whose distances are those of an earlier one, each with that one; counted from 0."""
    same: dict[int, int] = {}
    for r, run in enumerate(runs):
        pairs = (RunPair("", q, r, _difference(runs[q], run)) for q in range(r) if q not in same)
        if (pair := next((pair for pair in pairs if COPIES.judge(pair) == "yes"), None)) is not None:
            same[r] = pair.first
    return same


def _difference(first: Distances, second: Distances) -> float:
    """The largest difference of two runs' distances; infinite where one run alone has a distance."""
    largest = 0.0
    for a, b in [(first.paraphrase, second.paraphrase), *((first.chains[k], second.chains[k]) for k in first.chains)]:
        differences = np.where(np.isnan(a) & np.isnan(b), 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf))
        largest = max(largest, float(differences.max(initial=0.0)))
    return largest


def alarms_of_runs(name: str, runs: Sequence[Distances], flaws: Sequence[Flaws]) -> list[str]:
    """Return sentences on collapsed runs, and on vectors that are no numbers or zero."""
    alarms = []
    for r, (distances, flaw) in enumerate(zip(runs, flaws, strict=True), 1):
        who = f"{name}, run {r}" if len(runs) > 1 else name
        vectors = RunVectors(who, between_unrelated(distances), *flaw)
        alarms += [alarm for claim in ALARMS_OF_RUNS if (alarm := claim.sentence(vectors))]
    return alarms


def between_unrelated(distances: Distances) -> float:
    """Return the median distance of unrelated sentences; NaN where there are none."""
    column = distances.of(UNRELATED, 1)
    column = column[np.isfinite(column)]
    return float(np.median(column)) if len(column) else float("nan")


def _notes(run: Encoded) -> list[str]:
    notes = list(run.notes)
    if any(run.lacks):
        notes.append(
            f"It lacks {percent(run.lacks[0], 1)} of the running words and {percent(run.lacks[1], 1)} of the words put "
            "in as synonyms; sentences whose changed words it has are scored apart too, as 'known'."
        )
    if undefined := int(np.isnan(run.distances.paraphrase).sum()):
        notes.append(f"{counted(undefined, 'sentence', 'is/are')} left out: no vector, or none of the paraphrase.")
    return notes


def space_stability(name: str, runs: Sequence[Tensor], compute: Compute) -> SpaceStability | None:
    """Return how far two runs and more differ; ``None`` for fewer runs, or as few sentences as a list holds.

    Args:
        name: of the model.
        runs: ``(n, d)`` of every run; a sentence without a vector in one run is left out of all.
        compute: how to compute.
    """
    if len(runs) < 2:
        return None
    there = torch.stack([run.isfinite().all(1) & run.any(1) for run in runs]).all(0)
    sentences = int(there.sum())
    if sentences <= _NEIGHBOURS + 1:
        return None
    words = [f"s{k}" for k in range(sentences)]
    joined = engine.place(load_runs([(words, run[there].numpy()) for run in runs]), compute)
    losses = engine.pip_pass(joined, compute)
    lists = engine.neighbour_pass(joined, torch.arange(sentences, device=joined.device), _NEIGHBOURS, compute)
    first, second = torch.triu_indices(len(runs), len(runs), 1, device="cpu")
    shared = engine.overlap_pass(lists, [_NEIGHBOURS], compute)
    loss = losses.reduced if losses.scale is None else losses.reduced / losses.scale.chance
    of_pairs = (loss, shared.p[0].cpu()[first, second])
    pip, neighbours = (pair_statistics(pair_matrix(own.double().cpu(), len(runs))) for own in of_pairs)
    return SpaceStability(name, len(runs), sentences, pip.mean, neighbours.mean, pip.se, neighbours.se)


def examples(model: str, runs: Sequence[Distances], papers: Sequence[list[float]], corpus: Corpus) -> Iterator[Example]:
    """Yield the sentences of a model's examples, each with its distance over runs.

    Args:
        model: its name.
        runs: distances of every run.
        papers: of every run those of :func:`measure_papers`.
        corpus: of sentences.
    """
    base = papers_base(corpus)
    if base is not None:
        yield from _example(model, "White 2015", base, papers_lines(base), np.array(papers))
    for which, n in extremes(runs, corpus):
        own = corpus.bases[n]
        lines: list[Line] = [("base", 0, own.tokens, np.nan), ("paraphrase", 0, own.paraphrase, np.nan)]
        lines += [(kind, k, step.tokens, np.nan) for kind in _SHOWN for k, step in enumerate(own.chains[kind], 1)]
        values = [[0.0, *(run.of(kind, k)[n] for kind, k, *_ in lines[1:])] for run in runs]
        yield from _example(model, which, own, lines, np.array(values))


def extremes(runs: Sequence[Distances], corpus: Corpus) -> list[tuple[str, int]]:
    """Return the bases whose paraphrase lies nearest and farthest on the mean over runs; none where all are alike.

    Of those in which both a noun and a verb were changed, if there are any; a paraphrase at distance 0 has the same
    words, or the model has no others, and is not taken for the nearest.
    """
    mean = np.mean([run.paraphrase for run in runs], axis=0)
    there = np.isfinite(mean) & (mean > ALIKE)
    both = np.array([all(base.chains[kind] for kind in _SHOWN) for base in corpus.bases])
    there = there & both if (there & both).any() else there
    if not there.any() or mean[there].min() == mean[there].max():
        return []
    return [
        ("nearest", int(np.where(there, mean, np.inf).argmin())),
        ("farthest", int(np.where(there, mean, -np.inf).argmax())),
    ]


def _example(model: str, which: str, base: Base, lines: Sequence[Line], values: np.ndarray) -> Iterator[Example]:
    means, sds = values.mean(0), values.std(0, ddof=1) if len(values) > 1 else np.full(len(lines), np.nan)
    for (kind, k, tokens, printed), mean, sd in zip(lines, means.tolist(), sds.tolist(), strict=True):
        yield Example(model, which, base.pair, base.side, kind, k, " ".join(tokens), mean, sd, printed)
