"""Where the languages of SemEval-2020 task 1 and their texts lie."""

from __future__ import annotations

from pathlib import Path

from gpustab.errors import InputError

PERIODS = ("corpus1", "corpus2")


def languages_in(folder: Path) -> list[Path]:
    """Return the folders of languages at or below a folder, in the layout of the data or of the evaluation package.

    Raises:
        InputError: if there is none, two have one name, or one lacks a period.
    """
    found = [folder] if (folder / "targets.txt").is_file() else []
    found += sorted(path.parent for form in ("*/targets.txt", "*/*/targets.txt") for path in folder.glob(form))
    if not found:
        raise InputError(f"{folder}: no folder here has a targets.txt; give that of SemEval-2020 task 1")
    names = [place.resolve().name for place in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{folder}: there are two folders of {twice}: {', '.join(map(str, found))}")
    for place in found:
        for period in PERIODS:
            text_of(place, period)
    return found


def text_of(place: Path, period: str) -> Path:
    """Return the text of one period of a language: its one file, or the folder of several.

    Raises:
        InputError: if there is none.
    """
    folder = place / period / "lemma"
    files = [path for path in folder.glob("*") if path.is_file() and not path.name.startswith(".")]
    if not files:
        raise InputError(f"{folder}: holds no file; the lemma version of each period is read")
    return files[0] if len(files) == 1 else folder
