"""A study is one folder: with its page and its figure it is shown everywhere, and nothing else knows of it."""

import json
import sys
from importlib import invalidate_caches

import pytest

import gpustab.studies
from gpustab.report import to_html, to_text
from gpustab.studies.shared.claims import every_claim, every_margin
from tests.generators import noisy_copies, runs_of

STUDY = '''
from dataclasses import dataclass
from typing import Annotated, NamedTuple
from gpustab import engine
from gpustab.options import Options, chosen
from gpustab.results import Column, Sheet
from gpustab.runs.group import loaded
from gpustab.studies.lengths.claims import ALIKE
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
    length: Annotated[float, Column("length of all rows", 2, "root of the sum of squares")]

LENGTHS = Sheet("lengths", Length, "one row a run")

def lengths(groups, options=None, *, compute=None, progress=None, **choices):
    options = chosen(LengthOptions, options, choices)
    with answering("lengths", options, groups, compute, progress) as answer:
        rows = []
        for group in groups_of(groups):
            runs = engine.place(loaded(group), answer.compute)
            answer.notes[runs.name] = list(runs.notes)
            rows += [Length(runs.name, n, options.scale * float(runs.run(r).norm())) for r, n in enumerate(runs.names)]
            answer.result.groups.append({"name": runs.name, "runs": len(runs)})
        answer.result.tables[LENGTHS.name] = LENGTHS.table(rows)
        answer.result.verdict = [ALIKE.sentence([row.length for row in rows])]
    return answer.result
'''

CLAIMS = """
from gpustab.studies.shared.claims import Claim, Margin

SAME = Margin(0.01, "relative difference of two lengths that is none")
ALIKE = Claim[list[float]](
    id="lengths.alike",
    says="All runs are equally long.",
    rule=f"the longest is at most {SAME:.0%} longer than the shortest",
    judge=lambda lengths: "yes" if max(lengths) <= (1 + SAME) * min(lengths) else "no",
    sentences={"yes": "All runs are equally long.", "no": lambda x: f"Lengths: {min(x):.1f} to {max(x):.1f}."},
)
"""

PAGE = """
from gpustab.results import Block
from gpustab.results.page import whole
from gpustab.studies.lengths.study import LENGTHS

def page(result):
    return [Block("How long are the runs?", [], [whole("", LENGTHS.of(result.tables))], figures=["bars"])]
"""

FIGURES = """
from gpustab.report.svg.axes import Axis
from gpustab.report.svg.picture import Picture, drawn_from
from gpustab.report.svg.rows import NAMED, Dot, Row, dots

@drawn_from("lengths")
def bars(lengths, _):
    rows = [Row(row.run, [Dot(row.length, "g0", 0)]) for row in lengths.rows()]
    return Picture("How long runs are", [dots(rows, Axis("length", 0), NAMED, f"{len(rows)} runs")])

FIGURES = {"bars": ("One mark a run", bars)}
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    folder = tmp_path / "more" / "lengths"
    folder.mkdir(parents=True)
    for name, text in {"__init__": "", "study": STUDY, "claims": CLAIMS, "page": PAGE, "figures": FIGURES}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr(gpustab.studies, "__path__", [*gpustab.studies.__path__, str(tmp_path / "more")])
    invalidate_caches()
    yield lambda: __import__("gpustab.studies.lengths.study", fromlist=["lengths"]).lengths
    for name in [name for name in sys.modules if name.startswith("gpustab.studies.lengths")]:
        del sys.modules[name]


def test_a_folder_of_seventy_lines_has_a_claim_a_page_a_picture_files_and_settings(study, tmp_path):
    result = study()(runs_of(noisy_copies(3, 25, 4)), scale=2.0)
    assert result.tables["lengths"]["length"] == pytest.approx([10.0] * 3)
    assert result.settings["scale"] == 2.0
    assert "How long are the runs?" in to_text(result)
    page = to_html(result)
    assert 'aria-label="3 runs"' in page
    assert "One mark a run" in page
    assert "length of all rows" in page
    assert result.verdict == ["All runs are equally long."]
    assert float(every_margin()["lengths.same"]) == 0.01
    assert every_claim()["lengths.alike"].says in page
    names = {path.name for path in result.write(tmp_path / "out")}
    assert names == {"lengths.parquet", "lengths.csv", "bars.svg", "report.html", "summary.json"}
    content = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert content["tables"]["lengths"]["run"] == ["run-000", "run-001", "run-002"]


def test_its_options_are_checked_by_name(study):
    with pytest.raises(gpustab.InputError, match="no option scales; near it is scale"):
        study()(runs_of(noisy_copies(2, 25, 4)), scales=1.0)
