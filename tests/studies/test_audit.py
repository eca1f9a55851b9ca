"""Fifteen faults that an audit found in sentences, each with the tests that have its input; those of no other room.

A test belongs here that asks several rooms, or whose input is that of the audit.
"""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gpustab import load_runs, open_groups
from gpustab.report import Result
from gpustab.report.describe import describe
from gpustab.results import Table
from gpustab.runs.key import Key
from gpustab.studies.bootstrap import claims as bootstrap_claims
from gpustab.studies.bootstrap.study import bootstrap
from gpustab.studies.bootstrap.tables import FINDINGS
from gpustab.studies.change.study import change
from gpustab.studies.change.tables import PAIRS
from gpustab.studies.compare.spaces import SPACES
from gpustab.studies.compare.study import compare
from gpustab.studies.consistency.tables import CONSISTENCY, ModelNumbers
from gpustab.studies.localization.edits import EDIT_KINDS
from gpustab.studies.localization.page_of_edits import blocks_of_edits
from gpustab.studies.localization.tables_of_edits import EDIT_SCORES, EditScore
from gpustab.studies.neighbours.page import may_claim
from gpustab.studies.neighbours.study import SHARES, neighbours_of
from gpustab.studies.shared.claims import OBSERVED, ClaimText, Observation
from gpustab.studies.stability.study import stability
from gpustab.studies.thresholds.study import thresholds
from tests.generators import generator, noisy_copies, runs_of
from tests.held import check_held
from tests.studies.change.planted import groups, runset
from tests.studies.change.test_page import blocks as blocks
from tests.studies.test_compare import group
from tests.studies.thresholds.conftest import wordnet as wordnet

