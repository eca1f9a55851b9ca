"""Where the time of every command and study goes, on lee and sotu: seconds by phase, peak memory, bytes written.

    python -m benchmarks.profile_studies [--before CHECKOUT] [--only NAME,NAME] [--repeats N]

Every call is a process of its own (:mod:`benchmarks.phases`). A thread in it looks a hundred times a second at what is
at work, and takes down the room of the innermost function of gpustab: so every command has phases, and none is slowed
down. ``phases`` are elapsed seconds, ``work`` those of the processor, of other processes ("elsewhere") too.
With ``--before`` the same calls go to an earlier version in turn. Rows of other calls stay in the file, each with its
commit; ``not_run`` says which calls have no row of this one. A call that fails takes no row's place: it stands under
``failed``, and the bench ends with an error if it is one of this version.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.calls import launch
from benchmarks.phases import START

PHASES = Path(__file__).with_name("phases.py")

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
    "stability lee 48": "stability {lsa} --out {out}",
    "stability lee 128": "stability {many} --out {out}",
    "stability lee 128 LSA": "stability {many_lsa} --out {out}",
    "neighbours lee": "neighbours government {lee} --out {out}",
    "neighbours lee 128": "neighbours government {many} --out {out}",
    "neighbours lee 128 LSA": "neighbours government {many_lsa} --out {out}",
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
    "many_lsa": "train lee -o {out} --technique lsa --sampling shuffled --runs 128 --min-count 5 --dim 100",
    "sotu": "train sotu -o {out} --technique lsa --runs 4",
    "periods": "train sotu -o {out} --technique lsa --sampling shuffled,bootstrap --runs 4 --min-count 50 "
    "--epochs-by year:1790-2020:80 --control 1 --dim 50",
}


def call(tree: Path, line: str, places: dict[str, str], folder: Path) -> dict[str, Any]:
    """Run a call of a checkout; return its exit code, seconds, phases, peak and what it wrote."""
    out, seen = folder / "out", folder / "seen.json"
    for path in (out, seen):
        shutil.rmtree(path, ignore_errors=True)
    seen.unlink(missing_ok=True)
    out.mkdir()
    target = {"out": str(out / "o")} if line.startswith(("train", "encode", "sweep")) else {"out": str(out)}
    own = os.environ | {"PYTHONPATH": str(tree), "OMP_WAIT_POLICY": "PASSIVE"}
    arguments = [*line.format(**places, **target).split(), *([] if line.endswith("--help") else ["-q"])]
    begin = time.perf_counter()
    took = launch([sys.executable, PHASES, seen, *arguments], folder, own)
    seconds = time.perf_counter() - begin
    looks = json.loads(seen.read_text()) if seen.exists() else {"phases": {}, "work": {}, "chapters": {}}
    return {
        "code": took.code,
        "seconds": round(seconds, 2),
        "processor": round(took.seconds, 2),
        "phases": _whole(looks["phases"], seconds, START),
        "work": _whole(looks["work"], took.seconds, "elsewhere"),
        "chapters": {title: round(spent, 2) for title, spent in looks["chapters"].items() if title},
        "peak_mb": round(took.peak / 1e6),
        "written": sum(path.stat().st_size for path in out.rglob("*") if path.is_file()),
        "said": took.said.strip()[-300:],
    }


def _whole(seen: Mapping[str, float], total: float, rest: str) -> dict[str, float]:
    """Return seconds by phase that add up to all: what was not seen, as before the first look, is of the phase rest."""
    unseen = {rest: seen.get(rest, 0.0) + max(total - sum(seen.values()), 0.0)}
    return {phase: round(spent, 2) for phase, spent in {**seen, **unseen}.items()}


def row_of(name: str, version: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians of several calls, with their least and most seconds; phases of less than 2 % are left out."""
    seconds = [one["seconds"] for one in calls]
    chapters = _medians(calls, "chapters")
    middle, processor = statistics.median(seconds), statistics.median(one["processor"] for one in calls)
    failed = next((one for one in calls if one["code"]), None)
    return {
        "call": name,
        "version": version,
        "code": failed["code"] if failed else 0,
        "seconds": middle,
        "span": [min(seconds), max(seconds)],
        "processor": processor,
        "load": round(os.getloadavg()[0], 1),
        "phases": _large(_medians(calls, "phases"), middle),
        "work": _large(_medians(calls, "work"), processor),
        **({"chapters": chapters} if chapters else {}),
        "peak_mb": max(one["peak_mb"] for one in calls),
        "written": calls[-1]["written"],
        **({"said": failed["said"]} if failed else {}),
    }


