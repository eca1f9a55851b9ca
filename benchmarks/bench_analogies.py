"""Word analogies by 3CosAdd and 3CosMul, beside gensim's evaluation and a plain numpy one.

The space has real offsets for a part of the questions, so that some answers are right. The error is the difference of
the accuracy from that of a plain float64 ranking; gensim ranks in float32 and so may differ where two words are nearly
equally near. All methods get the vectors in memory and the questions as a file or as read from one.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Bench, Contender, start
from gpustab import Runs, load_runs
from gpustab.evaluation import AnalogyScore, AnalogyTest, read_analogies, score_analogies
from gpustab.machine.device import Compute

PAIRS = 40
"""Pairs of words in one section; each is asked with every other."""

NAIVE_QUESTIONS = 200
"""Questions of the plain ranking, which takes all day for all of them."""

GENSIM_QUESTIONS = 500


def write_questions(path: Path, sections: int, most: int | None = None) -> None:
    """Write ``sections`` of PAIRS · (PAIRS − 1) questions, or an even part of them."""
    lines = [
        f"a{s}_{i} b{s}_{i} a{s}_{j} b{s}_{j}"
        for s in range(sections)
        for i in range(PAIRS)
        for j in range(PAIRS)
        if i != j
    ]
    step = 1 if most is None else max(1, len(lines) // most)
    path.write_text("\n".join([": all", *lines[::step][:most]]) + "\n", "utf-8")


def make_words(v: int, d: int, sections: int) -> tuple[list[str], np.ndarray]:
    """Random rows with a common direction; in every section b = a + offset + noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(v, d)).astype(np.float32) + 0.2
    words = [f"w{n}" for n in range(v)]
    for s in range(sections):
        offset = rng.normal(size=d)
        for i in range(PAIRS):
            a = 2 * (s * PAIRS + i)
            b = a + 1
            words[a], words[b] = f"a{s}_{i}", f"b{s}_{i}"
            x[b] = x[a] + offset + 0.27 * np.sqrt(d) * rng.normal(size=d)
    return words, x


def plain(words: list[str], x: np.ndarray, test: AnalogyTest, method: str) -> list[bool]:
    """One question after the other in numpy float64."""
    number = {word: n for n, word in enumerate(words)}
    unit = x.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    right = []
    for question in (q for section in test.sections for q in section.questions):
        a, b, c, answer = (number[word.decode()] for word in question)
        near = unit @ unit[[a, b, c]].T
        if method == "3CosAdd":
            score = near[:, 1] + near[:, 2] - near[:, 0]
        else:
            near = (1 + near) / 2
            score = near[:, 1] * near[:, 2] / (near[:, 0] + 0.001)
        score[[a, b, c]] = -np.inf
        right.append(int(score.argmax()) == answer)
    return right


def ours(runs: Runs, test: AnalogyTest, method: Any, device: torch.device) -> AnalogyScore:
    return score_analogies(runs, test, method=method, compute=Compute(device))


def accuracy(found: AnalogyScore | float | list[bool]) -> float:
    if isinstance(found, AnalogyScore):
        return found.total.accuracy.mean or 0.0
    return found if isinstance(found, float) else float(np.mean(found))


def error(found: AnalogyScore | float | list[bool], truth: float) -> float:
    return abs(accuracy(found) - truth)


def gensim_vectors(words: list[str], x: np.ndarray) -> Any:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(x.shape[1])
    vectors.add_vectors(words, x)
    return vectors


def gensim_accuracy(vectors: Any, path: Path) -> float:
    return float(vectors.evaluate_word_analogies(str(path), case_insensitive=False)[0])


def gensim_mul(vectors: Any, test: AnalogyTest) -> list[bool]:
    """gensim's 3CosMul, which its evaluation does not offer; ε is 1e-6 there."""
    texts = [[word.decode() for word in q] for section in test.sections for q in section.questions]
    return [vectors.most_similar_cosmul(positive=[b, c], negative=[a], topn=1)[0][0] == d for a, b, c, d in texts]


def evaluation(bench: Bench, v: int, d: int, sections: int, folder: Path) -> None:
    """All questions by us; a part of them by the others, which take them one by one."""
    words, x = make_words(v, d, sections)
    runs = load_runs([(words, x)] * 2).take([0])
    files = {}
    for name, most in (("all", None), ("gensim", GENSIM_QUESTIONS), ("plain", NAIVE_QUESTIONS)):
        files[name] = folder / f"{name}.txt"
        write_questions(files[name], sections, most)
    tests = {name: read_analogies(path) for name, path in files.items()}
    questions = len(tests["all"])
    for method in ("3CosAdd", "3CosMul"):
        few = accuracy(plain(words, x, tests["plain"], method))
        known = accuracy(ours(runs, tests["gensim"], method, bench.device))
        contenders = []
        if find_spec("gensim"):
            vectors = gensim_vectors(words, x)
            call = (
                partial(gensim_accuracy, vectors, files["gensim"])
                if method == "3CosAdd"
                else partial(gensim_mul, vectors, tests["gensim"])
            )
            share = len(tests["gensim"]) / questions
            note = f"{len(tests['gensim']):,} questions timed, scaled; checked against gpustab"
            contenders.append(Contender("gensim", call, partial(error, truth=known), 0.005, share, note))
        contenders += [
            Contender(
                "numpy float64, one by one",
                partial(plain, words, x, tests["plain"], method),
                partial(error, truth=few),
                0,
                len(tests["plain"]) / questions,
                f"{len(tests['plain'])} questions timed, scaled",
            ),
            Contender(
                "gpustab",
                partial(ours, runs, tests["all"], method, bench.device),
                lambda _, method=method, few=few: error(ours(runs, tests["plain"], method, bench.device), few),
                0,
                note="checked on the questions of numpy",
            ),
        ]
        size = {"v": v, "d": d, "questions": questions}
        rows = bench.race(f"analogies, {method}", size, contenders)
        for row in rows:
            if row.median:
                print(f"  {row.method}: {questions / row.median:,.0f} questions/s")
        print(f"  accuracy {accuracy(ours(runs, tests['all'], method, bench.device)):.3f}")


def main() -> None:
    bench = start("analogies", __doc__)
    sizes = [(2_000, 20, 2)] if bench.quick else [(20_000, 100, 8), (50_000, 300, 8)]
    with TemporaryDirectory() as folder:
        for v, d, sections in sizes:
            evaluation(bench, v, d, sections, Path(folder))
    bench.finish()


if __name__ == "__main__":
    main()
