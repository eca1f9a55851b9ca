"""How far two groups agree: against loops over lists and cosines, and where the answer is known."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import torch

from gpustab import load_runs
from gpustab.report.describe import describe, draw, paper
from gpustab.results.page import number
from gpustab.runs.key import Key
from gpustab.statistics.reliability import WordValues
from gpustab.studies.compare.claims_of_spaces import DIFFER, SEEN_DIFFERENTLY, Seen, Spaces
from gpustab.studies.compare.spaces import COSINES, SPACES, UNLIKE, Agreement, of_lists
from gpustab.studies.compare.study import WORDS, compare
from tests.generators import anisotropic, generator, noisy_copies, rotation, runs_of
from tests.studies.test_compare import group

N = 5


def lists(run, k):
    cosines = run @ run.T
    np.fill_diagonal(cosines, -np.inf)
    return [set(np.argsort(-row, kind="stable")[:k].tolist()) for row in cosines]


def unit(runs):
    return [runs.run(r).numpy() for r in range(len(runs))]


def naive(first, second, k):
    """Agreement by p@k and by cosines, and every word's shares and losses between, all by loops."""
    v = len(first[0])
    found = [lists(run, k) for run in (*first, *second)]
    share = np.array([[[len(a & b) / k for a, b in zip(x, y, strict=True)] for y in found] for x in found])
    cosines = [run @ run.T for run in (*first, *second)]
    off = ~np.eye(v, dtype=bool)
    centred = [c[off] - c[off].mean() for c in cosines]
    alike = np.array([[x @ y for y in centred] for x in centred])
    losses = np.array([[((x - y) ** 2).sum(1) / (4 * v) for y in cosines] for x in cosines])
    one, other = range(len(first)), range(len(first), len(found))
    agreements = []
    for pairs in (share.mean(2) - k / (v - 1), alike):
        between = np.mean([pairs[i, j] for i in one for j in other])
        within = [np.mean([pairs[i, j] for i in own for j in own if i < j]) for own in (one, other)]
        agreements.append(between / np.sqrt(np.prod(within)))
    mean = [np.mean([x[i, j] for i in one for j in other], 0) for x in (share, losses)]
    return agreements, mean[0], np.sqrt(mean[1])


@pytest.fixture(scope="module")
def pair():
    return group("a", 0.3, runs=3, v=80, d=8, seed=1), group("b", 0.6, runs=4, v=80, d=8, seed=2)


def test_all_numbers_are_those_of_loops_over_pairs_of_runs(pair):
    told = compare(*pair, n=N)
    (by_lists, by_cosines), between, losses = naive(*map(unit, pair), N)
    found = list(SPACES.rows(told.tables))
    assert [row.measure for row in found] == [f"p@{N}", "PIP loss"]
    assert found[0].agreement == pytest.approx(by_lists)
    assert found[1].agreement == pytest.approx(by_cosines)
    assert found[0].between == pytest.approx(between.mean())
    assert found[0].first == pytest.approx(told.groups[0][f"p@{N}"]["mean"])
    assert found[0].first_se == pytest.approx(told.groups[0][f"p@{N}"]["se"])
    words = told.frame("words")
    np.testing.assert_allclose(words.p_between, between)
    np.testing.assert_allclose(words.loss_between, losses)
    np.testing.assert_allclose(words.beyond, (words.p_first + words.p_second) / 2 - words.p_between, atol=1e-12)


def test_order_dimensions_turns_and_other_words_change_nothing(pair):
    """The second group has its words in another order, some that the first lacks, and more dimensions."""
    one, other = pair
    rng = np.random.default_rng(0)
    order = rng.permutation(80)
    words = [f"w{k}" for k in order] + ["x1", "x2"]
    rows = [np.vstack([run[order], rng.normal(size=(2, 8))]) @ rotation(8, 3).numpy() for run in unit(other)]
    wide = [(words, np.hstack([run, np.zeros((82, 3))])) for run in rows]
    moved = replace(load_runs(wide), key=Key("b"))
    for row, same in zip(*(SPACES.rows(compare(one, x, n=N).tables) for x in (other, moved)), strict=True):
        np.testing.assert_allclose(row[1:], same[1:])


