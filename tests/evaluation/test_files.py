import gzip

import pytest

from gpustab import InputError
from gpustab.evaluation import files, read_analogies, read_similarity
from gpustab.evaluation.files import find_test, read_lines

NAMES = {"wordsim353": "wordsim353.tsv"}


def write(tmp_path, content, name="test.txt"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_lines_keep_their_numbers_and_lose_their_ends(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfa b\r\n\r\n   \nc\xc2\x85d\n\xff\xfe e")
    assert [tuple(line) for line in read_lines(path)] == [(1, b"a b"), (4, b"c\xc2\x85d"), (5, b"\xff\xfe e")]


def test_gzip_is_unpacked_and_a_torn_one_refused(tmp_path):
    whole = gzip.compress(b"".join(b"word%d other 1\n" % n for n in range(1000)))
    assert len(read_lines(write(tmp_path, whole))) == 1000
    with pytest.raises(InputError, match="incomplete or damaged"):
        read_lines(write(tmp_path, whole[: len(whole) // 2]))


@pytest.mark.parametrize("read", [read_similarity, read_analogies])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>', "XML or HTML page"),
        (b"\n\n<!DOCTYPE html>\n<html>", "XML or HTML page"),
        (b"<Error><Code>NoSuchKey</Code></Error>", "XML or HTML page"),
        ("love\tsex\t6.77\n".encode("utf-16-le"), "this is utf-16-le without its mark: save it as UTF-8"),
        (b"PK\x03\x04\0\0", "a binary file"),
    ],
)
def test_what_is_no_test_set_is_refused_by_name(tmp_path, read, content, message):
    with pytest.raises(InputError, match=message) as error:
        read(write(tmp_path, content))
    assert "test.txt" in str(error.value)


def test_a_word_in_angle_brackets_is_no_page(tmp_path):
    assert read_similarity(write(tmp_path, b"</s>\t<unk>\t1\na\tb\t2\n")).pairs[0] == (b"</s>", b"<unk>")


def test_names_come_from_gensim_and_paths_win(tmp_path, monkeypatch):
    assert find_test("wordsim353", NAMES).is_file()
    monkeypatch.chdir(tmp_path)
    own = write(tmp_path, b"a b 1", "wordsim353")
    assert find_test("./wordsim353", NAMES).samefile(own)
    assert find_test(own, NAMES) == own


def test_missing_tests_are_explained(monkeypatch):
    with pytest.raises(InputError, match=r"simlex: there is no such file.*names are wordsim353"):
        find_test("simlex", NAMES)
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install gensim"):
        find_test("wordsim353", NAMES)


def test_a_folder_is_no_test(tmp_path):
    with pytest.raises(InputError, match="folder"):
        read_analogies(tmp_path)
