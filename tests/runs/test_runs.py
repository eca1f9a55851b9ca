from dataclasses import replace

import pytest
import torch

from gpustab import Space, Vocabulary
from gpustab.runs.join import join
from tests import generators
from tests.generators import runs_of


def test_rows_are_unit_in_float64_and_inputs_stay_as_they_are():
    stack = torch.randn(2, 40, 6, generator=generators.generator(0)) * 7
    words = Vocabulary(str(i) for i in range(40))
    spaces = [Space(words, run.clone()) for run in stack]
    runs = join(spaces)
    assert (runs.stack().norm(dim=2) - 1).abs().max() < 1e-15
    assert all(torch.equal(space.vectors, run) for space, run in zip(spaces, stack, strict=True))


def test_centre_comes_before_unit():
    """Y = XQ + 3 in every coordinate: equal only after centring."""
    x = torch.randn(300, 8, dtype=torch.float64, generator=generators.generator(0))
    y = x @ generators.rotation(8, 1) + 3
    centred = runs_of(torch.stack([x, y]), centre=True).stack()
    assert (centred.norm(dim=2) - 1).abs().max() < 1e-12
    torch.testing.assert_close(centred[0] @ centred[0].T, centred[1] @ centred[1].T, atol=1e-5, rtol=0)
    plain = runs_of(torch.stack([x, y])).stack()
    assert (plain[0] @ plain[0].T - plain[1] @ plain[1].T).abs().max() > 0.5


def test_a_row_equal_to_the_mean_is_undefined_after_centring():
    x = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 0.0]]) + 2
    runs = runs_of(torch.stack([x, x]), centre=True)
    assert runs.present[:, runs.vocabulary.index_of("w4")].tolist() == [False, False]
    assert runs.joining.undefined == 1
    assert not runs.stack().isnan().any()


def test_chunks_are_the_stack():
    runs = runs_of(generators.noisy_copies(3, 50, 5))
    whole = runs.stack()
    pieces = torch.cat([runs.chunk(start, start + 7) for start in range(0, 50, 7)], dim=1)
    assert torch.equal(whole, pieces)


def test_the_chunks_of_several_processes_are_those_of_one():
    runs = runs_of(generators.noisy_copies(3, 50, 5))
    alone = [(start, chunk) for start, chunk in runs.chunks(7)]
    for world in (1, 2, 3, 20):
        shared = [part for rank in range(world) for part in runs.chunks(7, share=(rank, world))]
        for (start, chunk), (want, other) in zip(sorted(shared, key=lambda part: part[0]), alone, strict=True):
            assert start == want
            assert torch.equal(chunk, other)


def test_restricted_runs_keep_their_rows_and_lack_all_other_words():
    runs = runs_of(generators.noisy_copies(3, 10, 4))
    some = runs.restricted([b"w7", b"w2"])
    assert some.joint_words() == [b"w2", b"w7"]
    assert some.rows_of([b"w7", b"w2"]).tolist() == [7, 2]
    assert torch.equal(some.run(1)[2], runs.run(1)[2])
    assert (some.run(1)[3] == 0).all()


def test_taking_runs_keeps_rows_and_names_together():
    runs = runs_of(generators.noisy_copies(3, 10, 4))
    taken = runs.take([2, 0])
    assert taken.names == (runs.names[2], runs.names[0])
    assert torch.equal(taken.run(1), runs.run(0))


def test_taken_runs_have_their_part_of_the_counts():
    runs = replace(runs_of(generators.noisy_copies(3, 3, 2)), counts=torch.tensor([30, 20, 5]))
    runs = replace(runs, present=torch.tensor([[True, True, False], [True, True, True], [True, False, False]]))
    taken = runs.take([0, 2])
    assert taken.counts.tolist() == [20, 10, 0]
    assert taken.counts_in_a_run() == [10, 10, 0]
    assert runs.counts_in_a_run()[:2] == taken.counts_in_a_run()[:2]


class OnDisk:
    """Rows that are not a tensor, as a file's are; they count how often they are read."""

    def __init__(self, rows):
        self.rows, self.shape, self.reads = rows, tuple(rows.shape), []

    def __getitem__(self, part):
        self.reads.append(part.start)
        return self.rows[part]


@pytest.mark.parametrize("size", [1, 7, 50, 99])
def test_chunks_from_disk_are_those_from_memory(size):
    stack = generators.noisy_copies(3, 50, 5)
    stack[1, 2] = 0
    runs = runs_of(stack, vocabulary="union", centre=True)
    files = tuple(OnDisk(rows) for rows in runs.rows)
    from_disk = list(replace(runs, rows=files).chunks(size))
    from_memory = list(runs.chunks(size))
    assert [start for start, _ in from_disk] == list(range(0, 50, size))
    for (_, one), (start, other) in zip(from_disk, from_memory, strict=True):
        assert torch.equal(one, other)
        assert torch.equal(other, runs.chunk(start, start + size))
    assert all(file.reads == list(range(0, 50, size)) for file in files)
