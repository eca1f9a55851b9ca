import tomllib

import pytest

from gpustab import InputError
from gpustab.training.settings import read_settings, read_toml, to_toml


def test_the_effective_settings_read_back_as_themselves():
    settings = read_settings(
        {"corpus": "sotu", "techniques": ["sgns", "lsa"], "runs": 3, "options": {"min_count": 7}, "sgns": {"epochs": 2}}
    )
    text = to_toml(settings)
    again = read_settings(tomllib.loads(text))
    assert to_toml(again) == text
    assert again.parameters_of("sgns").epochs == 2
    assert again.options.min_count == 7
    assert tomllib.loads(text)["sgns"]["window"] == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"techniques": ["word3vec"]}, "technique 'word3vec' is unknown; there are sgns"),
        ({"sampling": ["fixed"]}, "sampling is unknown"),
        ({"samplings": ["jackknife"]}, r"samplings\.0 is 'jackknife'"),
        ({"runs": 0}, "runs is 0"),
        ({"sgns": {"epoch": 3}}, r"sgns\.epoch is unknown"),
        ({"sgns": {"epochs": -1}}, r"sgns\.epochs is -1"),
        ({"glove": {"epochs": 3}}, "parameters for glove, which is not among the techniques"),
        ({"options": {"min_counts": 3}}, "options.*min_counts"),
        ({"options": {"fraction": 1.5}}, "fraction"),
        ({"vary": ["weather"]}, r"vary\.0 is 'weather'"),
        ({"engine": "cuda"}, "engine is 'cuda'"),
        ({"programs_per_run": 0}, "programs_per_run is 0"),
        ({"programs_per_run": 2000}, "programs_per_run is 2000"),
        ({"sgns": {"spread": 0}}, r"sgns\.spread is 0"),
    ],
)
def test_wrong_settings_are_named(change, message):
    with pytest.raises(InputError, match=message):
        read_settings({"corpus": "lee", **change})


def test_every_wrong_key_is_told_at_once():
    with pytest.raises(InputError, match=r"seeds is unknown.*; .*|runs is 0.*; .*"):
        read_settings({"corpus": "lee", "runs": 0, "seeds": 1})


def test_no_corpus():
    with pytest.raises(InputError, match="corpus"):
        read_settings({})


def test_toml_errors_name_file_and_line(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("runs = 3\nseed = = 4\n")
    with pytest.raises(InputError, match=r"plan\.toml.*line 2"):
        read_toml(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_toml(tmp_path / "missing.toml")