SAMPLINGS = ("shuffled", "bootstrap")
ROOT = Path(__file__).parents[2]
FAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "B1": (
        "a margin on uncorrected changes, which training noise fills: no more than two samplings",
        (
            "studies/change/test_claims.py::test_training_noise_swallows_no_change",
            "studies/change/test_claims.py::test_nothing_is_tested_where_training_hides_what_documents_do",
        ),
    ),
    "B2": (
        "one word without a value makes the error of all undefined, and the number of splits is blamed",
        (
            "kernels/test_displacement.py::test_a_word_that_loses_its_value_without_a_run_takes_no_error_from_the_others",
            "studies/change/test_claims.py::test_an_error_that_is_undefined_is_not_blamed_on_the_number_of_splits",
        ),
    ),
    "B3": (
        "without the noise of training: too low as noise grows",
        ("studies/test_audit.py::test_a_change_without_training_noise_is_the_true_one_or_is_not_told",),
    ),
    "B4": (
        "two measures that disagree, and words that are less stable where they are more stable",
        (
            "studies/test_compare.py::test_two_measures_that_say_opposite_things_are_the_verdict",
            "studies/test_compare.py::test_the_loss_stands_beside_the_neighbours",
            "studies/test_audit.py::test_words_with_a_smaller_advantage_are_said_to_have_one",
        ),
    ),
    "B5": (
        "Pearson's correlation under a sentence on order",
        (
            "statistics/test_reliability.py::test_the_order_of_the_many_is_not_that_of_a_few_far_from_them",
            "statistics/test_levels.py::test_the_order_is_that_of_other_runs_whatever_the_levels_distribution",
        ),
    ),
    "B6": (
        "lists that are chance, and a tenth taken from a normal",
        (
            "studies/test_stability.py::test_no_words_are_listed_by_runs_that_cannot_rank_them",
            "studies/test_audit.py::test_a_stable_tail_makes_no_list_of_the_least_stable",
            "statistics/test_levels.py::test_words_that_are_said_to_be_in_the_tenth_are",
        ),
    ),
    "B7": (
        "a neighbour that half of the runs lack, and firm ones in noisy lists",
        (
            "studies/test_neighbours.py::test_a_word_that_half_of_the_runs_lack_is_not_there_in_nine_of_ten",
            "studies/test_neighbours.py::test_noisy_lists_want_ten_runs",
            "studies/test_audit.py::test_a_word_that_half_of_the_runs_lack_is_in_half_of_the_lists_of_query_words_too",
        ),
    ),
    "B8": (
        "chapters in random order differ",
        (
            "studies/consistency/test_comparisons.py::test_chapters_of_real_text_in_random_order_do_not_develop",
            "studies/consistency/test_comparisons.py::test_few_documents_have_no_test",
        ),
    ),
    "B9": (
        "made-up words in the documents of real ones have vectors of their own; a background of the very text",
        (
            "studies/consistency/test_measures.py::test_made_up_words_in_the_documents_of_real_ones_have_no_vectors_of_their_own",
            "studies/consistency/test_claims.py::test_the_sentence_follows_the_interval_and_shows_it",
            "studies/consistency/test_many.py::test_a_background_that_was_trained_on_the_text_itself_is_an_alarm",
        ),
    ),
    "B10": (
        "thresholds of random vectors",
        (
            "studies/thresholds/test_sentences.py::test_what_is_not_proven_is_not_said",
            "studies/thresholds/test_sentences.py::test_a_second_threshold_that_is_not_proven_has_no_number",
            "studies/test_audit.py::test_random_vectors_have_no_threshold",
        ),
    ),
    "B11": (
        "averages of few runs, and lists of words by uncorrected intervals",
        (
            "studies/test_audit.py::test_averages_of_few_runs_speak_against_no_averaging",
            "studies/change/test_laws.py::test_words_that_scatter_ever_so_differently_lead_no_split",
            "studies/change/test_laws.py::test_no_word_leads_without_two_splits",
        ),
    ),
    "B12": (
        "a sum of zero as a cosine of 0, rows of rounding as vectors, one sentence in both of a null pair",
        (
            "studies/consistency/test_measures.py::test_a_sample_without_a_direction_is_in_no_number",
            "studies/consistency/test_comparisons.py::test_a_part_whose_sum_is_zero_has_no_cosine",
            "studies/consistency/test_models.py::test_a_term_of_which_a_sample_has_no_direction_has_no_nearest_words",
            "studies/consistency/test_general.py::test_a_term_that_stands_alone_in_its_sentences_is_in_no_mean",
            "trainers/test_ppmi_svd.py::test_a_word_without_a_share_in_what_is_kept_has_a_zero_vector",
            "studies/consistency/test_sample_file.py::test_samples_of_two_terms_that_hold_one_sentence_are_no_null_pair",
        ),
    ),
    "B13": (
        "words that stood still moved most, where most words turned",
        (
            "studies/change/test_alignment.py::test_all_words_give_the_alarm_and_anchors_the_finding",
            "studies/change/test_alignment.py::test_the_advice_of_the_alarm_can_be_followed",
        ),
    ),
    "B14": (
        "± of two meanings, verdicts that nobody counts, words taken as independent, authors",
        (
            "studies/test_audit.py::test_a_plus_minus_is_an_interval_everywhere",
            "studies/test_audit.py::test_errors_over_words_say_that_words_depend_on_each_other",
            "studies/instability/test_study.py::test_errors_over_words_are_said_to_be_too_small",
            "studies/test_audit.py::test_pages_with_many_verdicts_say_how_many_chance_would_make",
            "studies/test_audit.py::test_a_page_of_terms_says_how_many_verdicts_chance_would_make",
            "studies/change/test_page.py::test_what_chance_makes_wrong_is_counted",
            "studies/shared/test_claims.py::test_a_page_says_how_many_of_its_verdicts_chance_would_make",
            "studies/test_audit.py::test_a_list_of_neighbours_says_how_many_are_wrong_by_chance",
            "studies/test_audit.py::test_the_neighbours_of_one_word_say_how_many_are_wrong_by_chance",
            "studies/test_audit.py::test_a_comparison_says_how_many_of_its_verdicts_chance_would_make",
            "studies/test_audit.py::test_edits_say_how_many_of_their_verdicts_chance_would_make",
            "studies/test_audit.py::test_several_groups_say_how_many_of_their_verdicts_chance_would_make",
            "corpus/test_sampling.py::test_documents_of_a_group_are_drawn_all_or_none",
            "training/test_summary.py::test_documents_that_share_a_name_are_to_be_drawn_together",
            "studies/change/test_authors.py::test_deals_keep_blocks_together_and_sizes_alike",
        ),
    ),
    "B15": (
        "other vectors of a degenerate sample when the same command runs twice",
        (
            "trainers/test_ppmi_svd.py::test_equal_singular_values_do_not_change_with_the_call",
            "trainers/test_ppmi_svd.py::test_a_matrix_of_few_singular_values_has_the_same_vectors_at_every_call",
        ),
    ),
}
"""By item of the audit's list: the fault, and the tests that have its input."""


