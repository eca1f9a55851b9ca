"""The study on made spaces: its numbers against loops over pairs, its page, and inputs that say nothing."""

import itertools
import json
import math

import numpy as np
import pytest
import torch

from gpustab import InputError, load_runs
from gpustab.formats.options import LoadOptions
from gpustab.machine.device import Compute
from gpustab.report import to_html, to_text
from gpustab.runs.group import Group
from gpustab.runs.joining import Loading
from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.studies.thresholds.baselines import items_of
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.study import thresholds
from tests.oracles import unit
from tests.studies.thresholds.conftest import space
from tests.studies.thresholds.oracles import groups_by_place, groups_by_value
from tests.wordnet.made import naive_distance, write_wordnet

QUICK = {"draws": 5, "min_pairs": 20, "places": 30}


@pytest.fixture(scope="module")
def result(wordnet, groups):
    return thresholds(groups, wordnet=str(wordnet[0]), **QUICK)


@pytest.fixture(scope="module")
def naive(wordnet, runs):
    """Leacock-Chodorow of every two nouns by trying every way, and the rows of the first run in float64."""
    _, hypernyms, index = wordnet
    joint = [word.decode() for word in runs.vocabulary]
    nouns = [k for k, word in enumerate(joint) if word in index]
    depth = max(len(path) for path in _paths(hypernyms)) - 1
    values = {
        (a, b): math.log(2 * depth / (1 + naive_distance(hypernyms, index[joint[a]], index[joint[b]])))
        for a, b in itertools.combinations(nouns, 2)
    }
    return unit(runs.run(0).numpy()), values


def _paths(hypernyms):
    def up(synset):
        return [[synset, *rest] for parent in hypernyms[synset] for rest in up(parent)] or [[synset]]

    return [path for synset in hypernyms for path in up(synset)]


def test_groups_by_similarity_are_those_of_a_loop_over_pairs(result, naive):
    x, values = naive
    want = groups_by_value(x, values)
    rows = list(result.tables["groups"].records(group="near", run="run-000"))
    assert [round(100 * row["similarity"]) for row in rows] == sorted(want)
    for row in rows:
        own = [value for *_, value in want[round(100 * row["similarity"])]]
        assert row["pairs"] == len(own)
        assert row["mean"] == pytest.approx(np.mean(own), abs=1e-9)
        if len(own) > 1:
            assert row["sd"] == pytest.approx(np.std(own, ddof=1), abs=1e-9)


def test_groups_by_place_are_those_of_sorted_lists(result, naive):
    x, values = naive
    nouns = {k for pair in values for k in pair}
    want = groups_by_place(x, nouns, lambda a, b: values[min(a, b), max(a, b)])
    rows = list(result.tables["places"].records(group="near", run="run-000"))
    assert len(rows) == len(x) - 1
    for row in rows:
        own = [value for *_, value in want[row["place"]]]
        assert row["pairs"] == len(own)
        if own:
            assert row["mean"] == pytest.approx(np.mean(own), abs=1e-9)


def test_similar_words_are_near_in_the_baseline_and_the_threshold_is_found_in_every_run(result):
    (chance,) = result.tables["thresholds"].records(group="near", kind="value", rule="chance")
    assert chance["found"] == chance["runs"] == 3
    assert -0.3 < chance["mean"] < 0.4
    assert chance["proven_from"] <= chance["mean"] <= chance["proven_to"]
    rows = list(result.tables["thresholds_by_run"].records(group="near", kind="value", rule="chance"))
    assert chance["mean"] == pytest.approx(np.mean([row["estimate"] for row in rows]))
    assert chance["sd"] == pytest.approx(np.std([row["estimate"] for row in rows], ddof=1))


def test_the_page_answers_its_questions_and_is_written(result, tmp_path):
    text, page = to_text(result), to_html(result)
    for question in ("From which cosine on", "How far down a list", "rule give, and what", "one shape"):
        assert question in text
        assert question in page
    (p,) = {group["baseline"]["question_2"] for group in result.groups if group["name"] == "near"}
    assert p is None or f"p = {p:.2g}" in text
    assert ("Q2, near" in text) is (p is not None)
    assert result.verdict[0].startswith("near: two words with a cosine above ")  # so few words prove it further up only
    names = {path.name for path in result.write(tmp_path / "out")}
    assert {"summary.json", "report.html", "thresholds.parquet", "groups.parquet", "shapes.parquet"} <= names
    content = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert content["settings"]["min_pairs"] == 20
    assert "groups" not in content["tables"]  # a row a group: for files


