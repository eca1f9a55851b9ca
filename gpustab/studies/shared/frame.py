"""What every study does besides its question: taking groups in, the clock, the environment, what is recorded.

And what a run set says of how its runs were made: for the report, and to read their corpus again in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import Any

from gpustab.corpus.options import SPELLING, CorpusOptions
from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress
from gpustab.options import record
from gpustab.report import Result
from gpustab.report.origin import technique
from gpustab.results.page import counted
from gpustab.runs.group import Group, Inputs, loaded
from gpustab.runs.joining import small_overlap
from gpustab.runs.key import ENCODER, noun_of
from gpustab.runs.manifest import FIRST_SCHEMA, MANIFEST, SCHEMA, read_manifest
from gpustab.runs.runs import Runs, want_runs
from gpustab.runs.runset import Entry, read_entries, runset_above
from gpustab.studies.shared.copies import find_copies, said_of_copies
from gpustab.studies.shared.signed import Work
from gpustab.studies.shared.spaces import equal_by_nature, is_fact, same_each_time
from gpustab.studies.shared.wording import groups_in_words, listed, some_groups

Groups = Runs | Group | Sequence[Runs | Group]
"""One group or several; a :class:`~gpustab.runs.group.Group` is read when it is measured, and then let go."""


def groups_of(groups: Groups) -> list[Runs | Group]:
    """Return the groups that were given.

    Raises:
        InputError: for none, or two of one name.
    """
    found = list(groups) if isinstance(groups, Iterable) and not isinstance(groups, Runs | Group | str) else [groups]
    if not found:
        raise InputError("no group of runs was given")
    for group in found:
        want_runs(group, Group)
    names = [group.name for group in found]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        if any(one is other or _reads_alike(one, other) for one, other in combinations(found, 2)):
            raise InputError(f"group '{again}' is given twice; give two groups, each of runs of its own")
        raise InputError(f"two groups are called '{again}'; name one otherwise: load_runs(..., name='other')")
    return found


def _reads_alike(one: Runs | Group, other: Runs | Group) -> bool:
    """Tell two groups of the same files."""
    files = [
        [source for source in group.sources if isinstance(source, str | Path)] if isinstance(group, Group) else []
        for group in (one, other)
    ]
    return bool(files[0]) and files[0] == files[1]


@dataclass
class Answer:
    """An answer that is being found.

    Attributes:
        result: filled by the study.
        compute: how to compute.
        report: told how far the work is.
        notes: sentences on each group; the same sentence about several is said once, before all other notes.
        copied: by group the sentence on its runs that are the same; likewise, before all other alarms.
        equal: by group the sentence on its runs that are equal by nature, after the notes on each group.
    """

    result: Result
    compute: Compute
    report: Progress
    notes: dict[str, list[str]] = field(default_factory=dict)
    copied: dict[str, list[str]] = field(default_factory=dict)
    equal: dict[str, list[str]] = field(default_factory=dict)

    def read(self, group: Runs | Group, part: float = 0.0) -> Runs:
        """Return the runs of a group."""
        if isinstance(group, Group):
            self.report(f"{group.name}: reading {len(group)} runs", part)
        return loaded(group)

    def take(self, group: Runs | Group, part: float = 0.0) -> Runs:
        """Return the runs of a group as :meth:`read` does, and set off an alarm if they share hardly any word."""
        runs = self.read(group, part)
        if found := small_overlap(runs.joining, runs.words):
            self.result.alarms.append(f"{groups_in_words([runs.name])}: {found}.")
        return runs

    def warn(self, name: str, found: Sequence[str], notes: Sequence[str] = ()) -> None:
        """Set off alarms about a group, of which what is no more than a fact becomes a note."""
        self.result.alarms += [f"{groups_in_words([name])}: {sentence}" for sentence in found if not is_fact(sentence)]
        self.notes[name] = [*filter(is_fact, found), *notes]


@contextmanager
def answering(
    name: str,
    options: Any = None,
    groups: Groups = (),
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> Iterator[Answer]:
    """Yield an answer to be filled; when that is done, it has its settings, notes, environment and time.

    Args:
        name: of the study.
        options: its options, a dataclass; they become the settings.
        groups: what is measured; how they are read becomes a part of the settings.
        compute: how to compute; default: where the runs lie.
        progress: told how far the work is.
    """
    work = Work(progress)
    given = [] if isinstance(groups, tuple) and not groups else groups_of(groups)
    first, trained = next(iter(given), None), how_made(given)
    compute = compute or (Compute(first.device) if isinstance(first, Runs) else Compute())
    answer = Answer(Result(name), compute, work.report)
    yield answer
    result = answer.result
    chosen = record(options) if options is not None else {}
    result.settings = chosen | _reading(first) | result.settings
    if first is not None:
        result.settings |= {"precision": compute.precision, "backend": compute.backend}
    equal = [f"{some_groups(names)}: {sentence}" for sentence, names in by_sentence(answer.equal).items()]
    result.notes[:0] = [*merged(answer.notes), *equal]
    copied = by_sentence(answer.copied).items()
    result.alarms[:0] = [f"{groups_in_words(names)}: {sentence}" for sentence, names in copied]
    result.alarms[:0] = two_texts(given)
    work.sign(result, environment(compute.device), trained)
    result.environment["inputs"] = Inputs(given)
    result.environment["trained"] = trained


def without_copies(runs: Runs, answer: Answer, what: str) -> Runs:
    """Return the runs without copies of an earlier one, and set off an alarm for each.

    Counted twice, they make every answer look surer than it is.
    """
    if len(runs) < 2:
        return runs
    found = find_copies(runs, answer.compute)
    first_of_each = found.kept()
    if len(first_of_each) == len(runs):
        return runs
    kept = runs.take(first_of_each)
    if equal_by_nature(runs, found.same):
        answer.equal[runs.name] = [same_each_time(len(runs))]
        return kept
    answer.copied[runs.name] = [
        f"{said_of_copies(runs.names, found, several)}. Only {runs.names[several[0]]} "
        f"is counted: copies would make {what} look more stable than they are."
        for several in found.classes()
    ]
    return kept


def _reading(group: Runs | Group | None) -> dict[str, Any]:
    if isinstance(group, Group):
        return {"loading": record(group.loading)}
    if isinstance(group, Runs):
        joining = group.joining
        loading = {"vocabulary": joining.rule, "min_runs": joining.min_runs, "centre": group.centre, "unit": group.unit}
        return {"loading": loading}
    return {}


def merged(notes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the notes of all groups with the groups before them; a sentence about several is said once.

    >>> merged({"a": ["Few runs."], "b": ["Few runs.", "Collapsed."]})
    ['All groups: Few runs.', 'b: Collapsed.']
    """
    everyone = len(notes) if len(notes) > 1 else 0
    about = by_sentence(notes).items()
    return [f"{'All groups' if len(g) == everyone else groups_in_words(g)}: {sentence}" for sentence, g in about]


