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
        ({"techniques": ["SGNS"]}, "technique 'SGNS' is unknown; near it is sgns"),
        ({"techniques": ["skip-gram"]}, "unknown; near it is sgns"),
        ({"techniques": ["word3vec"]}, "technique 'word3vec' is unknown; there are sgns"),
        ({"sampling": ["fixed"]}, "sampling is unknown; near it is samplings"),
        ({"samplings": ["jackknife"]}, "samplings is 'jackknife', wanted 'fixed', 'shuffled' or 'bootstrap'"),
        ({"runs": 0}, "runs is 0"),
        ({"sgns": {"epoch": 3}}, r"sgns\.epoch is unknown"),
        ({"sgns": {"epochs": -1}}, r"sgns\.epochs is -1"),
        ({"glove": {"epochs": 3}}, "parameters for glove, which is not among the techniques"),
        ({"options": {"min_counts": 3}}, r"options\.min_counts is unknown; near it is min_count"),
        ({"options": {"fraction": 1.5}}, r"^fraction is 1\.5, wanted a number above 0"),
        ({"vary": ["weather"]}, "vary is 'weather', wanted"),
        ({"engine": "cuda"}, "engine is 'cuda'"),
        ({"sgns": {"spread": 0}}, r"sgns\.spread is 0"),
        ({"sgns": 3}, "sgns is 3, wanted a table of parameters"),
        ({"parameters": {"sgns": {"dim": 3}}}, "parameters is unknown: those of a technique stand under its own name"),
        ({"options": 3}, "options is 3"),
        ({"options": {"lowercase": "False"}}, "lowercase is 'False', wanted True or False"),
        ({"options": {"fraction": "x"}}, "fraction is 'x'"),
        ({"techniques": "sgns"}, "techniques is 'sgns', wanted a list"),
        ({"seed": -1}, "seed is -1, wanted a whole number from 0 to 4294967295"),
        ({"seed": 10**20}, f"seed is {10**20}, wanted a whole number from 0"),
        ({"seed": 1.5}, r"seed is 1\.5, wanted a whole number"),
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
    with pytest.raises(InputError, match="there is no such file"):
        read_toml(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("techniqes = ['lsa']\n", "line 1: techniqes is unknown; near it is techniques"),
        ("[parameters]\ndim = 3\n", "line 1: parameters is unknown: those of a technique"),
        ("options = 3\n", "line 1: options is 3"),
        ("techniques = 3\n", "line 1: techniques is 3, wanted a list"),
        ("runs = 3\ntechniques = ['SGNS']\n", "line 2: technique 'SGNS' is unknown; near it is sgns"),
        ("runs = 3\n\n[sgns]\nepoch = 3\n", r"line 4: sgns\.epoch is unknown; near it is epochs"),
        ("runs = 3\nsgns.epochs = 0\n", r"line 2: sgns\.epochs is 0, wanted 1 or more"),
        ("sgns = { epochs = 0 }\n", r"line 1: sgns\.epochs is 0, wanted 1 or more"),
        ("[options]\nmin_counts = 3\n", r"line 2: options\.min_counts is unknown; near it is min_count"),
        ("[options]\nunit = 'document'\nfraction = 2\n", "line 3: fraction is 2, wanted a number above 0"),
        ("runs = 'x'\n", "line 1: runs is 'x', wanted a whole number"),
        ("[glove]\nrate = 3.0\n", r"line 2: glove\.rate is 3\.0, wanted at most 1"),
    ],
)
def test_wrong_keys_of_a_file_are_told_with_its_name(tmp_path, text, message):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=f"^{path}: {message}"):
        read_toml(path)


def test_a_file_may_leave_the_corpus_and_the_techniques_to_others(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("runs = 3\n[glove]\nepochs = 2\n")
    assert read_toml(path) == {"runs": 3, "glove": {"epochs": 2}}
