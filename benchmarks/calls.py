"""A call as a process of its own, and what it takes.

Linux tells as the peak of a process that of who started it, where that is higher: ``exec`` keeps it. A bench that holds
texts and torch would measure itself. So a call is started by a process that holds nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_LAUNCHER = """
import json, os, sys
quiet = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[quiet])
_, status, used = os.wait4(child, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""
"""Of 10 MB."""


class Took(NamedTuple):
    """What a call took.

    Attributes:
        code: with which it ended.
        seconds: of the processor.
        peak: bytes, libraries included.
        said: what it wrote to stderr.
    """

    code: int
    seconds: float
    peak: int
    said: str


def launch(command: Sequence[str | Path], folder: Path, variables: Mapping[str, str]) -> Took:
    """Run a command in a folder; what it prints goes nowhere."""
    line = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *map(str, command)]
    with tempfile.TemporaryFile() as printed:
        done = subprocess.run(line, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=printed, check=True)
        printed.seek(0)
        said = printed.read().decode(errors="replace")
    return Took(*json.loads(done.stdout), said)
