"""Reading vectors: every format beside gensim and beside the floor, a plain read or unpacking of the same bytes.

Files lie in a temporary folder and are read from the page cache. Text values are checked to be those of Python's
``float`` rounded to float32, bit by bit. A megabyte is 10⁶ bytes of the file as it lies on disk.
"""

from __future__ import annotations

import bz2
import gzip
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors

from benchmarks.harness import Bench, Contender, start
from gpustab import load_groups
from gpustab.formats.binary.safetensors import open_rows, write_safetensors
from gpustab.formats.memory import from_pair
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space


def vectors(v: int, d: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    values = np.random.default_rng(seed).normal(0, 0.3, (v, d)).astype(np.float32)
    return [f"word{i}" for i in range(v)], values


def decimals(path: Path, words: list[str], values: np.ndarray, form: str) -> np.ndarray:
    """Write text and return what a reader must find in it."""
    row = " ".join([form] * values.shape[1])
    with path.open("w") as file:
        file.write(f"{len(words)} {values.shape[1]}\n")
        file.writelines(f"{word} {row % tuple(x)}\n" for word, x in zip(words, values.tolist(), strict=True))
    parsed = [[float(form % x) for x in line] for line in values.tolist()]
    return np.array(parsed, dtype=np.float64).astype(np.float32)


def difference(truth: np.ndarray, found: Any) -> float:
    """Largest difference to the right vectors, of a Space, KeyedVectors or array."""
    array = getattr(found, "vectors", found)
    return float(np.abs(np.asarray(array) - truth).max()) if np.shape(array) == truth.shape else np.inf


def ours(path: Path, truth: np.ndarray, name: str = "gpustab", tolerance: float = 0, **options: Any) -> Contender:
    return Contender(name, lambda: read_space(path, LoadOptions(**options)), partial(difference, truth), tolerance)


def gensim(path: Path, truth: np.ndarray, load: Callable[[str], Any], tolerance: float = 0) -> Contender:
    return Contender("gensim", lambda: load(str(path)), partial(difference, truth), tolerance)


def floor(name: str, call: Callable[[], Any]) -> Contender:
    return Contender(name, call, lambda _: 0.0, 0)


def race(bench: Bench, job: str, path: Path, truth: np.ndarray, contenders: list[Contender]) -> None:
    megabytes = path.stat().st_size / 1e6
    for row in bench.race(job, {"v": len(truth), "d": truth.shape[1]}, contenders):
        if row.median:
            matrix = (row.peak_mib or 0) * 2**20 / truth.nbytes
            row.note = f"{megabytes / row.median:,.0f} MB/s, peak {matrix:.2f} matrices"


def text(bench: Bench, folder: Path, v: int, d: int, form: str) -> Path:
    path = folder / f"{v}-{d}-{form.strip('%')}.txt"
    truth = decimals(path, *vectors(v, d), form)
    load = KeyedVectors.load_word2vec_format
    race(bench, f"text {form}", path, truth, [gensim(path, truth, load), ours(path, truth)])
    return path


def compressed(bench: Bench, folder: Path, plain: Path) -> None:
    truth = read_space(plain).vectors.numpy()
    for name, module in (("gzip", gzip), ("bzip2", bz2)):
        path = folder / f"text.{name}"
        path.write_bytes(module.compress(plain.read_bytes()))
        contenders = [ours(path, truth), floor("unpacking alone", partial(unpack, module, path))]
        if name == "gzip":  # gensim tells it by the suffix
            path = path.rename(path.with_suffix(".gz"))
            contenders = [
                gensim(path, truth, KeyedVectors.load_word2vec_format),
                ours(path, truth),
                floor("unpacking alone", partial(unpack, module, path)),
            ]
        race(bench, f"{name} text", path, truth, contenders)


def unpack(module: Any, path: Path) -> int:
    with module.open(path) as file:
        return sum(len(block) for block in iter(partial(file.read, 1 << 20), b""))


def binary(bench: Bench, folder: Path, v: int, d: int) -> None:
    words, values = vectors(v, d)
    keyed = KeyedVectors(d)
    keyed.add_vectors(words, values)
    path = folder / "vectors.bin"
    keyed.save_word2vec_format(str(path), binary=True)
    load = partial(KeyedVectors.load_word2vec_format, binary=True)
    plain_read = floor("np.fromfile", lambda: np.fromfile(path, np.uint8))
    race(bench, "word2vec binary", path, values, [gensim(path, values, load), ours(path, values), plain_read])
    some = {"limit": v // 10}
    race(bench, "word2vec binary, a tenth", path, values[: v // 10], [ours(path, values[: v // 10], **some)])

    path = folder / "vectors.kv"
    keyed.save(str(path))
    data = Path(f"{path}.vectors.npy")
    path_of_size = data if data.exists() else path
    race(bench, "gensim native", path_of_size, values, [gensim(path, values, KeyedVectors.load), ours(path, values)])

    path = folder / "vectors.npy"
    np.save(path, values)
    path.with_suffix(".vocab").write_text("\n".join(words) + "\n")
    race(bench, "npy", path, values, [floor("np.load", lambda: np.load(path)), ours(path, values)])

    store = folder / "vectors.safetensors"
    write_safetensors(from_pair(words, values), store)
    plain_read = floor("np.fromfile", lambda: np.fromfile(store, np.uint8))
    race(bench, "safetensors", store, values, [plain_read, ours(store, values)])
    race(bench, "safetensors, streamed", store, values, [plain_read, floor("gpustab rows", partial(stream, store))])


def stream(path: Path) -> float:
    """Touch every row of a mapped file, slice by slice."""
    with open_rows(path) as rows:
        return float(sum(rows[start : start + 4096].sum() for start in range(0, len(rows), 4096)))


def fasttext(bench: Bench, folder: Path, words: int, d: int) -> None:
    import fasttext as module

    rng = np.random.default_rng(0)
    tokens = rng.choice([f"{a}{b}" for a in ("lorem", "ipsum", "dolor", "amet") for b in range(words // 4)], 20 * words)
    corpus, path = folder / "corpus.txt", folder / "fasttext.bin"
    corpus.write_text("\n".join(" ".join(line) for line in tokens.reshape(-1, 20)))
    options = {"dim": d, "bucket": 200_000, "minCount": 1, "epoch": 1, "thread": 2, "verbose": 0}
    module.train_unsupervised(str(corpus), **options).save_model(str(path))
    truth = read_space(path).vectors.numpy()
    words_alone = slice(1, None)  # gensim's "</s>" is another vector

    def all_but_the_first(found: Any) -> float:
        return difference(truth[words_alone], np.asarray(found.vectors)[words_alone])

    contenders = [
        Contender("gensim", lambda: load_facebook_vectors(str(path)), all_but_the_first, 1e-5),
        ours(path, truth),
        floor("np.fromfile", lambda: np.fromfile(path, np.uint8)),
    ]
    race(bench, "fastText .bin", path, truth, contenders)


def several(bench: Bench, folder: Path, v: int, d: int) -> None:
    """Four runs of text at once, by one thread and by two."""
    paths = []
    for seed in range(4):
        paths.append(folder / f"run-{seed}.txt")
        decimals(paths[-1], *vectors(v, d, seed), "%.6f")

    def load(jobs: int) -> Any:
        return load_groups(paths, jobs=jobs)

    def check(groups: Any) -> float:
        return float(len(groups[0]) != 4)

    contenders = [Contender(f"jobs={jobs}", partial(load, jobs), check, 0) for jobs in (1, 2)]
    bench.race("four text files", {"v": v, "d": d}, contenders)


def sizes(quick: bool) -> Iterator[tuple[int, int, str]]:
    scale = 20 if quick else 1
    for form in ("%.6f", "%.9g", "%.5g"):
        yield 20_000 // scale, 300, form
    yield 200_000 // scale, 100, "%.6f"


def main() -> None:
    bench = start("loading", __doc__)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [text(bench, folder, *size) for size in sizes(bench.quick)]
        compressed(bench, folder, paths[0])
        for path in paths:
            path.unlink()
        binary(bench, folder, 10_000 if bench.quick else 200_000, 300)
        fasttext(bench, folder, 400 if bench.quick else 20_000, 100)
        several(bench, folder, 1_000 if bench.quick else 20_000, 300)
    bench.finish()


if __name__ == "__main__":
    main()
