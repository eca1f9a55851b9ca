"""Writers of small binary files of vectors, with every part open to change, and fastText's n-grams by definition."""

import struct

import numpy as np

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.source import open_source


def read(form, path, **options):
    """What one format reads of a file, that by whose content it is told."""
    with open_source(path) as source:
        return form.read(source, LoadOptions(**options))


def load(path, **options):
    """What is read of a file, whatever it is."""
    return read_space(path, LoadOptions(**options))


def right(space, words, values):
    """The notes on a space of these words and values."""
    assert [word.decode() for word in space.vocabulary] == list(words)
    assert np.array_equal(space.vectors.numpy(), np.asarray(values, dtype=np.float32))
    return space.report.notes


def attempt(reads, *arguments, **options):
    """What is read, or the refusal, which names the file in one line; nothing else may come."""
    try:
        return reads(*arguments, **options), ""
    except InputError as error:
        message = str(error)
    assert str(arguments[-1]) in message, "a refusal names its file"
    assert "\n" not in message
    return None, message


def refused(reads, *arguments, **options):
    """The refusal."""
    found, message = attempt(reads, *arguments, **options)
    assert found is None
    return message


def word2vec(words, vectors, newline=True, rows=None):
    """The bytes of a word2vec binary file."""
    vectors = np.asarray(vectors, dtype="<f4")
    end = b"\n" if newline else b""
    header = b"%d %d\n" % (len(words) if rows is None else rows, vectors.shape[1])
    return header + b"".join(w + b" " + x.tobytes() + end for w, x in zip(words, vectors, strict=True))


def fasttext(words, matrix, shortest=0, longest=0, buckets=0, **parts):
    """The bytes of a fastText model; ``parts`` replace what a good one of skip-gram has."""
    matrix = np.asarray(matrix, dtype="<f4")
    get = parts.get
    labels, counts = get("labels", []), get("counts", list(range(len(words), 0, -1)))
    arguments = struct.pack(
        "<12id", matrix.shape[1], 5, 5, 1, 5, 1, 2, get("model", 2), buckets, shortest, longest, 100, 1e-4
    )
    pruned = get("pruned", -1)
    n = get("entries", len(words) + len(labels))
    head = struct.pack("<3i2q", n, len(words), len(labels), sum(counts), pruned)
    entries = [w + b"\0" + struct.pack("<qb", c, 0) for w, c in zip(words, counts, strict=True)]
    entries += [w + b"\0" + struct.pack("<qb", 1, 1) for w in labels]
    output = np.zeros((len(labels) if labels else len(words), matrix.shape[1]), dtype="<f4")
    return b"".join(
        [
            get("magic", b"\xba\x16\x4f\x2f") + struct.pack("<i", get("version", 12)),
            arguments,
            head,
            *entries,
            b"\0" * 8 * max(pruned, 0),
            bytes([get("quantised", 0)]),
            struct.pack("<2q", *get("shape", matrix.shape)),
            matrix.tobytes(),
            b"\0",
            struct.pack("<2q", *get("output_shape", output.shape)),
            output.tobytes(),
        ]
    )


def ngrams(word, shortest, longest):
    """The n-grams of a word, by definition: over a list of its characters."""
    characters = []
    for byte in b"<" + word + b">":
        if 0x80 <= byte < 0xC0:
            characters[-1].append(byte)
        else:
            characters.append([byte])
    last = len(characters)
    for i in range(last):
        for n in range(max(shortest, 1), longest + 1):
            if i + n <= last and not (n == 1 and i in (0, last - 1)):
                yield b"".join(map(bytes, characters[i : i + n]))


def fnv(ngram):
    """32-bit FNV-1a over signed bytes."""
    value = 2166136261
    for byte in ngram:
        signed = byte - 256 if byte >= 128 else byte
        value = (value ^ (signed % 2**32)) * 16777619 % 2**32
    return value


def composed(words, matrix, shortest, longest, buckets):
    """The vectors of fastText's words in float64."""
    rows = []
    for i, word in enumerate(words):
        own = [] if word == b"</s>" else [len(words) + fnv(g) % buckets for g in ngrams(word, shortest, longest)]
        rows.append(np.asarray(matrix, dtype=np.float64)[[i, *own]].mean(axis=0))
    return np.array(rows)


class Pipe:
    """A source whose blocks are as given, to have their borders anywhere."""

    damage = None
    compression = None

    def __init__(self, *blocks):
        self._blocks = blocks

    def blocks(self):
        return iter(self._blocks)

    def map(self):
        return None

    def most_bytes(self):
        return None