def test_runs_of_one_law_agree_whatever_their_noise_and_no_word_is_named():
    """A noisier group of the same space: single runs share little, and what both expect is nearly the same."""
    told = compare(group("a", 0.2, runs=6, seed=1), group("b", 0.2, runs=6, seed=2))
    for row in SPACES.rows(told.tables):
        assert row.agreement == pytest.approx(1.0, abs=0.02)
        assert DIFFER.judge(Spaces("a", "b", row, 10)) == "alike"
    assert not list(UNLIKE.rows(told.tables))
    z = told.frame("words").beyond / told.frame("words").beyond_se
    assert 0.7 < float(z.std()) < 1.3


def skewed(runs, seed, *, centred):
    """Runs of one space whose vectors share a direction, which centring takes out."""
    space = torch.nn.functional.pad(anisotropic(200, 12, mean=0.0), (0, 1), value=0.7)
    rows = space + 0.1 * torch.randn(runs, 200, 13, dtype=torch.float64, generator=generator(seed))
    return rows - rows.mean(1, keepdim=True) if centred else rows


@pytest.mark.parametrize("change", ["centred", "one mean"])
def test_cosines_of_another_level_are_not_called_alike(change):
    """Raw and centred runs, whose loss was twice that within, and was said to be hardly more than noise."""
    stacks = [skewed(4, 1, centred=False), skewed(4, 2, centred=change == "centred")]
    told = compare(*(replace(runs_of(rows), key=Key(name)) for name, rows in zip("ab", stacks, strict=True)))
    spaces = Spaces("a", "b", next(row for row in SPACES.rows(told.tables) if row.measure == COSINES), 10)
    off = ~np.eye(200, dtype=bool)
    one, other = ([(x @ x.T)[off] for x in unit(runs_of(rows))] for rows in stacks)

    def by_chance(pairs):
        return np.mean([a.var() + b.var() + (a.mean() - b.mean()) ** 2 for a, b in pairs])

    within = by_chance(combinations(one, 2)) * by_chance(combinations(other, 2))
    assert spaces.level == pytest.approx(within**0.5 / by_chance(product(one, other)), rel=0.01)
    assert DIFFER.judge(spaces) == {"centred": "other level", "one mean": "alike"}[change]
    assert ("differ in mean or spread" in DIFFER.sentence(spaces)) == (change == "centred")


@pytest.mark.parametrize("centred", [False, True])
def test_runs_made_of_each_other_are_no_groups_that_agree(centred):
    """An agreement of 1.2, 1.13 to 1.29, was called alike."""
    rows = skewed(4, 1, centred=False)
    made = rows - rows.mean(1, keepdim=True) if centred else rows + 0.01 * skewed(4, 3, centred=True)
    told = compare(*(replace(runs_of(x), key=Key(name)) for name, x in zip("ab", (rows, made), strict=True)))
    spaces = Spaces("a", "b", next(row for row in SPACES.rows(told.tables) if row.measure != COSINES), 10)
    assert DIFFER.judge(spaces) == "paired"
    assert "Are runs of the one made of runs of the other?" in " ".join(told.verdict)


def test_exchanged_words_are_seen_differently_and_come_with_their_neighbours():
    v = 400
    some = np.arange(v)[5::10]
    order = np.arange(v)
    order[some] = np.roll(some, 1)
    base = anisotropic(v, 20)
    stacks = [
        space + 0.1 * torch.randn(6, v, 20, dtype=torch.float64, generator=generator(seed)) / 20**0.5
        for seed, space in enumerate((base, base[torch.from_numpy(order)]))
    ]
    told = compare(*(replace(runs_of(x), key=Key(name)) for name, x in zip("ab", stacks, strict=True)))
    named = list(UNLIKE.rows(told.tables))
    assert len(named) > 20
    assert np.mean([int(row.word[1:]) in set(some.tolist()) for row in named]) > 0.9
    row = named[0]
    assert row.in_first != row.in_second
    assert row.between < min(row.first, row.second) - 0.3
    assert "agreement" in told.verdict[2]
    assert f"see {len(named)} of 400 words more differently" in told.verdict[-1]
    block = next(block for block in describe(told) if block.title == "Do both see the same neighbours?")
    assert block.tables[1].rows[0][0] == row.word
    assert f"agree by {told.tables['spaces']['agreement'][0]:.2f}" in draw(told)["spaces"].title


