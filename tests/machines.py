"""Run the numeric tests as other processors would.

    python tests/machines.py                         every column: `make test-machines`
    python tests/machines.py --column 1 tests/engine  one of them, over some tests

A processor decides which signs and rotations LAPACK takes where they are open, in which order sums are formed, and so
the last digit of every number; threads, hashes and the order of tests decide other things that no test may lean on. A
column sets the switches by which torch, MKL, OpenBLAS and NumPy go the ways that they go elsewhere. Any two settings of
two switches meet in some column.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("kernels", "engine", "statistics", "functional", "evaluation", "trainers", "small_data", "studies")
NUMERIC = [f"tests/{folder}" for folder in FOLDERS]
LOGS = ROOT / "build/machines"

X86 = platform.machine() in {"x86_64", "AMD64"}
INTEL = {"LD_PRELOAD": "as_intel.so"}
SWITCHES = {
    "ATen": {
        "best": {},
        "avx2": {"ATEN_CPU_CAPABILITY": "avx2"} if X86 else {},
        "none": {"ATEN_CPU_CAPABILITY": "default"},
    },
    "MKL": {
        "best": {},
        "intel": INTEL,
        "sse4": INTEL | {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2"},
        "cbwr": {"MKL_CBWR": "COMPATIBLE"},
    },
    "OpenBLAS": {
        "best": {},
        "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
        "prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    },
    "NumPy": {"best": {}, "none": {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__)}},
    "threads": {"1": {"OMP_NUM_THREADS": "1"}, "3": {"OMP_NUM_THREADS": "3"}},
    "hash": {"1": {"PYTHONHASHSEED": "1"}, "2": {"PYTHONHASHSEED": "2"}},
}
COLUMNS = [
    ("none", "cbwr", "prescott", "none", "1", "2"),  # the one of `make test`
    ("best", "best", "best", "none", "3", "2"),
    ("best", "intel", "haswell", "none", "1", "2"),
    ("best", "sse4", "prescott", "best", "3", "1"),
    ("best", "cbwr", "best", "best", "1", "1"),
    ("avx2", "best", "haswell", "none", "1", "1"),
    ("avx2", "intel", "prescott", "best", "1", "2"),
    ("avx2", "sse4", "best", "none", "1", "1"),
    ("avx2", "cbwr", "haswell", "none", "3", "2"),
    ("none", "best", "prescott", "best", "1", "1"),
    ("none", "intel", "best", "none", "3", "1"),
    ("none", "sse4", "haswell", "best", "1", "2"),
]

AS_INTEL = "int mkl_serv_intel_cpu_true(void) { return 1; }\nint mkl_serv_intel_cpu(void) { return 1; }\n"
"""MKL goes its fast ways on processors of one make only, by these two answers."""


def environment(column, folder):
    """The variables of a column; where nothing can be compiled, MKL goes its own way."""
    variables = {}
    for switch, setting in zip(SWITCHES.values(), column, strict=True):
        variables |= switch[setting]
    if "LD_PRELOAD" in variables:
        library = Path(folder, variables["LD_PRELOAD"])
        command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
        try:
            subprocess.run(command, input=AS_INTEL, text=True, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            print("no C compiler: MKL goes its own way", flush=True)
        variables["LD_PRELOAD"] = str(library) if library.exists() else ""
    return os.environ | {"OMP_WAIT_POLICY": "PASSIVE"} | variables


def run(number, arguments):
    """Run one column; say in one line how it ended, and name what failed."""
    column, start = COLUMNS[number - 1], time.monotonic()
    processes = "auto" if column[-2] == "1" else "0"  # processes of xdist have one thread each
    command = [sys.executable, "-m", "pytest", "-n", processes, "--dist", "worksteal", "-m", "not slow", "-rfE"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, "--shuffle", str(number), *arguments],
            cwd=ROOT,
            env=environment(column, folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{number}.txt"
    log.write_text(done.stdout, encoding="utf-8")
    counts = re.findall(r"^(?:=+ )?(\d+ (?:passed|failed|error).*?) in [\d.]+s", done.stdout, flags=re.MULTILINE)
    result = counts[-1] if counts else f"pytest ended with {done.returncode}"
    print(f"column {number}: {result}, {time.monotonic() - start:.0f} s", flush=True)
    for line in re.findall(r"^(?:FAILED|ERROR) .*", done.stdout, flags=re.MULTILINE) if done.returncode else ():
        print(f"    {line}", flush=True)
    if done.returncode:
        print(f"    all of it: {log.relative_to(ROOT)}", flush=True)
    return done.returncode, result


def table(results):
    """The columns that were run, with their settings and results."""
    rows = [("column", *SWITCHES, "result")]
    rows += [(str(number), *COLUMNS[number - 1], result) for number, (_, result) in results.items()]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--column", type=int, action="append", choices=range(1, len(COLUMNS) + 1), metavar="NUMBER")
    parser.add_argument("tests", nargs="*", help="and options of pytest; default: the numeric ones")
    chosen, options = parser.parse_known_args()
    arguments = [*(chosen.tests or NUMERIC), *options]
    results = {number: run(number, arguments) for number in chosen.column or range(1, len(COLUMNS) + 1)}
    if len(results) > 1:
        print("\n" + table(results))
    sys.exit(any(code for code, _ in results.values()))


if __name__ == "__main__":
    main()
