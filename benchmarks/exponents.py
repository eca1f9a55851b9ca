"""How time, memory and page size grow: with runs, words, dimensions and documents; with text, see `limits`.

    python -m benchmarks.exponents [--only runs|words|dimensions|documents]

Every call is a process of its own, as in :mod:`benchmarks.limits`: ``stability`` on made runs (noisy copies of drawn
vectors), and the training of one run of LSA on made lines. Of its seconds and of its peak go those of the smallest call
of all, which are libraries. An exponent is the slope of the logarithms, and its error that of the straight line.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.harness import fit_growth
from benchmarks.limits import MB, called
from benchmarks.setting import ROOT, environment, keep
from gpustab import Space, Vocabulary
from gpustab.formats.binary.safetensors import write_safetensors

LEAST = {"runs": 2, "words": 200, "dimensions": 4}
"""The smallest measured call."""
SIZES: dict[str, list[dict[str, int]]] = {
    "runs": [{"runs": r, "words": 50, "dimensions": 4} for r in (32, 128, 512, 1000)],
    "words": [{"runs": 3, "words": v, "dimensions": 50} for v in (2_000, 6_000, 20_000, 60_000, 200_000)],
    "dimensions": [{"runs": 4, "words": 4_000, "dimensions": d} for d in (25, 50, 100, 200, 400)],
    "documents": [{"text_mb": 5, "line": n} for n in (10_000, 1_000, 100, 30)],
}
"""Sizes by what grows. The line is how many words a document has, so that documents grow as it shrinks."""
_TOLD = 0.2
"""What takes less more than the smallest call, as a part of it, tells nothing of growth."""


def runs(place: Path, size: dict[str, int]) -> list[str | Path]:
    """Make runs and return the call that measures their stability."""
    draw = torch.Generator().manual_seed(0)
    vocabulary = Vocabulary([f"w{k}" for k in range(size["words"])])
    base = torch.randn(size["words"], size["dimensions"], generator=draw)
    folder = place / "-".join(map(str, size.values()))
    folder.mkdir()
    for run in range(size["runs"]):
        vectors = base + 0.3 * torch.randn(base.shape, generator=draw)
        write_safetensors(Space(vocabulary, vectors), folder / f"run-{run:03d}.safetensors")
    return ["stability", *sorted(folder.iterdir()), "--out", place / f"page-{folder.name}", "-q"]


def text(place: Path, size: dict[str, int]) -> tuple[list[str | Path], int]:
    """Write lines with words by Zipf's law; return the call that trains one run on them, and how many they are."""
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), n)) for n in random.integers(2, 10, 30_000)]
    path, written, lines = place / f"text-{size['text_mb']}-{size['line']}.txt", 0, 0
    with path.open("w") as file:
        while written < max(size["text_mb"] * MB, 20_000):
            drawn = (np.minimum(random.zipf(1.3, 10 * size["line"]), 30_000) - 1).tolist()
            for start in range(0, len(drawn), size["line"]):
                written += file.write(" ".join(words[k] for k in drawn[start : start + size["line"]]) + ".\n")
                lines += 1
    technique = ("--technique", "lsa", "--dim", "2", "--runs", "1", "--sampling", "fixed", "--min-count", "5")
    return ["train", path, "-o", place / f"set-{path.stem}", *technique, "--layout", "lines", "--as-is", "-q"], lines


def measured(place: Path, size: dict[str, int]) -> dict[str, Any]:
    """Return a row: sizes, seconds, peak, and the bytes of the page."""
    more = {}
    if "runs" in size:
        call = runs(place, size)
    else:
        call, more["documents"] = text(place, size)
    found = called(ROOT, *call)
    if found["code"]:
        raise RuntimeError(found["said"])
    page = place / f"page-{'-'.join(map(str, size.values()))}" / "report.html"
    page_mb = round(page.stat().st_size / MB, 3) if page.exists() else None
    return size | more | {"seconds": found["seconds"], "peak_mb": found["peak_mb"], "page_mb": page_mb}


def exponents(rows: list[dict[str, Any]], axis: str, least: dict[str, Any]) -> dict[str, Any]:
    """Return the exponents of what grows beyond what the smallest call takes: of all sizes, and of the two largest."""
    found: dict[str, Any] = {}
    for name in ("seconds", "peak_mb", "page_mb"):
        grown = [(row[axis], row[name] - least[name]) for row in rows if row[name]]
        told = [(size, more) for size, more in grown if more > least[name] * _TOLD]
        found[name] = {"all": fit_growth(*zip(*told, strict=True)) if len(told) > 2 else None}
        if len(told) > 1:
            found[name]["largest"] = round(fit_growth(*zip(*told[-2:], strict=True))[0], 2)
    return found


def main() -> None:
    """Measure, print, and write ``exponents-cpu.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SIZES, action="append", help="what grows")
    parser.add_argument(
        "--longest", type=float, default=60.0, help="processor seconds after which no larger size is tried"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/exponents-cpu.json")
    chosen = parser.parse_args()
    content = json.loads(chosen.out.read_text("utf-8")) if chosen.out.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        least: dict[str, dict[str, Any]] = {}
        for axis in chosen.only or SIZES:
            rows = []
            kind, smallest = ("runs", LEAST) if "runs" in SIZES[axis][0] else ("text", {"text_mb": 0, "line": 80})
            start = least[kind] = least.get(kind) or measured(Path(folder), smallest)
            for size in SIZES[axis]:
                if rows and rows[-1]["seconds"] > chosen.longest:
                    break
                rows.append(measured(Path(folder), size))
                print(axis, rows[-1], flush=True)
            left = SIZES[axis][len(rows) :]
            content[axis] = {
                "least": start,
                "rows": rows,
                "not_measured": left,
                "exponents": exponents(rows, axis, start),
            }
            print(axis, content[axis]["exponents"], flush=True)
            keep(content | {"environment": environment(torch.device("cpu"))}, chosen.out)


if __name__ == "__main__":
    main()
