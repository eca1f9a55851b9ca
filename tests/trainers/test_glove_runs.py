import threading
import weakref

import pytest
import torch

from gpustab.errors import OutOfMemoryError
from gpustab.kernels.training.glove import MOST_PLACES, make_factors
from gpustab.trainers import glove
from gpustab.trainers.glove import GloveParameters, Size, ahead, bytes_of, groups, make_run, size_of, steps_together
from tests.kernels.training import glove_oracle as oracle

CPU = torch.device("cpu")


def make(v, seed=0, density=0.5):
    counts = oracle.random_counts(v, density, seed)
    return make_run(counts, seed, GloveParameters(dim=6, batch=4, x_max=10, alpha=0.75))


def allocated(tensors):
    return sum(tensor.nbytes for tensor in tensors)


def test_what_is_reckoned_is_what_is_allocated():
    runs = [make(v, seed) for seed, v in enumerate((40, 90, 15))]
    sizes = [size_of(run) for run in runs]
    assert [size.words for size in sizes] == [40, 90, 15]
    want = bytes_of(sizes)
    steps = list(steps_together([run.batches for run in runs]))
    assert len(steps) == max(size.steps for size in sizes)
    assert not any(run.batches for run in runs)  # nothing is held twice
    held = allocated(part for step in steps for part in step)
    word, context = make_factors(torch.cat([run.start for run in runs], 1))
    tables = allocated([word.rows, word.history, context.rows, context.history])
    largest = max(len(step.log) for step in steps)
    temporary = tables + allocated(max(steps, key=lambda step: len(step.log))) + 5 * 4 * largest
    assert held + tables + temporary == pytest.approx(want, rel=0.02)
    assert held + tables + temporary <= want


@pytest.fixture
def card(monkeypatch):
    """Let the CPU be treated as a card."""
    monkeypatch.setattr(glove, "_alone", lambda _: False)


@pytest.mark.usefixtures("card")
def test_groups_are_as_large_as_the_memory_lets_them_be(monkeypatch):
    runs = [make(30, seed) for seed in range(7)]
    free = bytes_of([size_of(run) for run in runs[:3]])
    monkeypatch.setattr(glove, "_free", lambda _: free)
    found = []
    for group in groups(iter(runs), CPU):
        found.append([run.seed for run in group])
        assert free >= bytes_of([size_of(run) for run in group])
    assert [seed for group in found for seed in group] == list(range(7))
    assert {len(group) for group in found[:-1]} <= {2, 3}
    monkeypatch.setattr(glove, "_free", lambda _: 1000)
    with pytest.raises(OutOfMemoryError, match=r"a run of GloVe takes [\d,]+ bytes, cpu has 1,000 for it"):
        next(groups(iter(runs), CPU))


@pytest.mark.usefixtures("card")
def test_a_group_is_let_go_before_the_next_is_made(monkeypatch):
    monkeypatch.setattr(glove, "_fits", lambda sizes, _: len(sizes) <= 2)
    before = []
    for group in groups((make(10, seed) for seed in range(5)), CPU):
        assert [there() for there in before] == [None] * len(before)
        before = [weakref.ref(run.start) for run in group]
    assert len(before) == 1


def test_a_cpu_trains_every_run_alone():
    assert [len(group) for group in groups((make(10, seed) for seed in range(3)), CPU)] == [1, 1, 1]


@pytest.mark.parametrize("size", [Size(200_000, 302, 10**8, 12), Size(1000, 12, 2**31, 10)])
def test_no_group_has_more_than_32_bits_number(size):
    """200,000 words of 300 dimensions: 35 runs have 2,114,000,000 coordinates in a table, 36 more than 2³¹ - 1."""
    most = next(n for n in range(1, 1000) if not glove._fits([size] * (n + 1), 1 << 60))
    assert most == (35 if size.words == 200_000 else 9)
    assert most * max(size.words * size.columns, size.entries // size.steps + 1) <= MOST_PLACES


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_pieces_are_made_ahead_in_order_and_no_more_than_there_are_threads(threads):
    begun = []
    for used, found in enumerate(ahead(lambda piece: (begun.append(piece), piece * 2)[1], range(20), threads)):
        assert found == 2 * used
        assert len(begun) <= used + 1 + threads
    assert sorted(begun) == list(range(20))


def test_what_a_piece_raises_is_raised_and_ends_the_work():
    def work(piece):
        if piece == 2:
            raise ValueError("piece 2")
        return piece

    found = []
    with pytest.raises(ValueError, match="piece 2"):
        found.extend(ahead(work, range(10_000), 2))
    assert found == [0, 1]
    assert threading.active_count() < 10