@pytest.mark.parametrize("item", FAULTS)
def test_every_fault_has_its_tests(item):
    for where in FAULTS[item][1]:
        check_held(where)


def test_all_fifteen_are_there():
    assert list(FAULTS) == [f"B{k}" for k in range(1, 16)]


def change_of(step, training):
    """The pair of two periods between which every word moves by a step, and what is said of it."""
    found = groups(runset(2, moved=range(120) if step else (), step=step, training=training, samplings=SAMPLINGS))
    answer = change(found, min_count=1, resamples=0)
    return next(PAIRS.rows(answer.tables, series="sgns/shuffled")), " ".join(answer.verdict)


@pytest.mark.parametrize("step", [0.0, 1.0])
def test_a_change_without_training_noise_is_the_true_one_or_is_not_told(step):
    """All words moved by a step of their own length: it came out as a fifth of it; where none moved, below 0."""
    quiet, _ = change_of(step, 0.01)
    assert quiet.corrected > 0.25 if step else 0 < quiet.corrected < 0.06  # other documents move words too
    for training in (0.4, 0.9):
        louder, told = change_of(step, training)
        assert -0.05 < louder.corrected - quiet.corrected < 0.01  # as the page says: up to 0.05 too low
        assert "Without the noise of training" in told
    noisy, told = change_of(step, 2.5)
    assert math.isnan(noisy.corrected)
    assert "Without the noise of training" not in told


def test_a_stable_tail_makes_no_list_of_the_least_stable():
    """Ten of a hundred words hardly move, so that the order is reliable; the others are alike, and no list of them is.

    A list of ten stood below "These runs tell a word's place", of which 8 % were in the least stable tenth.
    """
    base = torch.randn(200, 30, dtype=torch.float64, generator=generator(0))
    noise = torch.where(torch.arange(200) % 10 == 3, 0.02, 0.5)[:, None]
    stack = base + noise * torch.randn(8, 200, 30, dtype=torch.float64, generator=generator(1))
    words = stability(runs_of(stack), neighbours=[10]).groups[0]["words"]
    assert words["least_stable"] == []
    assert {int(row["word"][1:]) % 10 for row in words["most_stable"]} <= {3}


def test_a_word_that_half_of_the_runs_lack_is_in_half_of_the_lists_of_query_words_too():
    """One definition for both commands: ``neighbours`` called it *firm*, in five of five."""
    stack = noisy_copies(10, 30, 6, noise=0.05)
    stack[:, 1] = stack[:, 0] + 1e-3 * stack[:, 2]
    spaces = [
        ([f"w{k}" for k in range(30) if k != 1 or run < 5], np.delete(x, 1, 0) if run >= 5 else x)
        for run, x in enumerate(stack.numpy())
    ]
    runs = replace(load_runs(spaces, vocabulary="union"), key=Key("lsa", "bootstrap"))
    rows = bootstrap(runs, query=["w0"]).tables["neighbours"].records(query="w0", word="w1")
    assert [(row["hits"], row["of"], row["verdict"]) for row in rows] == [(5, 10, "open")]


def test_words_with_a_smaller_advantage_are_said_to_have_one():
    """Every word is more stable in the first group, by less for one in twenty: those eight were "less stable in A"."""
    fewer, quiet = torch.arange(400) % 20 == 3, torch.full((400,), 0.03)
    result = compare(group("a", torch.where(fewer, 0.3, quiet), runs=8, v=400), group("b", 0.35, runs=8, v=400, seed=9))
    words = result.frame("words")
    named = words[words.surely == "first"]
    assert len(named) > 8
    assert (named.p_first > named.p_second).all()
    block = next(block for block in describe(result) if block.title == "Which words differ?")
    (answer,) = (said for said in result.verdict if "Compared with equally frequent words" in said)
    assert "less stable" not in answer  # they are more stable there, by less than others are
    (table,) = block.tables
    assert "are more stable in a than in b, but by less than words as frequent are" in table.title


