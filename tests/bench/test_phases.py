"""Phases of a command: what is at work is called by its room, in threads too, and all seconds are shared out."""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from benchmarks import phases
from benchmarks.phases import Looks, at_work, chapter_of, phase_of
from gpustab.errors import GpustabError
from gpustab.kernels.pip_loss import over_pairs
from gpustab.machine import threads
from gpustab.machine.threads import in_order, read_ahead
from gpustab.studies.instability import study
from tests import generators


@pytest.mark.parametrize(
    ("path", "phase"),
    [
        ("gpustab/engine/pip.py", "products"),
        ("gpustab/kernels/training/glove.py", "training"),
        ("gpustab/kernels/panels.py", "products"),
        ("gpustab/runs/packing/pack.py", "reading"),
        ("gpustab/report/svg/charts.py", "drawing"),
        ("gpustab/studies/change/figures.py", "drawing"),
        ("gpustab/report/html.py", "writing"),
        ("gpustab/studies/change/laws.py", "studies/change/laws"),
        ("gpustab/cli/session.py", "cli/session"),
        ("gpustab/machine/threads.py", phases.POOL),
    ],
)
def test_every_module_has_a_phase(path, phase):
    assert phases._room(path) == phase


def work_of(phase, begun=None, over=None):
    """Return what is at work in a room, in this thread, until it is over; it calls nothing that could wait."""
    module = {"products": "gpustab/kernels/x.py", "reading": "gpustab/formats/x.py"}[phase]
    lines = "def work(_):\n    begun.append(0)\n    while not over: pass\n"
    space = {"__name__": module.removesuffix(".py").replace("/", "."), "begun": begun, "over": over}
    exec(compile(lines, f"/x/{module}", "exec"), space)
    return space["work"]


def wait_for(what):
    for _ in range(10_000):
        if what():
            return
        time.sleep(0.001)
    raise AssertionError("it did not come")


def looked_at(works):
    """Return what is at work while a main thread waits for threads that work in these rooms."""
    begun, over, main = [], [], []
    each = [work_of(phase, begun, over) for phase in works]

    def hand_out():
        main.append(threading.get_ident())
        list(in_order(lambda k: each[k](k), range(len(each)), len(each)))

    thread = threading.Thread(target=hand_out)
    thread.start()
    try:
        wait_for(lambda: len(begun) == len(each) and phases._waits(sys._current_frames()[main[0]]))
        return at_work(sys._current_frames(), main[0])
    finally:
        over.append(0)
        thread.join()


def test_threads_at_work_are_seen_where_the_main_thread_waits_for_them():
    assert [sorted(one) for one in looked_at(["products", "reading"])] == [["products", "reading"]] * 2
    assert looked_at(["products"]) == (["products"], ["products"])


def test_a_thread_that_reads_ahead_has_a_share_of_the_processor_alone():
    begun, over, found = [], [], []
    read = work_of("reading", begun, over)

    def look(i):
        found.append(at_work(sys._current_frames(), threading.get_ident()))
        return torch.ones(3 - i, 2)

    for k, _ in read_ahead(lambda k: (read(k) if k else None, [])[1], [0, 1], torch.device("cpu")):
        if not k:
            wait_for(lambda: begun)
            over_pairs(look, 2, torch.ones(3, 2) > 0)
            over.append(0)
    assert found[0] == (["products"], ["products", "reading"])


def test_threads_that_wait_or_watch_are_not_at_work():
    over, begun, ended = threading.Event(), [], []
    daemon = threading.Thread(target=work_of("products", begun, ended), args=(0,), daemon=True)
    waiting = threading.Thread(target=lambda: list(in_order(lambda _: over.wait(), [0], 1)))
    with ThreadPoolExecutor(1) as idle:
        idle.submit(int).result()
        daemon.start()
        waiting.start()
        try:
            wait_for(lambda: begun and waiting.ident and phases._waits(sys._current_frames().get(waiting.ident)))
            frames = sys._current_frames()
            assert at_work(frames, threading.get_ident()) == ([phases.START], [phases.START])
        finally:
            over.set()
            ended.append(0)
            waiting.join()
            daemon.join()


def test_the_pool_is_the_room_that_is_looked_past():
    found = []

    def look():
        found.append(phase_of(sys._getframe()))
        yield 0

    list(threads.in_order(abs, look(), 1))  # pieces are taken up in the main thread
    assert found == [phases.POOL]


def test_the_innermost_function_of_ours_decides():
    found = []
    over_pairs(lambda i: found.append(phase_of(sys._getframe())) or torch.ones(3 - i, 2), 2, torch.ones(3, 2) > 0)
    assert set(found) == {"products"}


def test_a_checkout_of_the_same_name_is_no_room():
    space = {"__name__": "__main__", "phase_of": phase_of, "sys": sys}
    exec(compile("found = phase_of(sys._getframe())", "/home/x/gpustab/benchmarks/phases.py", "exec"), space)
    assert space["found"] == phase_of(sys._getframe()) == phases.START


def test_seconds_are_shared_in_full(monkeypatch):
    clocks = {"perf_counter": iter((0.0, 2.0, 3.0)), "process_time": iter((0.0, 3.0, 3.5))}
    for name, times in clocks.items():
        monkeypatch.setattr(time, name, times.__next__)
    work = iter([(["products", "reading"], ["products", "reading"]), (["reading"], ["reading", "products"])])
    monkeypatch.setattr(phases, "at_work", lambda *_: next(work))
    looks = Looks()
    looks.look({}, 0)
    looks.look({}, 0)
    assert looks.phases == {"products": 1.0, "reading": 2.0}
    assert looks.work == {"products": 1.75, "reading": 1.75}
    assert looks.chapters == {"": 3.5}


def test_the_chapter_is_that_of_the_study_above(monkeypatch):
    found = []

    def chapter():
        found.append(chapter_of(sys._getframe()))
        raise GpustabError("enough")

    monkeypatch.setattr(study, "_chapters", lambda *_: [("trees", chapter)])
    with pytest.raises(GpustabError, match="enough"):
        study.instability([generators.runs_of(generators.noisy_copies(3, 30, 4))])
    assert found == ["trees"]
    assert chapter_of(sys._getframe()) == ""


def test_the_watcher_is_done_before_what_it_saw_is_written(monkeypatch, tmp_path):
    before, looked = set(threading.enumerate()), threading.Event()

    def slow_look(_):
        looked.set()
        time.sleep(0.05)
        return "last"

    monkeypatch.setattr(phases, "chapter_of", slow_look)
    monkeypatch.setattr("gpustab.cli.run", looked.wait)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.setattr(sys, "argv", [])
    phases.watched(["info"], tmp_path / "seen.json")
    assert set(threading.enumerate()) <= before
    assert list(json.loads((tmp_path / "seen.json").read_text())["chapters"]) == ["last"]
