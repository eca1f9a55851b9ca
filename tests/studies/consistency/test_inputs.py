"""What the study is given: a file of terms, and samples in the form of the public code; and what is refused."""

import itertools

import numpy as np
import pytest

from gpustab import InputError
from gpustab.runs.load import open_groups
from gpustab.studies.consistency.inputs import read_samples, read_terms
from gpustab.studies.consistency.paper import methods
from gpustab.studies.consistency.study import consistency
from tests.studies.consistency.made import sentences, term_names, word

pytest.importorskip("sentencex")


def test_a_file_of_terms(tmp_path):
    file = tmp_path / "terms.txt"
    file.write_text("Analytical Hypotheses\n\nstimulus\nstimulus\n")
    assert read_terms(file, "en") == [(b"analytical", b"hypotheses"), (b"stimulus",)]
    file.write_text("stimulus\n123\n")
    with pytest.raises(InputError, match="line 2: '123' has no word"):
        read_terms(file, "en")
    with pytest.raises(InputError, match="there is no such file"):
        read_terms(tmp_path / "none", "en")
    file.write_text("")
    with pytest.raises(InputError, match="there is no term"):
        read_terms(file, "en")
    file.write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match="byte 3 is no UTF-8"):
        read_terms(file, "en")


def write(folder, text):
    path = folder / "samples.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_terms_samples_and_sentences_are_those_of_the_file(tmp_path):
    text = (
        "Analytical Hypotheses\tThe ___ of a linguist. @@ His ___, again!\tOf ___ and ___ he wrote\n\n"
        "mass\ta ___ b @@ c ___\td ___ @@ e mass ___\nalone\tonly ___ here\n"
    )
    found = read_samples(write(tmp_path, text), "en")
    words, samples = found.text.words, found.samples
    assert [words[k] for k in samples.terms] == [b"analytical_hypotheses", b"mass"]
    assert samples.term.tolist() == [0, 0, 1, 1]
    assert samples.sizes.tolist() == [2, 1, 2, 2]
    lists = [[words[k].decode() for k in found.text.tokens[a:b]] for a, b in itertools.pairwise(found.text.starts)]
    term = "analytical_hypotheses"
    assert lists[:3] == [
        ["the", term, "of", "a", "linguist"],
        ["his", term, "again"],
        ["of", term, "and", term, "he", "wrote"],
    ]
    assert lists[6] == ["e", "mass", "mass"]
    assert found.terms == [(b"analytical", b"hypotheses"), (b"mass",)]
    assert found.notes == ["1 term has one sample and is left out: alone."]
    twice = read_samples(write(tmp_path, "a\tx ___\tx ___\nb\ty ___\tz ___\n"), "en")
    assert twice.notes == [
        "1 of 4 sentences repeats another of samples: where one stands in two samples of a term, its consistency is "
        "the finding of a copy."
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mass the ___ of\n", "line 1: no tab"),
        ("a\tx ___ y\tz ___\nmass\tthe ___ of\tno target here\n", "line 2: the sentence 'no target here' has no ___"),
        ("42\tx ___\ty ___\n", "line 1: '42' has no word"),
        ("a\tx ___\ty ___\na\tx ___\ty ___\n", "line 2: 'a' has a line above"),
        ("a\tx ___\ty ___\n", "1 term has two samples"),
        ("", "0 terms have two samples"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_samples(write(tmp_path, text), "en")


def test_no_file_and_no_utf8(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_samples(tmp_path / "nowhere", "en")
    (tmp_path / "latin").write_bytes(b"a\t\xe9 ___\n")
    with pytest.raises(InputError, match="byte 2 is no UTF-8"):
        read_samples(tmp_path / "latin", "en")


@pytest.fixture
def given(tmp_path):
    """The same sentences as a file of samples; the background knows all other words."""
    by_term = {name: [] for name in term_names(6)}
    for sentence in sentences(6, 12, 8, seed=1, own=0.5):
        name = next(w for w in sentence if w in by_term)
        by_term[name].append(" ".join("___" if w == name else w for w in sentence))
    lines = ["\t".join([name, *(" @@ ".join(own[k::3]) for k in range(3))]) for name, own in by_term.items()]
    vectors = np.random.default_rng(0).normal(size=(300, 9)) + 0.3
    groups = open_groups([([word(k) for k in range(300)], vectors)], single_runs=True)
    return groups, write(tmp_path, "\n".join(lines) + "\n")


def test_the_study_takes_the_samples_as_they_are(given):
    groups, path = given
    result = consistency(groups, sample_file=str(path), subsample=0.0)
    assert result.groups[0]["terms"] == 6
    assert result.groups[0]["samples"] == 18
    assert result.groups[0]["sentences"] == 4
    row = next(result.tables["consistency"].records(model="additive"))
    assert row["auc"] > 0.7
    assert result.settings["text"] == str(path)


@pytest.mark.parametrize(
    ("text", "choices", "message"),
    [
        (["lee"], {}, "without text=..."),
        ([], {"split": "half"}, "without split='half'"),
        ([], {"terms": "keywords"}, "without terms"),
    ],
)
def test_what_the_file_decides_is_not_asked_for_again(given, text, choices, message):
    groups, path = given
    with pytest.raises(InputError, match=message):
        consistency(groups, text, sample_file=str(path), **choices)


def test_neither_text_nor_samples(given):
    with pytest.raises(InputError, match="no text was given; give one, or sample_file"):
        consistency(given[0])


def test_the_methods_say_whence_the_samples_are(given):
    groups, path = given
    said = methods(consistency(groups, sample_file=str(path), subsample=0.0))
    assert "the samples of a given file were taken, and the background" in said
    assert "duplicate" not in said
