"""What a run set says of how its runs were made: for the report, and to read their corpus again in the same way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from gpustab.corpus.options import CorpusOptions
from gpustab.runs.group import Group
from gpustab.runs.manifest import FIRST_SCHEMA, MANIFEST, SCHEMA, read_manifest
from gpustab.runs.runs import Runs
from gpustab.runs.runset import Entry, read_entries, runset_above


def made_of(group: Group) -> dict[str, Any]:
    """Return what the manifest above a group's leaf says of how it was made; nothing where it names no corpus."""
    folder = _runset(group)
    made = _recorded(group, read_entries(folder)) if folder else {}
    corpus, options = made.get("corpus"), made.get("options")
    return made if isinstance(corpus, dict) and "name" in corpus and isinstance(options, dict) else {}


def reading_of(made: dict[str, Any]) -> CorpusOptions:
    """Return how the whole corpus behind a group is read: as for the training, in documents and all of it."""
    known = [field.name for field in fields(CorpusOptions)]
    chosen = {key: value for key, value in made["options"].items() if key in known}
    return CorpusOptions(**chosen | {"unit": "document", "fraction": 1.0})


def how_made(groups: Iterable[Runs | Group]) -> list[dict[str, Any]]:
    """Return how groups were made, those that were made alike together.

    Args:
        groups: of any kind; of plain files nothing is known, of runs in memory what they tell themselves.

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
        made = _recorded(group, entries[folder]) if folder else {}
        way = {"made": made, "versions": versions[folder] if folder and made else {}}
        if isinstance(group, Runs):
            way |= group.trained
        alike = next((one for one in found if all(one[key] == value for key, value in way.items())), None)
        if alike is None:
            found.append(alike := {"groups": [], "techniques": [], **way})
        alike["groups"].append({"name": group.name, "runs": len(group)})
        if group.key.technique not in alike["techniques"]:
            alike["techniques"].append(group.key.technique)
    return found


def _runset(group: Runs | Group) -> Path | None:
    """The run set that a group's leaf lies in."""
    if not isinstance(group, Group) or group.folder is None:
        return None
    return runset_above(group.folder)


def _recorded(group: Runs | Group, entries: list[Entry]) -> dict[str, Any]:
    return next((entry.made for entry in entries if entry.key == group.key), {})
