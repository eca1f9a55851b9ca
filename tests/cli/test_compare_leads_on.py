"""What compare refuses names the argument that is meant, and paths and calls that work as they are printed."""

import re
import shlex

import pytest

from gpustab.runs.runset import write_runset
from tests.generators import spaces


@pytest.fixture
def lsa(place):
    write_runset(
        {f"lsa/{kind}": spaces(3, 30, 4, seed=k) for k, kind in enumerate(("fixed", "shuffled"))}, place / "my set"
    )
    write_runset({"lsa/fixed": spaces(3, 30, 4, seed=9)}, place / "one")
    return place


def test_of_several_groups_the_argument_and_whole_paths_are_said(lsa, call):
    (lsa / "my set").rename(lsa / "mine")
    done = call("compare one mine")
    assert done.exit_code == 2
    found = re.search(r"mine: 2 groups, and groups are never pooled; name one of them: (.+)", done.stderr)
    paths = found[1].replace(" and ", ", ").split(", ")
    assert sorted(paths) == ["mine/lsa/fixed", "mine/lsa/shuffled"]
    assert all(call(f"compare one {path}").exit_code == 0 for path in paths)


def test_one_run_set_alone_gives_an_example_of_its_own_groups(lsa, call):
    (lsa / "my set").rename(lsa / "mine")
    plain = " ".join(re.sub(r"[│╭╮╰╯─]", " ", call("compare mine").stderr).split())
    example = re.search(r"For example: (gpustab compare \S+ \S+)", plain)[1]
    assert example == "gpustab compare mine/lsa/fixed mine/lsa/shuffled"
    assert call(" ".join(shlex.split(example)[1:])).exit_code == 0
    assert "RUNSET/sgns/fixed" in call("compare one").stderr  # which has no two groups


def test_kinds_of_runs_alone_are_looked_for(lsa, call):
    done = call("compare fixed shuffled")
    assert done.exit_code == 2
    assert "fixed: there is no such file; meant may be my set/lsa/fixed or one/lsa/fixed" in done.stderr
