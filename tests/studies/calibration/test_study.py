import json
import re

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from docs.examples import made
from gpustab import Calibration, calibrate, load_runs
from gpustab.cli import app
from gpustab.errors import InputError
from gpustab.evaluation.sentence_pairs import read_sentence_pairs
from gpustab.report import Result, to_html, to_text
from gpustab.report.describe import paper
from gpustab.report.files import write_files
from gpustab.studies.calibration import study
from gpustab.studies.calibration.claims import explained
from gpustab.studies.calibration.page import page
from gpustab.studies.calibration.study import calibration, calibrations_of, of_encoder, shared_words
from gpustab.studies.calibration.tables import CALIBRATED, NAMED, Calibrated
from tests.encoders.tiny import save
from tests.pages import check_page
from tests.studies.calibration.made import BagOfWords, pairs, pairs_file, pairs_of_meanings
from tests.wordnet.german import HYPERNYMS, WORDS, written
from tests.wordnet.made import naive_distance


@pytest.fixture
def known(monkeypatch, tmp_path):
    """Let folders called so be encoders of words, of nothing, or of one point."""
    kinds = {"words": BagOfWords(), "nothing": BagOfWords(dealt=True), "point": BagOfWords(point=True)}
    kinds["meanings"] = BagOfWords(meanings=8)
    kinds["nothing, too"] = kinds["nothing"]
    for name in kinds:
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    monkeypatch.setattr(study, "SentenceEncoder", lambda folder, _: kinds[folder.name])
    return lambda *names: [tmp_path / name for name in names]


def test_an_encoder_of_words_tells_and_one_of_nothing_does_not(known, scored, tmp_path):
    result = calibration(models=known("words", "nothing"), scores=str(scored), levels=(1.0, 3.0, 9.0))
    told, _ = CALIBRATED.rows(result.tables)
    assert told.gained.interval[0] > 0.5
    assert told.curve < told.line < told.constant
    assert told.shared == pytest.approx(told.gain, abs=0.1)
    assert "more" not in result.verdict[0].split(".")[0] or "no more" in result.verdict[0]  # it knows words alone
    assert "does not tell" in result.verdict[1] or "too few" in result.verdict[1]
    named = {row.similarity: row for row in NAMED.rows(result.tables, group="words")}
    assert named[1.0].lower <= np.sqrt(1 / 5) <= named[1.0].upper  # 5 cos² is the law
    assert named[9.0].cosine is None
    assert all(row.cosine is None for row in NAMED.rows(result.tables, group="nothing"))
    made = calibrations_of(result)
    paths = [path for path in write_files(result, tmp_path / "out") if path.name.startswith("calibration-")]
    assert [Calibration.load(path) for path in paths] == list(made.values())
    assert "3.00" in to_text(result)
    check_page(result)


def test_only_an_encoder_of_meanings_tells_more_than_shared_words(known, tmp_path):
    path = pairs_file(tmp_path / "meant.tsv", pairs_of_meanings())
    result = calibration(models=known("meanings", "words", "nothing"), scores=str(path))
    meanings, words, _ = result.verdict
    assert "tells more of how similar two sentences are than the words that they share do" in meanings
    assert "have a similarity of" in meanings
    assert "tells more" not in words
    assert "have a similarity of" not in words
    rows = {row.group: row for row in CALIBRATED.rows(result.tables)}
    assert rows["meanings"].more == pytest.approx(rows["meanings"].gain - rows["meanings"].shared)
    assert rows["words"].beyond.interval[0] < 0.05
    said = paper(result)
    assert said.claim.startswith("meanings: ")
    assert "not beyond sentences like these" in said.claim
    check_page(result)


def test_one_share_has_one_interval_and_a_yardstick_everywhere(known, scored, german):
    encoder = calibration(models=known("words"), scores=str(scored))
    (row,) = CALIBRATED.rows(encoder.tables)
    low, high = (f"{100 * end:.0f} %" for end in row.gained.interval)
    assert f"({low} to {high}), shared words alone {100 * row.shared:.0f} % (difference" in encoder.verdict[0]
    assert f"({low} to {high})" in to_text(encoder)
    assert "drawn evenly" not in str(paper(encoder))
    runs, path = german
    space = calibration(runs, wordnet=str(path), pairs=1000)
    assert "of the scores of pairs drawn evenly over the cosines" in space.verdict[0]
    assert "hared words" not in space.verdict[0]
    (row,) = CALIBRATED.rows(space.tables)
    low, high = (f"{100 * end:.0f} %" for end in row.gained.interval)
    assert paper(space).cards[-1].exact == f"{low} to {high}"
    assert "drawn evenly" in paper(space).methods


