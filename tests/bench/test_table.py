import math

import pytest
import torch

from gpustab import InputError
from gpustab.bench import STEPS, bench, refused, steps, table
from gpustab.bench.bed import CUDA_SIZE, Bed
from gpustab.bench.spaces import synthetic_runs
from gpustab.errors import OutOfMemoryError

MEASURED = ("seconds", "spread", "repeats", "tflop", "gigabytes", "percent_of_matmul", "percent_of_copy")
CUDA = torch.device("cuda")


def tiny(*names, runs=3, words=60, dimension=5):
    return bench(runs, words, dimension, steps=names or None, seconds=0.001)


@pytest.fixture(scope="module")
def result():
    return tiny()


def test_every_step_is_checked_and_measured(result):
    rows = result.groups[0]["steps"]
    assert [row["step"] for row in rows] == list(STEPS)
    for row in rows:
        assert row["status"] == "checked"
        assert not row["note"]
        assert all(math.isfinite(row[name]) for name in MEASURED)
        assert row["seconds"] > 0
        assert 0 <= row["error"] < 1e-4
        assert row["peak_gib"] is None  # the CPU counts the whole process only
    assert not refused(result)
    assert not result.notes


def test_percents_are_of_the_ceilings(result):
    (group,) = result.groups
    row = group["steps"][0]
    assert group["fp64_matmul_tflop_per_second"] == pytest.approx(0.1)
    assert row["percent_of_matmul"] == pytest.approx(100 * row["tflop"] / row["seconds"] / 0.1)
    assert group["copy_gigabytes_per_second"] == 10
    assert row["percent_of_copy"] == pytest.approx(100 * row["gigabytes"] / row["seconds"] / 10)


def test_the_tables_hold_the_rows(result):
    rows = result.groups[0]["steps"]
    for columns in result.tables.values():
        for name, values in columns.items():
            assert values == [row[name] for row in rows]


@pytest.mark.parametrize("size", [(2, 2, 2), (5, 7, 11), (4, 33, 3)])
def test_odd_sizes(size):
    assert set(tiny(runs=size[0], words=size[1], dimension=size[2]).tables["steps"]["status"]) == {"checked"}


def test_a_wrong_answer_is_refused_and_the_others_go_on(monkeypatch):
    real = steps.engine.query_cosines
    monkeypatch.setattr(steps.engine, "query_cosines", lambda *a: real(*a)._replace(mean=real(*a).mean + 1e-3))
    result = tiny("cosines", "overlap")
    overlap, cosines = result.groups[0]["steps"]
    assert overlap["status"] == "checked"
    assert (cosines["status"], cosines["seconds"]) == ("refused", None)
    assert cosines["error"] == pytest.approx(1e-3, rel=1e-6)
    assert refused(result)
    assert result.notes == ["cosines, exact: error 1.0e-03, tolerated 1e-09: not timed."]


def test_nan_is_refused(monkeypatch):
    monkeypatch.setattr(steps.checks, "levels", lambda tree: math.nan)
    assert refused(tiny("average"))


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_what_does_not_fit_says_so_and_the_others_go_on(monkeypatch, error):
    def full(rows):
        raise error

    monkeypatch.setattr(steps, "tree_average", full)
    result = tiny("average", "cosines")
    assert result.tables["steps"]["status"] == ["out of memory", "checked"]
    assert result.tables["steps"]["seconds"][0] is None
    assert not refused(result)
    assert "memory" in result.notes[0]


def test_runs_that_do_not_fit_are_refused_with_their_size(monkeypatch):
    def full(*size):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(table, "synthetic_runs", full)
    with pytest.raises(OutOfMemoryError, match=r"take 28\.6 GiB.*fewer runs, words or dimension"):
        bench(128, 200_000, 300)


def test_the_fast_steps_pass_their_checks_too():
    """On a CPU that imitates bfloat16; without the fused kernel the row says so."""
    bed = Bed(synthetic_runs(3, 3000, 20, torch.device("cpu")), "torch", 0)
    for name, arithmetic in (("gram", "bf16"), ("words", "fp32")):
        job = STEPS[name].prepare(bed, "fast")
        assert job.arithmetic == arithmetic
        assert 1e-9 < job.check(job.call()) < job.tolerance
        assert job.note.startswith("by the plain kernel") == (name == "words")


def test_other_failures_are_not_hidden(monkeypatch):
    def broken(rows):
        raise RuntimeError("a fault")

    monkeypatch.setattr(steps, "tree_average", broken)
    with pytest.raises(RuntimeError, match="a fault"):
        tiny("average")


def test_what_is_timed_by_default():
    exact = [(name, "exact") for name in STEPS if name not in {"gram", "words"}]
    assert table._todo(None, None, torch.device("cpu")) == [("gram", "auto"), ("words", "auto"), *exact]
    both = [(name, kind) for name in ("gram", "words") for kind in ("auto", "fast")]
    assert table._todo(None, None, CUDA) == both + exact
    assert table._todo(["words"], "fast", CUDA) == [("words", "fast")]
    assert table._size(None, None, None, CUDA) == CUDA_SIZE
    assert table._size(None, 500, None, torch.device("cpu")) == (8, 500, 100)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"runs": 1}, "runs is 1"),
        ({"words": 1}, "words is 1"),
        ({"dimension": 0}, "dimension is 0"),
        ({"steps": ["gram", "sorting"]}, "no step 'sorting'"),
        ({"steps": []}, "there are gram"),
        ({"precision": "fast"}, "needs CUDA"),
        ({"precision": "fp8"}, "'fp8'"),
        ({"seconds": 0.0}, "seconds is 0"),
        ({"seconds": math.nan}, "seconds is nan"),
    ],
)
def test_wrong_choices(choices, words):
    with pytest.raises(InputError, match=words):
        bench(**choices)
