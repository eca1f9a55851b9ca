"""A call is made undisturbed once, then for every operation on files and every fault, each in a process of its own.

What must hold afterwards is in :func:`wrong_state` and :func:`wrong_words`; that the same call once more ends as the
undisturbed one, byte for byte and without litter, in :meth:`Replay.disturb`.
"""

import os
import re
import shlex
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import Executor, Future
from contextlib import ExitStack, chdir, nullcontext
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from unittest.mock import Mock, patch

from joblib.externals.loky import reusable_executor
from typer import testing
from typer.main import get_command
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.evaluation import usual
from gpustab.machine import environment, threads
from gpustab.machine.progress import Timed
from gpustab.studies.layers import study as layers
from gpustab.studies.shared import signed
from gpustab.studies.shared.finished import digest_of
from gpustab.training import progress
from tests.faults.forks import at_operations, in_child
from tests.faults.points import FAULTS, Points, applies, installed, settled
from tests.faults.scenarios import make_inputs, make_models

COMMAND = get_command(app)
PENDING = {".result.whole", ".result.moving"}


class Always(datetime):
    """A clock that stands."""

    @classmethod
    def now(cls, tz=None):
        return cls(2026, 1, 1, tzinfo=UTC)


class InTurn(Executor):
    """Threads that work one after another where they are given work: a fork would not know the others."""

    def __init__(self, *_):
        pass

    def submit(self, work, *given):
        future = Future()
        try:
            future.set_result(work(*given))
        except BaseException as error:  # as threads keep it for who asks
            future.set_exception(error)
        return future


def untold(stop):
    """Stop a clock, and say nothing of phases: what was finished before takes none."""

    def stopped(self):
        stop(self)
        return {}

    return stopped


STILL = (
    (Timed, "stop", untold(Timed.stop)),
    (threads, "ThreadPoolExecutor", InTurn),
    (progress, "Thread", Mock),  # which would look now and then how far a training is
    (time, "perf_counter", lambda: 0.0),
    (Timed.__init__, "__defaults__", (lambda: 0.0,)),
    (signed, "datetime", Always),
    (environment, "peak_memory", lambda: 0),
    (usual, "ANALOGY_TESTS", ()),  # they take seconds to read
    (testing, "_get_command", lambda _: COMMAND),  # it takes a third of a call
)
"""So that two calls of one command write the same bytes, soon."""


def call(command, folder):
    """Make a call in a folder; return exit code, what it says on stderr, and an exception that came through."""
    with ExitStack() as stack:
        stack.enter_context(chdir(folder))
        for place, name, still in STILL:
            stack.enter_context(patch.object(place, name, still))
        # What one fork cleared away would be missing in the next, which began before.
        kept = lambda: nullcontext(tempfile.mkdtemp(dir=Path(folder).parent))  # noqa: E731
        stack.enter_context(patch.object(layers, "TemporaryDirectory", kept))
        done = CliRunner().invoke(app, shlex.split(command))
    through = None if done.exception is None or isinstance(done.exception, SystemExit) else repr(done.exception)
    return {"code": done.exit_code, "said": done.stderr, "printed": done.stdout, "through": through}


def contents(folder):
    """All files of a folder, hidden ones too, and empty folders."""
    paths = {str(path.relative_to(folder)): path for path in sorted(Path(folder).rglob("*"))}
    return {
        name: path.read_bytes() if path.is_file() else b"folder"
        for name, path in paths.items()
        if path.is_file() or not any(path.iterdir())
    }


@lru_cache(maxsize=1000)
def unhashed(content):
    """What was written, without checksums of inputs: one that cannot be read at the end is named without."""
    return re.sub(rb'"sha256": (null|"[0-9a-f]{64}")|<td class="hash">[^<]*', b"", content)


def visible(files):
    """What counts: nothing of a call that is under way, which hides it."""
    hides = lambda part: part.startswith((".", "unfinished-"))  # noqa: E731
    hidden = {name for name in files if any(map(hides, Path(name).parts))}
    return {name: unhashed(content) for name, content in files.items() if name not in hidden and content != b"folder"}


