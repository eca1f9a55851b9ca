"""Damaged files by the million: every reader refuses, reports, or gives back what the damage did not touch.

Run it as ``python -m tests.formats.fuzz --inputs 1000000 --jobs 2``. Every input is a valid small file with some bytes
flipped, inserted, removed, repeated or cut off. Three outcomes are right: the file is refused by an ``InputError``; it
loads with a note on what is odd; or it loads silently, and then every row whose bytes were not touched is there with
its values. Everything else is printed and fails: another exception, a silent loss, or more than five seconds.

One layout cannot be read that well by anybody: word2vec binary without a newline after each row has nothing that parts
a row from the next word. A byte too many or too few within a row moves the next word's first letter; where no value
becomes implausible by it and the word stays printable, nothing tells of it. Such outcomes, at most one word each, are
counted as "unframed".
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import random
import signal
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gpustab.errors import ComputationError, InputError
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.memory import from_pair
from gpustab.formats.registry import read_space

WORDS = ["the", "of", "naïve", "12", "a b", "x\u00a0y", "Haus", "z9", "…", "end"]
VALUES = np.random.default_rng(0).standard_normal((len(WORDS), 4)).astype(np.float32)
WIDE = np.random.default_rng(1).standard_normal((len(WORDS), 50)).astype(np.float32)
SECONDS = 5


@dataclass
class Sample:
    """A valid file: its content, the byte range of every row, and files that lie beside it.

    Where the words lie apart from the vectors, a row is known by its position.
    """

    name: str
    content: bytes
    rows: list[tuple[int, int]] = field(default_factory=list)
    words: list[str] = field(default_factory=lambda: WORDS)
    values: np.ndarray = field(default_factory=lambda: VALUES)
    beside: dict[str, bytes] = field(default_factory=dict)
    apart: bool = False
    framed: bool = True


def spans(content, pieces):
    """Where each piece lies in a content."""
    found, at = [], 0
    for piece in pieces:
        start = content.index(piece, at)
        at = start + len(piece)
        found.append((start, at))
    return found


def text(header, end=b"\n", separator=b" "):
    rows = [
        separator.join([word.encode(), *(b"%.9g" % x for x in row.tolist())]) + end
        for word, row in zip(WORDS, VALUES, strict=True)
    ]
    content = (b"10 4" + end if header else b"") + b"".join(rows)
    # The newline before a row belongs to it: where that moves, so does the row's first letter.
    return content, [(max(start - 1, 0), stop) for start, stop in spans(content, rows)]


def word2vec_binary(newline):
    """Rows of usual width: where no byte parts them, what a shift does to the values is all that tells of it."""
    words = [word.replace(" ", "_") for word in WORDS]
    rows = [word.encode() + b" " + row.tobytes() + b"\n" * newline for word, row in zip(words, WIDE, strict=True)]
    content = b"10 50\n" + b"".join(rows)
    name = f"word2vec binary{' newline' * newline}"
    return Sample(name, content, spans(content, rows), words, WIDE, framed=newline)


def npy():
    buffer = io.BytesIO()
    np.save(buffer, VALUES)
    content = buffer.getvalue()
    rows = spans(content, [row.tobytes() for row in VALUES])
    return Sample("npy", content, rows, beside={"x.vocab": "\n".join(WORDS).encode() + b"\n"})


def written(name, write, suffix):
    """A file made by a writer that takes a path; its rows are where their bytes are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        write(path)
        content = path.read_bytes()
        return Sample(name, content, spans(content, [row.tobytes() for row in VALUES]), apart=True)


def safetensors():
    return written("safetensors", lambda path: write_safetensors(from_pair(WORDS, VALUES), path), ".safetensors")


def gensim():
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(4)
    vectors.add_vectors(WORDS, VALUES)
    return written("gensim", lambda path: vectors.save(str(path)), ".kv")


def fasttext():
    import fasttext as module

    with tempfile.TemporaryDirectory() as folder:
        corpus, path = Path(folder) / "corpus.txt", Path(folder) / "x.bin"
        corpus.write_text("the cat sat on the mat\nthe dog sat on the rug\n" * 20)
        options = {"dim": 4, "bucket": 20, "minCount": 1, "epoch": 1, "thread": 1, "verbose": 0}
        module.train_unsupervised(str(corpus), **options).save_model(str(path))
        space = read_space(path)
        words = [word.decode() for word in space.vocabulary]
        # A row is composed of its n-grams' rows: no byte of the file belongs to one word alone.
        return Sample("fastText", path.read_bytes(), [], words, space.vectors.numpy())


