"""Where a command may write: into a new or an empty folder, or one of ours, and never among the texts of a corpus."""

from __future__ import annotations

import logging
import os
from itertools import count, islice
from pathlib import Path

from gpustab.errors import InputError
from gpustab.formats.atomic import told
from gpustab.runs.manifest import MANIFEST, PLAN, UNFINISHED, is_leaf, is_of_kind, is_runset, report_of

log = logging.getLogger("gpustab")

_DROPPED = frozenset({"Thumbs.db", "desktop.ini"})
"""What systems leave in a folder that somebody looked into; elsewhere they hide it."""
_UNFINISHED = "unfinished-"
"""So begin folders of what a stopped call goes on with."""
_KINDS = {MANIFEST: "runset", PLAN: "plan"}
_LOOKED = 2000
_TOLD = 3
"""Of what is in the way, so many are named."""


def check_place(folder: Path, corpus: str | Path | None = None) -> None:
    """See that runs can be written to a folder; nothing is made yet.

    Args:
        folder: of the run set, or of several.
        corpus: what is read meanwhile, if it lies on the disk.

    Raises:
        InputError: if it is a file, holds things of others, or is a part of a folder of texts.
    """
    check_file(folder)
    refuse_within(folder, corpus)
    refuse_others(folder, foreign(folder))


def check_file(folder: Path) -> None:
    """Refuse a file where a folder of runs shall be."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; a run set is a folder")


def refuse_others(folder: Path, names: list[str], ways: str = "") -> None:
    """Refuse a folder that holds things of others.

    Args:
        folder: where something is to be written.
        names: of these things.
        ways: what else than another folder is possible.

    Raises:
        InputError: naming the first three.
    """
    if names:
        more = " ..." * (len(names) > _TOLD)
        raise InputError(
            f"{folder}: holds other things ({', '.join(names[:_TOLD])}{more}); give a new or an empty folder{ways}"
        )


def refuse_within(folder: Path, source: str | Path | None, read: str = "whose files are read") -> None:
    """Refuse a folder that is, or lies in, one that is read: what is written there would be read as a part of it.

    What hides is not read.

    Raises:
        InputError: if so.
    """
    if source is None or not Path(source).is_dir():
        return
    own, place = Path(os.path.realpath(source)), Path(os.path.realpath(folder))
    if place.is_relative_to(own) and not any(part.startswith(".") for part in place.relative_to(own).parts):
        raise InputError(f"{folder}: lies within {source}, {read}; give a folder of its own")


def keep_aside(path: Path) -> Path:
    """Give a file that gpustab did not write another name, so that one of ours can have its name; nothing is lost.

    Returns:
        Where it is now: ``words.kept.csv`` of ``words.csv``, or ``words.kept2.csv`` where that is taken.
    """
    names = (path.with_name(f"{path.stem}.kept{n if n > 1 else ''}{path.suffix}") for n in count(1))
    kept = next(name for name in names if not os.path.lexists(name))
    with told(path, "renamed"):
        path.replace(kept)
    log.warning("%s was not written by gpustab, and a result has a file of its name: it is kept as %s", path, kept.name)
    return kept


def occupants(folder: Path) -> list[str]:
    """Return the names of what lies in a folder, but hidden files and what systems leave there, sorted."""
    if not folder.is_dir():
        return []
    with told(folder, "read"):
        return sorted(path.name for path in folder.iterdir() if not _is_nothing(path))


def foreign(folder: Path) -> list[str]:
    """Return names of what lies in a folder and was not made by a command of ours, a few; of a run set none.

    Nor of one that is being packed: a stopped call may have left a part of a file there, which the next one clears.
    """
    if is_runset(folder) or (folder / UNFINISHED).is_dir():
        return []
    return list(islice((name for name in occupants(folder) if not _is_ours(folder / name)), _TOLD + 1))


def _is_nothing(path: Path) -> bool:
    return path.name.startswith(".") or path.name in _DROPPED


def _is_ours(path: Path) -> bool:
    """Tell whether a folder is a run set or a part of one, also of a training that began just now, or a report."""
    if not path.is_dir() or path.name.startswith("."):
        return False
    if path.name.startswith(_UNFINISHED) or report_of(path):
        return True
    below = list(islice(path.rglob("*"), _LOOKED))
    return any(map(_marks, (path, *below))) or not any(one.is_file() and not _is_nothing(one) for one in below)


def _marks(path: Path) -> bool:
    kind = _KINDS.get(path.name)
    return is_of_kind(path, kind) if kind else path.is_dir() and is_leaf(path)
