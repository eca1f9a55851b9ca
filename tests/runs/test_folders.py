"""What a folder that is no run set holds, and the way on."""

import pytest

from gpustab import InputError, load_runs
from gpustab.runs.manifest import way_on


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
        ({"config.json": "{}"}, "Hugging Face"),
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
        ({"saved_model.pb": ""}, "TensorFlow"),
        ({"meta.json": "{}", "vocab/x": ""}, "spaCy"),
    ],
)
def test_the_way_on(tmp_path, files, message):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    assert message.replace("{folder}", str(tmp_path)) in way_on(tmp_path)
    with pytest.raises(InputError) as caught:
        load_runs(tmp_path)
    assert str(caught.value).endswith(way_on(tmp_path))
