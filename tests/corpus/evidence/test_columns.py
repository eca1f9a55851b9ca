"""A word a line, words with numbers, words with tags: told by rows, and read by a column."""

import random

import pytest

from gpustab import InputError
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from tests.corpus.evidence.conftest import leads_on, prose

SENTENCES = [sentence.rstrip(".").split() for sentence in prose(12)]


def rows(cells, between="\n", sep="\t"):
    return between.join("".join(f"{sep.join(cells(word))}\n" for word in words) for words in SENTENCES)


VERTICAL = {
    "sketch engine in elements of its own": "<debate id='1'>\n<turn who='x'>\n"
    + rows(lambda w: [w, w.lower(), "N"], "</turn>\n<turn who='y'>\n")
    + "</turn>\n</debate>\n",
    "with an XML head": "<?xml version='1.0'?>\n<c><text>\n<s>\n"
    + rows(lambda w: [w, "N", w.lower()], "</s>\n<s>\n")
    + "</s>\n</text></c>\n",
    "a number sign before each text": "##701\n" + rows(lambda w: [w, w.lower(), "nn1"], "@\t@\tii\n##702\n"),
    "numbered tokens with comments": "# newdoc id = a\n# text = x\n"
    + "\n".join(
        "".join(f"{i}\t{w}\t{w.lower()}\tX\t_\t_\t0\troot\t_\t_\n" for i, w in enumerate(ws, 1)) for ws in SENTENCES
    ),
    "two columns": rows(lambda w: [w, "NOUN"], "\n"),
    "a cell lost now and then": rows(lambda w: [w, w.lower(), "N"] if w != "bees" else [w, "N"], "\n"),
    "no marks at all": rows(lambda w: [w, w.lower(), "TAG"], ""),
}


@pytest.mark.parametrize("kind", VERTICAL)
def test_a_word_a_line_is_named_and_read_by_its_column(look, kind, tmp_path):
    found = look(VERTICAL[kind])
    assert [doubt.kind for doubt in found.doubts] == ["columns"]
    assert found.strong
    assert leads_on(look, VERTICAL[kind], "columns")
    with pytest.raises(InputError, match=r"a word a line: .* say column='[12]' for 'The|a word a line: .* say column="):
        prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1))
    column = "2" if "numbered" in kind else "1"
    corpus = prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1, column=column, drop_duplicates=False))
    words = {word.lower() for sentence in SENTENCES for word in sentence}
    assert {word.decode() for word in corpus.vocabulary} == words
    assert len(corpus.tokens) == sum(map(len, SENTENCES))
    assert prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1, as_is=True)).evidence.strong


def test_sentences_and_documents_of_a_word_a_line(look):
    named = VERTICAL["sketch engine in elements of its own"].replace("</turn>\n<turn who='y'>", "</turn>\n<turn>", 1)
    assert look(named, column="1").documents == 1  # no element comes again that holds others
    two = "".join(f"<text>\n<s>\n{rows(lambda w: [w, 'N'], f'</s>{chr(10)}<s>{chr(10)}')}</s>\n</text>\n" for _ in "ab")
    found = look(two, column="1", unit="sentence")
    assert (found.documents, found.sentences) == (1, 12)  # the second is a copy of the first
    masked = VERTICAL["a number sign before each text"]
    assert look(masked, column="1").documents == 12
    assert look("1-2\tdu\t_\n1\tde\tde\n2\tle\tle\n3\tlac\tlac\n", column="2").frequent == (("du", 1), ("lac", 1))


@pytest.mark.parametrize(
    "lines",
    [
        [f"{n}\t{one}" for n, one in enumerate(prose(40))],  # a number and a text
        [f"{one}\t{other}" for one, other in zip(prose(40), prose(40, 1), strict=True)],  # two texts
        prose(40),
        [" ".join(one.split()[:3]) for one in prose(40)],  # verse of three words each
    ],
)
def test_texts_are_no_rows(look, lines):
    options = {"column": "2"} if "\t" in lines[0] else {}
    assert not {"columns", "counts", "tags"} & {doubt.kind for doubt in look("\n".join(lines), **options).doubts}


@pytest.mark.parametrize(
    "line",
    ["{w}\t{n}", "{n} {w}", "{w},{n}", "{n}\t{w}\t{n}", "{w} 0.{n} -1.{n} 2e-{n} 0.5"],
    ids=["counted", "count first", "with commas", "ranked", "vectors"],
)
def test_words_with_numbers_are_no_text(look, line):
    words = [f"{a}{b}" for a in ("war", "peace", "house", "river") for b in "abcdefg"]
    found = look("".join(f"{line.format(w=w, n=n + 2)}\n" for n, w in enumerate(words)), "a.text")
    assert [doubt.kind for doubt in found.strong] == ["counts"]


@pytest.mark.parametrize("sign", ["/", "_", "|", "#"])
def test_words_with_tags_are_cut_apart_by_a_tokenizer(look, sign):
    chance = random.Random(1)
    text = "\n".join(" ".join(f"{w}{sign}{chance.choice(['NN', 'VB', 'art'])}" for w in one) for one in SENTENCES)
    assert leads_on(look, text, "tags")
    assert set(dict(look(text, tokenizer=rf"[^\s{sign}]+(?=[{sign}]\S)").frequent)) <= {
        word.lower() for one in SENTENCES for word in one
    }
    assert not look("\n".join(f"{one} And/or so." for one in prose(20))).strong


def test_attributes_of_documents_are_their_metadata(tmp_path):
    from gpustab.corpus.slices import epoch_slices
    from gpustab.corpus.tokenise import prepare_corpus

    docs = []
    for k in range(6):
        rows = "".join(f"{word}\tNN\t{word}\n" for word in " ".join(prose(3, seed=k)).split())
        docs.append(f'<doc id="d{k}" year="{1850 + 10 * k}" title="a b">\n<s>\n{rows}</s>\n</doc>\n')
    (tmp_path / "a.vert").write_text("".join(docs))
    for more in ({}, {"date_column": "year"}, {"id_column": "id"}):
        corpus = prepare_corpus(tmp_path / "a.vert", CorpusOptions(min_count=1, column="1", **more))
        assert [record.id for record in corpus.records] == [f"d{k}" for k in range(6)]
        assert [record.metadata["year"] for record in corpus.records] == [str(1850 + 10 * k) for k in range(6)]
        assert [len(own.corpus) for own in epoch_slices(corpus, "year:1850-1909:30")] == [3, 3]
