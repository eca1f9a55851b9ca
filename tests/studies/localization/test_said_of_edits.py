"""What is said of edits: each number with error and scale, ties as ties, and what to do where nothing is."""

import re

import numpy as np
import pytest

from gpustab.report import Result
from gpustab.report.describe import paper, terms
from gpustab.sentences.english import english
from gpustab.sentences.language import Written
from gpustab.sentences.model import BagOfWords, Embedding
from gpustab.studies.localization.claims_of_edits import SEES, of_the_way, rounded_up, said_of_edits, sees
from gpustab.studies.localization.edits import EDIT_KINDS, Edit, Edits
from gpustab.studies.localization.options import EditOptions
from gpustab.studies.localization.page_of_edits import blocks_of_edits
from gpustab.studies.localization.scores_of_edits import Moved, _pair, moved_by, score
from gpustab.studies.localization.study_of_edits import localization_of_edits
from gpustab.studies.localization.tables_of_edits import EDIT_OUTCOMES, EDIT_SCORES, EditScore
from tests.studies.localization.test_edits import sentences, some_edits

MADE = Written(["a"], "a")


def row(**values):
    """A score of 300 sentences that a model sees, with some of its values."""
    distances = {"changed": 0.14, "changed_low": 0.13, "changed_high": 0.15, "unrelated": 0.9}
    distances |= {"control": 0.02, "control_low": 0.019, "control_high": 0.021}
    distances |= {"unrelated_low": 0.89, "unrelated_high": 0.91}
    usual = {"model": "net", "kind": "negation", "runs": 1, "n": 300, "groups": 300, "half": 0.98, "low": 0.967}
    usual |= {
        "high": 0.997,
        "pairs": 30,
        "won": 30,
        "luck": 0.0016,
        "unluck": 1.0,
        "made": 300,
        "asked": 1000,
        "limit": 5000,
    }
    return EditScore(**dict.fromkeys(EditScore._fields, 0) | usual | distances | values)


def few(**values):
    return row(kind="roles", pairs=0, n=14, groups=14, made=14, asked=2705, **values)


def test_every_number_of_a_verdict_has_its_error_and_its_scale():
    """The parts of the way, and the pairs of words, had no error; what 50 % and 100 % are came later."""
    assert SEES.sentence(row()) == (
        "Net sees an inserted negation: the change moves a sentence farther than another word that keeps the meaning. "
        "This holds in 98 % of 300 sentences (97–100 %; 50 % is chance, 100 % always). The change goes 16 % (14–17) of "
        "the way to another sentence of the text, the control 2.2 % (2.1–2.3). Word by word, one that negates moves "
        "sentences farther than one that does not in 30 of 30 pairs of such words (15 by chance; chance gives "
        "so many in 0.2 % of the cases)."
    )


def test_a_page_says_what_the_way_to_another_sentence_is():
    result = Result("localization", verdict=[SEES.sentence(row())])
    assert "0 % of the way is where the sentence itself lies, 100 % is as far off" in terms(
        result, paper(Result("train"))
    )


@pytest.mark.parametrize(("won", "luck", "unluck", "said"), [
    (30, 1e-5, 1.0, "chance gives so many in fewer than 0.1 % of the cases"),
    (12, 0.8, 0.21, "chance gives so few in 21 % of the cases"),
])  # fmt: skip
def test_pairs_of_words_stand_beside_chance(won, luck, unluck, said):
    assert said in SEES.sentence(row(won=won, luck=luck, unluck=unluck, low=0.967))


