"""Do sentence embeddings place meaning or form? Substituted sentences beside paraphrases (White 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.studies.localization import tables
from gpustab.studies.localization.alarms import alarms_of_copies, alarms_of_spaces, copies
from gpustab.studies.localization.builder import Corpus, build
from gpustab.studies.localization.encoded import KINDS, Encoded, digest_of_corpus, encode
from gpustab.studies.localization.language import Language, english
from gpustab.studies.localization.models.model import Model, Runs
from gpustab.studies.localization.negation import Negation, negation
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.over_runs import OverRuns, over_runs
from gpustab.studies.localization.pairs import Pair, Paraphrases
from gpustab.studies.localization.scores import Score, scores
from gpustab.studies.localization.sentence_spaces import SpaceStability, space_stability
from gpustab.studies.localization.sentences import verdict
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Answer, answering
from gpustab.wordnet.lexicon import Lexicon, read_lexicon


class Measured(NamedTuple):
    """What was found of a model over its runs, which are let go one by one."""

    scores: list[Score]
    over_runs: list[OverRuns]
    negation: Negation
    stability: SpaceStability | None
    silent: bool


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
        pairs: of :func:`gpustab.studies.localization.pairs.read_pairs`, or any pairs of one meaning.
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
        Tables ``counts``, ``outcomes``, ``scores``, ``over_runs``, ``negation``, ``sentence_spaces``, and long ones
        ``sentences`` (the corpus) and ``decisions``.

    Raises:
        InputError: if there is no model, no pair, two models of one name, or no sentence in which a word can be
            changed.
    """
    options = chosen(LocalizationOptions, options, choices)
    given = pairs if isinstance(pairs, Paraphrases) else Paraphrases(list(pairs), [])
    sources = [model if isinstance(model, Runs) else _once(model) for model in models]
    _check(given, sources)
    with answering("localization", options, (), compute, progress) as answer:
        lexicon = lexicon or read_lexicon(options.wordnet, tags=options.sense == "paper" or options.choice == "count")
        language = language or english(options.words)
        corpus = build(given.pairs, lexicon, language, options, lambda work, part: answer.report(work, 0.4 * part))
        _describe(corpus, given, answer)
        kept, digest = Finished(finished, KINDS), digest_of_corpus(corpus)
        measured = [
            _measure(
                source, corpus, digest, options, answer, kept, 0.4 + 0.6 * number / len(sources), 0.6 / len(sources)
            )
            for number, source in enumerate(sources)
        ]
        result = answer.result
        result.tables["scores"] = Table.of([row for own in measured for row in own.scores], Score._fields)
        result.tables["over_runs"] = Table.of([row for own in measured for row in own.over_runs], OverRuns._fields)
        result.tables["negation"] = Table.of(own.negation for own in measured)
        result.tables["sentence_spaces"] = Table.of(
            [own.stability for own in measured if own.stability], SpaceStability._fields
        )
        silent = [source.name for source, own in zip(sources, measured, strict=True) if own.silent]
        result.verdict = verdict(result.tables, silent)
    return answer.result


def _once(model: Model) -> Runs:
    return Runs(model.name, lambda _run: model)


def _check(pairs: Paraphrases, sources: Sequence[Runs]) -> None:
    if not pairs.pairs:
        raise InputError("no pair of sentences was given")
    names = [source.name for source in sources]
    if not names or len(set(names)) < len(names):
        raise InputError(f"wanted models of different names, not {', '.join(names) or 'none'}")


def _describe(corpus: Corpus, given: Paraphrases, answer: Answer) -> None:
    """Put what the corpus is into the answer, and refuse one in which nothing changed."""
    result = answer.result
    result.settings["provenance"] = corpus.provenance
    result.notes += given.notes
    result.tables |= {
        "counts": tables.counts(corpus),
        "outcomes": tables.outcomes(corpus),
        "sentences": tables.sentences(corpus),
        "decisions": tables.decisions(corpus),
    }
    if not result.tables["counts"].height:
        raise InputError(f"in none of the {len(corpus.bases):,} sentences a noun or verb can be changed")
    if same := sum(base.tokens == base.paraphrase for base in corpus.bases):
        result.notes.append(
            f"{counted(same, 'sentence', 'has/have')} the same words as {'its' if same == 1 else 'their'} paraphrase: "
            "the distance is 0."
        )
    result.groups.append({"name": "corpus", "pairs": len(given.pairs), "sentences": len(corpus.bases)})


def _measure(
    source: Runs,
    corpus: Corpus,
    digest: str,
    options: LocalizationOptions,
    answer: Answer,
    finished: Finished,
    start: float,
    part: float,
) -> Measured:
    """Score all runs of a model, one in memory at a time; of several, the bases' vectors are kept."""
    component = [base.component for base in corpus.bases]
    said: list[Encoded] = []
    spaces: list[Tensor] = []
    for run in range(1, source.number + 1):
        answer.report(f"{source.name}, run {run}", start + part * (run - 1) / source.number)
        own, vectors = encode(source, run, corpus, digest, answer.compute, finished)
        said.append(own)
        spaces += [] if vectors is None else [vectors]
    same = copies([own.distances for own in said])
    _note(source.name, said[0], answer)
    alarms = alarms_of_spaces(source.name, [own.distances for own in said], [own.flaws for own in said])
    answer.result.alarms += alarms + alarms_of_copies(source.name, same)
    runs = [own.distances for r, own in enumerate(said) if r not in same]
    spaces = [own for r, own in enumerate(spaces) if r not in same]
    answer.result.groups.append({"name": source.name, "runs": len(runs)})
    open_ = any(any(own.lacks) for own in said)
    found = [
        row
        for run, own in enumerate(runs, 1)
        for row in scores(source.name, run, own, component, options.draws, options.seed, open_)
    ]
    over = over_runs(source.name, runs, component, options.draws, options.seed, open_)
    bend = negation(source.name, runs, component, options.draws, options.seed)
    return Measured(found, over, bend, space_stability(source.name, spaces, answer.compute), bool(alarms))


def _note(name: str, said: Encoded, answer: Answer) -> None:
    """Say what a reader must know of a model, as its first run has it."""
    answer.notes[name] = list(said.notes)
    if any(said.lacks):
        answer.notes[name].append(
            f"It lacks {said.lacks[0]:.1%} of the tokens and {said.lacks[1]:.1%} of the words put in as synonyms; "
            "sentences whose changed words it has are scored apart too, as 'known'."
        )
    if undefined := int(np.isnan(said.distances.paraphrase).sum()):
        answer.notes[name].append(
            f"{counted(undefined, 'sentence', 'is/are')} left out: no vector, or none of the paraphrase."
        )
