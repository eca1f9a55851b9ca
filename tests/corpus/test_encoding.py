import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents

TEXT = "naïve café où l’été\nzweite Zeile\n"


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "a.txt"
        path.write_bytes(content)
        documents = open_documents(path, **options)
        return "".join(f"{document.texts[0]}\n" for document in documents), documents.notes

    return read


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marks_and_utf8_are_told(read, encoding, caplog):
    assert read(TEXT.encode(encoding))[0] == TEXT
    assert not caplog.text


def test_what_is_not_utf8_is_cp1252_and_said_with_three_words(read, caplog):
    text, notes = read(TEXT.encode("cp1252"))
    assert text == TEXT
    assert "in cp1252" in notes[0]
    assert "not UTF-8, so read as cp1252 (naïve, café, où)" in notes[1]
    assert notes[1] in caplog.text


def test_another_guess_is_only_told(read):
    pytest.importorskip("charset_normalizer")
    russian = "Привет мир, это русский текст о погоде\n" * 5
    text, notes = read(russian.encode("cp1251"))
    assert text == russian.encode("cp1251").decode("cp1252")
    assert "(Ïðèâåò, ìèð, ýòî); charset-normalizer would say cp1251" in notes[1]
    assert read(russian.encode("cp1251"), encoding="cp1251")[0] == russian


def test_a_damaged_utf8_file_is_no_cp1252(read):
    with pytest.raises(InputError, match=r"line 3, byte offset 43: 0xE9 is not UTF-8 here; 6 characters .* 1 bytes"):
        read(TEXT.encode() + b"caf\xe9\n")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "koi8-r", "UTF8"])
def test_a_chosen_encoding_is_taken(read, encoding):
    text = "naive\n" if encoding == "koi8-r" else "naïve\n"
    assert read(text.encode(encoding), encoding=encoding)[0] == text


def test_a_chosen_encoding_that_does_not_fit_is_refused_at_its_place(read):
    with pytest.raises(
        InputError, match=r"line 2, byte offset 5: 0xE9 is not UTF-8 here; say another encoding, or err"
    ):
        read(b"one\na\xe9\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"byte offset 5: 0xE9 is not ascii here"):
        read(b"one\na\xe9\n", encoding="ascii")
    assert read(b"a\xe9\n", encoding="ascii", errors="replace")[0] == "a\ufffd\n"
    with pytest.raises(InputError, match="encoding is 'klingon', wanted 'auto' or a codec such as"):
        read(b"a", encoding="klingon")
    with pytest.raises(InputError, match="encoding is 'zlib'"):
        read(b"a", encoding="zlib")
