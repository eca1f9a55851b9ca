import copy
import itertools
import json
import math
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from typer.testing import CliRunner

from gpustab import InputError, Vocabulary
from gpustab.cli import app
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.evaluation import read_similarity
from gpustab.formats.registry import read_space
from gpustab.report import Result
from gpustab.report.describe import describe, draw, paper
from gpustab.report.json_text import plain
from gpustab.results import Table
from gpustab.runs.load import open_groups
from gpustab.runs.runset import write_runset
from gpustab.spaces.space import Space
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.claims import OBSERVED
from gpustab.studies.shared.unfit import Unfit
from gpustab.studies.sweep import study
from gpustab.studies.sweep.claims import no_comparison
from gpustab.studies.sweep.claims_of_parameters import ALONG, EFFECT, Effect, effects
from gpustab.studies.sweep.measure import change
from gpustab.studies.sweep.plans import settings_of
from gpustab.studies.sweep.study import nothing_learned, sweep
from gpustab.studies.thresholds.figures import FIGURES
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.study import thresholds
from gpustab.training import read_settings
from tests import oracles

RUNS = 3
VARY = {"dim": [6, 4], "min_count": [2, 12]}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """40 documents of words of a similarity test, by topic; some words are in one document, twice."""
    words = sorted({w.decode() for pair in read_similarity("wordsim353").pairs[:40] for w in pair if w.isalpha()})
    rng = np.random.default_rng(0)
    lines = []
    for document in range(40):
        weights = np.where(np.arange(len(words)) % 4 == document % 4, 6.0, 1.0)
        lines.append(
            " ".join(rng.choice(words, size=50, p=weights / weights.sum())) + f" {'once' * (document % 5 == 0)}"
        )
        if document % 8 == 0:
            lines[-1] += f" rare{'abcde'[document // 8]}" * 2
    path = tmp_path_factory.mktemp("corpus") / "documents.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def base(corpus, **changes):
    plan = {
        "corpus": str(corpus),
        "samplings": ["shuffled", "bootstrap"],
        "runs": RUNS,
        "engine": "gensim",
        "options": {"min_count": 2},
        "sgns": {"dim": 6, "epochs": 3, "alpha": 0.2},
    }
    return read_settings(plan | changes)