def by_sentence(notes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return of which groups every sentence is said."""
    about: dict[str, list[str]] = {}
    for group, sentences in notes.items():
        for sentence in sentences:
            about.setdefault(sentence, []).append(group)
    return about


def made_of(group: Group) -> dict[str, Any]:
    """Return what the manifest above a group's leaf says of how it was made; nothing where it names no corpus."""
    folder = _runset(group)
    made = _recorded(group, folder, read_entries(folder)) if folder else {}
    corpus, options = made.get("corpus"), made.get("options")
    return made if isinstance(corpus, dict) and "name" in corpus and isinstance(options, dict) else {}


def reading_of(made: dict[str, Any]) -> CorpusOptions:
    """Return how the whole corpus behind a group is read: as for the training, in documents and all of it.

    A training that asked nothing of dates, as none did once, had documents without one.
    """
    known = [field.name for field in fields(CorpusOptions)]
    chosen = {key: value for key, value in made["options"].items() if key in known}
    whole = {"unit": "document", "fraction": 1.0, "as_is": True}
    return CorpusOptions(**SPELLING | {"unclear_dates": "undated"} | chosen | whole)


def how_made(groups: Iterable[Runs | Group]) -> list[dict[str, Any]]:
    """Return how groups were made, those that were made alike together; of plain files nothing is known.

    Returns:
        Dictionaries of ``groups`` (name and number of runs), ``techniques``, ``made`` (what the manifest says, empty
        where nothing is known) and ``versions`` (of the programs that wrote it).

    Raises:
        InputError: if a manifest is damaged.
    """
    entries: dict[Path, list[Entry]] = {}
    versions: dict[Path, dict[str, str]] = {}
    found: list[dict[str, Any]] = []
    for group in groups:
        folder = _runset(group)
        if folder and folder not in entries:
            entries[folder] = read_entries(folder)
            versions[folder] = read_manifest(folder / MANIFEST, SCHEMA, FIRST_SCHEMA).get("versions", {})
        made = _recorded(group, folder, entries[folder]) if folder else {}
        way = {"made": made, "versions": versions[folder] if folder and made else {}}
        if isinstance(group, Runs):
            way |= group.trained
        runs = {"name": group.name, "runs": len(group)}
        join_ways(found, {"groups": [runs], "techniques": [group.key.technique], **way})
    return found


def join_ways(known: list[dict[str, Any]], way: dict[str, Any]) -> None:
    """Add how some runs were made, see :func:`how_made`, to what is known: runs that were made alike stand together."""
    of_runs = ("groups", "techniques")
    alike = next((one for one in known if all(one[key] == way[key] for key in way if key not in of_runs)), None)
    if alike is None:
        known.append(way)
        return
    alike["groups"] += way["groups"]
    alike["techniques"] += [name for name in way["techniques"] if name not in alike["techniques"]]


def two_texts(groups: Iterable[Runs | Group]) -> list[str]:
    """Return an alarm for each run set whose groups are of several texts, by the fingerprints in its manifest.

    Halves, periods and sentences of one text have fingerprints of their own: only like parts are compared.
    """
    sets: dict[Path, dict[tuple[Any, ...], dict[str, tuple[str, list[str]]]]] = {}
    for group in groups:
        folder = _runset(group)
        text = _recorded(group, folder, read_entries(folder)).get("corpus") if folder else None
        if folder and isinstance(text, dict) and "hash" in text and group.key.technique != ENCODER:
            own = sets.setdefault(folder, {}).setdefault((group.key.unit, group.key.fraction, group.key.part), {})
            own.setdefault(text["hash"], (_text(text, group.key.unit), []))[1].append(group.name)
    return [
        f"{folder.name} holds runs of several texts: {listed(_of_each(texts))}. What sets these groups apart may be "
        "the text alone: compare nothing between them. A run set holds one text; train each into a folder of its own."
        for folder, kinds in sets.items()
        if (texts := next((one for one in kinds.values() if len(one) > 1), None))
    ]


def _text(text: Mapping[str, Any], unit: str) -> str:
    size = text.get("units")
    return f"{text.get('name', 'a text')}{f' ({counted(size, noun_of(unit))})' if isinstance(size, int) else ''}"


def _of_each(texts: Mapping[str, tuple[str, list[str]]]) -> list[str]:
    """Each text and the techniques of its groups; one that has them all alike is still another text."""
    return [f"{text} for {listed(list(dict.fromkeys(map(_technique, names))))}" for text, names in texts.values()]


def _technique(group: str) -> str:
    return technique(group.partition("/")[0])


def _runset(group: Runs | Group) -> Path | None:
    """The run set that a group's leaf lies in."""
    if not isinstance(group, Group) or group.folder is None:
        return None
    return runset_above(group.folder)


def _recorded(group: Runs | Group, folder: Path, entries: list[Entry]) -> dict[str, Any]:
    """By the leaf, not the key: of several run sets, or with a name of its own, a group has another key than there."""
    leaf = group.folder.resolve() if isinstance(group, Group) and group.folder else None
    return next((entry.made for entry in entries if folder / entry.path == leaf), {})
