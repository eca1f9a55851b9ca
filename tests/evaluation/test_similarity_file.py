import pytest

from gpustab import InputError
from gpustab.evaluation import read_similarity

PAIRS = ((b"love", b"sex"), (b"tiger", b"cat"), (b"book", b"paper"), (b"king", b"cabbage"))
READ = "pairs.txt: words are columns 1 and 2, scores column 3."
GOLD = (6.77, 7.35, 7.46, 0.23)


def write(tmp_path, content):
    path = tmp_path / "pairs.txt"
    path.write_bytes(content)
    return path


def rows(delimiter, end=b"\n", extra=b""):
    return b"".join(
        delimiter.join([a, b, str(gold).encode()]) + extra + end for (a, b), gold in zip(PAIRS, GOLD, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("tab", b"\t"), ("space", b" "), ("comma", b","), ("semicolon", b";"), ("comma", b", "), ("space", b"   ")],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_delimiters_are_found(tmp_path, name, delimiter, end):
    test = read_similarity(write(tmp_path, rows(delimiter, end)))
    assert (test.pairs, test.gold) == (PAIRS, GOLD)
    assert (test.delimiter, test.column, test.unread, test.header, test.notes) == (name, 3, 0, None, (READ,))


def test_header_and_comments(tmp_path):
    content = b"# a comment\nWord 1,Word 2,Human (mean)\n" + rows(b",") + b"\n# the end\n"
    test = read_similarity(write(tmp_path, content))
    assert (test.pairs, test.header, test.comments) == (PAIRS, b"Word 1,Word 2,Human (mean)", 2)
    assert any("taken for a header: Word 1,Word 2" in note for note in test.notes)


def test_the_score_is_the_column_that_is_called_so(tmp_path):
    """As in SimLex-999: a part of speech before the score, further numbers after it."""
    content = b"word1\tword2\tPOS\tSimLex999\tconc(w1)\nold\tnew\tA\t1.58\t2.72\nsmart\tbad\tA\t9.2\t1.75\n"
    test = read_similarity(write(tmp_path, content))
    assert (test.gold, test.column, test.unread) == ((1.58, 9.2), 4, 2)
    said = "words are columns 1 'word1' and 2 'word2', scores column 4 'SimLex999'; 2 other columns are not read."
    assert f"pairs.txt: {said}" in test.notes


def test_words_may_hold_what_is_not_the_delimiter(tmp_path):
    content = b'New York\tLos Angeles\t5\n1,2\t3;4\t6\n"a"\tb c\t7\n'
    test = read_similarity(write(tmp_path, content))
    assert test.pairs == ((b"New York", b"Los Angeles"), (b"1,2", b"3;4"), (b'"a"', b"b c"))


def test_quotes_of_comma_separated_fields_are_no_part_of_the_words(tmp_path):
    assert read_similarity(write(tmp_path, rows(b",").replace(b"love", b'"love"'))).pairs == PAIRS


def test_repeated_pairs_are_kept_and_reported_in_either_order(tmp_path):
    test = read_similarity(write(tmp_path, b"b a 1\na b 2\na a 3\nc d 4\nc d 5\n"))
    assert (len(test.pairs), test.duplicates) == (5, ((b"b", b"a"), (b"c", b"d")))
    assert test.notes[1:] == ("Pairs that occur more than once, every time counted: 2 (b a, c d)",)


def test_tails_stay_with_the_words(tmp_path):
    """They are left out where vectors are looked up, if these know the bare word alone."""
    path = write(tmp_path, b"sun-n sunlight-n 50\nred-j x-ray-n 4\nwell-off-j e-v 1\n")
    assert read_similarity(path).pairs[0] == (b"sun-n", b"sunlight-n")


def test_words_that_are_no_utf8_stay_as_they_are(tmp_path):
    assert read_similarity(write(tmp_path, b"caf\xe9\tth\xe9\t3\na\tb\t4\n")).pairs[0] == (b"caf\xe9", b"th\xe9")


def test_a_single_pair_without_header(tmp_path):
    assert read_similarity(write(tmp_path, b"a b 1")).gold == (1.0,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (rows(b"\t") + b"a\tb\n", r"line 5: field 3 \(tab-separated\) is nothing, wanted a number"),
        (rows(b"\t") + b"a\tb\tn/a\n", r"line 5: field 3 \(tab-separated\) is 'n/a'"),
        (rows(b" ") + b"a b nan\n", "line 5: field 3 .space-separated. is 'nan'"),
        (rows(b" ") + b"New York London 3\n", "line 5: field 3 .space-separated. is 'London'"),
        (rows(b"\t") + b"\ta\t3\n", "line 5: a word is empty"),
        (b"a b\nc d\n", "no line holds two words and a number.*line 1 is 'a b'"),
        (b"a;b;6,77\n", "no line holds two words and a number.*decimal commas are not read, write 6.77 for 6,77"),
        (b"# only\n# comments\n", "no line holds two words and a number"),
    ],
)
def test_a_bad_line_is_named(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_similarity(write(tmp_path, content))


@pytest.mark.parametrize(("name", "pairs"), [("wordsim353", 353), ("simlex999", 999)])
def test_built_in_tests(name, pairs):
    test = read_similarity(name)
    assert (test.name, len(test.pairs), test.delimiter, test.header, test.unread) == (name, pairs, "tab", None, 0)
    assert min(test.gold) >= 0
    assert max(test.gold) <= 10


def test_a_hash_begins_words_too(tmp_path):
    """F54: hashtags are words; a comment has a blank after its sign, or stands above all pairs without a score."""
    content = b"#made by hand\n#metoo\twomen\t9\ncat\tdog\t8\n#cat\t#dog\t1\n# 3\tthe\t4\n"
    test = read_similarity(write(tmp_path, content))
    assert test.pairs == ((b"#metoo", b"women"), (b"cat", b"dog"), (b"#cat", b"#dog"))
    assert test.comments == 2
    assert test.notes[1:] == ("Lines that begin with # and hold no pair, taken for comments: 2",)
    assert read_similarity(write(tmp_path, b"#metoo women 9\n")).pairs == ((b"#metoo", b"women"),)
    with pytest.raises(InputError, match="line 2: field 3"):
        read_similarity(write(tmp_path, b"cat\tdog\t8\n#cat\t#dog\n"))
