"""Which neighbours of the query words can you trust? Antoniak & Mimno (2018) on any groups of runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from gpustab import engine
from gpustab.corpus.corpus import Corpus
from gpustab.errors import InputError, option
from gpustab.machine.device import Compute
from gpustab.machine.progress import Progress
from gpustab.options import chosen
from gpustab.report import Result
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.runs.families import families
from gpustab.runs.group import Group
from gpustab.runs.key import ENCODER, WHOLE
from gpustab.runs.runs import Runs
from gpustab.spaces.words import near_words, show, some_words
from gpustab.studies.bootstrap import claims_of_runs, numbers, tables
from gpustab.studies.bootstrap.corpus import chosen_queries, corpora, corpus_of, named_queries
from gpustab.studies.bootstrap.findings import findings
from gpustab.studies.bootstrap.measure import Measured, measure
from gpustab.studies.bootstrap.options import BootstrapOptions
from gpustab.studies.shared.frame import Answer, Groups, answering, groups_of
from gpustab.studies.shared.same_runs import Same, fingerprints, said_of, seeds_of
from gpustab.studies.shared.spaces import Flaws, flaws_of, is_fact, sentences_of


def bootstrap(
    groups: Groups,
    options: BootstrapOptions | None = None,
    *,
    corpus: Corpus | None = None,
    compute: Compute | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Result:
    """Find which neighbours of some query words hold over bootstrap runs, and how much cosines, lists and ranks vary.

    Every group is held in memory by itself. Words that only some runs have take part in those; runs in memory should be
    joined by ``vocabulary="union", min_runs=1``.

    Args:
        groups: from :func:`gpustab.load_groups` or :func:`gpustab.open_groups`: any techniques, samplings, units and
            fractions.
        options: the query words, and how long their lists are.
        corpus: what query words are chosen from where none are given; default: what the run set was trained on.
        compute: device and back end; default: where the runs lie.
        progress: called with the name of the work at hand and its finished part in 0 .. 1.
        **choices: options one by one, see :class:`BootstrapOptions`.

    Returns:
        Tables ``settings``, ``by_runs``, ``rank_changes``, ``distances``, ``claims``, ``queries``, and long ones
        ``neighbours``, ``lists`` and ``pairs``; see :mod:`gpustab.studies.bootstrap.tables`.

    Raises:
        InputError: if no query word is given or can be chosen, or no group has one.
    """
    options = chosen(BootstrapOptions, options, choices)
    given = [group.with_all_words() if isinstance(group, Group) else group for group in groups_of(groups)]
    with answering("bootstrap", options, given, compute, progress) as answer:
        asked = named_queries(options)
        asked = asked or chosen_queries(corpus or corpus_of(given, options), options, answer.report)
        answer.result.settings["query"] = [show(word) for word in asked.words]
        study = _Study(answer, options, asked.words)
        for number, family in enumerate(among := families(given, models_together=True)):
            study.of_family(family.members, number / len(among))
        study.finish(corpora(given))
        answer.result.verdict += asked.notes[:1]  # how the command chose the words, where nobody named them
        answer.result.notes += asked.notes[1:]
    return answer.result


class _Study:
    """The study while groups come and go; of each only small tables are kept."""

    def __init__(self, answer: Answer, options: BootstrapOptions, asked: Sequence[bytes]) -> None:
        self.answer, self.options, self.asked = answer, options, asked
        self.seen: dict[str, _Sample] = {}
        self.tables: dict[str, Table] = {}
        self.counts: dict[bytes, tuple[bool, int]] = {}
        self.missing: dict[bytes, list[str]] = {}
        self.near: dict[bytes, str] = {}
        self.spaces: dict[str, list[str]] = {}
        self.flaws: dict[str, Flaws] = {}

    def of_family(self, members: Sequence[Runs | Group], part: float) -> None:
        """Measure groups that differ in sampling: whole-corpus runs first, which choose what bootstrap runs judge."""
        place = {name: k for k, name in enumerate(WHOLE)}
        found: list[Measured] = []
        for group in sorted(members, key=lambda group: place.get(group.key.sampling, len(WHOLE))):
            chooser = found[0] if found and found[0].key.sampling in WHOLE else None
            asked = chooser.closest_words(self.options.n) if chooser else {}
            own = self._measure(group, asked, part)
            if own is None:
                continue
            self._add(own, chooser)
            found.append(own)
        tables.DISTANCES.add(self.tables, [numbers.distance(a, b) for a, b in combinations(found, 2)])

    def _measure(self, group: Runs | Group, asked: Mapping[bytes, Sequence[bytes]], part: float) -> Measured | None:
        answer = self.answer
        runs = answer.take(group, part)
        answer.report(f"{runs.name}: {len(runs)} runs", part)
        self.asked = list(dict.fromkeys(map(runs.vocabulary.meant, self.asked)))
        counts = runs.counts_in_a_run()
        for word in self.asked:
            if word not in runs.vocabulary:
                self.missing.setdefault(word, []).append(runs.name)
                if word not in self.near:
                    self.near[word] = near_words(word, runs.vocabulary)
            elif (count := counts[runs.vocabulary.index_of(word)]) is not None:
                # Runs of the whole corpus count its words; bootstrap runs count what they drew.
                self.counts[word] = max(self.counts.get(word, (False, 0)), (runs.key.sampling in WHOLE, count))
        if not any(word in runs.vocabulary for word in self.asked) or runs.words < 3:
            return None
        self.seen[runs.name] = _sample_of(group, runs)
        runs, facts = engine.place(runs, answer.compute), list[str]()
        if int(runs.joint.sum()) > 1:
            pip = engine.pip_pass(runs, answer.compute)
            flaws = flaws_of(runs, pip)
            said = sentences_of(flaws, pip)
            self.spaces[runs.name] = [sentence for sentence in said if not is_fact(sentence)]
            facts = [*filter(is_fact, said), *flaws.apart]
            self.flaws[runs.name] = flaws
        answer.notes[runs.name] = [*facts, *runs.notes]
        return measure(runs, self.asked, self.options.n, asked, answer.compute)

    def _add(self, own: Measured, chooser: Measured | None) -> None:
        is_bootstrap = own.key.sampling == "bootstrap"
        rows = list(numbers.neighbours(own, own, judges=is_bootstrap and chooser is None))
        if chooser is not None:
            rows += numbers.neighbours(own, chooser, judges=is_bootstrap)
        tables.NEIGHBOURS.add(self.tables, rows)
        setting = numbers.setting(own, self.answer.compute)
        tables.SETTINGS.add(self.tables, [self._with_flaws(setting)])
        tables.LISTS.add(self.tables, numbers.lists(own))
        tables.PAIRS.add(self.tables, numbers.pairs(own))
        tables.RANK_CHANGES.add(self.tables, numbers.rank_changes(own))
        tables.BY_RUNS.add(self.tables, numbers.by_runs(own.name, own.listed.cosines[own.pairs(own.closest)]))
        self.answer.result.groups.append(_summary(own, rows, chooser))
        self.answer.notes[own.name] += _notes(own, chooser)

    def _with_flaws(self, setting: tables.Setting) -> tables.Setting:
        flaws = self.flaws.get(setting.group)
        kinds = flaws is not None and flaws.kinds
        return setting._replace(far=bool(flaws and flaws.names) and not kinds, kinds=kinds)

    def finish(self, corpora: Iterable[tables.CorpusRow]) -> None:
        """Judge the findings, and say what was found.

        Args:
            corpora: what the runs were trained on.

        Raises:
            InputError: if no group has a query word.
        """
        result = self.answer.result
        if not result.groups:
            words = ", ".join(show(word) for word in self.asked[:5])
            near = "".join(self.near[word] for word in self.asked[:5] if word in self.near)
            raise InputError(f"no group has any of the query words ({words}){near}; give others by {option('query')}")
        result.tables = self.tables
        settings, distances = list(tables.SETTINGS.rows(self.tables)), list(tables.DISTANCES.rows(self.tables))
        result.tables |= tables.FINDINGS.named(findings(settings, _same(self.seen), distances))
        tables.CORPORA.add(self.tables, corpora)
        queries = [
            (show(word), self.counts[word][1] if word in self.counts else None, len(self.missing.get(word, ())))
            for word in self.asked
        ]
        result.tables |= tables.QUERIES.named(tables.Query(*query) for query in queries)
        result.notes += [*_dependent(self.seen), *self._missing()]
        result.alarms += claims_of_runs.alarms(settings, self.spaces)
        result.verdict = claims_of_runs.verdict(result.tables)

    def _missing(self) -> Iterator[str]:
        groups = len(self.answer.result.groups)
        for word, names in self.missing.items():
            nowhere = len(names) >= groups and groups > 1
            where = "in no group" if nowhere else f"not in {some_words([n.encode() for n in names])}"
            there = "" if nowhere else " there"
            yield f"The query word '{show(word)}' is {where}{self.near[word]}; it is left out{there}."


def _summary(own: Measured, rows: Sequence[tables.Neighbour], chooser: Measured | None) -> dict[str, Any]:
    judged = [row.verdict for row in rows if row.verdict]
    return {
        "name": own.name,
        "runs": list(own.runs),
        "words": len(own.words),
        "queries": len(own.queries),
        "n": own.n,
        "chosen_by": chooser.name if chooser else own.name,
        "verdicts": {name: judged.count(name) for name in dict.fromkeys(judged)},
    }


def _notes(own: Measured, chooser: Measured | None) -> Iterator[str]:
    runs = own.lists.present.sum(0)
    if some := [show(word) for word, there in zip(own.queries, runs.tolist(), strict=True) if there < len(own.runs)]:
        yield f"Some runs lack these query words and are left out for them: {', '.join(some)}."
    if own.n < len(own.closest[0]) and own.lists.k <= own.n:
        yield "Lists hold all other words, so no word can drop out."
    if own.key.sampling == "bootstrap" and chooser is None:
        yield (
            "There are no runs of the whole corpus, so the same bootstrap runs choose and judge. Their shares are too "
            "high, by about 0.09 with 5 runs, 0.05 with 10, 0.02 with 20. "
            + ("Give three fine-tunings." if own.key.technique == ENCODER else "Train shuffled runs too.")
        )
    absent = own.listed.cosines.isnan().any(1)
    if bool(absent.any()):
        yield (
            f"{counted(int(absent.sum()), 'listed word', 'is/are', of=len(absent))} missing in some run. Means are "
            "over the runs that have the word; a run without it does not list it."
        )
    if math.isnan(float(own.statistics.sd.nanmean())):
        yield "Fewer than two runs have the words, so there is no spread."


class _Sample(NamedTuple):
    """What is kept of a group that was seen, to tell which are independent; no vector is."""

    what: tuple[str, str, str, float]
    prints: frozenset[bytes]
    seeds: frozenset[int]
    runs: int


def _sample_of(group: Group | Runs, runs: Runs) -> _Sample:
    """Look at a group while its runs are in memory."""
    key, seeds = runs.key, seeds_of(group)
    prints = frozenset(fingerprints(runs)) if int(runs.joint.sum()) else frozenset()
    return _Sample((key.technique, key.sampling, key.unit, key.fraction), prints, seeds, len(runs))


def _same(seen: Mapping[str, _Sample]) -> dict[frozenset[str], Same]:
    """The pairs of groups that share runs bit for bit, by their names."""
    pairs = combinations(seen.items(), 2)
    shared = [Same(a, b, len(one.prints & other.prints), other.runs) for (a, one), (b, other) in pairs]
    return {frozenset((same.first, same.second)): same for same in shared if same.runs}


def _dependent(seen: Mapping[str, _Sample]) -> Iterator[str]:
    """A sentence on every pair that is not independent."""
    same, alike = _same(seen), list[str]()
    yield from said_of(list(same.values()))
    for (a, one), (b, other) in combinations(seen.items(), 2):
        if one.what[0] != other.what[0] or not one.seeds & other.seeds or frozenset((a, b)) in same:
            continue
        if one.what == other.what:
            yield (
                f"{a} and {b}: trained with the same seeds, so the same documents were drawn. They are not "
                "independent: differences between them look smaller than between runs of other seeds."
            )
        else:
            alike.append(f"{a} and {b}")
    if alike:
        more = f" and {len(alike) - 3} more pairs" if len(alike) > 3 else ""
        yield (
            f"Groups whose runs began with the same training seeds: {'; '.join(alike[:3])}{more}. They are not "
            "quite independent: what they start from is alike."
        )
