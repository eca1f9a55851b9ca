"""What papers have stands where the documentation says: every command of its table is run on made input."""

import html
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from docs.claims import sheets
from gpustab.cli import app
from gpustab.formats.writers import write_space
from gpustab.runs.runset import write_runset
from gpustab.small_data import nonce
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies.change.claims_of_tasks import RANKED
from gpustab.studies.instability.claims_of_corpora import CORPORA_FROM
from gpustab.studies.shared.claims import every_claim
from tests.generators import noisy_copies, spaces
from tests.studies.change.planted import runset
from tests.studies.change.test_semeval_languages import languages
from tests.studies.consistency.test_many import trained as trained
from tests.studies.localization.conftest import PAIRS
from tests.studies.localization.conftest import small_folder as small_folder
from tests.studies.thresholds.conftest import space
from tests.studies.thresholds.conftest import wordnet as wordnet

pytest.importorskip("sentencex")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "pages" / "studies" / "index.md"


class Place(NamedTuple):
    """A row of the documentation's table: a command, and what stands where on its page."""

    command: str
    where: str

    @property
    def study(self):
        return "semeval" if "--semeval" in self.command else self.command.split()[2]

    @property
    def named(self):
        return re.findall(r"(table|picture|claim|block) `([^`]+)`", self.where)


def places():
    lines = PAGE.read_text(encoding="utf-8").partition("## Where the rest")[2].splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "`gpustab study" in line]
    return [Place(row[2].strip("`"), row[3]) for row in cells]


def corpora(folder):
    """Run sets of corpora of different sizes, each of two techniques and three samplings."""
    kinds = [(t, s, x) for t in ("sgns", "glove") for s, x in (("fixed", 0.1), ("shuffled", 0.1), ("bootstrap", 0.3))]
    for k in range(int(CORPORA_FROM)):
        v, groups = 60 + 9 * k, {}
        for n, (name, sampling, noise) in enumerate(kinds):
            own = zip(spaces(4, v, 4), noisy_copies(4, v, 4, noise, 10 * k + n), strict=True)
            groups[f"{name}/{sampling}"] = [replace(x, vectors=3 * rows.float()) for x, rows in own]
        write_runset(groups, folder / f"corpus{k}")
        yield folder / f"corpus{k}"


def given(study, folder, fixture):
    """What stands for the words in capitals of a study's commands, and options that make its calls small."""
    if study == "thresholds":
        wordnet = fixture("wordnet")
        for k in range(3):
            names, x = space(wordnet, k)
            write_space(Space(Vocabulary(names), x), folder / f"noun{k}.txt")
        return {"RUNS": sorted(folder.glob("noun*"))}, f"--wordnet {wordnet[0]} --min-pairs 20 --draws 3"
    if study == "consistency":
        made = fixture("trained")
        small = f"--terms {made}/terms.txt --layout blocks --samples 3 --cutoff 9"
        return {"RUNS": [made / "runs"], "TEXT": [made / "text.txt"]}, small
    if study == "localization":
        return {"PAIRS": [PAIRS]}, f"--wordnet {fixture('small_folder')} --draws 100"
    if study == "change":
        periods = runset(epochs=3, runs=2, v=40, moved=(3,), samplings=("shuffled", "bootstrap"))
        write_runset(periods, folder / "periods")
        return {"RUNSET": [folder / "periods"]}, "--min-count 1 --resamples 20"
    if study == "semeval":
        small = f"--runs {RANKED:g} --technique sgns --set sgns.dim=8 --set sgns.epochs=2 --min-count 1"
        return {"FOLDER": [languages(folder / "semeval", "data")]}, small
    small = {"bootstrap": "--query w1,w2", "instability": "--pairs 30 --targets 8"}
    return {"RUNSET": list(corpora(folder))}, small[study]


@pytest.fixture(scope="module")
def asked(tmp_path_factory, request):
    """Ask a command of the table, once: the folder that it writes."""
    written, inputs = {}, {}

    def ask(place):
        command = place.command
        if place.study not in inputs:
            inputs[place.study] = given(place.study, tmp_path_factory.mktemp("given"), request.getfixturevalue)
        if command not in written:
            (stands_for, small), line = inputs[place.study], command.split()[1:]
            for name, files in stands_for.items():
                for k in range(line.count(name)):  # RUNS is all of them, every RUNSET another one
                    at = line.index(name)
                    line[at : at + 1] = map(str, files if name == "RUNS" else files[k : k + 1])
            out = tmp_path_factory.mktemp("out")
            result = CliRunner().invoke(app, [*line, *small.split(), "-o", str(out), "-q"])
            assert result.exit_code == 0, result.output
            written[command] = out
        return written[command]

    return ask


def stands(kind, name, out, page):
    """Whether it stands on the page that was written, and what the paper found beside a claim."""
    if kind == "table":
        return len((out / f"{name}.csv").read_text(encoding="utf-8").splitlines()) > 1
    if kind == "picture":
        return (out / f"{name}.svg").is_file()
    if kind == "block":
        return f">{name}<" in page
    claim = every_claim()[name]
    said = [re.sub(r"\\{\w+\\}", ".+", re.escape(text.rstrip("."))) for text in (claim.says, claim.paper)]
    return all(re.search(text, page) for text in said)


SLOW = ("instability", "localization", "semeval", "thresholds")
"""Studies whose smallest call takes seconds: that their rows name what is declared is asked of every row."""


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, id=f"{place.command} {place.where}", marks=[pytest.mark.slow] * (place.study in SLOW))
        for place in places()
    ],
)
def test_it_stands_there(place, asked, monkeypatch):
    grid = {name: values[:1] for name, values in nonce.GRID.items()} | {"alpha": (0.1, 1.0)}
    monkeypatch.setattr(nonce, "GRID", grid)
    out = asked(place)
    page = html.unescape((out / "report.html").read_text(encoding="utf-8"))
    assert [named for named in place.named if not stands(*named, out, page)] == []


@pytest.mark.parametrize("place", places(), ids=lambda place: f"{place.command} {place.where}")
def test_it_is_declared(place):
    study = place.command.split()[2]
    declared = {
        "table": {sheet.name for name, sheet in sheets() if name == study},
        "picture": import_module(f"gpustab.studies.{study}.figures").FIGURES,
        "claim": {name for name in every_claim() if name.startswith(study)},
    }
    page = (ROOT / "gpustab" / "studies" / study / "page.py").read_text(encoding="utf-8")
    assert [(k, name) for k, name in place.named if name not in declared.get(k, page)] == []
    options = {name for param in get_command(app).commands["study"].commands[study].params for name in param.opts}
    assert {*re.findall(r"--[a-z-]+", place.command)} <= options


def test_as_many_run_sets_are_named_as_a_claim_needs():
    (needed,) = (place.command for place in places() if "instability.extrinsic-with-corpus-size" in place.where)
    assert needed.count("RUNSET") >= CORPORA_FROM
