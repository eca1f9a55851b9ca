"""The study on planted run sets: what moved is found, absent words are absent, numbers are a naive script's."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import load_runs
from gpustab.errors import InputError
from gpustab.report.describe import paper
from gpustab.runs.key import Key
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies.change import study
from gpustab.studies.change.figures import FIGURES
from gpustab.studies.change.options import PERIODS_BY, ChangeOptions
from gpustab.studies.change.study import change
from gpustab.studies.change.tables import PAIRS, TRAJECTORIES, Pair, Step
from tests.generators import rotation
from tests.kernels.test_displacement import naive
from tests.pages import check_page
from tests.studies.change.planted import groups, runset
from tests.studies.change.test_claims import BASE

MOVED = (5, 17, 40)


@pytest.fixture(scope="module")
def planted():
    return groups(runset(moved=MOVED, step=4.0, samplings=("shuffled", "bootstrap")))


@pytest.fixture(scope="module")
def answer(planted):
    return change(planted, min_count=200, words="w5,w0", n=5, resamples=20)


def unit(runs):
    return [run.numpy() for run in runs.stack()]


def test_numbers_are_those_of_a_naive_script(planted, answer):
    first, second = (
        next(g for g in planted if g.key.sampling == "shuffled" and g.key.part[0][1][:4] == e) for e in ("1800", "1820")
    )
    value, corrected = naive(unit(first), unit(second))
    rows = {row["word"]: row for row in answer.tables["words"].records(series="sgns/shuffled", first="1800-1819")}
    for k, word in enumerate(first.vocabulary):
        if row := rows.get(word.decode()):
            there = k  # both epochs have the same words in the same order
            assert row["change"] == pytest.approx(value[there], abs=1e-9)
            assert row["corrected"] == pytest.approx(corrected[there], abs=1e-9)
    pair = next(answer.tables["pairs"].records(series="sgns/shuffled", first="1800-1819"))
    tested = [k for k, word in enumerate(first.vocabulary) if word.decode() in rows]
    assert len(tested) == pair["tested"] < pair["words"] == 120
    assert pair["change"] == pytest.approx(value[tested].mean(), abs=1e-9)


@pytest.mark.parametrize("recorded", [True, False], ids=["seeds differ", "no seeds"])
def test_runs_that_are_equal_have_no_noise_if_their_seeds_differ(recorded):
    made = groups(runset(epochs=2, v=60, runs=3, training=0.0, samplings=("shuffled", "bootstrap")))
    equal = [replace(group, seeds=tuple(range(len(group)))) if recorded else group for group in made]
    result = change(equal, min_count=50, resamples=5)
    (pair,) = PAIRS.of(result.tables).rows(series="sgns/shuffled")
    assert (pair.runs_first, pair.runs_second, pair.without_noise) == (1, 1, recorded)
    said = " ".join(result.verdict)
    assert ("None of it is training noise" in said) == recorded
    assert ("A single run says nothing" in said) == (not recorded)


def test_moved_words_come_first(answer):
    for first in ("1800-1819", "1820-1839"):
        words = [row["word"] for row in answer.tables["words"].records(series="sgns/shuffled", first=first)]
        assert set(words[:3]) == {f"w{k}" for k in MOVED}


def test_words_stand_by_what_is_beyond_the_floor_else_by_what_is_left_without_training_noise(answer):
    def column(series, name):
        return [row[name] for row in answer.tables["words"].records(series=series, first="1800-1819")]

    for series, name in (("sgns/shuffled", "excess"), ("sgns/bootstrap", "corrected")):
        values = column(series, name)
        assert values == sorted(values, reverse=True)
    assert column("sgns/shuffled", "change") != sorted(column("sgns/shuffled", "change"), reverse=True)


def test_sampling_floor_is_that_of_bootstrap_runs(answer):
    rows = list(answer.tables["pairs"].records(series="sgns/shuffled"))
    other = list(answer.tables["pairs"].records(series="sgns/bootstrap"))
    for row, own in zip(rows, other, strict=True):
        assert row["sampling_floor"] == pytest.approx(own["training_floor"])
        assert row["training_floor"] < row["averaged"] < row["change"]
        assert row["averaged_floor"] < row["training_floor"]
        assert own["sampling_floor"] is None
        assert 0 < row["corrected"] < row["change"]


def test_the_way_of_a_word(answer):
    steps = list(answer.tables["trajectories"].records(series="sgns/shuffled", word="w5"))
    assert [row["epoch"] for row in steps] == ["1800-1819", "1820-1839", "1840-1859"]
    assert steps[0]["change"] == pytest.approx(0, abs=1e-12)
    assert steps[1]["change"] > 0.1
    assert steps[1]["chained"] == pytest.approx(steps[1]["change"], abs=1e-9)  # one step is the same either way
    assert steps[2]["chained"] != pytest.approx(steps[2]["change"], abs=1e-9)
    assert steps[2]["chained"] == pytest.approx(steps[2]["change"], abs=0.05)
    lists = answer.tables["neighbours"].where(series="sgns/shuffled", word="w5", epoch="1800-1819")
    assert lists.height == 5
    assert max(lists["runs"]) == 4


def test_laws_have_a_row_for_every_number_of_runs(answer):
    rows = list(answer.tables["laws"].records(series="sgns/shuffled"))
    assert [row["n"] for row in rows] == [1, 2, 4]
    assert [row["averages"] for row in rows] == [4, 2, 1]
    assert all(0 <= row["r2_marginal"] <= row["r2_conditional"] <= 1 for row in rows)
    assert rows[-1]["beta"] < 0  # documents' noise grows towards rare words


def test_an_absent_word_has_no_row():
    found = runset(epochs=3, runs=3)
    middle = list(found)[1]
    found[middle] = [
        Space(Vocabulary(list(s.vocabulary)[1:]), s.vectors[1:], s.counts[1:], s.name) for s in found[middle]
    ]
    answer = change(groups(found), min_count=1, words="w0")
    assert [row["epoch"] for row in answer.tables["trajectories"].records()] == ["1800-1819", "1840-1859"]
    assert "w0" not in answer.tables["words"]["word"]
    assert any("'w0' is not in 1820-1839" in note for note in answer.notes)


def test_two_epochs_have_no_law_and_one_run_no_error():
    answer = change(groups(runset(epochs=2, runs=1)), min_count=1)
    row = next(answer.tables["pairs"].records())
    assert math.isnan(row["change_se"])
    assert math.isnan(row["corrected"])
    assert answer.tables["laws"].height == 0
    assert any("no word stands in two pairs of periods" in note for note in answer.notes)
    assert "Train bootstrap runs too, or a control" in answer.verdict[0]
    assert "One run cannot say how much of this is training noise." in answer.verdict[1]


def test_two_groups_without_epochs_are_taken_as_given():
    found = groups(runset(epochs=2, runs=2))
    named = [replace(runs, key=Key(name)) for runs, name in zip(found, ("old", "new"), strict=True)]
    row = next(change(named, min_count=1).tables["pairs"].records())
    assert (row["first"], row["second"]) == ("old", "new")


def test_a_copy_is_left_out_with_an_alarm():
    found = runset(epochs=2, runs=3)
    first = next(iter(found))
    found[first][2] = replace(found[first][0], name="again")
    answer = change(groups(found), min_count=1)
    assert next(answer.tables["pairs"].records())["runs_first"] == 2
    assert "same vectors" in answer.alarms[0]


def test_a_collapsed_epoch_sets_off_an_alarm():
    found = runset(epochs=2, runs=2)
    first = next(iter(found))
    found[first] = [replace(s, vectors=s.vectors * 0.01 + torch.ones(s.vectors.shape[1])) for s in found[first]]
    alarm = change(groups(found), min_count=1).alarms[0]
    assert "epoch 1800-1819" in alarm
    assert "collapsed. All words point one way (mean cosine 1.00)" in alarm


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"words": "nowhere"}, "in no period"),
        ({"words": "w1", "reference": "1800"}, "there is no such period"),
        ({"min_count": 0}, "min_count is 0"),
    ],
)
def test_wrong_choices_are_one_line(options, said):
    with pytest.raises(InputError, match=said):
        change(groups(runset(epochs=2, runs=2, v=20)), **options)


def test_groups_that_are_no_epochs_are_refused():
    found = groups(runset(epochs=3, runs=2, v=20))
    with pytest.raises(InputError, match="only period"):
        change(found[:1])
    with pytest.raises(InputError, match="groups without a period"):
        change([replace(runs, key=Key(f"g{k}")) for k, runs in enumerate(found)])
    with pytest.raises(InputError, match="has no period"):
        change([replace(found[0], key=Key("g")), *found[1:]])
    other = load_runs([(["a", "b", "c"], np.eye(3, 8)) for _ in range(2)])
    with pytest.raises(InputError, match="0 words in common"):
        change([replace(found[0], key=Key("x")), replace(other, key=Key("y"))])


@pytest.mark.parametrize(
    ("one", "other"),
    [("lsa/shuffled", "lsa/bootstrap"), ("sgns/bootstrap", "sgns/fixed"), ("lsa/fixed-0.5", "lsa/shuffled-0.5")],
)
def test_two_samplings_are_no_two_periods(one, other):
    found = groups(runset(epochs=2, runs=2, v=20))
    with pytest.raises(InputError, match="are two samplings of one text") as caught:
        change([replace(runs, key=Key.of_path(name)) for name, runs in zip((one, other), found, strict=True)])
    assert PERIODS_BY in str(caught.value)
    assert str(caught.value).count("epoch=") == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [("lsa/fixed", "ppmi_svd/fixed"), ("sgns/bootstrap", "cbow/bootstrap"), ("lsa/fixed", "sgns/shuffled")],
)
def test_two_techniques_are_no_two_periods(one, other):
    found = groups(runset(epochs=2, runs=2, v=20))
    with pytest.raises(InputError, match="are two techniques, no two periods"):
        change([replace(group, key=Key.of_path(key)) for group, key in zip(found, (one, other), strict=False)])


def test_words_to_follow_may_stand_in_a_file(tmp_path, monkeypatch):
    (tmp_path / "words.txt").write_bytes("où\r\nwar\n".encode("utf-16"))
    assert ChangeOptions(words=str(tmp_path / "words.txt")).followed == ["où", "war"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "war").write_text("peace\n", encoding="utf-8")
    assert ChangeOptions(words="war").followed == ["war"]  # a word, though a file is called so
    assert (
        ChangeOptions(words=",".join(["parliament"] * 40)).followed == ["parliament"] * 40
    )  # longer than a name may be
    assert ChangeOptions(words=f"{tmp_path}/none.txt, war").followed == [f"{tmp_path}/none.txt", "war"]


def test_a_word_that_is_nowhere_has_a_near_one():
    with pytest.raises(InputError, match=r"the word 'W1' is in no period of .*; near it (is|are) .*w1"):
        change(groups(runset(epochs=2, runs=2, v=20)), words="W1", min_count=1)


def test_a_reference_without_words_is_refused():
    with pytest.raises(InputError, match="reference='1950' has no effect: it is for words that are followed, words="):
        ChangeOptions(reference="1950")


def test_too_high_a_count_is_said():
    answer = change(groups(runset(epochs=2, runs=2, v=20)), min_count=10**6)
    assert answer.tables["pairs"].height == 0
    assert any("no word occurs 1,000,000 times" in note for note in answer.notes)


def test_a_stopped_call_goes_on_and_says_the_same(planted, tmp_path, monkeypatch):
    whole = change(planted, min_count=200, resamples=0)
    real, calls = study.between, []

    def stopping(*given):
        calls.append(given[0].name)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(study, "between", stopping)
    with pytest.raises(KeyboardInterrupt):
        change(planted, min_count=200, resamples=0, finished=tmp_path)
    again = change(planted, min_count=200, resamples=0, finished=tmp_path)
    assert len(calls) == 5  # of four pairs of epochs two were kept, and the one that was stopped was measured again
    for name, table in whole.tables.items():
        assert str(list(again.tables[name].records())) == str(list(table.records()))
    assert again.verdict == whole.verdict
    change(planted, min_count=201, resamples=0, finished=tmp_path)
    assert len(calls) == 9  # another choice


def test_authors_are_looked_for_before_the_work(planted, tmp_path, monkeypatch):
    text = tmp_path / "dated.tsv"
    text.write_text(
        "year\tauthor\ttext\n" + "".join(f"{year}\tA\t{year // 10 * 'some words '}\n" for year in (1805, 1825, 1845))
    )
    monkeypatch.setattr(study, "between", lambda *_: pytest.fail("measured before the authors were known"))
    with pytest.raises(InputError, match="near it is author"):
        change(planted, corpus=str(text), authors="autor")


def test_the_same_runs_in_two_epochs_set_off_an_alarm():
    found = runset(epochs=2, runs=2, v=30)
    first, second = found
    answer = change(groups(found | {second: found[first]}), min_count=1)
    assert "2 of 2 runs are the same" in answer.alarms[0]


def test_the_order_is_that_of_time_and_a_gap_is_told():
    found = runset(epochs=4, runs=2, v=30)
    keys = list(found)
    answer = change(groups({key: found[key] for key in (keys[3], keys[0], keys[1])}), min_count=1)
    assert [row["first"] for row in answer.tables["pairs"].records()] == ["1800-1819", "1820-1839"]
    assert any("no period between 1820-1839 and 1860-1879" in note for note in answer.notes)
    assert not any("between 1800-1819" in note for note in answer.notes)
    other = replace(keys[1], part=(("epoch", "1810-1839"),))
    answer = change(groups({keys[0]: found[keys[0]], other: found[keys[1]]}), min_count=1)
    assert any("1800-1819 and 1810-1839 have years in common" in note for note in answer.notes)


def test_files_without_counts_have_no_law():
    found = {key: [replace(s, counts=None) for s in spaces] for key, spaces in runset(epochs=3, runs=2, v=30).items()}
    answer = change(groups(found))
    assert next(answer.tables["pairs"].records())["tested"] == 30
    assert answer.tables["laws"].height == 0
    assert any("hold no counts" in note for note in answer.notes)


def test_epochs_with_other_numbers_of_runs():
    found = runset(epochs=3, runs=4, v=40)
    middle = list(found)[1]
    found[middle] = found[middle][:3]
    answer = change(groups(found), min_count=1, resamples=0)
    assert [row["n"] for row in answer.tables["laws"].records()] == [1, 2]
    assert {row["freedom"] for row in answer.tables["excess"].records()} == {1}


def test_epochs_of_other_dimensions_are_refused():
    found, other = runset(epochs=2, runs=2, v=20), runset(epochs=2, runs=2, v=20, d=5)
    last = list(found)[1]
    with pytest.raises(InputError, match=r"has 8 dimensions and .* 5"):
        change(groups(found | {last: other[last]}), min_count=1)


@pytest.mark.parametrize("pairs", [True, False])
def test_a_period_that_the_first_word_lacks_stands_in_its_place(pairs):
    there = [("rare", "1800"), ("rare", "1840"), ("often", "1800"), ("often", "1820"), ("often", "1840")]
    named = {"series": "s", "of": "s", "split": "", "control": False, "bootstrap": False, "sampling_floor": None}
    both = [Pair(**dict.fromkeys(Pair._fields, 0.1) | named | {"first": "1800", "second": "1820"})]
    both.append(both[0]._replace(first="1820", second="1840"))
    tables = {
        TRAJECTORIES.name: TRAJECTORIES.table(
            Step("s", word, period, "1800", 0.1, 0.01, 2, 0.1, None) for word, period in there
        ),
        PAIRS.name: PAIRS.table(both if pairs else []),
    }
    (panel,) = FIGURES["ways"][1](tables).panels
    places = [panel.index(f">{epoch}<") for epoch in ("1800", "1820", "1840")]
    assert places == sorted(places)


def test_words_that_are_followed_are_shown_where_no_word_is_frequent_enough():
    answer = change(groups(runset(epochs=2, runs=2)), min_count=10**6, words="w1")
    assert answer.tables["pairs"].height == 0
    assert "w1" in answer.tables["neighbours"]["word"]
    text = str(answer)
    assert "What did “w1” stand beside?" in text
    assert "Skip-gram, shuffled runs: no word occurs 1,000,000 times in both 1800-1819 and 1820-1839" in text
    assert FIGURES["ways"][1](answer.tables).panels
    assert not FIGURES["ways_of_others"][1](answer.tables).panels


def test_two_camps_of_words_are_an_alarm():
    """A hundred words stood still and two hundred turned together: the turn onto most takes the hundred for moved."""
    v, d = 300, 8
    found, base = {}, np.random.default_rng(0).normal(size=(v, d))
    turn = np.where(np.arange(v)[:, None] < 100, base, base @ np.asarray(rotation(d, 5)))
    for e, own in enumerate((base, turn)):
        key = Key("sgns", "shuffled", part=(("epoch", f"{1800 + 20 * e}-{1819 + 20 * e}"),))
        noise = np.random.default_rng(e + 1).normal(size=(3, v, d))
        words = Vocabulary(f"w{k}" for k in range(v))
        found[key] = [Space(words, torch.from_numpy(own + 0.1 * x), None, f"run-{r}") for r, x in enumerate(noise)]
    answer = change(groups(found), min_count=1, resamples=0)
    (alarm,) = answer.alarms
    assert "the words fall into two camps" in alarm
    assert "(67 % and 33 %)" in alarm


def test_the_page_leads_with_what_may_be_claimed(answer):
    check_page(answer)
    claim = paper(answer).claim
    assert claim.startswith("Nothing about a change from 1800-1819 to 1820-1839")  # so few runs
    sure = BASE._replace(change=0.6, change_se=0.001)
    answer = replace(answer, tables={**answer.tables, "pairs": PAIRS.table([sure])})
    assert paper(answer).claim.startswith("That the contexts of words differ from 1800-1819 to 1820-1839 more than")
    assert paper(answer).claim.endswith("Not that meanings changed: topics, authors and register change contexts too.")
