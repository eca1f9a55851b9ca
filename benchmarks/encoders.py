"""Peak memory of `encode` and of studies over the size of a text, and processor time for sentences by a real model.

    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=PASSIVE python -m benchmarks.encoders --encoder FOLDER

Every call is a process of its own. Texts are paragraphs of the State of the Union addresses, one a line, in an order
that is drawn. Larger ones have more words; so there are texts of one vocabulary too, the sentences of the smallest
dealt anew into lines. Memory is measured by the real model and by a tiny one, which is fast. Of a time the calls of few
and of many sentences stand in turn, so that the start of the program can be taken off. What the file of results has is
not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.calls import launch
from benchmarks.placebos.layers import add_noise
from benchmarks.setting import ROOT, environment, keep
from gpustab.corpus.documents import open_documents
from tests.encoders.tiny import save

OF_STUDIES = (1.0, 4.0, 16.0)
OF_REAL = (1.0, 4.0)
OF_MORE = (0.4, 4.0)
OF_TINY = (1.0, 4.0, 16.0, 64.0)
FEW, MANY = 50, 300
OF_TIMES = (200, 1000)
"""Sentences that a study reads."""
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


def noisy(model: Path, folder: Path) -> Path:
    """Write a model with noise in all layers above the embedding: another fine-tuning."""
    from transformers import AutoModel

    shutil.copytree(model, folder)
    made = AutoModel.from_pretrained(folder)
    add_noise(made, 0.1, seed=0, above=1)
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


TREE = """1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_
3\t{count}\t{count}\tNUM\tCD\t_\t4\tnummod\t_\t_
4\t{noun}\t{noun}\tNOUN\tNNS\t_\t2\tobj\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
"""A sentence with tags, of which a number can be changed."""


def frequent(lines: Sequence[str]) -> list[str]:
    """Return the words of letters, most frequent first; equally frequent ones in the order of the text."""
    counts = Counter(word for line in lines for word in line.lower().split() if word.isalpha())
    return [word for word, _ in counts.most_common()]


def made_of(lines: Sequence[str], folder: Path) -> dict[str, Path]:
    """Write what studies read: a text, the same by years, scored pairs, sentences with tags, a background and terms."""
    names = ("text.txt", "dated.tsv", "pairs.tsv", "trees.conllu", "space.txt", "terms.txt", "word.txt")
    folder.mkdir()
    files = {name.partition(".")[0]: folder / name for name in names}
    words, draw = frequent(lines), random.Random(2)
    terms = [word for word in words if len(word) > 6]
    rows = [f"{word} {draw.random():.4f} {draw.random():.4f} {draw.random():.4f}" for word in words]
    for name, own in {
        "text": lines,
        "dated": ["year\ttext", *(f"{1900 + k % 40}\t{line}" for k, line in enumerate(lines))],
        "pairs": [f"{k % 6}\t{lines[k][:80]}\t{lines[k - 1][:80]}" for k in range(0, len(lines), 2)],
        "space": [f"{len(rows)} 3", *rows],
        "terms": terms[:20],
        "word": ["the"],
    }.items():
        write(own, files[name])
    trees = (TREE.format(count=k % 97 + 2, noun=f"{words[k % len(words)]}s") for k in range(len(lines)))
    files["trees"].write_text("".join(trees), encoding="utf-8")
    return files


def studies(model: Path, sizes: Sequence[float], folder: Path, kept: Kept) -> None:
    """Measure the studies at every size of what they read: texts of one vocabulary, pairs, sentences with tags.

    How much each keeps is the same: usages of a word, sentences that are drawn, samples of a term. Of sentences with
    tags there is one for each line of the text, and one pair for two.
    """
    other, lines = save(folder / "other", seed=1), cut(paragraphs(), min(sizes))
    for size in sizes:
        own = cut(dealt(lines), size)
        files = made_of(own, folder / f"studies-{size}")
        for name, line in {
            "usage": "{dated} -m {model} --epochs-by year:1900-1939:20 --deals 99 --as-is --targets 20 --most 20",
            "layers": "{text} -m {model} -m {other} --sentences 100 --as-is --layout lines",
            "calibration": "-m {model} --scores {pairs}",
            "consistency": "{space} --text {text} --layout lines --terms {terms} --encoder {model} --keep-short",
            "localization --edits": "{text} -m {model} --edits --sentences 300 --layout lines",
            "localization --edits, with tags": "{trees} -m {model} --edits --language en --sentences 300",
        }.items():
            what = {"what": "memory of a study", "study": name, "text_megabytes": size, "lines": len(own)}
            output = folder / f"{name.replace(' ', '-')}-of-{size}"
            asked = line.format(model=model, other=other, **files)
            kept.measure(what, f"study {name.split()[0]} {asked} -q -o {output}")


def study_times(model: Path, folder: Path, kept: Kept) -> None:
    """Measure studies that read few and many sentences in turn by a real model; the rest of their work is equal."""
    other = noisy(model, folder / "other")
    lines = cut(paragraphs(), 1.0)
    sentences = [part.strip() for line in lines for part in line.split(". ") if 8 <= len(part.split()) <= 40]
    with_the = [f"{one}." for one in sentences if " the " in one]
    text = made_of(lines, folder / "of-all")
    for repeat in range(REPEATS):
        for count in OF_TIMES:
            files = made_of(with_the[:count], folder / f"of-{count}-{repeat}")
            terms, pairs = folder / f"terms-{count}.txt", folder / f"pairs-{count}.tsv"
            write(text["terms"].read_text().split()[: count // 50], terms)
            write([f"{k % 6}\t{with_the[k]}\t{with_the[k + 1]}" for k in range(0, count, 2)], pairs)
            for name, line in {
                "usage": f"{files['dated']} -m {model} --epochs-by year:1900-1939:20 --deals 99 --as-is "
                f"--words {files['word']} --most 10000",
                "layers": f"{text['text']} -m {model} -m {other} --sentences {count} --as-is --layout lines",
                "calibration": f"-m {model} --scores {pairs}",
                "consistency": f"{text['space']} --text {text['text']} --layout lines --terms {terms} "
                f"--encoder {model} --samples 5 --sentences 5",
                "localization --edits": f"{text['text']} -m {model} --edits --sentences {count} --layout lines",
            }.items():
                what = {"what": "time of a study", "study": name, "sentences": count, "repeat": repeat}
                output = folder / f"{name.replace(' ', '-')}-{count}-{repeat}"
                kept.measure(what, f"study {name.split()[0]} {line} -q -o {output}")


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
        memory(real, OF_REAL, "real", "same", folder, kept)
        memory(real, OF_MORE, "real", "more", folder, kept)
        studies(tiny, OF_STUDIES, folder, kept)
        study_times(real, folder, kept)


if __name__ == "__main__":
    main()
