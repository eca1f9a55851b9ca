"""Commands refuse what the library refuses, in its sentence; help is the docstrings'; --out says where answers go."""

import json
import math
import re
import subprocess
import sys
from typing import Literal, get_origin

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from gpustab import InputError
from gpustab.cli import app, options, takes
from gpustab.cli.complaints import as_typed
from gpustab.corpus.options import CorpusOptions
from gpustab.options import Option, Options, declarations, item_of, members
from tests.cli.conftest import one_object
from tests.wrong_values import wrong_values


def commands(group=None, callbacks=None, prefix=()):
    """Every command, by the words that call it: what Typer made, and its bundles."""
    group, callbacks = group or get_command(app), callbacks or app
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            (below,) = (one.typer_instance for one in callbacks.registered_groups if one.name == name)
            yield from commands(command, below, (*prefix, name))
        else:
            yield " ".join((*prefix, name)), (command, callbacks.brought[name].callback.bundles)


COMMANDS = dict(commands())
ONCE = {}
for _name, (_, _bundles) in COMMANDS.items():
    for _bundle in _bundles:
        ONCE.setdefault(_bundle.__name__, (_name, CorpusOptions if _bundle.__name__ == "CorpusOptions" else _bundle))
FIELDS = [
    (command, bundle, field)
    for command, bundle in ONCE.values()
    for field, declared in declarations(bundle).items()
    if declared.option.typed
]


def typed(value, declared):
    """What is typed for a value, or None where nothing typed means it."""
    kinds = members(declared.kind)
    if any(item_of(kind) is not None for kind in kinds) != isinstance(value, tuple):
        return None
    parts = value if isinstance(value, tuple) else (value,)
    numbers = {int, float} & {item_of(kind) or kind for kind in kinds}
    texts = numbers or any(get_origin(item_of(kind) or kind) is Literal for kind in kinds)
    if any(isinstance(part, bool) or part in (None, "1.5") for part in parts):
        return None
    if not all(numbers if isinstance(part, int | float) else texts for part in parts):
        return None
    return ",".join(map(str, parts))


def invoke(name, *more):
    """Call a command with all that it wants, and more."""
    command, _ = COMMANDS[name]
    wanted = ["x" for param in command.params if param.param_type_name == "argument"]
    return CliRunner().invoke(app, [*name.split(), *wanted, *(["--vary", "a=1"] if name == "sweep" else []), *more])


@pytest.mark.parametrize(("command", "bundle", "field"), FIELDS, ids=lambda one: getattr(one, "__name__", one))
def test_a_command_refuses_what_the_library_refuses_in_the_same_sentence(command, bundle, field):
    declared = declarations(bundle)[field]
    flag = next(flag for flag in (*declared.option.flags, f"--{field.replace('_', '-')}") if flag.startswith("--"))
    for value in wrong_values(declared):
        if (text := typed(value, declared)) is None:
            continue
        with pytest.raises(InputError) as error:
            bundle(**{field: value})
        done = invoke(command, f"{flag}={text}")
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == f"error: {as_typed(error.value)}\n"
        assert done.stderr.startswith(f"error: {(declared.option.flags or (flag,))[0]} is ")


def test_every_bound_and_choice_can_be_typed_wrong():
    """The test above leaves nothing out that has a bound or choices."""
    for _, bundle, field in FIELDS:
        declared = declarations(bundle)[field]
        kinds = [item_of(kind) or kind for kind in members(declared.kind)]
        if {int, float} & set(kinds) or any(get_origin(kind) is Literal for kind in kinds):
            texts = [typed(value, declared) for value in wrong_values(declared)]
            assert len([text for text in texts if text]) >= 1 + ({int, float} & set(kinds) != set()), field


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("neighbours w x -n 0", "-n is 0, wanted a whole number from 1 upwards"),
        ("neighbours w x -n 1.5", "-n is 1.5, wanted a whole number from 1 upwards"),
        ("pack x y -o z --min-runs 0", "--min-runs is 0, wanted a whole number from 1 upwards"),
        ("pack x y -o z --jobs 0", "--jobs is 0, wanted a whole number from 1 upwards"),
        ("pack x y -o z --dtype float8", "--dtype is 'float8', wanted 'float32' or 'float16' or 'bfloat16'"),
        ("bench --seed -1", "--seed is -1, wanted a whole number from 0 to 4294967295"),
        ("bench --seconds soon", "--seconds is 'soon', wanted a number"),
        ("bench --backend annoy", "--backend is 'annoy', wanted 'auto' or 'torch' or 'faiss'"),
    ],
)
def test_options_of_a_command_alone_are_refused_likewise(line, sentence):
    done = CliRunner().invoke(app, line.split())
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"error: {sentence}\n")


# Help


