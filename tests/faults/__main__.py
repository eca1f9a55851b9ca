"""Every fault point with every fault, and every file of ours in every broken form: ``python -m tests.faults``."""

import argparse
import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

from tests.faults.fuzz import TARGETS, Fuzz
from tests.faults.replay import Replay, shop
from tests.faults.scenarios import SCENARIOS


def faults(chosen, keep):
    """Disturb the calls; print a row for each, and return what went wrong."""
    wrong = []
    print(f"{'call':24}{'points':>8}{'faults':>8}{'tried':>8}{'survived':>10}{'seconds':>9}")
    with shop() as place:
        for scenario in SCENARIOS:
            if chosen.only not in scenario.name:
                continue
            started = time.perf_counter()
            replay = Replay(scenario, place)
            cases = replay.cases()
            for case, fault in spread(cases, chosen.most):
                replay.disturb(case, fault)
            row = {
                "call": scenario.name,
                "points": len(replay.seen),
                "kinds": dict(sorted(Counter(kind for kind, _, _ in replay.seen).items())),
                "faults": len(cases),
                "tried": sum(n for fault, n in replay.outcomes.items() if "not met" not in fault),
                "tried by fault": dict(sorted(replay.outcomes.items())),
                "survived": sum(n for fault, n in replay.outcomes.items() if "not met" not in fault)
                - len(replay.wrong),
                "seconds": round(time.perf_counter() - started),
            }
            counts = "".join(f"{row[name]:{width}}" for name, width in (("points", 8), ("faults", 8), ("tried", 8)))
            print(f"{scenario.name:24}{counts}{row['survived']:10}{row['seconds']:9}", flush=True)
            keep("calls", "call", row)
            tell(replay.wrong, chosen.show)
            wrong += replay.wrong
    return wrong


def fuzz(chosen, keep):
    """Break the files that are read again; print a row for each, and return what went wrong."""
    wrong = []
    print(f"{'file':24}{'forms':>8}{'tried':>8}{'refused':>9}{'read as whole':>14}{'wrong':>8}")
    with shop() as place:
        for target in TARGETS:
            if chosen.only not in target.name:
                continue
            broken = Fuzz(target, place)
            numbers = spread(range(len(broken.forms)), chosen.most)
            for number in numbers:
                broken.read(number)
            found = broken.outcomes
            row = {"file": target.name, "forms": len(broken.forms), "tried": len(numbers)}
            row |= {"refused": found["refused"], "read as whole": found["read"], "wrong": found["wrong"]}
            counts = f"{row['forms']:8}{row['tried']:8}{row['refused']:9}{row['read as whole']:14}{row['wrong']:8}"
            print(f"{target.name:24}{counts}", flush=True)
            keep("files", "file", row)
            tell(broken.wrong, chosen.show)
            wrong += broken.wrong
    return wrong


def spread(cases, most):
    """So many of some cases, drawn by a seed; all where none is said."""
    return random.Random(0).sample(cases, min(most, len(cases))) if most else cases


def tell(wrong, most):
    """Print what went wrong."""
    for line in wrong[:most]:
        print("   ", line[:600], flush=True)


def keeping(path):
    """Return what puts a row into a file of results, in the place of an earlier one of its name."""

    def keep(part, key, row):
        if path is None:
            return
        content = json.loads(path.read_text()) if path.exists() else {"calls": [], "files": []}
        content[part] = [other for other in content[part] if other[key] != row[key]] + [row | {"commit": commit()}]
        path.write_text(json.dumps(content, indent=1) + "\n")

    return keep


def commit():
    """The commit that is looked at."""
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def main():
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="calls whose name has this")
    parser.add_argument("--most", type=int, default=0, help="so many faults a call, and forms a file; default all")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    parser.add_argument("--part", choices=("faults", "fuzz"), help="one of both; default both")
    parser.add_argument("--out", type=Path, help="a JSON file that the rows are put into")
    chosen = parser.parse_args()
    parts = [part for part in (faults, fuzz) if chosen.part in (None, part.__name__)]
    wrong = [line for part in parts for line in part(chosen, keeping(chosen.out))]
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
