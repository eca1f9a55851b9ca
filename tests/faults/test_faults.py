"""A seeded part of ``python -m tests.faults``: some operations of every cheap call fail, each in one way."""

import json
import random
import re
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="calls are replayed in forks, and told by /proc")
ROOT = Path(__file__).parents[2] / "gpustab"
SLOW = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("stability replaces", "average and page", "sweep", "encode")
]
CHEAP = ["train", "pack", "average, text", "average, safetensors", *SLOW]
EACH = 2


@pytest.fixture(scope="module")
def place():
    from tests.faults.replay import shop

    with shop() as folder:
        yield folder


@pytest.mark.parametrize("name", CHEAP)
def test_what_is_left_is_old_or_new_and_the_same_call_ends_as_if_nothing_had_been(name, place):
    from tests.faults.replay import Replay
    from tests.faults.scenarios import SCENARIOS

    (scenario,) = [one for one in SCENARIOS if one.name == name]
    replay = Replay(scenario, place)
    assert len(replay.seen) > 15
    pairs = [pair for some in replay.cases() for pair in some]
    full = next(pair for pair in pairs if pair[0][0] == "write" and pair[1] == "ENOSPC")
    killed = next(pair for pair in reversed(pairs) if pair[0][0] == "rename" and pair[1] == "kill")
    others = [pair for pair in pairs if pair not in (full, killed)]
    replay.disturb([full, killed, *random.Random(name).sample(others, EACH)])
    assert not replay.wrong
    assert len(replay.met) == EACH + 2


def test_the_harness_sees_a_file_that_is_half_written_and_a_state_that_is_neither():
    from gpustab.studies.shared.finished import digest_of
    from tests.faults.replay import wrong_state, wrong_words

    old, new = {"set/a": b"a", "set/key": b"1"}, {"set/a": b"b", "set/key": b"2"}
    assert wrong_state(old, new, old, "set/key") is None
    assert wrong_state(old, new, new, "set/key") is None
    assert "half-written" in wrong_state(old, new, new | {"set/a": b""}, "set/key")
    assert "the new state lacks" in wrong_state(old, new, new | {"set/a": b"a"}, "set/key")
    part = {digest_of(b"part".hex())}
    assert wrong_state(old, new, old | {"set/key": b"part"}, "set/key", part) is None
    assert "half-written" in wrong_state(old, new, old | {"set/key": b"par"}, "set/key", part)
    assert "half-written" in wrong_state(old, new, old | {"set/key": b"part", "set/a": b""}, "set/key", part)
    assert "lost of the old state" in wrong_state(old, new, old | {"set/a": b"b"}, "set/key")
    assert wrong_state(old, new, old | {".x.tmp": b"half"}, "set/key") is None
    said = {"code": 1, "through": None, "said": "failed: set/a: cannot be written: No space left on device\n"}
    assert wrong_words(said, "ENOSPC", "set/a", ()) is None
    assert wrong_words(said | {"said": "failed: No space left on device\n"}, "ENOSPC", "set/a", ())
    assert "came through" in wrong_words(said | {"through": "OSError()"}, "ENOSPC", "set/a", ())


WRITES = re.compile(
    r"\.(write_text|write_bytes|rename|touch|mkdir|unlink|rmdir|rmtree|savez|save_file|truncate)\(|\.open\(\"[wax]|"
    r"\bjson\.loads\(|\btomllib\.loads?\("
)
MAY = {
    "formats/atomic.py": {"mkdir", "unlink", 'open("x'},
    "formats/parsed.py": {"json.loads", "tomllib.loads"},
    "training/progress.py": {"touch", "truncate"},  # marks in a folder of the system's for such things
    "trainers/fasttext.py": {'open("w'},  # likewise
    "wordnet/lmf.py": {'open("w'},  # likewise
    "report/files.py": {"rmdir", "rmtree"},
    "encoders/runner.py": {"rmdir", "rmtree"},  # what was read on the way
    "runs/lock.py": {"unlink"},
    "runs/packing/pack.py": {"rmtree"},
    "bench/clock.py": {"write_text"},  # of /proc
    "studies/shared/finished.py": {"rmdir"},  # parts of a study that is written
    "formats/plain_text.py": {"write_text"},  # as advice
    "corpus/evidence/damage.py": {"write_text"},  # likewise
}
"""Where files are written or removed; all others go through gpustab.formats.atomic, whose points the harness knows."""


def test_nothing_is_written_and_no_json_is_read_by_another_way():
    """What the harness does not see, it cannot let fail; each reader of JSON of its own would be one more to fuzz."""
    for path in ROOT.rglob("*.py"):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        found = {one.group().strip(".(") for one in WRITES.finditer(re.sub(r'"[^"\n]*json\.[^"\n]*"', "", text))}
        assert found <= MAY.get(name, set()), name


