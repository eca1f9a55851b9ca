"""Packs that are killed at any moment and taken up again.

:func:`kill_at_random` with 100 kills is a matter of a minute; the test makes do with ten.
"""

import multiprocessing
import os
import random
import resource
import signal
import sys
from collections import Counter

import pytest

from gpustab import ComputationError, InputError, load_groups
from gpustab.formats.writers import write_word2vec_text
from gpustab.runs.manifest import UNFINISHED
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.packing.verify import is_whole, verify
from gpustab.runs.runset import open_leaf, write_runset
from tests.generators import spaces

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["gpustab.runs.packing.pack", "tests.runs.packing.kills"])

_TOUCHES_FILES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}


def make_sources(folder, v, d=30):
    """A group of text files and two groups of a run set."""
    files = [folder / f"t{r}.txt" for r in range(2)]
    for file, space in zip(files, spaces(2, v, d), strict=True):
        write_word2vec_text(space, file)
    write_runset({"a/x": spaces(3, v, d, seed=1), "a/y": spaces(2, v, d, seed=2)}, folder / "set")
    return [*files, folder / "set"]


def pack_and_die(sources, output, event):
    """Pack, and kill this process before the given one of its steps that touch files."""
    count = 0

    def step(name, args):
        nonlocal count
        if name in _TOUCHES_FILES and str(output) in str(args):
            count += 1
        if count == event and name != "os.kill":
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(step)
    pack_runs(sources, output)


def pack_with_little_room(sources, output, size):
    """Pack where no file may be larger than a size; what the system says then stands for a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        pack_runs(sources, output)
    except ComputationError as error:
        sys.exit(3 if "what is finished stays" in str(error) else 4)


def in_child(function, *arguments, kill_after=None):
    """Run a function in a process of its own, perhaps killed some seconds after its start; return its exit code."""
    started, starting = CONTEXT.Pipe(duplex=False)
    child = CONTEXT.Process(target=_announced, args=(starting, function, arguments))
    child.start()
    started.recv()
    child.join(kill_after)
    if child.exitcode is None:
        child.kill()
        child.join()
    return child.exitcode


def _announced(starting, function, arguments):
    starting.send("")
    function(*arguments)


def contents(folder):
    """The files of a folder but for locks: one that a killed call held is no one's, and stays until it is taken."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.endswith(".lock"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def check(output, wanted):
    """See that nothing half-done is taken for done; tell how far the pack is."""
    if (output / "manifest.json").is_file():
        assert is_whole(verify(output)), verify(output).groups
        assert len(load_groups(output)) == 3
        return "whole"
    if output.is_dir():
        with pytest.raises(InputError, match="no run set"):
            load_groups(output)
    packed = 0
    for name in ("runs", "a/x", "a/y"):
        leaf = output / name
        if (leaf / "packed.json").is_file():
            packed += 1
            assert is_whole(verify(leaf))
        elif leaf.is_dir():
            with pytest.raises(InputError, match="no run"):
                open_leaf(leaf)
        for file in leaf.glob("packed-*.safetensors"):  # whole, though not yet part of anything
            assert file.read_bytes() == wanted[f"{name}/{file.name}"]
    return f"{packed} groups packed" if any(output.rglob("packed-*")) else "nothing packed"


def kill_at_random(folder, kills, seed, longest, v=2000):
    """Kill packs at random moments, each pack until one of its calls gets through; return how far each kill let it."""
    moments = random.Random(seed)
    sources = make_sources(folder, v)
    wanted_folder = folder / "wanted"
    pack_runs(sources, wanted_folder)
    wanted, found, tries = contents(wanted_folder), Counter(), 0
    while sum(found.values()) < kills:
        output = folder / f"try-{tries}"
        tries += 1
        while sum(found.values()) < kills:
            code = in_child(pack_and_die, sources, output, -1, kill_after=moments.uniform(0, longest))
            state = check(output, wanted)
            assert code in (0, -signal.SIGKILL), code
            if code == 0:
                break
            found[state] += 1
        pack_runs(sources, output)
        assert contents(output) == wanted
        assert not (output / UNFINISHED).exists()
    return found