def test_groups_that_share_runs_or_are_two_runs_are_no_test(pair):
    one = pair[0]
    told = compare(one, replace(one, key=Key("b")), n=N)
    assert "since they share runs" in told.verdict[2]
    few = compare(one.take([0, 1]), pair[1], n=N)
    assert "takes an error over runs. Train at least three runs of each" in few.verdict[2]
    assert not list(UNLIKE.rows(few.tables))
    assert SEEN_DIFFERENTLY.judge(Seen("a", "b", [], 9, copies=True)) == "no test"


def test_runs_of_one_draw_are_no_pair_between_two_techniques():
    """Run k of both groups has one seed and one noise, as bootstrap runs of two techniques have one draw."""
    base = anisotropic(120, 8)
    shared = torch.randn(6, 120, 8, dtype=torch.float64, generator=generator(1)) / 8**0.5
    alone = torch.randn(2, 6, 120, 8, dtype=torch.float64, generator=generator(2)) / 8**0.5
    one, other = (
        replace(runs_of(base + 0.6 * shared + 0.3 * own), key=Key(name)) for name, own in zip("ab", alone, strict=True)
    )
    seeds = tuple(range(6))
    told = compare(replace(one, seeds=seeds), replace(other, seeds=seeds), n=N)
    blind = compare(one, other, n=N)
    for row, wrong in zip(SPACES.rows(told.tables), SPACES.rows(blind.tables), strict=True):
        assert abs(row.agreement - 1) < 2.6 * row.agreement_se
        assert row.agreement < 1.04 < wrong.agreement
    within = unit(one), unit(other)
    found = [lists(run, N) for run in (*within[0], *within[1])]
    pairs = [(i, 6 + j) for i in range(6) for j in range(6) if i != j]
    words = told.frame("words")
    shares = [[len(a & b) / N for a, b in zip(found[i], found[j], strict=True)] for i, j in pairs]
    np.testing.assert_allclose(words.p_between, np.mean(shares, 0))
    cosines = [run @ run.T for run in (*within[0], *within[1])]
    squares = np.mean([((cosines[i] - cosines[j]) ** 2).sum(1) / (4 * 120) for i, j in pairs], 0)
    np.testing.assert_allclose(words.loss_between, np.sqrt(squares))


def test_rows_of_one_group_that_are_not_scaled_have_no_cosines_in_common(pair):
    told = compare(
        pair[0],
        replace(runs_of(torch.stack([x * 3 for x in map(torch.tensor, unit(pair[1]))]), unit=False), key=Key("b")),
        n=N,
    )
    assert [row.measure for row in SPACES.rows(told.tables)] == [f"p@{N}"]
    assert np.isnan(WORDS.of(told.tables)["loss_between"]).all()


def test_tiles_change_nothing(pair, monkeypatch):
    whole = compare(*pair, n=N).tables["words"]["beyond_se"]
    monkeypatch.setattr("gpustab.studies.compare.spaces._PAIRS", 7 * 7 * 9)
    np.testing.assert_array_equal(compare(*pair, n=N).tables["words"]["beyond_se"], whole)