@pytest.fixture(scope="module")
def swept(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    return sweep(base(corpus), VARY, folder), folder


def spaces(folder, samplings=("shuffled", "bootstrap")):
    """By sampling, the unit vectors of its runs over the words of all runs of all samplings; and these words."""
    found = {s: [read_space(f) for f in sorted(folder.glob(f"sgns/{s}/run-*"))] for s in samplings}
    common = set.intersection(*(set(space.vocabulary) for runs in found.values() for space in runs))
    words = sorted(common)
    rows = {
        s: [oracles.unit(x.vectors.numpy()[[x.vocabulary.index_of(w) for w in words]]) for x in runs]
        for s, runs in found.items()
    }
    return rows, words


def pair_values(runs, function):
    matrix = np.zeros((len(runs), len(runs)))
    for i, j in itertools.combinations(range(len(runs)), 2):
        matrix[i, j] = matrix[j, i] = function(runs[i], runs[j])
    return matrix


def mean_and_se(matrix):
    return matrix[np.triu_indices(len(matrix), 1)].mean(), oracles.jackknife(matrix)


def shared(x, y, n=10):
    lists = [[set(oracles.top_k(space, k, n)) for k in range(len(space))] for space in (x, y)]
    return np.mean([len(a & b) / n for a, b in zip(*lists, strict=True)])


def row(result, table, **wanted):
    (found,) = result.tables[table].records(**wanted)
    return found


@pytest.mark.parametrize("setting", ["baseline", "dim=4", "min_count=12"])
def test_every_number_of_a_setting_against_the_naive_one(swept, setting):
    result, folder = swept
    rows, words = spaces(folder / f"sgns-{setting}")
    losses = {}
    for sampling, runs in rows.items():
        got = row(result, "settings", setting=setting, sampling=sampling)
        losses[sampling] = mean_and_se(pair_values(runs, oracles.reduced_pip))
        assert got["words"] == len(words)
        assert (got["reduced_pip"], got["se"]) == pytest.approx(losses[sampling], rel=1e-6)
        assert (got["p@10"], got["p@10_se"]) == pytest.approx(mean_and_se(pair_values(runs, shared)))
        assert got["mean_cosine"] == pytest.approx(np.mean([oracles.mean_cosine(x) for x in runs]), abs=1e-6)
        permuted = [
            oracles.chance_pip(x, y, 200, np.random.default_rng(1)) ** 2 for x, y in itertools.combinations(runs, 2)
        ]
        assert got["chance"] == pytest.approx(np.sqrt(np.mean(permuted)), rel=0.01)
    (a, a_se), (b, b_se) = losses["shuffled"], losses["bootstrap"]
    assert b > a
    got = row(result, "settings", setting=setting, sampling="extrinsic")
    value = math.sqrt(b**2 - a**2)
    assert got["reduced_pip"] == pytest.approx(value, rel=1e-5)
    assert got["se"] == pytest.approx(math.hypot(b * b_se, a * a_se) / value, rel=1e-5)


def test_words_that_bootstrap_runs_lack_are_left_out_of_all_samplings(swept):
    _, folder = swept
    alone, together = (spaces(folder / "sgns-baseline", s)[1] for s in (["shuffled"], ["shuffled", "bootstrap"]))
    assert len(together) < len(alone)  # else the comparison above would not see it


def test_scores_are_means_over_runs_of_the_pairs_that_all_samplings_have(swept):
    result, folder = swept
    rows, words = spaces(folder / "sgns-dim=4")
    test = read_similarity("wordsim353")
    index = {word.lower(): k for k, word in enumerate(words)}
    known = [(index[a.lower()], index[b.lower()], gold) for (a, b), gold in zip(test.pairs, test.gold, strict=True)
             if a.lower() in index and b.lower() in index]  # fmt: skip
    i, j, gold = map(list, zip(*known, strict=True))
    for sampling, runs in rows.items():
        rho = [spearmanr((x[i] * x[j]).sum(1), gold).statistic for x in runs]
        got = row(result, "scores", setting="dim=4", sampling=sampling, test="wordsim353")
        assert (got["used"], got["total"], got["runs"]) == (len(known), 353, RUNS)
        assert (got["mean"], got["sd"]) == pytest.approx((np.mean(rho), np.std(rho, ddof=1)))
    assert any("Not scored: questions-words" in note for note in result.notes)
    few = [note for note in result.notes if "wordsim353 rests on" in note]
    assert bool(few) == (len(known) < 50)


def test_changes_are_the_differences_of_the_tables(swept):
    result, _ = swept
    before, after = (row(result, "settings", setting=s, sampling="shuffled") for s in ("baseline", "dim=4"))
    a, b, a_se, b_se = before["reduced_pip"], after["reduced_pip"], before["se"], after["se"]
    got = row(result, "changes", setting="dim=4", sampling="shuffled", measure="reduced_pip")
    assert (got["baseline"], got["value"], got["difference"]) == (a, b, b - a)
    assert got["percent"] == pytest.approx(100 * (b - a) / a)
    assert got["percent_se"] == pytest.approx(100 * b / a * math.sqrt((a_se / a) ** 2 + (b_se / b) ** 2))
    score = row(result, "changes", setting="dim=4", sampling="shuffled", measure="wordsim353")
    by_setting = [
        row(result, "scores", setting=s, sampling="shuffled", test="wordsim353") for s in ("baseline", "dim=4")
    ]
    assert score["difference"] == by_setting[1]["mean"] - by_setting[0]["mean"]
    assert score["se"] == pytest.approx(math.sqrt(sum(x["sd"] ** 2 / RUNS for x in by_setting)))
    assert {r["sampling"] for r in result.tables["changes"].records()} == {"shuffled", "bootstrap", "extrinsic"}
    assert "baseline" not in result.tables["changes"]["setting"]


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        ((2.0, 1.5, 0.0, 0.0), (-0.5, 0.0, -25.0, 0.0)),
        ((2.0, 3.0, 0.3, 0.4), (1.0, 0.5, 50.0, 50 * math.sqrt(0.4**2 + (1.5 * 0.3) ** 2))),
        ((0.0, 1.0, 0.1, 0.0), (1.0, 0.1, math.nan, math.nan)),
        ((-0.1, 0.1, 0.0, 0.0), (0.2, 0.0, math.nan, math.nan)),
        ((4.0, 5.0, math.nan, 0.1), (1.0, math.nan, 25.0, math.nan)),
        ((math.nan, 5.0, 0.1, 0.1), (math.nan, math.hypot(0.1, 0.1), math.nan, math.nan)),
    ],
)
def test_percent_by_hand(numbers, wanted):
    assert change(*numbers) == pytest.approx(wanted, nan_ok=True)


