import threading

import pytest
import torch

from gpustab.machine.threads import read_ahead

CPU = torch.device("cpu")


def test_next_piece_is_read_while_the_present_one_is_used():
    begun = {n: threading.Event() for n in range(4)}

    def read(n):
        begun[n].set()
        return [torch.full((2,), n)]

    for n, (tensor,) in read_ahead(read, range(3), CPU):
        assert tensor.tolist() == [n, n]
        if n < 2:
            assert begun[n + 1].wait(10), "the next piece was not begun"
        assert not begun[min(n + 2, 3)].is_set(), "more than one piece ahead"


def test_no_pieces():
    assert list(read_ahead(lambda n: [], [], CPU)) == []


def test_errors_of_reading_are_raised_where_the_piece_is_wanted():
    def read(n):
        if n == 2:
            raise OSError("disk")
        return [torch.tensor(n)]

    seen = []
    with pytest.raises(OSError, match="disk"):  # noqa: PT012  # the loop is what raises
        for n, _ in read_ahead(read, [1, 2, 3], CPU):
            seen.append(n)
    assert seen == [1]


def test_a_reader_that_is_left_early_ends():
    pieces = read_ahead(lambda n: [torch.tensor(n)], range(100), CPU)
    next(pieces)
    pieces.close()
    assert not any(
        thread.name.startswith("ThreadPoolExecutor") and thread.is_alive() for thread in threading.enumerate()
    )
