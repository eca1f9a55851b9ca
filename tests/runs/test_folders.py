"""What a folder that is no run set holds, and the way on."""

import pytest
from typer.testing import CliRunner

from gpustab import InputError, load_runs
from gpustab.cli import app
from gpustab.runs.manifest import refuse_both, way_on


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "it is empty"),
        (
            {"a.txt": "It was a fine day.\nSo it was.\n", "B.TXT": "In 1914 and 1915\n"},
            "it holds 2 files of text, which",
        ),
        ({"in/a.md": "# Title\n\nText.\n"}, "gpustab train {folder} -o RUNSET"),
        ({"a.txt.gz": "x"}, "it holds 1 files of text"),
        (
            {"a.vec": "2 3\na .1 .2 .3\nb .4 .5 .6\n"},
            r"it holds files of vectors (a.vec, ...): give them as {folder}/*.vec",
        ),
        ({"a.txt": "text\n", "b.vec": "a .1 .2 .3\nb .4 .5 .6\n"}, "give them as {folder}/*.vec"),
        ({"a.pdf": "%PDF-1.4\n", "b.jpg": "\xff\xd8"}, "it holds 2 files (.jpg, .pdf)"),
        ({"config.json": '{"model_type": "bert"}'}, "it looks like a Hugging Face"),
        (
            {"summary.json": '{"schema": "gpustab.stability/1", "environment": {}}', "pairs.csv": "a,b\n"},
            "it is a report of gpustab, not runs; open its report.html in a browser",
        ),
        (
            {
                "summary.json": '{"schema": "gpustab.stability/1", "environment": {"inputs": [{"path": "s/a"}, '
                '{"path": "s/b"}]}}',
                "a.vec": "a .1 .2 .3\nb .4 .5 .6\n",
            },
            "It was made of s/a and 1 more file: give these",
        ),
        ({"summary.json": '{"schema": "x"}', "a.vec": "a .1 .2 .3\nb .4 .5 .6\n"}, "it holds files of vectors"),
        ({"summary.json": "[]", "a.vec": "a .1 .2 .3\nb .4 .5 .6\n"}, "it holds files of vectors"),
        (
            {"sgns/fixed/plan.json": '{"schema": "gpustab.plan/1"}', "sgns/fixed/training.lock": ""},
            "no run of it was finished: make the same call of gpustab train (or encode) again",
        ),
        ({"plan.json": "[1]", "b.jpg": ""}, "it holds 2 files (.jpg, .json)"),
        ({"saved_model.pb": ""}, "TensorFlow"),
        ({"meta.json": '{"spacy_version": ">=3"}', "vocab/x": ""}, "it looks like a spaCy"),
    ],
)
def test_the_way_on(tmp_path, files, message):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert message.replace("{folder}", str(tmp_path)) in way_on(tmp_path)
    with pytest.raises(InputError) as caught:
        load_runs(tmp_path)
    assert str(caught.value).endswith(way_on(tmp_path))


@pytest.mark.parametrize(
    ("beside", "refused"),
    [
        ("a.txt", True),
        ("1900/a.txt.gz", True),
        ("README", True),
        (".notes.txt", False),
        ("one/a.txt", False),
        ("report/pairs.csv", False),
        ("manifest.json", False),
    ],
)
def test_texts_beside_run_sets_are_refused_where_either_could_be_meant(tmp_path, beside, refused):
    files = {
        "one/manifest.json": '{"schema": "gpustab.runset/2"}',
        "report/summary.json": '{"schema": "gpustab.stability/1", "environment": {}}',
    }
    for name, content in {**files, beside: "text"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    if not refused:
        refuse_both(tmp_path)
        return
    words = ["study", "bootstrap", str(tmp_path), "--query", "war", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert f"it holds texts ({beside}) and run sets (one); to measure these, give {tmp_path}/one;" in done.stderr
    refuse_both(tmp_path / "one")  # the advice