def test_percent_errors_are_those_of_many_draws():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.02, 0.0004, 200_000), rng.normal(0.016, 0.0006, 200_000)
    assert change(0.02, 0.016, 0.0004, 0.0006).percent_se == pytest.approx(np.std(100 * (b / a - 1)), rel=0.01)


def test_the_baseline_is_trained_once_and_first(swept):
    result, folder = swept
    assert [group["name"] for group in result.groups] == ["baseline", "dim=4", "min_count=12"]
    assert [group["changed"] for group in result.groups] == [{}, {"dim": 4}, {"min_count": 12}]
    assert sorted(path.name for path in folder.iterdir()) == ["sgns-baseline", "sgns-dim=4", "sgns-min_count=12"]
    assert [group["trained_now"] for group in result.groups] == [2 * RUNS] * 3


def test_settings_that_read_alike_share_a_corpus_that_is_read_once(corpus, monkeypatch):
    read = []
    monkeypatch.setattr(study, "prepare_corpus", lambda *given, **_: read.append(given) or len(read))
    plan = base(corpus)
    plans = [setting.plan for setting in settings_of(plan, {"dim": [6, 4], "min_count": [2, 12]})]
    text = study._Text(plan, None)
    assert [text.of(one) for one in plans] == [1, 1, 2]
    assert read == [(plan.corpus, plan.options), (plan.corpus, plans[2].options)]
    text = study._Text(plan, lambda: "the baseline's")
    assert [text.of(one) for one in plans] == ["the baseline's", "the baseline's", 3]


def test_other_words_than_the_baselines_are_said(swept):
    result, folder = swept
    (note,) = (note for note in result.notes if note.startswith("Over other words"))
    assert f"min_count=12 ({len(spaces(folder / 'sgns-min_count=12')[1])})" in note
    assert "dim" not in note


def test_a_percentage_of_a_negative_score_is_undefined_and_that_is_said(swept):
    result, _ = swept
    rows = list(result.tables["changes"].records())
    undefined = [x for x in rows if np.isnan(x["percent"])]
    assert undefined
    assert all(x["baseline"] <= 0 and x["difference"] == x["value"] - x["baseline"] for x in undefined)
    assert any("no percent of a baseline that is not above 0" in note for note in result.notes)


@pytest.mark.slow
def test_nothing_is_trained_twice(corpus, swept, tmp_path):
    result, folder = swept[0], shutil.copytree(swept[1], tmp_path / "sweep")  # others look into theirs, in any order
    files = sorted(folder.rglob("run-*.safetensors"))
    before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in files}
    lost = folder / "sgns-dim=4/sgns/bootstrap/run-001.safetensors"
    lost.unlink()
    again = sweep(base(corpus), VARY, folder)
    assert [group["trained_now"] for group in again.groups] == [0, 1, 0]
    assert all(file.stat().st_mtime_ns == time for file, (time, _) in before.items() if file != lost)
    assert again.tables["changes"] == result.tables["changes"]
    assert again.tables["scores"] == result.tables["scores"]
    more = sweep(base(corpus), {"dim": [4, 6], "epochs": [3, 2]}, folder, grid=True)
    trained = {group["name"]: group["trained_now"] for group in more.groups}
    assert trained == {"baseline": 0, "dim=4,epochs=2": 6, "dim=4": 0, "epochs=2": 6}
    (cell,) = more.tables["squares"].records(sampling="shuffled", measure="reduced_pip", row=4, column=2)
    (same,) = more.tables["changes"].records(sampling="shuffled", measure="reduced_pip", setting="dim=4,epochs=2")
    assert {name: cell[name] for name in ("value", "difference", "se", "percent", "percent_se")} == {
        name: same[name] for name in ("value", "difference", "se", "percent", "percent_se")
    }
    assert "squares" not in result.tables
    fewer = sweep(base(corpus, runs=2), {"dim": [4, 6]}, folder)
    assert np.isnan(fewer.tables["changes"]["se"][0])  # two runs have no jackknife error
    assert fewer.groups[0]["trained_now"] == 0


