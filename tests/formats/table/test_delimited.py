"""Tables in text: CSV, TSV and their kin."""

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.table.delimited import find_layout

WORDS = ["the", "New York", 'a"b', "x,y", "nan", "NA", "1914", "été", " ", "#metoo"]
VALUES = np.random.default_rng(0).standard_normal((len(WORDS), 5))


@pytest.fixture
def read(tmp_path):
    def read_it(content, **options):
        path = tmp_path / "x.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_space(path, LoadOptions(**options))

    return read_it


def right(space, words=WORDS, values=VALUES):
    assert [word.decode() for word in space.vocabulary] == words
    assert np.array_equal(space.vectors.numpy(), values.astype(np.float32))
    return space.report


def frame():
    return pd.DataFrame(VALUES, index=pd.Index(WORDS, name="word"))


FORMS = {
    "words as index": lambda: frame().to_csv(),
    "no name above the words": lambda: frame().rename_axis(None).to_csv(),
    "no line of names": lambda: frame().to_csv(header=False),
    "row numbers first": lambda: frame().reset_index().to_csv(),
    "semicolons": lambda: frame().to_csv(sep=";"),
    "tabs": lambda: frame().to_csv(sep="\t"),
    "tabs and row numbers": lambda: frame().reset_index().to_csv(sep="\t"),
    "row numbers without names": lambda: frame().reset_index().to_csv(header=False),
    "words last": lambda: frame().assign(token=WORDS).to_csv(index=False),
    "named dimensions": lambda: frame().add_prefix("dim_").to_csv(),
    "all quoted": lambda: frame().to_csv(quoting=csv.QUOTE_ALL),
    "CRLF": lambda: frame().to_csv(lineterminator="\r\n"),
    "blanks after commas": lambda: frame().drop(" ").to_csv().replace(",", ", ").replace("x, y", "x,y"),
    "R's write.table": lambda: r_table(" "),
    "R's write.csv": lambda: r_table(",", corner='"",'),
}


def test_a_column_named_count_is_one_and_a_dimension_of_zeros_or_ones_is_none(read):
    counts, plain = list(range(90, 80, -1)), frame().set_axis(list("abcde"), axis=1)
    named = plain.assign(seen=counts)
    with pytest.raises(InputError, match=r"column 7 'seen' has whole numbers .* name it 'count'"):
        read(named.to_csv())
    assert right(read(named.rename(columns={"seen": "count"}).to_csv())).notes
    assert right(read(frame().assign(seen=counts).to_csv()))  # beside columns that are numbered it is none of them
    for same in (0, 1, 0.0):
        assert read(plain.assign(dead=same).to_csv()).vectors.shape[1] == 6
    whole = plain.mul(10).round().astype(int).assign(seen=counts)
    assert read(whole.to_csv()).vectors.shape[1] == 6


def r_table(between, corner=""):
    rows = [
        between.join([f'"{w.replace(chr(34), chr(34) * 2)}"', *map(repr, x.tolist())])
        for w, x in zip(WORDS, VALUES, strict=True)
    ]
    return "\n".join([corner + between.join(f'"V{i}"' for i in range(1, 6)), *rows]) + "\n"


@pytest.mark.parametrize("form", FORMS)
def test_every_word_and_value_of_a_table(read, form):
    space = read(FORMS[form]())
    if form == "blanks after commas":
        keep = [i for i, word in enumerate(WORDS) if word != " "]
        right(space, [WORDS[i] for i in keep], VALUES[keep])
    else:
        assert right(space).format.startswith("table (")


def test_gzip_and_byte_order_mark(read):
    right(read(gzip.compress(frame().to_csv().encode())))
    assert any("byte-order mark" in note for note in right(read(b"\xef\xbb\xbf" + frame().to_csv().encode())).notes)


@pytest.mark.parametrize("names", ["word;x;y\n", ""])
def test_the_line_for_excel_is_passed_over(read, names):
    space = read(f"\ufeffsep=;\r\n{names}cat;0.5;0.25\ndog;1;2\n")
    right(space, ["cat", "dog"], np.array([[0.5, 0.25], [1, 2]]))
    with pytest.raises(InputError, match=f"line {3 + bool(names)}, "):
        read(f"sep=;\n{names}cat;0.5;0.25\ndog;1;two\n" + "sun;1;2\n" * 9)


