import json
from hashlib import sha256

import pytest
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from gpustab import InputError, load_runs
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.packing.verify import is_whole, verify
from gpustab.runs.runset import write_runset
from tests.generators import spaces


@pytest.fixture
def packed(tmp_path):
    write_runset({"a/x": spaces(3), "a/y": spaces(2, seed=1)}, tmp_path / "set")
    pack_runs([tmp_path / "set"], tmp_path / "out")
    return tmp_path / "out"


def found(folder):
    result = verify(folder)
    assert is_whole(result) == (not any(group["status"] for group in result.groups))
    return {f"{group['name']}/{file}": status for group in result.groups for file, status in group["status"].items()}


def test_a_whole_pack(packed):
    assert found(packed) == {}
    assert found(packed / "a/x") == {}
    assert verify(packed).tables["files"]["status"] == ["ok"] * 7


@pytest.mark.parametrize("file", ["packed-001.safetensors", "packed.json"])
@pytest.mark.parametrize("place", [0.0, 0.3, 0.99])
def test_one_flipped_bit(packed, file, place):
    path = packed / "a/x" / file
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 4
    path.write_bytes(content)
    assert found(packed) == {f"a/x/{file}": "damaged"}


def test_missing_and_extra_files(packed):
    (packed / "a/x/packed-000.safetensors").unlink()
    (packed / "a/y/packed.json").unlink()
    (packed / "a/x/packed-003.safetensors").touch()
    assert found(packed) == {
        "a/x/packed-000.safetensors": "missing",
        "a/x/packed-003.safetensors": "not packed here",
        "a/y/packed.json": "missing",
    }


def test_words_that_differ_are_damage_whatever_the_checksums_say(packed):
    file, manifest = packed / "a/x/packed-002.safetensors", packed / "a/x/packed.json"
    content = file.read_bytes().replace(b"w10w11", b"w10w99")
    file.write_bytes(content)
    leaf = json.loads(manifest.read_text())
    leaf["runs"][2]["sha256"] = sha256(content).hexdigest()
    manifest.write_text(json.dumps(leaf))
    assert found(packed / "a/x") == {"x/packed-002.safetensors": "damaged"}


def test_a_run_set_as_it_was_trained(packed):
    folder = packed.parent / "set"
    assert found(folder) == found(folder / "a/x") == {}
    assert verify(folder).tables["files"]["status"] == ["ok"] * 5
    path = folder / "a/x/run-001.safetensors"
    whole = path.read_bytes()
    for place in (9, len(whole) // 3, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert found(folder) == {"a/x/run-001.safetensors": "damaged"}
    path.unlink()
    assert found(folder) == {"a/x/run-001.safetensors": "missing"}


def test_runs_of_before_there_were_checksums_are_read_and_it_is_said_once(packed):
    folder = packed.parent / "set"
    for path in (folder / "a/x").iterdir():
        with safe_open(path, "pt") as file:
            save_file(load_file(path), path, {"gpustab": file.metadata()["gpustab"]})
    result = verify(folder)
    assert is_whole(result)
    assert result.notes == [
        "3 of an older gpustab have no checksum: "
        + ", ".join(f"a/x/run-00{number}.safetensors" for number in range(3))
        + "."
    ]
    (note,) = load_runs(folder / "a/x").notes
    assert note.endswith(
        "run-002: the file has no checksum, as it was written by an older gpustab, so that damage would not be seen"
    )


def test_what_is_no_pack(packed):
    with pytest.raises(InputError, match="no run set"):
        verify(packed / "nothing")


@pytest.mark.parametrize("trained", [True, False])
def test_only_runs_that_were_trained_are_trained_again(tmp_path, trained):
    write_runset({"a/x": spaces(3)}, tmp_path / "set")
    if trained:
        (tmp_path / "set/a/x/plan.json").write_text("{}")
    (tmp_path / "set/a/x/run-001.safetensors").unlink()
    assert any("training by the same call" in note for note in verify(tmp_path / "set").notes) == trained
