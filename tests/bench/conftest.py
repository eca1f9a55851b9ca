import pytest

from gpustab.bench import table
from gpustab.bench.clock import Ceilings


@pytest.fixture(autouse=True, scope="package")
def known_ceilings():
    """Ceilings of our own: measuring them takes seconds, see test_clock.py."""
    with pytest.MonkeyPatch.context() as patch:
        rates = {"fp64": 1e11, "fp32": 2e11, "bf16": 4e11}
        patch.setattr(table, "measure_ceilings", lambda device: Ceilings(1e10, rates))
        yield
