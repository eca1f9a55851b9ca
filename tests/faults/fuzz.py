"""Every file that the product writes and reads again, in every broken form: refused in one line, or read as if whole.

Parts of JSON are removed and replaced one by one; files are cut, emptied and filled with what is none. A call that goes
through must give the numbers of the whole file, and nothing beside the folder may be touched.
"""

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.faults.points import Points, installed
from tests.faults.replay import call, contents, in_child, visible
from tests.faults.scenarios import CHANGE, FIXED, SET, make_inputs

DEEP = "[" * 100_000
GONE = object()
RECORDED = {"made", "settings", "environment", "parameters", "options", "joining", "words", "notes"}
VALUES = (
    GONE, None, True, -1, 0, 3, 1.5, -2.5, 10**30, 10**400, float("nan"), float("inf"), "", "x", "x" * 100_000, [], {},
    [[]], "../victim/data", "/etc/passwd", "..", ".", "a\0b", "a\\b", "c:x", "\ud800", "<script>", {"a": 1}, [None],
)  # fmt: skip


class Target(NamedTuple):
    """A file of ours.

    Attributes:
        name: for people.
        pattern: of its path.
        before: calls that make it.
        commands: calls that read it.
        broken: the last of the calls before is killed where it does this: then it leaves what it needs on the way.
        exact: whether whatever goes through must leave the files of an undisturbed call.
    """

    name: str
    pattern: str
    before: tuple[str, ...]
    commands: tuple[str, ...]
    broken: tuple[str, str] | None = None
    exact: bool = False


STABILITY, PACKED = "stability set --json", "stability packed --json"
PAGE = f"stability {FIXED} --out page -q"
OTHER = "info r0.txt --out page --force -q"  # the cheapest call that takes the place of a result
YEARS = f"{CHANGE} --epochs-by year:1900-1939:20"
STUDY = "study change years --out page -q --min-count 1"
PACK = "pack set r0.txt r1.txt -o packed --jobs 1 -q"
SHOP = "packed/unfinished-pack"
TARGETS = (
    Target("manifest", "set/manifest.json", (SET,), (STABILITY, SET)),
    Target("plan", f"{FIXED}/plan.json", (SET,), (SET,)),
    Target("packed manifest", "packed/manifest.json", (SET, PACK), (PACKED, PACK)),
    Target("account of a pack", "packed/lsa/shuffled/packed.json", (SET, PACK), (PACKED, PACK)),
    Target("summary", "page/summary.json", (SET, PAGE), (OTHER,)),
    Target("request of a pack", f"{SHOP}/request.json", (SET, PACK), (PACK,), ("rename", "packed/lsa/")),
    Target("order of a pack", f"{SHOP}/group-0/order.json", (SET, PACK), (PACK,), ("rename", "packed/lsa/")),
    Target("packed run", f"{SHOP}/group-0/done-000.json", (SET, PACK), (PACK,), ("rename", "packed/lsa/")),
    Target("staged run", f"{SHOP}/group-0/staged-000.json", (SET, PACK), (PACK,), ("mkdir", "packed/runs")),
    Target(
        "parts of a study", "page/.finished/*.json", (YEARS, STUDY), (STUDY,), ("mkdir", "page/.result.tmp"), exact=True
    ),
)


def parts(content, path=()):
    """The path of every part of a JSON value; of what is only recorded, its first parts."""
    yield path
    if path and path[-1] in RECORDED:
        content = dict(list(content.items())[:2]) if isinstance(content, dict) else content
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield from parts(value, (*path, key))


def changed(content, path, value):
    """A JSON value with one part replaced or gone."""
    if not path:
        return value
    content = json.loads(json.dumps(content))
    at = content
    for key in path[:-1]:
        at = at[key]
    if value is GONE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return content


class Form(NamedTuple):
    """A broken form of a file.

    Attributes:
        kind: the place without numbers in lists, and the damage.
        name: for people.
        content: makes its bytes.
    """

    kind: tuple
    name: str
    content: Callable[[], bytes]


