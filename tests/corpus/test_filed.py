"""Numbers that lie in a file are those that were added, and reading a long text takes hardly more memory."""

import errno
import random
import tracemalloc
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab.corpus import compact, excerpts, filed
from gpustab.corpus.filed import Filed, forget, in_parts
from gpustab.corpus.near import near_copies
from gpustab.corpus.numbering import END, number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import corpus_of
from gpustab.errors import InputError
from gpustab.formats import source
from gpustab.formats.atomic import WritingError
from tests.corpus.test_boilerplate import WORDS

OPTIONS = CorpusOptions(min_count=2, as_is=True, layout="lines", format="plain", encoding="utf-8")


def write(path, documents):
    """Lines of one vocabulary, in which nothing comes again but words, some with hyphens and curly apostrophes."""
    draw, words = random.Random(0), [*WORDS, "so-called", "doesn’t", "long-\xadlived"]
    with path.open("w", encoding="utf-8") as file:
        file.writelines(" ".join(draw.choices(words, k=150)) + ".\n" for _ in range(documents))
    return path


@given(st.lists(st.lists(st.integers(-9, 9), max_size=9), max_size=9), st.sampled_from([0, 40, 1 << 20]))
def test_numbers_are_those_that_were_added(lists, in_memory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filed, "IN_MEMORY", in_memory)
        patch.setattr(filed, "_AT_ONCE", 4)
        made = Filed(np.int32)
        for k, numbers in enumerate(lists):
            made.add(array("i", numbers) if k % 2 else np.array(numbers, np.int32))
        found, wanted = made.all(), [one for numbers in lists for one in numbers]
        assert found.tolist() == wanted
        assert [one for _, part in in_parts(found) for one in part.tolist()] == wanted
        found[1:] = found[:-1].copy()  # what is changed in memory is not lost when memory is let go
        forget(found[2:])
        assert found.tolist() == (wanted[:1] + wanted)[: len(wanted)]


@pytest.mark.parametrize(("code", "kind"), [(errno.ENOSPC, WritingError), (errno.EACCES, InputError)])
def test_a_folder_for_temporary_files_that_fails_is_named(monkeypatch, code, kind):
    def fail(**_):
        raise OSError(code, "it fails")

    monkeypatch.setattr(filed, "IN_MEMORY", 0)
    monkeypatch.setattr(filed, "TemporaryFile", fail)
    monkeypatch.setattr(filed, "gettempdir", lambda: "/where/it/is")
    with pytest.raises(kind, match="/where/it/is: cannot be written: it fails"):
        Filed(np.int32).add(np.ones(1, np.int32))


@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_a_corpus_is_the_same_in_a_file(tmp_path, monkeypatch, unit):
    options = CorpusOptions(min_count=2, as_is=True, layout="lines", cut_boilerplate=True, unit=unit)
    path = write(tmp_path / "text.txt", 30)
    head = " ".join(WORDS[:14])
    path.write_text("".join(f"{head} {line}\n" for line in path.read_text("utf-8").splitlines() * 2), "utf-8")
    whole = corpus_of(number(path, options), options)
    for module in (filed, compact):
        monkeypatch.setattr(module, "_AT_ONCE", 100)
    monkeypatch.setattr(filed, "IN_MEMORY", 0)
    parts = corpus_of(number(path, options), options)
    assert parts.hash == whole.hash
    assert (parts.dropped, parts.notes) == (whole.dropped, whole.notes)
    assert "420 running words of boilerplate are cut" in "".join(parts.notes)
    assert parts.take([3, 1]).hash == whole.take([3, 1]).hash


def read(path):
    numbered = number(path, OPTIONS)
    near_copies(numbered.ids, numbered.starts, END)
    assert numbered.boilerplate is None
    corpus = corpus_of(numbered, OPTIONS, look=False)
    del numbered
    assert corpus.hash
    return corpus


def test_memory_hardly_grows_with_the_text(tmp_path, monkeypatch):
    """Sixteen times the text took five bytes more for each of its own; now a document takes some forty bytes."""
    for module in (filed, compact):
        monkeypatch.setattr(module, "_AT_ONCE", 1 << 12)
    monkeypatch.setattr(filed, "IN_MEMORY", 1 << 14)
    monkeypatch.setattr(source, "BLOCK", 1 << 14)
    monkeypatch.setattr(excerpts, "_BLOCKS", 1)
    peaks = []
    for documents in (20, 250, 4_000):  # the first one reads modules
        path = write(tmp_path / f"{documents}.txt", documents)
        tracemalloc.start()
        read(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] - peaks[1] < 0.5 * path.stat().st_size
