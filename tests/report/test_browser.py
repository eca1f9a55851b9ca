"""The page in a real browser: what a person clicks works, words stay text, and nothing is fetched or complained of."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from gpustab import engine, load_runs
from gpustab.report.html import to_html
from gpustab.studies.stability.nearest import nearest_table
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")

WORDS = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", *(f"w{k:02d}" for k in range(58))]

DRIVER = (Path(__file__).parent / "drive.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the page shows while it is used, and what the browser says of it."""
    folder = tmp_path_factory.mktemp("browser")
    runs = load_runs([(WORDS, run.numpy()) for run in noisy_copies(4, 60, 6)])
    result = stability(runs, neighbours=[1, 5, 10])
    result.tables["nearest"] = nearest_table(
        runs, engine.neighbour_pass(runs, torch.arange(60), 11), 10, torch.full((60,), 0.8)
    )
    (folder / "report.html").write_text(to_html(result).replace("</body>", f"<script>{DRIVER}</script></body>"))
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
    command += ["--window-size=375,800", "--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"]
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        [*command, (folder / "report.html").as_uri()], capture_output=True, text=True, timeout=120, env=environment
    )
    found = re.search(r"<body>(.*?)</body>", done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    text = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert text.startswith("{"), text
    return json.loads(text) | {"console": [line for line in done.stderr.splitlines() if "CONSOLE" in line]}


def test_nothing_is_fetched_and_nothing_complained_of(seen):
    assert seen["console"] == []
    assert seen["requests"] == []
    assert seen["elements"] == 0


def test_words_are_sorted_and_paged(seen):
    assert seen["titles"][0] == "word"
    assert seen["range"] == "1–25 of 60"
    assert seen["sorted"] == "descending"
    assert len(seen["down"]) == len(seen["up"]) == len(seen["further"]) == 25
    assert seen["down"] == sorted(seen["down"], reverse=True)
    assert seen["up"] + seen["further"] == sorted(seen["up"] + seen["further"])
    assert seen["second"] == "26–50 of 60"


def test_a_word_is_found_opened_and_stays_text(seen):
    assert seen["found"] == [WORDS[0]]
    assert (seen["open"], seen["closed"]) == (True, True)
    assert seen["word"] == WORDS[0]
    assert re.search(r"PIP loss0\.\d\d", seen["said"])
    neighbour, held = seen["lattice"]
    assert seen["near"] == neighbour
    found = re.fullmatch(r"not judged, (\d) of 4, −?[01]\.\d\d([●·]{4})", held)  # four runs judge no neighbour
    assert found, held
    assert found[2].count("●") == int(found[1]) >= 2
    assert seen["rule"].startswith("In how many runs")
    assert seen["hits"] == [WORDS[0]]
    assert seen["none"] == "no such word"


def test_small_tables_are_sorted_and_figures_saved(seen):
    assert seen["small"] == sorted(seen["small"], reverse=True)
    assert seen["saved"] == "data:image/svg+xml,"
    assert seen["drawing"]


def test_a_phone_needs_no_sideways_scrolling(seen):
    assert seen["wide"] <= 0
