"""A study is one folder: with its page and its figure it is shown everywhere, and nothing else knows of it."""

import json
import sys
from importlib import invalidate_caches

import pytest

import gpustab.studies
from gpustab.report import to_html, to_text
from tests.generators import noisy_copies, runs_of

STUDY = '''
from dataclasses import dataclass
from typing import NamedTuple
from gpustab import engine
from gpustab.options import Options, chosen
from gpustab.results import Table
from gpustab.runs.group import loaded
from gpustab.studies.shared.frame import answering, groups_of

@dataclass(frozen=True)
class LengthOptions(Options):
    """How lengths are told.

    Attributes:
        scale: what lengths are multiplied by.
    """

    scale: float = 1.0

class Length(NamedTuple):
    group: str
    run: str
    length: float

def lengths(groups, options=None, *, compute=None, progress=None, **choices):
    options = chosen(LengthOptions, options, choices)
    with answering("lengths", options, groups, compute, progress) as answer:
        rows = []
        for group in groups_of(groups):
            runs = engine.place(loaded(group), answer.compute)
            answer.notes[runs.name] = list(runs.notes)
            rows += [Length(runs.name, n, options.scale * float(runs.run(r).norm())) for r, n in enumerate(runs.names)]
            answer.result.groups.append({"name": runs.name, "runs": len(runs)})
        answer.result.tables["lengths"] = Table.of(rows)
    return answer.result
'''

PAGE = """
from gpustab.results import Block
from gpustab.results.page import whole

def page(result):
    return [Block("How long are the runs?", [], [whole("", result.tables["lengths"])], figures=["bars"])]
"""

FIGURES = """
def _bars(tables):
    values = tables["lengths"]["length"] if "lengths" in tables else []
    return f'<svg xmlns="http://www.w3.org/2000/svg"><title>{len(values)} bars</title></svg>' if values else ""

FIGURES = {"bars": ("One bar a run", _bars)}
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    folder = tmp_path / "more" / "lengths"
    folder.mkdir(parents=True)
    for name, text in {"__init__": "", "study": STUDY, "page": PAGE, "figures": FIGURES}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr(gpustab.studies, "__path__", [*gpustab.studies.__path__, str(tmp_path / "more")])
    invalidate_caches()
    yield lambda: __import__("gpustab.studies.lengths.study", fromlist=["lengths"]).lengths
    for name in [name for name in sys.modules if name.startswith("gpustab.studies.lengths")]:
        del sys.modules[name]


def test_a_folder_of_forty_lines_has_a_page_a_figure_files_and_settings(study, tmp_path):
    result = study()(runs_of(noisy_copies(3, 25, 4)), scale=2.0)
    assert result.tables["lengths"]["length"] == pytest.approx([10.0] * 3)
    assert result.settings["scale"] == 2.0
    assert "How long are the runs?" in to_text(result)
    page = to_html(result)
    assert "<title>3 bars</title>" in page
    assert "One bar a run" in page
    names = {path.name for path in result.write(tmp_path / "out")}
    assert names == {"lengths.parquet", "lengths.csv", "bars.svg", "report.html", "summary.json"}
    content = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert content["tables"]["lengths"]["run"] == ["run-000", "run-001", "run-002"]


def test_its_options_are_checked_by_name(study):
    with pytest.raises(gpustab.InputError, match="no option scales; near it is scale"):
        study()(runs_of(noisy_copies(2, 25, 4)), scales=1.0)
