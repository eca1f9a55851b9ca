"""The whole study on texts whose answer is known, read by tiny encoders; and what must not be lost on the way."""

import random
import re
import tracemalloc
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("transformers")

import torch
from transformers import AutoModel, AutoTokenizer

from docs.examples.usage import compared, pair
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.report import to_html
from gpustab.report.describe import describe
from gpustab.results import Content
from gpustab.studies.usage.claims import COMPARED, DIFFER, EXAMPLES, PAIRS, TRUTH, USED, WORD_DIFFERS, leading
from gpustab.studies.usage.compared import text_of
from gpustab.studies.usage.page import by_chance, heading
from gpustab.studies.usage.study import usage
from gpustab.studies.usage.usages import Sentences, counts_of, drawn, read_usages
from tests.encoders.tiny import bytes_in_pairs, save, word_pieces

OPTIONS = CorpusOptions(min_count=1, as_is=True, id_column="id", date_column="year")
LAND, WATER = ("stone", "walked", "tuesday", "slowly"), ("water", "sailing", "river", "harbour")
HOW = {"epochs_by": "year:1900-1949,1990-1999", "deals": 199}


def sentence(draw, word, around):
    return " ".join([*draw.choices(around, k=2), word, *draw.choices(around, k=2)]).capitalize() + "."


def texts(share=0.0, documents=24, seed=0):
    """Rows of documents: bank stands on land, unhappily in water; later, in a share of documents, bank does too."""
    draw = random.Random(seed)
    for k in range(2 * documents):
        later = k >= documents
        turned = later and draw.random() < share
        own = [sentence(draw, "bank", WATER if turned else LAND), sentence(draw, "unhappily", WATER)]
        own += [sentence(draw, "never", WATER if k == 3 else LAND)] * (k in (3, 4, documents + 1))
        own += [sentence(draw, "cafés", LAND)] * (not later)
        own += [sentence(draw, "don't", WATER) for _ in range(9)] * (k in (2, documents + 2))
        yield f"d{k}", 1995 if later else 1900 + k, " ".join(own)


def table_of(rows):
    return "id,year,text\n" + "".join(f'{name},{year},"{text}"\n' for name, year, text in rows)


