"""The paper's findings: judged rightly where the answer is planted, and not at all where nothing can be told."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gpustab import load_runs
from gpustab.report.describe import describe, paper
from gpustab.runs.key import Key
from gpustab.studies.bootstrap import claims, claims_of_runs
from gpustab.studies.bootstrap.claims import FINDINGS, LEAST, STABILISES, Pair, Ranked
from gpustab.studies.bootstrap.findings import findings
from gpustab.studies.bootstrap.study import bootstrap
from tests.pages import check_page
from tests.studies.bootstrap.planted import drawn, planted
from tests.studies.edges_of_bootstrap import setting

QUERIES = ("q0", "q1", "q2")
MORE, ORDER, LOWER = claims.WIDER.says, claims.ORDER.says, claims.LOWER.says


def agrees(result, start):
    return {
        row["technique"]: row["agrees"] for row in result.tables["claims"].records() if row["claim"].startswith(start)
    }


@pytest.fixture(scope="module")
def usual():
    groups = [
        drawn("sgns/fixed", 14, 0.01, seed=1),
        drawn("sgns/shuffled", 14, 0.01, seed=2),
        drawn("sgns/bootstrap", 14, 0.03, seed=3, mean=0.55),
        drawn("sgns/bootstrap-sentence", 14, 0.015, seed=4, mean=0.55),
        drawn("sgns/bootstrap-document-0.2", 14, 0.06, seed=5, mean=0.55),
        drawn("glove/fixed", 14, 0.004, seed=6),
        drawn("glove/shuffled", 14, 0.004, seed=7),
    ]
    return bootstrap(groups, query=QUERIES)


def test_what_is_planted_is_found(usual):
    assert agrees(usual, ORDER)["sgns/shuffled"] == "yes"
    assert agrees(usual, MORE) == {"sgns/bootstrap": "yes"}
    assert agrees(usual, LOWER) == {"sgns/bootstrap": "yes"}
    assert agrees(usual, "Sentences") == {"sgns/bootstrap-sentence": "yes"}
    assert agrees(usual, "A smaller corpus") == {"sgns/bootstrap-0.2": "yes"}
    assert agrees(usual, "GloVe and LSA") == {"glove/fixed": "yes", "glove/shuffled": "yes"}
    assert agrees(usual, "The variability rises")["sgns/bootstrap"] == "no test"  # of a plateau at 25 runs


@pytest.mark.parametrize(("runs", "verdict"), [(4, "no test"), (24, "no test"), (25, "no")])
def test_a_plateau_at_25_runs_is_seen_by_25_runs(runs, verdict):
    """Four runs contradicted the paper, which says what happens at 25."""
    assert STABILISES.judge(setting(rise_value=0.0, runs=runs)) == verdict  # all of the rise is bias


def test_the_page_says_how_every_finding_stands_to_the_papers(usual):
    assert all(claim.paper.startswith("Antoniak and Mimno found ") for claim in FINDINGS)
    block = next(block for block in describe(usual) if block.title == "Does the paper hold here?")
    (table,) = block.tables
    (order,) = (row for row in table.rows if row[0].startswith(ORDER) and row[1] == "skip-gram, shuffled runs")
    assert order[2] == "yes"
    assert order[3].startswith("Shuffled / fixed × ")
    assert order[4] == claims.ORDER.paper
    assert len(table.rows) == usual.tables["claims"].height


def test_the_contrary_is_found_too():
    groups = [
        drawn("sgns/fixed", 8, 0.01, seed=1),
        drawn("sgns/shuffled", 8, 0.03, seed=2),
        drawn("sgns/bootstrap", 8, 0.01, seed=3, mean=0.65),
    ]
    result = bootstrap(groups, query=QUERIES)
    assert agrees(result, ORDER) == {"sgns/shuffled": "no"}
    assert agrees(result, MORE) == {"sgns/bootstrap": "no"}
    assert agrees(result, LOWER) == {"sgns/bootstrap": "no"}
    assert "vary less than training again" in " ".join(result.verdict)


@pytest.mark.parametrize(("sd", "wanted"), [(0.01, "yes"), (0.08, "no"), (0.05, "undecided")])
def test_small_is_judged_by_the_standard_deviation_too(sd, wanted):
    """As the paper does, which names no bound."""
    result = bootstrap(drawn("sgns/fixed", 10, sd, seed=1), query=QUERIES)
    (found,) = (row for row in result.tables["claims"].records() if "by the standard deviation" in row["claim"])
    assert found["agrees"] == wanted
    (own,) = result.tables["settings"].records()
    assert found["shows"].startswith(f"spread {own['spread']:.3f} (")


def test_two_runs_decide_nothing_and_nothing_is_counted_as_a_test():
    groups = [drawn("sgns/shuffled", 2, 0.01, seed=2), drawn("sgns/bootstrap", 2, 0.03, seed=3)]
    result = bootstrap(groups, query=QUERIES)
    assert set(agrees(result, "").values()) == {"no test"}
    assert "verdicts by tests" not in " ".join(block.answer for block in describe(result))
    assert "too few to judge a neighbour" in result.verdict[0]


def test_the_same_runs_twice_test_nothing():
    first = drawn("glove/fixed", 4, 0.01, seed=1)
    again = drawn("glove/shuffled", 4, 0.01, seed=1)
    result = bootstrap([first, again], query=QUERIES)
    assert agrees(result, ORDER) == {"glove/shuffled": "no test"}
    assert any("4 of 4 runs are the same, bit for bit" in note for note in result.notes)


def test_a_flat_space_is_told_and_not_judged():
    groups = [drawn("x/shuffled", 6, 0.0005, seed=1, mean=0.999, words=20, queries=1, step=0.001)]
    groups += [drawn("x/bootstrap", 6, 0.001, seed=2, mean=0.995, words=20, queries=1, step=0.001)]
    result = bootstrap(groups, query=("q0",))
    assert "hardly tells near words apart" in " ".join(result.alarms)
    assert set(agrees(result, "").values()) == {"no test"}


def test_a_flat_group_makes_no_test_of_what_it_is_compared_with():
    groups = [drawn("x/shuffled", 6, 0.0005, seed=1, mean=0.999, words=20, queries=1, step=0.001)]
    result = bootstrap([*groups, drawn("x/bootstrap", 6, 0.03, seed=2, queries=1)], query=("q0",))
    assert agrees(result, MORE) == {"x/bootstrap": "no test"}
    assert agrees(result, "Even very highly")["x/bootstrap"] != "no test"
    assert not any("resampling the documents changes" in said for said in result.verdict)


def test_a_run_far_from_its_group_makes_no_test_of_techniques():
    """Of groups of one law one run in ten of which was odd, up to 9 of 40 were told to vary more or less."""
    glove, other = (setting(group=name, technique=name, sampling="shuffled") for name in ("glove", "sgns"))
    judged = {far: findings([glove, other._replace(far=far)], [], []) for far in (False, True)}
    assert [row.agrees for row in judged[True]] == ["no test"]
    assert "a run lies far from the others" in judged[True][0].rule
    assert "lies far" not in judged[False][0].rule


@pytest.mark.parametrize("name", ["WIDER", "LOWER", "JACCARD", "RANKS", "SENTENCE", "SIZE"])
def test_groups_whose_runs_all_say_the_same_do_not_differ(name):
    """Lists that come back whole in both groups, without an error, were "lists agree much less over bootstrap runs"."""
    assert getattr(claims, name).judge(Pair(setting(), setting())) == "undecided"


def test_techniques_whose_runs_all_say_the_same_do_not_differ():
    for claim in (claims.LEAST, claims.MOST, claims.PPMI_LISTS):
        assert claim.judge(Ranked([setting()], [setting()])) == "undecided"


def test_noise_is_told():
    result = bootstrap([drawn("ppmi_svd/fixed", 5, 0.2, mean=0.5, step=0.0001, words=100)], query=QUERIES)
    assert any("do not represent this corpus" in alarm and "subsample" in alarm for alarm in result.alarms)


def test_bootstrap_runs_alone_are_told_to_flatter():
    result = bootstrap([drawn("x/bootstrap", 6, 0.02)], query=QUERIES)
    assert any("choose and judge" in note for note in result.notes)
    assert "The same runs chose the words" in result.verdict[0]
    assert {row["verdict"] for row in result.tables["neighbours"].records()} & {"firm", "passing", "open"}


@pytest.mark.parametrize("words", [3, 5, 12])
def test_few_words_and_words_that_come_and_go(words):
    absent = [(0, "w0"), (1, "w1"), (2, "q")]
    rng = np.random.default_rng(words)
    groups = [
        planted(name, 0.5 + 0.05 * rng.normal(size=(4, 1, words)), absent=absent, seed=k)
        for k, name in enumerate(("x/shuffled", "x/bootstrap"))
    ]
    result = bootstrap(groups, query=("q", "elsewhere"))
    row = next(result.tables["neighbours"].records(word="w0", group="x/bootstrap", chosen_by="x/bootstrap"))
    assert (row["runs"], row["of"]) == (2, 3)  # run 0 lacks the word, run 2 the query
    assert str(result)


def test_a_technique_varies_less_only_if_its_lists_agree_more_too():
    """Where all near words have one cosine its SD is small, and says nothing."""
    narrow, wide = setting(relative_value=-1.0, jn_value=0.2), setting(jn_value=0.8)
    assert LEAST.judge(Ranked([narrow], [wide])) == "no"
    assert LEAST.judge(Ranked([narrow._replace(jn_value=0.9)], [wide])) == "yes"
    assert LEAST.judge(Ranked([narrow._replace(jn_value=0.9, relative_value=1.0)], [wide])) == "no"


def test_the_page_leads_with_what_may_be_claimed(usual):
    check_page(usual)
    said = paper(usual)
    assert sum(int(card.value) for card in said.cards[:3]) == len(QUERIES) * usual.groups[0]["n"]
    assert said.claim.startswith("That these pairs are neighbours in this text: q0 – w0, ")
    assert "firm or passing ones" in said.claim
    blocks = describe(usual)
    (of_runs, *_) = [block for block in blocks if " say of " in block.title]
    word = of_runs.title.partition(" say of ")[2].rstrip("?")
    firm = [row["query"] for row in usual.tables["neighbours"].records(verdict="firm")]
    answers = " ".join(block.answer for block in blocks if block.title.startswith("Which neighbours hold"))
    assert answers.count("Antoniak and Mimno") == 1
    assert re.search(r"Here all 14 runs list (none|\d+) of the 30 chosen neighbours\.", answers)
    assert word in firm  # a reader sees something that holds
    (each, *_) = [block for block in blocks if "neighbour by neighbour" in block.title]
    assert "ahead" in each.tables[0].header  # decides where two words are in as many lists


def test_a_name_in_two_words_is_no_example_twice():
    def pairs(*names):
        queries = [name.split() for name in names]
        return [SimpleNamespace(query=query, word=word) for query, word in queries]

    kept = claims_of_runs._without_repeats(pairs("bin laden", "laden bin", "fire blaze", "bin osama", "war peace"))
    assert [(row.query, row.word) for row in kept] == [("bin", "laden"), ("fire", "blaze"), ("war", "peace")]


def test_spreads_of_vectors_that_are_unrelated_in_every_run_are_no_test():
    """However much noise is added, a cosine of unrelated vectors varies no more: the spread sees nothing there."""
    rng, words = np.random.default_rng(0), [*QUERIES, *(f"w{k}" for k in range(80))]

    def unrelated(name):
        spaces = [(words, rng.normal(size=(len(words), 20))) for _ in range(8)]
        return replace(load_runs(spaces), key=Key.of_path(name))

    names = ("sgns/fixed", "sgns/shuffled", "sgns/bootstrap", "sgns/bootstrap-sentence")
    names += ("ppmi_svd/shuffled", "ppmi_svd/bootstrap")
    result = bootstrap([unrelated(name) for name in names], query=QUERIES)
    for claim in (claims.ORDER, claims.WIDER, claims.SENTENCE, claims.WEAKER):
        assert set(agrees(result, claim.says).values()) == {"no test"}, claim.id
    one = Pair(setting(relative=1.2, log_spread_value=1.0), setting("shuffled", relative=0.4))
    assert claims.WIDER.judge(one) == "yes"  # the other group was not yet as noisy
    assert "vary over runs nearly as much as over words" in claims_of_runs.DOCUMENTS.sentence(
        one._replace(second=one.first)
    )


def test_a_blind_technique_forbids_no_verdict_on_the_others():
    """Of PPMI beside one that sees and a blind one there was none."""
    ppmi, wide = Pair(setting(log_spread_value=0.1), setting()), Pair(setting(log_spread_value=1.0), setting())
    blind = Pair(setting(relative=1.2), setting(relative=1.2))
    assert claims.WEAKER.judge((ppmi, [wide, blind])) == claims.WEAKER.judge((ppmi, [wide])) == "yes"
    assert claims.WEAKER.judge((wide, [blind, ppmi])) == "no"
    assert claims.WEAKER.judge((ppmi, [blind])) == "no test"
    assert claims.WEAKER.judge((blind, [wide])) == "no test"


def test_near_words_of_a_missing_word_are_looked_for_once(monkeypatch):
    """That nothing is near had been looked for anew in every group."""
    asked = []
    monkeypatch.setattr("gpustab.studies.bootstrap.study.near_words", lambda word, _: asked.append(word) or "")
    groups = [drawn(f"sgns/{name}", 3, 0.01, seed=k) for k, name in enumerate(("fixed", "shuffled", "bootstrap"))]
    bootstrap(groups, query=[*QUERIES, "zzzzzz"])
    assert asked == [b"zzzzzz"]
