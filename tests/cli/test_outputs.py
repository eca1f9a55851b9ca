"""What is there is not replaced unasked, and who stops a command is told the truth about what is left."""

import json
import re

import pytest

from gpustab import engine

TWO = "stability r0.txt r1.txt"


def test_a_folder_of_another_result_is_refused_before_the_work(place, call, monkeypatch):
    assert call(f"{TWO} --out result").exit_code == 0
    before = {path: path.read_bytes() for path in (place / "result").iterdir()}
    for command in ("neighbours w1 r0.txt r1.txt", TWO):
        done = call(f"{command} --out result")
        assert done.exit_code == 2
        assert done.stdout == ""
        kept = "error: result: holds the result of gpustab stability; give another folder, or --force to replace it\n"
        assert done.stderr == kept
    assert {path: path.read_bytes() for path in (place / "result").iterdir()} == before
    assert call("neighbours w1 r0.txt r1.txt --out result --force").exit_code == 0
    names = {path.name for path in (place / "result").iterdir() if path.suffix != ".svg"}
    tables = {f"{name}.{suffix}" for name in ("shares", "lists") for suffix in ("parquet", "csv")}
    assert names == {"summary.json", "report.html", *tables}
    assert json.loads((place / "result/summary.json").read_text())["schema"] == "gpustab.neighbours/1"


@pytest.mark.parametrize("command", ["average r0.txt r1.txt -o there.txt", f"{TWO} --average there.txt"])
def test_a_file_that_is_there_is_replaced_by_force_only(place, call, command):
    (place / "there.txt").write_text("precious")
    done = call(command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "error: there.txt: is there already; --force replaces it\n"
    assert (place / "there.txt").read_text() == "precious"
    assert call(f"{command} --force").exit_code == 0
    assert (place / "there.txt").read_text().startswith("30 4\n")


@pytest.mark.parametrize(
    "command",
    [
        "average r0.txt r1.txt -o r0.txt --force",
        f"{TWO} --average r1.txt --force",
        "average r0.txt r1.txt -o ./set/../r0.txt --force",
        "average r0.txt r1.txt -o link.txt --force",
        "average link.txt r1.txt -o r0.txt --force",
        "stability --group g=r*.txt --average r1.txt --force",
        "average set/x/shuffled -o set/x/shuffled/run-000.safetensors --force",
    ],
)
def test_no_force_replaces_a_run(place, call, command):
    (place / "link.txt").symlink_to("r0.txt")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    done = call(command)
    assert done.exit_code == 2
    assert "this is one of the runs that are read; writing there would destroy it" in done.stderr
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "command",
    [
        "average r0.txt r1.txt --only mine.txt -o mine.txt --force",
        "average r0.txt r1.txt --only=mine.txt -olink.txt --force",
        "average r0.txt r1.txt --only link.txt -o ./mine.txt --force",
        f"{TWO} --only mine.txt --average mine.txt --force",
    ],
)
def test_no_force_replaces_a_list_that_is_read(place, call, command):
    (place / "mine.txt").write_text("w1\nw2\nw3\n")
    (place / "link.txt").symlink_to("mine.txt")
    done = call(command)
    assert done.exit_code == 2
    assert "this file is read, and writing there would destroy it; give another name" in " ".join(
        done.stderr.replace("│", " ").split()
    )
    assert (place / "mine.txt").read_text() == "w1\nw2\nw3\n"
    done = call("average r0.txt r1.txt --only mine.txt -o another.txt")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    "command",
    [TWO, "neighbours w1 r0.txt r1.txt", "info r0.txt", "pack r0.txt r1.txt -o p", "study instability r0.txt r1.txt"],
)
def test_force_that_could_mean_nothing_is_refused(call, command):
    done = call(f"{command} --force")
    assert done.exit_code == 2
    assert done.stderr.endswith("--force says that a result may be replaced, but none is written: name --out\n")


