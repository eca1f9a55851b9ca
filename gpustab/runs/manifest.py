"""The files of a folder of runs, and manifests: the small JSON files that say what lies there, written last.

Output vectors that a training kept lie in the folder ``output`` of a leaf: spaces of the same words with the run's
counts, each under its run's name, so that whatever takes runs takes them too, by that folder.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from gpustab.errors import InputError
from gpustab.formats.atomic import told, write_text
from gpustab.formats.parsed import read_json

OUTPUT = "output"
"""Folder within a leaf."""
PLAN = "plan.json"
"""Beside runs that were trained, and written before the first of them, see :mod:`gpustab.training.plan`."""


def run_file(leaf: Path, number: int) -> Path:
    """Return where a run lies.

    >>> run_file(Path("sgns/fixed"), 0).as_posix()
    'sgns/fixed/run-000.safetensors'
    """
    return leaf / f"run-{number:03d}.safetensors"


def run_files(leaf: Path) -> list[Path]:
    """Return the runs that are there, in order."""
    with told(leaf, "read"):
        there = list(leaf.iterdir()) if leaf.is_dir() else []  # glob passes over what may not be read
    return sorted(path for path in there if fnmatchcase(path.name, "run-*.safetensors"))


def output_file(run: Path) -> Path:
    """Return where the output vectors of a run lie, if they were kept.

    >>> output_file(Path("sgns/fixed/run-000.safetensors")).as_posix()
    'sgns/fixed/output/run-000.safetensors'
    """
    return run.parent / OUTPUT / run.name


_LOOKED = 2000
"""So many files are looked through."""
_TEXTS = frozenset({".txt", ".text", ".md", ".xml", ".tei", ".html", ".htm", ".docx", ".jsonl", ".csv", ".tsv", ""})
_ASKED = 3
"""So many files are opened to see whether they hold vectors."""
_SPACY = "a spaCy {} without vectors; where a program makes them: load_runs([nlp, ...]) in Python"
_OF_OTHERS = (
    ("saved_model.pb", (), "a TensorFlow SavedModel: save its embedding by numpy.save and its words one a line"),
    (
        "config.json",
        ("model_type", "architectures", "transformers_version", "hidden_size"),
        "a Hugging Face model: give its model.safetensors or pytorch_model.bin, and its words by --vocab",
    ),
    ("lexemes.bin", (), _SPACY.format("vocabulary")),
    ("meta.json", ("spacy_version", "pipeline", "spacy_git_version"), _SPACY.format("pipeline")),
)
"""Files by which folders of others are known, keys of which their JSON has one, and what it is."""


def way_on(folder: Path) -> str:
    """Return the end of a sentence that says what a folder holds and what to do with it."""
    if model := _model_in(folder):
        return f"it looks like {model}"
    if report := report_of(folder):
        return report
    if any(is_of_kind(path, "plan") for path in islice(folder.rglob(PLAN), _LOOKED)):
        said = "a training began here, and no run of it was finished"
        return f"{said}: make the same call of gpustab train (or encode) again"
    files = [path for path in islice(folder.rglob("*"), _LOOKED) if path.is_file() and path.name[0] != "."]
    if not files:
        return "it is empty"
    vectors = _vectors(files)
    if vectors:
        kind = vectors[0].suffix
        shown = folder / f"*{kind}"
        return f"it holds files of vectors ({vectors[0].name}, ...): give them as {shown}"
    texts = [path for path in files if _suffix(path) in _TEXTS]
    if holds_texts(folder):
        return f"it holds {len(texts):,} files of text, which become runs by: gpustab train {folder} -o RUNSET"
    kinds = ", ".join(sorted({_suffix(path) or "without a suffix" for path in files})[:5])
    return f"it holds {len(files):,} files ({kinds}) and none of the first is known as vectors; if some are, name them"


def holds_texts(folder: Path) -> bool:
    """Tell whether a folder that is no run set holds texts: no vectors, and mostly files of text."""
    if _model_in(folder) or report_of(folder):
        return False
    files = [path for path in islice(folder.rglob("*"), _LOOKED) if path.is_file() and path.name[0] != "."]
    texts = [path for path in files if _suffix(path) in _TEXTS]
    return bool(files) and not _vectors(files) and 2 * len(texts) >= len(files)


def _model_in(folder: Path) -> str:
    """Say what a folder looks like that another package wrote; empty for all others."""
    found = (what for name, keys, what in _OF_OTHERS if (folder / name).is_file() and _has_key(folder / name, keys))
    return next(found, "")


def _has_key(path: Path, keys: Sequence[str]) -> bool:
    try:
        return not keys or not {*read_json(path)}.isdisjoint(keys)
    except (ValueError, TypeError):
        return False


def report_of(folder: Path) -> str:
    """Say that a folder is a report of gpustab, and of which files, by its summary; empty for all others."""
    try:
        summary = read_json(folder / "summary.json")
        if not str(summary["schema"]).startswith("gpustab."):
            return ""
        paths = [str(found["path"]) for found in summary["environment"].get("inputs", [])]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    said = "it is a report of gpustab, not runs; open its report.html in a browser"
    if not paths:
        return said
    more = f" and {len(paths) - 1:,} more file{'s' * (len(paths) > 2)}" if len(paths) > 1 else ""
    return f"{said}. It was made of {paths[0]}{more}: give these"


def is_of_kind(path: Path, kind: str) -> bool:
    """Tell whether a file of JSON is one of ours: a ``plan``, or the manifest of a ``runset``."""
    try:
        return str(read_json(path)["schema"]).startswith(f"gpustab.{kind}/")
    except (ValueError, KeyError, TypeError):
        return False


def is_runset(folder: Path) -> bool:
    """Tell a run set by its manifest, which many have of their own: web pages, extensions of browsers, scans of books.

    One that is damaged may be ours: who reads it says so.
    """
    return _is_ours(folder / MANIFEST)


def _is_ours(path: Path) -> bool:
    try:
        return path.is_file() and str(read_json(path)["schema"]).startswith("gpustab.")
    except (KeyError, TypeError):
        return False
    except ValueError:
        return True


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() in (".gz", ".bz2") else path).suffix.lower()


def _vectors(files: Sequence[Path]) -> list[Path]:
    """Return those of the first files of each kind that look like vectors."""
    by_kind: dict[str, list[Path]] = {}
    for path in sorted(files):
        by_kind.setdefault(_suffix(path), []).append(path)
    return [path for kind in by_kind.values() for path in kind[:_ASKED] if _is_vectors(path)]


def _is_vectors(path: Path) -> bool:
    from gpustab.formats.registry import looks_like_vectors  # torch comes with it

    try:
        return looks_like_vectors(path)
    except InputError:
        return False


SCHEMA = "gpustab.runset/2"
FIRST_SCHEMA = "gpustab.runset/1"
"""Before groups had fields: it names each by its path alone."""
PACKED_SCHEMA = "gpustab.packed/2"
MANIFEST = "manifest.json"
PACKED = "packed.json"
UNFINISHED = "unfinished-pack"
"""What a pack needs on the way lies here, in the run set to be."""


_PACKED_FIELDS = {"dtype": str, "words": int, "joining": dict, "options": dict, "notes": list, "runs": list}
_RUN_FIELDS = {"name": str, "file": str, "bytes": int, "sha256": str, "rounding": float, "source": dict}
_JOINING_FIELDS = {
    "rule": str,
    "min_runs": int,
    "seen": int,
    "dropped": int,
    "dropped_sample": list,
    "undefined": int,
    "undefined_sample": list,
    "smallest": int,
}
_FOLDERS = 2000
"""So many folders are looked through for what might have been meant."""


def read_manifest(path: Path, *schemas: str, fields: Mapping[str, type] | None = None) -> dict[str, Any]:
    """Return the content of a manifest.

    Args:
        path: of the file.
        *schemas: those that will do.
        fields: what it must have, and of which kind.

    Raises:
        InputError: if it is missing (then what is there instead is said), damaged, or of another schema.
    """
    if not path.is_file():
        raise InputError(
            f"{path.parent}: neither run-NNN.safetensors nor a {path.name} in this folder, so it is no run set; "
            f"{_what_instead(path.parent)}"
        )
    manifest = read_json(path)
    if not isinstance(manifest, dict) or "schema" not in manifest:
        raise InputError(
            f"{path}: not a run-set manifest but one of something else, so it is no run set; "
            f"{_what_instead(path.parent)}"
        )
    found = manifest["schema"]
    if found not in schemas:
        raise InputError(f"{path}: schema {_short(found)}, wanted '{schemas[0]}'")
    return want_fields(path, manifest, fields or {}, "it")


def want_fields(path: Path, found: Any, fields: Mapping[str, type], what: str) -> dict[str, Any]:
    """Return a part of a manifest that is an object and has its fields.

    Args:
        path: of the manifest.
        found: the part.
        fields: their kinds by their names.
        what: the part, as the subject of a sentence.

    Raises:
        InputError: naming what is missing or of another kind.
    """
    if not isinstance(found, dict):
        raise InputError(f"{path}: damaged: {what} is {_short(found)}, no object")
    for name, kind in fields.items():
        if name not in found:
            raise InputError(f"{path}: damaged: {what} has no '{name}'")
        value = found[name]
        if not _is_of(value, kind):
            raise InputError(f"{path}: damaged: the '{name}' that {what} has is {_short(value)}, no {_KINDS[kind]}")
    return found


def _is_of(value: Any, kind: type) -> bool:
    """Tell whether a value is of a kind; numbers of ours are sizes, none of which is negative or not finite."""
    if kind in (int, float):
        number = (int, float) if kind is float else int
        return isinstance(value, number) and not isinstance(value, bool) and 0 <= value < math.inf
    return isinstance(value, kind)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < _SHOWN else f"{text[:_SHOWN]} ..."


_SHOWN = 80
_LONGEST = 4096
"""Signs of a path, as systems have it."""
_KINDS = {str: "text", int: "whole number", float: "number", dict: "object", list: "list"}


def read_packed(folder: Path) -> dict[str, Any]:
    """Return what the manifest of a packed leaf says.

    Raises:
        InputError: if it is missing or damaged.
    """
    path = folder / PACKED
    content = read_manifest(path, PACKED_SCHEMA, fields=_PACKED_FIELDS)
    # Packs of before the rule on small overlaps do not say how many words their smallest run had.
    content["joining"] = want_fields(path, {"smallest": 0} | content["joining"], _JOINING_FIELDS, "its 'joining'")
    for number, run in enumerate(content["runs"]):
        want_fields(path, run, _RUN_FIELDS, f"run {number}")
    if not content["runs"]:
        raise InputError(f"{path}: damaged: it has no runs")
    return content


def write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Write a manifest, whole or not at all."""
    # ASCII: names of files and words need not be UTF-8, and only as escapes do their surrogates come through.
    write_text(path, json.dumps(content, indent=2) + "\n")


