import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import InputError, Space, Vocabulary, load_runs, write_space
from gpustab.report.describe import describe, draw, paper
from gpustab.results.page import number
from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.statistics.intervals import Estimate
from gpustab.studies.compare.claims import MORE_STABLE, WORDS_DIFFER, Differing, Groups
from gpustab.studies.compare.study import compare
from gpustab.studies.shared.wording import number_span
from gpustab.studies.stability.study import stability
from tests.generators import anisotropic, generator, noisy_copies, runs_of


def group(name, noise, runs=5, v=300, d=20, seed=0, **choices):
    """Copies of one space; noise (v,) or a number says how far every word moves."""
    base = anisotropic(v, d)
    moved = torch.randn(runs, v, d, dtype=torch.float64, generator=generator(seed + 7))
    return replace(runs_of(base + torch.as_tensor(noise)[..., None] * moved / d**0.5, **choices), key=Key(name))


def test_numbers_are_those_of_stability():
    one, other = group("a", 0.2, seed=1), group("b", 0.4, runs=4, seed=2)
    result = compare(one, other, n=5)
    for runs, found in zip((one, other), result.groups, strict=True):
        wanted = stability(runs, neighbours=[5]).groups[0]
        assert found["pip"]["mean"] == pytest.approx(wanted["pip"]["reduced"]["mean"])
        assert found["p@5"]["mean"] == pytest.approx(wanted["neighbours"]["5"]["p"])
        assert found["p@5"]["se"] == pytest.approx(wanted["neighbours"]["5"]["p_se"])
        chance = wanted["scale"]["chance_reduced_pip"]
        assert found["of_chance"]["mean"] == pytest.approx(wanted["pip"]["reduced"]["mean"] / chance)
    contrast = result.contrasts[0]
    estimates = [Estimate.of_runs(g["p@5"]["mean"], g["p@5"]["se"], len(g["runs"])) for g in result.groups]
    assert contrast["mean"] == pytest.approx(estimates[0].value - estimates[1].value)
    assert contrast["interval"] == pytest.approx(list(estimates[0].minus(estimates[1]).interval))
    assert contrast["verdict"] == "first"
    assert result.verdict[0].startswith("The runs of a are more stable than the runs of b")
    words = result.frame("words")
    assert words.difference.mean() == pytest.approx(contrast["mean"])


@pytest.mark.parametrize(("scale", "unit"), [(9.0, False), (1.0, True)])
def test_only_shares_of_neighbours_end_at_one_on_the_page(scale, unit):
    """A loss of rows that are not scaled had been said as 4.55 (4.38–1.00)."""
    groups = [
        replace(runs_of(scale * noisy_copies(3, 40, 6, noise), unit=unit), key=Key(name))
        for name, noise in (("a", 0.05), ("b", 3.0))  # the losses of b reach chance
    ]
    result = compare(*groups, n=5)
    (table,) = next(block for block in describe(result) if block.title.startswith("Which is more stable")).tables
    for title, *cells, _difference in table.rows:
        measure = {"PIP loss": "pip", "share of chance": "of_chance"}.get(title, title)
        for cell, found in zip(cells, result.groups, strict=True):
            low, high = found[measure]["interval"]
            if measure == "of_chance" and not unit:
                assert cell == "– (no interval)"
                continue
            most = 1.0 if title == "p@5" else math.inf
            band = f"{number(max(low, 0.0), 3)}–{number(min(high, most), 3)}"
            assert cell == f"{number(found[measure]['mean'], 3)} ({band})"
    assert unit or max(found["pip"]["interval"][1] for found in result.groups) > 1


def test_only_common_words_are_compared():
    one, other = noisy_copies(3, 40, 6), noisy_copies(3, 40, 6, seed=3)
    groups = [
        replace(load_runs([([f"w{i + start}" for i in range(40)], x.numpy()) for x in stack]), key=Key(name))
        for stack, start, name in ((one, 0, "a"), (other, 10, "b"))
    ]
    result = compare(*groups, n=5)
    assert result.groups[0]["words"] == 30
    assert result.tables["words"]["word"] == [f"w{i}" for i in range(10, 40)]
    far = replace(load_runs([([f"x{i}" for i in range(40)], x.numpy()) for x in other]), key=Key("c"))
    with pytest.raises(InputError, match="0 words in common"):
        compare(groups[0], far)


def test_words_whose_stability_differs_are_found_and_others_are_not():
    v = 600
    worse = torch.arange(v) % 20 == 3
    noise = torch.full((v,), 0.25, dtype=torch.float64)
    one, other = group("a", torch.where(worse, 1.0, noise), runs=8, v=v), group("b", noise, runs=8, v=v, seed=9)
    words = compare(one, other).frame("words")
    named = words[words.surely == "first"].word
    assert len(named) >= 15
    right = np.mean([int(word[1:]) % 20 == 3 for word in named])
    assert right >= 0.9


