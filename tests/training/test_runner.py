import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from gpustab import ComputationError, InputError, load_groups
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.sampling import draw_units, shared_training_seed, training_seed
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.registry import read_space
from gpustab.studies.stability.study import stability
from gpustab.training import engines, read_settings, runner, train_runs
from gpustab.training import plan as planning

PLAN_LSA = {"runs": 3, "techniques": ["lsa"], "samplings": ["fixed"], "options": {"min_count": 3}}
PLAN = {"runs": 3, "engine": "gensim", "options": {"min_count": 3}, "sgns": {"dim": 8, "epochs": 2}}


def plan(corpus, **changes):
    return read_settings(PLAN | {"corpus": str(corpus)} | changes)


def vectors(folder):
    return {str(f.relative_to(folder)): read_space(f).vectors for f in sorted(folder.rglob("run-*.safetensors"))}


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def test_a_run_set_of_three_samplings_is_measured_with_its_contrast(corpus, tmp_path):
    result = train_runs(plan(corpus), tmp_path)
    assert result.tables["groups"]["trained_now"] == [3, 3, 3]
    groups = load_groups(tmp_path)
    assert [g.name for g in groups] == ["sgns/fixed", "sgns/shuffled", "sgns/bootstrap"]
    measured = stability(groups, neighbours=[5])
    assert measured.contrasts[0]["groups"] == ["sgns/shuffled", "sgns/bootstrap"]
    means = {g["name"]: g["pip"]["reduced"]["mean"] for g in measured.groups}
    assert means["sgns/bootstrap"] > means["sgns/shuffled"]


def test_runs_hold_their_sample_and_say_how_they_were_made(corpus, tmp_path):
    train_runs(plan(corpus, samplings=["bootstrap"]), tmp_path)
    for run in range(3):
        space = read_space(tmp_path / f"sgns/bootstrap/run-{run:03d}.safetensors")
        draw = draw_units("bootstrap", 40, 0, run)
        assert space.draw.tolist() == draw.tolist()
        texts = [line.split() for line in corpus.read_text().splitlines()]
        words = [w for unit in draw for w in texts[unit]]
        assert {w.decode(): int(n) for w, n in zip(space.vocabulary, space.counts, strict=True)} == {
            w: words.count(w) for w in set(words) if sum(t.count(w) for t in texts) >= 3
        }
        assert space.metadata["deterministic"] is True
        assert space.metadata["parameters"]["epochs"] == 2
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["groups"][0]["made"]["seed"] == 0
    assert manifest["groups"][0]["made"]["parameters"]["sgns"]["dim"] == 8


def test_nothing_is_trained_twice_and_runs_may_be_added(corpus, tmp_path):
    train_runs(plan(corpus, runs=2), tmp_path)
    before = {f: f.stat().st_mtime_ns for f in tmp_path.rglob("run-*.safetensors")}
    again = train_runs(plan(corpus, runs=2), tmp_path)
    assert again.tables["groups"]["trained_now"] == [0, 0, 0]
    more = train_runs(plan(corpus, runs=3, techniques=["sgns", "lsa"], lsa={"dim": 8}), tmp_path)
    assert more.tables["groups"]["trained_now"] == [1, 1, 1, 3, 3, 3]
    assert all(f.stat().st_mtime_ns == t for f, t in before.items())
    assert [len(g) for g in load_groups(tmp_path)] == [3] * 6
    train_runs(plan(corpus), tmp_path / "at once")
    assert equal(vectors(tmp_path / "at once"), {k: v for k, v in vectors(tmp_path).items() if k.startswith("sgns")})