def inside(folder: Path, path: str) -> Path:
    """Return a path that a manifest names, below the manifest's folder.

    Raises:
        InputError: if it leads out of the folder.
    """
    if len(path) > _LONGEST:
        raise InputError(f"{folder}: its manifest names a path of {len(path):,} signs: {_short(path)}")
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or {*path} & {"\\", ":", "\0"}:
        raise InputError(f"{folder}: its manifest names '{path}', which is not below the folder")
    found = folder / path
    if not found.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"{folder}: its manifest names '{path}', which a symbolic link leads out of the folder; "
            "name the leaf itself"
        )
    return found


def holds_runs(folder: Path) -> bool:
    """Tell what :func:`gpustab.runs.runset.open_runset` takes: a run set, a technique in one, a leaf, some run sets."""
    if not folder.is_dir():
        return False
    if is_runset(folder) or is_leaf(folder) or any(map(is_runset, folder.glob("*/"))):
        return True
    return is_runset(folder.parent) and any(map(is_leaf, folder.rglob("*/")))


def refuse_both(folder: Path) -> None:
    """Refuse a folder of texts in which run sets lie too: either could be meant.

    Raises:
        InputError: naming the first of both.
    """
    if is_runset(folder):
        return
    sets = sorted(filter(is_runset, folder.glob("*/")))
    text = next(_texts_beside(folder), None) if sets else None
    if text:
        raise InputError(
            f"{folder}: it holds texts ({text.relative_to(folder)}) and run sets ({sets[0].name}); to measure these, "
            f"give {' '.join(map(str, sets[:3]))}{' ...' * (len(sets) > 3)}; to train, move them to another folder"
        )


def _texts_beside(folder: Path) -> Iterator[Path]:
    """Yield the files of text in a folder that lie in no run set and no report."""
    for place, folders, files in islice(os.walk(folder), _FOLDERS):
        here = Path(place)
        if report_of(here) or is_runset(here):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        texts = (here / name for name in sorted(files) if not name.startswith("."))
        yield from (path for path in texts if _suffix(path) in _TEXTS)


def is_leaf(folder: Path) -> bool:
    """Return whether a folder holds run files, or a finished pack of them."""
    packed = folder / PACKED
    return _is_ours(packed) or (packed.is_file() and any(folder.glob("packed-*"))) or bool(run_files(folder))


def _what_instead(folder: Path) -> str:
    if (folder / UNFINISHED).is_dir():
        return "it is an unfinished pack: finish it by the same call of gpustab pack"
    folders = islice(folder.glob("**/"), _FOLDERS)
    below = sorted(str(leaf.relative_to(folder)) for leaf in folders if is_leaf(leaf))
    if below:
        groups = ", ".join(below[:6])
        return f"groups are below it: {groups}; give these folders, or finish a stopped training by the same call"
    return way_on(folder)
