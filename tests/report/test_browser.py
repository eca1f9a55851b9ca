"""The page in a real browser: what a person clicks works, words stay text, and nothing is fetched or complained of."""

import json
import os
import re
import shutil
import subprocess

import pytest

from gpustab import load_runs
from gpustab.report.html import to_html
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")

WORDS = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", *(f"w{k:02d}" for k in range(58))]

DRIVER = """
<script>
async function drive() {
  const seen = {}, $ = (id) => document.getElementById(id), wait = () => new Promise((done) => setTimeout(done, 50));
  for (let k = 0; k < 100 && document.documentElement.dataset.words !== "shown"; k++) await wait();
  const rows = () => [...$("all").tBodies[0].rows], first = () => rows().map((row) => row.cells[0].textContent);
  const column = (k) => rows().map((row) => Number.parseFloat(row.cells[k].textContent));
  const heads = [...$("all").tHead.rows[0].cells];
  seen.titles = heads.map((head) => head.textContent);
  seen.range = $("range").textContent;
  const loss = seen.titles.indexOf("PIP loss");
  heads[loss].firstChild.click(); await wait(); seen.down = column(loss); seen.sorted = heads[loss].getAttribute("aria-sort");
  heads[loss].firstChild.click(); await wait(); seen.up = column(loss);
  $("next").click(); await wait(); seen.second = $("range").textContent; seen.further = column(loss);
  $("search").value = "SCRIPT"; $("search").dispatchEvent(new Event("input")); await wait();
  seen.found = first();
  rows()[0].cells[0].firstChild.click(); await wait();
  seen.open = $("panel").open; seen.word = $("word").textContent; seen.said = $("said").textContent;
  $("lattice").querySelectorAll("td button")[0]?.click(); await wait(); seen.near = $("word").textContent;
  $("close").click(); seen.closed = !$("panel").open;
  $("search").value = "nothing"; $("search").dispatchEvent(new Event("input")); await wait(); seen.none = $("range").textContent;
  const small = document.querySelector("table.sortable");
  small.tHead.rows[0].cells[1].firstChild.click(); seen.small = [...small.tBodies[0].rows].map((row) => row.cells[1].textContent);
  const save = document.querySelector(".save"); save.addEventListener("click", (event) => event.preventDefault()); save.click();
  seen.saved = save.href.slice(0, 19); seen.drawing = decodeURIComponent(save.href).includes("<style");
  seen.elements = document.querySelectorAll("img, iframe, link, object, script[src]").length;
  seen.wide = document.documentElement.scrollWidth - innerWidth;
  seen.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
  return seen;
}
drive().then((seen) => { document.body.textContent = JSON.stringify(seen); }, (error) => { document.body.textContent = "failed: " + error.stack; });
</script>
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the page shows while it is used, and what the browser says of it."""
    folder = tmp_path_factory.mktemp("browser")
    result = stability(load_runs([(WORDS, run.numpy()) for run in noisy_copies(4, 60, 6)]), neighbours=[1, 5, 10])
    (folder / "report.html").write_text(to_html(result).replace("</body>", f"{DRIVER}</body>"))
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
    assert "PIP loss 0." in seen["said"]
    assert seen["none"] == "no such word"


def test_small_tables_are_sorted_and_figures_saved(seen):
    assert seen["small"] == sorted(seen["small"], reverse=True)
    assert seen["saved"] == "data:image/svg+xml,"
    assert seen["drawing"]


def test_a_phone_needs_no_sideways_scrolling(seen):
    assert seen["wide"] <= 0
