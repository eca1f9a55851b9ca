"""The help: in the order of need, quick, short, and with examples that run."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.cli.app import COMMANDS as ROOMS
from gpustab.cli.app import STUDIES
from tests.cli.test_takes import COMMANDS

FIRST = ["train", "stability", "neighbours", "compare", "study"]
QUICK = {
    "stability": "gpustab stability RUNSET",
    "neighbours": "gpustab neighbours freedom RUNSET",
    "compare": "gpustab compare RUNSET/sgns/fixed RUNSET/sgns/shuffled",
    "average": "gpustab average RUNSET/sgns/shuffled -o average.vec",
    "pack": "gpustab pack RUNSET -o packed",
    "info": "gpustab info speeches",
    "doctor": "gpustab doctor",
    "train": "gpustab train speeches -o RUNSET",
}
"""Examples that take no time on a small run set, or whose training does not count here."""


def loaded(arguments):
    program = f"import sys; sys.argv = {arguments!r}; before = len(sys.modules)\n"
    program += "import gpustab.cli\ntry:\n    gpustab.cli.run()\nexcept SystemExit:\n    pass\n"
    program += "print('modules', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return set(done.stdout.rpartition("modules ")[2].split())


def test_commands_stand_in_the_order_in_which_they_are_wanted():
    shown = CliRunner().invoke(app, ["--help"]).stdout
    places = [re.search(rf"│ {name} ", shown).start() for name in get_command(app).commands]
    assert places == sorted(places)
    assert list(get_command(app).commands)[: len(FIRST)] == FIRST


def test_the_first_help_imports_no_command():
    """Nothing but what typer and rich are, and a handful of ours: as quick as the smallest such program."""
    bare = subprocess.run(
        [sys.executable, "-c", "import sys, typer, rich, typer.rich_utils; print(*sys.modules)"],
        capture_output=True,
        text=True,
    )
    more = loaded(["gpustab", "--help"]) - set(bare.stdout.split())
    assert {name for name in more if name.startswith("gpustab")} == {
        "gpustab",
        "gpustab._kernels",
        "gpustab.errors",
        "gpustab.cli",
        "gpustab.cli.app",
    }
    assert len(more) <= 20, sorted(more)


def test_nothing_is_looked_for_among_what_was_imported_when_a_command_ends():
    program = "import atexit, gc, sys; sys.argv = ['gpustab', '--version']\n"
    program += "atexit.register(lambda: print('frozen', gc.get_freeze_count()))\n"
    program += "import gpustab.cli; gpustab.cli.run()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(done.stdout.split()[-1]) > 1000, done.stdout + done.stderr


@pytest.mark.parametrize("chosen", [{}, {"OPENBLAS_NUM_THREADS": "3", "OMP_WAIT_POLICY": "ACTIVE"}])
def test_threads_of_numpy_are_one_and_others_sleep_unless_somebody_chose(chosen):
    program = "import atexit, os, sys; sys.argv = ['gpustab', '--version']\n"
    program += "atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_WAIT_POLICY']))\n"
    program += "import gpustab.cli; assert 'numpy' not in sys.modules; gpustab.cli.run()"
    env = {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_NUM_THREADS", "OMP_WAIT_POLICY")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env | chosen)
    assert done.stdout.split()[-2:] == ([*chosen.values()] or ["1", "PASSIVE"]), done.stdout + done.stderr


def test_the_help_of_a_command_imports_no_other_study():
    ours = {name for name in loaded(["gpustab", "stability", "--help"]) if name.startswith("gpustab.studies.")}
    assert not {name for name in ours if re.search(r"change|bootstrap|thresholds|localization|consistency", name)}


@pytest.mark.parametrize("command", ["stability", "train", "compare", "study instability", "study change"])
def test_the_help_of_a_command_reads_no_value(command):
    """Typer imports pydantic to read one, which takes as long as the rest of the help."""
    more = loaded(["gpustab", *command.split(), "--help"])
    assert not more & {"pydantic", "torch", "numpy", "pandas"}


@pytest.mark.parametrize("table", [ROOMS, STUDIES])
def test_the_line_of_a_command_fits_its_place(table):
    assert all(len(text) <= 100 and text[-1] in ".?" for _, text in table.values())


def example_of(name):
    (example,) = re.findall(r"Example: (gpustab .*)", COMMANDS[name][0].help or "")
    return example


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_one_example_that_the_command_takes(name):
    words = shlex.split(example_of(name))[1:]
    command = get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    assert command is not None
    command.make_context(name, words, resilient_parsing=False).close()
    known = {opt for param in command.params for opt in param.opts}
    assert {word for word in words if word.startswith("-")} <= known


@pytest.mark.parametrize("name", QUICK)
def test_the_example_runs(call, place, monkeypatch, name):
    example = example_of(name)
    assert example == QUICK[name]
    _runset(place)
    (place / "speeches").mkdir()
    for number in range(30):
        words = [f"word{(7 * number + 3 * k * k) % 23}" for k in range(60)]
        (place / f"speeches/{number}.txt").write_text(f"{' '.join(words)} end{number}\n")
    if name == "train":
        monkeypatch.setattr("gpustab.training.train_runs", _trained)
    monkeypatch.setattr("gpustab.machine.doctor.diagnose", list)
    done = call(example.removeprefix("gpustab ").replace("freedom", "w3"))
    assert done.exit_code == 0, done.stderr


def _trained(settings, folder, **_):
    from gpustab.report import Result

    assert settings.options.min_count in (2, 5)
    corpus = {"units": 30, "tokens": 9}
    result = Result("train", settings={**json.loads(settings.model_dump_json()), "corpus": corpus})
    result.environment["seconds"] = 0.0
    return result


def _runset(place):
    from gpustab.runs.runset import write_runset
    from tests.generators import spaces

    groups = {f"sgns/{kind}": spaces(3, 30, 4, seed=k) for k, kind in enumerate(("fixed", "shuffled", "bootstrap"))}
    write_runset(groups, place / "RUNSET")


def test_options_that_few_need_are_folded(call):
    page = call("stability --help").stdout
    assert "--drop-nonfinite" not in page
    assert "--help-all" in page
    assert page.count("\n") < 60
    whole = call("stability --help-all").stdout
    assert "--drop-nonfinite" in whole
    assert "Reading files" in whole
    assert "--drop-nonfinite" not in call("stability --help").stdout  # and not for ever