def test_a_failing_setting_is_named_and_the_others_stay(corpus, tmp_path):
    plan = read_settings({"corpus": str(corpus), "techniques": ["lsa"], "samplings": ["bootstrap"], "runs": 2,
                          "options": {"min_count": 2}, "lsa": {"dim": 5}})  # fmt: skip
    with pytest.raises(InputError, match=r"^lsa-dim=500: .*lsa cannot have dim 500"):
        sweep(plan, {"dim": [5, 4, 500]}, tmp_path)
    result = sweep(plan, {"dim": [5, 4]}, tmp_path)
    assert [group["trained_now"] for group in result.groups] == [0, 0]
    assert set(result.tables["settings"]["sampling"]) == {"bootstrap"}


def test_engines_are_the_same_for_all_settings(corpus, tmp_path, monkeypatch):
    def decide(plan):
        fit = plan.parameters_of("sgns").dim < 6
        return plan.model_copy(update={"engine": "gpu" if fit else "gensim"}) if plan.engine == "auto" else plan

    monkeypatch.setattr("gpustab.training.resolve_engine", decide)
    result = sweep(base(corpus, engine="auto", samplings=["shuffled"], runs=2), {"dim": [6, 4]}, tmp_path)
    assert [group["engine"] for group in result.groups] == ["gensim", "gensim"]
    assert any("engine gpu cannot train sgns-baseline" in note for note in result.notes)


def test_settings_are_named_by_what_differs(corpus):
    plan = base(corpus)
    labels = [s.label for s in settings_of(plan, {"alpha": [0.2, 1e-5], "lowercase": [False, True]})]
    assert labels == ["baseline", "alpha=1e-05", "lowercase=false"]
    assert [s.label for s in settings_of(plan, {"tokenizer": ["words", "../x"]})][2] == "tokenizer=..%2Fx"
    assert plan == base(corpus)


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({}, "nothing varies"),
        ({"zzzz": [1, 2]}, "zzzz: no parameter of sgns, which has dim, window, .*min_count"),
        ({"dim": [0, 6]}, "sgns.dim is 0, wanted 1 or more"),
        ({"min_count": [0, 2]}, "min_count is 0, wanted a whole number"),
        ({"lowercase": [True, "flase"]}, "lowercase is 'flase', wanted true or false"),
        ({"dim": [4]}, r"dim has fewer than two different values \(4\)"),
        ({"dim": [6, 6]}, "dim has fewer than two"),
        ({"dim": []}, r"dim has fewer than two different values \(none\)"),
    ],
)
def test_values_that_cannot_be_used_train_nothing(corpus, tmp_path, vary, message):
    with pytest.raises(InputError, match=message):
        sweep(base(corpus), vary, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_plans_that_cannot_be_swept(corpus, tmp_path):
    with pytest.raises(InputError, match="lsa, sgns; a sweep is of one"):
        sweep(read_settings({"corpus": str(corpus), "techniques": ["lsa", "sgns"]}), VARY, tmp_path)
    with pytest.raises(InputError, match="at least 2"):
        sweep(base(corpus, runs=1), VARY, tmp_path)
    with pytest.raises(InputError, match="is a file"):
        sweep(base(corpus), VARY, corpus)
    with pytest.raises(InputError, match="window: no parameter of lsa, which has dim;"):
        sweep(read_settings({"corpus": str(corpus), "techniques": ["lsa"]}), {"window": [2, 5]}, tmp_path)


def call(*arguments):
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)], catch_exceptions=False)


def test_the_command_gives_the_numbers_of_the_library(corpus, swept):
    result, folder = swept
    sets = [x for s in ("sgns.dim=6", "sgns.epochs=3", "sgns.alpha=0.2", "options.min_count=2") for x in ("--set", s)]
    chosen = ("--runs", RUNS, "--engine", "gensim", "--device", "cpu")
    done = call(corpus, "-o", folder, "--vary", "dim=6,4", "--vary", "min_count=2,12", *sets, *chosen, "--json")
    assert done.exit_code == 0
    got = json.loads(done.stdout)
    assert got["schema"] == "gpustab.sweep/1"
    assert [group["trained_now"] for group in got["groups"]] == [0, 0, 0]
    assert got["tables"]["changes"]["percent"] == plain(result.tables["changes"]["percent"])
    assert got["settings"]["swept"] == {"dim": [6, 4], "min_count": [2, 12]}
    page = call(corpus, "-o", folder, "--vary", "dim=6,4", *sets, *chosen, "-v")
    assert "tables 3.1 and 3.2" in page.stdout
    assert "chosen to fit" not in page.stderr  # all was chosen