def wrong_state(before, after, now, key, passed=()):
    """Say what is wrong with a folder after a fault: every file is old or new, and the state as a whole is.

    The file that is written last may be as it was after a part of the work, where it is written after each: ``passed``.
    """
    pending = any(part in PENDING for name in now for part in Path(name).parts)
    shown, old, new = visible(now), visible(before), visible(after)
    if key in shown and digest_of(shown[key].hex()) in passed:
        shown = {name: content for name, content in shown.items() if name != key}
        shown |= {key: old[key]} if key in old else {}
    if half := [name for name, content in shown.items() if content not in (old.get(name), new.get(name))]:
        return f"half-written: {half[:3]}"
    if pending:
        return None  # whole, and put into its place by the next call
    if shown.get(key) == new[key] != old.get(key):
        return None if shown == new else f"the new state lacks {sorted(set(new) ^ set(shown))[:3]}"
    if lost := [name for name, content in old.items() if shown.get(name) != content]:
        return f"lost of the old state: {lost[:3]}"
    return None


def wrong_words(said, fault, place, outputs):
    """Say what is wrong with what a call said: one line that names the file, or the folder of a temporary one."""
    lines = [line for line in said["said"].splitlines() if line.strip()]
    if said["through"] or "Traceback" in said["said"]:
        return f"an exception came through: {said['through']}"
    if said["code"] == 0:
        return None  # the fault was nothing that mattered
    if fault == "interrupt":
        return None if said["code"] == 130 and any(line.startswith("stopped") for line in lines) else f"said: {lines}"
    told = [line for line in lines if line.startswith(("error: ", "failed: "))]
    parents = {place, str(Path(place).parent), Path(place).parts[0]} - {".", ".random.tmp"}
    parents |= {name for name in outputs if place == ".random.tmp"}
    named = [line for line in told if any(name in line for name in parents)]
    return None if len(told) == 1 and named else f"said: {lines}"