def samples():
    plain, rows = text(header=True)
    bare, bare_rows = text(header=False)
    tabs, tab_rows = text(header=False, end=b"\r\n", separator=b"\t")
    return [
        Sample("word2vec text", plain, rows),
        Sample("GloVe text", bare, bare_rows),
        Sample("tabs and CRLF", tabs, tab_rows),
        Sample("gzip text", gzip.compress(plain, mtime=0)),
        Sample("bzip2 text", bz2.compress(plain)),
        word2vec_binary(newline=True),
        word2vec_binary(newline=False),
        npy(),
        safetensors(),
        gensim(),
        fasttext(),
    ]


def mutate(content, rng):
    """Return a damaged content, and the byte range of the original that the damage touched."""
    start = rng.randrange(len(content))
    stop = min(len(content), start + rng.choice([1, 1, 1, 2, 4, 16]))
    some = bytes(rng.choices(rng.choice([range(256), b"0123456789 .\n-e\t\r\x00"]), k=stop - start))
    kind = rng.choice(["flip", "flip", "bit", "insert", "remove", "repeat", "cut"])
    if kind == "bit":
        some, stop = bytes([content[start] ^ 1 << rng.randrange(8)]), start + 1
    if kind in ("flip", "bit"):
        return content[:start] + some + content[stop:], (start, stop)
    if kind == "insert":
        return content[:start] + some + content[start:], (start, start)
    if kind == "remove":
        return content[:start] + content[stop:], (start, stop)
    if kind == "repeat":
        return content[:stop] + content[start:stop] + content[stop:], (stop, stop)
    return content[:start], (start, len(content))


def lost(sample, touched, space):
    """Name the rows that the damage did not touch and that are no longer what they were."""
    first, last = touched
    if (sample.apart or not sample.rows) and len(space.vocabulary) != len(sample.words):
        return ["a row"]
    found = dict(zip(space.vocabulary, space.vectors.numpy(), strict=True))
    by_place = dict(zip(sample.words, space.vectors.numpy(), strict=False))
    words = []
    for word, row, (start, stop) in zip(sample.words, sample.values, sample.rows, strict=False):
        now = by_place[word] if sample.apart else found.get(word.encode(), np.empty(0))
        if (stop <= first or last <= start) and not (first == last == start) and not np.array_equal(now, row):
            words.append(word)
    return words


def outcome(sample, path, rng, usual):
    """Read one damaged file; return what came of it. ``usual`` are the notes on the file without damage."""
    content, touched = mutate(sample.content, rng)
    path.write_bytes(content)
    try:
        space = read_space(path)
    except InputError as error:
        return "refused" if str(path) in str(error) else f"REFUSED WITHOUT A NAME: {error}"
    except ComputationError as error:
        return "refused" if "GiB" in str(error) else f"FAILED: {error}"
    except Exception as error:  # it is what is looked for
        return f"{type(error).__name__}: {error}"
    if content == sample.content:
        return "loaded"
    if set(space.report.notes) - usual:
        return "reported"
    words = lost(sample, touched, space)
    if len(words) == 1 and not sample.framed:
        return "unframed"
    return f"SILENT LOSS of {words}" if words else "loaded"


def too_long(*_):
    raise TimeoutError(f"more than {SECONDS} s")


def fuzz(number, inputs, seed):
    """Damage one sample many times; return the outcomes and the first inputs that went wrong."""
    sample = samples()[number]
    outcomes, wrong = Counter(), []
    signal.signal(signal.SIGALRM, too_long)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        for name, content in sample.beside.items():
            (path.parent / name).write_bytes(content)
        path.write_bytes(sample.content)
        usual = set(read_space(path).report.notes)
        for i in range(inputs):
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            result = outcome(sample, path, random.Random(f"{seed} {i}"), usual)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if result not in ("refused", "reported", "loaded", "unframed"):
                wrong.append((f"{seed} {i}", result))
                result = "WRONG"
            outcomes[result] += 1
    return sample.name, outcomes, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=11_000, help="over all formats")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started = time.perf_counter()
    count = len(samples())
    each = -(-arguments.inputs // count)
    failed = False
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for name, outcomes, wrong in pool.map(fuzz, range(count), [each] * count, [arguments.seed] * count):
            print(f"{name:24}", *(f"{kind} {outcomes[kind]:,}" for kind in sorted(outcomes)), sep="  ", flush=True)
            for key, result in wrong[:10]:
                print("   ", key, result[:200])
            failed |= bool(wrong)
    print(f"{each * count:,} inputs in {time.perf_counter() - started:.0f} s")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
