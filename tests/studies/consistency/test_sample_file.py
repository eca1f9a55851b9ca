"""The study with samples in the form of the public code; and what is refused."""

import numpy as np
import pytest
import torch

from gpustab import InputError
from gpustab.runs.load import open_groups
from gpustab.small_data.text import read_samples
from gpustab.studies.consistency.measures import NullPairs
from gpustab.studies.consistency.paper import methods
from gpustab.studies.consistency.study import consistency
from tests.small_data.made import sentences, term_names, word

pytest.importorskip("sentencex")


def write(folder, text):
    path = folder / "samples.txt"
    path.write_text(text, encoding="utf-8")
    return path


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


def test_samples_of_two_terms_that_hold_one_sentence_are_no_null_pair(tmp_path):
    """A file numbers every sentence anew: 56 null pairs of a file had held the same sentence under two numbers."""
    path = write(tmp_path, "cat\t___ sat by dog @@ ___ ran\t___ ate\ndog\tcat sat by ___\t___ slept\n")
    given = read_samples(path, "en")
    allowed = NullPairs(given.samples, torch.ones(4))[0:4]
    assert not allowed[0, 2]  # "cat sat by dog", of either
    assert allowed[0, 3]
    assert allowed[1, 2]
    assert "1 of 5 sentences repeats another" in given.notes[0]