def interrupted(*args, **options):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("command", "where"),
    [
        (TWO, "gpustab.engine.pip_pass"),
        ("neighbours w1 r0.txt r1.txt", "gpustab.engine.neighbour_pass"),
        ("average r0.txt r1.txt -o a.txt", "gpustab.engine.average_levels"),
        ("study instability set -o result", "gpustab.engine.pip_pass"),
        ("info r0.txt", "gpustab.studies.info.study.info"),
        ("bench --runs 2 --words 9 --dim 2", "gpustab.bench.table.measure_ceilings"),
        ("demo", "gpustab.demo.train_demo_runs"),
        ("pack --verify set", "gpustab.runs.packing.verify._leaves"),
    ],
)
def test_what_cannot_go_on_does_not_say_so(place, call, monkeypatch, command, where):
    monkeypatch.setattr(where, interrupted)
    before = sorted(place.rglob("*"))
    done = call(command)
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "stopped; nothing was written\n")
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("train text.txt -o made --min-count 1", "gpustab.training.fitting.number"),
        ("pack r0.txt r1.txt -o packed", "gpustab.runs.packing.pack.workshop"),
        ("sweep text.txt -o swept --vary epochs=1,2", "gpustab.training.fitting.corpus_of"),
    ],
)
def test_what_goes_on_says_so(place, call, monkeypatch, command, where):
    (place / "text.txt").write_text("a b c a b\nb c a c\n")
    monkeypatch.setattr(where, interrupted)
    done = call(command)
    assert done.exit_code == 130
    assert done.stderr.endswith("stopped; what is finished stays, and the same call goes on from there\n")


def test_the_last_line_says_what_to_open(place, call):
    done = call(f"{TWO} --out result")
    assert done.stderr.splitlines()[-1] == "open result/report.html in a browser"
    assert (place / "result" / "report.html").is_file()
    assert call(f"{TWO} --out result --force -q").stderr == ""
    assert "browser" not in call(TWO).stderr


def test_what_was_written_before_the_stop_is_named(place, call, monkeypatch):
    monkeypatch.setattr("gpustab.studies.average.study.average", interrupted)
    done = call(f"{TWO} --out result --average a.txt -q")
    assert done.exit_code == 130
    assert "reduced PIP loss" in done.stdout
    assert done.stderr.startswith("stopped; written before: result/pairs.parquet, ")
    assert not (place / "a.txt").exists()


def test_a_result_that_appears_during_the_work_is_not_replaced_and_ours_is_printed(place, call, monkeypatch):
    real = engine.pip_pass

    def slow(*args, **options):
        (place / "result").mkdir(exist_ok=True)
        (place / "result/summary.json").write_text("{}")
        return real(*args, **options)

    monkeypatch.setattr(engine, "pip_pass", slow)
    done = call(f"{TWO} --out result")
    assert done.exit_code == 2
    assert "holds a summary.json of something else" in done.stderr
    assert "reduced PIP loss" in done.stdout
    assert (place / "result/summary.json").read_text() == "{}"


def test_an_average_whose_page_cannot_be_written_is_there(place, call, monkeypatch):
    monkeypatch.setattr("gpustab.report.files.write_files", interrupted)
    assert call("average r0.txt r1.txt -o a.txt --out result").exit_code == 130
    assert (place / "a.txt").is_file()


def test_verbose_tells_where_the_time_went(call):
    done = call(f"{TWO} --out result -v")
    assert done.exit_code == 0
    for work in ("reading", "PIP loss", "word by word", "overlap", "writing files", "printing"):
        assert re.search(rf"\d+\.\d\d s +\d+%  .*{work}$", done.stderr, re.MULTILINE), work


TRAIN = "train texts --layout lines --technique lsa --dim 2 --runs 2 --min-count 1 --sampling fixed --as-is"


@pytest.fixture
def mine(place):
    """A folder of somebody's things, beside one of texts."""
    (place / "mine").mkdir()
    (place / "mine/thesis.docx").write_text("precious")
    (place / "texts").mkdir()
    for number in range(3):
        (place / f"texts/{number}.txt").write_text("a b c a b\nb c a c\n")
    return place


