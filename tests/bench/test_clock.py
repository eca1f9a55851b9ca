import pytest
import torch

from gpustab.bench import clock
from gpustab.bench.clock import measure_ceilings

CPU = torch.device("cpu")


@pytest.fixture
def timed(monkeypatch):
    """Time calls that last so many seconds by a clock of our own."""

    def run(lengths, seconds):
        now, waiting = [0.0], list(lengths)

        def call():
            now[0] += waiting.pop(0)

        monkeypatch.setattr(clock, "_now", lambda device: now[0])
        return clock.time_call(call, CPU, seconds)

    return run


def test_median_and_distance_of_quartiles(timed):
    found = timed([1.0, 5.0, 2.0, 3.0, 4.0], 15)
    assert found == (3.0, 2.0, 5, None)


def test_at_least_three_at_most_fifty_and_one_where_a_call_takes_it_all(timed):
    assert timed([1.0] * 9, 0.5).repeats == 2  # three would need less than three times the seconds
    assert timed([0.6] * 9, 1.0).repeats == 3
    assert timed([1e-6] * 99, 1.0).repeats == 50
    assert timed([7.0] * 9, 2.0) == (7.0, 0.0, 1, None)


def test_ceilings_of_this_machine_are_measured():
    found = measure_ceilings(CPU)
    assert found.copy > 1e8
    assert found.matmul.keys() == {"fp64", "fp32", "bf16"}
    assert all(rate > 1e7 for rate in found.matmul.values())
