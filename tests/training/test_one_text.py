"""A run set holds runs of one text, and refuses any other with the call that trains it apart."""

import json
import shlex
import shutil

import pytest

from gpustab import InputError
from gpustab.training import read_settings, train_epochs, train_halves, train_runs

LSA = {"runs": 2, "techniques": ["lsa"], "samplings": ["shuffled"], "options": {"min_count": 3}, "lsa": {"dim": 4}}
PPMI = LSA | {"techniques": ["ppmi_svd"], "ppmi_svd": {"dim": 4, "subsample": 0.0}}
PPMI.pop("lsa")


def plan(corpus, content, **changes):
    return read_settings(content | {"corpus": str(corpus)} | changes)


@pytest.fixture
def other(corpus, tmp_path):
    path = tmp_path / "speeches.txt"
    path.write_text("\n".join(corpus.read_text().splitlines()[::2]).replace("aa", "zz") + "\n")
    return path


def refused(settings, folder, how=train_runs):
    before = sorted(folder.rglob("*"))
    with pytest.raises(InputError) as refusal:
        how(settings, folder)
    assert sorted(folder.rglob("*")) == before
    return str(refusal.value)


def test_a_second_text_is_refused_with_the_call_that_trains_it_apart(corpus, other, tmp_path):
    folder = tmp_path / "mix"
    train_runs(plan(corpus, LSA), folder)
    message = refused(plan(other, PPMI), folder)
    assert message.startswith(f"{folder}: holds runs of {corpus} (40 documents, ")
    assert f"; {other} is another text: {other} (20 documents, " in message
    _, _, call = message.partition("take another folder: ")
    words = shlex.split(call)
    assert words == ["gpustab", "train", str(other), "-o", str(tmp_path / "mix-speeches"), "--technique", "ppmi_svd"]
    (tmp_path / "mix-speeches").mkdir()  # what is taken is not advised
    assert "mix-speeches-2" in refused(plan(other, PPMI), folder)
    train_runs(plan(other, PPMI), tmp_path / words[4])


def test_a_run_set_of_another_text_may_lie_within(corpus, other, tmp_path):
    train_runs(plan(corpus, LSA), tmp_path / "mix")
    train_runs(plan(other, LSA), tmp_path / "mix/drafts/other")
    train_runs(plan(corpus, PPMI), tmp_path / "mix")


def test_a_second_text_is_told_before_what_its_size_forbids(corpus, other, tmp_path):
    """Of the same technique: that it has too few documents for the dimensions of the set leads nowhere."""
    train_runs(plan(corpus, LSA, lsa={"dim": 30}), tmp_path / "mix")
    assert "is another text" in refused(plan(other, LSA, lsa={"dim": 30}), tmp_path / "mix")


def test_a_training_that_has_not_ended_binds_too(corpus, other, tmp_path):
    train_runs(plan(corpus, LSA), tmp_path / "mix")
    (tmp_path / "mix/manifest.json").unlink()
    assert "is another text" in refused(plan(other, PPMI), tmp_path / "mix")


def test_the_same_text_is_known_by_its_fingerprint_not_its_name(corpus, tmp_path):
    copy = tmp_path / "renamed.txt"
    shutil.copy(corpus, copy)
    train_runs(plan(corpus, LSA), tmp_path / "set")
    train_runs(plan(copy, PPMI), tmp_path / "set")
    copy.write_text(copy.read_text() + "ab bb cb\n")
    assert "is another text" in refused(plan(copy, PPMI, samplings=["fixed"]), tmp_path / "set")
    train_runs(plan(copy, PPMI), tmp_path / "own")
    copy.write_text(copy.read_text() + "ab bb cb db\n")
    assert "renamed.txt, as it is now, is another text" in refused(plan(copy, LSA), tmp_path / "own")


@pytest.mark.parametrize(
    ("options", "said"),
    [({"min_count": 5}, "options.min_count was 3, now 5"), ({"lowercase": False}, "options.lowercase was true, now")],
)
def test_other_counts_and_another_tokenisation_are_refused(corpus, tmp_path, options, said):
    text = tmp_path / "text.txt"
    text.write_text(corpus.read_text().replace("bb", "Bb"))
    train_runs(plan(text, LSA), tmp_path / "set")
    message = refused(plan(text, PPMI, options=LSA["options"] | options), tmp_path / "set")
    assert said in message
    assert "take those, or another folder: gpustab train" in message


def test_parts_and_units_of_one_text_go_together_and_of_two_do_not(corpus, other, tmp_path):
    folder = tmp_path / "set"
    train_halves(plan(corpus, LSA), folder)
    train_runs(plan(corpus, PPMI), folder)
    train_runs(plan(corpus, LSA, options={"min_count": 3, "unit": "sentence"}), folder)
    assert "is another text" in refused(plan(other, PPMI), folder)
    assert "is another text" in refused(plan(other, PPMI), folder, train_halves)
    sentences = plan(other, LSA, options={"min_count": 3, "unit": "sentence", "fraction": 0.5})
    assert "is another text" in refused(sentences, folder)


def test_periods_of_one_text_go_together_and_of_two_do_not(corpus, tmp_path):
    def dated(name, lines):
        path = tmp_path / name
        path.write_text("".join(json.dumps({"text": x, "year": 1900 + k % 2 * 10}) + "\n" for k, x in enumerate(lines)))
        return path

    lines = [line for line in corpus.read_text().splitlines() if " " in line]
    one, two = dated("one.jsonl", lines), dated("two.jsonl", [line.replace("aa", "zz") for line in lines])
    periods = {"epochs_by": "year:1900-1919:10"}
    train_epochs(plan(one, LSA, **periods), tmp_path / "set", splits=1)
    train_epochs(plan(one, PPMI, **periods), tmp_path / "set")
    train_runs(plan(one, PPMI), tmp_path / "set")
    for settings, how in ((plan(two, PPMI), train_runs), (plan(two, PPMI, **periods), train_epochs)):
        assert "is another text" in refused(settings, tmp_path / "set", how)
