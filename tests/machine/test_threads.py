import time

import pytest
import torch

from gpustab.machine.threads import in_order, one_core_each


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_come_in_order(jobs):
    assert list(in_order(lambda n: n * n, range(20), jobs)) == [n * n for n in range(20)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_piece_begins_after_one_that_failed(jobs):
    begun = []

    def work(n):
        begun.append(n)
        if n == 2:
            raise KeyError(n)
        time.sleep(0.005)

    with pytest.raises(KeyError, match="2"):
        list(in_order(work, range(1000), jobs))
    assert max(begun) < 1000 - 1
    if jobs == 1:
        assert begun == [0, 1, 2]


def test_new_threads_have_one_core_each():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_core_each():
            assert list(in_order(lambda _: torch.get_num_threads(), range(3), 2)) == [1, 1, 1]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
