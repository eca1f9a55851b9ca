import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import InputError, load_runs
from gpustab.report.describe import draw, paper
from gpustab.runs.key import Key
from gpustab.studies.average.claims import GAINS
from gpustab.studies.average.page import page
from gpustab.studies.average.study import LEVELS, average, gain_of, together
from gpustab.studies.stability.study import stability
from tests import oracles
from tests.generators import anisotropic, generator, noisy_copies, runs_of


def unit_loss(x, y):
    return oracles.reduced_pip(oracles.unit(x), oracles.unit(y))


def test_two_runs_give_the_aligned_mean():
    stack = noisy_copies(2, 40, 6)
    space, _ = average(runs_of(stack))
    np.testing.assert_allclose(space.vectors, oracles.aligned_average(*stack.numpy()), atol=1e-6)
    assert list(space.vocabulary) == [b"w%d" % i for i in range(40)]
    assert space.vectors.dtype == torch.float32


def test_more_runs_give_the_tree_of_aligned_means_weighted_by_runs():
    a, b, c = noisy_copies(3, 40, 6).numpy()
    space, _ = average(runs_of(noisy_copies(3, 40, 6)))
    wanted = oracles.aligned_average(oracles.aligned_average(a, b), c, 2, 1)
    np.testing.assert_allclose(space.vectors, wanted, atol=1e-6)


def test_renormalised_rows_are_unit_and_plain_ones_shorter():
    runs = runs_of(noisy_copies(4, 40, 6))
    plain, scaled = (average(runs, renormalise=choice)[0].vectors.norm(dim=1) for choice in (False, True))
    torch.testing.assert_close(scaled, torch.ones(40))
    assert (plain < 1).all()


def test_the_level_table_tells_how_near_averages_of_equally_many_runs_are():
    stack = noisy_copies(5, 60, 6).numpy()
    _, result = average(runs_of(torch.from_numpy(stack)))
    levels = result.frame("levels")
    assert levels.runs_beneath.tolist() == [1, 2]
    assert levels.averages.tolist() == [5, 2]
    runs = [oracles.reduced_pip(stack[i], stack[j]) for i, j in oracles.pairs(5)]
    two = [oracles.aligned_average(*stack[k : k + 2]) for k in (0, 2)]
    np.testing.assert_allclose(levels.reduced_pip, [np.mean(runs), unit_loss(*two)], rtol=1e-8)
    assert levels.sd[0] == pytest.approx(np.std(runs, ddof=1))
    assert np.isnan(levels.sd[1])
    assert levels.reduced_pip.is_monotonic_decreasing
    (group,) = result.groups
    assert group["loss_between_runs"] == pytest.approx(np.mean(runs))
    assert (group["runs"], group["words"], group["dimension"]) == (5, 60, 6)


def test_the_neighbours_that_averages_share_stand_beside_those_of_runs():
    stack = noisy_copies(6, 60, 6, noise=0.5).numpy()
    _, result = average(runs_of(torch.from_numpy(stack)))

    def shared(spaces):
        lists = [[oracles.top_k(oracles.unit(space), k, 10) for k in range(60)] for space in spaces]
        return oracles.overlap(lists, 10)[0].mean()

    two = [oracles.aligned_average(*stack[k : k + 2]) for k in (0, 2, 4)]
    levels = result.frame("levels")
    np.testing.assert_allclose(levels.p, [shared(stack), shared(two)], rtol=1e-9)
    assert levels.p.is_monotonic_increasing
    said = f"two averages of 2 runs share {10 * levels.p[1]:.1f} ("
    assert said in result.verdict[1]
    assert f"two single runs {10 * levels.p[0]:.1f} (" in result.verdict[1]


def test_the_loss_between_orders_is_told():
    stack = noisy_copies(3, 60, 6)
    runs = runs_of(stack)
    (forward, result), (backward, _) = average(runs), average(runs.take([2, 1, 0]))
    got = result.groups[0]["loss_between_orders"]
    assert got == pytest.approx(unit_loss(forward.vectors.numpy(), backward.vectors.numpy()), rel=1e-4)
    assert 0 < got < result.groups[0]["loss_between_runs"]


