"""What a call takes is told of that call alone, and one that takes too long is told to have done so."""

import sys

import numpy as np
import pytest

from benchmarks import limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prlimit, and peaks as Linux counts them")


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose command does what it is told."""

    def write(program):
        (tmp_path / "gpustab").mkdir()
        (tmp_path / "gpustab" / "__init__.py").touch()
        (tmp_path / "gpustab" / "__main__.py").write_text(program)
        return tmp_path

    return write


def test_a_peak_is_that_of_the_call_and_not_of_who_started_it(checkout):
    held = np.ones(30_000_000)
    tree = checkout("import sys\nprint('no last line')\nsys.exit(f'said {sys.argv[1:]}')")
    found = limits.called(tree, "info", "a.txt")
    assert held.nbytes > 200 * limits.MB
    assert found["peak_mb"] < 100
    assert (found["code"], found["said"]) == (1, "said ['info', 'a.txt']")


def test_a_call_that_takes_too_long_is_told_so(checkout, monkeypatch):
    from docs.faults import _end

    monkeypatch.setattr(limits, "ENDLESS", 1)
    assert _end(limits.called(checkout("while True: pass"))["code"]) == "stopped after 5 minutes of a processor"
