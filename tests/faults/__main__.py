"""Every fault point with every fault, and every file of ours in every broken form: ``python -m tests.faults``."""

import argparse
import time

from tests.faults.fuzz import TARGETS, Fuzz
from tests.faults.replay import Replay, shop
from tests.faults.scenarios import SCENARIOS


def faults(only, most, show):
    """Disturb the calls; print a row for each, and return what went wrong."""
    wrong = []
    print(f"{'call':24}{'points':>8}{'faults tried':>14}{'survived':>10}{'seconds':>9}")
    with shop() as place:
        for scenario in SCENARIOS:
            if only and only not in scenario.name:
                continue
            started = time.perf_counter()
            replay = Replay(scenario, place)
            cases = replay.cases()
            for number, fault in cases[:: max(1, len(cases) // most)] if most else cases:
                replay.disturb(number, fault)
            tried = replay.outcomes.total()
            survived = tried - replay.outcomes["wrong"]
            seconds = time.perf_counter() - started
            print(f"{scenario.name:24}{len(replay.seen):8}{tried:14}{survived:10}{seconds:9.0f}", flush=True)
            for line in replay.wrong[:show]:
                print("   ", line[:600], flush=True)
            wrong += replay.wrong
    return wrong


def fuzz(only, most, show):
    """Break the files that are read again; print a row for each, and return what went wrong."""
    wrong = []
    print(f"{'file':24}{'forms':>8}{'refused':>14}{'read as whole':>14}{'wrong':>8}")
    with shop() as place:
        for target in TARGETS:
            if only and only not in target.name:
                continue
            broken = Fuzz(target, place)
            count = len(broken.forms)
            for number in range(0, count, max(1, count // most) if most else 1):
                broken.read(number)
            found = broken.outcomes
            print(f"{target.name:24}{count:8}{found['refused']:14}{found['read']:14}{found['wrong']:8}", flush=True)
            for line in broken.wrong[:show]:
                print("   ", line[:600], flush=True)
            wrong += broken.wrong
    return wrong


def main():
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="calls whose name has this")
    parser.add_argument("--most", type=int, default=0, help="about so many faults a call; default all")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    parser.add_argument("--part", choices=("faults", "fuzz"), help="one of both; default both")
    chosen = parser.parse_args()
    parts = [part for part in (faults, fuzz) if chosen.part in (None, part.__name__)]
    wrong = [line for part in parts for line in part(chosen.only, chosen.most, chosen.show)]
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
