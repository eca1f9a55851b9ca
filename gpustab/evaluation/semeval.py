"""SemEval-2020 task 1: the folder of one language, in the layout of the data or in that of the evaluation package.

Data: ``corpus1/lemma``, ``corpus2/lemma``, ``targets.txt``, ``truth/binary.txt`` and ``truth/graded.txt``. Evaluation
package: the same corpora and targets below ``.../<language>/``, the truth below ``test_data_truth/``, one file
``task1/<language>.txt`` (binary) and one ``task2/<language>.txt`` (graded).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from gpustab.errors import InputError
from gpustab.evaluation.columns import number as number_of
from gpustab.formats.plain_text import read_utf8

_TRUTH = "test_data_truth"


@dataclass(frozen=True)
class ChangeTask:
    """Target words of one language and what people said of them.

    Attributes:
        name: of the folder.
        targets: the words, as the lemma corpora have them (English with a part of speech: ``attack_nn``).
        binary: by word whether it lost or gained a sense; empty where no truth was given.
        graded: by word how much it changed; empty where no truth was given.
    """

    name: str
    targets: tuple[str, ...]
    binary: dict[str, int]
    graded: dict[str, float]

    @property
    def majority(self) -> float:
        """Accuracy of calling all targets what most of them are; NaN without truth."""
        ones = sum(self.binary.values())
        return max(ones, len(self.binary) - ones) / len(self.binary) if self.binary else math.nan


def read_semeval(folder: str | Path) -> ChangeTask:
    """Read the targets and the truth of one language.

    Raises:
        InputError: if there are no targets, or a line of the truth is none, or of no target.
    """
    place = Path(folder)
    path = place / "targets.txt"
    if not path.is_file():
        raise InputError(f"{place}: there is no targets.txt; give the folder of one language of SemEval-2020 task 1")
    cells = [line.split("\t") for line in _lines(path) if line.strip()]
    if ids := [own for own in cells if len(own) > 1 and number_of(own[0].encode()) is not None]:
        raise InputError(f"{path}: '{ids[0][0]}' is a number, not a word; wanted a word at the beginning of every line")
    targets = tuple(own[0].strip() for own in cells)
    if not targets:
        raise InputError(f"{path}: holds no word")
    binary = _truth(place, "binary", "task1", targets)
    if wrong := next((word for word, value in binary.items() if value not in (0, 1)), None):
        raise InputError(f"{place}: the binary truth of '{wrong}' is {binary[wrong]:g}, wanted 0 or 1")
    graded = _truth(place, "graded", "task2", targets)
    return ChangeTask(place.resolve().name, targets, {word: int(value) for word, value in binary.items()}, graded)


def _truth(place: Path, name: str, task: str, targets: tuple[str, ...]) -> dict[str, float]:
    """Values by word, joined by name; empty where there is no file."""
    candidates = [place / "truth" / f"{name}.txt"]
    for above in place.resolve().parents[:2]:
        candidates += sorted(above.glob(f"{_TRUTH}/**/{task}/{place.resolve().name}.txt"))
    path = next((own for own in candidates if own.is_file()), None)
    found: dict[str, float] = {}
    for number, line in enumerate(_lines(path) if path else [], 1):
        if not line.strip():
            continue
        word, _, value = line.strip().partition("\t")
        try:
            found[word.strip()] = float(value)
        except ValueError:
            raise InputError(f"{path}: line {number}: '{line}', wanted WORD, a tab, and a number") from None
        if word.strip() not in targets:
            raise InputError(f"{path}: line {number}: '{word}' is not a word of targets.txt")
    return found


def _lines(path: Path) -> list[str]:
    """Lines without their ends, those of Windows included."""
    return [line.removesuffix("\r") for line in read_utf8(path).split("\n")]  # U+2028 and the like end no line