def test_what_nobody_chose_fits_the_corpus_and_is_said(corpus, tmp_path, monkeypatch):
    plans = []
    monkeypatch.setattr("gpustab.studies.sweep.study.sweep", lambda plan, *_, **__: plans.append(plan) or Result("x"))
    monkeypatch.setattr("gpustab.cli.sweep.show", lambda *_: None)
    for more in ((), ("--min-count", "7"), ("--set", "sgns.epochs=9")):
        done = call(corpus, "-o", tmp_path / "new", "--vary", "dim=6,4", *more)
        assert done.exit_code == 0
        assert "chosen to fit 2,018 running words: --" in done.stderr
    epochs = [plan.parameters["sgns"]["epochs"] for plan in plans]
    assert [plan.options.min_count for plan in plans] == [2, 7, 2]
    assert epochs == [100, 100, 9]
    assert {plan.runs for plan in plans} == {4}


@pytest.mark.parametrize("vary", ["dim", "dim=", "=4,5", "dim=x,y", "dim=4", "nope=1,2"])
def test_the_command_refuses_with_exit_code_2(corpus, tmp_path, vary):
    done = call(corpus, "-o", tmp_path / "out", "--vary", vary)
    assert done.exit_code == 2
    assert done.stderr.startswith("error:")
    assert not (tmp_path / "out").exists()


def test_the_share_of_chance_is_among_the_changes(swept):
    result, _ = swept
    before, after = (row(result, "settings", setting=s, sampling="bootstrap") for s in ("baseline", "dim=4"))
    got = row(result, "changes", setting="dim=4", sampling="bootstrap", measure="share_of_chance")
    a, b = (x["reduced_pip"] / x["chance"] for x in (before, after))
    assert (got["baseline"], got["value"]) == pytest.approx((a, b))
    assert got["se"] == pytest.approx(math.hypot(*(x["se"] / x["chance"] for x in (before, after))))
    measures = [x["measure"] for x in result.tables["changes"].records(sampling="extrinsic")]
    assert "share_of_chance" not in measures


def test_losses_of_a_half_collapsed_baseline_are_said_not_to_compare(corpus, tmp_path):
    """Few epochs leave all words near their common start: a small loss, which training on makes larger."""
    plan = base(corpus, samplings=["shuffled"], sgns={"dim": 6, "epochs": 1, "alpha": 0.2, "spread": 0.01})
    result = sweep(plan, {"epochs": [1, 30]}, tmp_path)
    cosines = [x["mean_cosine"] for x in result.tables["settings"].records()]
    assert abs(cosines[0] - cosines[1]) > 0.1
    (note,) = (note for note in result.notes if "do not compare" in note)
    assert f"epochs=30/shuffled ({cosines[0]:.2f} → {cosines[1]:.2f})" in note


def test_a_parameter_without_effect_is_said_to_have_none(corpus, tmp_path):
    plan = {"corpus": str(corpus), "techniques": ["glove"], "samplings": ["shuffled"], "runs": 2}
    plan |= {"options": {"min_count": 2}, "glove": {"dim": 4, "epochs": 2, "x_max": 0.001}}
    result = sweep(read_settings(plan), {"x_max": [0.001, 0.002], "epochs": [2, 3]}, tmp_path)  # all counts are above
    (note,) = (note for note in result.notes if "bit for bit" in note)
    assert note.startswith("x_max=0.002/shuffled: runs are the baseline's")


def test_a_folder_of_run_sets_is_the_groups_of_all(swept):
    """The baseline first; each group is also called by its run set, and one study shows them in one picture."""
    _, folder = swept
    groups = open_groups(folder)
    names = [group.name for group in groups]
    sets = ["sgns-baseline", "sgns-dim=4", "sgns-min_count=12"]
    assert names[0] == "sgns/shuffled/runset=sgns-baseline"
    wanted = [f"sgns/{s}/runset={own}" for own in sets for s in ("shuffled", "bootstrap")]
    assert set(wanted) <= set(names)  # other tests sweep into the same folder
    result = thresholds(
        [group for group in groups if group.name in wanted], options=ThresholdsOptions(baseline="none", draws=2)
    )
    assert set(result.tables["similarities"]["group"]) == set(wanted)
    picture = FIGURES["distributions"][1](result.tables)
    assert len(picture.panels) == 1