def test_jobs_do_not_change_the_vectors(corpus, tmp_path):
    train_runs(plan(corpus), tmp_path / "one")
    train_runs(plan(corpus, jobs=2), tmp_path / "two")
    assert equal(vectors(tmp_path / "one"), vectors(tmp_path / "two"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sgns": {"dim": 8, "epochs": 3}}, r"parameters\.epochs was 2, now 3"),
        ({"seed": 5}, "seed was 0, now 5"),
        ({"vary": ["draw"]}, "vary was"),
        ({"options": {"min_count": 4}}, r"options\.min_count was 3, now 4"),
    ],
)
def test_other_settings_are_refused_with_the_difference(corpus, tmp_path, change, message):
    train_runs(plan(corpus, runs=1, samplings=["fixed"]), tmp_path)
    before = vectors(tmp_path)
    with pytest.raises(InputError, match=message):
        train_runs(plan(corpus, runs=1, samplings=["fixed"], **change), tmp_path)
    assert equal(vectors(tmp_path), before)


def test_a_run_set_from_before_there_were_formats_goes_on(corpus, tmp_path):
    """Its plan lacks the newer options of reading; and how text was read does not matter where the text is the same."""
    settings = PLAN_LSA | {"corpus": str(corpus), "lsa": {"dim": 8}}
    train_runs(read_settings(settings | {"runs": 1}), tmp_path)
    path = tmp_path / "lsa/fixed/plan.json"
    plan = json.loads(path.read_text())
    before = "lowercase drop_numbers drop_punctuation min_count drop_duplicates unit fraction layout errors language"
    plan["options"] = {name: plan["options"][name] for name in before.split()}
    path.write_text(json.dumps(plan))
    assert train_runs(read_settings(settings | {"runs": 2}), tmp_path).tables["groups"]["trained_now"] == [1]
    chosen = settings["options"] | {"layout": "lines", "encoding": "ascii"}
    assert train_runs(read_settings(settings | {"options": chosen}), tmp_path).tables["groups"]["trained_now"] == [1]


def test_another_corpus_is_refused(corpus, tmp_path):
    train_runs(plan(corpus, runs=1, samplings=["fixed"]), tmp_path)
    other = tmp_path / "documents.txt"
    other.write_text(corpus.read_text().replace("singular", "plural"))
    train_runs(plan(corpus, runs=1, samplings=["fixed"], options={"min_count": 1}), tmp_path / "all")
    with pytest.raises(
        InputError, match=r"holds runs of .*documents\.txt \(40 documents, .*another folder: gpustab train"
    ):
        train_runs(plan(other, runs=1, samplings=["fixed"], options={"min_count": 1}), tmp_path / "all")


def test_units_and_fractions_get_leaves_of_their_own(corpus, tmp_path):
    for options in ({"fraction": 0.5}, {"unit": "sentence"}, {"unit": "sentence", "fraction": 0.25}):
        train_runs(plan(corpus, runs=1, samplings=["shuffled"], options={"min_count": 3, **options}), tmp_path)
    leaves = sorted(p.name for p in (tmp_path / "sgns").iterdir())
    assert leaves == ["shuffled-0.5", "shuffled-sentence", "shuffled-sentence-0.25"]


def test_what_varies(corpus, tmp_path):
    """One training seed and one thread: fixed runs are copies (and said to be); both streams: none are."""
    draw = train_runs(plan(corpus, vary=["draw"]), tmp_path / "draw")
    assert any("sgns/fixed: runs 0 and 1 are equal, as planned" in note for note in draw.notes)
    assert not any("shuffled" in note for note in draw.notes)
    fixed = [v for k, v in vectors(tmp_path / "draw").items() if "fixed" in k]
    assert torch.equal(fixed[0], fixed[1])
    sentences = plan(corpus, vary=["draw"], runs=2, samplings=["fixed"], options={"min_count": 3, "unit": "sentence"})
    assert any(
        "fixed-sentence: runs 0 and 1 are equal, as planned" in n for n in train_runs(sentences, tmp_path / "s").notes
    )
    both = train_runs(plan(corpus), tmp_path / "both")
    assert not any("equal" in note for note in both.notes)
    training = train_runs(plan(corpus, vary=["training"], samplings=["bootstrap"]), tmp_path / "training")
    assert not any("equal" in note for note in training.notes)
    draws = [read_space(f).draw.tolist() for f in sorted((tmp_path / "training").rglob("run-*.safetensors"))]
    assert draws[0] == draws[1] == draws[2]


