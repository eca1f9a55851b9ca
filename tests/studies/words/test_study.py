"""The words' numbers beside naive ones, planted factors, what is not known, and the page."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from docs.examples.words import _effect
from gpustab import InputError, open_groups
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.machine.device import DEFAULT
from gpustab.report import to_html, to_text
from gpustab.report.describe import paper
from gpustab.results import Table
from gpustab.results.page import signed
from gpustab.runs.key import Key
from gpustab.runs.runset import write_runset
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.statistics.curves import spline
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.observations import verdicts
from gpustab.studies.words.claims import EFFECTS, PARTS_OF, SPREAD
from gpustab.studies.words.factors import CLASSES, FACTORS, design_of, of_corpus, of_counts, of_wordnet
from gpustab.studies.words.measured import FITS, LOSS, WORDS, measure, subsets_of
from gpustab.studies.words.regression import fit
from gpustab.studies.words.study import words
from tests import oracles
from tests.generators import anisotropic, generator, noisy_copies, runs_of, spaces

SENSES = {"run": {"n": 2, "v": 5}, "dog": {"n": 3}, "in": {"n": 3}, "fast": {"a": 2, "r": 2}, "well": {"r": 1}}


class Lexicon:
    """Senses by part of speech of some words."""

    def senses(self, word, pos):
        return list(range(SENSES.get(word, {}).get(pos, 0)))


def planted(runs=6, v=240, d=12, seed=0):
    """Rare words have much noise, so that frequent words are more stable, and by nothing else."""
    loud = torch.linspace(0.1, 1.2, v, dtype=torch.float64)[:, None] / d**0.5
    base = anisotropic(v, d, seed)
    stack = torch.stack(
        [base + loud * torch.randn(v, d, dtype=torch.float64, generator=generator(r)) for r in range(runs)]
    )
    counts = torch.from_numpy(10 ** np.linspace(5, 2, v)).long() * runs
    return replace(runs_of(stack), counts=counts, key=Key("lsa", "shuffled"))


@pytest.fixture(scope="module")
def answer():
    return words(planted(), wordnet="none")


def test_the_numbers_of_words_are_naive_ones():
    stack = noisy_copies(4, 40, 6).numpy()
    found = measure(runs_of(torch.from_numpy(stack)), torch.arange(40), 5, DEFAULT)
    lists = [[oracles.top_k(x, k, 5) for k in range(40)] for x in stack]
    for s, own in enumerate(subsets_of(4)):
        chosen = np.flatnonzero(own)
        pairs = [(i, j) for i in chosen for j in chosen if i < j]
        for k in (0, 7, 39):
            shared = np.mean([len(set(lists[i][k]) & set(lists[j][k])) / 5 for i, j in pairs])
            loss = np.mean([oracles.wordwise_pip(stack[i], stack[j])[k] for i, j in pairs])
            near = np.mean([oracles.unit(stack[r])[k] @ oracles.unit(stack[r])[lists[r][k][0]] for r in chosen])
            assert found.shared[s, k] == pytest.approx(shared)
            assert found.loss[s, k] == pytest.approx(loss)
            assert found.nearest[s, k] == pytest.approx(near)


def test_planted_noise_of_rare_words_is_found(answer):
    rows = {row.factor: row for row in EFFECTS.rows(answer.tables, measure="p@10")}
    assert rows["frequency"].low > 0.3
    assert abs(rows["letters"].effect) < 0.2
    by_loss = next(EFFECTS.rows(answer.tables, measure=LOSS, factor="frequency"))
    assert by_loss.low > 0.3
    assert answer.verdict[1].startswith("Frequent words are more stable, all else equal: if a word stands ten times as")
    verdicts = {row.claim.id: row.agrees for row in OBSERVED.rows(answer.tables)}
    assert verdicts["words.frequent"] == "yes"


def test_the_headline_ranks_the_factors_that_matter_by_both_measures(answer):
    first, (_, _, after) = answer.verdict[0], answer.verdict[0].partition("): ")
    assert first.startswith("These factors matter for stability")
    for measure_, part in zip(("p@10", LOSS), after.split("; "), strict=True):
        assert part.rstrip(".").endswith(f" by {measure_}")
        sure = surely(answer, measure_)
        places = [part.index(FACTORS[row.factor].title) for row in sure]
        assert sure
        assert places == sorted(places)
    assert [card.value for card in paper(answer).cards][:1] == [signed(surely(answer, "p@10")[0].effect)]
    dealt = replace(planted(), counts=None)
    assert "frequency" not in words(dealt, wordnet="none").verdict[0]


def surely(answer, measure_):
    rows = EFFECTS.rows(answer.tables, measure=measure_)
    return sorted((row for row in rows if row.low > 0.1 or row.high < -0.1), key=lambda row: -abs(row.effect))


def test_bootstrap_runs_lead_and_nothing_is_claimed_that_they_deny():
    """What runs on the same documents show of frequency was claimed of the text, whatever bootstrap runs said."""
    shuffled = planted()
    dealt = shuffled.counts[torch.randperm(shuffled.words, generator=generator(5))]
    drawn = replace(shuffled, counts=dealt, key=Key("lsa", "bootstrap"))
    found = words([shuffled, drawn], wordnet="none")
    assert [group["name"] for group in found.groups] == ["lsa/bootstrap", "lsa/shuffled"]
    verdicts = {row.technique: row.agrees for row in OBSERVED.rows(found.tables) if row.claim.id == "words.frequent"}
    assert verdicts["lsa/shuffled"] == "yes" != verdicts["lsa/bootstrap"]
    assert "Frequent words" not in paper(found).claim
    assert "Frequent words are more stable" in paper(words(shuffled, wordnet="none")).claim
    assert len([said for said in found.verdict if said.startswith("LSA, shuffled runs")]) == 1  # the table has the rest


def test_frequencies_of_other_words_are_no_factor():
    runs = planted()
    dealt = replace(runs, counts=runs.counts[torch.randperm(runs.words, generator=generator(5))])
    found = words(dealt, wordnet="none")
    assert {row.claim.id: row.agrees for row in OBSERVED.rows(found.tables)}["words.frequent"] != "yes"


def test_the_regression_on_half_is_judged_by_the_other_half(answer):
    row = next(FITS.rows(answer.tables, measure="p@10"))
    assert row.low < row.r2 < row.high
    assert 0.2 < row.held_out < row.most < 1
    few = words(planted(3), wordnet="none")
    assert math.isnan(next(FITS.rows(few.tables)).held_out)
    assert "that takes four runs" in to_text(few)


def test_a_step_of_a_factor_is_told_in_neighbours(answer):
    """Ten times as often is one unit of the logarithm to base 10: a naive slope, of ten neighbours, beside a curve."""
    rows = list(WORDS.rows(answer.tables))
    y = np.array([row.shared for row in rows])
    ones, *known = (
        np.array(x)
        for x in ([1.0] * len(rows), *([getattr(r, n) for r in rows] for n in ("frequency", "letters", "nearest")))
    )
    line = np.column_stack([ones, known[0]])
    curve = spline(known[0])
    bent = curve - line @ np.linalg.lstsq(line, curve, rcond=None)[0]  # one column of these is of the others
    slope = np.linalg.lstsq(np.column_stack([ones, *known, bent[:, 1:]]), y, rcond=None)[0][1]
    assert next(EFFECTS.rows(answer.tables, measure="p@10", factor="frequency")).change == pytest.approx(10 * slope)


def test_a_hump_over_frequency_is_no_effect_of_another_factor():
    """It was: a line leaves the hump, and whatever has one too, such as a factor of rare and frequent words, got it."""
    rng = np.random.default_rng(0)
    f = rng.normal(size=400)
    hump = f**2 - 1
    columns = {"frequency": f, "spread": 0.6 * hump + 0.5 * rng.normal(size=400), "letters": rng.normal(size=400)}
    design = design_of(columns)
    y = -hump + 0.3 * rng.normal(size=400)
    effects = fit(design.x, y, list(design.factors.values())).effects
    by_a_line = fit(np.column_stack([*columns.values()]), y, []).effects
    assert design.names == ["frequency", "spread", "letters"]
    assert list(map(len, design.factors.values())) == [4, 1, 1]
    assert by_a_line[1] < -0.6
    assert np.abs(effects[:3]).max() < 0.1
    few = design_of({name: x[:60] for name, x in columns.items()})
    assert few.x.shape == (60, 3)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (lambda: planted(2), "2 runs have no error; train at least three"),
        (lambda: planted(5, 80), "80 words are too few; 100 are needed"),
    ],
)
def test_too_little_is_not_tested(runs, said):
    found = words(runs(), wordnet="none")
    assert {row.agrees for row in OBSERVED.rows(found.tables)} == {"no test"}
    assert said in found.verdict[0]


def test_runs_without_counts_and_words_of_a_handful():
    found = words(replace(planted(), counts=None), wordnet="none")
    assert any("frequency is not among the factors" in note for note in found.notes)
    assert "frequency" not in {row.factor for row in EFFECTS.rows(found.tables)}
    few = words(runs_of(noisy_copies(4, 9, 3)), wordnet="none", n=3)
    assert few.verdict == ["Nothing can be said of these words: there is no regression."]
    assert any("are too few for a regression" in note for note in few.notes)
    assert to_html(few)


def test_collapsed_runs_are_an_alarm_and_no_verdict():
    stack = torch.ones(5, 120, 8, dtype=torch.float64) + 0.02 * torch.randn(5, 120, 8, generator=generator(1)).double()
    found = words(replace(runs_of(stack), counts=planted().counts[:120]), wordnet="none")
    assert found.alarms
    assert {row.agrees for row in OBSERVED.rows(found.tables)} == {"no test"}


def test_part_of_speech_is_that_of_most_senses():
    names = [b"run", b"dog", b"in", b"fast", b"well", b"dog", b"dog", b"zzz"]
    found = of_wordnet(names, Lexicon()).columns
    kind = [next((c for c in CLASSES if found[c][k]), "noun") for k in range(len(names))]
    assert kind == ["verb", "noun", "other", "adjective", "adverb", "noun", "noun", "other"]
    assert found["senses"][:2] == pytest.approx(np.log2([7, 3]))
    strange = of_wordnet([b"hund", b"katze", b"dog"], Lexicon())
    assert strange.columns == {}
    assert "WordNet, which is of English, has 33 % of these words" in strange.notes[0]


def text(documents):
    """A corpus of some documents, each a list of words."""
    names = sorted({word for one in documents for word in one})
    tokens = np.array([names.index(word) for one in documents for word in one], np.int32)
    bounds = np.concatenate([[0], np.cumsum([len(one) for one in documents])]).astype(np.int64)
    units = np.arange(len(documents) + 1, dtype=np.int64)
    vocabulary = Vocabulary([name.encode() for name in names])
    return Corpus("made", vocabulary, tokens, bounds, units, "document", {})


def test_where_words_stand_in_a_text():
    documents = [["a", "b", "b", "b"], ["a", "c", "d", "c"], ["a", "c", "d", "e"]]
    found = of_corpus([b"a", b"b", b"e", b"zz"], text(documents)).columns
    flat = [word for one in documents for word in one]
    for k, word in enumerate("abe"):
        n = flat.count(word)
        assert found["place"][k] == pytest.approx(np.mean([i for i, w in enumerate(flat) if w == word]) / 11)
        expected = sum(1 - math.exp(-n * len(one) / 12) for one in documents)
        assert found["spread"][k] == pytest.approx(math.log2(sum(word in one for one in documents) / expected))
    assert found["spread"][0] > found["spread"][1]
    assert math.isnan(found["place"][3])
    one = of_corpus([b"a"], text([["a", "b"]]))
    assert set(one.columns) == {"place"}
    assert "spread over documents is not among the factors" in one.notes[0]
    other = of_corpus([b"x", b"y", b"a"], text(documents))
    assert other.columns == {}
    assert "it is another text" in other.notes[0]


def test_the_text_that_runs_tell_of_no_more_is_said_with_the_way_on(tmp_path):
    texts, draw = tmp_path / "texts.txt", np.random.default_rng(0)
    names = [a + b for a in "abcdef" for b in "uvwxy"]
    texts.write_text("\n".join(" ".join(names[k] for k in draw.integers(0, 30, 60)) for _ in range(30)))
    own = [replace(space, vocabulary=Vocabulary(names)) for space in spaces(4, 30, 4)]
    write_runset({"lsa/shuffled": own}, tmp_path / "set")
    found = words(open_groups(tmp_path / "set"), wordnet="none")
    (note,) = [note for note in found.notes if "these runs tell no text" in note]
    assert "--text" in note
    told = words(open_groups(tmp_path / "set"), wordnet="none", text=str(texts))
    assert not [note for note in told.notes if "tell no text" in note]
    assert {"place"} <= {row.factor for row in EFFECTS.rows(told.tables)}


def test_a_text_that_is_there_and_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    """Else a disk that fails for a moment left a page without two factors, and the same call did not mend it."""
    texts = tmp_path / "texts.txt"
    texts.write_text("one two three\n" * 20)
    told = {"corpus": {"name": str(texts)}, "options": {}}
    monkeypatch.setattr("gpustab.studies.words.study.made_of", lambda group: told)
    monkeypatch.setattr("gpustab.studies.words.study.reading_of", lambda made: CorpusOptions(min_count=1))

    def failing(name, *_, **__):
        raise InputError(f"{name}: cannot be read: Input/output error") from OSError(5, "Input/output error")

    monkeypatch.setattr("gpustab.corpus.tokenise.prepare_corpus", failing)
    write_runset({"lsa/shuffled": spaces(3, 30, 4)}, tmp_path / "set")
    with pytest.raises(InputError, match="cannot be read"):
        words(open_groups(tmp_path / "set"), wordnet="none")


def test_a_wordnet_that_was_named_must_be_there(tmp_path):
    with pytest.raises(InputError, match=r"there is no index\.noun"):
        words(planted(3), wordnet=str(tmp_path))


def test_counts_are_logarithms():
    assert of_counts([1000, 10]).columns["frequency"].tolist() == [3.0, 1.0]


def test_a_claim_that_no_paper_made_says_so():
    row = SPREAD.observed(_effect("spread", 0.02, 0.04), "lsa/shuffled", "nothing")
    assert verdicts(Table.of([row])).rows[0][0].endswith("(no paper)")
    said = SPREAD.sentence(_effect("spread", 0.02, 0.04))
    assert said.startswith("Words of more documents than their frequency gives are not more stable")


def test_the_page_says_what_an_effect_is(answer):
    page = to_html(answer)
    for said in (
        "What makes words stable?",
        "all others the same",
        "What did others find?",
        "Do not say that a factor",
    ):
        assert said in page
    assert 'aria-label="' in page
    assert "Wendlandt et al. found rare words less stable" in page
    assert next(PARTS_OF.rows(answer.tables, measure="p@10", factor="frequency")).partial > 0.05
