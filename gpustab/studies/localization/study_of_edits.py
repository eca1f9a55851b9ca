"""Do models of sentences see what an edit changes? Each change of meaning beside an edit of equal size without one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError, option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.sentences.grammar import GRAMMARS, Grammar
from gpustab.sentences.language import Tokens
from gpustab.sentences.model import Flaws, Model, Runs
from gpustab.sentences.parsed import Parsed
from gpustab.studies.localization.claims import ALARMS_OF_RUNS, ALIKE, RunVectors
from gpustab.studies.localization.claims_of_edits import SEES
from gpustab.studies.localization.edits import EDIT_KINDS, Edit, EditKind, Edits, make_edits
from gpustab.studies.localization.options import EditOptions
from gpustab.studies.localization.scores import bootstrap_weights, interval_over_runs
from gpustab.studies.localization.tables_of_edits import (
    EDIT_DISTANCES,
    EDIT_OUTCOMES,
    EDIT_SCORES,
    EDITED,
    EditDistance,
    EditedSentence,
    EditOutcome,
    EditScore,
)
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.frame import Answer, answering

Array = NDArray[np.float64]


class Moved(NamedTuple):
    """How far the edits of one kind move a model, run by run.

    Attributes:
        changed: ``(R, n)`` distances of changed sentences.
        control: of their controls.
        unrelated: of other sentences.
    """

    changed: Array
    control: Array
    unrelated: Array


def localization_of_edits(
    sentences: Iterable[str] | Iterable[Parsed],
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
            their tags, see :func:`gpustab.sentences.parsed.read_conllu`.
        models: whose distances are compared.
        options: language, numbers of sentences and edits, seed.
        grammar: of the sentences; default: that of the options' language.
        compute: recorded; models have devices of their own.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`EditOptions`.

    Returns:
        Tables ``edit_scores``, ``edit_outcomes``, ``observations`` and long ones ``edited`` and ``edit_distances``.

    Raises:
        InputError: if there is no model, two of one name, no sentence that can be edited, or texts of a language that
            is not parsed here.
    """
    options = chosen(EditOptions, options, choices)
    sources = [model if isinstance(model, Runs) else _once(model) for model in models]
    names = [source.name for source in sources]
    if not names or len(set(names)) < len(names):
        raise InputError(f"wanted models of different names, not {', '.join(names) or 'none'}")
    grammar = grammar or GRAMMARS[options.language]()
    with answering("localization", options, (), compute, progress) as answer:
        answer.report("reading and editing sentences", 0.0)
        parsed = _parsed(list(sentences), grammar, options)
        edits = make_edits(parsed, grammar, options.edits, options.sentences, options.seed)
        _describe(edits, grammar, answer)
        part = 0.6 / len(sources)
        for number, source in enumerate(sources):
            answer.report(source.name, 0.4 + part * number)
            _measure(source, edits, options, answer)
        rows = list(EDIT_SCORES.rows(answer.result.tables))
        answer.result.verdict = [SEES.sentence(row) for row in rows]
        seen = (SEES.observed(row, f"{row.model}, {row.kind}", f"{100 * row.half:.0f} % farther") for row in rows)
        answer.result.tables[OBSERVED.name] = OBSERVED.table(seen)
    return answer.result


def _once(model: Model) -> Runs:
    return Runs(model.name, lambda _run: model)


def _parsed(given: list[Any], grammar: Grammar, options: EditOptions) -> Iterator[Parsed]:
    """Sentences in an order that the seed draws, so that those that are read first are of the whole text."""
    Random(options.seed).shuffle(given)  # noqa: S311  # a draw, no secret
    if given and not isinstance(given[0], str):
        return iter(given)
    if grammar.parse is None:
        raise InputError(f"{grammar.name} is not parsed here; give sentences with their tags, a file in CoNLL-U")
    return grammar.parse(given)


def _describe(edits: Edits, grammar: Grammar, answer: Answer) -> None:
    result, every = answer.result, [edit for kind in EDIT_KINDS for edit in edits.found[kind]]
    if not every:
        raise InputError(f"none of {edits.read:,} sentences can be edited surely; {option('sentences')} reads more")
    result.settings["grammar"] = grammar.name
    result.groups.append({"name": "corpus", "sentences": edits.read, "edits": len(every)})
    outcomes = sorted(edits.outcomes.items(), key=lambda item: (EDIT_KINDS.index(item[0][0]), -item[1]))
    result.tables[EDIT_OUTCOMES.name] = EDIT_OUTCOMES.table(EditOutcome(*which, n) for which, n in outcomes)
    result.tables[EDITED.name] = EDITED.table(map(_edited, every))
    result.tables |= {sheet.name: sheet.table() for sheet in (EDIT_SCORES, EDIT_DISTANCES)}