def page(command):
    everything = any("--help-all" in param.opts for param in COMMANDS[command][0].params)
    flag = "--help-all" if everything else "--help"
    done = CliRunner().invoke(app, [*command.split(), flag], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help(command):
    for param in COMMANDS[command][0].params:
        assert param.help, (command, param.name)


def test_help_is_the_entry_of_the_docstring_with_options_as_they_are_typed():
    shown = " ".join(page("stability").replace("│", " ").split())
    assert "--min-runs <int from 1> Of --vocabulary union: runs that a word must be in; default 2." in shown
    assert "Whose neighbours are compared: all, or a number of words to draw." in shown
    assert "--metrics NAME,NAME,... Metrics of pairs of spaces beside the PIP loss. Names: pip, procrustes," in shown
    assert "joint: words of all runs; union: words of at least --min-runs runs." in shown
    assert "--seed <int> Of every random draw. [default: 0]" in shown
    assert "``" not in shown


LISTED = """
output config technique sampling runs seed vary jobs parallel engine dim window epochs keep-output
halves epochs-by control set format layout encoding errors column id-column date-column tokenizer language min-count
max-words unit fraction out force json quiet verbose help"""


def test_train_lists_what_it_always_listed():
    shown = page("train")
    for name in LISTED.split():
        assert f"--{name} " in shown, name
    for text in (
        "-o",
        "-q",
        "-v",
        "sgns, cbow, fasttext, lsa",
        "<fixed|shuffled|bootstrap>,...",
        "Default: 2 to 20, by the size of the text.",
    ):
        assert text in shown


def test_stripped_docstrings_cost_the_help_alone(tmp_path):
    line = [sys.executable, "-OO", "-m", "gpustab", "stability", "--help-all"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False, env=None)
    assert done.returncode == 0, done.stderr
    assert "--min-runs" in done.stdout


def test_a_spare_flag_gives_way():
    spare = takes.Typed("out", declarations(options.Showing)["out"], None, "")
    for flags, wanted in ((set(), ("--out", "-o", "--output")), ({"--output"}, ("--out", "-o"))):
        (typed,) = spare.parameter(flags).annotation.__metadata__
        assert (typed.default, *typed.param_decls) == wanted


# Where the answer goes


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_where_the_answer_goes_by_either_name(command):
    flags = {flag for param in COMMANDS[command][0].params for flag in param.opts}
    assert {"-o", "--out", "--output"} <= flags
    assert len(flags) == sum(len(param.opts) for param in COMMANDS[command][0].params)  # none means two things
    owner = {flag: param.name for param in COMMANDS[command][0].params for flag in param.opts}
    made = "output" if command in {"train", "encode", "average", "pack", "sweep"} else "out"  # what the command makes
    assert (owner["-o"], owner["--output"], owner["--out"]) == (made, made, "out")


@pytest.mark.parametrize("flag", ["-o", "--out", "--output"])
def test_the_page_goes_where_each_name_says(place, call, flag):
    assert call(f"neighbours w1 r0.txt r1.txt {flag} result").exit_code == 0
    assert (place / "result/summary.json").is_file()


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_what_is_made_goes_where_either_name_says(place, call, flag):
    assert call(f"average r0.txt r1.txt {flag} a.txt").exit_code == 0
    assert (place / "a.txt").is_file()
    assert call(f"pack r0.txt r1.txt {flag} packed").exit_code == 0
    assert (place / "packed/manifest.json").is_file()
    assert not list(place.rglob("summary.json"))


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_beside_it_out_is_the_folder_of_the_page(place, call, flag):
    assert call(f"average r0.txt r1.txt {flag} a.txt --out page").exit_code == 0
    assert (place / "a.txt").is_file()
    assert one_object((place / "page/summary.json").read_text())["schema"] == "gpustab.average/1"
    assert call(f"pack r0.txt r1.txt {flag} packed --out other").exit_code == 0
    assert (place / "packed/manifest.json").is_file()
    assert one_object((place / "other/summary.json").read_text())["schema"] == "gpustab.pack/1"
    assert call("pack --verify packed --out verified").exit_code == 0
    assert (place / "verified/summary.json").is_file()


def test_runs_are_trained_where_the_output_is_and_out_is_the_page(place, call):
    (place / "text.txt").write_text("a b c a b\nb c a c\n")
    line = "train text.txt --runs 1 --min-count 1 --dim 2 --epochs 1 --sampling fixed --engine gensim -q --layout lines"
    for flags in ("--output one --out page", "-o two"):
        assert call(f"{line} {flags}").exit_code == 0
    assert all((place / name / "manifest.json").is_file() for name in ("one", "two"))
    assert sorted(path.parent.name for path in place.rglob("summary.json")) == ["page"]


def test_nowhere_is_refused_and_so_is_force_that_replaces_nothing(call):
    for line in ("train text.txt", "average r0.txt r1.txt", "pack r0.txt r1.txt", "sweep text.txt --vary epochs=1,2"):
        for more in ("", " --out page"):
            done = call(line + more)
            assert done.exit_code == 2
            assert done.stderr.startswith("error: give -o: where the ")
            assert "--out is the folder of a page about it" in done.stderr
    done = call("train text.txt -o made --force")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: --force says that a result may be replaced, but none is written: ")


def test_the_doctor_writes_what_it_prints(place, call, monkeypatch):
    monkeypatch.setattr("gpustab.machine.doctor.diagnose", list)
    told = call("doctor --json -o well").stdout
    assert told == (place / "well/summary.json").read_text()
    assert json.loads(told) == {"answer": "All will run here.", "checks": []}
    done = call("doctor --out well")
    assert (done.exit_code, done.stderr) == (2, "error: well: holds a result; give another folder\n")


# Reading what was typed


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("7", int, 7),
        ("1.5", int, 1.5),
        ("1.5", float, 1.5),
        ("2", float, 2.0),
        ("soon", float, "soon"),
        ("all", Literal["all"] | int, "all"),
        ("5", Literal["all"] | int | None, 5),
        ("1, 5", tuple[int, ...], (1, 5)),
        ("5,", tuple[int, ...], (5, "")),
        ("1,0.2", tuple[float, ...] | None, (1.0, 0.2)),
        ("war, peace,,war", tuple[str, ...], ("war", "peace")),
    ],
)
def test_what_is_typed_is_read_by_its_type(text, kind, value):
    read = takes.Typed("x", takes.declared_by(kind), None, "").read(text)
    assert repr(read) == repr(value)


def test_nan_is_typed_and_refused():
    assert math.isnan(takes.Typed("x", takes.declared_by(float), None, "").read("nan"))
    assert Option(low=1).holds(2)
    assert not Option(low=1).holds(math.nan)
    assert issubclass(options.Showing, Options)
