"""What a message advises is typed, on the input that the message is about, and leads on."""

import re

import pytest

ADVICE = re.compile(r"(--(?:unclear-dates|word-columns|score-column) [\w,]+)")


def advised(done):
    """The options that a refusal names."""
    assert done.exit_code == 2, done.output
    return dict.fromkeys(ADVICE.findall(" ".join(done.stderr.split())))


TRAIN = "train dated.csv --column text --technique lsa --runs 2 --sampling fixed --dim 2 --min-count 1 -q"


@pytest.mark.parametrize(
    ("date", "how", "ways"),
    [
        ("3/4/50", "--date-column date --epochs-by year:1790-1829:20", 1),
        ("before 1800", "--epochs-by date:1790-1829:20", 1),
        ("19th c.", "--date-column date --epochs-by year:1790-1829:20", 2),
        ("", "--epochs-by date", 1),
    ],
)
def test_a_corpus_with_a_date_that_is_not_clear_is_trained_as_advised(call, place, date, how, ways):
    dates = ["1790", "1799", "1810", "1811"] if "year" in how or "date:" in how else ["old", "old", "new", "new"]
    rows = [f'"{own}",one two three four {"x " * k}' for k, own in enumerate([*dates, date])]
    (place / "dated.csv").write_text("\n".join(["date,text", *rows]) + "\n")
    found = advised(call(f"{TRAIN} {how} -o none"))
    assert len(found) == ways
    assert not (place / "none").exists()
    for number, way in enumerate(found):
        done = call(f"{TRAIN} {how} {way} --json -o set{number}")
        assert done.exit_code == 0, done.output
        assert "documents by " in done.stdout


def test_undated_documents_are_told_before_training_and_on_the_page_of_change(call, place):
    rows = [f"{1790 + k},one two three four five {chr(97 + k % 20) * (1 + k // 20)} so" for k in range(40)]
    rows += ["n.d.,one two three", "1950,one two three four", "18th c.,five four three two one"]
    (place / "dated.csv").write_text("\n".join(["date,text", *rows]) + "\n")
    how = "--epochs-by date:1790-1829:20 --unclear-dates undated"
    done = call(f"{TRAIN.removesuffix(' -q')} {how} -o periods")
    assert done.exit_code == 0, done.output
    before = " ".join(done.stderr.split()).partition("corpus = ")[0]
    said = "documents by date: 1790-1809: 20 (140 running words), 1810-1829: 20 (140 running words); in none: "
    reasons = "1 without a date ('n.d.'), 1 outside of all periods ('1950'), 1 across periods ('18th c.')"
    assert said + reasons in before
    done = call("study change periods --min-count 1 --json")
    assert done.exit_code == 0, done.output
    assert said + reasons in done.stdout


@pytest.mark.parametrize(
    ("header", "row"),
    [("e1\te2\tg1\tg2\tscore", "w{k}\tw{j}\tx{k}\tx{j}\t{k}.5"), ("a\tb\ten\tde", "w{k}\tw{j}\t{k}.5\t{j}.25")],
)
def test_a_test_whose_columns_are_not_clear_is_read_as_advised(call, place, header, row):
    rows = [row.format(k=k, j=(7 * k + 3) % 30) for k in range(20)]
    (place / "pairs.tsv").write_text("\n".join([header, *rows]) + "\n")
    for how in ("--baseline none --tests pairs.tsv", "--baseline pairs.tsv"):
        command = f"study thresholds r0.txt {how} --draws 3 -q"
        (way,) = advised(call(command))
        done = call(f"{command} {way} --json")
        assert done.exit_code == 0, done.output
        assert "pairs.tsv: words are columns 1 " in done.stdout


def test_a_command_names_an_option_of_train_as_one(call, place):
    (place / "twice.txt").write_text("one two three\n" * 9 + "four five six\n" * 3)
    done = call("info twice.txt")
    assert "train's --set options.drop_duplicates=false" in " ".join(done.output.split())


def test_two_patterns_are_told_to_be_joined(call, place):
    (place / "a.txt").write_text("one two three\n" * 9)
    done = call("info a.txt --drop a --drop b")
    assert "join the patterns by |" in " ".join(done.output.replace("│", " ").split())


def test_a_first_line_of_names_is_read_as_a_row_as_advised(call, place):
    for r in range(3):
        rows = [f"w{k} {k % 7 + r / 9:.3f} {k % 5 - r / 7:.3f} {k % 3 + 0.25:.3f}" for k in range(30)]
        (place / f"named{r}.txt").write_text("\n".join(["word a b c", *rows]) + "\n")
    done = call("stability named0.txt named1.txt named2.txt -v")
    assert done.exit_code == 0, done.output
    way = re.search(r"(--\S*header\S*(?: False)?) reads it as one", " ".join(done.stdout.split()))[1]
    assert way == "--no-header"
    assert "is not a number" in call(f"stability named0.txt named1.txt named2.txt {way}").stderr