def test_averages_of_few_runs_speak_against_no_averaging():
    """Averages of four noisy runs share few words, those of 50 may share all: eight runs said "no"."""
    own = replace(runs_of(noisy_copies(8, 60, 8, noise=3.0)), key=Key("lsa", "bootstrap"))
    words = [own.vocabulary.text(k) for k in range(4)]
    rows = bootstrap(own, query=words).tables["claims"].records()
    (found,) = (row for row in rows if row["claim"] == bootstrap_claims.AVERAGE.says)
    assert found["agrees"] == "no test"


def test_random_vectors_have_no_threshold(wordnet):
    """Sixty nouns with vectors that know nothing: a threshold was told of 12 in 20 such spaces."""
    folder, _, index = wordnet
    nouns, told = list(index)[:60], 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        (group,) = open_groups([(nouns, rng.normal(size=(60, 12)))], single_runs=True)
        result = thresholds(group.load(), wordnet=str(folder), min_pairs=20, draws=3)
        told += "is surely" in result.verdict[0] or "above" in result.verdict[0]
        assert "Without what each word has in common" not in " ".join(result.verdict)  # nothing without an error
    assert told <= 1  # at one in twenty two or more of five come in 2 of 100, at twelve in twenty in 91


def sources(where, suffix):
    """The lines that people read: the source of the package, and the pages of the documentation."""
    return {
        f"{path.relative_to(ROOT)}:{number}": line
        for path in sorted((ROOT / where).rglob(f"*{suffix}"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    }


def test_a_plus_minus_is_an_interval_everywhere():
    """Standard errors and deviations stood behind ± in tables and pictures; now ± is half of a 95 % interval."""
    lines = sources("gpustab", ".py") | sources("docs/pages", ".md")
    told = {where: line for where, line in lines.items() if "±" in line}
    assert len(told) > 50
    of_error = re.compile(r"±\s*(S[DE]\b|standard|jackknife)|± (are|is|of|shows?) (its |the |a )?(S[DE]\b|standard)")
    assert {where: line for where, line in told.items() if of_error.search(line)} == {}
    formed = re.compile(r"±[^\"]*\{[^}]*(_s[de]|\.s[de]|\b(s[de]|errors?|std))\b[^}]*\}|±\", \S*\.s[de]\b")
    assert {where: line for where, line in told.items() if formed.search(line) and ".half" not in line} == {}


ROWS = [Observation("§1", ClaimText(f"c{k}", f"test.c{k}"), "sgns/shuffled", "1", "yes", "r", "p") for k in range(40)]
"""Forty verdicts, of which two would be wrong by chance."""


@pytest.fixture(scope="module")
def resampled():
    runs = [
        replace(runs_of(noisy_copies(12, 60, 8, noise=0.1)), key=Key("lsa", sampling))
        for sampling in ("shuffled", "bootstrap")
    ]
    return bootstrap(runs, query=[runs[0].vocabulary.text(k) for k in range(4)])


@pytest.fixture(scope="module")
def of_nouns(wordnet):
    (group,) = open_groups([(list(wordnet[2])[:60], np.random.default_rng(0).normal(size=(60, 12)))], single_runs=True)
    return thresholds(group.load(), wordnet=str(wordnet[0]), min_pairs=20, draws=3)


def of_terms():
    """Sums of samples on two backgrounds: two verdicts on whether the text tells its terms apart."""
    rows = [
        ModelNumbers(
            **dict.fromkeys(ModelNumbers._fields, 0.5) | {"group": group, "model": model, "runs": 1, "terms": 9}
        )
        for group in ("a", "b")
        for model in ("additive", "additive (centred)")
    ]
    return Result("consistency", settings={"window": 5, "seed": 0}, tables={"consistency": CONSISTENCY.table(rows)})


def text_of(result):
    return " ".join(
        part
        for block in describe(result)
        for part in (block.answer, block.aside, *(x for row in block.facts for x in row))
    )


@pytest.fixture(scope="module")
def pages(resampled, of_nouns):
    """What pages say, by study; where verdicts are rows, they are forty."""
    observed, empty = {OBSERVED.name: OBSERVED.table(ROWS)}, Table()
    of_nouns.tables |= observed
    resampled.tables |= {FINDINGS.name: FINDINGS.table(ROWS)}
    results = [
        resampled,
        of_nouns,
        of_terms(),
        Result("instability", tables=observed),
        Result("localization", tables=observed),
        Result(
            "sweep", settings={"runs": 4}, tables=observed | dict.fromkeys(("settings", "changes", "scores"), empty)
        ),
    ]
    return {result.name: text_of(result) for result in results}


@pytest.mark.parametrize("study", ["bootstrap", "change", "consistency", "thresholds"])
def test_errors_over_words_say_that_words_depend_on_each_other(study, pages, blocks):
    """Words in similar contexts move together; an error over words that takes them as independent says so."""
    said = blocks["What do these numbers not say?"].answer if study == "change" else pages[study]
    assert re.search(r"(words|terms) (as|for) independent\. .* so these errors are too small\.", said)


@pytest.mark.parametrize("study", ["bootstrap", "instability", "localization", "sweep", "thresholds"])
def test_pages_with_many_verdicts_say_how_many_chance_would_make(study, pages):
    assert "gives 40 verdicts by tests at 95 %, over claims and techniques." in pages[study]
    assert "in about one of twenty cases: of 40, 2 on average." in pages[study]


def test_a_page_of_terms_says_how_many_verdicts_chance_would_make(pages):
    assert "gives 2 verdicts by tests at 95 %, over claims and techniques." in pages["consistency"]
    assert "in about one of twenty cases: of 2, 0.1 on average." in pages["consistency"]


def test_a_list_of_neighbours_says_how_many_are_wrong_by_chance(resampled):
    blocks = describe(resampled)
    (block,) = (block for block in blocks if block.title.startswith("Which neighbours hold"))
    said = r"Some firm or passing ones are called so by chance: of \d+, [\d.]+ on average\."
    assert re.search(said, block.answer), block.answer


def test_the_neighbours_of_one_word_say_how_many_are_wrong_by_chance():
    result = neighbours_of(runs_of(noisy_copies(10, 60, 8, noise=0.1)), "w0", n=5)
    judged = sum(row.verdict in ("firm", "passing") for row in SHARES.rows(result.tables))
    assert judged > 1
    said = f"Some firm or passing ones are called so by chance: of {judged}, {judged / 20:.2g} on average."
    assert said in may_claim(result)


def test_a_comparison_says_how_many_of_its_verdicts_chance_would_make():
    """Which is more stable and how far both agree, by neighbours and by cosines."""
    said = text_of(compare(group("a", 0.1), group("b", 0.2, seed=9)))
    assert "This page gives 4 verdicts by tests at 95 %" in said
    assert "verdicts by tests" not in text_of(compare(group("a", 0.1, runs=2), group("b", 0.2, runs=2, seed=9)))


def test_a_comparison_counts_a_loss_only_where_it_is_tested():
    """Of rows as they are in the files there is no level of chance, so that p@n decides alone."""
    result = compare(group("a", 0.1, unit=False), group("b", 0.2, seed=9, unit=False))
    low, high = result.contrasts[-1]["interval"]
    assert math.isnan(low)
    assert math.isnan(high)
    agreements = sum(not math.isnan(row.agreement_se) for row in SPACES.rows(result.tables))
    assert f"This page gives {1 + agreements} verdicts by tests at 95 %" in text_of(result)


def test_edits_say_how_many_of_their_verdicts_chance_would_make():
    rows = [EditScore(**dict.fromkeys(EditScore._fields, 0.5) | {"model": "m", "kind": kind}) for kind in EDIT_KINDS]
    few, *many = (row._replace(n=n, groups=n) for row, n in zip(rows, (5, 300, 300, 300), strict=True))
    result = Result("localization", tables={EDIT_SCORES.name: EDIT_SCORES.table([few, *many])})
    assert "This page gives 3 verdicts by tests at 95 %" in blocks_of_edits(result)[0].answer


def test_several_groups_say_how_many_of_their_verdicts_chance_would_make():
    """How many neighbours come back in either sampling, and whether documents matter."""
    stack = noisy_copies(8, 60, 8, noise=0.1)
    both = [
        replace(runs_of(part), key=Key("lsa", name))
        for part, name in zip(stack.split(4), ("shuffled", "bootstrap"), strict=True)
    ]
    said = text_of(stability(both, neighbours=[5]))
    assert "This page gives 3 verdicts by tests at 95 %" in said