def test_counts_and_other_columns_are_told_apart(read):
    table = frame().add_prefix("d").assign(count=range(10), pos="N", year=1914).reset_index()
    space = read(table.to_csv(index=False))
    assert right(space).notes[:3] == (
        "the words are column 1 'word', the vectors 5 columns from column 2 'd0' to column 6 'd4'",
        "the counts are column 7 'count'",
        "2 other column(s) were not read: column 8 'pos', column 9 'year'",
    )
    assert space.counts.tolist() == list(range(10))


def test_the_column_of_words_is_asked_for_where_it_is_not_clear(read):
    table = frame().add_prefix("d").reset_index(names="left").assign(right=[f"r{i}" for i in range(10)])
    content = table.to_csv(index=False)
    with pytest.raises(
        InputError, match=r"the words may be column 1 'left' or column 7 'right'; columns are .*; choose by"
    ):
        read(content)
    right(read(content, word_column="left"))
    right(read(content, word_column="7"), [f"r{i}" for i in range(10)])
    with pytest.raises(InputError, match="there is no column word_column='middle'; columns are 'left'"):
        read(content, word_column="middle")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word,0,1\na,1.5,2\nb,x,3\nc,1,2\n", r"x\.csv: line 3, column 2 \(0\): 'x' is not a number"),
        ("word,0,1\na,1.5,2\nb,,3\nc,1,2\n", r"line 3, column 2 \(0\): there is no value"),
        ("word,0,1\na,1.5,2\nb,1_0,3\nc,1,2\n", "'1_0' is not a number"),
        ("word;0;1\na;1,5;2,5\nb;1,0;2,0\n", r"line 2, column 2 \(0\): '1,5' is not a number \(decimal commas"),
        ("word,0,1\n" + "a,1.5,2\n" * 20 + "b,3\n", "line 22: 2 fields, wanted 3"),
        ("word,0,1\na,1.5,2\n,1.5,2\n", "line 3: the word is empty; skip_empty_tokens passes"),
        ("word,0,1\na,1.5,2\nb,nan,2\n", "not finite in float32: 'b' on line 3"),
        (
            "word,0,1\n" + "a,1.5,2\n" * 40 + '",1,2\nb,3,4\n",5,6\n',
            "line 44: the word ends here and began on an earlier",
        ),
        ("word,0,1\n" + "a,1.5,2\n" * 40 + '"b,1,2\n', "is a quote not closed"),
        (
            "year,0,1\n1914,1.5,2\n1915,3,4\n",
            "no column holds words; columns are 'year', '0', '1'; choose by word_column",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(read, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read(content, dim=None)
    assert "\n" not in str(caught.value)


def test_numbers_may_be_words(read):
    assert list(read("year,0,1\n1914,1.5,2\n1915,3,4\n", word_column="year").vocabulary) == [b"1914", b"1915"]


def test_options_of_rows_hold_for_tables(read):
    content = frame().to_csv()
    assert len(read(content, limit=3).vocabulary) == 3
    assert read(content, only=["NA", "the"]).vocabulary[1] == b"NA"
    assert len(read("word,0,1\na,1.5,2\n,1.5,2\nc,0,.5\n", skip_empty_tokens=True).vocabulary) == 2
    cut = gzip.compress(frame().to_csv().encode())[:-30]
    with pytest.raises(InputError, match="damaged download"):
        read(cut)
    assert len(read(cut, allow_truncated=True).vocabulary) < 10


@pytest.mark.parametrize(
    "content",
    [
        "a 1,2,3\nb 4,5,6\n",
        ", 0.1 0.2\n. 0.3 0.4\n",
        "1,234 0.1 0.2\n5,6 0.3 0.4\n",
        "a,b\t1\t2\nc,d\t3\t4\n",
        '" .1 .2\n" .1 .3\na .1 .2\n',
    ],
)
def test_text_of_vectors_is_not_taken_for_a_table(content):
    assert find_layout(content.encode()) is None


def test_many_rows_are_exact(read):
    rng = np.random.default_rng(1)
    words, values = (
        [f"w{i}" for i in range(4_001)],
        rng.standard_normal((4_001, 3)) * 10.0 ** rng.integers(-30, 30, (4_001, 1)),
    )
    stream = io.StringIO()
    pd.DataFrame(values, index=words).to_csv(stream)
    right(read(stream.getvalue()), words, values)


NUMERIC = ["0", "nan", "null", "NA", "1e5", "inf", "true", "1914", "-", "1.5", "None", "007", "3"]
OF_INDEX = {
    "called 0": (lambda f: f.to_csv(), "1"),
    "called 0, semicolons": (lambda f: f.to_csv(sep=";"), "1"),
    "called 0, tabs": (lambda f: f.to_csv(sep="\t"), "1"),
    "without a line of names": (lambda f: f.to_csv(header=False), "1"),
    "without a name": (lambda f: f.rename_axis(None).to_csv(), "1"),
    "as a column": (lambda f: f.reset_index().to_csv(), "2"),
    "called 7": (lambda f: f.rename_axis("7").to_csv(), "7"),
    "called 3": (lambda f: f.rename_axis("3").to_csv(), "1"),
    "last": (lambda f: f.assign(w=f.index).to_csv(index=False), "6"),
    "last, by name": (lambda f: f.assign(w=f.index).to_csv(index=False), "w"),
}


@pytest.mark.parametrize("form", OF_INDEX)
def test_words_that_look_like_numbers_are_read_by_the_way_that_is_named(read, form):
    """Also where their column has a number for a name: then nothing but its place says which it is."""
    values = VALUES[[*range(10), 0, 1, 2]] * 1.5
    write, column = OF_INDEX[form]
    content = write(pd.DataFrame(values, index=pd.Index(NUMERIC, name="0")))
    if form not in ("called 0, tabs", "last", "last, by name", "as a column", "without a name"):
        with pytest.raises(InputError, match=r"choose by word_column=\.\.\."):
            read(content)
    right(read(content, word_column=column), NUMERIC, values)


def test_a_number_is_a_place_unless_words_have_it_as_a_name(read):
    table = pd.DataFrame(VALUES).assign(w=WORDS)
    right(read(table[["w", 0, 1, 2, 3, 4]].to_csv(index=False), word_column="1"))
    right(
        read(table.rename(columns={"w": "1"})[[0, 2, "1", 3, 4]].to_csv(index=False), word_column="1"),
        values=VALUES[:, [0, 2, 3, 4]],
    )


BRACKETED = {
    "the [0.1, 0.2]": ("{w} [{commas}]", ""),
    "the,[0.1 0.2]": ("{w},[{blanks}]", ""),
    'the,"[0.1, 0.2]"': ('{w},"[{commas}]"', "word,vector\n"),
    '["the", 0.1, 0.2]': ('["{w}", {commas}]', ""),
    "the [0.1 0.2] with tabs": ("{w}\t[ {blanks} ]", ""),
    "('the', [0.1, 0.2])": ("('{w}', [{commas}])", ""),
}


@pytest.mark.parametrize("form", BRACKETED)
def test_vectors_in_brackets_are_named(read, form):
    line, head = BRACKETED[form]
    words = ["the", "of", "a", "fire", ",", "["]
    rows = [
        line.format(w=w, commas=", ".join(map(str, x)), blanks=" ".join(map(str, x)))
        for w, x in zip(words, VALUES, strict=False)
    ]
    with pytest.raises(
        InputError, match="vectors stand in brackets; save each word and its numbers a line, with blank"
    ):
        read(head + "\n".join(rows) + "\n")
    plain = "".join(f"{w} {' '.join(map(str, x))}\n" for w, x in zip(words, VALUES, strict=False))
    assert right(read(plain), words, VALUES[:6]).format == "GloVe text"


@pytest.mark.parametrize("words", [["[the]", "[0.5]", "[]", "]"], ["a]", "[1", "[1]", "[1 2]"]])
def test_words_in_brackets_are_words(read, words):
    for sign in " ,\t":
        rows = [sign.join([w, *map(str, x)]) for w, x in zip(words, VALUES, strict=False)]
        right(read("\n".join(rows) + "\n"), words, VALUES[:4])


@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_header_of_word2vec_above_a_table_is_named(read, sign, quote):
    words = ["the", "of", "a", "fire"]
    rows = [sign.join([f"{quote}{w}{quote}", *map(str, x)]) for w, x in zip(words, VALUES, strict=False)]
    body = "\n".join(rows) + "\n"
    if sign == "\t" and not quote:
        assert read(f"4\t5\n{body}").report.format == "word2vec text"
        return
    for options in ({}, {"header": True}):
        with pytest.raises(InputError, match=r"is it word2vec's header, 4 rows of 5 values.* take the line out"):
            read(f"4{sign}5\n{body}", **options)
    right(read(body), words, VALUES[:4])


def test_a_table_that_lies_on_its_side_is_turned_as_the_message_says(read, tmp_path):
    words = ["the", "of", "a", "fire"]
    turned = pd.DataFrame(VALUES[:4], index=words).T
    with pytest.raises(InputError, match=r"save the table turned \((.*)\)") as refused:
        read(turned.to_csv(index=False))
    code = str(refused.value).partition("turned (")[2].partition("); ")[0]
    other = tmp_path / "turned.csv"
    eval(code, {"pandas": pd, "FILE": tmp_path / "x.csv", "OTHER": other})
    right(read_space(other), words, VALUES[:4])
    for names in ("x1,x2,x3", "0.5,1.5,2"):  # nobody's words
        with pytest.raises(InputError, match=r"no column holds words; (?:columns|there)"):
            read(f"{names}\n1.5,2,3\n1,2.5,4\n0.5,.1,.2\n0.5,.1,.2\n")


@pytest.mark.parametrize("stem", ["dim", "D", "x_", "PC", "feature", "V"])
def test_rows_called_as_dimensions_lie_on_their_side(read, tmp_path, stem):
    words = ["the", "of", "a", "fire"]
    turned = pd.DataFrame(VALUES[:4], index=words, columns=[f"{stem}{k}" for k in range(5)]).T
    with pytest.raises(InputError, match=r"save the table turned \((.*)\)") as refused:
        read(turned.to_csv())
    (tmp_path / "x.csv").write_text(turned.to_csv())
    code = str(refused.value).partition("turned (")[2].partition("); ")[0]
    other = tmp_path / "turned.csv"
    eval(code, {"pandas": pd, "FILE": tmp_path / "x.csv", "OTHER": other})
    right(read_space(other), words, VALUES[:4])
    assert len(read(turned.to_csv(), word_column="1").vocabulary) == len(turned)


def test_rows_that_are_numbered_documents_are_words_of_their_own(read):
    for rows in (["doc1", "doc2", "doc3", "doc4"], ["s1", "s2", "s3", "s4"], ["dim", "dome", "x", "v"]):
        table = pd.DataFrame(VALUES[:4], index=rows, columns=list("abcde"))
        right(read(table.to_csv()), rows, VALUES[:4])


def test_a_table_on_its_side_with_numbered_rows_is_turned_as_the_message_says(read, tmp_path):
    turned = pd.DataFrame(VALUES[:4], index=["the", "of", "a", "fire"]).T
    (tmp_path / "x.csv").write_text(turned.to_csv())
    with pytest.raises(InputError, match=r"those on line 1 are 4 different ones: .*index_col=0"):
        read(turned.to_csv())


def test_bars_part_columns_too(read):
    words = ["a|b|c", "d|e|f", "g|h|i", "j|k|l"]
    right(read(pd.DataFrame(VALUES[:4], index=list("abcd")).to_csv(sep="|")), list("abcd"), VALUES[:4])
    right(
        read("".join(f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, VALUES, strict=False))),
        words,
        VALUES[:4],
    )


def test_printed_arrays_are_saved_anew_as_the_message_says(read, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"word": ["the", "of", "a", "fire"], "embedding": list(rng.normal(size=(4, 20)))})
    with pytest.raises(InputError, match="arrays were printed") as refused:
        read(table.to_csv(index=False))
    code = str(refused.value).partition("anew: ")[2]
    other = tmp_path / "anew.csv"
    eval(code, {"pandas": pd, "numpy": np, "TABLE": table, "COLUMN": "embedding", "WORDS": "word", "FILE": other})
    right(read_space(other), list(table["word"]), np.stack(table["embedding"]))


@pytest.mark.parametrize("sign", [";", "|"])
@pytest.mark.parametrize("header", ["", "4 5\n"])
def test_a_sign_at_the_end_of_every_line_is_named(read, sign, header):
    rows = [f"{word} {' '.join(map(str, row))}" for word, row in zip("abcd", VALUES, strict=False)]
    with pytest.raises(InputError, match=rf"the rows end in '\{sign}' after the last number; take it away"):
        read(header + "".join(f"{row}{sign}\n" for row in rows))
    right(read("".join(f"{row}\n" for row in rows)), list("abcd"), VALUES[:4])