def corpus_of(rows, folder, options=OPTIONS):
    path = folder / "text.csv"
    path.write_text(table_of(rows), encoding="utf-8")
    return prepare_corpus(path, options, look=False)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save(tmp_path_factory.mktemp("models") / "tiny", tokenizer=word_pieces())


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.txt"
    path.write_text("bank\nUnhappily\nnever\ncafés\ndon't\nTuesdays\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def moved(model, words, tmp_path_factory):
    corpus = corpus_of(texts(1.0), tmp_path_factory.mktemp("moved"))
    return usage(corpus, OPTIONS, model, words=str(words), **HOW)


def verdicts(result, measure="apd"):
    return {row.word: WORD_DIFFERS.judge(row) for row in COMPARED.rows(result.tables, measure=measure)}


def test_the_word_that_moved_is_found_and_no_other(moved):
    assert verdicts(moved) == {
        "bank": "yes",
        "unhappily": "undecided",
        "never": "no test",
        "cafés": "no test",
        "don't": "no test",
    }
    assert moved.verdict == [
        "1900-1949 to 1990-1999: 1 of 2 words is used differently, beyond two samplings of one period. On "
        "average up to 5 % of the words in such lists are false. So short a list may be false as a whole: where "
        "nothing changed, up to 5 % of texts give one.",
        "1900-1949 to 1990-1999, without a test: 1 of 5 words stands in one period alone: cafés (1900-1949); 2 of 5 "
        "words stand in fewer than 6 documents of a period: never, don't.",
    ]


def test_the_page_says_how_many_of_its_verdicts_chance_would_make(moved):
    found = sum(row.found for row in PAIRS.rows(moved.tables))
    said = {block.title: block.answer for block in describe(moved)}["What was found, by each measure?"]
    assert said == (
        "3 verdicts rest on a false discovery rate of 5 %. If no word were used differently, up to 0.15 of them would "
        f"say by chance that one is, on average. Of {found} listed words, over all measures, up to {0.05 * found:.2f} "
        "would be there by chance, on average over many such lists."
    )


def test_verdicts_by_chance_follow_the_rate_and_leave_out_what_has_no_test():
    assert by_chance([pair(found=0, tested=0)]) == ""
    none = by_chance([pair(found=0, rate=0.2), pair(found=0, tested=0, rate=0.2)])
    assert none == (
        "1 verdict rests on a false discovery rate of 20 %. If no word were used differently, up to 0.20 of them would "
        "say by chance that one is, on average."
    )
    assert "Of 30 listed words, over all measures, up to 6.0 would" in by_chance([pair(found=15, rate=0.2)] * 2)


def test_words_without_a_test_are_told_with_their_counts(moved):
    used = {(row.period, row.word): row[2:] for row in USED.rows(moved.tables)}
    assert used["1990-1999", "cafés"] == (0, 0, 0, 0)  # one period alone has it
    assert used["1900-1949", "never"] == (2, 2, 2, 2)
    assert used["1990-1999", "never"] == (1, 1, 1, 1)
    assert used["1900-1949", "don't"][:2] == (9, 1)  # all in one document
    assert "Which words could not be tested?" in to_html(moved)
    assert "1 of 6 words is not in the text: Tuesdays." in moved.notes


def test_sentences_of_the_word_that_moved_are_of_both_periods_and_escaped(moved):
    rows = list(EXAMPLES.rows(moved.tables))
    assert {row.word for row in rows} == {"bank"}
    assert [row.period for row in rows] == ["1900-1949"] * 3 + ["1990-1999"] * 3
    assert len({row.document for row in rows}) == 6
    for row in rows:
        assert set(re.findall(r"\w+", f"{row.before} {row.after}".lower())) <= set(
            LAND if row.period == "1900-1949" else WATER
        )
    assert "‹bank›" in to_html(moved)


def test_what_stands_in_texts_and_names_is_escaped(moved):
    row = next(EXAMPLES.rows(moved.tables))._replace(before="<script>a</script> & ", document="<b>d</b>")
    page = to_html(replace(moved, tables=moved.tables | EXAMPLES.named([row])))
    assert "&lt;script&gt;a" in page
    assert "<script>a" not in page
    assert "<b>d" not in page


def test_periods_that_are_samplings_of_one_text_have_no_word(model, words, tmp_path):
    how = HOW | {"epochs_by": "year:1900-1949,1960-1970,1990-1999"}
    result = usage(corpus_of(texts(seed=3), tmp_path), OPTIONS, model, words=str(words), **how)
    assert "1960-1970: no document is of 1 such period, and none is compared." in result.notes
    assert {row.found for row in PAIRS.rows(result.tables)} == {0}
    assert verdicts(result)["bank"] == "undecided"


@torch.no_grad()
def naive(folder, sentences, word):
    """Vectors of a word in sentences, one after the other, and the sum and number of all words."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    found, total, number = [], 0, 0
    for text in sentences:
        read = tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
        places = read.pop("offset_mapping")[0].tolist()
        states = model(**read).last_hidden_state[0].double()
        for match in re.finditer(r"[^\W\d_]+(?:'[^\W\d_]+)*", text):
            own = [states[k] for k, (a, b) in enumerate(places) if a < match.end() and b > match.start() and a < b]
            vector = sum(own) / len(own)
            total, number = total + vector, number + 1
            found += [vector] if match[0].lower() == word else []
    return torch.stack(found) - total / number


def read(corpus, folder, word, options=OPTIONS, **how):
    text = text_of(corpus, options, HOW["epochs_by"])
    numbers = [text.corpus.vocabulary.index_of(word.encode())]
    counts = counts_of(text.corpus, numbers, text.period, 2)
    sentences = Sentences(text.corpus, options, numbers, drawn(counts, [word.encode()], 100, 0), text.period)
    return read_usages(SentenceEncoder(folder), sentences, -1, None, lambda _: None, **how)


@pytest.mark.parametrize(
    ("kind", "tokenizer", "side"),
    [
        ("bert", word_pieces(), "right"),
        ("bert", word_pieces(lowercase=False), "left"),
        ("roberta", bytes_in_pairs(), "left"),
    ],
    ids=["small letters", "capitals, padded on the left", "bytes, padded on the left"],
)
def test_vectors_are_those_of_single_sentences_less_the_mean_of_all_their_words(kind, tokenizer, side, tmp_path):
    tokenizer.padding_side = side
    folder = save(tmp_path / "model", kind=kind, tokenizer=tokenizer)
    rows = list(texts(documents=4))
    found = read(corpus_of(rows, tmp_path), folder, "unhappily")
    own = [part for _, _, text in rows for part in re.findall(r"[^.]+\.", text) if "unhappily" in part.lower()]
    assert found.read["of several pieces"] >= 8
    assert np.allclose(found.vectors, naive(folder, [part.strip() for part in own], "unhappily").numpy(), atol=1e-4)


def test_a_folder_that_reads_small_letters_gets_them(words, tmp_path):
    small, capitals = (save(tmp_path / f"{one}", tokenizer=word_pieces(lowercase=one)) for one in (True, False))
    corpus = corpus_of(texts(1.0), tmp_path)

    def rows(folder):
        return repr([*COMPARED.rows(usage(corpus, OPTIONS, folder, words=str(words), **HOW).tables)])

    before = rows(capitals)
    (capitals / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    assert rows(capitals) == rows(small) != before


@torch.no_grad()
def test_the_other_words_of_its_own_sentence_are_taken_out(model, tmp_path):
    rows = [
        (f"d{k}", year, f"The bank of {own}. Bank!") for k, (year, own) in enumerate(((1901, "stone"), (1995, "water")))
    ]
    found = read(corpus_of(rows, tmp_path), model, "bank", by_sentence=True)
    tokenizer, encoder = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
    for k, text in enumerate(("The bank of stone.", "Bank!", "The bank of water.", "Bank!")):
        states = encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
        own = states[2] - states[[1, 3, 4]].mean(0) if "of" in text else states[1]  # alone it is as it is
        assert np.allclose(found.vectors[k], own, atol=1e-4)


def test_an_occurrence_behind_the_end_of_the_window_is_read(tmp_path):
    folder = save(tmp_path / "model", limit=16)
    long = " ".join(["water river stone"] * 30)
    rows = [(f"d{k}", year, f"{long} {'stone ' * k}bank.") for k, year in enumerate([1901, 1902, 1991, 1992])]
    found = read(corpus_of(rows, tmp_path), folder, "bank")
    assert [one.document for one in found.chosen] == [0, 1, 2, 3]
    assert found.read["cut passages"] == 4
    assert np.isfinite(found.vectors).all()
    assert found.chosen[0].before.startswith("… ")
    assert len(found.chosen[0].before) < 120


def test_a_sentence_that_is_repeated_counts_once_a_period(model, tmp_path):
    rows = [
        (f"d{k}", year, "The river bank. The bank of stone.") for k, year in enumerate([1901, 1902, 1903, 1991, 1992])
    ]
    options = CorpusOptions(min_count=1, as_is=True, id_column="id", date_column="year", drop_duplicates=False)
    found = read(corpus_of(rows, tmp_path, options), model, "bank", options=options)
    assert [one.document for one in found.chosen] == [0, 0, 3, 3]
    assert found.read["repeated"] == 6


def test_usages_are_spread_over_documents_and_their_draw_depends_on_the_word_alone(model, tmp_path):
    rows = [
        (f"d{k}", 1901 + k if k < 5 else 1995, f"The bank {'of stone ' * k}. " * (9 if k else 2)) for k in range(10)
    ]
    options = CorpusOptions(min_count=1, as_is=True, id_column="id", date_column="year", drop_duplicates=False)
    text = text_of(corpus_of(rows, tmp_path, options), options, HOW["epochs_by"])
    numbers = [text.corpus.vocabulary.index_of(word) for word in (b"stone", b"bank")]
    both = drawn(counts_of(text.corpus, numbers, text.period, 2), [b"stone", b"bank"], 14, 0)
    alone = drawn(counts_of(text.corpus, numbers[1:], text.period, 2), [b"bank"], 14, 0)
    assert {k: own[1] for k, own in both.items()} == {k: own[0] for k, own in alone.items()}
    assert sorted(len(alone[k][0]) for k in range(5)) == [2, 3, 3, 3, 3]
    assert [sum(len(alone[k][0]) for k in part) for part in (range(5), range(5, 10))] == [14, 14]


def counted_words(documents, words=50):
    """A corpus in which words stand in every document, up to three times."""
    rng = np.random.default_rng(documents)
    texts = [rng.permutation(np.repeat(np.arange(words), rng.integers(0, 4, words))) for _ in range(documents)]
    ends = np.cumsum([0, *map(len, texts)])
    tokens = np.concatenate(texts).astype(np.int32)
    corpus = SimpleNamespace(vocabulary=range(words), texts=ends, documents=np.arange(documents + 1), tokens=tokens)
    return corpus, texts, rng.integers(0, 3, documents)


def test_words_are_counted_as_by_a_loop_whatever_the_blocks(monkeypatch):
    monkeypatch.setattr("gpustab.studies.usage.usages._TOKENS", 100)
    corpus, texts, period = counted_words(30)
    words = [7, 0, 49]
    found = counts_of(corpus, words, period, 4)  # of the last period there is no document
    for word, each in zip(words, found, strict=True):
        for k, own in enumerate(each):
            wanted = [(d, int((text == word).sum())) for d, text in enumerate(texts) if period[d] == k]
            assert list(zip(own.documents, own.counts, strict=True)) == [one for one in wanted if one[1]]


def test_counts_take_few_bytes_for_a_word_in_a_document(monkeypatch):
    monkeypatch.setattr("gpustab.studies.usage.usages._TOKENS", 2000)
    corpus, _, period = counted_words(600)
    tracemalloc.start()
    counts_of(corpus, range(50), period, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 600 * 50  # as pairs of Python's numbers they took 61 bytes each


def test_of_a_longer_text_no_more_usages_are_read():
    for documents in (60, 240):
        corpus, _, period = counted_words(documents, 2)
        wanted = drawn(counts_of(corpus, [0, 1], period, 3), [b"a", b"b"], 10, 0)
        assert sum(len(places) for own in wanted.values() for places in own.values()) == 60


def test_a_stopped_call_goes_on_with_the_same_numbers(model, words, tmp_path, monkeypatch):
    corpus = corpus_of(texts(1.0, 10), tmp_path)
    monkeypatch.setattr("gpustab.studies.usage.usages._CHARACTERS", 400)
    whole = usage(corpus, OPTIONS, model, words=str(words), **HOW)

    def stop(_, part):
        if part > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        usage(corpus, OPTIONS, model, words=str(words), finished=tmp_path / "kept", progress=stop, **HOW)
    there = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").rglob("*.safetensors")}
    assert there
    again = usage(corpus, OPTIONS, model, words=str(words), finished=tmp_path / "kept", **HOW)
    assert {path: path.stat().st_mtime_ns for path in there} == there
    assert dict(again.tables["words"]).__repr__() == dict(whole.tables["words"]).__repr__()


def test_judged_words_are_ranked_by_all_measures_over_the_same_words(model, tmp_path):
    path = tmp_path / "truth.tsv"
    path.write_text(
        "word\tchange\nbank\t1\nunhappily\t0\nstone\t0.1\nwater\t0.9\nwalked\t0.2\ncafés\t0.5\n", encoding="utf-8"
    )
    corpus = corpus_of(texts(0.5), tmp_path)
    result = usage(corpus, OPTIONS, model, truth=str(path), truth_columns=("change:changed",), **HOW)
    assert [(row.measure, row.words) for row in TRUTH.rows(result.tables)] == [("apd", 5), ("prt", 5), ("jsd", 5)]
    assert any("1 of 6 words is not ranked, without a test: cafés." in note for note in result.notes)


def test_three_periods_are_compared_one_after_the_other(model, words, tmp_path):
    rows = [(name, 1900 + k % 3 * 10, text) for k, (name, _, text) in enumerate(texts(0.0, 30))]
    how = {"epochs_by": "year:1900-1929:10", "deals": 99}
    result = usage(corpus_of(rows, tmp_path), OPTIONS, model, words=str(words), **how)
    assert [(row.first, row.second) for row in PAIRS.rows(result.tables, measure="apd")] == [
        ("1900-1909", "1910-1919"),
        ("1910-1919", "1920-1929"),
    ]
    assert sum(": of " in said or ": on average" in said for said in result.verdict) == 2


def test_words_are_drawn_of_those_in_enough_documents_of_every_period(model, tmp_path):
    result = usage(corpus_of(texts(), tmp_path), OPTIONS, model, targets=3, **HOW)
    assert len(set(result.tables["words"]["word"])) == 3
    assert "no test" not in verdicts(result).values()
    assert "3 of 10 words were drawn at random" in result.notes[0]


def test_what_cannot_be_asked_is_refused(model, words, tmp_path):
    corpus = corpus_of(texts(), tmp_path)
    sentences = CorpusOptions(min_count=1, as_is=True, id_column="id", date_column="year", unit="sentence")
    for options, how, said in (
        (OPTIONS, {"epochs_by": ""}, "which periods"),
        (OPTIONS, {"epochs_by": "year:1900-1949,1940-1999"}, "no year is in two"),
        (OPTIONS, {"epochs_by": "year:1700-1749,1750-1799"}, "fewer than two such periods"),
        (OPTIONS, {"truth_columns": ("a:changed",)}, "has no effect"),
        (OPTIONS, {"layer": 7}, "has the layers 0 to 2"),
    ):
        with pytest.raises(InputError, match=said):
            usage(corpus, options, model, words=str(words), **HOW | how)
    with pytest.raises(InputError, match="sentences of one document are alike"):
        usage(corpus_of(texts(), tmp_path, sentences), sentences, model, words=str(words), **HOW)
    (tmp_path / "none.txt").write_text("nowhere\n")
    with pytest.raises(InputError, match="none of 1 word is in"):
        usage(corpus, OPTIONS, model, words=str(tmp_path / "none.txt"), **HOW)


def test_words_stand_in_the_order_that_the_page_names():
    rows = [compared(word=word, beyond=beyond, q=q) for word, beyond, q in ORDER]
    assert [row.word for row in leading(rows)] == ["terror", "train", "mail", "the"]


ORDER = [("mail", 0.5, 0.2), ("train", 0.03, 0.0001), ("the", 0.1, 0.3), ("terror", 0.05, 0.01)]


def test_a_word_that_is_found_though_its_interval_holds_0_is_explained(moved):
    for se, said in ((0.01, False), (0.1, True)):
        rows = [row._replace(se=se) for row in COMPARED.rows(moved.tables)]
        page = to_html(replace(moved, tables=moved.tables | COMPARED.named(rows)))
        assert ("It holds 0 for bank: how far apart these usages lie cannot be told." in page) == said


def test_where_most_words_differ_the_page_names_the_way_to_take_style_out():
    assert "--centre sentence takes out" in DIFFER.sentence(pair())
    assert "--centre" not in DIFFER.sentence(pair(centre="sentence"))


def test_documents_that_may_be_alike_are_told_by_what_this_study_does(model, words, tmp_path):
    path = tmp_path / "text.csv"
    rows = [
        f'{name},{year},Author {chr(97 + k // 52)}{chr(97 + k // 2 % 26)},"{text}"'
        for k, (name, year, text) in enumerate(texts(documents=30))
    ]
    path.write_text("\n".join(["id,year,by,text", *rows]), encoding="utf-8")
    for unit in ("document", "by"):
        options = replace(OPTIONS, unit=unit)
        result = usage(prepare_corpus(path, options, look=False), options, model, words=str(words), **HOW)
        assert ("too many words are found: say --unit by." in " ".join(result.notes)) == (unit == "document")
        assert ("leaving out one by after the other" in to_html(result)) == (unit == "by")


def test_a_text_is_called_by_its_name_in_the_title():
    """A page had the whole path there."""
    rows = {USED.name: USED.table()}
    groups = [{"name": name, "usages": 3} for name in ("1800", "1900")]
    result = Content("usage", {"corpus": "/home/me/texts/dated.tsv", "model": "mini"}, groups=groups, tables=rows)
    title, _ = heading(result)
    assert title == "Which words are used differently in 1800 and 1900 of dated.tsv?"
