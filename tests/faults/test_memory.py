"""What more text and more runs take of memory: measured twice, so that what libraries take is none of it."""

import itertools
import tracemalloc

import numpy as np

from gpustab.corpus import excerpts
from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.formats import source
from gpustab.report import json_text
from gpustab.report.json_text import json_pieces, to_json
from gpustab.report.svg.matrix import by_likeness
from gpustab.results import Content


def peak(work):
    """The most bytes that were held at once while something was done."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def lines(path, size):
    """Distinct lines of a text with words by Zipf's law."""
    draw = np.random.default_rng(0)
    words = ["".join(draw.choice(list("abcdefghijklmnop"), n)) for n in draw.integers(2, 10, 3_000)]
    drawn = [words[k] for k in np.minimum(draw.zipf(1.3, size // 5), 3_000) - 1]
    ends = np.cumsum(draw.integers(6, 18, size // 60)).tolist()
    path.write_text(".\n".join(" ".join(drawn[a:b]) for a, b in itertools.pairwise(ends)))
    return path


def test_a_megabyte_of_text_takes_a_few_of_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(excerpts, "_BLOCKS", 2)  # the excerpts of a large text have an end, which these do not reach
    monkeypatch.setattr(excerpts, "_BLOCK", 1_000)
    monkeypatch.setattr(source, "BLOCK", 1 << 12)
    few, many = (lines(tmp_path / f"{size}.txt", size) for size in (10_000, 50_000))
    options = CorpusOptions(as_is=True)
    number(few, options)  # what is made once is there
    small, large = (peak(lambda path=path: number(path, options)) for path in (few, many))
    assert (large - small) / (many.stat().st_size - few.stat().st_size) < 8


def test_a_summary_is_written_piece_by_piece(monkeypatch):
    """Its text is never whole in memory, and what is made for it is little more than what is written."""

    monkeypatch.setattr(json_text, "_PIECES", 100)

    def taken(pairs):
        result = Content("stability", groups=[{"pairs": [[k, k + 1, k / 7] for k in range(pairs)]}])
        return peak(lambda: sum(map(len, json_pieces(result)))), peak(lambda: to_json(result)), len(to_json(result))

    (few, whole_few, short), (many, whole_many, long) = taken(1_000), taken(4_000)
    assert many - few < whole_many - whole_few - 0.8 * (long - short)


def test_the_order_of_runs_takes_a_few_numbers_a_pair():
    """A list of all pairs took ten times as many."""
    distances = np.random.default_rng(0).uniform(size=(150, 150))
    assert peak(lambda: by_likeness(distances + distances.T)) < 5 * distances.nbytes
