"""No v × v array, ever: 200,000 words within 2 GiB (one float32 v × v matrix would be 149 GiB).

And what more runs and more text add to the peak of a call, the libraries' own memory taken off.
"""

import os
import subprocess
import sys
from math import comb

import pytest
import torch

from benchmarks.calls import launch
from benchmarks.setting import ROOT
from gpustab import Space, Vocabulary
from gpustab.formats.binary.safetensors import write_safetensors
from tests.faults.test_memory import lines

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


def peak(folder, *words):
    """Bytes that a command takes at most, as the system counts them."""
    own = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}  # each thread has buffers
    took = launch([sys.executable, "-m", "gpustab", *map(str, words), "-q"], folder, os.environ | own)
    assert took.code == 0, took.said
    return took.peak


def small_runs(folder, runs, v=50, d=4):
    """Noisy copies of one space."""
    generator = torch.Generator().manual_seed(0)
    words, base = Vocabulary(b"w%d" % k for k in range(v)), torch.randn(v, d, generator=generator)
    folder.mkdir()
    for run in range(runs):
        rows = base + 0.3 * torch.randn(v, d, generator=generator)
        write_safetensors(Space(words, rows), folder / f"run-{run:04d}.safetensors")
    return folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are counted otherwise")
def test_a_pair_of_runs_takes_less_than_a_kilobyte(tmp_path):
    """Of a pair some numbers are held, and of a run its rows: a dictionary for every pair would be too much."""
    few, many = 64, 512
    peaks = [
        peak(tmp_path, "stability", small_runs(tmp_path / f"{runs}", runs), "--out", f"o{runs}") for runs in (few, many)
    ]
    rows = 50 * 4 * 8  # in float64
    assert peaks[1] - peaks[0] < 600 * (comb(many, 2) - comb(few, 2)) + 4 * rows * (many - few)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are counted otherwise")
def test_a_byte_of_text_takes_less_than_three_of_memory(tmp_path):
    texts = [lines(tmp_path / f"{size}.txt", size) for size in (4_000_000, 12_000_000)]
    peaks = [peak(tmp_path, "info", text) for text in texts]
    assert peaks[1] - peaks[0] < 3 * (texts[1].stat().st_size - texts[0].stat().st_size)