def test_under_the_union_rule_a_word_is_the_mean_of_the_runs_that_have_it():
    x, y, _ = noisy_copies(3, 30, 5, noise=0.0).numpy()
    words = [f"w{i}" for i in range(30)]
    runs = load_runs([(words, x), (words[:-1], y[:-1])], vocabulary="union", min_runs=1)
    space, _ = average(runs)
    assert len(space.vocabulary) == 30
    np.testing.assert_allclose(space.vectors @ space.vectors.T, x @ x.T, atol=1e-6)  # equal runs: nothing lost


def test_runs_keep_their_vectors():
    stack = noisy_copies(3, 20, 4)
    runs = runs_of(stack)
    average(runs)
    assert torch.equal(runs.stack(), runs_of(stack).stack())


def test_fewer_words_than_dimensions_determine_the_average():
    """The map is open only where no word has a part."""
    _, result = average(runs_of(noisy_copies(2, 4, 6)))
    assert not any("one of many" in note for note in result.notes)


@pytest.fixture
def hardly_joined():
    """Two runs of 23 words in 10 dimensions that have three words in common."""
    stack = noisy_copies(2, 43, 10).numpy()
    words = [f"w{i}" for i in range(43)]
    pairs = [(words[:23], stack[0, :23]), (words[20:], stack[1, 20:])]
    return load_runs(pairs, vocabulary="union", min_runs=1)


_OPEN = (
    r"run-000 and run-001 have 3 words in common, which determine 3 of 10 directions; in the others nothing tells how "
    r"20 words of run-000 \(w0, w1, w2, w3, w4 \.\.\.\) lie to those of run-001"
)


def test_words_that_nothing_relates_are_not_averaged_unasked(hardly_joined):
    remedy = r"; average the words of all runs \(vocabulary='joint'\), or .* by allow_undetermined$"
    with pytest.raises(InputError, match=_OPEN + remedy):
        average(hardly_joined)


def test_an_average_that_is_one_of_many_says_so(hardly_joined):
    space, result = average(hardly_joined, allow_undetermined=True)
    assert len(space.vocabulary) == 43
    assert result.settings["allow_undetermined"] is True
    (note,) = [note for note in result.notes if "one of many" in note]
    assert re.match(f"The average is one of many: {_OPEN}", note)


def test_runs_without_a_common_direction_are_named():
    along = np.array([[1, 0], [-1, 0], [0, 1], [0, 1]])
    words = ["a", "b", "c", "d"]
    with pytest.raises(InputError, match="run-000 and run-001 share no direction"):
        average(load_runs([(words, along), (words, along * [[1], [-1], [1], [-1]])]))


def test_a_union_without_joint_words_says_so():
    stack = noisy_copies(3, 20, 4).numpy()
    parts = ([*range(14)], [*range(7, 20)], [*range(7), *range(14, 20)])
    runs = load_runs([([f"w{i}" for i in k], run[k]) for run, k in zip(stack, parts, strict=True)], vocabulary="union")
    with pytest.raises(InputError, match="0 words are in all runs"):
        average(runs)


def answered(runs, **choices):
    result = average(runs_of(noisy_copies(runs, 40, 6)), **choices)[1]
    return result, result.verdict[0]


def test_eight_runs_say_what_averaging_gains_and_fewer_say_what_they_lack():
    result, said = answered(8)
    gain = gain_of(list(LEVELS.rows(result.tables)), result.groups[0]["loss_by_chance"])
    levels = {row.runs_beneath: row for row in LEVELS.rows(result.tables)}
    assert gain.n == 2  # four averages of two runs have an error, two averages of four have none
    assert gain.part.value == pytest.approx(levels[2].reduced_pip / levels[1].reduced_pip)
    assert gain.part.interval[1] < 1
    assert said.startswith(
        "Averaging makes the space more stable, by the cosines of all words: "
        f"averages of 2 runs differ {gain.part.value:.2f} times"
    )
    assert "one pair of averages" in answered(4)[1]
    assert "take at least four runs" in answered(3)[1]


def test_two_single_runs_share_as_many_neighbours_as_stability_says():
    runs = runs_of(noisy_copies(3, 1100, 4, 0.4))  # more words than were drawn
    (single,) = LEVELS.rows(average(runs)[1].tables, runs_beneath=1)
    there = stability([runs], neighbours=[10]).groups[0]["neighbours"]["10"]
    assert (single.p, single.p_se) == pytest.approx((there["p"], there["p_se"]))


