"""Sizes of a space: every number against a naive one, planted noise that is found, spaces of one law that are not."""

import itertools
import json
import math

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.errors import InputError
from gpustab.kernels.quantise import in_bits
from gpustab.report import to_html, to_text
from gpustab.report.describe import paper
from gpustab.studies.sweep import claims_of_sizes as claims
from gpustab.studies.sweep import sizes
from gpustab.studies.sweep import tables_of_sizes as tables
from gpustab.studies.sweep.plans import bits_of, settings_of
from gpustab.studies.sweep.study import sweep
from gpustab.training import read_settings
from tests import oracles
from tests.kernels.test_quantise import anchored

V, BITS = 160, (1, 4, 32)
WORDS = [f"w{k}".encode() for k in range(V)]


def camps(noises, r=4, d=12, classes=4, seed=0):
    """Runs ``(R, v, d)`` by dimension, around the same centres of classes, and the task to tell these."""
    rng = np.random.default_rng(seed)
    own = rng.integers(classes, size=V)
    base = rng.normal(size=(classes, d))[own] + 0.4 * rng.normal(size=(V, d))
    made = {dim: base[:, :dim] + noise * rng.normal(size=(r, V, dim)) for dim, noise in noises.items()}
    half = torch.arange(V, device="cpu")
    own = torch.from_numpy(own)
    task = sizes.Task(half[::2], own[::2], half[1::2], own[1::2], 3)
    return {dim: torch.from_numpy(x) for dim, x in made.items()}, task


def measured(noises, bits=BITS, **more):
    spaces, task = camps(noises, **more)
    return sizes.sizes_of(spaces, bits, task), spaces, task


@pytest.fixture(scope="module")
def falling():
    return measured({6: 0.9, 12: 0.3})


def test_every_measure_of_a_size_is_the_naive_one(falling):
    found, spaces, task = falling
    assert list(found.sizes) == [(d, b) for d in (6, 12) for b in BITS]
    for k, size in list(enumerate(found.sizes))[::2]:
        for i, j in itertools.combinations(range(4), 2):
            two = in_bits(sizes.framed(spaces[size.dim][[i, j]]), size.bits)  # in the frame of the first of them
            x, y = two.numpy()
            expected = anchored(x, y, [spaces[12][i].numpy(), spaces[12][j].numpy()])
            assert float(found.pairs["eigenspace"][k, i, j]) == pytest.approx(expected, rel=1e-6)
            loss = oracles.reduced_pip(oracles.unit(x), oracles.unit(y))
            m = [oracles.mean_cosine(oracles.unit(one)) for one in (x, y)]
            squares = [np.square(oracles.unit(one).T @ oracles.unit(one)).sum() for one in (x, y)]
            chance = math.sqrt((sum(squares) - 2 * (V + V * (V - 1) * m[0] * m[1])) / (4 * V * V))
            assert float(found.pairs["pip"][k, i, j]) == pytest.approx(loss / chance, rel=1e-5)
            one, other = sizes.probed(torch.nn.functional.normalize(two, dim=2), task, task.seed)
            differ = float((one != other).double().mean())
            assert float(found.pairs["disagreement"][k, i, j]) == pytest.approx(differ, abs=0.03)  # batched sums
    assert float(found.right[5].double().mean()) > 0.8


def test_no_run_gives_its_frame_to_all_others():
    """It did: how far runs disagree hung on the frame of the first one, of which no error over runs knew."""
    spaces, task = camps({6: 0.9}, r=3)
    alone, among = (sizes.compared(own, own, 1, task) for own in (spaces[6][1:], spaces[6]))
    for name, pairs in alone.pairs.items():
        if name != "neighbours":  # equal cosines are ranked in a drawn order
            torch.testing.assert_close(among.pairs[name][1:, 1:], pairs)


def test_neighbours_without_ties_are_those_of_lists_and_equal_cosines_are_shared_by_chance_alone(falling):
    _, spaces, _ = falling
    unit = torch.nn.functional.normalize(spaces[12], dim=2)
    lists = [[set(oracles.top_k(run.numpy(), k, 10)) for k in range(V)] for run in unit[:2]]
    expected = np.mean([len(a & b) / 10 for a, b in zip(*lists, strict=True)])
    assert float(sizes.neighbours_apart(unit[:2], 0)) == pytest.approx(1 - expected)
    same = torch.ones(2, 40, 3, dtype=torch.float64)  # ranked alike in both runs, all would be shared
    shared = [1 - float(sizes.neighbours_apart(same, seed)) for seed in range(30)]
    assert np.mean(shared) == pytest.approx(10 / 39, abs=0.1)


