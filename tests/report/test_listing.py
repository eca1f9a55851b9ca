"""How runs were made: what a run set says is told whole, what plain files do not say is called not known."""

import re

import pytest

from gpustab import load_groups, open_groups
from gpustab.report.html import to_html
from gpustab.report.listing import account, account_line
from gpustab.report.terminal import to_text
from gpustab.runs.runset import write_runset
from gpustab.studies.shared.frame import how_made
from gpustab.studies.stability.study import stability
from tests.generators import spaces

MADE = {
    "corpus": {"name": "sotu", "hash": "6b0f", "units": 249, "tokens": 1932347},
    "techniques": ["sgns", "lsa"],
    "seed": 7,
    "vary": ["draw", "training"],
    "half": "",
    "options": {"unit": "document", "min_count": 20, "layout": None},
    "parameters": {"sgns": {"dim": 50, "epochs": 2}, "lsa": {"dim": 90}},
    "engines": {"sgns": {"engine": "gensim", "deterministic": True}},
    "dropped": {"rare_words": 19445, "duplicate_documents": 0},
}


@pytest.fixture(scope="module")
def runset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "set"
    write_runset({"sgns/fixed": spaces(3, 30, 4), "sgns/shuffled": spaces(2, 30, 4, seed=1)}, folder, **MADE)
    return folder


def test_every_setting_of_the_training_is_told_and_no_other_techniques(runset):
    ((title, lines),) = account(how_made(open_groups(runset)))
    assert title == "sgns/fixed (3 runs), sgns/shuffled (2 runs)"
    told = dict(lines)
    assert re.fullmatch(r"gpustab \S+, torch \S+", told.pop("versions"))
    assert told == {
        "text": "addresses of US presidents to Congress since 1790, of the package sotu: sotu (249 documents, "
        "1,932,347 running words); hash 6b0f",
        "parameters of sgns": "dim 50, epochs 2",
        "engine of sgns": "engine gensim, a seed gives the same vectors again: yes",
        "how the text was read": "unit document, min count 20",
        "left out of the text": "19,445 rare words",
        "what differs from run to run": "the draw of the text and the seed of the training",
        "seed of all draws": "7",
    }


def test_the_pages_have_it_folded_and_the_terminal_one_line(runset):
    result = stability(open_groups(runset), neighbours=[3])
    page = to_html(result)
    assert page.count("<summary>How the runs were made</summary>") == 1
    assert "<dt>parameters of sgns</dt><dd>dim 50, epochs 2</dd>" in page
    assert page.count("rare words") == 1  # not among versions and settings too
    said = (
        "How the runs were made: sgns; sotu (249 documents, 1,932,347 running words); seed 7. All settings: on the page"
    )
    assert said in " ".join(to_text(result).split())


def test_of_plain_files_and_runs_in_memory_nothing_is_known(runset):
    ways = how_made([*open_groups(sorted((runset / "sgns/fixed").glob("*"))), load_groups(runset)[0]])
    assert [title for title, _ in account(ways)] == ["runs (3 runs), sgns/fixed (3 runs)"]
    assert account(ways)[0][1] == [("training", "not known: only run sets that gpustab trained say how")]
    assert account_line(ways).startswith("How the runs were made: not known")
    assert account_line([]) == ""


def test_what_several_ways_have_in_common_is_told_once(tmp_path):
    for seed in (7, 0):
        name = f"s{seed}/shuffled"
        write_runset({name: spaces(2, 30, 4, seed=seed)}, tmp_path / str(seed), **MADE | {"seed": seed})
    ways = how_made(group for seed in (7, 0) for group in open_groups(tmp_path / str(seed)))
    common, first, second = account(ways)
    assert common[0] == "all runs"
    assert ("left out of the text", "19,445 rare words") in common[1]
    assert (first, second) == (
        ("s7/shuffled (2 runs)", [("seed of all draws", "7")]),
        ("s0/shuffled (2 runs)", [("seed of all draws", "0")]),
    )
    assert account_line(ways).count("seed 7; made in two ways, this is the first.") == 1
    three = [*ways, {"groups": [{"name": "mine", "runs": 2}], "techniques": ["mine"], "made": {}, "versions": {}}]
    assert "; made in 3 ways, this is the first." in account_line(three)
    assert "; made in 3 ways, this is one of them." in account_line(three[::-1])