@pytest.mark.parametrize("name", ["plan", pytest.param("account of a pack", marks=pytest.mark.slow)])
def test_files_of_ours_in_broken_forms_are_refused_in_one_line_or_read_as_if_whole(name, place):
    from tests.faults.fuzz import TARGETS, Fuzz

    (target,) = [one for one in TARGETS if one.name == name]
    fuzz = Fuzz(target, place)
    for number in random.Random(name).sample(range(len(fuzz.forms)), EACH):
        fuzz.read(number)
    assert not fuzz.wrong
    assert fuzz.outcomes.total() == EACH


@pytest.fixture
def page():
    from docs import faults

    text = (ROOT.parent / "docs/pages/reference/faults.md").read_text(encoding="utf-8")
    return lambda: faults.on_page_markdown(text)


def test_the_page_of_what_was_broken_is_of_all_calls_files_and_scanners_that_there_are(page):
    from docs import faults
    from tests import growth
    from tests.faults.fuzz import TARGETS
    from tests.faults.scenarios import SCENARIOS

    found = json.loads((faults.RESULTS / "faults.json").read_text(encoding="utf-8"))
    assert {row["call"] for row in found["calls"]} == {one.name for one in SCENARIOS}
    assert {row["file"] for row in found["files"]} == {one.name for one in TARGETS}
    rows = json.loads((faults.RESULTS / "growth.json").read_text(encoding="utf-8"))["rows"]
    assert {row["what"] for row in rows if row["kind"] == "function"} == set(growth.FUNCTIONS)
    assert "<!--" not in page()
    assert all(f"\n| {one.name} | " in page() for one in (*SCENARIOS, *TARGETS))


def test_every_bomb_was_refused_or_read_within_a_bound_and_the_page_says_so(page):
    from benchmarks.limits import TEXTS, VECTORS
    from docs import faults

    rows = faults._results("limits-cpu.json")["bombs"]
    assert [row["bomb"] for row in rows] == ["none", *TEXTS, *VECTORS]
    for row in rows:
        assert row["code"] == 2 or (row["code"] == 0 and row["more_mb"] < 256), row
        end = {0: "done", 2: "refused"}[row["code"]]
        assert re.search(rf"\n\| {re.escape(row['bomb'])} \|.*\| {end} \|\n", page())


@pytest.mark.parametrize("extent", ["whole", "sites", "sample"])
def test_the_page_says_how_far_each_call_and_file_was_counted(page, monkeypatch, extent):
    from docs import faults

    row = {"call": "a call", "operations": 9, "sites": 2, "sites and faults": 10, "of them tried": 10, "faults": 45,
           "tried": 45, "survived": 45}  # fmt: skip
    file = {"file": "a file", "kinds of forms": 10, "of them tried": 10, "forms": 45, "tried": 45, "refused": 45,
            "read as whole": 0, "wrong": 0}  # fmt: skip
    known = {"whole": {}, "sites": {"tried": 10}, "sample": {"tried": 3, "of them tried": 3}}[extent]
    other = row | {"call": "another"} | known
    if extent == "sample":  # as before sites were counted
        other = {key: value for key, value in other.items() if key not in ("sites", "sites and faults")}
    made = {"calls": [row, other], "files": [file, file | {"file": "another"} | known]}
    results = faults._results
    monkeypatch.setattr(faults, "_results", lambda name: made if name == "faults.json" else results(name))
    said = page()
    assert f"Of 2 calls {1 + (extent == 'whole')} were counted whole" in said
    assert f"Of 2 files {1 + (extent == 'whole')} were read in every form" in said
    assert said.count("**Of 1 a sample was tried**") == 2 * (extent == "sample")
    assert said.count("met every damage: `another`") == (extent == "sites")
    assert ("At 1 every site met every fault" in said) == (extent == "sites")
    assert ("`another` began anew too" in said) == (extent == "sample")
    assert ("| all | 18 | 2 (1 of 2 rows) | 10 (1 of 2 rows) |" in said) == (extent == "sample")


def test_what_did_not_survive_is_told_on_that_page(page, monkeypatch):
    from docs import faults

    results = faults._results

    def worse(name):
        content = results(name)
        for row in content.get("calls", ())[:3]:
            row["survived"] -= 1
        for row in content.get("files", ())[:2]:
            row["wrong"] += 1
        for row in content.get("rows", ())[:4]:
            row["linear"] = False
        return content

    before = page()
    monkeypatch.setattr(faults, "_results", worse)
    sums = [
        [int(line.split("|")[-2].replace(",", "")) for line in text.splitlines() if line.startswith("| all |")]
        for text in (before, page())
    ]
    (calls, files), (worse_calls, worse_files) = sums
    assert (worse_calls - calls, worse_files - files) == (-3, 2)
    assert "; 4 not linear" in page()
