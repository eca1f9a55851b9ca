"""Every fault point with every fault, and every file of ours in every broken form: ``python -m tests.faults``."""

import argparse
import time

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


def main():
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="calls whose name has this")
    parser.add_argument("--most", type=int, default=0, help="about so many faults a call; default all")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    chosen = parser.parse_args()
    raise SystemExit(bool(faults(chosen.only, chosen.most, chosen.show)))


if __name__ == "__main__":
    main()
