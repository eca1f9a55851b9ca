"""Why is a word unstable? The stability of words, told from what is known of them, over runs.

After Wendlandt, Kummerfeld & Mihalcea 2018 and Pierrejean & Tanguy 2018; with errors over runs and over words, and the
same judged by runs that were not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab import engine
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError, marked, option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Sheet, Table
from gpustab.results.page import counted, signed
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.shared.claims import OBSERVED, Claim
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of, made_of, reading_of, without_copies
from gpustab.studies.shared.spaces import is_fact, look_at
from gpustab.studies.shared.wording import groups_in_words, listed
from gpustab.studies.words.claims import BY_EFFECT, EFFECTS, PARTS_OF, SPEECH, Effect, Part, changed, explained, matters
from gpustab.studies.words.factors import (
    FACTORS,
    PART_OF_SPEECH,
    design_of,
    of_corpus,
    of_counts,
    of_letters,
    of_wordnet,
    titles,
)
from gpustab.studies.words.measured import FITS, LOSS, WORDS, measure, regression_tables, word_rows
from gpustab.studies.words.options import WordsOptions
from gpustab.wordnet.lexicon import Lexicon, read_lexicon


def words(
    groups: Groups,
    options: WordsOptions | None = None,
    *,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Tell the stability of words from their frequency, spread, senses, part of speech and nearest word, by regression.

    Every group of runs has an answer of its own, that of bootstrap runs first: they tell of documents too. Stability
    is p@n, and beside it the word's PIP loss.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`.
        options: lists, words, text and WordNet.
        compute: device and precision; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`WordsOptions`.

    Returns:
        Tables ``effects``, ``parts``, ``fits``, ``observations`` and, in files, ``words``.

    Raises:
        InputError: if WordNet's folder or the text was named and cannot be read.
    """
    options = chosen(WordsOptions, options, choices)
    with answering("words", options, groups, compute, progress) as answer:
        given = sorted(groups_of(groups), key=lambda group: group.key.sampling != "bootstrap")
        lexicon, said = _lexicon(options)
        texts: dict[str, Corpus | str] = {}
        for k, group in enumerate(given):
            part = k / len(given)
            runs = without_copies(answer.take(group, part), answer, "the words")
            answer.report(f"{runs.name}: words", part)
            _of_group(group, runs, options, lexicon, texts, answer)
        answer.result.notes += said
        _answer(answer.result)
    return answer.result


def _lexicon(options: WordsOptions) -> tuple[Lexicon | None, list[str]]:
    """WordNet, or why it is not read; where its folder was named an error says that."""
    if options.wordnet == "none":
        return None, []
    try:
        return read_lexicon(options.wordnet, tags=False), []
    except InputError as error:
        if options.wordnet is not None:
            raise
        return None, [f"Part of speech and senses are not among the factors: {marked(error)}."]


def _corpus(
    group: Runs | Group, options: WordsOptions, texts: dict[str, Corpus | str]
) -> tuple[Corpus | None, list[str]]:
    """The text of a group, or why there is none; each is read once."""
    from gpustab.corpus.tokenise import prepare_corpus

    made = made_of(group) if isinstance(group, Group) else {}
    ways = f"name the text by {option('text')}"
    if options.text is None and (not made or group.key.part or group.key.fraction != 1):
        why = "these runs read a part of their text" if made else "these runs tell no text"
        return None, [f"Spread and place in the text are not among the factors: {why}; {ways}."]
    name, reading = options.text or made["corpus"]["name"], reading_of(made) if made else CorpusOptions(min_count=1)
    key = f"{name} {reading}"
    if key not in texts:
        try:
            texts[key] = prepare_corpus(name, reading, look=False)
        except InputError as error:
            if options.text is not None or isinstance(error.__cause__, OSError):  # it is there, and reading it failed
                raise
            texts[key] = f"The text of the runs cannot be read again ({marked(error)}); {ways}."
    found = texts[key]
    return (found, []) if isinstance(found, Corpus) else (None, [found])