@pytest.mark.parametrize(
    ("gain", "error", "said"),
    [
        (0.9, 0.2, "90 % (50 % to 100 %)"),
        (-0.2, 0.1, "0 % (0 % to 0 %)"),
        (0.3, 2.0, "30 % (cannot be told)"),
        (0.3, float("nan"), "30 % (cannot be told)"),
    ],
)
def test_an_interval_of_a_share_lies_within_0_and_100_per_cent(gain, error, said):
    row = made(Calibrated, gain=gain, error=error, freedom=500)
    assert explained(row).replace("51 %", "50 %") == said


def test_the_page_counts_no_verdict_without_an_interval():
    def said(*errors):
        each = {"gain": 0.3, "freedom": 500, "shared": 0.1, "more": 0.2, "kind": "sentences", "group": "m"}
        rows = [made(Calibrated, **each, error=error, more_error=more) for error, more in errors]
        blocks = page(Result("calibration", tables={CALIBRATED.name: CALIBRATED.table(rows)}))
        return next(block.answer for block in blocks if block.title == "By which rules?")

    assert said((0.1, 0.1), (0.1, None)).startswith("This page gives 3 verdicts by tests at 95 %")
    assert said((0.1, 0.1), (float("nan"), float("nan"))).startswith("This page gives 2 verdicts by tests at 95 %")


def test_pairs_without_a_vector_are_left_out_and_counted(known, tmp_path):
    rows = [("unheard", *pairs()[0][1:]), *pairs()[1:]]
    result = calibration(models=known("words"), scores=str(pairs_file(tmp_path / "sts.tsv", rows)))
    assert any("1 of 120 scored pairs were left out" in note for note in result.notes)
    assert next(CALIBRATED.rows(result.tables)).pairs == 119


def test_scores_dealt_out_to_other_pairs_tell_nothing(known, tmp_path):
    rows = pairs(200, 3)
    order = np.random.default_rng(0).permutation(len(rows))
    dealt = pairs_file(tmp_path / "dealt.tsv", [(a, b, rows[k][2]) for (a, b, _), k in zip(rows, order, strict=True)])
    result = calibration(models=known("words"), scores=str(dealt))
    assert "does not tell" in result.verdict[0] or "too few" in result.verdict[0]
    assert {row.reason for row in NAMED.rows(result.tables)} == {"the cosine does not tell how similar a pair is"}


def test_an_encoder_that_maps_all_to_one_point_has_an_alarm_and_no_curve(known, scored):
    result = calibration(models=known("point"), scores=str(scored))
    assert "collapsed" in result.alarms[0]
    assert not result.verdict
    assert not list(CALIBRATED.rows(result.tables))
    assert to_text(result)
    assert to_html(result)


def test_distances_are_suspected(known, tmp_path):
    turned = pairs_file(tmp_path / "far.tsv", [(a, b, 5 - score) for a, b, score in pairs()])
    result = calibration(models=known("words"), scores=str(turned))
    assert not any("If they are distances" in note for note in result.notes)  # the verdict says it, and once is enough
    assert "scores fall as the cosine grows. Are they distances?" in result.verdict[0]
    again = pairs_file(tmp_path / "turned.tsv", [(a, b, -score) for a, b, score in pairs()])
    assert "scores fall as the cosine grows" in calibration(models=known("words"), scores=str(again)).verdict[0]
    assert "fall" not in calibration(models=known("nothing"), scores=str(again)).verdict[0]


def test_cosines_are_those_of_a_real_folder_pair_by_pair(tmp_path, scored):
    folder = save(tmp_path / "tiny")
    test = read_sentence_pairs(scored)
    encoder = study.SentenceEncoder(folder)
    found = of_encoder(encoder, test)
    for k in (0, 17):
        first, second = encoder.encode(list(test.pairs[k]))
        assert found.cosines[k] == pytest.approx(float(torch.cosine_similarity(first, second, dim=0)), abs=1e-4)
    assert found.items[17] == test.pairs[17]
    result = calibration(models=[folder], scores=str(scored))
    assert any("their means were taken" in note for note in result.notes)


