"""A user's own fork after a measurement; without help the child waits for ever for threads that it does not have."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

PROGRAM = """
import os, signal, warnings
import numpy as np, torch
import gpustab
from gpustab.machine.device import Compute

warnings.simplefilter("ignore")
torch.set_num_threads(2)
words, rng = [f"w{k}" for k in range(3000)], np.random.default_rng(0)
runs = gpustab.load_runs([(words, rng.normal(size=(3000, 40))) for _ in range(2)])

def measured():
    ways = [Compute(backend=backend) for backend in BACKENDS]
    return [gpustab.stability(runs, targets=500, compute=way).groups[0]["neighbours"]["10"]["p"] for way in ways]

there = measured()
child = os.fork()
if not child:
    signal.alarm(200)  # ends a child that hangs
    os._exit(0 if measured() == there and torch.get_num_threads() == 1 else 1)
print(os.waitpid(child, 0)[1], torch.get_num_threads())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_measures_what_its_parent_measured():
    backends = ["torch", "faiss"] if find_spec("faiss") else ["torch"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("BACKENDS", str(backends))],
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.split() == ["0", "2"], done.stderr