def test_numbers_in_the_names_of_run_sets_are_in_their_order(corpus, tmp_path):
    for name in ("sgns-dim=10", "sgns-dim=9", "sgns-baseline", "sgns-dim=9.5"):
        write_runset({"sgns/shuffled": list(spaces_of(2))}, tmp_path / name)
    (tmp_path / "other").mkdir()
    parts = [group.key.part[-1][1] for group in open_groups(tmp_path)]
    assert parts == ["sgns-baseline", "sgns-dim=9", "sgns-dim=9.5", "sgns-dim=10"]


def spaces_of(count):
    for seed in range(count):
        x = torch.randn(5, 3, generator=torch.Generator().manual_seed(seed))
        yield Space(Vocabulary([f"w{k}" for k in range(5)]), x)


def test_the_size_of_the_dictionary_and_parameters_that_go_together(corpus, tmp_path):
    vary = {"max_words": [8, 20], "hierarchical_softmax+negative": [(False, 5), (True, 0)]}
    result = sweep(base(corpus, samplings=["shuffled"], runs=2), vary, tmp_path)
    words = {row["setting"]: row["words"] for row in result.tables["settings"].records()}
    assert words["max_words=8"] == 8
    assert words["max_words=20"] == 20
    assert set(words) == {"baseline", "max_words=8", "max_words=20", "negative=0,hierarchical_softmax=true"}
    frequent = prepare_corpus(str(corpus), CorpusOptions(min_count=2)).vocabulary[:8]
    run = read_space(tmp_path / "sgns-max_words=8/sgns/shuffled/run-000.safetensors")
    assert list(run.vocabulary) == list(frequent)


@pytest.mark.parametrize(
    ("vary", "grid", "said"),
    [
        ({"hierarchical_softmax+negative": [(False, 5), True]}, False, "2 parameters go together"),
        ({"hierarchical_softmax+none": [(False, 5), (True, 0)]}, False, "none: no parameter of sgns"),
        ({"hierarchical_softmax+negative": [(False, 5), (True, 0)], "dim": [2, 3]}, True, "no side of a grid"),
        ({"max_words": [1, 5]}, False, "max_words is 1"),
    ],
)
def test_values_that_cannot_go_together(corpus, vary, grid, said):
    with pytest.raises(InputError, match=said):
        settings_of(base(corpus), vary, grid=grid)


def test_tied_values_are_typed_with_a_plus(corpus, tmp_path, monkeypatch):
    asked = {}
    monkeypatch.setattr("gpustab.studies.sweep.study.sweep", lambda _, vary, *rest, **more: asked.update(vary) or 1 / 0)
    line = ["sweep", str(corpus), "-o", str(tmp_path), "--vary", "hierarchical_softmax+negative=false+5,true+0"]
    CliRunner().invoke(app, [*line, "--vary", "dim=5,6", "-q"])
    assert asked == {"hierarchical_softmax+negative": [(False, 5), (True, 0)], "dim": [5, 6]}


def test_a_parameter_stands_in_order_with_the_numbers_of_its_settings(swept):
    result, _ = swept
    rows = list(ALONG.rows(result.tables, parameter="dim", sampling="bootstrap", measure="p@10"))
    assert [(one.value, one.setting) for one in rows] == [(4, "dim=4"), (6, "baseline")]
    for one in rows:
        setting = row(result, "settings", setting=one.setting, sampling="bootstrap")
        assert (one.mean, one.se) == (setting["p@10"], setting["p@10_se"])
    assert len(result.verdict) == 2 * len(VARY)
    assert all("dim" in sentence or "min count" in sentence for sentence in result.verdict[::2])


def test_a_sweep_has_a_title_a_picture_and_a_methods_paragraph(swept):
    result, _ = swept
    said, picture = paper(result), draw(result)["parameters"]
    assert (
        said.title
        == "What do the number of dimensions and the least count of a word do to skip-gram embeddings of documents.txt?"
    )
    assert len(picture.panels) >= 2 * len(VARY)
    assert len(said.cards) == 4
    assert "40 documents" in said.methods
    assert "dim 6, 4; min count 2, 12" in said.methods