@pytest.fixture
def german(tmp_path):
    """A space of German nouns that lie by their wordnet, and the wordnet."""
    rng = np.random.default_rng(3)
    place = {}
    for name, up in HYPERNYMS.items():
        place[name] = sum((place[one] for one in up), np.zeros(30)) / max(len(up), 1) + rng.normal(size=30)
    names = [word for word in WORDS if " " not in word]
    rows = np.stack([place[WORDS[word][0]] for word in names])
    return load_runs([(names, rows), (names, rows + 0.1)], name="deutsch"), written(tmp_path / "de.xml.gz")


def test_a_space_of_german_is_calibrated_by_a_wordnet_of_german(german):
    runs, path = german
    result = calibration(runs, wordnet=str(path), pairs=1000)
    (row,) = CALIBRATED.rows(result.tables)
    assert row.gained.interval[0] > 0
    assert row.kind == "words"
    assert row.shared is None
    assert any("nouns of Kleines Netz (de)" in note for note in result.notes)
    assert any("The first of its 2 runs" in note for note in result.notes)


def test_pairs_of_a_wordnet_are_drawn_once_with_their_values(german):
    runs, path = german
    base, _ = study.bases_of(study.ThresholdsOptions(wordnet=str(path)), None)(runs, "")
    found = study.of_space(runs, base, study.CalibrationOptions(pairs=5000))
    names = [word.decode() for word in runs.vocabulary]
    assert len({frozenset(pair) for pair in found.items}) == len(found.items) == len(names) * (len(names) - 1) // 2
    for (a, b), value, cosine in list(zip(found.items, found.scores, found.cosines, strict=True))[::37]:
        distance = naive_distance(HYPERNYMS, WORDS[names[a]], WORDS[names[b]])
        assert value == pytest.approx(np.log(2 * 5 / (1 + distance)))
        x, y = runs.run(0)[[a, b]]
        assert cosine == pytest.approx(float(x @ y), abs=1e-5)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "give groups of runs of words"),
        ({"models": ["words"]}, "no scored pairs of sentences"),
        ({"models": ["words"], "scores": "few.tsv"}, "15 scored pairs"),
        ({"models": ["words"], "scores": "few.tsv", "wordnet": "few.tsv"}, "is of wordnets"),
    ],
)
def test_what_cannot_be_asked_is_refused(known, tmp_path, monkeypatch, how, said):
    monkeypatch.chdir(tmp_path)
    pairs_file(tmp_path / "few.tsv", pairs(15))
    with pytest.raises(InputError, match=said):
        calibration(**(how | {"models": known(*how.get("models", []))}))


def test_shared_words_are_by_distinct_words_in_any_case():
    assert shared_words("The the dog", "A DOG, a dog.") == pytest.approx(2 / 4)
    assert shared_words("!", "?") == 0


def test_the_command_writes_curves_of_two_models_that_are_read_again(known, tmp_path, scored):
    one, two = map(str, known("words", "nothing, too"))
    command = ["study", "calibration", "-m", one, "--model", two, "--scores", str(scored)]
    made = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "out"), "--json", "-q"])
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["schema"] == "gpustab.calibration/1"
    for name in ("words", "nothing, too"):
        assert Calibration.load(tmp_path / f"out/calibration-{name}.json").pairs == 120


@pytest.mark.parametrize(("count", "raters"), [(2, 12), (3, 8), (19, 2)])
def test_ratings_of_few_pairs_are_counted_by_pairs(known, tmp_path, count, raters):
    rng = np.random.default_rng(0)
    rows = [(*pair[:: 1 if k % 2 else -1], float(rng.integers(6))) for *pair, _ in pairs(count) for k in range(raters)]
    with pytest.raises(InputError, match=f"{count} scored pairs of words with {count * raters} ratings, wanted at"):
        calibration(models=known("words"), scores=str(pairs_file(tmp_path / "rated.tsv", rows)))


def test_scores_that_are_all_equal_are_refused_with_the_name_of_their_file(known, tmp_path):
    path = pairs_file(tmp_path / "flat.tsv", [(*pair, 3.0) for *pair, _ in pairs(60)])
    with pytest.raises(InputError, match=f"{re.escape('flat')}.*every similarity is 3"):
        calibration(models=known("words"), scores=str(path))


def test_ratings_of_few_pairs_of_words_are_counted_by_pairs_too(tmp_path):
    words, rng = [f"word{k}" for k in range(8)], np.random.default_rng(0)
    spaces = [(words, rng.normal(size=(8, 5))) for _ in range(2)]
    runs, path = load_runs(spaces, name="space"), tmp_path / "rated.tsv"
    path.write_text("".join(f"word{k}\tword{k + 1}\t{rng.integers(6)}\n" for k in (0, 2, 4) for _ in range(8)))
    with pytest.raises(InputError, match="3 scored pairs of space with 24 ratings, wanted at least 20"):
        calibration(runs, scores=str(path))


