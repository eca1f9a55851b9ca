"""Trying FAISS in child processes: a build that does not fit the machine raises nothing, it aborts, exits or hangs."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import cache

# 256 queries are enough for FAISS and torch to start their threads, which is where two OpenMP runtimes clash.
_SEARCH_CPU = """
import sys, {first}, {second}, numpy
points = numpy.eye(256, dtype="float32")
index = faiss.IndexFlatIP(256)
index.add(points)
found = index.search(points, 1)[1].ravel()
product = torch.from_numpy(points) @ torch.from_numpy(points)
if found.tolist() != list(range(256)) or product.trace() != 256:
    sys.exit("the tiny search gave wrong neighbours")
print("faiss", faiss.__version__)
"""

# The count of GPUs and the classes prove nothing: a missing kernel shows on the first search only.
_SEARCH_GPU = """
import sys, torch, faiss, numpy
if not hasattr(faiss, "StandardGpuResources"):
    sys.exit("this build of faiss has no GPU part")
if not faiss.get_num_gpus():
    sys.exit("faiss sees no GPU")
if torch.cuda.is_available():
    torch.ones(1, device="cuda")
points = numpy.eye(256, dtype="float32")
found = faiss.knn_gpu(faiss.StandardGpuResources(), points, points, 1, metric=faiss.METRIC_INNER_PRODUCT)[1]
if found.ravel().tolist() != list(range(256)):
    sys.exit("the tiny search gave wrong neighbours")
print("faiss", faiss.__version__)
"""


@cache
def probe_faiss(timeout: float = 120.0) -> tuple[bool, str]:
    """Tell whether FAISS works beside torch in one process, by a tiny search in a child process.

    Args:
        timeout: seconds after which the child counts as hanging (a cold disk needs many).

    Returns:
        ``(ok, reason)``: the version found, or why FAISS cannot be used.
    """
    return _attempt(_SEARCH_CPU.format(first="torch", second="faiss"), timeout)


@cache
def probe_faiss_gpu(timeout: float = 120.0) -> tuple[bool, str]:
    """Tell whether FAISS works on the GPU beside torch, by a tiny search in a child process.

    Args:
        timeout: seconds after which the child counts as hanging.

    Returns:
        ``(ok, reason)``: the version found, or why torch should search on the GPU instead.
    """
    return _attempt(_SEARCH_GPU, timeout)


@cache
def probe_faiss_first(timeout: float = 120.0) -> tuple[bool, str]:
    """Tell whether FAISS also works if it is imported before torch; see :func:`probe_faiss`."""
    return _attempt(_SEARCH_CPU.format(first="faiss", second="torch"), timeout)


def _attempt(program: str, timeout: float) -> tuple[bool, str]:
    """Run a program in a child process; it succeeds if it ends well *and* has printed its last line."""
    # -P: a file named faiss.py in the current folder is not the library
    command = [sys.executable, "-P", "-c", program]
    try:
        child = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return False, f"no answer within {timeout:g} s"
    code, printed, complaint = child.returncode, child.stdout.strip(), child.stderr.strip()
    if code == 0 and printed:
        return True, printed.splitlines()[-1]
    end = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"
    if not complaint:
        return False, end
    last = complaint.splitlines()[-1]
    return False, last if code == 1 else f"{end}: {last}"  # 1 is an exception, whose last line says it all