def _edited(edit: Edit) -> EditedSentence:
    texts = (edit.base.text, edit.changed.text, edit.control.text)
    sizes = [words_apart(edit.base, other) for other in (edit.changed, edit.control)]
    return EditedSentence(edit.kind, edit.sentence, *texts, edit.new, edit.kept, *sizes)


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
    """Put what edits do to a model into the answer; every sentence is embedded once in a run."""
    asked = [(edit, other) for own in edits.found.values() for k, edit in enumerate(own) for other in _beside(own, k)]
    runs: list[Array] = []
    result, notes = answer.result, list[str]()
    for run in range(1, source.number + 1):
        model = source.make(run)
        runs.append(model.distances([edit.base for edit, _ in asked], [other for _, other in asked]))
        flaws, who = getattr(model, "flaws", Flaws()), f"{source.name}, run {run}" if source.number > 1 else source.name
        unrelated = runs[-1].reshape(-1, 3)[:, 2]
        vectors = RunVectors(who, float(np.nanmedian(unrelated)) if np.isfinite(unrelated).any() else math.nan, *flaws)
        result.alarms += [alarm for claim in ALARMS_OF_RUNS if (alarm := claim.sentence(vectors))]
        notes = notes or list(model.notes)
    distances = np.stack(runs).reshape(source.number, -1, 3)
    start = 0
    for kind in EDIT_KINDS:
        own = edits.found[kind]
        moved = Moved(*np.moveaxis(distances[:, start : start + len(own)], 2, 0))
        start += len(own)
        EDIT_SCORES.add(result.tables, [score(source.name, kind, own, moved, options.draws, options.seed)])
        rows = zip(own, moved.changed.mean(0).tolist(), moved.control.mean(0).tolist(), strict=True)
        EDIT_DISTANCES.add(result.tables, [EditDistance(source.name, kind, e.sentence, d, c) for e, d, c in rows])
    result.groups.append({"name": source.name, "runs": source.number})
    answer.notes[source.name] = notes


def _beside(own: Sequence[Edit], k: int) -> tuple[Tokens, Tokens, Tokens]:
    """The change, the control, and another sentence of the text."""
    return own[k].changed, own[k].control, own[(k + max(1, len(own) // 2)) % len(own)].base


def score(model: str, kind: EditKind, edits: Sequence[Edit], moved: Moved, draws: int, seed: int) -> EditScore:
    """Return how often a model moves more by the changes of a kind than by their controls.

    Sentences whose controls put in the same word share what a model makes of that word. So the interval draws these
    words, not sentences; of negations, whose words are few, :func:`luck_of` asks the words apart.

    Args:
        model: its name.
        kind: of the edits.
        edits: ``n`` of them.
        moved: their distances.
        draws: bootstrap samples.
        seed: of them.
    """
    there = np.isfinite(moved.changed + moved.control).all(0)
    own = [edit for edit, is_there in zip(edits, there, strict=True) if is_there]
    changed, control = moved.changed[:, there], moved.control[:, there]
    names = [edit.kept if kind in ("numbers", "names") else edit.sentence for edit in own]
    number = {name: k for k, name in enumerate(dict.fromkeys(names))}
    empty = EditScore(model, kind, len(changed), len(own), len(number), 0, *(math.nan,) * 8, 0, *(math.nan,) * 3)
    if not own:
        return empty
    hits = (changed > control) + 0.5 * (changed == control)
    weights = bootstrap_weights(len(number), draws, seed)
    sd, low, high = interval_over_runs(hits, np.array([number[name] for name in names]), weights)
    pairs, won, luck, unluck = (
        luck_of(own, (changed - control).mean(0)) if kind == "negation" else (0, *(math.nan,) * 3)
    )
    other = moved.unrelated[np.isfinite(moved.unrelated)]
    return empty._replace(
        unmoved=int((changed <= ALIKE).all(0).sum()),
        half=float(hits.mean()),
        sd=sd,
        low=max(low, 0.0) if low == low else low,
        high=min(high, 1.0) if high == high else high,
        equal=float((changed == control).mean()),
        changed=float(changed.mean()),
        control=float(control.mean()),
        unrelated=float(other.mean()) if len(other) else math.nan,
        pairs=pairs,
        won=won,
        luck=luck,
        unluck=unluck,
    )


def luck_of(edits: Sequence[Edit], difference: Array) -> tuple[int, float, float, float]:
    """Return in how many pairs of words the one that negates is farther, and how probable that is by chance.

    "not" is one word, and a model that knows no meaning puts one word farther than another. By chance the words that
    negate are any of those that can stand in the same place, so that the pairs they win are counted by Mann and
    Whitney's law, place by place.

    Args:
        edits: negations.
        difference: ``(n,)`` distance of the change less that of the control.

    Returns:
        Pairs, pairs won (a tie counts half), and the probabilities of winning as many and as few.
    """
    cells: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    for edit, own in zip(edits, difference.tolist(), strict=True):
        cells[edit.slot, edit.new, edit.kept].append(own)
    won = sum(_won(sum(own)) for own in cells.values())
    law = Counter({0.0: 1.0})
    pairs = 0
    for slot in sorted({slot for slot, *_ in cells}):
        new, kept = ({key[side] for key in cells if key[0] == slot} for side in (1, 2))
        missing = len(new) * len(kept) - sum(key[0] == slot for key in cells)
        won += 0.5 * missing
        pairs += len(new) * len(kept)
        law = _added(law, _mann_whitney(len(new), len(kept)))
    above = sum(p for u, p in law.items() if u >= won)
    below = sum(p for u, p in law.items() if u <= won)
    return pairs, won, above, below


def _won(difference: float) -> float:
    return 0.5 if difference == 0 else float(difference > 0)


def _mann_whitney(first: int, second: int) -> Counter[float]:
    """The law of the pairs that ``first`` things win of ``second`` others of their kind."""
    places = list(combinations(range(first + second), first))
    law: Counter[float] = Counter()
    for own in places:
        law[float(sum(own) - first * (first - 1) // 2)] += 1 / len(places)
    return law


def _added(one: Mapping[float, float], other: Mapping[float, float]) -> Counter[float]:
    law: Counter[float] = Counter()
    for a, p in one.items():
        for b, q in other.items():
            law[a + b] += p * q
    return law