NOTHING = Unfit()


def effect(before, after, loss_before, loss_after, se=0.01, silent=NOTHING):
    of = [Estimate(x, se, 7) for x in (before, after, loss_before, loss_after)]
    return Effect("epochs", 5, 20, "bootstrap", *of, silent)


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((0.2, 0.3, 0.5, 0.4), "more"),
        ((0.3, 0.2, 0.4, 0.5), "less"),
        ((0.2, 0.3, 0.4, 0.5), "disagree"),
        ((0.2, 0.21, 0.5, 0.4), "open"),
        ((0.2, 0.3, 0.5, 0.4, 0.01, Unfit(["run-001 of baseline"])), "no test"),
        ((0.2, 0.3, 0.5, 0.4, math.nan), "no test"),
    ],
)
def test_a_parameter_is_judged_by_both_measures(numbers, verdict):
    assert EFFECT.judge(effect(*numbers)) == verdict


def test_values_that_both_give_runs_at_chance_are_not_tested():
    """PPMI of a small corpus, whose tokens were nearly all thinned out: few runs were said to be the reason."""
    by = effect(0.021, 0.024, 0.999, 0.998, 0.001)
    assert EFFECT.judge(by) == "no test"
    assert "hardly more alike than unrelated spaces, with epochs = 5 and with 20" in EFFECT.sentence(by)
    assert EFFECT.judge(effect(0.021, 0.4, 0.999, 0.3, 0.001)) == "more"  # one of them learned the corpus


def test_settings_at_chance_set_one_alarm():
    row = {"sampling": "shuffled", "reduced_pip": 0.0686, "se": 0.0004, "chance": 0.0688}
    settings = [Table.of([row | part]) for part in ({}, {"reduced_pip": 0.02}, {"reduced_pip": 0.0685})]
    measured = {name: SimpleNamespace(settings=x) for name, x in zip(("baseline", "a", "b"), settings, strict=True)}
    (alarm,) = nothing_learned(measured, SimpleNamespace(samplings=["shuffled"], runs=4, techniques=["sgns"]))
    assert alarm.startswith("Two shuffled runs of baseline and b are hardly more alike than unrelated spaces")


def test_a_setting_that_has_half_collapsed_is_judged_by_its_neighbours_alone():
    """Losses said the opposite; those of a baseline that has half collapsed are small by themselves."""
    by = effect(0.2, 0.3, 0.4, 0.5)._replace(unlike=no_comparison(0.87, 0.27))
    assert EFFECT.judge(by) == "more"
    assert "The PIP losses do not compare: the mean cosine of two words is 0.87 in one" in EFFECT.sentence(by)
    fallen = by._replace(collapsed=["baseline"])
    assert EFFECT.judge(fallen) == "no test"
    assert "The words of baseline all point one way" in EFFECT.sentence(fallen)


@pytest.mark.parametrize("cosine", [None, 0.95])
def test_the_box_and_the_lead_of_a_sweep_give_one_verdict(swept, cosine):
    result = copy.deepcopy(swept[0])
    settings = result.tables["settings"]
    if cosine:
        result.tables["settings"] = Table.of([{**row, "mean_cosine": cosine} for row in settings.records()])
    judged = list(effects(ALONG.of(result.tables), {}, result.tables["settings"]))
    result.verdict = [EFFECT.sentence(one) for one, _ in judged]
    verdicts, claim = {EFFECT.judge(one) for one, _ in judged}, paper(result).claim
    if cosine:
        assert verdicts == {"no test"}
        assert all(sentence in claim for sentence in result.verdict)
    assert ("changed how stable" in claim) == (bool(verdicts & {"more", "less"}) and "no test" not in verdicts)


def test_the_page_says_how_many_of_its_verdicts_chance_would_make(swept):
    """On parameters, on their scores where a test has pairs enough, and on the thesis' claims."""
    result, _ = swept
    (block,) = (block for block in describe(result) if block.title.startswith("What does the parameter do"))
    judged = sum(row.agrees != "no test" for row in OBSERVED.rows(result.tables))
    given = int(re.search(r"This page gives (\d+) verdicts by tests at 95 %", block.answer).group(1))
    assert 0 < given - judged <= 2 * len(VARY)
