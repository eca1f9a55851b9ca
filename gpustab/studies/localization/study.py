"""Do sentence embeddings place meaning or form? Substituted sentences beside paraphrases (White 2015)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results.page import counted
from gpustab.sentences.language import Language, english
from gpustab.sentences.model import Model, Runs
from gpustab.studies.localization.claims import verdict
from gpustab.studies.localization.corpus import Corpus, build, corpus_tables
from gpustab.studies.localization.distances import KEPT, digest_of_corpus
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.pairs import Pair, Paraphrases
from gpustab.studies.localization.runs import MeasuredModel, measure_model
from gpustab.studies.localization.tables import COUNTS, NEGATION, OVER_RUNS, SCORES, SENTENCE_SPACES
from gpustab.studies.shared.finished import Finished
from gpustab.studies.shared.frame import Answer, answering
from gpustab.wordnet.lexicon import Lexicon, read_lexicon


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
    paraphrases = pairs if isinstance(pairs, Paraphrases) else Paraphrases(list(pairs), [])
    sources = [model if isinstance(model, Runs) else _once(model) for model in models]
    _check(paraphrases, sources)
    with answering("localization", options, (), compute, progress) as answer:
        lexicon = lexicon or read_lexicon(options.wordnet, tags=options.sense == "paper" or options.choice == "count")
        language = language or english(options.words)
        corpus = build(paraphrases.pairs, lexicon, language, options, _part_of(answer, 0.0, 0.4))
        _describe(corpus, paraphrases, answer)
        kept, digest, part = Finished(finished, KEPT), digest_of_corpus(corpus), 0.6 / len(sources)
        _put(
            [
                measure_model(
                    source, corpus, digest, options, answer.compute, kept, _part_of(answer, 0.4 + part * number, part)
                )
                for number, source in enumerate(sources)
            ],
            answer,
        )
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


def _put(models: Sequence[MeasuredModel], answer: Answer) -> None:
    """Put what the models show into the answer, and the verdict on those whose numbers may be read."""
    result = answer.result
    for model in models:
        answer.notes[model.name] = model.notes
        result.alarms += model.alarms + model.copies
        result.groups.append({"name": model.name, "runs": model.runs})
    result.tables |= {
        SCORES.name: SCORES.table(row for model in models for row in model.scores),
        OVER_RUNS.name: OVER_RUNS.table(row for model in models for row in model.over_runs),
        NEGATION.name: NEGATION.table(model.negation for model in models),
        SENTENCE_SPACES.name: SENTENCE_SPACES.table(model.stability for model in models if model.stability),
    }
    result.verdict = verdict(result.tables, [model.name for model in models if model.alarms])