def forms(whole):
    """Yield every broken form of a JSON file."""
    content = json.loads(whole)
    for path in parts(content):
        place = tuple("*" if isinstance(key, int) else key for key in path)
        for value in VALUES if path else VALUES[1:]:
            shown = "gone" if value is GONE else repr(value)[:30]
            made = partial(lambda path, value: json.dumps(changed(content, path, value)).encode(), path, value)
            yield Form((place, shown), f"{'.'.join(map(str, path))} {shown}", made)
    others = {"empty": b"", "deep": DEEP.encode(), "no UTF-8": b"\xff" + whole, "NULs": b"\0" * 99}
    others["deep within"] = whole.rstrip()[:-1] + b', "x": ' + DEEP.encode()
    others |= {f"cut at {k}": whole[:k] for k in range(1, len(whole), max(1, len(whole) // 8))}
    for name, made in others.items():
        yield Form((name,), name, lambda made=made: made)


class Fuzz:
    """One file, and the calls that read it.

    Attributes:
        forms: its broken forms.
        outcomes: what came of them.
        wrong: those that ended wrongly.
    """

    def __init__(self, target, shop):
        self.target, self.outcomes, self.wrong = target, Counter(), []
        self._place = Path(shop, "place")
        self._template = Path(shop, f"file-{target.name}".replace(" ", "-"))
        shutil.rmtree(self._place, ignore_errors=True)
        (self._place / "work").mkdir(parents=True)
        (self._place / "victim").mkdir()
        (self._place / "victim/data.csv").write_text("precious")
        make_inputs(self._place / "work")
        for command in target.before:
            last = command == target.before[-1]
            done = in_child(lambda command=command, last=last: self._made(command, last and target.broken))
            assert (done is None) if last and target.broken else done and done["code"] == 0, (command, done)
        self._place.rename(self._template)
        self._restore()
        self._file = sorted((self._place / "work").glob(target.pattern))[0]
        self.forms = list(forms(self._file.read_bytes()))
        self._right = [self._call(command) for command in target.commands]
        self._after = contents(self._place)

    def _made(self, command, broken):
        if not broken:
            return self._call(command)
        points = Points(self._place / "work", self._template.with_name("journal"))
        real = points.step
        points.step = lambda kind, path: real(kind, path) or (kind == broken[0] and str(broken[1]) in str(path))
        points._fault = "kill"
        with installed(points):
            return self._call(command)

    def _restore(self):
        shutil.rmtree(self._place, ignore_errors=True)
        shutil.copytree(self._template, self._place)

    def _call(self, command):
        return call(command, self._place / "work")

    def numbers(self):
        """The numbers of the forms: first one of every kind, drawn by a seed."""
        drawn = random.Random(0).sample(range(len(self.forms)), len(self.forms))
        first = set({self.forms[number].kind: number for number in drawn}.values())
        return [[number for number in drawn if (number in first) is whether] for whether in (True, False)]

    def read(self, number):
        """Break the file in one form, and see what the calls make of it."""
        form = self.forms[number]
        self._restore()
        self._file.write_bytes(form.content())
        for command, right in zip(self.target.commands, self._right, strict=True):
            said = self._call(command)
            if why := self._wrong(said, right):
                self.wrong.append(f"{self.target.name}: {form.name}: {command[:40]}: {why}")
                self.outcomes["wrong"] += 1
                return
        self.outcomes["refused" if said["code"] else "read"] += 1

    def _wrong(self, said, right):
        if (self._place / "victim/data.csv").read_text() != "precious" or len(list(self._place.iterdir())) != 2:
            return "a file outside was touched"
        if said["through"] or "Traceback" in said["said"]:
            return f"an exception came through: {said['through']}"
        lines = [line for line in said["said"].splitlines() if line.startswith(("error: ", "failed: "))]
        place = self._file.relative_to(self._place / "work")
        if said["code"]:
            named = [line for line in lines if place.parts[0] in line]
            return None if len(lines) == 1 and named and len(lines[0]) < 3000 else f"said: {said['said'][:300]!r}"
        if self.target.exact and visible(contents(self._place)) != visible(self._after):
            return "went through with other files"
        told = "its manifest does not name" in said["said"]
        return None if told or numbers(said) == numbers(right) else "went through with other numbers"


def numbers(said):
    """What a stability call measured, without the names of groups, which a manifest may change."""
    try:
        groups = json.loads(said.get("printed", ""))["groups"]
    except (ValueError, KeyError):
        return None
    return sorted(str((group["pip"]["reduced"]["mean"], group["vocabulary"]["joint"])) for group in groups)
