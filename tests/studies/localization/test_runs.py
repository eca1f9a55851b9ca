"""Several runs of a model: intervals that hold both errors, copies, collapse, vectors that are none, going on."""

import math

import numpy as np
import pytest
import torch

from benchmarks import localization_tables
from gpustab.report import to_text
from gpustab.sentences.model import BagOfWords, Embedding, Runs
from gpustab.studies.localization.distances import Distances
from gpustab.studies.localization.scores import bootstrap_interval, bootstrap_weights, interval_over_runs
from gpustab.studies.localization.study import copies, localization


def call(paraphrases, models, language, lexicon, **choices):
    return localization(paraphrases, models, language=language, lexicon=lexicon, draws=200, **choices)


def model_of(run, name="random"):
    """Each word has a vector of its own, drawn by the run."""

    def vector(word):
        return np.random.default_rng([run, *map(ord, word)]).normal(size=8)

    return Embedding(name, lambda texts: np.stack([sum(map(vector, text)) for text in texts]))


def test_one_run_has_the_error_of_sentences_alone_and_several_that_of_trainings_too():
    generator = np.random.default_rng(0)
    hits = (generator.random((4, 200)) < 0.7).astype(float)
    component, weights = np.arange(200), bootstrap_weights(200, 500, 0)
    sd, low, high = interval_over_runs(hits[:1], component, weights)
    assert math.isnan(sd)
    assert (low, high) == bootstrap_interval(hits[0], component, weights)
    moved = np.clip(hits + np.array([-0.3, 0.3, -0.1, 0.1])[:, None], -1, 2)
    sd, low, high = interval_over_runs(moved, component, weights)
    assert sd == pytest.approx(moved.mean(1).std(ddof=1))
    own = bootstrap_interval(moved.mean(0), component, weights)
    half = 3.182 * sd / 2
    assert high - moved.mean() == pytest.approx(math.hypot(own[1] - moved.mean(), half), rel=1e-3)
    assert moved.mean() - low == pytest.approx(math.hypot(moved.mean() - own[0], half), rel=1e-3)


def test_scores_over_runs_are_means_and_the_verdict_rests_on_them(paraphrases, language, lexicon):
    result = call(paraphrases, [BagOfWords(), Runs("random", model_of, 3)], language, lexicon)
    over = result.tables["over_runs"]
    assert set(over["model"]) == {"random"}
    for row in over.records(k=1):
        own = list(result.tables["scores"].records(model="random", comparison=row["comparison"], k=1, subset="all"))
        assert row["half"] == pytest.approx(np.mean([run["half"] for run in own]))
        assert row["half_sd"] == pytest.approx(np.std([run["half"] for run in own], ddof=1))
        assert 0 <= row["half_low"] <= row["half"] <= row["half_high"] <= 1
        assert 0 <= row["low"] <= row["share"] <= row["high"] <= 1
    assert list(result.tables["negation"]["runs"]) == [1, 3]


def test_copies_among_runs_are_left_out_with_an_alarm(paraphrases, language, lexicon):
    source = Runs("random", lambda run: model_of(1 if run == 3 else run), 3)
    result = call(paraphrases, [source], language, lexicon)
    assert [alarm for alarm in result.alarms if "runs 1 and 3 give the same distances" in alarm]
    assert set(result.tables["over_runs"]["runs"]) == {2}
    assert result.groups[-1]["runs"] == 2
    everyone = [Distances(np.full(3, 0.5), {}, {}) for _ in range(4)]
    assert copies(everyone) == {1: 0, 2: 0, 3: 0}


def test_a_collapsed_space_is_an_alarm_and_has_no_verdict(paraphrases, language, lexicon):
    def embed(texts):
        return torch.ones(len(texts), 6) + 1e-6 * torch.rand(len(texts), 6)

    result = call(paraphrases, [Embedding("dull", embed), BagOfWords()], language, lexicon)
    assert [alarm for alarm in result.alarms if alarm.startswith("Dull: the vectors are collapsed.")]
    assert not any("dull" in sentence.lower() for sentence in result.verdict)
    assert len(result.verdict) > 0


@pytest.mark.parametrize(
    ("value", "said"), [(math.nan, "are not finite"), (math.inf, "are not finite"), (0.0, "are zero")]
)
def test_vectors_that_are_none_are_an_alarm(value, said, paraphrases, language, lexicon):
    good = model_of(1)

    def embed(texts):
        found = np.asarray(good.embed(texts)).copy()
        found[: len(found) // 3] = value
        return found

    result = call(paraphrases, [Embedding("holes", embed)], language, lexicon)
    assert [alarm for alarm in result.alarms if said in alarm]
    assert [note for note in result.notes if "left out: no vector, or none of the paraphrase" in note]
    assert result.verdict == [
        "This page cannot judge meaning or form: an alarm forbids reading the numbers of every model."
    ]
    assert said in to_text(result)


def test_a_stopped_study_goes_on_without_encoding_again(paraphrases, language, lexicon, tmp_path):
    made = []

    def make(run):
        made.append(run)
        return model_of(run)

    def stopping(work, part):
        if work == "second, run 1":
            raise KeyboardInterrupt

    sources = [Runs("first", make, 2, "key"), Runs("second", make, 1, "other"), Runs("third", make, 1)]
    with pytest.raises(KeyboardInterrupt):
        call(paraphrases, sources, language, lexicon, finished=tmp_path / "kept", progress=stopping)
    assert made == [1, 2]
    again = call(paraphrases, sources, language, lexicon, finished=tmp_path / "kept")
    assert made == [1, 2, 1, 1]
    whole = call(paraphrases, sources, language, lexicon)
    for name, table in whole.tables.items():
        for column in table:
            assert list(again.tables[name][column]) == pytest.approx(list(table[column]), nan_ok=True, abs=0), name
    made.clear()
    call(paraphrases, sources, language, lexicon, finished=tmp_path / "kept")
    assert made == [1]  # what has no key is not kept
    made.clear()
    call(paraphrases.pairs[:20], sources, language, lexicon, finished=tmp_path / "kept")
    assert made == [1, 2, 1, 1]
    for path in (tmp_path / "kept").glob("*.npy"):
        path.write_bytes(b"cut")
    made.clear()
    call(paraphrases, sources, language, lexicon, finished=tmp_path / "kept")
    assert made == [1, 2, 1]


def test_what_is_near_enough_to_the_paper(tmp_path):
    counts = [
        {"k": 1, "nouns": 7168, "verbs": 3061, "overlap": 2829},
        {"k": 2, "nouns": 5000, "verbs": 590, "overlap": 449},
    ]
    held = {row["what"]: row["holds"] for row in localization_tables.counts_held(counts)}
    assert held == {
        f"{what}, k = {k}": (what, k) != ("nouns", 2) for what in ("nouns", "verbs", "overlap") for k in (1, 2)
    }
    row = {"model": "bag of words", "comparison": "verb antonym beyond noun synonym", "k": 2, "equal_share": 0.82}
    rows = localization_tables.shares_held([row | {"n": 449, "share": 0.05}, row | {"model": "other"}])
    assert [(own["ours"], own["holds"]) for own in rows] == [(5.0, True), (82.0, False)]
    assert (
        localization_tables._named("gpustab study x a/b.tsv --model mean=/c/d.txt")
        == "gpustab study x b.tsv --model mean=d.txt"
    )
