"""Where the time of every command and study goes, on lee and sotu: seconds by phase, peak memory, bytes written.

    python -m benchmarks.profile_studies [--before CHECKOUT] [--only NAME,NAME] [--repeats N]

Every call is a process of its own. A thread in it looks a hundred times a second at what the main thread is doing, and
takes down the room of the innermost function of gpustab: so every command has phases, and none is slowed down. What
the processor did between two looks goes to the chapter of a study that has some.
With ``--before`` the same calls go to an earlier version in turn; what it does not know is left out. Rows of other
calls stay in the file, each with its commit; ``not_run`` says which calls have no row of this one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

EVERY = 0.01
"""Seconds between two looks."""

SENTENCES = ("A {} was seen on the old road to the town .", "On the old road to the town somebody saw a {} .")
NOUNS = ("horse", "dog", "man", "woman", "tree", "car", "child", "soldier", "house", "train", "cow", "boat")
"""Pairs of sentences that mean the same: every noun in both."""

SETS = """[war-and-sport]
targets.war = "army troops soldiers war weapons bombing military attack"
targets.sport = "cricket match team players tour cup game innings"
attributes.harm = "death killed violence damage injured fear"
attributes.joy = "happy good great best hope success"
"""
"""Word sets of lee."""

CALLS = {
    "train lee": "train lee -o {out} --technique sgns --runs 4 --min-count 5 --dim 100 --epochs 5",
    "train sotu": "train sotu -o {out} --technique lsa --runs 2",
    "info lee": "info lee --out {out}",
    "info sotu": "info sotu --out {out}",
    "info RUNSET": "info {few} --out {out}",
    "stability lee": "stability {lee} --out {out}",
    "stability sotu": "stability {sotu} --out {out}",
    "stability lee 128": "stability {many} --out {out}",
    "neighbours lee": "neighbours government {lee} --out {out}",
    "neighbours lee 128": "neighbours government {many} --out {out}",
    "compare lee": "compare {lee}/sgns/shuffled {lee}/sgns/bootstrap --out {out}",
    "average lee": "average {lee}/sgns/shuffled -o {out}/average.txt --out {out}/page",
    "encode lee": "encode lee -m {encoder} -o {out} --runs 2",
    "sweep lee": "sweep lee -o {out} --technique lsa --runs 3 --vary dim=10,50 --set options.min_count=5",
    "pack lee": "pack {lee}/sgns/shuffled -o {out}/packed",
    "study instability lee": "study instability {lee} -o {out}",
    "study instability lee 48": "study instability {lsa} -o {out}",
    "study bootstrap lee": "study bootstrap {lee} --text lee --count 6 -o {out}",
    "study bootstrap sotu": "study bootstrap {sotu} --text sotu --count 6 -o {out}",
    "study change sotu": "study change {periods} -w labor,war -o {out}",
    "study consistency lee": "study consistency {lee}/sgns/shuffled --text lee --number 12 -o {out}",
    "study consistency encoder": "study consistency {lee}/sgns/shuffled --text lee --number 12 --encoder {encoder} "
    "-o {out}",
    "study thresholds lee": "study thresholds {lee}/sgns/shuffled --min-pairs 100 --draws 20 -o {out}",
    "study association lee": "study association {lee} --sets {sets} -o {out}",
    "study words lee": "study words {lee}/sgns/shuffled --text lee -o {out}",
    "study layers lee": "study layers lee -m {encoder} -m {other} --sentences 400 -o {out}",
    "study usage sotu": "study usage sotu --model {encoder} --epochs-by year:1790-1900,1950-2020 --words {words} "
    "-o {out}",
    "study calibration": "study calibration --model {encoder} --scores {scores} -o {out}",
    "study edits lee": "study localization lee --edits -m {encoder} -o {out}",
    "study localization": "study localization {pairs} -m bow -m mean={lee}/sgns/shuffled/run-000.safetensors -o {out}",
    "study localization encoder": "study localization {pairs} -m {encoder} -o {out}",
}
"""The calls; what stands in braces is made before."""

MADE = {
    "lee": "train lee -o {out} --technique sgns --runs 16 --min-count 5 --dim 100 --epochs 5",
    "many": "train lee -o {out} --technique sgns --sampling shuffled --runs 128 --min-count 5 --dim 100 --epochs 5",
    "few": "train lee -o {out} --technique lsa --runs 3 --min-count 5",
    "lsa": "train lee -o {out} --technique lsa --sampling shuffled --runs 48 --min-count 5 --dim 100",
    "sotu": "train sotu -o {out} --technique lsa --runs 4",
    "periods": "train sotu -o {out} --technique lsa --sampling shuffled,bootstrap --runs 4 --min-count 50 "
    "--epochs-by year:1790-2020:80 --control 1 --dim 50",
}

ROOMS = {
    "training": ("gpustab/training/", "gpustab/trainers/", "gpustab/kernels/training/"),
    "products": ("gpustab/engine/", "gpustab/kernels/"),
    "reading": ("gpustab/formats/", "gpustab/runs/", "gpustab/spaces/", "gpustab/corpus/", "gpustab/small_data/"),
    "drawing": ("gpustab/report/svg/", "/figures.py"),
    "writing": ("gpustab/report/", "gpustab/results/", "/page.py"),
}
"""Parts of the paths of modules, by phase; the first that fits decides. A study's own modules have their name."""