def test_two_halves_of_one_group_name_hardly_any_word():
    """The check null: what differs between disjoint halves of one set of runs is noise."""
    v, named = 400, 0
    noise = torch.where(torch.arange(v) % 5 == 0, 0.8, 0.2).double()
    for seed in range(4):
        runs = group("a", noise, runs=8, v=v, seed=10 * seed)
        halves = [replace(runs.take(some), key=Key(name)) for some, name in (([0, 2, 4, 6], "a"), ([1, 3, 5, 7], "b"))]
        result = compare(*halves)
        named += sum(name != "" for name in result.tables["words"]["surely"])
        assert result.contrasts[0]["verdict"] in {"alike", "open"}
    assert not named  # of 1,600


def test_the_same_runs_twice_are_told():
    one = group("a", 0.2)
    result = compare(one, replace(one, key=Key("b")))
    assert any("bit for bit" in note for note in result.notes)
    with pytest.raises(InputError, match="group 'a' is given twice; give two groups, each of runs of its own"):
        compare(one, one)
    with pytest.raises(
        InputError, match=r"two groups are called 'a'; name one otherwise: load_runs\(..., name='other'\)"
    ):
        compare(one, group("a", 0.2, seed=5))


def test_groups_that_nobody_named_are_first_and_second(tmp_path):
    one, other = noisy_copies(4, 40, 6), noisy_copies(4, 40, 6, seed=3)
    words = [f"w{i}" for i in range(40)]
    first, second = (load_runs([(words, x.numpy()) for x in stack]) for stack in (one, other))
    result = compare(first, second, n=5)
    assert [row["name"] for row in result.groups] == ["first", "second"]
    assert not any("bit for bit" in note for note in result.notes)
    sharing = load_runs([(words, x.numpy()) for x in (one[0], one[1], other[2])])
    assert any("2 of 3 runs are the same, bit for bit" in note for note in compare(first, sharing, n=5).notes)
    with pytest.raises(InputError, match="group 'runs' is given twice"):
        compare(first, first)
    for k, x in enumerate(one):
        write_space(Space(Vocabulary(words), x.float()), tmp_path / f"{k}.txt")
    groups = [open_groups(tmp_path / "*.txt")[0] for _ in range(2)]
    with pytest.raises(InputError, match="group 'runs' is given twice"):
        compare(*groups)


def of(value, se, runs=4):
    return Estimate.of_runs(value, se, runs)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (of(0.6, 0.002), of(0.42, 0.002), "first"),
        (of(0.42, 0.002), of(0.6, 0.002), "second"),
        (of(0.6, 0.002), of(0.605, 0.002), "alike"),
        (of(0.61, 0.001), of(0.6, 0.001), "alike"),  # a difference, but none that matters
        (of(0.6, 0.02), of(0.62, 0.02), "open"),
        (of(0.6, None, 2), of(0.42, None, 2), "open"),
    ],
)
def test_a_difference_has_a_margin_and_an_error(first, second, verdict):
    groups = Groups("a", "b", first, second, 10, of(0.2, 0.01), of(0.21, 0.01))
    assert MORE_STABLE.judge(groups) == verdict
    assert "nan" not in MORE_STABLE.sentence(groups)


def test_two_measures_that_say_opposite_things_are_the_verdict():
    """Skip-gram beside LSA on lee: fewer neighbours come back, and the losses are smaller."""
    groups = Groups("lsa", "sgns", of(0.75, 0.004, 6), of(0.57, 0.004, 6), 10, of(0.287, 0.002, 6), of(0.189, 0.002, 6))
    assert MORE_STABLE.judge(groups) == "disagree"
    said = MORE_STABLE.sentence(groups)
    assert "By nearest neighbours, the runs of LSA are more stable" in said
    assert "By the cosines of all words, the runs of skip-gram are more stable (PIP loss 18.9 % of chance" in said
    swapped = Groups("sgns", "lsa", groups.other, groups.one, 10, groups.other_loss, groups.one_loss)
    assert MORE_STABLE.judge(swapped) == "disagree"
    assert MORE_STABLE.sentence(swapped) == said


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (of(0.10, 0.002), "say the same (PIP loss 10.0 % of chance against 20.0 %"),
        (of(0.20, 0.002), "are equally stable ("),
        (of(0.21, 0.05), "do not decide"),
    ],
)
def test_the_loss_stands_beside_the_neighbours(loss, said):
    groups = Groups("a", "b", of(0.6, 0.002), of(0.42, 0.002), 10, loss, of(0.2, 0.002))
    assert MORE_STABLE.judge(groups) == "first"
    assert said in MORE_STABLE.sentence(groups)


def test_a_run_of_another_kind_lets_no_word_be_named():
    """Words differ in the run that lies far, not in the group: of six of forty such pairs of groups some were named."""
    loud = torch.tensor([0.3, 0.3, 0.3, 0.3, 2.0], dtype=torch.float64)[:, None]
    told = compare(group("a", 0.3, seed=1), group("b", loud.expand(5, 300), seed=2))
    assert set(told.tables["words"]["surely"]) == {""}
    assert "not compared, since run-004 of the runs of b lies far" in told.verdict[1]


