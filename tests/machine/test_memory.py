"""What a container leaves of the machine's memory, read from trees of files as the kernel shows them."""

import pytest

from gpustab.errors import OutOfMemoryError
from gpustab.machine import memory
from gpustab.machine.memory import affordable, available_memory

GIB = 2**30
MACHINE = {"proc/meminfo": f"MemTotal: {64 * 2**20} kB\nMemFree: 1 kB\nMemAvailable: {32 * 2**20} kB\n"}


def group(folder, most, used, version=2, files=0):
    """The files of a control group; sizes in GiB."""
    limit, usage, cached = memory._NAMES["" if version == 2 else "memory"]
    number = most if isinstance(most, str) else str(most * GIB)
    return {
        f"{folder}/{limit}": f"{number}\n",
        f"{folder}/{usage}": f"{used * GIB}\n",
        f"{folder}/memory.stat": f"anon 5\n{cached} {files * GIB}\n",
    }


V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/memory"


@pytest.mark.parametrize(
    ("own", "groups", "free"),
    [
        (None, {}, 32),
        ("0::/\n", {}, 32),  # the root of the machine counts nothing
        ("0::/\n", group(V2, 8, 3), 5),  # a container that sees only itself
        ("0::/\n", group(V2, 8, 3, files=1), 6),  # files that were read make room
        ("0::/\n", group(V2, "max", 3), 32),
        ("0::/\n", group(V2, 100, 3), 32),  # more than the machine has
        ("0::/\n", group(V2, 2, 3), 0),
        ("0::/a/b\n", group(f"{V2}/a/b", 8, 3) | group(f"{V2}/a", 4, 3), 1),  # the groups above limit it too
        ("0::/a/b\n", group(f"{V2}/a/b", "max", 3) | group(f"{V2}/a", 4, 3), 1),
        ("0::/docker/f00\n", group(V2, 8, 3), 5),  # named as the machine sees it, mounted as its own root
        ("12:cpu,cpuacct:/x\n4:memory:/docker/f00\n", group(V1, 8, 3, 1), 5),
        ("4:memory:/docker/f00\n", group(f"{V1}/docker/f00", 8, 3, 1, files=1), 6),
        ("4:memory:/\n", group(V1, "9223372036854771712", 3, 1), 32),
        ("4:memory:/\n", {f"{V1}/memory.limit_in_bytes": "8\n"}, 32),  # not all of it is told
        ("4:memory:/\n", group(V1, "nonsense", 3, 1), 32),
    ],
)
def test_a_container_limits_the_machine(tmp_path, own, groups, free):
    files = MACHINE | groups | ({"proc/self/cgroup": own} if own else {})
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert available_memory(tmp_path) == free * GIB


def test_a_system_that_tells_nothing(tmp_path):
    assert available_memory(tmp_path) is None


def test_this_system_tells_something_plausible_or_nothing():
    free = available_memory()
    assert free is None or 2**20 < free < 2**50


def test_what_a_container_does_not_hold_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: GIB)
    assert affordable(2**20, 255) == 2**20
    with pytest.raises(OutOfMemoryError, match=r"take 2\.0 GiB, 1\.0 are free; limit or only reads less"):
        affordable(2**20, 512)