def test_a_single_space_has_thresholds_and_no_error_over_runs(wordnet, runs):
    result = thresholds(runs.take([0]), wordnet=str(wordnet[0]), **QUICK)
    (row,) = result.tables["thresholds"].records(kind="value", rule="chance")
    assert row["mean"] is not None
    assert row["sd"] is row["half"] is None
    assert any("One run" in note for note in result.notes)
    assert not any("retraining" in sentence for sentence in result.verdict)


def test_a_copy_is_left_out_and_named(wordnet, runs):
    one = space(wordnet, 0)
    copied = load_runs([one, space(wordnet, 1), one], name="copied")
    result = thresholds(copied, wordnet=str(wordnet[0]), **QUICK)
    assert any("run-000 and run-002 are the same vectors" in alarm for alarm in result.alarms)
    assert result.groups[0]["runs"] == ["run-000", "run-001"]


@pytest.mark.parametrize("odd", ["noise", "other words", "flat"])
def test_of_a_run_that_lies_far_no_group_is_compared(wordnet, runs, odd):
    spaces = [space(wordnet, seed, 0.2) for seed in range(3, 6)]
    names, x = space(wordnet, 6, 0.2)
    another = {"noise": space(wordnet, 7, 40.0)[1], "other words": x.flip(0), "flat": x * (torch.arange(12) < 2)}[odd]
    odd_group = load_runs([*spaces, (names, another)], name="odd")
    result = thresholds([runs, odd_group], wordnet=str(wordnet[0]), **QUICK)
    (shape,) = [row for row in result.tables["shapes"].records() if {row["first"], row["second"]} == {"near", "odd"}]
    assert shape["shape"] == "no test"
    assert any("run-003" in note and "far" in note for note in result.notes)
    assert not any("No threshold fits" in sentence for sentence in result.verdict)


def test_a_collapsed_space_is_an_alarm(wordnet):
    names, x = space(wordnet, 0)
    runs = load_runs([(names, 0.01 * x + 1), (names, 0.01 * space(wordnet, 1)[1] + 1)])
    result = thresholds(runs, wordnet=str(wordnet[0]), **QUICK)
    assert any("are collapsed" in alarm for alarm in result.alarms)


def test_few_pairs_are_an_alarm_and_no_failure(wordnet):
    names, x = space(wordnet, 0)
    few = load_runs([(names[:4], x[:4]), (names[:4], x[4:8])])
    result = thresholds(few, wordnet=str(wordnet[0]), **QUICK)
    assert any("too few for thresholds" in alarm for alarm in result.alarms)
    assert not result.verdict
    assert to_text(result)


def test_nouns_without_a_common_hypernym_are_refused(wordnet, tmp_path):
    names, x = space(wordnet, 0)
    folder = write_wordnet(tmp_path, {1: (), 2: (), 3: ()}, {name: [k] for k, name in enumerate(names[:3], 1)})
    with pytest.raises(InputError, match="a value for no pair of its 3 words"):
        thresholds(load_runs([(names, x)] * 2), wordnet=str(folder), **QUICK)


def test_a_group_without_nouns_has_its_distributions_alone(wordnet, runs):
    """Documents, n-grams, another language: beside a group of words, and alone."""
    _, x = space(wordnet, 0)
    spaces = [([f"doc {k}" for k in range(20)], rows) for rows in (x[-20:], x[-40:-20])]
    others = load_runs(spaces, name="documents")
    result = thresholds([others, runs], wordnet=str(wordnet[0]), **QUICK)
    assert set(result.tables["thresholds"]["group"]) == {"near"}
    assert set(result.tables["moments"]["group"]) == {"documents", "near"}
    pairs = {(row["first"], row["second"]) for row in result.tables["shapes"].records()}
    assert {("documents", "near"), ("documents", "Leacock-Chodorow")} <= pairs
    (said,) = [sentence for sentence in result.verdict if sentence.startswith("documents")]
    assert "has no thresholds: 0 of 20 words are nouns of WordNet, wanted at least 3" in said
    mean = np.mean(list(result.tables["moments"].where(group="documents")["mean"]))
    assert f"{mean:.2f}".replace("-", "−") in said
    assert result.groups[0]["baseline"] is None
    alone = thresholds(others, wordnet=str(wordnet[0]), **QUICK)
    assert alone.verdict == [said]
    assert "thresholds" not in alone.tables
    assert "no thresholds" in to_text(alone)


