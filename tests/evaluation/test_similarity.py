import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from scipy.stats import spearmanr

from gpustab import InputError, load_runs
from gpustab.evaluation import SimilarityTest, read_similarity, score_similarity


def made(pairs, gold):
    pairs = tuple((a.encode(), b.encode()) for a, b in pairs)
    return SimilarityTest("made", pairs, tuple(gold), "tab", None, 3, 0, 0, ())


def fan(angles, noise=0.0):
    """The words a, b, ... at angles from the word 'zero': their cosines with it are known."""
    words = ["zero", *(chr(ord("a") + n) for n in range(len(angles)))]
    at = np.concatenate([[0.0], np.asarray(angles, dtype=float)])
    return words, np.stack([np.cos(at), np.sin(at)], axis=1) * np.linspace(1, 3, len(at))[:, None]


FIVE = made([("zero", w) for w in "abcde"], [9, 8, 7, 2, 1])


def test_every_run_has_its_own_score():
    right, wrong, mixed = fan([0.1, 0.2, 0.3, 0.4, 0.5]), fan([0.5, 0.4, 0.3, 0.2, 0.1]), fan([0.2, 0.1, 0.3, 0.4, 0.5])
    score = score_similarity(load_runs([right, wrong, mixed]), FIVE)
    assert score.rho.values == pytest.approx((1, -1, 0.9))
    assert score.rho.mean == pytest.approx(0.3)
    assert (score.used, score.total, score.missing, score.reason) == (5, 5, (), None)


def test_the_policy_for_unknown_words_matters_and_is_named():
    """Gold 1 2 7 8 9, the last pair unknown: dropped 1.0, counted as zero 0.0."""
    words, x = fan([1.5, 1.4, 0.2, 0.1])
    test = made([("zero", w) for w in "abcde"], [1, 2, 7, 8, 9])
    runs = load_runs([(words, x)] * 2)
    dropped = score_similarity(runs, test)
    assert (dropped.rho.values, dropped.used, dropped.total, dropped.missing) == ((1.0, 1.0), 4, 5, (b"e",))
    zero = score_similarity(runs, test, out_of_vocabulary="zero")
    assert zero.rho.values == pytest.approx((0, 0), abs=1e-12)
    assert (zero.used, zero.missing, zero.out_of_vocabulary) == (5, (b"e",), "zero")
    with pytest.raises(InputError, match="not every run has 1 of its words: e"):
        score_similarity(runs, test, out_of_vocabulary="error")
    with pytest.raises(InputError, match="out_of_vocabulary is 'skip'"):
        score_similarity(runs, test, out_of_vocabulary="skip")


def test_all_runs_are_judged_by_the_same_pairs():
    """Under the union rule the word e is missing from one run: it counts for none."""
    whole, part = fan([0.1, 0.2, 0.3, 0.4, 0.5]), fan([0.1, 0.2, 0.3, 0.4])
    score = score_similarity(load_runs([whole, whole, part], vocabulary="union"), FIVE)
    assert (score.used, score.missing, score.rho.values) == (4, (b"e",), (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("test", "used", "reason"),
    [
        (made([("zero", w) for w in "abcde"], [5] * 5), 5, "all gold scores are equal"),
        (made([("zero", "a"), ("zero", "b"), ("zero", "x")], [1, 2, 3]), 2, "2 pairs are left"),
        (made([("x", "y"), ("y", "z"), ("x", "z")], [1, 2, 3]), 0, "0 pairs are left"),
    ],
)
def test_undefined_scores_say_why(test, used, reason):
    score = score_similarity(load_runs([fan([0.1, 0.2, 0.3, 0.4, 0.5])] * 2), test)
    assert (score.rho.values, score.rho.mean, score.used) == ((None, None), None, used)
    assert reason in score.reason


def test_equal_cosines_in_one_run_leave_the_others_their_score():
    words, x = fan([0.1, 0.2, 0.3])
    flat = np.tile([[1.0, 0.0]], (4, 1))
    score = score_similarity(load_runs([(words, x), (words, flat)]), made([("zero", w) for w in "abc"], [3, 2, 1]))
    assert score.rho.values == (1.0, None)
    assert "all cosines are equal in run-001" in score.reason


def test_centring_is_applied():
    words, x = fan([0.1, 0.2, 0.3, 0.4, 0.5])
    score = score_similarity(load_runs([(words, x), (words, x)], centre=True), FIVE)
    y = x - x.mean(0)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    assert score.rho.values[0] == pytest.approx(spearmanr(FIVE.gold, y[1:] @ y[0]).statistic)


@pytest.mark.parametrize("name", ["wordsim353", "simlex999"])
def test_equals_gensim(name):
    """Random vectors for some of the words, in several cases; both policies, with a cut."""
    test = read_similarity(name)
    rng = np.random.default_rng(0)
    words = sorted({word.decode() for pair in test.pairs for word in pair})
    words = rng.permutation(sorted({w for w in words if len(w) != 5} | {w.upper() for w in words[::3]})).tolist()
    vectors = KeyedVectors(10)
    vectors.add_vectors(words, rng.normal(size=(len(words), 10)).astype(np.float32) + 0.3)
    runs = load_runs([vectors, vectors])
    path = datapath({"wordsim353": "wordsim353.tsv", "simlex999": "simlex999.txt"}[name])
    for ignore_case, dummy, cut in [(True, False, 300_000), (False, False, 300_000), (True, True, 200)]:
        _, rho, unknown = vectors.evaluate_word_pairs(
            path, case_insensitive=ignore_case, dummy4unknown=dummy, restrict_vocab=cut
        )
        policy = "zero" if dummy else "drop"
        score = score_similarity(runs, test, out_of_vocabulary=policy, ignore_case=ignore_case, restrict=cut)
        assert score.rho.values == pytest.approx((rho.statistic,) * 2, abs=1e-5)
        if not dummy:
            assert 100 * (1 - score.used / score.total) == pytest.approx(unknown)


def test_words_merged_by_ignoring_case_are_counted():
    _, x = fan([0.1, 0.2, 0.3, 0.4])
    runs = load_runs([(["Zero", "zero", "a", "A", "c"], x)] * 2)
    test = made([("zero", "a"), ("Zero", "c"), ("ZERO", "c"), ("A", "c")], [1, 2, 3, 4])
    assert score_similarity(runs, test).notes == test.notes
    (_, note) = score_similarity(runs, test, ignore_case=True).notes
    assert note == (
        "Letter case is ignored: 2 words of the test merge 4 words of the runs, the first of which is taken: "
        "Zero/zero; a/A"
    )
