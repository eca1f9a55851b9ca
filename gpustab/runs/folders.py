"""What lies in a folder that is no run set, and the way on from there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from gpustab.errors import InputError
from gpustab.formats.registry import looks_like_vectors

_LOOKED = 2000
"""So many files are looked through."""
_TEXTS = frozenset({".txt", ".text", ".md", ".xml", ".tei", ".html", ".htm", ".docx", ".jsonl", ".csv", ".tsv", ""})
_ASKED = 3
"""So many files are opened to see whether they hold vectors."""
_KNOWN = (
    ("saved_model.pb", "a TensorFlow SavedModel: save its embedding by numpy.save and its words one a line"),
    ("config.json", "a Hugging Face model: give its model.safetensors or pytorch_model.bin, and its words by --vocab"),
    ("lexemes.bin", "a spaCy vocabulary: give its vectors as (list of words, nlp.vocab.vectors.data) in Python"),
    ("meta.json", "a spaCy pipeline: give its vectors as (list of words, nlp.vocab.vectors.data) in Python"),
)


def way_on(folder: Path) -> str:
    """Return the end of a sentence that says what a folder holds and what to do with it."""
    for name, what in _KNOWN:
        if (folder / name).is_file():
            return f"it looks like {what}"
    if report := _report(folder):
        return report
    files = [path for path in islice(folder.rglob("*"), _LOOKED) if path.is_file() and path.name[0] != "."]
    if not files:
        return "it is empty"
    vectors = _vectors(files)
    if vectors:
        kind = vectors[0].suffix
        shown = folder / f"*{kind}"
        return f"it holds files of vectors ({vectors[0].name}, ...): give them as {shown}"
    texts = [path for path in files if _suffix(path) in _TEXTS]
    if 2 * len(texts) >= len(files):
        return f"it holds {len(texts):,} files of text, which become runs by: gpustab train {folder} -o RUNSET"
    kinds = ", ".join(sorted({_suffix(path) or "without a suffix" for path in files})[:5])
    return f"it holds {len(files):,} files ({kinds}) and none of the first is known as vectors; if some are, name them"


def _report(folder: Path) -> str:
    """Say that a folder is a report of gpustab, and of which files, by its summary; empty for all others."""
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        if not str(summary["schema"]).startswith("gpustab."):
            return ""
        paths = [str(found["path"]) for found in summary["environment"].get("inputs", [])]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    said = "it is a report of gpustab, not runs; open its report.html in a browser"
    if not paths:
        return said
    more = f" and {len(paths) - 1:,} more file{'s' * (len(paths) > 2)}" if len(paths) > 1 else ""
    return f"{said}. It was made of {paths[0]}{more}: give these"


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() in (".gz", ".bz2") else path).suffix.lower()


def _vectors(files: Sequence[Path]) -> list[Path]:
    """Return those of the first files of each kind that look like vectors."""
    by_kind: dict[str, list[Path]] = {}
    for path in sorted(files):
        by_kind.setdefault(_suffix(path), []).append(path)
    return [path for kind in by_kind.values() for path in kind[:_ASKED] if _is_vectors(path)]


def _is_vectors(path: Path) -> bool:
    try:
        return looks_like_vectors(path)
    except InputError:
        return False
