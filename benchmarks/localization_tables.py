"""White 2015 on the Microsoft corpus: counts, tables 1 to 3 and controls of finished calls, beside the paper's numbers.

PYTHONPATH=. python -m benchmarks.localization_tables RESULT... --out benchmarks/results

Each RESULT is a folder that ``gpustab study localization ... -o RESULT`` wrote; the first is of the whole corpus and
holds the bag of words. Numbers alone are kept: the corpus is not ours to give.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
from pathlib import Path
from typing import Any

from gpustab.studies.localization.tables import PAPER_COUNTS

PAPER = {
    "noun synonym within paraphrase": (100, 99, 95, 85, 66, 50, 34, 18, 11),
    "verb antonym beyond paraphrase": (0, 1, 1, 0),
    "verb antonym beyond noun synonym": (1, 4, 7, 25),
}
"""The paper's bags of words, in percent."""
PAPER_TIES = (95, 87, 87, 75)
"""Equal distances of table 3, as the author's own run printed them."""

LIMITS = {"nouns": (1.5, 1.5, 3, 12, 12, 12), "verbs": (3, 3), "overlap": (3, 3, 7)}
"""How far counts may lie from the paper's, in percent."""
POINTS, TIE_POINTS, LEAST, LEAST_TIES = 2, 4, 200, 40
"""How far shares may lie from the paper's, and from how many sentences on they are compared."""


def read(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table, numbers as numbers; an empty cell is a number that is not defined."""
    with (folder / f"{table}.csv").open(encoding="utf-8-sig", newline="") as file:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(file)]


def _value(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        try:
            return round(float(text), 4)
        except ValueError:
            return text or None


def counts_held(counts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return which counts are as near to the paper's as they must be."""
    rows = []
    for what, limits in LIMITS.items():
        for own, paper, limit in zip(counts, PAPER_COUNTS[what], limits, strict=False):
            rows.append(_held(f"{what}, k = {own['k']}", own[what], paper, 100 * (own[what] / paper - 1), limit))
    return rows


def shares_held(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return which shares of the bag of words are as near to the paper's as they must be."""
    rows = []
    for row in scores:
        if row["model"] != "bag of words" or row["comparison"] not in PAPER:
            continue
        name, k, paper = f"{row['comparison']}, k = {row['k']}", row["k"] - 1, PAPER[row["comparison"]]
        if row["n"] >= LEAST and k < len(paper):
            ours = 100 * row["share"]
            rows.append(_held(name, round(ours, 1), paper[k], ours - paper[k], POINTS))
        if row["comparison"] == "verb antonym beyond noun synonym" and row["n"] >= LEAST_TIES and k < len(PAPER_TIES):
            ties = 100 * row["equal_share"]
            rows.append(_held(f"{name}, ties", round(ties, 1), PAPER_TIES[k], ties - PAPER_TIES[k], TIE_POINTS))
    return rows


def _held(what: str, ours: float, paper: float, apart: float, limit: float) -> dict[str, Any]:
    return {
        "what": what,
        "ours": ours,
        "paper": paper,
        "apart": round(apart, 1),
        "limit": limit,
        "holds": abs(apart) <= limit,
    }


def models_of(folder: Path) -> list[dict[str, Any]]:
    """Return every model of a result with its scores: over runs where it has several."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    corpus, *groups = summary["groups"]
    over, scores, negation = (read(folder, name) for name in ("over_runs", "scores", "negation"))
    spaces = read(folder, "sentence_spaces")
    found = []
    for group in groups:
        name = group["name"]
        rows = [row for row in over if row["model"] == name] or [row for row in scores if row["model"] == name]
        kept = ("subset", "comparison", "k", "n", "share", "share_sd", "low", "high", "equal_share", "half", "half_sd")
        found.append(
            {
                "model": name,
                "runs": group["runs"],
                "pairs": corpus["pairs"],
                "command": _named(summary["environment"]["command"]),
                "verdict": [text for text in summary["verdict"] if text.lower().find(name.lower()) >= 0][:1],
                "alarms": [text for text in summary["alarms"] if text.startswith(name)],
                "notes": [text for text in summary["notes"] if text.startswith((f"{name}:", "all groups"))],
                "scores": [{key: row[key] for key in kept if key in row} for row in rows],
                "negation": next((row for row in negation if row["model"] == name), None),
                "spaces": next((row for row in spaces if row["model"] == name), None),
            }
        )
    return found


def _named(command: str) -> str:
    """A command with the names of its files, wherever they lay."""
    words = (word.partition("=") for word in shlex.split(command))
    return " ".join(first.split("/")[-1] + equals + rest.split("/")[-1] for first, equals, rest in words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    counts = read(chosen.results[0], "counts")
    accepted = counts_held(counts) + shares_held(read(chosen.results[0], "scores"))
    for row in accepted:
        print("holds" if row["holds"] else "FAILS", row)
    content = {
        "counts": counts,
        "paper": PAPER_COUNTS,
        "outcomes": read(chosen.results[0], "outcomes"),
        "acceptance": accepted,
        "models": [model for folder in chosen.results for model in models_of(folder)],
    }
    if chosen.out:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (chosen.out / "localization-msrpc.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
