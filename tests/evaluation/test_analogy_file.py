import pytest

from gpustab import InputError
from gpustab.evaluation import read_analogies
from gpustab.evaluation.files import NO_SECTION


def write(tmp_path, content):
    path = tmp_path / "questions.txt"
    path.write_bytes(content)
    return path


def test_sections(tmp_path):
    content = b"// a comment\n: royal family\na b c d\r\ne\tf  g h\n: empty\n\n:last\n:-) b :-( d\n"
    test = read_analogies(write(tmp_path, content))
    assert [(s.name, len(s.questions)) for s in test.sections] == [("royal family", 2), ("empty", 0), ("last", 1)]
    assert test.sections[0].questions == ((b"a", b"b", b"c", b"d"), (b"e", b"f", b"g", b"h"))
    assert test.sections[2].questions == ((b":-)", b"b", b":-(", b"d"),)
    assert (test.name, len(test)) == ("questions.txt", 3)


def test_sections_are_optional(tmp_path):
    test = read_analogies(write(tmp_path, b"a b c d\n: named\ne f g h\n"))
    assert [s.name for s in test.sections] == [NO_SECTION, "named"]
    assert [s.name for s in read_analogies(write(tmp_path, b"a b c d\n")).sections] == [NO_SECTION]


def test_words_end_only_at_blanks_and_tabs(tmp_path):
    question = "a\u00a0b c\u2028d é\u0085 ü".encode()
    assert read_analogies(write(tmp_path, question)).sections[0].questions == (tuple(question.split(b" ")),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b": s\na b c d\na b c\n", "line 3: 3 words, wanted 4 or ': section': 'a b c'"),
        (b"a b c d e\n", "line 1: 5 words"),
        (b": only\n: sections\n", "there are no questions"),
    ],
)
def test_a_bad_file_is_named(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_analogies(write(tmp_path, content))


def test_the_built_in_test():
    test = read_analogies("questions-words")
    assert (test.name, len(test), len(test.sections)) == ("questions-words", 19_544, 14)
    assert test.sections[-1].questions[-1] == (b"write", b"writes", b"work", b"works")
