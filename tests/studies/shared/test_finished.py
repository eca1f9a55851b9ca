"""What finished parts say comes back as it was."""

import json
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pytest
import torch

from gpustab.studies.shared.finished import Finished, clear_finished, digest_of


class Inner(NamedTuple):
    value: float
    values: np.ndarray


@dataclass
class Outer:
    parts: list[Inner]
    by_name: dict[str, Inner]
    nothing: float | None


def test_kept_parts_come_back(tmp_path):
    inner = Inner(0.1 + 0.2, np.array([[1.5, np.nan], [np.inf, -0.0]], dtype=np.float32))
    said = Outer([inner], {"a": inner}, None)
    kept = Finished(tmp_path / "parts", (Inner, Outer))
    assert kept.get("one") is None
    kept.put("one", said)
    again = Finished(tmp_path / "parts", (Inner, Outer)).get("one")
    assert isinstance(again, Outer)
    assert again.nothing is None
    for part in (again.parts[0], again.by_name["a"]):
        assert part.value == inner.value
        assert part.values.dtype == np.float32
        assert part.values.tobytes() == inner.values.tobytes()


def test_no_folder_keeps_nothing():
    kept = Finished(None)
    kept.put("one", [1.0])
    assert kept.get("one") is None


@pytest.mark.parametrize("text", ["", "{", "{}", '{"type": "Outer", "fields": []}', '{"type": "Else", "fields": []}'])
def test_a_damaged_part_is_none(tmp_path, text):
    sums = crc32(json.dumps(json.loads(text)).encode()) if text.endswith("}") else 0
    for content in (text, f'{{"said": {text}, "crc32": {sums}}}'):
        (tmp_path / "one.json").write_text(content)
        assert Finished(tmp_path, (Inner, Outer)).get("one") is None


def test_a_part_whose_number_was_changed_is_none(tmp_path):
    kept = Finished(tmp_path)
    kept.put("one", [1.5])
    assert kept.get("one") == [1.5]
    path = tmp_path / "one.json"
    path.write_text(path.read_text().replace("1.5", "2.5"))
    assert kept.get("one") is None


def test_the_name_depends_on_all(tmp_path):
    rows = torch.arange(6.0).view(2, 3)
    names = {
        digest_of("a", rows),
        digest_of("b", rows),
        digest_of("a", rows + 1),
        digest_of("a", {"k": 1}, rows),
        digest_of("a", rows, np.zeros(1)),
    }
    assert len(names) == 5
    assert digest_of("a", rows) == digest_of("a", rows.t().contiguous().t())


@pytest.mark.parametrize("folder", [None, "parts"])
def test_a_part_is_made_once_where_it_is_kept_and_again_where_more_depends_on_it(tmp_path, folder):
    made = []
    kept = Finished(folder and tmp_path / folder).of("group", np.arange(3))

    def part(finished, name):
        return finished.part(name, lambda: made.append(name) or [float(len(made))])

    first = part(kept, "one"), part(kept.of("more"), "one"), part(kept, "two")
    assert first == ([1.0], [2.0], [3.0])
    again = part(kept, "one"), part(kept.of("more"), "one"), part(kept.of("other"), "one")
    assert again == (([1.0], [2.0], [4.0]) if folder else ([4.0], [5.0], [6.0]))


def test_what_is_kept_goes_and_files_of_others_stay(tmp_path):
    folder, other, link = tmp_path / ".finished", tmp_path / "other", tmp_path / "link"
    mine = {"thesis.txt": "1", "numbers.json": "2", f"{'g' * 32}.json": "3"}
    for place in (folder, other):
        Finished(place).part("one", lambda: [1.0])
    for name, text in mine.items():
        (folder / name).write_text(text)
    (folder / "chapters").mkdir()
    link.symlink_to(other)
    for place in (folder, link, tmp_path / "none"):
        clear_finished(place)
    assert {path.name: path.read_text() for path in folder.iterdir() if path.is_file()} == mine
    assert (folder / "chapters").is_dir()
    assert len([*other.iterdir()]) == 1
    clear_finished(other)
    assert not other.exists()