def test_a_diverged_run_counts_as_failed_and_the_others_are_kept(corpus, tmp_path, monkeypatch):
    real = engines.technique

    def diverging(name, engine):
        found = real(name, engine)

        def train(samples, parameters, seeds):
            rows = found.train(samples, parameters, seeds)
            if diverging.on and samples[0].draw.tolist() != list(range(40)):
                rows[0][3] = np.nan
            return rows

        return type(found)(found.name, found.parameters, train)

    monkeypatch.setattr(engines, "technique", diverging)
    diverging.on = True
    with pytest.raises(
        ComputationError, match=r"3 of 6 trainings failed, the others are there: sgns shuffled, run 0.*not finite"
    ):
        train_runs(plan(corpus, samplings=["fixed", "shuffled"]), tmp_path)
    assert len(list((tmp_path / "sgns/fixed").glob("run-*"))) == 3
    assert not list((tmp_path / "sgns/shuffled").glob("run-*"))
    assert not (tmp_path / "manifest.json").exists()
    diverging.on = False
    train_runs(plan(corpus, samplings=["fixed", "shuffled"]), tmp_path)
    assert len(load_groups(tmp_path)) == 2


def test_runs_of_unknown_origin_are_not_taken_over(corpus, tmp_path):
    train_runs(plan(corpus, runs=1), tmp_path)
    (tmp_path / "sgns/fixed/plan.json").unlink()
    with pytest.raises(InputError, match="not known how they were trained"):
        train_runs(plan(corpus, runs=1), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.25])
