"""From which cosine on skip-gram, CBOW and GloVe are meaningful on one corpus, as the paper's tables say it.

Usage:
    gpustab train sotu -o RUNSET --technique sgns,cbow,glove --sampling shuffled --runs 8 --seed 1 --engine gensim
    python -m benchmarks.table_thresholds RUNSET sotu
    python -m benchmarks.table_thresholds RUNSET gcide 4000    # so many nouns, drawn
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import torch

from benchmarks.setting import ROOT, environment, keep
from gpustab.report import Result
from gpustab.runs.load import open_groups
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.study import thresholds

SHOWN = ("thresholds", "thresholds_by_run", "paper_sizes", "paper_lists", "moments", "shapes", "scores")
IN_THE_PAPER = {"sgns": 0.20, "cbow": -0.18, "glove": -0.15}
"""Its value thresholds (§4.4.2, §4.6), of a billion words."""


def value(result: Result, group: str, rule: str, form: str = "{:.3f} ± {:.3f}") -> str:
    """Mean and SD over runs of a value threshold."""
    (row,) = result.tables["thresholds"].records(group=group, kind="value", rule=rule)
    if row["mean"] is None:
        return f"none in {row['runs']}"
    return form.format(row["mean"], row["sd"]) + (
        f" ({row['found']} of {row['runs']})" if row["found"] < row["runs"] else ""
    )


def main() -> None:
    place, corpus = Path(sys.argv[1]), sys.argv[2]
    started = time.process_time()
    sample = int(sys.argv[3]) if len(sys.argv) > 3 else None
    options = ThresholdsOptions() if sample is None else ThresholdsOptions(sample=sample, words=1_000)
    result = thresholds(open_groups(place), options)
    seconds = time.process_time() - started
    header = ["runs of", "paper", "the paper's rule here", "above the mean", "clear", "above the mean, no word effects"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for group in result.groups:
        name = group["name"].split("/")[0]
        rules = ("paper", "chance", "clear", "chance adjusted")
        own = [value(result, group["name"], rule) for rule in rules]
        print("| " + " | ".join([group["name"], f"{IN_THE_PAPER.get(name, float('nan')):.2f}", *own]) + " |")
    print("\n".join([*result.alarms, *result.verdict]))
    content: dict[str, Any] = {
        "command": [line.strip() for line in (__doc__ or "").split("Usage:")[1].strip().splitlines()],
        "corpus": corpus,
        "environment": environment(torch.device("cpu")),
        "cpu_seconds": round(seconds, 1),
        "settings": result.settings,
        "groups": result.groups,
        "alarms": result.alarms,
        "verdict": result.verdict,
        "notes": result.notes,
        **{name: list(result.tables[name].records()) for name in SHOWN},
    }
    keep(content, ROOT / f"benchmarks/results/thresholds-{corpus}.json")


if __name__ == "__main__":
    main()