class Replay:
    """One scenario and its undisturbed call.

    Attributes:
        seen: the operations of the undisturbed call, as cases of :class:`tests.faults.points.Points`, with their sites.
        outcomes: how the disturbed ones ended.
        met: the cases and faults that were met.
        wrong: those that ended wrongly.
        ends: what came of the second call, by the state in which it found the folder.
    """

    def __init__(self, scenario, shop):
        self.scenario, self.outcomes, self.met, self.wrong, self.ends = scenario, Counter(), set(), [], {}
        self._journal = Path(shop, "journal")
        self._place, self._template = Path(shop, "work"), Path(shop, f"template-{scenario.name}".replace(" ", "-"))
        self._prepare()
        self._restore()
        self.before = contents(self._place)
        self._plain(self.scenario.command)  # in this process, so that its children have all that it imports
        if reusable_executor._executor is not None:
            reusable_executor._executor.shutdown()
        self._restore()
        done = in_child(self._undisturbed)
        assert done, "the undisturbed call was killed"
        assert done["code"] == 0, (done["said"], done["through"])
        self.seen, by = Points.seen(self._journal)
        self._alone = len(by) == 1  # else a fork of one process or thread would not know the others
        self.after = contents(self._place)
        self._passed = set(done["passed"]) - {digest_of(visible(self.after)[self.scenario.key].hex())}
        assert not [name for name in self.after if name not in self.before and Path(name).name.startswith(".")]

    def _prepare(self):
        self._template.mkdir(parents=True)
        word = make_inputs(self._template)
        if " -m model" in self.scenario.command:
            make_models(self._template)
        shutil.rmtree(self._place, ignore_errors=True)
        self._template.rename(self._place)
        for command in self.scenario.before:
            done = in_child(lambda command=command: self._plain(command.format(word=word)))
            assert done, command
            assert done["code"] == 0, (command, done)
        self._place.rename(self._template)

    def _restore(self):
        """Put the folder back as it was, at the same path and with the same times, which packs record."""
        shutil.rmtree(self._place, ignore_errors=True)
        shutil.copytree(self._template, self._place)

    def _plain(self, command):
        return call(command, self._place)

    def _undisturbed(self):
        """Make the call, and say by their digests what the file that is written last held on the way."""
        points, passed = Points(self._place, self._journal), set()
        last = self._place / self.scenario.key

        def looked(_):
            if last.is_file():
                with points.asleep():
                    passed.add(digest_of(unhashed(last.read_bytes()).hex()))
            return False

        points.fails = looked
        return self._watched(points) | {"passed": sorted(passed)}

    def _watched(self, points):
        with installed(points):
            return call(self.scenario.command, self._place)

    def cases(self):
        """Every operation with every fault that can meet it: the first of every site, the middle and last, the rest."""
        occurrences = defaultdict(list)
        for case, site in self.seen.items():
            occurrences[case[0], site].append(case)
        first = {found[0] for found in occurrences.values()}
        second = {one for found in occurrences.values() for one in (found[len(found) // 2], found[-1])} - first
        pairs = [(case, fault) for case in self.seen for fault in FAULTS if applies(case[0], fault)]
        sets = first, second, self.seen.keys() - first - second
        return [[pair for pair in pairs if pair[0] in some] for some in sets]

    def sites(self, pairs):
        """Those of some cases with their faults."""
        return {(case[0], self.seen[case], fault) for case, fault in pairs}

    def disturb(self, pairs):
        """Let operations fail, and see each time what is left, what is said, and what the same call makes of it."""
        if not self._alone:
            for case, fault in pairs:
                self._restore()
                points = Points(self._place, self._journal, case, fault)
                said = in_child(lambda points=points: self._watched(points))
                # Of several processes an operation may be another's second: what did not happen proves nothing.
                self._judge(case, fault, said, met=Path(f"{self._journal}-failed").exists())
            return
        wanted = defaultdict(list)
        for case, fault in pairs:
            wanted[case].append(fault)
        self._restore()
        points = Points(self._place, self._journal)
        for case, fault, said in at_operations(wanted, points, lambda: self._watched(points)):
            wanted[case].remove(fault)
            self._judge(case, fault, said)
        self.outcomes.update(f"{fault}, not met" for faults in wanted.values() for fault in faults)

    def _judge(self, case, fault, said, met=True):
        wrong = wrong_state(self.before, self.after, contents(self._place), self.scenario.key, self._passed)
        if said is None:
            wrong = wrong if fault == "kill" else f"the process ended {wrong or ''}"
        else:
            made = {name for name, content in self.after.items() if self.before.get(name) != content}
            wrong = wrong or wrong_words(said, fault, case[1], made)
        wrong = wrong or self._again()
        if wrong:
            self.wrong.append(f"{self.scenario.name}: {' '.join(map(str, case))}, {fault}: {wrong}")
        if met:
            self.met.add((case, fault))
        self.outcomes[fault if met else f"{fault}, not met"] += 1

    def _again(self):
        """Make the call once more where the folder is; say what is wrong with its end. Equal folders end alike.

        What a temporary file holds is no part of that: the second call looks whether it reads one.
        """
        found = ((settled(name), content) for name, content in contents(self._place).items())
        left = digest_of(*sorted((name, "" if ".random.tmp" in name else content.hex()) for name, content in found))
        if left not in self.ends:
            self.ends[left] = self._second()
        return self.ends[left]

    def _second(self):
        again = in_child(lambda: self._watched(Points(self._place, self._journal)))
        if reads := [
            case for case in Points.seen(self._journal)[0] if case[0] in ("read", "map") and ".random.tmp" in case[1]
        ]:
            return f"the second call reads {reads[0]}"
        if again and again["code"] and "--force" in again["said"]:  # the whole or a part of the new state is there
            again = in_child(lambda: self._plain(f"{self.scenario.command} --force"))
        now = contents(self._place)
        if again is None or again["through"]:
            return f"the second call: {again}"
        if now == self.after:
            return None
        if again["code"]:
            return f"the second call says {again['said']!r}"
        other = sorted(name for name in {*now, *self.after} if now.get(name) != self.after.get(name))
        return f"after the second call other: {other[:4]}"


def shop():
    """A folder for all of it, in memory where the system has such a one."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
