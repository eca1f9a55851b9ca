import pytest

from gpustab import load_runs
from gpustab.studies.average.study import average
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies

ODD_WORDS = ["[bold]x", "<script>", "bell\x07", "esc\x1b[31m", b"ab\xff", "漢字"]


@pytest.fixture(scope="session")
def runs():
    """Three runs whose words want escaping."""
    words = [*ODD_WORDS, *(f"w{i}" for i in range(14))]
    return load_runs([(words, run.numpy()) for run in noisy_copies(3, 20, 4)])


@pytest.fixture(scope="session")
def results(runs):
    return {
        "stability": stability(runs, neighbours=[1, 5]),
        "neighbours": neighbours_of(runs, "<script>", 19),
        "average": average(runs)[1],
    }


@pytest.fixture(scope="session")
def result(results):
    return results["stability"]


@pytest.fixture(params=["stability", "neighbours", "average"])
def each(request, results):
    return results[request.param]