def test_ties_are_called_ties():
    """A share of 50 % with an interval of 50 to 50 % is no test."""
    tied = {"half": 0.5, "low": 0.5, "high": 0.5, "equal": 1.0}
    one = row(kind="names", groups=21, n=250, pairs=0, **tied)
    assert SEES.sentence(one).endswith("with its own initial. Both are equally far in all 250 sentences.")
    (said,) = said_of_edits([one, row(**tied)])
    assert said.endswith("(250 with another name and 300 with an inserted negation).")
    assert "%" not in said
    nearly = row(kind="numbers", pairs=0, groups=50, half=0.5038, low=0.4999, high=0.5087, equal=0.9925)
    said = said_of_edits([one, nearly])[0]
    assert "Another name: both are equally far in all 250 sentences. Another number: farther in 50.4 % of" in said
    assert "(50.0–50.9 %; 50 % is chance, 100 % always; both are equally far in 99.2 %, which count half)" in said
    kinds = [row(**tied), few()]
    result = Result("localization", tables={EDIT_SCORES.name: EDIT_SCORES.table([*kinds, one, nearly])})
    shown = blocks_of_edits(result)[0]
    assert shown.tables[0].rows[-1][1].startswith("50 (all equally far; n 250)")
    assert "verdicts by tests" not in shown.answer  # ties are none
    assert re.findall(r"50.4 \(50.0–50.9; n 300\)", str(shown.tables[0].rows))


def test_what_cannot_be_judged_says_what_to_do():
    """By 14 of 2,705 sentences 30 are 5,800; Wilson's interval of the share is that of the number."""
    (said,) = said_of_edits([few()])
    assert said == (
        "Whether net sees who does it to whom cannot be judged: only 14 of 2,705 sentences could be edited so. The "
        "test needs 30 sentences: give some 5,800 sentences of such text, 3,500–9,800 (--sentences 9800 reads so many)."
    ).replace("--sentences 9800", "\ue000sentences=9800\ue001")
    assert SEES.sentence(few(limit=20_000)).endswith(", 3,500–9,800.")  # they are read as it is
    initials = row(kind="names", pairs=0, n=1, made=1, groups=1, asked=900)
    assert "only 1 of 900 sentences could be edited so, with one initial. The test" in SEES.sentence(initials)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"n": 0, "made": 0, "asked": 1776}, "none of 1,776 sentences could be edited so. The test needs 30 sentences: "
         "give at least 14,000 sentences (\ue000sentences=14000\ue001 reads so many), or text of another kind."),
        ({"n": 0, "made": 0, "asked": 0}, "this language has no rule that changes it."),
        ({"n": 12, "made": 300}, "the model has vectors of 12 of 300 sentences that were edited. The test needs 30"),
        ({"n": 20, "made": 20, "full": True, "asked": 90}, "more are made by \ue000each=60\ue001."),
        ({"kind": "names", "n": 40, "made": 40, "groups": 7, "asked": 900},
         "only 40 of 900 sentences could be edited so, "
         "with 7 different initials. The test needs 30 sentences with 10 different initials: give more text."),
    ],
)  # fmt: skip
def test_what_is_lacking_is_said(values, says):
    few = row(**{"kind": "roles", "pairs": 0, **values})
    assert sees(few._replace(groups=min(few.n, few.groups))) == "few"
    assert SEES.sentence(few._replace(groups=min(few.n, few.groups))).endswith(says) or says in SEES.sentence(few)


def test_kinds_that_are_rare_in_a_text_are_told_once_for_all_models():
    said = said_of_edits([row(), few(), row(model="bow"), few()._replace(model="bow")])
    assert [one.partition(" cannot")[0][:40] for one in said][-1] == "Whether net and bow see who does it to w"[:40]
    assert len(said) == 3


def test_open_says_that_more_text_narrows_the_range_unless_words_left_it_open():
    text = "More text narrows the range"
    assert text in SEES.sentence(row(half=0.56, low=0.45, high=0.67))
    assert text not in SEES.sentence(row(won=18, luck=0.33))