def phase_of(frame: FrameType | None) -> str:
    """Return the phase of what runs: imports, or the room of the innermost module of gpustab.

    >>> phase_of(None)
    'start'
    """
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith("<frozen importlib"):
            return "start"
        if "/gpustab/" in path and "site-packages" not in path:
            return _room(path[path.rindex("/gpustab/") + 1 :])
        frame = frame.f_back
    return "start"


def chapter_of(frame: FrameType | None) -> str:
    """Return the title of the chapter of `study instability` that is at work; nothing elsewhere.

    >>> chapter_of(None)
    ''
    """
    while frame is not None:
        if frame.f_code.co_name == "_measure" and frame.f_code.co_filename.endswith("instability/study.py"):
            return str(frame.f_locals.get("title", ""))
        frame = frame.f_back
    return ""


def _room(path: str) -> str:
    for phase, parts in ROOMS.items():
        if any(part in path for part in parts):
            return phase
    return path.removeprefix("gpustab/").removesuffix(".py")


def watched(arguments: list[str], kept: Path) -> None:
    """Run a command in this process and write how often each phase was seen, and the processor seconds of chapters."""
    seen: Counter[str] = Counter()
    chapters: dict[str, float] = defaultdict(float)
    main, over = threading.main_thread().ident, threading.Event()

    def watch() -> None:
        before = time.process_time()
        while not over.wait(EVERY):
            frame = sys._current_frames().get(main or 0)
            seen[phase_of(frame)] += 1
            now = time.process_time()
            chapters[chapter_of(frame)] += now - before
            before = now

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    sys.argv = ["gpustab", *arguments]
    sys.path.pop(0)  # this folder
    try:
        from gpustab.cli import run

        run()
    finally:
        over.set()
        watcher.join()
        kept.write_text(json.dumps({"seen": seen, "chapters": chapters}))


def call(tree: Path, line: str, places: dict[str, str], folder: Path) -> dict[str, Any]:
    """Run a call of a checkout; return its exit code, seconds, phases, peak and what it wrote."""
    from benchmarks.calls import launch  # the call is this file too, beside a version that may not have the module

    out, seen = folder / "out", folder / "seen.json"
    for path in (out, seen):
        shutil.rmtree(path, ignore_errors=True)
    seen.unlink(missing_ok=True)
    out.mkdir()
    target = {"out": str(out / "o")} if line.startswith(("train", "encode", "sweep")) else {"out": str(out)}
    own = os.environ | {"PYTHONPATH": str(tree), "OMP_WAIT_POLICY": "PASSIVE"}
    arguments = [*line.format(**places, **target).split(), *([] if line.endswith("--help") else ["-q"])]
    begin = time.perf_counter()
    took = launch([sys.executable, __file__, "--watched", str(seen), *arguments], folder, own)
    seconds = time.perf_counter() - begin
    watched = json.loads(seen.read_text()) if seen.exists() else {"seen": {}, "chapters": {}}
    counts = watched["seen"]
    looks = sum(counts.values()) or 1
    return {
        "code": took.code,
        "seconds": round(seconds, 2),
        "processor": round(took.seconds, 2),
        "phases": {phase: round(seconds * count / looks, 2) for phase, count in counts.items()},
        "chapters": {title: round(spent, 2) for title, spent in watched["chapters"].items() if title},
        "peak_mb": round(took.peak / 1e6),
        "written": sum(path.stat().st_size for path in out.rglob("*") if path.is_file()),
        "said": took.said.strip()[-300:],
    }