def test_lists_too_noisy_for_so_few_runs_let_no_word_be_judged():
    """Not judged is no 0 %, and not "no word": two runs of b share few neighbours, and are five."""
    told = compare(group("a", 0.2, seed=1), group("b", 1.2, seed=2), targets=150)
    words = told.frame("words")
    assert words[["less_first", "less_second"]].isna().all(axis=None)
    share = told.groups[1]["p@10"]["mean"]
    assert f"two of the runs of b share only {100 * share:.0f} % of a list: train at least ten" in told.verdict[1]
    assert describe(told)[0].title.endswith("300 common words (neighbours of 150 of the 300 words)?")
    assert "neighbours of 150 of the 300 words drawn at random" in paper(told).methods
    assert "Single words are not compared" in compare(group("a", 0.2), group("b", 0.2, runs=2, seed=2)).verdict[1]


@pytest.mark.parametrize("turned", [False, True])
def test_a_difference_has_one_direction_on_the_page(turned):
    """The sentence names the more stable group first; its row in the table has the same ends, without signs."""
    pair = group("a", 0.2, seed=1), group("b", 0.5, seed=2)
    told = compare(*(pair[::-1] if turned else pair))
    low, high = sorted(abs(end) for end in told.contrasts[0]["interval"])
    assert f"({number(low, 3)}–{number(high, 3)})" in describe(told)[0].tables[0].rows[0][3]
    assert f"(difference {number_span(10 * low, 10 * high)})" in told.verdict[0]


def test_the_box_says_by_neighbours_where_the_loss_says_nothing():
    told = compare(group("a", 0.2, seed=1), group("b", 0.5, seed=2))
    assert "by their neighbours" not in paper(told).claim
    for unsure in ("alike", "open"):
        told.contrasts[-1]["verdict"] = unsure
        assert "are more stable than the runs of b by their neighbours on this text" in paper(told).claim


def test_no_word_that_differs_is_said():
    assert "No word surely differs more between" in WORDS_DIFFER.sentence(Differing("a", "b", 0, 0, 100))
    said = WORDS_DIFFER.sentence(Differing("a", "b", 3, 5, 1000))
    assert "3 of 1,000 words are at a disadvantage in the runs of a, and 5 in the runs of b" in said


def test_the_page_says_half_of_the_interval_of_a_word_by_the_group_of_fewer_runs():
    v = 300
    worse = torch.arange(v) % 20 == 3
    one = group("a", torch.where(worse, 1.0, 0.25).double(), runs=6, v=v)
    result = compare(one, group("b", 0.25, runs=3, v=v, seed=9))
    table = describe(result)[1].tables[0]
    word, shown = table.rows[0][0], table.rows[0][4]
    row = next(result.tables["words"].records(word=word))
    assert shown.endswith(f"± {number(4.302653 * row['se'], 2)}")  # Student's t at 2 degrees of freedom


def test_the_chance_of_a_word_stands_beside_it():
    v = 300
    worse = torch.arange(v) % 20 == 3
    result = compare(group("a", torch.where(worse, 1.0, 0.25).double(), runs=6, v=v), group("b", 0.25, v=v, seed=9))
    every = sorted(result.tables["words"].records(surely="first"), key=lambda row: -row["less_first"])
    table = describe(result)[1].tables[0]
    assert [line[5] for line in table.rows] == [f"{100 * row['less_first']:.0f} %" for row in every[:10]]
    assert len(every) > 10
    left = "more in a, measured against b, than words as frequent do: the surest 10"
    assert table.title == f"{len(every)} words lose {left}"


def test_the_page_has_both_measures_and_every_word():
    result = compare(group("a", 0.2, seed=1), group("b", 0.4, runs=4, seed=2), n=5)
    pictures = draw(result)
    assert [len(pictures[name].panels) for name in ("measures", "words")] == [2, 1]
    shares = [f"{100 * g['p@5']['mean']:.0f} %" for g in result.groups]
    assert pictures["measures"].title == f"Two runs share {shares[0]} of their neighbours in a, {shares[1]} in b"
    words = result.tables["words"]
    above = np.mean(np.array(words["p_second"]) > np.array(words["p_first"]))
    assert pictures["words"].title.startswith(f"{above:.0%}".replace("%", " %"))
    said = paper(result)
    assert said.title == "Which is more stable: a or b?"
    assert [card.value for card in said.cards[::2]] == [number(5 * g["p@5"]["mean"], 2) for g in result.groups]
    assert said.claim.startswith("That the runs of a are more stable than the runs of b")


@pytest.mark.parametrize("words", [8, 12, 18])
def test_lists_that_are_most_of_the_words_compare_no_groups(words):
    """Ten of eleven others come back by chance in any runs."""
    few = compare(group("a", 0.3, v=words, d=6), group("b", 0.6, v=words, d=6))
    assert few.contrasts[0]["verdict"] == "no test"
    assert "is most of the words. Measure more words." in few.verdict[0]
    more = compare(group("a", 0.3, v=60, d=6), group("b", 0.6, v=60, d=6))
    assert "most of the words" not in " ".join(more.verdict)