def test_nobody_is_told_how_stable_the_average_of_all_runs_is():
    result, *_ = answered(8)
    said = " ".join(block.answer for block in page(result))
    assert "There is only one average of all runs, so how far another would differ is not measured." in said
    assert "Averages of 4 runs share" in result.verdict[1]  # the largest of which there are two
    assert "Averages of" not in answered(4)[0].verdict[1]  # said before


def test_how_the_runs_of_several_groups_were_made_is_said_once():
    """The methods paragraph told the corpus once for each group of one run set."""
    groups = [replace(runs_of(noisy_copies(4, 40, 6)), key=Key("lsa", kind)) for kind in ("bootstrap", "shuffled")]
    alike = {"made": {"corpus": {"name": "lee"}, "seed": 0}, "versions": {}}
    answers = [average(replace(group, trained=alike))[1] for group in groups]
    (way,) = together(answers).environment["trained"]
    assert [group["name"] for group in way["groups"]] == ["lsa/bootstrap", "lsa/shuffled"]
    assert way["techniques"] == ["lsa"]


def test_of_few_words_the_table_counts_the_neighbours_that_there_are():
    result = average(runs_of(noisy_copies(4, 6, 3)))[1]
    (table,) = page(result)[-1].tables
    assert table.header[-1] == "of 5 neighbours shared"
    assert table.rows[0][-1].startswith("5.0 (")  # all others, as the verdict says
    assert "p@5 is the share of five nearest neighbours" in paper(result).methods


def test_an_average_whose_runs_are_doubted_is_not_said_to_be_fit_for_use():
    runs = noisy_copies(8, 40, 6)
    use = [page(average(runs_of(stack))[1])[0].answer for stack in (runs, torch.cat([runs[:7], -runs[:1].roll(7, 1)]))]
    assert "takes the place of one run" in use[0]
    assert "is not to be used yet" in use[1]
    assert "takes the place" not in use[1]


@pytest.mark.parametrize(("runs", "points"), [(3, 0), (4, 2), (8, 3)])
def test_the_curve_has_a_mark_for_every_level(runs, points):
    result, _ = answered(runs)
    picture = draw(result)["curve"]
    assert sum(panel.count("<circle") for panel in picture.panels) == points
    assert bool(picture.missing) == (not points)
    paper_of = paper(result)
    assert len(paper_of.cards) == 4 * (points > 0)
    assert ("does not show" in paper_of.claim or "do not show" in paper_of.claim) == (runs < 8)
    assert "tree" in paper_of.methods
    assert paper_of.title == "How much more stable is an average of these word embeddings?"


def test_the_sentence_on_one_of_several_groups_begins_with_a_capital():
    runs = runs_of(noisy_copies(2, 40, 6))
    both = together([average(replace(runs, key=Key("sgns", kind)))[1] for kind in ("fixed", "bootstrap")])
    assert both.verdict
    assert all(sentence.startswith("Skip-gram, ") for sentence in both.verdict)


@pytest.mark.parametrize("kinds", [["bootstrap"], ["shuffled"], ["bootstrap", "fixed"]])
def test_the_box_says_of_each_kind_of_runs_what_it_can(kinds):
    """Bootstrap runs draw the documents: of them nobody may say that they cannot show what the documents do."""
    results = []
    for kind in kinds:
        runs = runs_of(noisy_copies(8, 40, 6))
        results.append(average(replace(runs, key=Key("lsa", *kind.split("/")[:1])))[1])
    claim = paper(together(results)).claim
    drawn = any("bootstrap" in kind for kind in kinds)
    assert ("of the bootstrap runs of LSA" in claim and "the draw of the documents" in claim) is drawn
    assert ("on the same documents cannot show it" in claim) is any("bootstrap" not in kind for kind in kinds)


def test_averages_of_runs_that_hold_nothing_in_common_are_not_said_to_be_more_stable():
    """Averages of unrelated spaces differ less than the spaces, of a real pool 0.6 times as much: "more stable"."""
    base, orders = anisotropic(90, 8), [torch.randperm(90, generator=generator(seed)) for seed in range(12)]
    nothing = runs_of(torch.stack([base[order] for order in orders]))  # of one shape, dealt out to other words
    _, result = average(nothing)
    gain = gain_of(list(LEVELS.rows(result.tables)), result.groups[0]["loss_by_chance"])
    assert gain.part.interval[1] < 1
    assert GAINS.judge(gain) == "no test"
    assert "unrelated spaces" in result.verdict[0]
    assert GAINS.judge(gain._replace(chance=2 * gain.runs.value)) == "yes"
