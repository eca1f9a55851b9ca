"""How much memory calls take: for each MB of text, for 1,000 runs, and for small files that unpack to much.

    python -m benchmarks.limits [--before CHECKOUT] [--only text|runs|bombs]

Every call is a process of its own; its time is that of the processor, its peak that of the whole process, libraries
included (``peak_mb``), and less what the same call takes for next to nothing (``more_mb``). With ``--before`` the same
files go to an earlier version, whose rows have its commit. A bomb is a file of a few kB or MB, well-formed or lying,
whose content would fill the memory of who opens it: it must be refused, or read, in memory that has a bound.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from benchmarks.calls import launch
from benchmarks.setting import ROOT, environment, keep
from gpustab import Space, Vocabulary
from gpustab.formats.binary.safetensors import write_safetensors

MB = 1_000_000
ENDLESS = 300
"""Seconds of the processor after which a call is ended."""
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def called(tree: Path, *arguments: str | Path) -> dict[str, Any]:
    """Run a command of a checkout; return its exit code, processor seconds, peak in MB, and the last line it says."""
    limited = ["prlimit", f"--cpu={ENDLESS}:{ENDLESS + 5}"]  # SIGXCPU, and who takes no notice of it is killed
    command = [*limited, sys.executable, "-m", "gpustab", *map(str, arguments)]
    own = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    took = launch(command, tree, own)
    lines = took.said.splitlines()
    return {
        "code": took.code,
        "seconds": round(took.seconds, 1),
        "peak_mb": round(took.peak / MB),
        "said": lines[-1][:300] if lines else "",
    }


def texts(place: Path) -> Iterator[tuple[dict[str, Any], list[str | Path]]]:
    """Yield texts of distinct lines with words by Zipf's law, and the call that trains one small run on each."""
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), n)) for n in random.integers(2, 10, 30_000)]
    for size in (0, 1, 10, 50):
        path, written = place / f"lines-{size}.txt", 0
        with path.open("w") as file:
            while written < max(size * MB, 20_000):
                drawn = (np.minimum(random.zipf(1.3, 20_000), 30_000) - 1).tolist()
                ends = np.cumsum(random.integers(6, 18, 1_600)).tolist()
                lines = (" ".join(words[k] for k in drawn[a:b]) for a, b in itertools.pairwise(ends))
                written += file.write(".\n".join(lines) + ".\n")
        technique = ("--technique", "lsa", "--dim", "2", "--runs", "1", "--sampling", "fixed", "--min-count", "5")
        call = ["train", path, "-o", place / f"set-{size}", *technique, "-q"]
        yield {"text_mb": size}, call


def runs(place: Path) -> Iterator[tuple[dict[str, Any], list[str | Path]]]:
    """Yield 2 and 1,000 runs of 50 words and 4 dimensions, and the call that measures their stability."""
    draw = torch.Generator().manual_seed(0)
    base, vocabulary = torch.randn(50, 4, generator=draw), Vocabulary([f"w{k}" for k in range(50)])
    for count in (2, 1_000):
        folder = place / f"runs-{count}"
        folder.mkdir()
        for run in range(count):
            vectors = base + 0.3 * torch.randn(50, 4, generator=draw)
            write_safetensors(Space(vocabulary, vectors), folder / f"run-{run:03d}.safetensors")
        yield {"runs": count}, ["stability", *sorted(folder.iterdir()), "--out", place / f"page-{count}", "-q"]


def _times(file: Any, piece: bytes, times: int) -> None:
    for _ in range(times):
        file.write(piece)