def test_documents_that_are_called_like_nouns_are_no_words(wordnet, tmp_path):
    """By the technique that trained them, or the vectors that were asked for; else the few nouns are a note."""
    spaces = [space(wordnet, seed) for seed in range(2)]
    key = Key("doc2vec_dm", "shuffled", "sentence")
    for group, items in (
        (Group(key, tuple(spaces)), "sentences"),
        (Group(Key("doc2vec_dbow"), tuple(spaces)), "documents"),
        (Group(Key("fasttext_ngrams", "fixed"), tuple(spaces)), "character n-grams"),
    ):
        (said,) = thresholds([group], wordnet=str(wordnet[0]), **QUICK).verdict
        assert f"no thresholds: its items are {items}, and WordNet knows words" in said
    assert items_of(Group(Key("mine"), (), loading=Loading(options=LoadOptions(tensor="dv")))) == "documents"
    assert items_of(Group(Key("sgns", "shuffled"), ())) == ""
    names, x = space(wordnet, 0, words=600)
    few = thresholds(load_runs([(names, x), space(wordnet, 1, words=600)]), wordnet=str(wordnet[0]), **QUICK)
    assert any("That is few" in note and "baseline" in note for note in few.notes)


def test_distributions_alone_want_no_wordnet(groups, tmp_path, monkeypatch):
    monkeypatch.setattr("gpustab.studies.thresholds.baselines.nouns_of", None)
    result = thresholds(groups, baseline=None, options=ThresholdsOptions(baseline="none", words=20, draws=2))
    assert len(result.verdict) == 2
    assert all("distributions alone were asked for" in sentence for sentence in result.verdict)
    assert to_text(result)


@pytest.mark.parametrize("words", [2, 3])
@pytest.mark.parametrize("count", [1, 2])
def test_two_or_three_words_are_no_failure(wordnet, words, count):
    names, x = space(wordnet, 0)
    spaces = [(names[:words], x[:words]), (names[:words], space(wordnet, 1)[1][:words])][:count]
    groups = [group.load() for group in open_groups(spaces, single_runs=True)]
    result = thresholds(groups, wordnet=str(wordnet[0]), **QUICK)
    assert ("wanted at least 3" in result.verdict[0]) if words == 2 else result.alarms
    assert to_text(result)


def test_equal_directions_of_all_words_do_not_fail(wordnet):
    names, x = space(wordnet, 0)
    runs = load_runs([(names, torch.ones_like(x)), (names, x)], name="flat")
    assert thresholds(runs, wordnet=str(wordnet[0]), **QUICK).alarms


def test_a_function_of_two_words_replaces_wordnet_and_its_plant_is_found(wordnet):
    """Similarity is a rising function of the baseline above a planted threshold, noise below."""
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(400)]
    x = unit(rng.normal(size=(400, 6)))
    plant, number = 0.3, {word: k for k, word in enumerate(words)}

    def similarity(a, b):
        if a == "w7":
            return None
        cosine = float(x[number[a]] @ x[number[b]])
        seed = number[a] * 400 + number[b]
        return max(cosine - plant, 0) + 0.2 * np.random.default_rng(seed).normal()

    spaces = [(words, torch.from_numpy(x + 0.002 * rng.normal(size=x.shape))) for _ in range(3)]
    result = thresholds(load_runs(spaces, name="plant"), baseline=similarity, pairs=40_000, **QUICK)
    (row,) = result.tables["thresholds"].records(kind="value", rule="clear")
    reached = plant + 0.1 * result.groups[0]["baseline"]["sd"]
    assert row["mean"] == pytest.approx(reached, abs=0.06)
    assert row["proven_to"] >= reached - 0.01
    assert result.tables["thresholds"].where(kind="place").height == 0


