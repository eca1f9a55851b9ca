"""Packing runs: gigabytes of sources a second, beside reading, hashing and writing the same bytes with as many threads.

Every run has words of its own in an order of its own, as bootstrap runs have. Files are read from the page cache; what
is written is on the disk (fsync) before the clock stops. What was packed is compared with its checksums and with the
loose runs. A gigabyte is 10⁹ bytes of the sources. Memory includes the pages of mapped sources, which are given back
when others want them. Seconds of cores are those of all threads and of the system for them, of one more call.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, start
from gpustab import Space, Vocabulary, load_runs
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.machine.threads import in_order
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.packing.verify import is_whole, verify


def make_runs(folder: Path, runs: int, v: int, d: int) -> list[Path]:
    """Write runs that lack one word in a hundred, each another one, in orders that differ a little."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    base = rng.normal(0, 0.3, (v, d)).astype(np.float32)
    paths = []
    for run in range(runs):
        rows = np.argsort(np.arange(v) + 50 * rng.random(v))
        rows = rows[rng.random(v) > 0.01]
        vectors = torch.from_numpy(base[rows] + 0.1 * rng.normal(size=(len(rows), d)).astype(np.float32))
        counts = torch.arange(v, v - len(rows), -1)
        paths.append(folder / f"r{run}.safetensors")
        write_safetensors(Space(Vocabulary([b"word%d" % i for i in rows]), vectors, counts, f"r{run}"), paths[-1])
    return paths


def as_binary(paths: list[Path], folder: Path) -> list[Path]:
    """Write runs in word2vec's binary form."""
    folder.mkdir()
    found = []
    for path in paths:
        space = load_runs([path, path], unit=False)
        rows = space.rows[0][0 : space.words].numpy()
        found.append(folder / f"{path.stem}.bin")
        with found[-1].open("wb") as file:
            file.write(b"%d %d\n" % rows.shape)
            file.writelines(w + b" " + row.tobytes() + b"\n" for w, row in zip(space.vocabulary, rows, strict=True))
    return found


def copied(paths: list[Path], folder: Path) -> None:
    """Do what cannot be spared: read, hash, write, and wait for the disk."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    def copy(path: Path) -> None:
        digest = sha256()
        with path.open("rb") as source, (folder / path.name).open("wb") as copy:
            while piece := source.read(1 << 21):
                digest.update(piece)
                copy.write(piece)
            copy.flush()
            os.fsync(copy.fileno())

    list(in_order(copy, paths))


def packed(paths: list[Path], folder: Path, **options: Any) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    pack_runs(paths, folder, **options)
    return folder


def difference(folder: Path, paths: list[Path]) -> float:
    """Return how far packed rows lie from the loose ones, and infinity for a wrong checksum."""
    if not is_whole(verify(folder)):
        return np.inf
    ours, loose = load_runs(folder), load_runs(paths)
    if list(ours.vocabulary) != list(loose.vocabulary):
        return np.inf
    return max(
        float((ours.rows[r][0 : ours.words] - loose.rows[r]).abs().max() / loose.rows[r].abs().max())
        for r in range(0, len(ours), 5)
    )


def race(bench: Bench, job: str, paths: list[Path], folder: Path, ways: dict[str, dict[str, Any]]) -> None:
    size = sum(path.stat().st_size for path in paths)
    contenders = [Contender("read, hash, write", partial(copied, paths, folder / "copied"), lambda _: 0.0, 0)]
    for name, options in ways.items():
        tolerance = 0.01 if "dtype" in options else 0.0
        call: Callable[[], Path] = partial(packed, paths, folder / "packed", **options)
        check = partial(difference, paths=paths)
        contenders.append(Contender(name, call, check, tolerance))
    shape = {"runs": len(paths), "MB": round(size / 1e6)}
    for row in bench.race(job, shape, contenders):
        if row.median:
            cores = busy(next(one.call for one in contenders if one.method == row.method))
            load = f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores"
            row.note = f"{size / row.median / 1e9:.2f} GB/s, {cores:.2f} s of cores, {load}"


def busy(call: Callable[[], object]) -> float:
    """Return for how many seconds a call keeps cores busy."""
    before = time.process_time()
    call()
    return time.process_time() - before


def main() -> None:
    bench = start("packing", __doc__)
    sizes = (4, 2_000, 100) if bench.quick else (8, 50_000, 300)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = make_runs(folder / "safetensors", *sizes)
        ways: dict[str, dict[str, Any]] = {"gpustab": {}, "gpustab, one thread": {"jobs": 1}}
        race(bench, "safetensors", paths, folder, ways | {"gpustab, bfloat16": {"dtype": "bfloat16"}})
        race(bench, "word2vec binary", as_binary(paths, folder / "binary"), folder, ways)
    bench.finish()


if __name__ == "__main__":
    main()