def _zipped(path: Path, name: str, pieces: Callable[[Any], None], **more: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for other, content in more.items():
            archive.writestr(other, content)
        with archive.open(name, "w", force_zip64=True) as file:
            pieces(file)
    return path


def _npy(descr: str, shape: tuple[int, ...]) -> bytes:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": descr, "fortran_order": False, "shape": shape})
    return head.getvalue()


def _saved(array: Any) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def _stream(path: Path, pack: Callable[[bytes], bytes], piece: bytes, before: bytes = b"", after: bytes = b"") -> Path:
    """Pack a piece 600 times: gzip and bzip2 take many streams for one."""
    path.write_bytes((pack(before) if before else b"") + pack(piece) * 600 + (pack(after) if after else b""))
    return path


def _docx(place: Path) -> Path:
    body = f'<w:document xmlns:w="{WORD}"><w:body>'.encode()
    paragraphs = b"<w:p><w:r><w:t>hello dear world</w:t></w:r></w:p>" * 20_000
    return _zipped(
        place / "large.docx",
        "word/document.xml",
        lambda file: (file.write(body), _times(file, paragraphs, 400), file.write(b"</w:body></w:document>")),
    )


def _docx_that_lies(place: Path) -> Path:
    content = bytearray((path := _docx(place)).read_bytes())
    content[(k := content.rindex(b"PK\x01\x02") + 24) : k + 4] = (1_000).to_bytes(4, "little")
    path.write_bytes(content)
    return path


def _npz_words(place: Path) -> Path:
    return _zipped(
        place / "words.npz",
        "words.npy",
        lambda file: (file.write(_npy("<U1000", (262_144,))), _times(file, bytes(1 << 20), 1_000)),
        **{"vectors.npy": _saved(np.ones((3, 2), "f4"))},
    )


def _npz_vectors(place: Path) -> Path:
    rows, d = 500_000, 500
    return _zipped(
        place / "rows.npz",
        "vectors.npy",
        lambda file: (file.write(_npy("<f4", (rows, d))), _times(file, bytes(1 << 20), rows * d * 4 >> 20)),
        **{"words.npy": _saved(np.array([f"w{k}" for k in range(10)]))},
    )


def _parquet(path: Path, columns: Mapping[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def _feather(path: Path, columns: Mapping[str, Any], compression: str | None = None) -> Path:
    table = pa.table(columns)
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


def _long_word() -> dict[str, Any]:
    return {"word": pa.array(["a" * 200_000_000, "b"]), "x": [0.5, 1.0], "y": [1.0, 0.5]}


def _long_vectors() -> dict[str, Any]:
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(100_000_000, "f4")), 50_000_000)
    return {"word": ["a", "b"], "v": lists}


def _many_rows() -> dict[str, Any]:
    words, zeros = pa.array(np.zeros(5_000_000, "i4")).cast(pa.string()), np.zeros(5_000_000)
    return {"word": words, "x": zeros, "y": zeros}


def _one_word_often() -> dict[str, Any]:
    word, many = pa.array(["a" * 500_000]), pa.array(np.zeros(8_000, "i4"))
    return {"word": pa.DictionaryArray.from_arrays(many, word), "x": np.arange(8e3), "y": np.arange(8e3)}


def _header(path: Path, head: Mapping[str, Any]) -> Path:
    content = json.dumps(head).encode()
    path.write_bytes(len(content).to_bytes(8, "little") + content)
    return path


def _twice(path: Path) -> Path:
    path.write_bytes(gzip.compress(gzip.compress(MEGA) * 60_000))
    return path


MEGA, LINES, ZEROS = b"a" * (1 << 20), b"a b\n" * (1 << 18), b"w " + b"0 " * 50 + b"\n"
NO_TENSOR = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
TEXTS: dict[str, Callable[[Path], Path]] = {
    "gz: text, one word": lambda place: _stream(place / "one-word.txt.gz", gzip.compress, MEGA),
    "gz: text, lines": lambda place: _stream(place / "lines.txt.gz", gzip.compress, LINES),
    "bz2: text, one word": lambda place: _stream(place / "one-word.txt.bz2", bz2.compress, MEGA),
    "bz2: text, lines": lambda place: _stream(place / "lines.txt.bz2", bz2.compress, LINES),
    "gz: JSON, one string": lambda place: _stream(
        place / "string.jsonl.gz", gzip.compress, MEGA, before=b'{"text": "', after=b'"}\n'
    ),
    "gz within gz": lambda place: _twice(place / "twice.txt.gz"),
    "docx": _docx,
    "docx that says it were 1 kB": _docx_that_lies,
}
VECTORS: dict[str, Callable[[Path], Path]] = {
    "gz: vectors, one word": lambda place: _stream(place / "vectors.txt.gz", gzip.compress, MEGA, before=ZEROS),
    "bz2: vectors, one word": lambda place: _stream(place / "vectors.txt.bz2", bz2.compress, MEGA, before=ZEROS),
    "npz: words": _npz_words,
    "npz: vectors": _npz_vectors,
    "Parquet: one word": lambda place: _parquet(place / "word.parquet", _long_word()),
    "Parquet: long vectors": lambda place: _parquet(place / "lists.parquet", _long_vectors()),
    "Parquet: rows": lambda place: _parquet(place / "rows.parquet", _many_rows()),
    "Parquet: one word, meant 8,000 times": lambda place: _parquet(place / "same.parquet", _one_word_often()),
    "Feather: one word": lambda place: _feather(place / "word.feather", _long_word(), "zstd"),
    "Feather: one word, meant 8,000 times": lambda place: _feather(place / "same.feather", _one_word_often()),
    "safetensors: metadata": lambda place: _header(
        place / "metadata.safetensors", {"__metadata__": dict.fromkeys((f"k{k}" for k in range(2_000_000)), "")}
    ),
    "safetensors: tensors": lambda place: _header(
        place / "tensors.safetensors", dict.fromkeys((f"k{k}" for k in range(300_000)), NO_TENSOR)
    ),
}
"""Bombs by container and content: what makes each in a folder."""


def bombs(place: Path) -> Iterator[tuple[dict[str, Any], list[str | Path]]]:
    """Yield a bomb of every container that a reader takes, and a call that reads it; first what is none."""
    train = ("-o", place / "out", "--technique", "lsa", "--dim", "2", "-q")
    (none := place / "none.txt").write_text("one two\n")
    yield {"bomb": "none"}, ["train", none, *train]
    for name, make in (TEXTS | VECTORS).items():
        path = make(place)
        yield {"bomb": name}, ["train", path, *train] if name in TEXTS else ["info", path, "-q"]
        path.unlink()


JOBS = {"text": texts, "runs": runs, "bombs": bombs}


def main() -> None:
    """Measure, and write ``limits-cpu.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--only", choices=JOBS, action="append", help="some of the jobs")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/limits-cpu.json")
    chosen = parser.parse_args()
    trees = [tree for tree in (chosen.before, ROOT) if tree is not None]
    content = json.loads(chosen.out.read_text()) if chosen.out.exists() else {}
    for job in chosen.only or JOBS:
        content[job] = []
        with tempfile.TemporaryDirectory() as folder:
            least: dict[Path, int] = {}
            for size, call in JOBS[job](Path(folder)):
                given = next(part for part in call if isinstance(part, Path))
                for tree in trees:
                    _clear(call)
                    found = called(tree, *call)
                    row = size | {"file_mb": round(given.stat().st_size / MB, 3), "commit": _commit(tree)} | found
                    least.setdefault(tree, row["peak_mb"])
                    row["more_mb"] = row["peak_mb"] - least[tree]
                    row["said"] = row["said"].replace(folder, "")
                    content[job].append(row)
                    print(job, row, flush=True)
                    keep(content | {"environment": environment(torch.device("cpu"))}, chosen.out)


def _clear(call: list[str | Path]) -> None:
    """Remove what the call of another version wrote."""
    for option, place in itertools.pairwise(call):
        if option in ("-o", "--out"):
            shutil.rmtree(place, ignore_errors=True)


def _commit(tree: Path) -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
