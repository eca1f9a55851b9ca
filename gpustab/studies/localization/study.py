"""Do sentence embeddings place meaning or form? Substituted sentences beside paraphrases (White 2015)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from torch import Tensor

from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.studies.frame import Answer, answering
from gpustab.studies.localization import tables
from gpustab.studies.localization.builder import Corpus, build
from gpustab.studies.localization.language import Language, english
from gpustab.studies.localization.measure import measure, unknown_shares
from gpustab.studies.localization.models.model import Model
from gpustab.studies.localization.negation import Negation, negation
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.pairs import Pair, Paraphrases
from gpustab.studies.localization.scores import Score, scores
from gpustab.studies.localization.sentence_spaces import SpaceStability, space_stability, vectors_of
from gpustab.studies.localization.sentences import verdict
from gpustab.wordnet.lexicon import Lexicon, read_lexicon


@dataclass(frozen=True)
class Runs:
    """Several runs of a model that is trained.

    Attributes:
        name: of the model.
        make: the model of a run, from 1.
        number: of runs.
    """

    name: str
    make: Callable[[int], Model]
    number: int = 1


class Measured(NamedTuple):
    """What was found of a model: its scores, run by run, and how far the runs' sentence spaces differ."""

    scores: list[Score]
    negations: list[Negation]
    stability: SpaceStability | None


def localization(
    pairs: Paraphrases | Sequence[Pair],
    models: Sequence[Model | Runs],
    options: LocalizationOptions | None = None,
    *,
    language: Language | None = None,
    lexicon: Lexicon | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
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
        **choices: options one by one, see :class:`LocalizationOptions`.

    Returns:
        Tables ``counts``, ``outcomes``, ``scores``, ``over_runs``, ``negation``,
        ``sentence_spaces``, and long ones ``sentences`` (the
        corpus) and ``decisions``.

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
        measured = [
            _measure(source, corpus, options, answer, 0.4 + 0.6 * number / len(sources), 0.6 / len(sources))
            for number, source in enumerate(sources)
        ]
        result, found = answer.result, [row for own in measured for row in own.scores]
        result.tables["scores"] = Table.of(found, Score._fields)
        result.tables["over_runs"] = tables.over_runs(found)
        result.tables["negation"] = Table.of(row for own in measured for row in own.negations)
        result.tables["sentence_spaces"] = Table.of(
            [own.stability for own in measured if own.stability], SpaceStability._fields
        )
        result.verdict = verdict(result.tables)
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
        result.notes.append(f"{same:,} sentences are their own paraphrase, at distance 0.")
    result.groups.append({"name": "corpus", "pairs": len(given.pairs), "sentences": len(corpus.bases)})


def _measure(
    source: Runs, corpus: Corpus, options: LocalizationOptions, answer: Answer, start: float, part: float
) -> Measured:
    """Score all runs of a model, one in memory at a time; of several, the bases' vectors are kept."""
    component = [base.component for base in corpus.bases]
    found: list[Score] = []
    bends: list[Negation] = []
    spaces: list[Tensor] = []
    for run in range(1, source.number + 1):
        answer.report(f"{source.name}, run {run}", start + part * (run - 1) / source.number)
        model = source.make(run)
        distances = measure(corpus, model)
        lacks = unknown_shares(corpus, model)
        found += scores(source.name, run, distances, component, options.draws, options.seed, any(lacks))
        bends.append(negation(source.name, run, distances, component, options.draws, options.seed))
        if source.number > 1 and (space := vectors_of(model, corpus)) is not None:
            spaces.append(space)
        if run == 1:
            _note(source.name, model, lacks, distances.paraphrase, answer)
    answer.result.groups.append({"name": source.name, "runs": source.number})
    return Measured(found, bends, space_stability(source.name, spaces, answer.compute))


def _note(name: str, model: Model, lacks: tuple[float, float], paraphrase: Any, answer: Answer) -> None:
    answer.notes[name] = list(model.notes)
    if any(lacks):
        answer.notes[name].append(
            f"It lacks {lacks[0]:.1%} of the tokens and {lacks[1]:.1%} of the words put in as synonyms; sentences "
            "whose changed words it has are scored apart too, as 'known'."
        )
    if undefined := int((paraphrase != paraphrase).sum()):
        answer.notes[name].append(f"{undefined:,} sentences or their paraphrases have no vector, and are left out.")