def test_numbers_without_a_run_are_those_of_the_others(falling):
    found, *_ = falling
    pairs = found.pairs["disagreement"]
    whole = tables.left_out(pairs)
    i, j = np.triu_indices(4, 1)
    np.testing.assert_allclose(whole[0], pairs[:, i, j].mean(1))
    for left in range(4):
        kept = [(a, b) for a, b in zip(i, j, strict=True) if left not in (a, b)]
        np.testing.assert_allclose(whole[1 + left], np.mean([pairs[:, a, b].numpy() for a, b in kept], 0), atol=1e-12)
    (row,) = (r for r in tables.size_rows("shuffled", found) if r[1:3] == (6, 1) and r.measure == "disagreement")
    assert row.se == pytest.approx(oracles.jackknife(pairs[0].numpy()))
    assert row.memory == 6


def test_noise_that_falls_with_size_is_found_and_tells_more_than_the_bits(falling):
    found, *_ = falling
    by = {effect.what: effect for effect in tables.effects("shuffled", found)}
    assert {what: claims.STEADIER.judge(effect) for what, effect in by.items()} == {
        "bits": claims.STEADIER.judge(by["bits"]), "dim": "yes", "memory": "yes"}  # fmt: skip
    assert by["dim"].change == pytest.approx(by["dim"].after - by["dim"].before)
    slope = np.polyfit(np.log2([s.memory for s in found.sizes]), tables.left_out(found.pairs["disagreement"])[0], 1)[0]
    assert by["memory"].change == pytest.approx(slope)
    rhos = {row.measure: row for row in tables.orders("shuffled", found)}
    assert rhos["neighbours"].rho > 0.5
    assert {row.sizes for row in rhos.values()} == {6}


def test_noise_that_rises_with_size_is_found_the_other_way():
    found, *_ = measured({6: 0.3, 12: 1.4}, bits=(8, 32), r=6)
    by = {effect.what: claims.STEADIER.judge(effect) for effect in tables.effects("shuffled", found)}
    assert by["dim"] == "no"
    assert by["bits"] == "undecided"  # 8 bits are as good as all


def test_a_probe_that_knows_nothing_and_two_runs_are_no_test(falling):
    found, spaces, task = falling
    dealt = task._replace(classes=task.classes[torch.randperm(len(task.classes), generator=torch.manual_seed(0))])
    nothing = sizes.sizes_of(spaces, (1, 32), dealt)
    for effect in tables.effects("shuffled", nothing):
        assert claims.STEADIER.judge(effect) == "no test"
        assert "whose classes these vectors know" in claims.STEADIER.sentence(effect)
    two = sizes.sizes_of({d: x[:2] for d, x in spaces.items()}, (1, 32), task)
    assert {claims.STEADIER.judge(effect) for effect in tables.effects("shuffled", two)} == {"no test"}
    assert "at least three" in claims.STEADIER.sentence(next(tables.effects("shuffled", two)))
    rows = list(tables.orders("shuffled", found))
    assert {claims.FORESEEN.judge(claims.Order(row, differ=False)) for row in rows} == {"no test"}


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({"bits": [0]}, "bits is 0, wanted whole numbers from 1 to 16, or 32"),
        ({"bits": [24]}, "bits is 24"),
        ({"bits": [2.5]}, "bits is 2.5"),
        ({"bits": [True]}, "bits is True"),
        ({"bits": [32]}, "32 is always among them"),
        ({"dim+bits": [(10, 1)]}, "bits cost no training"),
    ],
)
def test_bits_that_are_none_are_refused(vary, message):
    with pytest.raises(InputError, match=message):
        settings_of(read_settings({"corpus": "lee"}), vary)