def test_peoples_scores_replace_wordnet(wordnet, runs, tmp_path):
    path = tmp_path / "people.tsv"
    rng = np.random.default_rng(0)
    pairs = [(a, b) for a, b in rng.integers(0, 90, (300, 2)) if a != b]
    path.write_text("".join(f"noun{a}\tnoun{b}\t{abs(a - b)}\n" for a, b in pairs) + "noun1\tnowhere\t5\n")
    result = thresholds(runs, baseline=None, options=ThresholdsOptions(baseline=str(path), **QUICK))
    assert result.groups[0]["baseline"]["pairs"] == len(pairs)
    assert any(f"{len(pairs)} of {len(pairs) + 1} scored pairs" in note for note in result.notes)


def test_words_to_leave_out_and_a_sample(wordnet, runs, tmp_path):
    (tmp_path / "out.txt").write_text("noun0\nnoun1\n")
    result = thresholds(runs, wordnet=str(wordnet[0]), exclude=str(tmp_path / "out.txt"), sample=40, **QUICK)
    assert result.groups[0]["baseline"]["words"] == 40
    assert any("88 of 110 words are nouns" in note for note in result.notes)
    assert any("40 were drawn" in note for note in result.notes)


@pytest.mark.parametrize(
    ("name", "value"), [("confidence", 1.0), ("confidence", 0.5), ("min_pairs", 1), ("sample", 2), ("draws", 0)]
)
def test_options_out_of_range_are_named(runs, name, value):
    with pytest.raises(InputError, match=name):
        thresholds(runs, **{name: value})


def test_a_stopped_study_goes_on_with_the_same_numbers(wordnet, groups, result, tmp_path, monkeypatch):
    """Runs that are finished are not measured again; other options, vectors or baselines are no such run."""
    told = []

    def stopping(work, part):
        told.append(work)
        if "far, run-001" in work:
            raise KeyboardInterrupt

    chosen = QUICK | {"wordnet": str(wordnet[0])}
    with pytest.raises(KeyboardInterrupt):
        thresholds(groups, finished=tmp_path / "kept", progress=stopping, **chosen)
    assert len(list((tmp_path / "kept").glob("*.json"))) == 4
    told.clear()
    again = thresholds(groups, finished=tmp_path / "kept", progress=lambda work, _: told.append(work), **chosen)
    assert not any("near, run" in work for work in told)
    assert sum("far, run" in work for work in told) > 0
    for name, table in result.tables.items():
        for column in table:
            assert list(again.tables[name][column]) == pytest.approx(list(table[column]), nan_ok=True, abs=0), name
    told.clear()
    chosen["senses"] = "first"
    thresholds(groups, finished=tmp_path / "kept", progress=lambda work, _: told.append(work), **chosen)
    assert any("near, run" in work for work in told)


def test_levels_that_memory_cannot_hold_are_found_block_by_block(wordnet, runs, monkeypatch):
    chosen = QUICK | {"wordnet": str(wordnet[0])}
    kept = thresholds(runs, **chosen)
    monkeypatch.setattr("gpustab.studies.thresholds.baselines._KEPT", 0)
    found = thresholds(runs, **chosen)
    for name in ("groups", "places"):
        assert list(found.tables[name]["mean"]) == pytest.approx(list(kept.tables[name]["mean"]), nan_ok=True, abs=0)


def test_a_damaged_part_is_measured_again(wordnet, runs, tmp_path):
    chosen = QUICK | {"wordnet": str(wordnet[0])}
    first = thresholds(runs, finished=tmp_path, **chosen)
    for text, path in zip(("", "{}", '[{"type": "Nothing", "fields": []}, 1]'), tmp_path.glob("*.json"), strict=True):
        path.write_text(text)
    second = thresholds(runs, finished=tmp_path, **chosen)
    assert second.tables["thresholds"]["mean"] == first.tables["thresholds"]["mean"]


@pytest.mark.gpu
def test_the_study_is_the_same_on_a_gpu(wordnet, groups, result):
    """Every threshold, and every table but for rounding."""
    there = thresholds(groups, wordnet=str(wordnet[0]), compute=Compute(torch.device("cuda")), **QUICK)
    assert there.verdict == result.verdict
    for name, table in result.tables.items():
        for column in table:
            for found, wanted in zip(there.tables[name][column], table[column], strict=True):
                if isinstance(wanted, float):
                    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True), (name, column)
                else:
                    assert found == wanted, (name, column)
