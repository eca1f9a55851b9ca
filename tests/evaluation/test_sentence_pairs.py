import gzip
import re

import pytest

from gpustab.errors import InputError
from gpustab.evaluation.sentence_pairs import read_sentence_pairs

PAIRS = (("A man plays, on stage", 'He said "no" to her'), ("Two dogs run fast here", "The sky is blue today"))
SCORES = (3.2, 0.5)
ONE, TWO = (f"{a}\t{b}" for a, b in PAIRS)

FILES = {
    "score first": f"3.2\t{ONE}\n0.5\t{TWO}\n",
    "score last, Windows": f"{ONE}\t3.2\r\n{TWO}\t0.5\r\n",
    "header in another order": f"label\tid\tsentence2\tsource\tsentence1\n3.2\t0\t{PAIRS[0][1]}\tx\t{PAIRS[0][0]}\n"
    f"0.5\t1\t{PAIRS[1][1]}\tx\t{PAIRS[1][0]}\n",
    "commas": 'sentence_A,sentence_B,score\n"A man plays, on stage","He said ""no"" to her",3.2\n'
    "Two dogs run fast here,The sky is blue today,0.5\n",
    "objects": '{"sentence1": "A man plays, on stage", "idx": 0, "sentence2": "He said \\"no\\" to her", '
    '"score": 3.2}\n'
    '{"sentence2": "The sky is blue today", "sentence1": "Two dogs run fast here", "score": 0.5, "idx": 1}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_forms_of_sts_give_the_same_pairs(tmp_path, name):
    path = tmp_path / "sts.txt"
    path.write_bytes(gzip.compress(FILES[name].encode()) if "first" in name else FILES[name].encode())
    found = read_sentence_pairs(path)
    turned = tuple(pair[::-1] for pair in PAIRS)
    assert found.pairs == (turned if "another order" in name else PAIRS)
    assert found.scores == SCORES
    assert len(found.sentences) == 4
    assert "sentences are columns" in found.notes[0]


def test_the_benchmark_without_a_header_asks_which_column_and_is_told(tmp_path):
    path = tmp_path / "sts-dev.csv"
    rows = [
        f"main\tMSRvid\t2012test\t{n:04d}\t{s}\t{a}\t{b}" for n, s, (a, b) in zip((1, 5), SCORES, PAIRS, strict=True)
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(InputError, match="which column is the score") as refused:
        read_sentence_pairs(path)
    assert "score_column=4" in str(refused.value)
    assert read_sentence_pairs(path, score_column=5).scores == SCORES
    assert read_sentence_pairs(path, columns="7,6", score_column="5").pairs[0] == PAIRS[0][::-1]


def test_rows_with_sources_behind_are_read_where_columns_are_named_and_quotes_of_csv_are_taken_off(tmp_path):
    path = tmp_path / "sts.tsv"
    path.write_text(f'3.2\t{ONE}\n1\t{TWO}\tfrom\tthere\n2\t"He said ""no"" to me"\tShe said yes to me\n')
    with pytest.raises(InputError, match="line 2 has 5 cells"):
        read_sentence_pairs(path)
    test = read_sentence_pairs(path, columns="2,3", score_column=1)
    assert test.pairs[1] == PAIRS[1]
    assert test.pairs[2][0] == 'He said "no" to me'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"3.2\t{ONE}\nnone\t{TWO}\n4\t{TWO}\n", "line 2: 'none' stands where a score should"),
        (f"3.2\t{ONE}\n1\t\t{PAIRS[1][1]}\n1\t{TWO}\n", "line 2: a sentence is empty"),
        ('{"sentence1": "a b c d"}\n[1]\n', "line 2 is no object"),
        ('{"sentence1": "a b c d"}\n{"a"\n', "line 2 is no JSON"),
        (f'3.2\t{ONE}\n1\t"A man\tplays"\tThe other man\n1\t{TWO}\n', "line 2 has 4 cells where most lines have 3"),
        (
            "score,sentence1,sentence2\n"
            + "1,Two dogs run fast,The sky is blue\n" * 3
            + "3,A man, who is tall, plays,B\n",
            "line 5 has 5 cells where the header has 3",
        ),
        (f"score\tsentence1\tsentence2\n1\t{ONE}\n2\t{TWO}\n\t{ONE}\n", "line 4: '' stands where a score should"),
        (f"sentence1\tsentence2\tscore\n{ONE}\t1\n{TWO}\tNA\n{ONE}\t2\n", "line 3: 'NA' stands where a score"),
        (
            '{"sentence1": "a b c d", "sentence2": "e f g h", "score": 1}\n'
            '{"sentence1": ["a b c d"], "sentence2": "e f g h", "score": 1}\n',
            "line 2: a sentence is empty or no text",
        ),
        ("a,b,1\nc,d,2\n", "which two columns are the sentences"),
        (f"{ONE}\n{TWO}\n", "no column holds numbers"),
    ],
)
def test_what_is_no_pair_is_refused_with_its_line(tmp_path, text, said):
    path = tmp_path / "sts.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_sentence_pairs(path)


@pytest.mark.parametrize("sentence", ["猫坐在垫子上面", "ねこがねています", "แมวนั่งบนเสื่อ", "a cat on a mat"])
def test_sentences_of_scripts_without_blanks_are_known(tmp_path, sentence):
    path = tmp_path / "sts.tsv"
    path.write_text("".join(f"{k}.5\t{sentence}\t{sentence[::-1]}\n" for k in range(3)), encoding="utf-8")
    assert read_sentence_pairs(path).pairs[0] == (sentence, sentence[::-1])


@pytest.mark.parametrize("line", ["{k}.5\tcat\tdog\n", "cat\t{k}.5\tdog\n", "cat\tdog\t{k}.5\n", "{k}.5\t猫\t犬\n"])
def test_the_advice_on_columns_of_sentences_names_columns_of_text(tmp_path, line):
    path = tmp_path / "words.tsv"
    path.write_text("".join(line.format(k=k) for k in range(3)), encoding="utf-8")
    with pytest.raises(InputError, match="which two columns") as error:
        read_sentence_pairs(path)
    columns = re.search(r"word.columns\W+(\d,\d)", str(error.value))[1]
    assert len(read_sentence_pairs(path, columns=columns).pairs) == 3


@pytest.mark.parametrize(("again", "said"), [(1, "1 pair occurs more than once"), (2, "2 pairs occur more than once")])
def test_pairs_that_occur_again_are_counted_in_words_that_agree(tmp_path, again, said):
    lines = [f"a cat sits on mat {k}\tthe dog sleeps in house {k}\t{k % 5}.5\n" for k in range(6)]
    file = tmp_path / "again.tsv"
    file.write_text("".join([*lines, *lines[:again]]))
    assert any(said in note for note in read_sentence_pairs(file).notes)
