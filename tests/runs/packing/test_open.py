import pytest

from gpustab import InputError, load_runs
from gpustab.formats.options import LoadOptions
from gpustab.runs.packing.open import open_packed
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import open_leaf


@pytest.fixture
def packed(sources, tmp_path):
    pack_runs(sources, tmp_path / "out", vocabulary="union", min_runs=3, options=LoadOptions(limit=40))
    return tmp_path / "out"


def test_a_pack_is_opened_as_it_was_packed(packed):
    assert open_leaf(packed / "runs").packed
    assert open_packed(packed / "runs").joining.min_runs == 3
    union = {"vocabulary": "union"}
    for choices in (union, {"min_runs": 3}, {"options": LoadOptions(limit=40)}):
        assert load_runs(packed, **union | choices).joining.min_runs == 3


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"vocabulary": "joint"}, "packed with vocabulary union, not with vocabulary joint"),
        ({"vocabulary": "union", "min_runs": 2}, "packed with min_runs 3, not with min_runs 2"),
        ({"vocabulary": "union", "options": LoadOptions(limit=5)}, "packed with limit 40, not with limit 5"),
        ({"vocabulary": "union", "options": LoadOptions(only=["w1"])}, "packed without words, not with words w1"),
    ],
)
def test_other_choices_are_refused(packed, choices, message):
    with pytest.raises(InputError, match=f"{message}: .* pack the runs again"):
        load_runs(packed, **choices)


def test_a_cut_or_missing_file_is_refused(packed):
    file = packed / "runs/packed-001.safetensors"
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(InputError, match=rf"packed-001.safetensors: has {len(content) - 1} bytes"):
        load_runs(packed, vocabulary="union")
    file.unlink()
    with pytest.raises(InputError, match=r"packed-001.safetensors: is missing; gpustab pack --verify"):
        load_runs(packed, vocabulary="union")


def test_loose_packed_files_are_no_leaf(packed):
    (packed / "runs/packed.json").unlink()
    with pytest.raises(InputError, match=r"no run-NNN\.safetensors"):
        open_leaf(packed / "runs")


def test_what_is_not_asked_for_is_as_it_was_packed(packed):
    assert load_runs(packed).joining == load_runs(packed, vocabulary="union", min_runs=3).joining