@pytest.mark.parametrize(
    "command",
    [
        f"{TRAIN} -o mine",
        "sweep texts/0.txt -o mine --vary epochs=1,2",
        "encode texts --model folder -o mine",
        "pack r0.txt r1.txt -o mine",
        "demo --keep mine",
        "doctor --out mine",
        f"{TWO} --out mine",
        "info texts --out mine",
        "study instability set --out mine",
        f"{TRAIN} -o new --out mine",
    ],
)
def test_nothing_is_written_among_things_of_others(mine, call, command):
    done = call(command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "error: mine: holds other things (thesis.docx); give a new or an empty folder" in done.stderr
    assert [path.name for path in (mine / "mine").iterdir()] == ["thesis.docx"]
    if done.stderr.endswith(", or --force to write among them\n"):
        assert "--out" in command


def test_force_writes_a_page_among_them(mine, call):
    assert call(f"{TWO} --out mine --force").exit_code == 0
    assert call(f"{TWO} --out mine --force").exit_code == 0
    assert (mine / "mine/thesis.docx").read_text() == "precious"
    assert (mine / "mine/report.html").is_file()


def test_force_keeps_what_is_not_ours_and_says_so(mine, call):
    """Nobody knows before the work which tables a result has; what is lost after it cannot be had again."""
    names = ["report.html", "summary.json", "pairs.csv"]
    for name in names:
        (mine / "mine" / name).write_text("precious")
    (mine / "mine/pairs.kept.csv").write_text("older")
    done = call(f"{TWO} --out mine --force")
    assert done.exit_code == 0
    kept = ["report.kept.html", "summary.kept.json", "pairs.kept2.csv"]
    for name, other in zip(names, kept, strict=True):
        said = f"mine/{name} was not written by gpustab, and a result has a file of its name: it is kept as {other}"
        assert said in " ".join(done.stderr.split())
        assert (mine / "mine" / other).read_text() == "precious"
    assert call(f"{TWO} --out mine --force").exit_code == 0
    assert "kept as" not in call(f"{TWO} --out mine --force").stderr
    assert (mine / "mine/pairs.kept.csv").read_text() == "older"


@pytest.mark.parametrize(
    "command",
    [
        f"{TRAIN} -o texts",
        f"{TRAIN} -o texts/runs",
        f"{TRAIN} -o new --out texts/page",
        "sweep texts -o texts/swept --vary epochs=1,2",
        "encode texts --model folder -o texts/runs",
        "info texts --out texts/page",
        "study bootstrap texts --query a --out texts/page",
        "study usage texts --model folder --out texts/page",
        "study layers texts --model folder --out texts/page",
    ],
)
def test_nothing_is_written_among_texts_that_are_read(mine, call, command):
    done = call(command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "lies within texts, whose files are read; give a folder of its own" in done.stderr
    assert len(list((mine / "texts").rglob("*"))) == 3


def test_a_page_may_lie_in_its_run_set(mine, call):
    assert call(f"{TRAIN} -o new --out new").exit_code == 0
    assert call(f"{TRAIN} -o new --out new/page").exit_code == 0
    assert call("stability new --out new/stability").exit_code == 0


@pytest.mark.parametrize("command", [f"{TWO} --out", f"{TWO} -o", "average r0.txt r1.txt -o", "pack r0.txt r1.txt -o"])
@pytest.mark.parametrize("where", ["~/x.txt", "~nobody/x.txt", "s3://bucket/x.txt", "https://b.org/x.txt"])
def test_no_folder_is_named_by_a_home_or_an_address(place, call, command, where):
    before = set(place.rglob("*"))
    done = call(f"{command} {where}")
    assert done.exit_code == 2
    assert "~ is your home only" in done.stderr or "this is an address" in done.stderr
    assert set(place.rglob("*")) == before


def test_a_folder_that_is_called_so_is_written_to(place, call):
    (place / "~").mkdir()
    assert call(f"{TWO} --out ~/x").exit_code == 0
    assert (place / "~/x/report.html").exists()
