"""What a run set says of how its runs were made, by which its corpus is read again in the same way."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from gpustab.corpus.options import CorpusOptions
from gpustab.runs.group import Group
from gpustab.runs.manifest import MANIFEST
from gpustab.runs.runset import read_entries


def made_of(group: Group) -> dict[str, Any]:
    """Return what the manifest above a group's leaf says of how it was made; nothing where it does not."""
    if group.folder is None:
        return {}
    for folder in list(group.folder.resolve().parents)[:6]:
        if (folder / MANIFEST).is_file():
            made = next((entry.made for entry in read_entries(folder) if entry.key == group.key), {})
            return made if {"corpus", "options"} <= set(made) and "name" in made["corpus"] else {}
    return {}


def reading_of(made: dict[str, Any]) -> CorpusOptions:
    """Return how the whole corpus behind a group is read: as for the training, in documents and all of it."""
    known = [field.name for field in fields(CorpusOptions)]
    chosen = {key: value for key, value in made["options"].items() if key in known}
    return CorpusOptions(**chosen | {"unit": "document", "fraction": 1.0})