def row_of(name: str, version: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians of several calls, with their least and most seconds; phases of less than 2 % are left out."""
    seconds = [one["seconds"] for one in calls]
    phases, chapters = _medians(calls, "phases"), _medians(calls, "chapters")
    middle = statistics.median(seconds)
    shown = sorted((item for item in phases.items() if item[1] >= 0.02 * middle), key=lambda item: -item[1])
    return {
        "call": name,
        "version": version,
        "code": max(one["code"] for one in calls),
        "seconds": middle,
        "span": [min(seconds), max(seconds)],
        "processor": statistics.median(one["processor"] for one in calls),
        "load": round(os.getloadavg()[0], 1),
        "phases": dict(shown),
        **({"chapters": chapters} if chapters else {}),
        "peak_mb": max(one["peak_mb"] for one in calls),
        "written": calls[-1]["written"],
        **({"said": calls[-1]["said"]} if any(one["code"] for one in calls) else {}),
    }


def _medians(calls: list[dict[str, Any]], what: str) -> dict[str, float]:
    names = dict.fromkeys(name for one in calls for name in one[what])
    return {name: statistics.median(one[what].get(name, 0.0) for one in calls) for name in names}


def _scored() -> Iterator[str]:
    """Yield pairs of sentences with a similarity: the same noun in both, or two nouns."""
    yield "score\tsentence1\tsentence2\n"
    for first, second in itertools.product(NOUNS, NOUNS):
        yield f"{5 if first == second else 1}\t{SENTENCES[0].format(first)}\t{SENTENCES[1].format(second)}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an earlier version, to be called in turn")
    parser.add_argument("--only", default="", metavar="NAMES", help="names of calls, or how they begin, with commas")
    parser.add_argument("--repeats", type=int, default=1, help="of every call")
    parser.add_argument("--encoder", metavar="FOLDER", help="model of `encode` and studies; default: none is called")
    parser.add_argument("--other", metavar="FOLDER", help="another fine-tuning of it; default: no `study layers`")
    parser.add_argument("--made", type=Path, metavar="DIR", help="keep the run sets that are made, or take those there")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: benchmarks/results/studies-cpu.json")
    given = parser.parse_args()

    import torch

    from benchmarks.setting import ROOT, environment, keep

    kept = given.out or ROOT / "benchmarks/results/studies-cpu.json"
    trees = {_commit(tree): tree.resolve() for tree in (ROOT, given.before) if tree}
    beginnings = tuple(part for part in given.only.split(",") if part)
    chosen = {name: line for name, line in CALLS.items() if not beginnings or name.startswith(beginnings)}
    for wanted in ("encoder", "other"):
        chosen = {name: line for name, line in chosen.items() if getattr(given, wanted) or f"{{{wanted}}}" not in line}
    rows = json.loads(kept.read_text())["rows"] if kept.exists() else []
    with tempfile.TemporaryDirectory() as temporary:
        folder, made = Path(temporary), given.made or Path(temporary) / "made"
        made.mkdir(exist_ok=True)
        places = {"pairs": str(made / "pairs.tsv"), "encoder": str(Path(given.encoder or ".").resolve())}
        places["other"] = str(Path(given.other or ".").resolve())
        places |= {"words": str(made / "words.txt"), "scores": str(made / "scores.tsv")}
        (made / "words.txt").write_text("labor\nwar\npeace\ntrain\n")
        (made / "scores.tsv").write_text("".join(_scored()))
        places["sets"] = str(made / "sets.toml")
        (made / "sets.toml").write_text(SETS)
        (made / "pairs.tsv").write_text("".join("\t".join(SENTENCES).format(n, n) + "\n" for n in NOUNS))
        for name, line in MADE.items():
            places[name] = str(made / name)
            if any(f"{{{name}}}" in one for one in chosen.values()) and not (made / name).exists():
                done = call(ROOT, line, {}, folder)
                if done["code"]:
                    raise SystemExit(f"{line}: {done['said']}")
                shutil.move(folder / "out" / "o", made / name)
                rows = _with(rows, [row_of(f"make: {line.format(out=name)}", next(iter(trees)), [done])])
        for name, line in chosen.items():
            found: dict[str, list[dict[str, Any]]] = {version: [] for version in trees}
            for _ in range(given.repeats):
                for version, tree in trees.items():
                    found[version].append(call(tree, line, places, folder))
            new = [row_of(name, version, calls) for version, calls in found.items()]
            print(*map(json.dumps, new), sep="\n", flush=True)
            rows = _with(rows, new)
            there = environment(torch.device("cpu"))
            keep({"environment": there, "rows": rows, "not_run": _not_run(rows, next(iter(trees)))}, kept)


def _with(rows: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with new ones, which take the place of all others of their calls."""
    calls = {row["call"] for row in new}
    return [row for row in rows if row["call"] not in calls] + new


def _not_run(rows: list[dict[str, Any]], version: str) -> dict[str, str]:
    """Say of every call without a row of a version which one it has, or what it would take."""
    last = {row["call"]: row["version"] for row in rows}
    there = {row["call"] for row in rows if row["version"] == version}
    return {
        name: f"last at {last[name]}" if name in last else "needs --encoder" if "{encoder}" in line else "never run"
        for name, line in CALLS.items()
        if name not in there
    }


def _commit(tree: Path) -> str:
    command = ["git", "-C", str(tree), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--watched"]:
        watched(sys.argv[3:], Path(sys.argv[2]))
    else:
        main()