def _medians(calls: list[dict[str, Any]], what: str) -> dict[str, float]:
    names = dict.fromkeys(name for one in calls for name in one[what])
    return {name: statistics.median(one[what].get(name, 0.0) for one in calls) for name in names}


def _large(seconds: Mapping[str, float], total: float) -> dict[str, float]:
    return dict(sorted((item for item in seconds.items() if item[1] >= 0.02 * total), key=lambda item: -item[1]))


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

    from benchmarks.setting import ROOT, commit_of, environment, keep

    kept = given.out or ROOT / "benchmarks/results/studies-cpu.json"
    trees = {commit_of(tree): tree.resolve() for tree in (ROOT, given.before) if tree}
    beginnings = tuple(part for part in given.only.split(",") if part)
    chosen = {name: line for name, line in CALLS.items() if not beginnings or name.startswith(beginnings)}
    for wanted in ("encoder", "other"):
        chosen = {name: line for name, line in chosen.items() if getattr(given, wanted) or f"{{{wanted}}}" not in line}
    present = next(iter(trees))
    before = json.loads(kept.read_text()) if kept.exists() else {}
    rows, failed = before.get("rows", []), before.get("failed", [])
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
                rows, failed = _with(rows, failed, [row_of(f"make: {line.format(out=name)}", present, [done])])
        for name, line in chosen.items():
            found: dict[str, list[dict[str, Any]]] = {version: [] for version in trees}
            for _ in range(given.repeats):
                for version, tree in trees.items():
                    found[version].append(call(tree, line, places, folder))
            new = [row_of(name, version, calls) for version, calls in found.items()]
            print(*map(json.dumps, new), sep="\n", flush=True)
            rows, failed = _with(rows, failed, new)
            there = {"environment": environment(torch.device("cpu")), "rows": rows}
            keep(there | {"failed": failed, "not_run": _not_run(rows, present)}, kept)
    if wrong := [row["call"] for row in failed if row["version"] == present and row["call"] in chosen]:
        raise SystemExit(f"failed: {', '.join(wrong)}")


Rows = list[dict[str, Any]]


def _with(rows: Rows, failed: Rows, new: Rows) -> tuple[Rows, Rows]:
    """Return rows and failed calls with new ones, that of this version first.

    A row takes the place of all others of its call, those of failed calls too; where the call failed in this version,
    only of those of its own version.
    """
    well, wrong = [row for row in new if not row["code"]], [row for row in new if row["code"]]
    done = {new[0]["call"]} if new and not new[0]["code"] else set()
    same, again = {(row["call"], row["version"]) for row in well}, {(row["call"], row["version"]) for row in new}
    rows = [row for row in rows if row["call"] not in done and (row["call"], row["version"]) not in same]
    failed = [row for row in failed if row["call"] not in done and (row["call"], row["version"]) not in again]
    return rows + well, failed + [{key: row[key] for key in ("call", "version", "code", "said")} for row in wrong]


def _not_run(rows: Rows, version: str) -> dict[str, str]:
    """Say of every call without a row of a version which one it has, or what it would take."""
    last = {row["call"]: row["version"] for row in rows}
    there = {row["call"] for row in rows if row["version"] == version}
    return {
        name: f"last at {last[name]}" if name in last else "needs --encoder" if "{encoder}" in line else "never run"
        for name, line in CALLS.items()
        if name not in there
    }


if __name__ == "__main__":
    main()