def test_ratings_of_many_pairs_are_calibrated(known, tmp_path):
    rows = [(a, b, score + shift) for a, b, score in pairs(40) for shift in (-0.5, 0, 0.5)]
    result = calibration(models=known("words"), scores=str(pairs_file(tmp_path / "rated.tsv", rows)))
    assert next(CALIBRATED.rows(result.tables)).pairs == 120
    assert any("40 pairs occur more than once" in note for note in result.notes)


@pytest.mark.parametrize(("missing", "told"), [(-1, 1), (999, 1), (99, 1), (-9, 1), (0, 0), (5, 0)])
def test_a_score_that_may_stand_for_none_is_named(known, tmp_path, missing, told):
    scores = np.clip([score for _, _, score in pairs()], 0, 5)
    scores[::10] = missing
    said = list(study._strange(scores))
    assert len(said) == told
    assert all(f"12 scores of 120 are {missing}, and all others lie apart" in one for one in said)
    assert not list(study._strange(scores[scores != missing]))  # as it says


def test_scores_that_may_stand_for_none_are_an_alarm(known, tmp_path):
    rows = [(a, b, {0: -1, 5: 999}.get(k % 10, max(score, 0))) for k, (a, b, score) in enumerate(pairs())]
    result = calibration(models=known("words"), scores=str(pairs_file(tmp_path / "gaps.tsv", rows)))
    assert ["are 999" in alarm for alarm in result.alarms] == [True, False]
    assert "are -1, and" in result.alarms[1]


class Characters:
    """An encoder that knows characters alone, each by a vector of its own."""

    notes = ()

    def encode(self, texts):
        return torch.stack([sum(torch.eye(32)[ord(one) % 32] for one in text) for text in texts])


@pytest.mark.parametrize("first", ["\u732b", "\u3042", "\u0e01", "\u1000"])
def test_an_encoder_of_characters_tells_no_more_where_words_have_no_blanks(known, monkeypatch, tmp_path, first):
    monkeypatch.setattr(study, "SentenceEncoder", lambda *_: Characters())
    rng, rows = np.random.default_rng(1), []
    for _ in range(100):
        order, same = [chr(ord(first) + k) for k in rng.permutation(30)], int(rng.integers(0, 9))
        one, two = order[:8], order[:same] + order[8 : 16 - same]
        rows.append(("".join(one), "".join(two), round(5 * same / 8 + rng.normal(0, 0.4), 3)))
    path = pairs_file(tmp_path / "unspaced.tsv", rows)
    result = calibration(models=known("words"), scores=str(path), word_columns=(2, 3), score_column=1)
    assert "tells more" not in result.verdict[0]
    assert next(CALIBRATED.rows(result.tables)).shared > 0.5


@pytest.mark.parametrize("sharing", [0, 5])
def test_shared_words_that_hardly_vary_are_no_test(known, tmp_path, sharing):
    rows = [
        (a, b if k < sharing else " ".join(f"{one}s" for one in b.split()), score)
        for k, (a, b, score) in enumerate(pairs(80))
    ]
    seen = known("meanings")
    study.SentenceEncoder(seen[0], None).words.update({f"{word}s": row for word, row in BagOfWords().words.items()})
    result = calibration(models=seen, scores=str(pairs_file(tmp_path / "alike.tsv", rows)))
    row = next(CALIBRATED.rows(result.tables))
    assert row.beyond is None
    assert "more" not in result.verdict[0].split(". ")[0]
    assert any("share the same part of their words" in note for note in result.notes)


def test_models_whose_names_differ_by_a_sign_alone_have_files_of_their_own():
    curve = calibrate(np.arange(20.0), np.arange(20.0))
    names = [name for name, _ in study._files_of(dict.fromkeys(["a/b", "a-b", "A-b", "c", "a-b-2"], curve))]
    assert names[0] == "calibration-a-b.json"
    assert len({name.casefold() for name in names}) == 5


def test_a_page_of_sentences_counts_both_verdicts_of_a_model_and_the_named_cosines(known, scored):
    result = calibration(models=known("meanings"), scores=str(scored), levels=(1.0, 3.0, 9.0))
    named = sum(row.cosine is not None for row in NAMED.rows(result.tables))
    assert named
    assert f"This page gives {named + 2} verdicts" in " ".join(to_text(result).split()) + to_html(result)
