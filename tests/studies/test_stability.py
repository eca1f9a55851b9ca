import gc
import importlib
import math
import shutil
import weakref
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import InputError, Space, Vocabulary, engine, load_groups, load_runs
from gpustab.errors import OutOfMemoryError
from gpustab.machine.device import Compute
from gpustab.machine.progress import no_progress
from gpustab.report import Result
from gpustab.report.describe import describe
from gpustab.report.json_text import plain
from gpustab.results.page import number
from gpustab.runs.group import Group
from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import write_runset
from gpustab.studies.average.study import average
from gpustab.studies.shared.frame import Answer, without_copies
from gpustab.studies.stability.page import page
from gpustab.studies.stability.paper import cards
from gpustab.studies.stability.study import stability
from tests import generators, oracles
from tests.generators import noisy_copies, runs_of, spaces

LENGTHS = (1, 3, 7)


def all_pairs(stack, function):
    return np.array([function(stack[i], stack[j]) for i, j in oracles.pairs(len(stack))])


def symmetric(values, runs):
    matrix = np.zeros((runs, runs))
    for (i, j), value in zip(oracles.pairs(runs), values, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def assert_statistics(got, values, runs):
    """Mean, SD (ddof = 1) and jackknife error of some pair values; undefined ones are NaN."""
    sd = np.std(values, ddof=1) if len(values) > 1 else math.nan
    se = oracles.jackknife(symmetric(values, runs)) if runs > 2 else math.nan
    np.testing.assert_allclose(got, [np.mean(values), sd, se], rtol=1e-7, atol=1e-15)


def ties_at(x, n):
    """In how many lists the n-th and the next neighbour have the same cosine."""
    cosines = np.round(oracles.unit(x) @ oracles.unit(x).T, 11)
    ranked = [np.sort(np.delete(row, k))[::-1] for k, row in enumerate(cosines)]
    return sum(row[n - 1] == row[n] for row in ranked)


def pair(stack, words):
    return [(words, run.numpy()) for run in stack]


def named(runs, path):
    return replace(runs, key=Key.of_path(path))


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_every_number_of_a_group_against_the_naive_one(runs):
    measured = runs_of(noisy_copies(runs, 60, 7))
    stack = measured.stack().numpy()
    result = stability(measured, neighbours=LENGTHS)
    (group,) = result.groups
    assert group["name"] == "runs"
    assert len(group["runs"]) == runs
    assert group["vocabulary"] == {"rule": "joint", "joint": 60, "dropped": 0, "undefined": 0}
    assert group["dimension"] == 7

    losses = all_pairs(stack, oracles.reduced_pip)
    pip = group["pip"]["reduced"]
    assert_statistics((pip["mean"], pip["sd"], pip["se"]), losses, runs)
    pairs = result.tables["pairs"]
    names = [(group["runs"][i], group["runs"][j]) for i, j in oracles.pairs(runs)]
    assert list(zip(pairs["run_i"], pairs["run_j"], strict=True)) == names
    np.testing.assert_allclose(pairs["reduced_pip"], losses, rtol=1e-9)

    rng = np.random.default_rng(0)
    chance = all_pairs(stack, lambda x, y: oracles.chance_pip(x, y, 300, rng))
    assert group["scale"]["chance_reduced_pip"] == pytest.approx(np.sqrt(np.mean(chance**2)), rel=0.01)
    assert group["scale"]["mean_cosine"] == pytest.approx(np.mean([oracles.mean_cosine(x) for x in stack]))

    lists = [[oracles.top_k(x, t, max(LENGTHS)) for t in range(60)] for x in stack]
    assert list(group["neighbours"]) == [str(n) for n in LENGTHS]
    for n in LENGTHS:
        got = group["neighbours"][str(n)]
        p, j = oracles.overlap(lists, n)
        assert_statistics((got["p"], got["p_sd"], got["p_se"]), p.mean(1), runs)
        assert_statistics((got["j"], got["j_sd"], got["j_se"]), j.mean(1), runs)
        assert got["chance_p"] == n / 59
        assert got["ties"] == 0


def uneven(runs, v, d, seed=0, every=10):
    """Noisy copies in which one word of some is noisier, by words of like frequency."""
    stack = noisy_copies(runs, v, d, noise=0.05, seed=seed)
    noise = torch.randn(runs, v, d, dtype=torch.float64, generator=generators.generator(seed + 50))
    stack = stack + noise * torch.where(torch.arange(v) % every == 0, 0.5, 0.0)[:, None]
    return stack / stack.norm(dim=2, keepdim=True)


def test_words_are_listed_beside_words_of_like_frequency_with_their_errors():
    runs = runs_of(uneven(6, 120, 5))
    result = stability(runs, neighbours=[10])
    words = result.groups[0]["words"]
    losses = all_pairs(runs.stack().numpy(), oracles.wordwise_pip).mean(0)
    table = result.frame("words").set_index("word")
    assert words["by"] in {"pip", "p@10"}
    ranking = words["rankings"][words["by"]]["like_frequency"]
    assert ranking["reliability"] > 0.5  # nine words in ten do not differ
    assert ranking["reliability"] == max(x["like_frequency"]["reliability"] for x in words["rankings"].values())
    assert {int(row["word"][1:]) % 10 for row in words["least_stable"]} == {0}
    assert 0 not in {int(row["word"][1:]) % 10 for row in words["most_stable"]}
    for row in words["least_stable"] + words["most_stable"]:
        assert row["pip"] == pytest.approx(losses[int(row["word"][1:])])
        assert row["p"] == pytest.approx(table.loc[row["word"], "p@10"])
        assert (row["pip_se"], row["p_se"]) == tuple(table.loc[row["word"], ["pip_se", "p@10_se"]])
        assert row["p_se"] > 0
        assert row["count"] is None
    assert "About 10 of the 10 words" in words["list"]
    # All words are one window here: the place is the rank, and the error the same for all.
    order = table.pip_mean.rank().sub(1).div(119)
    np.testing.assert_allclose(table.pip_place, order)
    assert table.pip_se.nunique() == 1


def test_counts_of_listed_words_are_those_of_one_run():
    words = Vocabulary(f"w{k}" for k in range(60))
    counts = torch.arange(60, 0, -1)
    spaces_ = [Space(words, x.float(), counts, f"r{r}") for r, x in enumerate(uneven(6, 60, 5))]
    result = stability(load_runs(spaces_), neighbours=[10], words=["w3"])
    assert all(row["count"] == 60 - int(row["word"][1:]) for row in result.groups[0]["words"]["least_stable"])
    (asked,) = (table for block in describe(result) for table in block.tables if table.title.startswith("Words asked"))
    assert asked.title == "Words asked for (last two columns: by p@10)"
    assert asked.rows[0][:2] == ["w3", "57"]


@pytest.mark.parametrize("runs", [2, 4])
def test_no_words_are_listed_by_runs_that_cannot_rank_them(runs):
    """All words are equally noisy: what is over the words is noise."""
    base = torch.randn(40, 30, dtype=torch.float64, generator=generators.generator(0))
    noise = torch.randn(runs, 40, 30, dtype=torch.float64, generator=generators.generator(1))
    result = stability(runs_of(base + 0.3 * noise), neighbours=[10])
    words = result.groups[0]["words"]
    assert words["least_stable"] == words["most_stable"] == []
    assert runs > 2 or all(math.isnan(value) for value in result.tables["words"]["least"])  # no "0 %"
    assert "cannot rank words" in words["heading"]


def test_ties_at_the_cut_are_counted_and_said():
    stack = noisy_copies(3, 40, 6)
    stack[:, :4] = stack[:, :1]
    result = stability(runs_of(stack), neighbours=[1, 2, 3])
    (group,) = result.groups
    for n in (1, 2, 3):
        assert group["neighbours"][str(n)]["ties"] == sum(ties_at(x.numpy(), n) for x in stack) > 0
    assert any("tie at the cut" in note for note in result.notes)


def test_targets_as_all_a_seeded_number_or_words():
    stack = noisy_copies(3, 50, 6)
    runs = runs_of(stack)
    everything = stability(runs, neighbours=[5])
    assert stability(runs, neighbours=[5], targets="all").groups == everything.groups
    words = ["w3", b"w40", "w7"]
    assert plain(stability(runs, neighbours=[5], words=words).groups) == plain(everything.groups)  # all are targets
    some = stability(runs, neighbours=[5], words=words, targets=1)
    measured = {row["word"]: row["p@5"] for row in some.tables["words"].records() if row["p@5"] == row["p@5"]}
    assert {"w3", "w40", "w7"} <= set(measured)
    assert len(measured) == some.groups[0]["targets"]["words"] <= 4
    lists = [[oracles.top_k(x.numpy(), int(w[1:]), 5) for w in measured] for x in stack]
    assert some.groups[0]["neighbours"]["5"]["p"] == pytest.approx(oracles.overlap(lists, 5)[0].mean())
    assert some.groups[0]["pip"] == everything.groups[0]["pip"]
    drawn = [stability(runs, neighbours=[5], targets=10, seed=seed) for seed in (1, 1, 2)]
    measured = [{w for w, p in zip(*map(r.tables["words"].get, ("word", "p@5")), strict=True) if p == p} for r in drawn]
    assert len(measured[0]) == 10
    assert measured[0] == measured[1] != measured[2]


def test_a_missing_target_word_is_named():
    runs = runs_of(noisy_copies(2, 20, 4))
    result = stability(runs, words=["w3", "zebra"])
    assert result.groups[0]["targets"] == {"words": 20, "missing": 1}
    assert any("1 target word is missing: zebra." in note for note in result.notes)
    with pytest.raises(InputError, match=r"'runs' has none of the target words: zebra"):
        stability(runs, words=["zebra"])


@pytest.mark.parametrize("lengths", [[], [0], [5, -1]])
def test_impossible_list_lengths_are_refused(lengths):
    with pytest.raises(InputError, match="neighbours"):
        stability(runs_of(noisy_copies(2, 20, 4)), neighbours=lengths)


def test_lists_too_long_are_cut_and_said():
    runs = runs_of(noisy_copies(2, 20, 4))
    result = stability(runs, neighbours=[5, 19, 25])
    assert list(result.groups[0]["neighbours"]) == ["5", "19"]
    assert any("hold only 19 words" in note for note in result.notes)
    result = stability(runs, neighbours=[30, 40])
    assert list(result.groups[0]["neighbours"]) == ["19"]
    assert result.groups[0]["neighbours"]["19"]["p"] == 1
    assert "p@19" in result.tables["pairs"]


def test_a_list_that_is_cut_is_still_shown():
    result = stability(runs_of(noisy_copies(2, 20, 4)), neighbours=[5, 25])
    assert list(result.groups[0]["neighbours"]) == ["5", "19"]


def test_tables_have_a_row_per_pair_and_per_word():
    result = stability(runs_of(noisy_copies(4, 30, 5)), neighbours=[1, 5])
    (group,) = result.groups
    pairs, words = (result.frame(name) for name in ("pairs", "words"))
    assert list(pairs) == ["group", "run_i", "run_j", "reduced_pip", "chance_reduced_pip", "p@1", "j@1", "p@5", "j@5"]
    assert len(pairs) == 6
    assert not (pairs.run_i == pairs.run_j).any()
    assert pairs.reduced_pip.mean() == pytest.approx(group["pip"]["reduced"]["mean"])
    for n in ("1", "5"):
        assert pairs[f"p@{n}"].mean() == pytest.approx(group["neighbours"][n]["p"])
        assert words[f"p@{n}"].mean() == pytest.approx(group["neighbours"][n]["p"])
        assert words[f"j@{n}"].mean() == pytest.approx(group["neighbours"][n]["j"])
    assert words.word.tolist() == [f"w{k}" for k in range(30)]
    assert set(words.runs) == {4}
    assert set(words.pairs) == {6}
    # The mean square over words and pairs is the mean square of the reduced losses.
    square = (words.pip_mean**2 + words.pip_sd**2 * 5 / 6).mean()
    assert square == pytest.approx((pairs.reduced_pip**2).mean())


def test_targets_that_were_not_drawn_have_no_overlap_in_the_word_table():
    words = stability(runs_of(noisy_copies(2, 30, 5)), neighbours=[3], targets=2).frame("words")
    assert words["p@3"].notna().sum() == 2
    assert words.pip_mean.notna().all()


def test_union_counts_a_word_in_the_runs_that_have_it():
    stack = noisy_copies(4, 30, 5)
    words = [f"w{i}" for i in range(30)]
    keep = [i for i in range(30) if i not in (5, 8)]
    some = [words[i] for i in keep]
    sources = [*pair(stack[:2], words), (some, stack[2, keep].numpy()), (some, stack[3, keep].numpy())]
    runs = load_runs(sources, vocabulary="union", min_runs=2)
    result = stability(runs, neighbours=[3])
    (group,) = result.groups
    assert group["vocabulary"] == {"rule": "union", "joint": 28, "dropped": 0, "undefined": 0}
    losses = all_pairs(stack[:, keep].numpy(), oracles.reduced_pip)
    assert group["pip"]["reduced"]["mean"] == pytest.approx(losses.mean())
    table = result.frame("words").set_index("word")
    assert table.loc["w5", "runs"] == 2
    assert table.loc["w5", "pairs"] == 1
    assert math.isnan(table.loc["w5", "pip_sd"])
    assert table.loc["w0", "pairs"] == 6
    strict = stability(load_runs(sources, vocabulary="union", min_runs=3), neighbours=[3])
    assert strict.groups[0]["vocabulary"]["dropped"] == 2
    assert any("2 of 30 words" in note and "w5, w8" in note for note in strict.notes)


def test_groups_of_different_size_give_rectangular_tables():
    small = named(runs_of(noisy_copies(2, 5, 3)), "small")
    large = named(runs_of(noisy_copies(3, 40, 6)), "large")
    for groups in ([small, large], [large, small]):
        result = stability(groups, neighbours=[2, 10])
        assert [group["name"] for group in result.groups] == [runs.name for runs in groups]
        assert [len(result.frame(name)) for name in ("pairs", "words")] == [1 + 3, 5 + 40]
        pairs = result.frame("pairs").set_index("group")
        assert math.isnan(pairs.loc["small", "p@10"])
        assert pairs.loc["large", "p@10"].notna().all()
    alone = stability(large, neighbours=[2, 10])
    assert alone.groups[0] == result.groups[0]


def extrinsic(shuffled_noise, bootstrap_noise):
    """Shuffled runs of w0 .. w39 and bootstrap runs of w10 .. w49; their oracle over the 30 common words."""
    shuffled, bootstrap = noisy_copies(3, 40, 6, shuffled_noise), noisy_copies(4, 40, 6, bootstrap_noise, seed=1)
    groups = [
        named(load_runs(pair(stack, [f"w{i + first}" for i in range(40)])), f"x/{group}")
        for stack, first, group in ((bootstrap, 10, "bootstrap"), (shuffled, 0, "shuffled"))
    ]
    means = [all_pairs(s.numpy(), oracles.reduced_pip).mean() for s in (shuffled[:, 10:], bootstrap[:, :30])]
    return stability(groups, neighbours=[1]), means[1] ** 2 - means[0] ** 2


def test_extrinsic_instability_is_over_the_common_words():
    result, signed = extrinsic(0.1, 0.4)
    (contrast,) = result.contrasts
    assert contrast["name"] == "extrinsic"
    assert contrast["groups"] == ["x/shuffled", "x/bootstrap"]
    assert contrast["signed_square"] == pytest.approx(signed)
    assert contrast["value"] == pytest.approx(signed**0.5)
    assert contrast["se"] == pytest.approx(contrast["square_se"] / (2 * contrast["value"]))
    assert contrast["ratio_interval"][0] < contrast["ratio"] < contrast["ratio_interval"][1]
    assert contrast["words"] == 30
    assert contrast["losses"][1] / contrast["losses"][0] == pytest.approx(contrast["ratio"])  # stands beside it
    assert any("as much as training again" in sentence for sentence in result.verdict)
    assert any("resample these documents" in sentence for sentence in result.verdict)


def test_a_negative_extrinsic_square_is_undefined_not_zero():
    result, signed = extrinsic(0.4, 0.1)
    (contrast,) = result.contrasts
    assert contrast["value"] is None
    assert contrast["signed_square"] == pytest.approx(signed)
    assert signed < 0


def test_no_contrast_between_groups_that_are_not_counterparts():
    groups = [named(runs_of(noisy_copies(2, 20, 4)), name) for name in ("x/shuffled", "y/bootstrap", "x/fixed")]
    assert stability(groups, neighbours=[1]).contrasts == []


def test_counterparts_without_common_words_have_no_contrast_of_nan():
    groups = [
        named(load_runs(pair(noisy_copies(2, 20, 4), [f"{letter}{i}" for i in range(20)])), f"x/{name}")
        for letter, name in (("a", "shuffled"), ("b", "bootstrap"))
    ]
    result = stability(groups, neighbours=[1])
    assert not any("nan" in note for note in result.notes)


def test_groups_of_one_name_are_refused():
    with pytest.raises(InputError, match="x"):
        stability([named(runs_of(noisy_copies(2, v, 4)), "x") for v in (20, 30)], neighbours=[1])


def note_of(runs, part, **choices):
    notes = stability(runs, neighbours=[1], **choices).notes
    return next((note for note in notes if part in note), None)


def judged(stack, **choices):
    result = stability(runs_of(stack, **choices), neighbours=[5, 10])
    return result.alarms, result.verdict


def test_good_runs_have_a_verdict_and_no_alarm():
    alarms, (lead,) = judged(noisy_copies(4, 60, 8))
    assert alarms == []
    assert "nearest neighbours come back" in lead


def of_samplings(**noise):
    """What is said of runs of one technique, by the noise of each sampling; none are collapsed runs."""
    groups = [
        named(runs_of(generators.collapsed(3, 60, 8) if size is None else noisy_copies(4, 60, 8, size)), f"x/{name}")
        for name, size in noise.items()
    ]
    return stability(groups, neighbours=[10]).verdict


def test_bootstrap_runs_lead_and_what_they_forbid_is_not_permitted_by_runs_of_the_same_texts():
    said = of_samplings(fixed=1e-4, shuffled=0.3, bootstrap=0.3)
    assert [sentence.split(":")[0] for sentence in said[:3]] == [
        "x, bootstrap runs",
        "x, fixed runs",
        "x, shuffled runs",
    ]
    assert "seen it in several runs" in said[0]
    assert "changes little. Go by the bootstrap runs" in said[1]
    assert said[2].endswith(").")
    assert not any("You may read" in sentence for sentence in said)


def test_what_bootstrap_runs_permit_all_others_keep_their_own_word_on():
    drawn, fixed, shuffled, *_ = of_samplings(fixed=1e-4, shuffled=0.3, bootstrap=1e-4)
    assert all("You may read neighbours from one run." in sentence for sentence in (drawn, fixed))
    assert "seen it in several runs" in shuffled


def test_bootstrap_runs_without_a_verdict_permit_nothing():
    fixed, shuffled, *_ = of_samplings(fixed=1e-4, shuffled=0.3, bootstrap=None)
    assert fixed.startswith("x, fixed runs")
    assert "bootstrap runs, which say more, have no verdict" in fixed
    assert "seen it in several runs" in shuffled


def test_collapsed_spaces_have_an_alarm_and_no_verdict():
    (alarm,), verdict = judged(generators.collapsed(3, 40, 5))
    assert "All runs are collapsed" in alarm
    assert verdict == []


@pytest.mark.parametrize("turned", [False, True])
def test_copies_are_told_before_all_else_also_of_collapsed_runs(turned):
    """The same file twice stays that, whatever is wrong with it besides; so does its copy in another basis."""
    flat = generators.collapsed(3, 40, 5)
    again = flat[:1].flip(-1) if turned else flat[:1]
    alarms, verdict = judged(torch.cat([flat[:2], again]))
    assert [alarm.split(". ")[0] for alarm in alarms[:1]] == ["run-000 and run-002 are the same vectors"]
    assert "Is it the same file twice?" in alarms[0]
    assert "All runs are collapsed" in alarms[1]
    assert verdict == []
    mixed, _ = judged(torch.cat([noisy_copies(3, 40, 5), flat[:1], again]))
    assert mixed[0].startswith("run-003 and run-004 are the same vectors. Is it the same file twice?")
    assert mixed[1].startswith("run-003 and run-004 are collapsed")
    only, _ = judged(flat[:1].repeat(2, 1, 1))
    assert only[0].startswith("run-000 and run-001 are the same vectors")


def test_copies_of_one_group_come_before_the_collapse_of_another():
    flat, twice = generators.collapsed(3, 40, 5), noisy_copies(3, 40, 5)[[0, 1, 2, 0]]
    groups = [replace(runs_of(x), key=Key("x", kind)) for x, kind in ((flat, "fixed"), (twice, "shuffled"))]
    first, second = stability(groups, neighbours=[5]).alarms
    assert "are the same vectors" in first
    assert "collapsed" in second


def test_lists_of_other_runs_do_not_contradict_those_of_the_lead():
    """Bootstrap runs that name no most stable words lead the page; that others do is said, with their numbers."""
    groups = of_noise({"shuffled": 0.02, "fixed": 0.02, "bootstrap": 0.6})
    result = stability(groups, neighbours=[5])
    named = [group["name"] for group in result.groups if group["words"]["most_stable"]]
    assert named
    assert "x/bootstrap" not in named
    block = next(block for block in page(result) if block.title == "Which words are stable?")
    assert "no list names" not in block.answer
    assert "below: none of them drew the documents again." in block.answer
    table = next(table for table in block.tables if table.title.startswith("Most stable"))
    assert table.title.endswith(", in those runs that can tell")
    assert table.header[1::2] == ["p@5"] * len(named)
    of = {(row["word"], row["group"]): row["p@5"] for row in result.tables["words"].records()}
    assert [float(row[1]) for row in table.rows] == pytest.approx(
        [of[row[0], named[0]] for row in table.rows], abs=6e-3
    )
    assert list(table.opens) == list(range(0, 2 * len(named), 2))


def of_noise(noises):
    """Groups of ten runs whose words have more noise the later they stand."""
    base = torch.randn(300, 20, dtype=torch.float64, generator=generators.generator(0))
    scale = torch.linspace(0.05, 3, 300, dtype=torch.float64)[torch.randperm(300, generator=generators.generator(5))]
    groups = []
    for seed, (kind, noise) in enumerate(noises.items()):
        drawn = torch.randn(10, 300, 20, dtype=torch.float64, generator=generators.generator(seed + 1))
        level = torch.full_like(scale, 30 * noise) if kind == "bootstrap" else 10 * noise * scale
        groups.append(replace(runs_of(base + drawn * level[:, None]), key=Key("x", kind)))
    return groups


def test_collapsed_groups_have_one_alarm():
    sound, flat = runs_of(noisy_copies(3, 40, 5)), runs_of(generators.collapsed(3, 40, 5))
    keys = [Key("x", "fixed"), Key("x", "shuffled"), Key("y", "shuffled")]
    groups = [replace(runs, key=key) for runs, key in zip((flat, flat, sound), keys, strict=True)]
    (alarm,) = stability(groups, neighbours=[5]).alarms
    assert alarm.startswith(
        "The fixed runs of x and the shuffled runs of x: All runs are collapsed: their words all point one way"
    )


def test_one_collapsed_run_is_named_and_the_verdict_is_without_it():
    stack = noisy_copies(5, 60, 8)
    spoilt = stack.clone()
    spoilt[2] = generators.collapsed(1, 60, 8)[0]
    (alarm,), verdict = judged(spoilt)
    assert alarm.startswith("run-002 is collapsed")
    assert verdict == judged(stack[[0, 1, 3, 4]])[1]


def test_one_odd_run_is_named_and_the_verdict_is_without_it():
    stack = noisy_copies(6, 60, 8, noise=0.05)
    spoilt = stack.clone()
    spoilt[4] = spoilt[4].roll(1, 0)  # its words are shifted by a line
    (alarm,), verdict = judged(spoilt)
    assert alarm.startswith("One run does not belong. run-004 lies ")
    assert verdict == judged(stack[[0, 1, 2, 3, 5]])[1]


def test_equal_runs_are_named_and_one_of_them_counts():
    stack = noisy_copies(4, 60, 8)
    twice = torch.cat([stack, stack[:1].flip(2)])  # the same run, mirrored
    (alarm,), verdict = judged(twice)
    assert alarm.startswith("run-000 and run-004 are the same vectors. The loss is")
    assert verdict == judged(stack)[1]
    assert judged(noisy_copies(3, 40, 5, noise=1e-4))[0] == []


def test_hardly_any_words_in_common_is_said_first_and_there_is_no_verdict():
    stack = noisy_copies(2, 60, 5).numpy()
    capital = [f"W{i}" if i > 1 else f"w{i}" for i in range(60)]
    sources = [([f"w{i}" for i in range(60)], stack[0]), (capital, stack[1])]
    result = stability(load_runs(sources, allow_small_overlap=True), neighbours=[1])
    (alarm,) = result.alarms
    assert alarm.startswith("These runs share only 2 of 118 words (2 %).")
    assert alarm.endswith("They would share 60 if letter case did not count.")
    assert result.verdict == []


def test_two_runs_have_no_interval():
    _, (lead,) = judged(noisy_copies(2, 60, 8))
    assert lead.startswith("Two runs share")
    assert "gives no interval" in lead


@pytest.mark.parametrize(("runs", "part"), [(2, "one pair"), (3, "3 runs are few"), (4, "4 runs are few")])
def test_few_runs_are_warned_of(runs, part):
    assert note_of(runs_of(noisy_copies(runs, 20, 4)), part)
    assert note_of(runs_of(noisy_copies(5, 20, 4)), "few") is None


def test_rows_that_are_not_unit_have_no_scale():
    runs = runs_of(noisy_copies(3, 20, 4) * 2, unit=False)
    result = stability(runs, neighbours=[1])
    assert result.groups[0]["scale"] is None
    assert result.groups[0]["pip"]["reduced"]["mean"] == pytest.approx(
        4 * all_pairs(noisy_copies(3, 20, 4).numpy(), oracles.reduced_pip).mean()
    )
    assert any("not scaled to unit length" in note for note in result.notes)


def test_dropped_and_undefined_words_are_counted_and_sampled():
    stack = noisy_copies(2, 20, 4)
    stack[1, 6] = 0
    words = [f"w{i}" for i in range(20)]
    runs = load_runs([(words, stack[0].numpy()), ([*words[:19], "new\x07"], stack[1].numpy())])
    result = stability(runs, neighbours=[1])
    assert result.groups[0]["vocabulary"] == {"rule": "joint", "joint": 18, "dropped": 2, "undefined": 1}
    dropped, undefined = (note for note in result.notes if "left out" in note)
    assert "2 of 21 words are left out, because fewer than 2 runs have them" in dropped
    assert "w19" in dropped
    assert r"new\x07" in dropped
    assert "1 word is left out, because of a zero vector in some run (w6)" in undefined


def test_order_of_the_runs_changes_nothing_but_their_order():
    stack = noisy_copies(4, 40, 5)
    runs = runs_of(stack)
    a, b = (stability(r, neighbours=[1, 5]) for r in (runs, runs.take([2, 0, 3, 1])))
    for path in (("pip", "reduced", "mean"), ("pip", "reduced", "se"), ("neighbours", "5", "p"), ("scale",)):
        x, y = a.groups[0], b.groups[0]
        for key in path:
            x, y = x[key], y[key]
        assert x == pytest.approx(y, rel=1e-9)
    assert a.tables["words"]["pip_mean"] == pytest.approx(b.tables["words"]["pip_mean"], rel=1e-9)
    assert a.notes == b.notes


@pytest.mark.parametrize("choice", [{"targets": 0}, {"targets": "many"}, {"words": []}, {"words": "w3"}, {"word": 3}])
def test_targets_that_make_no_sense_are_refused(choice):
    with pytest.raises(InputError, match=r"target|words"):
        stability(runs_of(noisy_copies(2, 20, 4)), neighbours=[1], **choice)


def test_a_target_given_twice_counts_once():
    runs = runs_of(noisy_copies(2, 20, 4))
    once, twice = (stability(runs, neighbours=[3], words=t) for t in (["w1", "w2"], ["w1", "w2", "w2", "w2"]))
    assert plain(once.groups) == plain(twice.groups)


def test_no_groups_are_refused():
    with pytest.raises(InputError):
        stability([])


def test_a_device_without_memory_leaves_the_work_to_the_cpu(monkeypatch):
    module = importlib.import_module("gpustab.studies.stability.study")
    frame = importlib.import_module("gpustab.studies.shared.frame")
    real = module._measure

    def measure(runs, options, compute, *rest):
        if compute.device.type == "cuda":
            raise OutOfMemoryError("out of memory even with 16 rows at a time")
        real(runs, options, compute, *rest)

    monkeypatch.setattr(module, "_measure", measure)
    monkeypatch.setattr(module.engine, "place", lambda runs, compute: runs)
    monkeypatch.setattr(frame, "environment", lambda device: {})
    runs = runs_of(noisy_copies(3, 20, 4))
    result = stability(runs, compute=Compute(torch.device("cuda"), "fp64"))
    assert plain(result.groups) == plain(stability(runs).groups)
    assert any("measured on the CPU, because the memory of cuda was too small" in note for note in result.notes)
    monkeypatch.setattr(module, "_measure", lambda *_: (_ for _ in ()).throw(OutOfMemoryError("none left")))
    with pytest.raises(OutOfMemoryError):
        stability(runs)


def test_a_proxy_is_said_to_be_one():
    runs = runs_of(noisy_copies(2, 60, 4))
    exact, proxy = (stability(runs, neighbours=[1], proxy=m, seed=1) for m in (None, 20))
    assert any("over 20 sampled words, not the whole vocabulary" in note for note in proxy.notes)
    assert exact.groups[0]["pip"] != proxy.groups[0]["pip"]


def test_groups_are_loaded_when_their_family_is_measured_and_let_go_after(tmp_path, monkeypatch):
    names = ["a/shuffled", "b/shuffled", "a/bootstrap"]
    write_runset({name: spaces(3, 30, 4, seed=k) for k, name in enumerate(names)}, tmp_path / "set")
    loaded, alive = [], []
    real = Group.load

    def load(group):
        gc.collect()
        alive.append(sum(reference() is not None for reference in loaded))
        runs = real(group)
        loaded.append(weakref.ref(runs))
        return runs

    monkeypatch.setattr(Group, "load", load)
    result = stability(open_groups(tmp_path / "set"), neighbours=[1])
    assert [group["name"] for group in result.groups] == ["a/shuffled", "a/bootstrap", "b/shuffled"]
    assert alive == [0, 1, 0]  # the two of a family together, as their contrast wants both
    assert result.contrasts[0]["groups"] == ["a/shuffled", "a/bootstrap"]
    at_once = stability(load_groups(tmp_path / "set"), neighbours=[1])
    assert plain(at_once.groups) == plain(result.groups)


def test_p_is_the_mean_over_the_pairs_that_have_targets():
    """Of four runs the last two share no target word."""
    stack = noisy_copies(4, 30, 5).numpy()
    words = [f"w{i}" for i in range(30)]
    keep = [range(30), range(30), range(24), [*range(20), *range(24, 30)]]
    runs = load_runs(
        [([words[i] for i in k], run[list(k)]) for run, k in zip(stack, keep, strict=True)], vocabulary="union"
    )
    seed = next(s for s in range(99) if int(engine.draw_targets(runs, 1, s)) >= 20)
    result = stability(runs, neighbours=[3], targets=1, words=words[20:], seed=seed)
    group = result.groups[0]["neighbours"]["3"]
    assert group["pairs"] == 5
    pairs = [row["p@3"] for row in result.tables["pairs"].records()]
    assert [math.isnan(p) for p in pairs] == [False] * 5 + [True]
    assert group["p"] == pytest.approx(np.mean(pairs[:5]))
    assert group["p_sd"] == pytest.approx(np.std(pairs[:5], ddof=1))
    assert math.isfinite(group["p_se"])
    (note,) = (note for note in result.notes if "share no target word" in note)
    assert "5 of 6 pairs" in note
    assert not any("target word" in note for note in stability(runs, neighbours=[3]).notes)


def test_groups_of_the_same_runs_are_said_to_be_no_two_samples():
    runs, other = (runs_of(noisy_copies(3, 30, 5, seed=s)) for s in (0, 1))
    groups = [
        named(x, f"glove/{s}") for x, s in ((runs, "fixed"), (runs.take([2, 0, 1]), "shuffled"), (other, "bootstrap"))
    ]
    result = stability(groups, neighbours=[3])
    (note,) = (note for note in result.notes if "bit for bit" in note)
    assert note.startswith("The fixed runs of GloVe and the shuffled runs of GloVe: 3 of 3 runs are the same")


def test_the_page_says_half_of_the_interval_of_a_word_by_its_runs():
    """Under union a word's error rests on the runs that have it."""
    words = [f"w{k}" for k in range(40)]
    stack = noisy_copies(5, 40, 6).numpy()
    groups = [(words[: 40 if r < 3 else 30], stack[r][: 40 if r < 3 else 30]) for r in range(5)]
    result = stability(load_runs(groups, vocabulary="union", min_runs=2), words=["w1", "w35"])
    table = next(t for block in describe(result) for t in block.tables if t.title.startswith("Words asked for"))
    for line in table.rows:
        row = next(result.tables["words"].records(word=line[0]))
        factor = {3: 4.302653, 5: 2.776445}[row["runs"]]  # Student's t at R − 1 degrees of freedom
        assert line[3] == number(factor * row["pip_se"], 2)
    assert {row[0] for row in table.rows} == {"w1", "w35"}


def recorded(places, seeds, technique="lsa", sampling="shuffled"):
    """Runs that are those of the given numbers, with the training seeds that their files record."""
    words, stack = [f"w{k}" for k in range(60)], noisy_copies(5, 60, 6, noise=0.1).float()
    made = [
        Space(
            Vocabulary(words), stack[k], name=f"run-{r:03d}", metadata={} if seed is None else {"training_seed": seed}
        )
        for r, (k, seed) in enumerate(zip(places, seeds, strict=True))
    ]
    return replace(load_runs(made), key=Key(technique, sampling))


@pytest.mark.parametrize("technique", ["lsa", "ppmi_svd", "sgns", "mine"])
def test_equal_runs_are_no_fault_where_every_file_records_another_seed(technique):
    """Of LSA an alarm blamed the user for copies, and a card said 10 of 10."""
    runs = recorded([0] * 4, [11, 12, 13, 14], technique)
    result = stability(runs)
    assert not result.alarms
    assert result.groups[0]["constant"]
    (said,) = (sentence for sentence in result.verdict if "same vectors" in sentence)
    assert said.startswith("All 4 runs have the same vectors though their seeds differ")
    assert [(card.value, card.exact) for card in cards(result)] == [
        ("the same", "in all 4 runs, each with its own seed")
    ]
    _, averaged = average(runs)
    assert not averaged.alarms
    assert any("though their seeds differ" in note for note in averaged.notes)


@pytest.mark.parametrize(
    ("places", "seeds", "sampling"),
    [
        ([0, 0, 0], [None] * 3, "shuffled"),  # nobody knows where they come from
        ([0, 0, 0], [11, 12, None], "shuffled"),
        ([0, 0, 0], [11, 11, 11], "shuffled"),  # one file three times, or a training whose seed does not vary
        ([0, 0, 0], [11, 12, 13], "bootstrap"),  # other documents must give other vectors
        ([0, 0, 0], [11, 12, 13], ""),
        ([0, 1, 2, 3, 0], [11, 12, 13, 14, 11], "shuffled"),
        ([0, 1, 2, 3, 0], [11, 12, 13, 14, 15], "shuffled"),  # not all of them are equal
        ([0, 0, 1, 2, 3], [None] * 5, "fixed"),
    ],
)
def test_all_other_copies_are_an_alarm_and_count_once(places, seeds, sampling):
    """LSA and PPMI-SVD were excused by their names, and the copies counted."""
    result = stability(recorded(places, seeds, sampling=sampling))
    assert any("are the same vectors" in alarm for alarm in result.alarms)
    assert not any("though their seeds differ" in sentence for sentence in [*result.verdict, *result.notes])
    sound = sorted(set(places))
    if len(sound) == 1:
        return
    kept = stability(recorded(sound, range(len(sound)), sampling=sampling))
    assert [s for s in result.verdict if "come back" in s] == [s for s in kept.verdict if "come back" in s]


def test_a_run_off_by_little_excuses_no_copies():
    words, stack = [f"w{k}" for k in range(60)], noisy_copies(1, 60, 6).float().expand(6, -1, -1).clone()
    stack[5] += 3e-5 * torch.randn(60, 6, generator=torch.Generator("cpu").manual_seed(3))
    runs = [Space(Vocabulary(words), x, name=f"run-{r}", metadata={"training_seed": r}) for r, x in enumerate(stack)]
    result = stability(replace(load_runs(runs), key=Key("lsa", "shuffled")))
    assert any("are the same vectors" in alarm for alarm in result.alarms)


def test_a_file_that_was_copied_later_has_the_seed_of_the_first(tmp_path):
    """And a pack, which keeps what its files record, is judged as they are."""
    made = [replace(spaces(1, 40, 5)[0], metadata={"training_seed": r}) for r in range(3)]
    write_runset({"lsa/shuffled": made}, tmp_path / "set")
    pack_runs([tmp_path / "set"], tmp_path / "packed")
    for name in ("set", "packed"):
        assert not stability(load_groups(tmp_path / name)).alarms
    shutil.copy(tmp_path / "set/lsa/shuffled/run-000.safetensors", tmp_path / "set/lsa/shuffled/run-001.safetensors")
    assert any("are the same vectors" in alarm for alarm in stability(load_groups(tmp_path / "set")).alarms)


@pytest.mark.parametrize(("seeds", "places", "left"), [((1, 2, 3), [0, 0, 0], 1), ((1, 2, 1), [0, 1, 0], 2)])
def test_other_studies_leave_copies_out_and_blame_only_those_that_are_a_fault(seeds, places, left):
    answer = Answer(Result("x"), Compute(), no_progress)
    assert len(without_copies(recorded(places, seeds), answer, "the thresholds")) == left
    assert bool(answer.copied) == (left > 1)
    assert len(answer.equal) == (left == 1)