@pytest.mark.parametrize("runs", [3, 4, 8])
def test_the_error_of_a_word_counts_the_noise_of_pairs_once(runs):
    """Lists of one law: the spread of ``beyond`` is what the errors say, where the jackknife is too large."""
    from gpustab.engine import NeighbourPass
    from gpustab.kernels.overlap import shared_neighbours

    rng, t, k = np.random.default_rng(runs), 3000, 10
    weights = np.linspace(3, 0, 30)
    ranks = (weights + rng.gumbel(size=(2 * runs, t, 30))).argsort(2)[:, :, ::-1][:, :, :k]
    every = torch.from_numpy(ranks.copy())
    passes, values = [], []
    for own in every.split(runs):
        present = torch.ones(own.shape[:2], dtype=torch.bool)
        passes.append(NeighbourPass(torch.arange(t), k, own, own.double(), own > 99, present))
        share = shared_neighbours(own, [k])[0].double() / k
        i, j = torch.triu_indices(runs, runs, 1)
        flat, total = share[:, i, j], share[:, i, j].sum(1)
        left = (total[:, None] - share.sum(2) + 1) / ((runs - 1) * (runs - 2) / 2)
        se = ((runs - 1) / runs * (left - left.mean(1, keepdim=True)).square().sum(1)).sqrt()
        values.append(WordValues(flat.mean(1), flat.std(1), se))
    found = of_lists(passes, values, torch.ones(runs, runs, dtype=torch.bool))
    spread = float(found.shared.beyond.value.var())
    assert float(found.noise.mean()) == pytest.approx(
        spread, rel=0.35 if runs == 3 else 0.15
    )  # three tell it by a rule of thumb
    assert float(found.shared.beyond.se.square().mean()) > 1.4 * spread


def test_a_group_at_chance_sets_an_alarm_and_no_agreement_is_told():
    """The rows of every run are dealt out to other words: two runs share what chance gives them."""
    sound, noise = group("lsa/shuffled", 0.3, v=120, d=8), anisotropic(120, 8)
    dealt = [noise[torch.randperm(120, generator=generator(seed))] for seed in range(5)]
    told = compare(sound, replace(runs_of(torch.stack(dealt)), key=Key("ppmi_svd", "shuffled")), n=N)
    assert [alarm.startswith("PPMI-SVD, shuffled runs: ") for alarm in told.alarms] == [True]
    assert "hardly more alike than unrelated spaces" in told.alarms[0]
    assert "--set ppmi_svd.subsample=" in told.alarms[0]
    assert told.contrasts[0]["verdict"] == "no test"
    assert np.isnan(told.tables["spaces"]["agreement"]).all()
    assert all("Nobody can tell whether" in said for said in told.verdict[2:4])
    assert "More runs do not help" in told.verdict[1]
    assert "nobody can tell" in draw(told)["spaces"].title
    assert paper(told).claim.startswith("Nothing yet")
    table = next(block for block in describe(told) if block.title.startswith("Do both see")).tables[0]
    assert [row[-1] for row in table.rows] == ["no test", "no test"]


def test_neighbours_shared_beyond_chance_are_what_an_agreement_needs():
    """Of few words chance is not small: two runs that share 0.3 of ten of 449 share 0.07 beyond it."""
    row = Agreement("p@10", 0.029, 0.001, 0.86, 0.002, 0.03, 0.001, 0.33, 0.02, 8, 0.0223)
    spaces = Spaces("ppmi_svd/shuffled", "lsa/shuffled", row, 10)
    assert DIFFER.judge(spaces) == "no test"
    said = "Two of the shuffled runs of PPMI-SVD share 0.29 of ten, and by chance 0.22"
    assert said in DIFFER.sentence(spaces)
    assert DIFFER.judge(spaces._replace(row=row._replace(chance=0.001))) == "differ"


def test_words_that_a_group_lacks_are_noted():
    rows = noisy_copies(3, 60, 6)
    rows[0, :5] = 0
    told = compare(group("a", 0.3, runs=3, v=60, d=6), replace(runs_of(rows), key=Key("b")), n=N)
    assert any("5 words are left out, because of a zero vector" in note for note in told.notes)


def test_the_box_has_the_agreement_where_it_is_told(pair):
    told = compare(*pair, n=N)
    verdicts = {row: DIFFER.judge(Spaces("a", "b", row, N)) for row in SPACES.rows(told.tables)}
    assert "alike" in verdicts.values()
    for row, verdict in verdicts.items():
        by = "the cosines" if row.measure == "PIP loss" else "neighbours"
        said = f" by {by} (agreement {number(row.agreement, 2)})" in paper(told).claim
        assert said == (verdict in ("differ", "alike"))
    one = pair[0]
    assert paper(told).claim.endswith("; 1 would be the same.")
    assert "agreement" not in paper(compare(one, replace(one, key=Key("b")), n=N)).claim
