"""The numbers of one group: on planted cosines, and against loops over a real small run set."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import load_groups
from gpustab.machine.device import Compute
from gpustab.statistics.intervals import expected_sd, jackknife_error
from gpustab.studies.bootstrap import numbers, study
from gpustab.studies.bootstrap.corpus import Queries
from gpustab.studies.bootstrap.measure import measure
from gpustab.studies.bootstrap.page import _tally
from gpustab.studies.bootstrap.study import bootstrap
from gpustab.training import read_settings, train_runs
from tests.studies.bootstrap import oracles
from tests.studies.bootstrap.planted import drawn, planted

COMPUTE = Compute(torch.device("cpu"))


def measured(runs, n=2, asked=None):
    queries = [word for word in runs.vocabulary if word.startswith(b"q")]
    return measure(runs, queries, n, asked or {}, COMPUTE)


COSINES = [[[0.9, 0.8, 0.5, 0.1]], [[0.7, 0.8, 0.6, 0.1]], [[0.8, 0.79, 0.7, 0.9]], [[0.8, 0.6, 0.5, 0.1]]]


class TestPlanted:
    def test_means_ranks_and_shares_are_the_planted_ones(self):
        own = measured(planted("x/bootstrap", COSINES))
        rows = {row.word: row for row in numbers.neighbours(own, own, judges=True)}
        assert list(rows) == ["w0", "w1"]
        first = rows["w0"]
        assert first.mean == pytest.approx(0.8)
        assert first.sd == pytest.approx(statistics.stdev([0.9, 0.7, 0.8, 0.8]))
        assert (first.low, first.high) == pytest.approx((0.7, 0.9))
        assert (first.rank, first.rank_low, first.rank_high) == (1.5, 1, 2)
        assert (first.hits, first.of, first.runs) == (4, 4, 4)
        assert first.bias == pytest.approx(0)

    def test_a_word_that_a_run_lacks_has_no_cosine_there_and_is_not_in_its_list(self):
        own = measured(planted("x/bootstrap", COSINES, absent=[(3, "w0")]))
        row = {row.word: row for row in numbers.neighbours(own, own, judges=True)}["w0"]
        assert row.runs == 3
        assert row.mean == pytest.approx(0.8)  # never (0.9 + 0.7 + 0.8 + 0) / 4
        assert (row.hits, row.of) == (3, 4)

    def test_a_word_of_fewer_than_half_of_the_runs_is_not_chosen(self):
        own = measured(planted("x/bootstrap", COSINES, absent=[(0, "w0"), (1, "w0"), (3, "w0")]))
        assert [own.words[k] for k in own.closest[0]] == [b"w1", b"w2", b"w3"]

    def test_a_run_without_the_query_is_left_out_for_it(self):
        own = measured(planted("x/bootstrap", COSINES, absent=[(3, "q")]))
        row = {row.word: row for row in numbers.neighbours(own, own, judges=True)}["w0"]
        assert (row.runs, row.of) == (3, 3)

    def test_bias_is_against_the_group_that_chose(self):
        whole = measured(planted("x/shuffled", COSINES))
        moved = np.asarray(COSINES) - 0.05
        own = measured(planted("x/bootstrap", moved), asked=whole.closest_words(2))
        rows = list(numbers.neighbours(own, whole, judges=True))
        assert [row.bias for row in rows] == pytest.approx([-0.05, -0.05])
        assert {row.chosen_by for row in rows} == {"x/shuffled"}


class TestKnownSpread:
    def test_the_spread_is_the_planted_sd_and_its_interval_covers_it(self):
        inside, values = 0, []
        for seed in range(20):
            own = measured(drawn("x/shuffled", 8, 0.03, seed=seed), n=10)
            found = numbers.setting(own, COMPUTE).estimate("log_spread")
            low, high = found.interval
            inside += low <= math.log(0.03) <= high
            values.append(found.value)
        assert math.exp(statistics.fmean(values)) == pytest.approx(0.03, rel=0.04)
        assert inside >= 17

    def test_the_paper_curve_is_its_bias_and_the_unbiased_one_is_flat(self):
        values = 0.5 + 0.02 * torch.randn(600, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        rows = numbers.by_runs("x", values)
        for row in rows:
            assert row.paper == pytest.approx(0.02 * row.bias, rel=0.05)
            assert row.unbiased == pytest.approx(0.02, rel=0.05)
        assert abs(numbers.rise_left(values).value) < 0.05

    def test_the_relative_spread_errs_with_its_scale_too(self):
        runs = drawn("x/shuffled", 6, 0.05, seed=3)
        own = measured(runs, n=10)
        for r in range(6):
            naive = measured(runs.take([k for k in range(6) if k != r]), n=10).spread_over_words()
            assert own.spreads_without[:, r].tolist() == pytest.approx(naive.tolist(), rel=1e-9)

    def test_the_rise_is_that_of_all_pairs_of_runs_formed_anew_without_each_run(self):
        generator = torch.Generator().manual_seed(0)
        values = torch.randn(60, 6, dtype=torch.float64, generator=generator)
        values[torch.rand(60, 6, generator=generator) < 0.2] = math.nan
        found = numbers.rise_left(values)

        def naive(part):
            pairs = [part[:, [i, j]] for i in range(part.shape[1]) for j in range(i)]
            two = np.nanmean(np.concatenate([np.std(x.numpy(), axis=1, ddof=1) for x in pairs]))
            own = part.numpy()[(~part.isnan()).sum(1) > 1]
            shares = [expected_sd(k, 0) * math.sqrt(k / (k - 1)) for k in (2, part.shape[1])]
            return math.log(np.nanmean(np.nanstd(own, axis=1, ddof=1)) / shares[1]) - math.log(two / shares[0])

        left_out = [naive(values[:, [k for k in range(6) if k != r]]) for r in range(6)]
        assert found.value == pytest.approx(naive(values), rel=1e-9)
        assert found.se == pytest.approx(jackknife_error(left_out), rel=1e-9)

    def test_noise_alone_is_no_distance_between_settings(self):
        first, second, moved = (
            measured(drawn(f"x/{name}", 8, 0.03, seed=seed, order=order), n=10)
            for name, seed, order in (("fixed", 1, 0.0), ("shuffled", 2, 0.0), ("bootstrap", 3, 0.1))
        )
        noise = numbers.distance(first, second)
        assert abs(noise.squared_distance) < 0.2 * noise.within**2
        apart = numbers.distance(first, moved)
        assert apart.squared_distance > 5 * abs(noise.squared_distance)
        assert apart.between > noise.between


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lee")
    plan = {"corpus": "lee", "techniques": ["lsa"], "samplings": ["shuffled", "bootstrap"], "runs": 4}
    train_runs(read_settings(plan | {"options": {"min_count": 12}, "lsa": {"dim": 12}}), folder)
    return load_groups(folder, vocabulary="union", min_runs=1)


def test_a_real_run_set_agrees_with_loops(real):
    queries = ["government", "police", "australia"]
    result = bootstrap(real, query=tuple(queries))
    runs = next(group for group in real if group.key.sampling == "bootstrap")
    words = [word.decode() for word in runs.vocabulary]
    spaces = [
        {words[k]: runs.rows[r][k : k + 1][0].double().numpy() for k in runs.present[r].nonzero().flatten().tolist()}
        for r in range(len(runs))
    ]
    values = {query: oracles.all_cosines(spaces, query) for query in queries}
    near = {query: oracles.closest(values[query], 10) for query in queries}
    setting = next(result.tables["settings"].records(group="lsa/bootstrap"))
    pairs = [values[query][word] for query in queries for word in near[query]]
    assert setting["spread"] == pytest.approx(oracles.spread(pairs), rel=1e-6)
    assert setting["sd"] == pytest.approx(statistics.fmean(statistics.stdev(oracles.known(x)) for x in pairs), rel=1e-6)
    lists = {query: [oracles.list_of(values[query], r, 10) for r in range(4)] for query in queries}
    assert setting["jn_value"] == pytest.approx(statistics.fmean(map(oracles.jaccard, lists.values())), rel=1e-9)
    rows = list(result.tables["neighbours"].records(group="lsa/bootstrap", chosen_by="lsa/bootstrap"))
    assert [row["word"] for row in rows] == [word for query in queries for word in near[query]]
    for row in rows:
        own = values[row["query"]][row["word"]]
        assert row["mean"] == pytest.approx(statistics.fmean(oracles.known(own)), abs=1e-7)
        assert row["hits"] == sum(row["word"] in one for one in lists[row["query"]])
        ranks = [oracles.rank(values[row["query"]], row["word"], r) for r in range(4) if own[r] is not None]
        assert row["rank"] == statistics.median(ranks)
        assert (row["rank_low"], row["rank_high"]) == (min(ranks), max(ranks))
        assert row["verdict"] == ""  # the whole-corpus runs choose what these judge
    judged = list(result.tables["neighbours"].records(chosen_by="lsa/shuffled", group="lsa/bootstrap"))
    assert {row["verdict"] for row in judged} == {"not judged"}  # four runs judge nothing


@pytest.mark.parametrize(
    ("odd", "left"), [((), 0.0), ((2,), 0.0), ((0, 3), 0.0), ((0, 1, 3), 2 / 3), ((0, 1, 2, 3, 4), 1.0)]
)
def test_lists_apart_are_counted_also_without_the_runs_that_make_most_of_them(odd, left):
    lists = torch.arange(3).expand(5, 4, 3).clone()
    for r in odd:
        lists[r] += 10 * (r + 1)
    disjoint, everywhere, of_most = numbers.list_agreement(lists, torch.ones(5, 4, dtype=torch.bool))
    pairs = sum(1 for i in range(5) for j in range(i) if i in odd or j in odd)
    assert disjoint == pytest.approx(pairs / 10)
    assert everywhere == (0 if odd else 3)
    assert of_most == pytest.approx(left)


def test_a_query_word_is_counted_as_the_text_has_it():
    """565 occurrences were 4,575: those of eight bootstrap runs together."""
    whole, again = drawn("x/shuffled", 4, 0.01, seed=1), drawn("x/bootstrap", 8, 0.03, seed=2)
    both = [
        replace(runs, counts=torch.full((runs.words,), times * len(runs)))
        for runs, times in ((again, 571), (whole, 565))
    ]
    assert set(bootstrap(both, query=("q0", "q1")).tables["queries"]["count"]) == {565}
    assert set(bootstrap(both[:1], query=("q0", "q1")).tables["queries"]["count"]) == {571}


def test_words_that_some_run_lacks_are_one_number():
    cosines = np.tile(0.9 - 0.02 * np.arange(30), (4, 1, 1))
    result = bootstrap(planted("x/bootstrap", cosines, {(0, "w3"), (1, "w15"), (2, "w15")}), query=("q",), n=5)
    assert list(result.tables["settings"]["absent"]) == [2]  # beyond the ten closest words too
    assert any("2 of 20 listed words are missing in some run" in note for note in result.notes)


def test_findings_that_hold_are_of_those_that_were_tested():
    assert _tally(["yes"] * 6 + ["no test"] * 2) == (
        "Of 6 tested findings 6 hold. 2 findings cannot be tested with these runs."
    )
    assert _tally(["yes", "no", "undecided"]) == "Of 3 tested findings 1 holds, 1 does not hold and 1 is undecided."
    assert _tally(["no test"]) == "1 finding cannot be tested with these runs."
    assert _tally([]) == ""


def test_how_the_command_chose_the_query_words_stands_in_the_answer(monkeypatch):
    told = Queries((b"q0", b"q1"), ("The command chose.", "And so on."))
    monkeypatch.setattr(study, "chosen_queries", lambda *given: told)
    monkeypatch.setattr(study, "corpus_of", lambda *given: None)
    chosen = bootstrap(drawn("x/bootstrap", 5, 0.03))
    assert "The command chose." in chosen.verdict
    assert "And so on." in chosen.notes
    assert "The command chose." not in bootstrap(drawn("x/bootstrap", 5, 0.03), query=("q0",)).verdict
