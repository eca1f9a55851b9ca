"""No v × v array, ever: 200,000 words within 2 GiB (one float32 v × v matrix would be 149 GiB)."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, torch
from gpustab import Vocabulary, engine
from gpustab.runs.join import prepare
from gpustab.runs.joining import Joining
import faiss

v, d, runs = {v}, {d}, 3
resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))  # all writable memory of this process
words = Vocabulary(b"%d" % i for i in range(v))
generator = torch.Generator().manual_seed(0)
base = torch.randn(v, d, generator=generator)
rows = tuple(base + 0.1 * torch.randn(v, d, generator=generator) for _ in range(runs))
del base
runs = prepare(words, rows, ("a", "b", "c"), Joining("joint", 3, v))
pip = engine.pip_pass(runs)
words = engine.wordwise_pass(runs, pip.basis)
found = engine.neighbour_pass(runs, torch.arange(0, v, v // 100), 10)
engine.overlap_pass(found, [10])
assert abs(float(words.square.mean().sqrt() / pip.reduced.square().mean().sqrt()) - 1) < max(1e-9, pip.error) <= 1e-6
print("fits")
"""


@pytest.mark.parametrize(
    ("v", "d", "limit"),
    [
        pytest.param(60_000, 100, 1 << 30, id="60k x 100 in 1 GiB"),
        pytest.param(200_000, 300, 2 << 30, id="200k x 300 in 2 GiB", marks=pytest.mark.slow),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the writable memory of a process")
def test_everything_runs_within_a_limit(v, d, limit):
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(v=v, d=d, limit=limit)], capture_output=True, text=True, check=False
    )
    assert child.stdout.strip() == "fits", child.stderr[-2000:]
