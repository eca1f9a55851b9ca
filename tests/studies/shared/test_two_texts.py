"""A run set that holds two texts, however it was made, is told of before all numbers."""

import pytest

from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.runs.runset import update_manifest, write_runset
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.stability.study import stability
from tests.generators import spaces

LEE = {"name": "lee", "hash": "17d7", "units": 293, "tokens": 49172}
SPEECHES = {"name": "speeches", "hash": "89ce", "units": 60, "tokens": 151214}
ALARM = "holds runs of several texts: lee (293 documents) for LSA and speeches (60 documents) for PPMI-SVD. "


def made(folder, texts):
    write_runset({key: spaces(3, 30, 4, seed=k) for k, key in enumerate(texts)}, folder)
    for key, text in texts.items():
        update_manifest(folder, {key: 3}, {"corpus": text, "options": {}})
    return open_groups(folder)


def alarms(groups):
    return [alarm for alarm in stability(groups, neighbours=[5]).alarms if "several texts" in alarm]


def test_two_texts_in_one_set_are_an_alarm_of_every_command(tmp_path):
    groups = made(tmp_path / "MIX", {Key("lsa", "fixed"): LEE, Key("ppmi_svd", "fixed"): SPEECHES})
    (alarm,) = alarms(groups)
    assert alarm.startswith(f"MIX {ALARM}")
    assert alarm.endswith("train each into a folder of its own.")
    assert stability(groups, neighbours=[5]).alarms[0] == alarm
    assert any(ALARM in one for one in neighbours_of(groups, "w3", 4).alarms)
    assert not alarms(groups[:1])


@pytest.mark.parametrize(
    "second",
    [
        {Key("ppmi_svd", "fixed"): LEE},
        {Key("ppmi_svd", "fixed"): LEE | {"name": "renamed"}},
        {Key("lsa", "fixed", part=(("half", "a"),)): LEE | {"hash": "of a half"}},
        {Key("lsa", "fixed", "sentence"): LEE | {"hash": "of sentences"}},
        {Key("lsa", "fixed", fraction=0.5): LEE | {"hash": "of half of it"}},
        {Key("encoder", "fixed"): LEE | {"hash": "as pieces"}},
    ],
)
def test_parts_units_and_names_make_no_second_text(tmp_path, second):
    assert not alarms(made(tmp_path / "SET", {Key("lsa", "shuffled"): LEE} | second))


def test_run_sets_beside_each_other_may_be_of_two_texts(tmp_path):
    one = made(tmp_path / "A", {Key("lsa", "fixed"): LEE})
    other = made(tmp_path / "B", {Key("ppmi_svd", "fixed"): SPEECHES})
    assert not alarms([*one, *other])
