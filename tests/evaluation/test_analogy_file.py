import pytest

from gpustab import InputError
from gpustab.evaluation import read_analogies
from gpustab.evaluation.questions import NO_SECTION


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
        (b"a b\nc d e\n", "line 2: 3 words, wanted 2 or ': section': 'c d e'"),
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


MSR = b"good better rough JJ_JJR\nbad worse tall JJ_JJR\nhigh highest low JJ_JJS\nold oldest new JJ_JJS\n"


@pytest.mark.parametrize(
    "content",
    [
        MSR,
        b"dog dogs cat plural\nhouse houses tree plural\n",
        b"N dog dogs cat\nN house houses tree\nV go went see\nV do did eat\n",
        b"Rom Italien Paris 1\nBonn Rhein Ulm 1\nKiel Ostsee Trier 1\n",
    ],
)
def test_a_tag_is_no_answer(tmp_path, content):
    """Of the MSR set the tag was taken for the answer; its answers are in another file."""
    path = write(tmp_path, content)
    with pytest.raises(
        InputError, match=r"column [14] is a tag .* and no word, so the answers are not here"
    ) as refused:
        read_analogies(path)
    assert "word_columns='1,2,3,4' takes it" in str(refused.value)
    assert len(read_analogies(path, word_columns="1,2,3,4")) == content.count(b"\n")


def test_a_tag_beside_four_words_is_left_out(tmp_path):
    lines = MSR.replace(b"JJ_JJ", b"answer JJ_JJ").replace(b"rough answer", b"rough rougher").splitlines()
    content = b"\n".join(line.replace(b"answer", b"a%d" % k) for k, line in enumerate(lines))
    test = read_analogies(write(tmp_path, content))
    assert test.sections[0].questions[0] == (b"good", b"better", b"rough", b"rougher")
    assert test.notes == ("questions.txt: words are columns 1, 2, 3, 4.",)


def test_capitals_that_are_asked_often_are_answers(tmp_path):
    """Few states for many cities are no tags, since a state is an input, too."""
    cities = ["Austin Texas", "Dallas Texas", "Houston Texas", "Miami Florida", "Tampa Florida", "Orlando Florida"]
    content = "\n".join(f"{a} {b}" for a in cities for b in cities if a != b)
    assert len(read_analogies(write(tmp_path, content.encode()))) == 30


def test_pairs_with_several_right_answers(tmp_path):
    """BATS: two columns, and answers with strokes between them."""
    test = read_analogies(write(tmp_path, b"cat\tfeline/mammal/animal\ndog\tcanine/mammal\noak\ttree\n"))
    questions = test.sections[0].questions
    assert len(questions) == 6
    assert questions[0] == (b"cat", b"feline", b"dog", b"canine", b"mammal")
    assert test.notes[1:] == (
        "questions.txt: 3 pairs, each with each other: 6 questions.",
        "questions.txt: answers with / between them are several right ones.",
    )
    one = read_analogies(write(tmp_path, b"a/b c d e/f\n"))  # a stroke elsewhere: it is a sign of the words
    assert one.sections[0].questions == ((b"a/b", b"c", b"d", b"e/f"),)


@pytest.mark.parametrize("asked", ["1,2,3", "a,b", "0,1", "1"])
def test_wrong_columns_of_analogies_are_refused(tmp_path, asked):
    with pytest.raises(InputError, match="wanted four columns, or two of pairs"):
        read_analogies(write(tmp_path, b"a b c d\n"), word_columns=asked)