def test_parts_of_one_text_are_told_by_their_sizes():
    ways = [
        {"groups": [], "techniques": ["lsa"], "versions": {}, "made": {"corpus": {"name": "sotu", "units": n}}}
        for n in (51, 1049, 68)
    ]
    assert account_line(ways).startswith("How the runs were made: lsa; sotu (parts of 51 to 1,049 documents); seed –")
    assert "parts" not in account_line([ways[0], ways[0]])


def test_a_corpus_that_comes_with_a_package_says_what_it_is_and_how_much_of_it_is_kept():
    made = {"corpus": {"name": "lee", "units": 293, "tokens": 49172}, "dropped": {"rare_running_words": 9122}}
    ((_, lines),) = account([{"groups": [], "techniques": [], "versions": {}, "made": made}])
    about, _, size = dict(lines)["text"].partition(": ")
    assert about == "Australian news of 2000 and 2001, of gensim's test data"
    assert size.startswith("lee (293 documents, 49,172 of 58,294 running words); hash")
    own = made | {"corpus": made["corpus"] | {"name": "mine/lee"}, "dropped": {}}
    ((_, lines),) = account([{"groups": [], "techniques": [], "versions": {}, "made": own}])
    assert dict(lines)["text"].startswith("mine/lee (293 documents, 49,172 running words); hash")


def test_an_engine_is_not_said_to_give_the_same_vectors_whatever_the_seed():
    made = {"corpus": {"name": "lee"}, "engines": {"lsa": {"deterministic": True}}}
    ((_, lines),) = account([{"groups": [], "techniques": ["lsa"], "versions": {}, "made": made}])
    assert dict(lines)["engine of lsa"] == "a seed gives the same vectors again: yes"


def test_groups_of_several_run_sets_are_found_in_their_own_manifests(tmp_path):
    """There they have other keys: what is the same in several is told apart by the run set."""
    for seed in (7, 0):
        write_runset({"sgns/fixed": spaces(2, 30, 4, seed=seed)}, tmp_path / str(seed), **MADE | {"seed": seed})
    common, *ways = account(how_made(open_groups([tmp_path / "7", tmp_path / "0"])))
    assert ("parameters of sgns", "dim 50, epochs 2") in common[1]
    assert [lines for _, lines in ways] == [[("seed of all draws", "7")], [("seed of all draws", "0")]]


def test_a_manifest_of_another_hand_is_told_as_it_is(tmp_path):
    write_runset({"mine/shuffled": spaces(2, 30, 4)}, tmp_path / "set", teacher="Anna", corpus="letters", options=3)
    ways = how_made(open_groups(tmp_path / "set"))
    assert ("teacher", "Anna") in account(ways)[0][1]
    assert account_line(ways).startswith("How the runs were made: mine; ")


def test_values_of_another_kind_are_shown_as_they_are(tmp_path):
    made = {
        "corpus": {"name": "letters", "units": "12", "tokens": None},
        "options": {"unit": 3},
        "engines": {"mine": "word2vec.c"},
        "parameters": {"mine": [1, 2]},
        "dropped": {"rare_words": "some", "other": {"a": 1}},
        "vary": "draw",
        "versions_of_mine": 0.5,
    }
    write_runset({"mine/shuffled": spaces(1, 30, 4)}, tmp_path / "set", **made)
    ways = how_made(open_groups(tmp_path / "set", single_runs=True))
    assert account_line(ways).startswith("How the runs were made: mine; letters (12 3s, None running words); seed –")
    ((title, lines),) = account(ways)
    assert title == "mine/shuffled (1 run)"
    told = dict(lines)
    assert told["engine of mine"] == "word2vec.c"
    assert told["parameters of mine"] == "1, 2"
    assert told["left out of the text"] == "some rare words, {'a': 1} others"
    assert told["what differs from run to run"] == "the draw of the text"
    one = {"corpus": {"name": "x", "units": 1, "tokens": 1}}
    way = {"groups": [{"name": "a", "runs": 1}], "techniques": ["a"], "made": one, "versions": "1.0"}
    assert ("text", "x (1 document, 1 running word); hash –") in account([way])[0][1]
    assert ("versions", "1.0") in account([way])[0][1]
