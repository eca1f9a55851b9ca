"""Prove that a change of the code changes no number, sentence, table or page: write all answers before and after.

    python tests/golden.py data DATA               make run sets and inputs, once
    python tests/golden.py write DATA OUT [NAME..]  run the cases whose names begin so (default: all), one file for each
    python tests/golden.py compare A B [NAME..]     tell what differs; exit code 1 if anything but pictures does
    python tests/golden.py list                    print the cases, as commands

Write once with the code before, once with the code after, and compare; both on one machine, from the same DATA. What
may differ between two calls of one command, such as its seconds, is not written.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # tests/statistics would stand before Python's
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    os.environ |= threads | {"OMP_WAIT_POLICY": "PASSIVE", "COLUMNS": "100", "NO_COLOR": "1"}  # one order of every sum

import argparse
import difflib
import hashlib
import html
import json
import re
import tempfile
import time
import timeit  # noqa: F401  # before its clock could stand still
from contextlib import nullcontext
from unittest.mock import patch

import numpy as np

from tests.golden_cases import CASES, PLANTED
from tests.golden_data import make_data

LIBRARY = {"library-monitor": "monitor", "library-stability": "stability"}
"""Answers of the library, by the function below that gives them."""

TIMED = ("train", "sweep")
"""Commands whose tables hold seconds: the clock stands still for them."""

WORDS = 8
"""How many differences are shown of a case."""


# What is written


def run_case(name, data):
    """What a case answers, as JSON values."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        os.chdir(folder)
        try:
            Path("data").symlink_to(data.resolve())
            status, page, error = library(name) if name in LIBRARY else command(CASES[name])
            return {"exit": status, "error": error, **read_folder(Path("out")), "page": plain(page), **made(Path())}
        finally:
            os.chdir(before)


def command(line):
    """Call the command: its exit code, what it printed, and what went wrong."""
    from typer.testing import CliRunner

    from gpustab.cli import app

    folder = "-o" if line.startswith("study") else "--out"
    sys.argv = ["gpustab", *line.split(), folder, "out"]
    with patch("time.perf_counter", return_value=0.0) if line.startswith(TIMED) else nullcontext():
        answer = CliRunner().invoke(app, [*sys.argv[1:], "-q"])
    unexpected = answer.exception if not isinstance(answer.exception, SystemExit) else None
    error = answer.stderr + (f"{type(unexpected).__name__}: {unexpected}" if unexpected else "")
    return answer.exit_code, answer.stdout, error if answer.exit_code else ""


def library(name):
    """Call the library in place of a command."""
    import torch

    import gpustab

    if LIBRARY[name] == "monitor":
        draws = np.random.default_rng(5)
        table = torch.from_numpy(draws.normal(size=(60, 6)))
        monitor = gpustab.StabilityMonitor(table, metrics=["pip", "procrustes", "cka", "overlap"])
        for _ in range(3):
            table += torch.from_numpy(0.2 * draws.normal(size=(60, 6)))
            monitor.step()
        result = monitor.result()
    else:
        result = gpustab.stability(
            gpustab.load_runs(sorted(Path(PLANTED).glob("low-*.txt"))), neighbours=[10], targets="all"
        )
    result.write("out")
    return 0, str(result), ""


def read_folder(folder):
    """What a folder of a result holds: its numbers, tables, page and pictures."""
    if not (folder / "summary.json").is_file():
        return {"missing": "no result was written"}
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    report = (folder / "report.html").read_text(encoding="utf-8")
    environment = summary["environment"]
    for volatile in (environment.get("date"), environment.get("command")):
        report = report.replace(html.escape(volatile), "…") if volatile else report
    return {
        "summary": lasting(summary),
        "tables": {path.stem: table(path) for path in sorted(folder.glob("*.parquet"))},
        "report": report_text(report),
        "figures": {path.name: digest(path.read_bytes()) for path in sorted(folder.glob("*.svg"))},
    }


KEPT = ("inputs", "trained")
VOLATILE = ("seconds", "phases", "date", "versions", "command", "python", "platform", "peak_memory_bytes")


def lasting(value):
    """A summary without what may differ between two calls of one command."""
    if isinstance(value, dict):
        if "sha256" in value and not str(value.get("path")).startswith("data/"):
            return {"path": value["path"]}  # a run that the command trained says how many seconds that took
        kept = {key: lasting(own) for key, own in value.items() if key not in VOLATILE and key != "environment"}
        of = value.get("environment")
        return kept | ({"environment": {k: lasting(of[k]) for k in KEPT if k in of}} if isinstance(of, dict) else {})
    return [lasting(own) for own in value] if isinstance(value, list) else value


def table(path):
    """Rows, and of every column its kind and a hash of its values."""
    from pyarrow.parquet import read_table

    read = read_table(path)
    columns = {name: f"{read[name].type} {digest(repr(read[name].to_pylist()).encode())}" for name in read.column_names}
    return {"rows": read.num_rows, "columns": columns, "csv": digest(path.with_suffix(".csv").read_bytes())}


