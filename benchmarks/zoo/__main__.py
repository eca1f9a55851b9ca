"""Read every text of the zoo: how many ordinary ones raise a strong doubt, and how many made ones the right one."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from benchmarks.zoo.first_fresh import first_fresh
from benchmarks.zoo.found import found
from benchmarks.zoo.made import made
from benchmarks.zoo.ordinary import ordinary
from benchmarks.zoo.specimen import Specimen
from gpustab.corpus.evidence import evidence
from gpustab.errors import InputError

WANTED_FALSE, WANTED_FOUND = 0.01, 0.95


@dataclass(frozen=True)
class Seen:
    """What reading a text came to.

    Attributes:
        name: of it.
        ordinary: whether it is an ordinary text.
        part: of the zoo: ``"seen"`` where rules were set on it, or the set of fresh ones.
        strong: kinds of its strong doubts; ``"refused"`` where it was not read.
        weak: kinds of its other doubts.
        says: the refusal, or what the first doubt says.
        right: whether it was as it should be: no strong doubt of an ordinary text, the right one of another.
        firm: of a made file, whether the right doubt was a strong one, which stops a training.
        seconds: processor time.
    """

    name: str
    ordinary: bool
    part: str
    strong: tuple[str, ...]
    weak: tuple[str, ...]
    says: str
    right: bool
    firm: bool
    seconds: float


def look_at(specimen: Specimen) -> Seen:
    """Read one text as training does."""
    start = time.process_time()
    strong, weak, says = (), (), ""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = evidence(specimen.write(Path(folder)), min_count=1, **specimen.options)
        except InputError as error:
            strong, says = ("refused",), str(error).replace(folder, "")
        else:
            strong = tuple(doubt.kind for doubt in found.doubts if doubt.strong)
            weak = tuple(doubt.kind for doubt in found.doubts if not doubt.strong)
            says = str(InputError(found.doubts[0].says)) if found.doubts else ""
    right, firm = not strong, False
    if specimen.raises:
        firm = bool(set(specimen.raises) & set(strong))
        firm |= strong == ("refused",) and any(word in says for word in specimen.words)
        right = firm or bool(set(specimen.raises) & set(weak))
    seconds = time.process_time() - start
    return Seen(specimen.name, not specimen.raises, specimen.part, strong, weak, says[:300], right, firm, seconds)


def table(seen: Sequence[Seen]) -> str:
    """Return what came of the texts of each part, and every text that came out wrong."""
    named = list(dict.fromkeys(one.part for one in seen))
    lines = [f"| | {' | '.join(named)} | wanted |", f"|---{'|---' * len(named)}|---|"]
    ordinary, others = ([one for one in seen if one.ordinary == kind] for kind in (True, False))
    for title, own, holds, wanted in (
        ("false strong doubts of ordinary texts", ordinary, lambda one: not one.right, f"at most {WANTED_FALSE:.0%}"),
        ("other texts: the right doubt", others, lambda one: one.right, f"at least {WANTED_FOUND:.0%}"),
        ("other texts: the right doubt, and strong", others, lambda one: one.firm, ""),
    ):
        parts = ([one for one in own if one.part == part] for part in named)
        cells = [
            f"{n:,} of {len(part):,} ({n / max(len(part), 1):.1%})" for part in parts for n in [sum(map(holds, part))]
        ]
        lines.append(f"| {title} | {' | '.join(cells)} | {wanted} |")
    wrong = [f"{one.part}, {one.name}: {_outcome(one)}" for one in seen if not one.right]
    return "\n".join([*lines, "", *wrong])


def _outcome(one: Seen) -> str:
    kinds = ", ".join((*one.strong, *(f"({kind})" for kind in one.weak))) or "no doubt"
    return f"{kinds}: {one.says}" if one.says else kinds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder of the JSON file")
    parser.add_argument("--only", default="", help="texts whose names have this")
    parser.add_argument("--made", action="store_true", help="made files alone")
    parser.add_argument("--found", type=Path, help="folder of clones, see benchmarks.zoo.found: read those texts, too")
    parser.add_argument("--part", default="", help="texts of one part alone: seen, first fresh, second fresh ...")
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    texts: Iterable[Specimen] = made() if given.made else chain(made(), ordinary(), first_fresh())
    texts = chain(texts, found(given.found)) if given.found else texts
    seen = []
    for number, one in enumerate(texts):
        if given.only in one.name and given.part in ("", one.part):
            seen.append(look_at(one))
            print(f"{number} {one.name} {seen[-1].seconds:.2f} s", file=sys.stderr, flush=True)
    print(table(seen))
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        rows = [asdict(one) for one in seen]
        (given.out / "zoo.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