@pytest.mark.parametrize("n", [2, 3, 4, 7, 40, 41])
def test_every_sentence_has_another_one_of_its_pair(n):
    """Of an even number every distance of two sentences is there twice, and their error was told too small by √2."""
    own = [Edit("roles", k, Written((f"w{k}",), f"w{k}"), (MADE,), (MADE,), "", "") for k in range(n)]
    places = {f"w{k}": k for k in range(n)}
    asked = []

    def distances(first, second, like=None):
        asked.extend(zip(first, second, strict=True))
        return np.ones(len(first))

    model = Embedding("m", lambda texts: np.ones((len(texts), 1)))
    model.distances = distances
    moved_by(Edits({kind: own if kind == "roles" else [] for kind in EDIT_KINDS}, {}, n), model)
    others = [(places[a[0]], places[b[0]]) for a, b in asked[2::3]]
    pairs = _pair(n)
    assert [a for a, _ in others] == list(range(n))
    assert all(a != b and pairs[a] == pairs[b] for a, b in others)


def test_one_sentence_has_no_other():
    """It was its own other sentence, at no distance, and the model was called collapsed."""
    own = [Edit("roles", 0, MADE, (MADE,), (MADE,), "", "")]
    found = moved_by(Edits({kind: own * (kind == "roles") for kind in EDIT_KINDS}, {}, 1), Embedding("m", _ones))
    assert np.isnan(found["roles"].unrelated).all()


def _ones(texts):
    return np.ones((len(texts), 2))


@pytest.mark.parametrize("n", [30, 31, 200])
def test_intervals_of_distances_of_two_sentences_and_of_parts_hold_what_was_planted(n):
    """The distance of two sentences holds what either of them is; and the change of a sentence may share it."""
    edits = [Edit("roles", k, MADE, (MADE,), (MADE,), "", "") for k in range(n)]
    held = np.zeros(2)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        own, half = 0.1 * rng.normal(size=n), n // 2
        other = [(k + half) % (2 * half) for k in range(n)]
        noise = 0.1 * rng.normal(size=half)[np.arange(n) % half]
        changed = 0.2 + 0.3 * own + 0.05 * rng.normal(size=n)
        found = score(
            "m",
            "roles",
            edits,
            Moved(*(x[None] for x in (changed, changed, 0.8 + own + own[other] + noise))),
            200,
            seed,
        )
        (part, low, high), _ = of_the_way(found)
        held += [found.unrelated_low <= 0.8 <= found.unrelated_high, low <= 0.25 <= high]
        assert low < part < high
    assert held.min() >= 88  # of 100: 95, less three standard deviations


def test_numbers_are_rounded_up_to_two_digits():
    assert [rounded_up(x) for x in (1.2, 99.1, 3448.3, 101_000)] == [2, 100, 3500, 110_000]


def test_scores_say_of_how_many_sentences_edits_were_made_and_whether_more_were_wanted():
    """What a page says to do where there are too few edits rests on them."""
    pytest.importorskip("num2words")
    some_edits()  # or skip
    options = EditOptions(sentences=60, each=7, language="en", draws=100)
    result = localization_of_edits([*sentences()], [BagOfWords()], options)
    outcomes = {(row.kind, row.outcome): row.sentences for row in EDIT_OUTCOMES.rows(result.tables)}
    for row in EDIT_SCORES.rows(result.tables):
        all_read = sum(n for (kind, _), n in outcomes.items() if kind == row.kind)
        enough = outcomes.get((row.kind, "enough were found before"), 0)
        assert (row.limit, row.asked, row.made) == (60, all_read - enough, outcomes[row.kind, "edited"])
        assert row.full == (row.made == 7 or enough > 0)
    assert "more are made by --each 60" in " ".join(result.verdict)
    without = english()._replace(roles=None)
    result = localization_of_edits([*sentences()], [BagOfWords()], options, grammar=without)
    (roles,) = EDIT_SCORES.rows(result.tables, kind="roles")
    assert (roles.asked, roles.made, roles.full) == (0, 0, False)
    assert "this language has no rule" in " ".join(result.verdict)
