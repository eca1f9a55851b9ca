"""Every fault point with every fault, and every file of ours in every broken form: ``python -m tests.faults``."""

import argparse
import gc
import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

from tests.faults.fuzz import TARGETS, Fuzz
from tests.faults.replay import Replay, shop
from tests.faults.scenarios import SCENARIOS

CHUNK = 250
"""Faults that are tried between two looks at the clock."""
FEW = 10
"""Forms of a file that are."""
COUNTS = ("sites", "sites and faults", "of them tried", "operations", "faults", "tried", "survived", "seconds")


def faults(chosen, keep):
    """Disturb the calls, every site of each first; print a row for each, and return what went wrong."""
    wrong = []
    print(f"{'call':24}" + "".join(f"{name:>{len(name) + 2}}" for name in COUNTS))
    with shop() as place:
        for scenario in named(SCENARIOS, chosen.only):
            started = time.perf_counter()
            replay = Replay(scenario, place)
            gc.freeze()  # forks then share what there is
            cases = replay.cases()
            for chunk in chunks(cases, chosen.most):
                replay.disturb(chunk)
                seconds = round(time.perf_counter() - started)
                row = row_of(replay, [pair for some in cases for pair in some], seconds)
                keep("calls", "call", row)
                if chosen.seconds and seconds > chosen.seconds:
                    break
            print(f"{scenario.name:24}" + "".join(f"{row[name]:{len(name) + 2}}" for name in COUNTS), flush=True)
            tell(replay.wrong, chosen.show)
            wrong += replay.wrong
    return wrong


def row_of(replay, cases, seconds):
    """Count what was tried of a call."""
    sites = replay.sites(cases)
    tried = sum(n for fault, n in replay.outcomes.items() if "not met" not in fault)
    return {
        "call": replay.scenario.name,
        "operations": len(replay.seen),
        "kinds": dict(sorted(Counter(kind for kind, _, _ in replay.seen).items())),
        "sites": len({(kind, site) for kind, site, _ in sites}),
        "sites and faults": len(sites),
        "of them tried": len(replay.sites(replay.met) & sites),
        "faults": len(cases),
        "tried": tried,
        "tried by fault": dict(sorted(replay.outcomes.items())),
        "survived": tried - len(replay.wrong),
        "states": len(replay.ends),
        "seconds": seconds,
    }


FORMS = ("kinds of forms", "of them tried", "forms", "tried", "refused", "read as whole", "wrong", "seconds")


def fuzz(chosen, keep):
    """Break the files that are read again, every kind of form first; print a row each, and return what went wrong."""
    wrong = []
    print(f"{'file':24}" + "".join(f"{name:>{len(name) + 2}}" for name in FORMS))
    with shop() as place:
        for target in named(TARGETS, chosen.only):
            started = time.perf_counter()
            broken = Fuzz(target, place)
            row, tried = {}, set()
            numbers = [number for chunk in chunks(broken.numbers(), chosen.most) for number in chunk]
            for start in range(0, len(numbers), FEW):
                for number in numbers[start : start + FEW]:
                    broken.read(number)
                    tried.add(broken.forms[number].kind)
                found, seconds = broken.outcomes, round(time.perf_counter() - started)
                kinds = len({form.kind for form in broken.forms})
                row = {"file": target.name, "kinds of forms": kinds, "of them tried": len(tried)}
                row |= {"forms": len(broken.forms), "tried": found.total(), "refused": found["refused"]}
                row |= {"read as whole": found["read"], "wrong": found["wrong"], "seconds": seconds}
                keep("files", "file", row)
                if chosen.seconds and seconds > chosen.seconds:
                    break
            print(f"{target.name:24}" + "".join(f"{row[name]:{len(name) + 2}}" for name in FORMS), flush=True)
            tell(broken.wrong, chosen.show)
            wrong += broken.wrong
    return wrong


def chunks(sets, most):
    """What is tried between two looks at the clock: each set, the last one drawn by a seed; or so many of all."""
    if most:
        return [spread([one for some in sets for one in some], most)]
    last = spread(sets[-1], len(sets[-1]))
    return [*sets[:-1], *(last[k : k + CHUNK] for k in range(0, len(last), CHUNK))]


def named(all_of_them, name):
    """The one of a name, else all whose names have it."""
    return [one for one in all_of_them if one.name == name] or [one for one in all_of_them if name in one.name]


def spread(cases, most):
    """So many of some cases, drawn by a seed."""
    return random.Random(0).sample(cases, min(most, len(cases)))


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
    parser.add_argument("--only", default="", help="the call or file of this name, or those whose name has it")
    parser.add_argument("--most", type=int, default=0, help="so many faults a call, and forms a file; default all")
    parser.add_argument("--seconds", type=int, help="after so many, what is left of a call or file is left out")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    parser.add_argument("--part", choices=("faults", "fuzz"), help="one of both; default both")
    parser.add_argument("--out", type=Path, help="a JSON file that the rows are put into")
    chosen = parser.parse_args()
    parts = [part for part in (faults, fuzz) if chosen.part in (None, part.__name__)]
    wrong = [line for part in parts for line in part(chosen, keeping(chosen.out))]
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