def test_killed_at_any_moment_the_next_call_finishes_with_the_same_vectors(corpus, tmp_path, seconds):
    command = [
        sys.executable,
        "-m",
        "gpustab",
        "train",
        str(corpus),
        "-o",
        str(tmp_path / "killed"),
        "-q",
        "--runs",
        "6",
    ]
    command += ["--min-count", "3", "--dim", "8", "--epochs", "30", "--sampling", "shuffled,bootstrap"]
    command += ["--engine", "gensim"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 120
    there = lambda: list((tmp_path / "killed").rglob("run-*.safetensors"))  # noqa: E731
    while not there() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(seconds)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    there = len(vectors(tmp_path / "killed"))
    assert 1 <= there <= 12
    settings = plan(corpus, runs=6, samplings=["shuffled", "bootstrap"], sgns={"dim": 8, "epochs": 30})
    result = train_runs(settings, tmp_path / "killed")
    assert sum(result.tables["groups"]["trained_now"]) == 12 - there
    train_runs(settings, tmp_path / "whole")
    assert equal(vectors(tmp_path / "killed"), vectors(tmp_path / "whole"))
    assert not list((tmp_path / "killed").rglob("*.tmp"))


@pytest.mark.parametrize(("technique", "most"), [("lsa", 40), ("ppmi_svd", None)])
def test_a_dimension_that_cannot_be_is_refused_before_anything_is_made(corpus, tmp_path, technique, most):
    content = {"runs": 2, "corpus": str(corpus), "options": {"min_count": 3}, "samplings": ["fixed"]}
    most = most or len(prepare_corpus(corpus, CorpusOptions(min_count=3)).vocabulary) - 1
    content |= {"techniques": [technique]}
    with pytest.raises(
        InputError, match=f"{technique} cannot have dim {most + 1} with 40 documents .*dim={most} at most"
    ):
        train_runs(read_settings(content | {technique: {"dim": most + 1}}), tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_a_plan_that_trained_nothing_binds_nobody(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "check_dimensions", lambda *_: None)
    with pytest.raises(ComputationError, match=r"3 of 3 trainings failed, none is there.*dim 500.*dim=40 at most"):
        train_runs(read_settings(PLAN_LSA | {"corpus": str(corpus), "lsa": {"dim": 500}}), tmp_path)
    train_runs(read_settings(PLAN_LSA | {"corpus": str(corpus), "lsa": {"dim": 8}}), tmp_path)
    assert len(vectors(tmp_path)) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [({"parallel": "foo"}, "parallel is 'foo'"), ({"options": {"fraction": 0.01}}, "one document is nothing to draw")],
)
def test_what_cannot_be_trained(corpus, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        train_runs(plan(corpus, **change), tmp_path)


def test_a_run_set_is_no_file(corpus, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        train_runs(plan(corpus), tmp_path / "file")


def test_a_thin_group_does_not_keep_the_others_from_being_measured(corpus, tmp_path, caplog):
    train_runs(plan(corpus, runs=2, samplings=["shuffled"]), tmp_path)
    train_runs(plan(corpus, runs=1, samplings=["fixed"]), tmp_path)
    assert [group.name for group in load_groups(tmp_path)] == ["sgns/shuffled"]
    assert "'sgns/fixed' has only 1 run" in caplog.text


def as_before(folder):
    """The leaf's plan as it was written when all samplings shared their training seeds."""
    path = folder / "plan.json"
    plan = json.loads(path.read_text())
    del plan["training_stream"]
    path.write_text(json.dumps(plan))


@pytest.fixture
def old_seeds(monkeypatch):
    """Train as it was done when run number r of every sampling had one seed."""
    old = lambda settings, leaf, run: shared_training_seed(settings.seed, run)  # noqa: E731
    monkeypatch.setattr(planning, "_training_seed", old)
    return monkeypatch


def test_every_sampling_has_training_seeds_of_its_own(corpus, tmp_path):
    """A technique that sees no order gave fixed and shuffled runs that were equal bit for bit."""
    glove = {"techniques": ["glove"], "samplings": ["fixed", "shuffled"], "runs": 2, "glove": {"dim": 4, "epochs": 2}}
    train_runs(read_settings({"corpus": str(corpus), "options": {"min_count": 3}} | glove), tmp_path)
    fixed, shuffled = (
        [read_space(f) for f in sorted((tmp_path / "glove" / s).glob("run-*"))] for s in glove["samplings"]
    )
    for a, b in zip(fixed, shuffled, strict=True):
        assert a.vocabulary == b.vocabulary
        assert a.metadata["training_seed"] != b.metadata["training_seed"]
        assert not torch.equal(a.vectors, b.vectors)


def test_what_was_begun_with_shared_seeds_is_finished_with_them(corpus, tmp_path, old_seeds):
    train_runs(plan(corpus, runs=3, samplings=["fixed"]), tmp_path / "whole")
    train_runs(plan(corpus, runs=2, samplings=["fixed"]), tmp_path / "begun")
    as_before(tmp_path / "begun/sgns/fixed")
    old_seeds.undo()
    result = train_runs(plan(corpus, runs=3, samplings=["fixed", "shuffled"]), tmp_path / "begun")
    assert result.tables["groups"]["trained_now"] == [1, 3]
    found = vectors(tmp_path / "begun")
    assert equal(vectors(tmp_path / "whole"), {k: v for k, v in found.items() if "fixed" in k})
    (note,) = (note for note in result.notes if "one seed" in note)
    assert note.startswith("sgns/fixed: begun")
    seeds = [
        read_space(tmp_path / f"begun/sgns/shuffled/run-{r:03d}.safetensors").metadata["training_seed"]
        for r in range(3)
    ]
    assert seeds == [training_seed(0, "shuffled", r) for r in range(3)]


def test_an_old_plan_is_still_compared_in_all_else(corpus, tmp_path):
    train_runs(plan(corpus, runs=1, samplings=["fixed"]), tmp_path)
    as_before(tmp_path / "sgns/fixed")
    with pytest.raises(InputError, match="seed was 0, now 5") as error:
        train_runs(plan(corpus, runs=1, samplings=["fixed"], seed=5), tmp_path)
    assert "training_stream" not in str(error.value)
