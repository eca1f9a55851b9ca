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


def test_joint_chunks_leave_out_what_a_run_lacks():
    stack = generators.noisy_copies(3, 10, 4)
    stack[1, 2] = 0
    runs = runs_of(stack, vocabulary="union")
    at = runs.vocabulary.index_of("w2")
    assert (runs.chunk(0, 10, joint=True)[:, at] == 0).all()
    assert runs.chunk(0, 10)[0, at].norm() == pytest.approx(1)


def test_taking_runs_keeps_rows_and_names_together():
    runs = runs_of(generators.noisy_copies(3, 10, 4))
    taken = runs.take([2, 0])
    assert taken.names == (runs.names[2], runs.names[0])
    assert torch.equal(taken.run(1), runs.run(0))


class OnDisk:
    """Rows that are not a tensor, as a file's are; they count how often they are read."""

    def __init__(self, rows):
        self.rows, self.shape, self.reads = rows, tuple(rows.shape), []

    def __getitem__(self, part):
        self.reads.append(part.start)
        return self.rows[part]


@pytest.mark.parametrize("size", [1, 7, 50, 99])
@pytest.mark.parametrize("joint", [False, True])
def test_chunks_from_disk_are_those_from_memory(size, joint):
    stack = generators.noisy_copies(3, 50, 5)
    stack[1, 2] = 0
    runs = runs_of(stack, vocabulary="union", centre=True)
    files = tuple(OnDisk(rows) for rows in runs.rows)
    from_disk = list(replace(runs, rows=files).chunks(size, joint=joint))
    from_memory = list(runs.chunks(size, joint=joint))
    assert [start for start, _ in from_disk] == list(range(0, 50, size))
    for (_, one), (start, other) in zip(from_disk, from_memory, strict=True):
        assert torch.equal(one, other)
        assert torch.equal(other, runs.chunk(start, start + size, joint=joint))
    assert all(file.reads == list(range(0, 50, size)) for file in files)