def report_text(page):
    """The text of a page: a line for each element, without scripts, pictures, and what tells time and machine."""
    page = re.sub(r"<details><summary>Versions and machine</summary>.*?</details>", "", page, flags=re.DOTALL)
    page = re.sub(r"<tr><td>(?!data/)[^<]*</td><td[^>]*>[^<]*</td><td class=.hash.>.*?</tr>", "", page)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    page = re.sub(r"<(script|style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", "\n", page))
    return plain(text) + (f"\nwords of the page: {digest(data[1].encode())}" if data else "")


def plain(text):
    """Lines of a text, without empty ones and without those of time and memory; paths as if from one folder."""
    lines = (line.rstrip() for line in re.sub(r"\S*/golden-\w+/", "", text).splitlines())
    return "\n".join(line for line in lines if line.strip() and not re.match(r"(measured in )?[\d.]+ s( ·|$)", line))


def made(folder):
    """Hashes of the files that a command wrote beside its result, such as averages."""
    return {"files": {path.name: digest(path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()}}


def digest(content):
    return hashlib.sha256(content).hexdigest()[:24]


def write(data, out, names):
    """Write the answers of cases, and return whether all of them gave a result."""
    out.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in chosen([*CASES, *LIBRARY], names):
        started, busy = time.perf_counter(), time.process_time()
        answer = run_case(name, data)
        (out / f"{name}.json").write_text(json.dumps(answer, indent=1, ensure_ascii=False), encoding="utf-8")
        fault = f"  NO RESULT, exit {answer['exit']}: {answer['error'][-800:]}" if "missing" in answer else ""
        failed += [name] * bool(fault)
        wall, cpu = time.perf_counter() - started, time.process_time() - busy
        print(f"{wall:7.1f} s, {cpu:6.1f} of a core  {name}{fault}", flush=True)
    print(f"{len(failed)} cases gave no result: {', '.join(failed)}" if failed else "all cases gave a result")
    return not failed


def chosen(names, beginnings):
    return sorted(name for name in names if not beginnings or name.startswith(tuple(beginnings)))


# What differs


def compare(first, second, names=(), figures=False):
    """Print what differs between two folders, and return whether anything counts."""
    files = [{path.stem: path for path in folder.glob("*.json")} for folder in (first, second)]
    counts, pictures = [], []
    for name in chosen({*files[0], *files[1]}, names):
        if name not in files[0] or name not in files[1]:
            counts.append(name)
            print(f"{name}: only in {first if name in files[0] else second}")
            continue
        one, other = (json.loads(own[name].read_text(encoding="utf-8")) for own in files)
        drawn = list(differences(one.pop("figures", {}), other.pop("figures", {}), "figures"))
        told = list(differences(one, other))
        counts += [name] * bool(told)
        pictures += [name] * bool(drawn)
        shown = told[:WORDS] + drawn
        for line in [name, *shown, *([f"... {len(told) - WORDS} more"] if len(told) > WORDS else [])] * bool(shown):
            print(line if line == name else f"  {line}")
    print(f"{len(chosen({*files[0], *files[1]}, names))} cases; other: {', '.join(counts) or 'none'}")
    print(f"other pictures: {', '.join(pictures) or 'none'}")
    return bool(counts or (figures and pictures))


def differences(one, other, path=""):
    """Yield where two JSON values differ, and how."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            yield from differences(one.get(key, "(none)"), other.get(key, "(none)"), f"{path}.{key}".lstrip("."))
        if one.keys() == other.keys() and list(one) != list(other):
            yield f"{path}: another order, {list(one)} → {list(other)}"
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{k}]")
    elif isinstance(one, str) and isinstance(other, str) and "\n" in one + other:
        lines = list(difflib.unified_diff(one.splitlines(), other.splitlines(), lineterm="", n=0))[2:]
        if one != other:
            yield "\n      ".join([f"{path}:", *(line[:300] for line in lines[:12])])
    elif json.dumps(one) != json.dumps(other):
        yield f"{path}: {str(one)[:300]} → {str(other)[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    for mode, folders in (("data", ["data"]), ("write", ["data", "out"]), ("compare", ["a", "b"]), ("list", [])):
        of = modes.add_parser(mode)
        for folder in folders:
            of.add_argument(folder, type=Path)
        if mode != "data":
            of.add_argument("names", nargs="*", metavar="NAME")
        if mode == "compare":
            of.add_argument("--figures", action="store_true", help="other pictures count, too")
    given = parser.parse_args()
    if given.mode == "data":
        make_data(given.data)
    elif given.mode == "write":
        sys.exit(not write(given.data, given.out, given.names))
    elif given.mode == "compare":
        sys.exit(compare(given.a, given.b, given.names, given.figures))
    else:
        print("\n".join(f"{name}: gpustab {CASES[name]}" for name in chosen(CASES, given.names)))


if __name__ == "__main__":
    main()