def test_bits_make_no_settings_of_their_own():
    base = read_settings({"corpus": "lee", "sgns": {"dim": 50}})
    assert [s.label for s in settings_of(base, {"bits": [1, 2]})] == ["baseline"]
    assert [s.label for s in settings_of(base, {"bits": [1], "dim": [50, 20]}, grid=True)] == ["baseline", "dim=20"]
    assert bits_of({"bits": [2, 1, 2]}) == (1, 2, 32)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """LSA of documents of four topics; the words' topics are their classes."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("sizes")
    words = [f"{'abcd'[k % 4]}{'efghijklmnop'[k // 4 % 12]}{'qrst'[k // 48]}" for k in range(100)]
    lines = []
    for document in range(60):
        weights = np.where(np.arange(100) % 4 == document % 4, 4.0, 1.0)
        lines.append(" ".join(rng.choice(words, size=60, p=weights / weights.sum())))
    (folder / "documents.txt").write_text("\n".join(lines) + "\n")
    (folder / "topics.tsv").write_text("".join(f"{word}\ttopic {word[0]}\n" for word in words))
    plan = {"corpus": str(folder / "documents.txt"), "techniques": ["lsa"], "samplings": ["bootstrap"], "runs": 3,
            "options": {"min_count": 2, "as_is": True}, "lsa": {"dim": 4}}  # fmt: skip
    vary = {"dim": [4, 8], "bits": [1, 4]}
    result = sweep(read_settings(plan), vary, folder / "sweep", labels=folder / "topics.tsv")
    return result, folder, plan


def test_a_sweep_over_bits_says_how_large_a_space_must_be(swept):
    result, *_ = swept
    assert {(row["dim"], row["bits"]) for row in result.tables["sizes"].records()} == {
        (d, b) for d in (4, 8) for b in (1, 4, 32)}  # fmt: skip
    assert [group["name"] for group in result.groups] == ["baseline", "dim=8"]
    html, text = to_html(result), to_text(result)
    assert "How large must a space be?" in html
    assert "bits a word" in html
    assert any("4 classes (topics.tsv)" in note for note in result.notes)
    assert any("bits a number" in sentence for sentence in result.verdict)
    assert result.verdict[-1].split()[0] in text


def test_bits_alone_train_nothing_new(swept, tmp_path):
    _, folder, plan = swept
    result = sweep(read_settings(plan), {"bits": [2]}, folder / "sweep", labels=folder / "topics.tsv")
    assert [group["trained_now"] for group in result.groups] == [0]
    html = to_html(result)
    assert "How large must a space be?" in html
    assert "How far is each setting from the baseline?" not in html
    with pytest.raises(InputError, match="only where bits vary"):
        sweep(read_settings(plan), {"dim": [4, 8]}, tmp_path, labels=folder / "topics.tsv")


def test_too_few_words_with_a_class_are_said_and_the_rest_is_there(swept):
    _, folder, plan = swept
    result = sweep(read_settings(plan), {"bits": [2]}, folder / "sweep")  # WordNet knows none of these words
    assert any("too few have one of two classes" in said for said in result.verdict)
    assert "a probe told classes" not in paper(result).methods
    assert "How large must a space be?" not in to_html(result)


def test_the_command_takes_bits_and_a_file_of_classes(swept):
    _, folder, _ = swept
    wanted = ["sweep", str(folder / "documents.txt"), "-o", str(folder / "sweep"), "--json", "--as-is"]
    wanted += ["--technique", "lsa", "--sampling", "bootstrap", "--runs", "3", "--min-count", "2", "--set", "lsa.dim=4"]
    done = CliRunner().invoke(app, [*wanted, "--vary", "bits=1", "--labels", str(folder / "topics.tsv")])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["settings"]["swept"] == {"bits": [1]}
    refused = CliRunner().invoke(app, [*wanted, "--vary", "dim=4,8", "--labels", str(folder / "topics.tsv")])
    assert refused.exit_code == 2
    assert "only where bits vary" in refused.output


def test_a_probe_that_is_worse_than_a_guess_is_said_to_be_so_and_equal_counts_prove_nothing():
    """It was said to be 4.7 to 9.3 points better: the sign was lost."""
    one = tables.Effect("shuffled", "bits", 1, 32, 0.4, 0.3, -0.1, 0.01, 10, -0.07, 0.023, -0.1)
    assert "is less often right than a guess" in claims.STEADIER.sentence(one)
    assert "hardly more often right" in claims.STEADIER.sentence(one._replace(beyond=0.01))
    assert "at its worst size" not in claims.STEADIER.sentence(one)
    assert "At its worst size the probe is less often right than a guess (−10.0 points)" in claims.STEADIER.sentence(
        one._replace(beyond=0.2)
    )
    one = one._replace(worst=0.1)
    assert "−9.3 to −4.7 points" in claims.STEADIER.sentence(one)
    assert claims.STEADIER.judge(one._replace(beyond=0.2)) == "yes"
    assert claims.STEADIER.judge(one._replace(beyond=0.2, se=0.0)) == "undecided"
    open_ = [claims.STEADIER.sentence(one._replace(beyond=0.2, se=0.1, runs=runs)) for runs in (3, 5)]
    assert ["train five or more" in said for said in open_] == [True, False]


def test_what_a_probe_knows_has_an_error_over_words_too():
    """Three runs that have equally many words right knew it for sure; dealt-out classes are known by chance alone."""
    usual = torch.arange(40) % 4 == 0
    right = (torch.arange(40) % 4 < 2).expand(1, 3, 40)
    pairs = dict.fromkeys((sizes.DISAGREEMENT, *sizes.MEASURES), torch.zeros(1, 3, 3))
    found = sizes.Sizes([sizes.Size(4, 32)], pairs, torch.zeros(1, 3), right, torch.zeros(1), usual)
    beyond, half, worst = tables.beyond_a_guess(found)
    assert worst == pytest.approx(beyond)
    spare = right[0, 0].double() - usual.double()
    assert beyond == pytest.approx(float(spare.mean())) == 0.25
    assert half == pytest.approx(2.0227 * float(spare.std()) / 40**0.5, rel=1e-4)  # t of 39
    assert {math.isnan(row.se) for row in tables.size_rows("shuffled", found)} == {True}
