"""Where the time of one command goes: a call of gpustab in this process, and a thread that looks at what is at work.

    python benchmarks/phases.py KEPT.json COMMAND ...

It stands alone, so that an earlier version can be called by it. Every look is worth the time since the one before. That
time goes to the room of what the main thread does; where that waits for threads, in equal parts to the rooms of those
at work. Processor seconds go to all that are at work, the main thread among them.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

EVERY = 0.01
"""Seconds between two looks, at least: some functions let no other thread run before they end."""

ROOMS = {
    "encoder": (
        "gpustab/formats/checkpoints/encoder.py",
        "gpustab/formats/checkpoints/windows.py",
        "gpustab/encoders/",
    ),
    "training": ("gpustab/training/", "gpustab/trainers/", "gpustab/kernels/training/"),
    "products": ("gpustab/engine/", "gpustab/kernels/"),
    "reading": ("gpustab/formats/", "gpustab/runs/", "gpustab/spaces/", "gpustab/corpus/", "gpustab/small_data/"),
    "drawing": ("gpustab/report/svg/", "/figures.py"),
    "writing": ("gpustab/report/", "gpustab/results/", "/page.py"),
}
"""Parts of the paths of modules, by phase; the first that fits decides. A study's own modules have their name."""

START = "start"
"""The phase of imports, and of all that is no function of gpustab."""
POOL = "machine/threads"
"""The room of what only hands work to threads."""


def phase_of(frame: FrameType | None) -> str:
    """Return the phase of what runs: imports, or the room of the innermost module of gpustab.

    >>> phase_of(None)
    'start'
    """
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith("<frozen importlib"):
            return START
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gpustab" and "/gpustab/" in path:
            return _room(path[path.rindex("/gpustab/") + 1 :])
        frame = frame.f_back
    return START


def chapter_of(frame: FrameType | None) -> str:
    """Return the title of the chapter of `study instability` that is at work; nothing elsewhere.

    >>> chapter_of(None)
    ''
    """
    while frame is not None:
        if frame.f_code.co_name == "_measure" and frame.f_code.co_filename.endswith("instability/study.py"):
            return str(frame.f_locals.get("title", ""))
        frame = frame.f_back
    return ""


def at_work(frames: Mapping[int, FrameType], main: int) -> tuple[list[str], list[str]]:
    """Return what the elapsed time of a look goes to, and what the processor's does: phases, one for every thread.

    Threads that wait, or only watch (daemons), are not at work.

    Args:
        frames: the innermost one of every thread.
        main: the main thread.
    """
    first = phase_of(frames.get(main))
    daemons = {thread.ident for thread in threading.enumerate() if thread.daemon}
    others = [
        phase
        for thread, frame in frames.items()
        if thread != main and thread not in daemons and not _waits(frame) and (phase := phase_of(frame)) != START
    ]
    if others and (first == POOL or _waits(frames.get(main))):
        return others, others
    return [first], [first, *others]


def _waits(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename == threading.__file__


def _room(path: str) -> str:
    for phase, parts in ROOMS.items():
        if any(part in path for part in parts):
            return phase
    return path.removeprefix("gpustab/").removesuffix(".py")


class Looks:
    """What was seen so far, in seconds.

    Attributes:
        phases: elapsed ones of every phase.
        work: those of the processor.
        chapters: those of the processor, by chapter.
    """

    def __init__(self) -> None:
        self.phases: dict[str, float] = defaultdict(float)
        self.work: dict[str, float] = defaultdict(float)
        self.chapters: dict[str, float] = defaultdict(float)
        self._before = time.perf_counter(), time.process_time()

    def look(self, frames: Mapping[int, FrameType], main: int) -> None:
        """Share the time since the last look among what is at work now."""
        now = time.perf_counter(), time.process_time()
        elapsed, worked = (new - old for new, old in zip(now, self._before, strict=True))
        self._before = now
        for seconds, shares, among in zip((elapsed, worked), (self.phases, self.work), at_work(frames, main)):  # noqa: B905
            for phase in among:
                shares[phase] += seconds / len(among)
        self.chapters[chapter_of(frames.get(main))] += worked


def watched(arguments: list[str], kept: Path) -> None:
    """Run a command in this process and write the seconds of its phases, and the processor seconds of chapters."""
    looks, main, over = Looks(), threading.main_thread().ident or 0, threading.Event()

    def watch() -> None:
        while not over.wait(EVERY):
            looks.look(sys._current_frames(), main)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    sys.argv = ["gpustab", *arguments]
    sys.path.pop(0)  # this folder
    try:
        from gpustab.cli import run

        run()
    finally:
        over.set()
        watcher.join()
        kept.write_text(json.dumps({"phases": looks.phases, "work": looks.work, "chapters": looks.chapters}))


if __name__ == "__main__":
    watched(sys.argv[2:], Path(sys.argv[1]))
