import json
from hashlib import sha256

import pytest

from gpustab import load_runs
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.report.json_text import to_json
from gpustab.runs import group
from gpustab.runs.group import Inputs
from gpustab.runs.load import open_groups
from gpustab.runs.packing.pack import pack_runs
from gpustab.studies.stability.study import stability
from tests.generators import spaces


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"r{r}.safetensors" for r in range(3)]
    for space, path in zip(spaces(3), paths, strict=True):
        write_safetensors(space, path)
    return paths


def record(path):
    content = path.read_bytes()
    return {"path": str(path), "bytes": len(content), "sha256": sha256(content).hexdigest()}


def test_a_result_that_is_only_printed_hashes_nothing(files, monkeypatch):
    monkeypatch.setattr(group, "file_digest", None)
    result = stability(open_groups(files))
    assert "0.0" in str(result)
    assert len(result.environment["inputs"]) == 3
    with pytest.raises(TypeError):
        to_json(result)  # which shows the hashes


def test_what_is_shown_has_the_hashes(files):
    result = stability(open_groups(files))
    assert json.loads(to_json(result))["environment"]["inputs"] == list(map(record, files))
    assert list(Inputs(open_groups(files))) == list(map(record, files))


def test_a_file_that_has_changed_or_gone_has_no_hash(files):
    found = Inputs(open_groups(files))
    sizes = [path.stat().st_size for path in files]
    files[0].write_bytes(b"another")
    files[2].unlink()
    assert [entry["sha256"] for entry in found] == [None, record(files[1])["sha256"], None]
    assert [entry["bytes"] for entry in found] == sizes


def test_of_a_pack_the_account_is_named_and_runs_in_memory_have_none(files, tmp_path):
    pack_runs(files, tmp_path / "out")
    assert list(Inputs(open_groups(tmp_path / "out"))) == [record(tmp_path / "out/runs/packed.json")]
    assert not Inputs([load_runs(files)])