def _of_group(
    group: Runs | Group,
    runs: Runs,
    options: WordsOptions,
    lexicon: Lexicon | None,
    texts: dict[str, Corpus | str],
    answer: Answer,
) -> None:
    """Answer for one group."""
    alarms = look_at(runs, answer.compute)
    corpus, notes = _corpus(group, options, texts)
    targets = engine.draw_targets(runs, options.targets, options.seed)
    targets = targets[runs.joint.cpu()[targets]]
    names = [runs.vocabulary[k] for k in targets.tolist()]
    counts = runs.counts_in_a_run()
    known = [of_letters(names), of_counts([counts[k] for k in targets.tolist()])]
    known += [of_wordnet(names, lexicon)] if lexicon and names else []
    known += [of_corpus(names, corpus)] if corpus and names else []
    notes += [note for one in known for note in one.notes]
    answer.warn(runs.name, alarms, notes)
    summary = {"name": runs.name, "runs": list(runs.names), "words": len(names), "factors": []}
    answer.result.groups.append(summary)
    if len(runs) < 2 or len(names) <= len(FACTORS) + 1:
        few = f"{counted(len(runs), 'run')} and {counted(len(names), 'word')} are too few for a regression."
        answer.notes[runs.name].append(few)
        return
    measured = measure(runs, targets, options.n, answer.compute)
    design = design_of({name: x for one in known for name, x in one.columns.items()} | {"nearest": measured.nearest[0]})
    if design.left_out:
        alike = listed(list(titles(design.left_out)))
        answer.notes[runs.name].append(f"All words are alike in what is left out: {alike}.")
    if lost := int((~design.kept).sum()):
        answer.notes[runs.name].append(
            f"{counted(lost, 'word', 'is/are', of=len(names))} left out, since the text lacks them."
        )
    summary |= {"words": int(design.kept.sum()), "factors": list(titles(list(design.factors)))}
    WORDS.add(answer.result.tables, word_rows(runs.name, names, known, measured, design.kept))
    silent = any(not is_fact(sentence) for sentence in alarms)
    found = regression_tables(runs.name, design, measured, options, silent=silent)
    sheets: tuple[Sheet[Any], ...] = (EFFECTS, PARTS_OF, FITS)
    for sheet in sheets:
        sheet.add(answer.result.tables, sheet.rows(found))


def judged(tables: Mapping[str, Table], group: str) -> Iterator[tuple[Claim[Any], Effect | Part, str]]:
    """Yield the claims on the factors of one group, what each judges, and the numbers, by p@n."""
    for row in EFFECTS.rows(tables, group=group):
        if row.factor in BY_EFFECT and row.measure != LOSS:
            yield BY_EFFECT[row.factor], row, changed(row)
    for part in PARTS_OF.rows(tables, group=group, factor=PART_OF_SPEECH):
        if part.measure != LOSS:
            yield SPEECH, part, explained(part)


def _answer(result: Result) -> None:
    """Add the table of observations, and as verdict what is said of the first group, and what matters in others."""
    for k, group in enumerate(result.groups):
        rows = list(judged(result.tables, group["name"]))
        OBSERVED.add(result.tables, [claim.observed(row, group["name"], shows) for claim, row, shows in rows])
        before = f"{groups_in_words([group['name']])}: " if len(result.groups) > 1 else ""
        first = strongest(list(EFFECTS.rows(result.tables, group=group["name"])))
        said = [first] if first and k else [*[first] * bool(first), *said_of([(claim, row) for claim, row, _ in rows])]
        result.verdict += [before + sentence for sentence in said]
    if not result.verdict and not result.alarms:
        result.verdict = ["Nothing can be said of these words: there is no regression."]


def strongest(rows: Sequence[Effect]) -> str:
    """Return which factors matter by each measure of stability, the largest effect first; empty where none does."""
    said = []
    for name in dict.fromkeys(row.measure for row in rows):
        own = sorted((row for row in rows if row.measure == name and matters(row)), key=lambda row: -abs(row.effect))
        factors = [f"{FACTORS[row.factor].title} ({signed(row.effect)})" for row in own]
        said.append(f"{listed(factors) if factors else 'none'} by {name}")
    if not any(map(matters, rows)):
        return ""
    how = "effects in standard deviations, all else equal"
    return f"These factors matter for stability ({how}): {'; '.join(said)}."


def said_of(rows: Sequence[tuple[Claim[Any], Effect | Part]]) -> list[str]:
    """Return what is said of factors: what is so first, then what is not; what is open only where all is."""
    by_verdict = [(claim.judge(row), claim.sentence(row)) for claim, row in rows]
    told = [sentence for kind in ("yes", "no") for verdict, sentence in by_verdict if verdict == kind]
    untold = [sentence for kind in ("undecided", "no test") for verdict, sentence in by_verdict if verdict == kind]
    return told or untold[:1]
