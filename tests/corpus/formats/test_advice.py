"""What a message proposes is done, on the input that it is about, and leads on."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from gpustab import InputError
from gpustab.corpus.documents import open_documents


def texts(path, **options):
    return [document.texts[0].strip() for document in open_documents(path, **options)]


@pytest.mark.parametrize("at", [0, 9, 28])
@pytest.mark.parametrize("form", ["{}", "{},{}", '"{}",{}'])
def test_a_lone_quotation_mark_is_named_where_it_opens(tmp_path, at, form):
    rows = [form.format(f"the war {k}", k) for k in range(30)]
    lone = [form.format('"Long it was', k) if k == at else row for k, row in enumerate(rows)]
    path = tmp_path / "a.csv"
    header = "text,n\n" if "," in form else "text\n"
    path.write_text(header + "\n".join(lone) + "\n")
    with pytest.raises(InputError, match=rf"a.csv: line {at + 2}: .*within quotation marks it is written twice"):
        texts(path)
    lone[at] = form.format('"Long it was', at) if form.startswith('"') else lone[at]
    mended = lone[at].replace('"Long it was', '"""Long it was"') if form[0] != '"' else f'"""Long it was",{at}'
    path.write_text(header + "\n".join([*lone[:at], mended, *lone[at + 1 :]]) + "\n")
    assert texts(path)[at] == '"Long it was'


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("more", [{}, {"version": 1}, {"name": "x", "meta": {"a": [1]}}])
def test_records_within_an_object_are_saved_alone(tmp_path, indent, more):
    path, other = tmp_path / "a.json", tmp_path / "b.json"
    path.write_text(json.dumps({**more, "data": [{"text": "one"}, {"text": "two"}]}, indent=indent))
    with pytest.raises(
        InputError, match=r"one JSON object, and its field 'data' holds 2 records; json.dump\(json.load\("
    ):
        texts(path)
    other.write_text(json.dumps(json.loads(path.read_text())["data"]))
    assert texts(other) == ["one", "two"]


def test_one_object_with_a_text_is_one_document(tmp_path):
    (tmp_path / "a.json").write_text('{"text": "one", "tags": ["x"]}\n')
    assert texts(tmp_path / "a.json") == ["one"]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson"])
@pytest.mark.parametrize("record", [{"text": "one"}, {"id": "1", "text": "one\ntwo"}, {"text": "one", "tags": ["x"]}])
@pytest.mark.parametrize("indent", [0, 1, "\t"])
def test_one_object_on_several_lines_is_one_document(tmp_path, name, record, indent):
    (tmp_path / name).write_text(f"\n{json.dumps(record, indent=indent)}\n\n")
    assert texts(tmp_path / name) == [record["text"]]


@pytest.mark.parametrize("field", ["text", "Text", "content"])
def test_a_text_with_the_numbers_of_its_tokens_is_a_text(tmp_path, field):
    tokens = {"input_ids": list(range(300)), "attention_mask": [1] * 300}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps({field: 'the war', **tokens})}\n" * 3)
    column = {"column": "content"} if field == "content" else {}
    assert texts(tmp_path / "a.jsonl", **column) == ["the war"] * 3
    counts = {"id": "x", "column": 3, "features": {f"w{n}": n for n in range(300)}}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(counts)}\n" * 3)
    with pytest.raises(InputError, match="counts without running text"):
        texts(tmp_path / "a.jsonl")


SAID = {
    "English": "The war was long, and cold.\n",
    "Russian": "Это был длинный день, и ночь.\n",
    "Chinese": "我们今天去公园散步，天气很好。\n",
    "Greek": "Η ημέρα ήταν μεγάλη.\n",
    "Korean": "오늘은 날씨가 좋네요.\n",
}


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_read_by_the_way_that_is_named(tmp_path, language, encoding):
    path, text = tmp_path / "a.txt", SAID[language]
    path.write_bytes((text * 5).encode(encoding))
    kind = encoding[:6]
    with pytest.raises(
        InputError, match=rf"this is {kind.upper()} text without a byte-order mark; say encoding='{encoding}'"
    ):
        texts(path)
    with pytest.raises(InputError, match=rf"{kind} begins with a byte-order mark, and there is none; .*'{encoding}'"):
        texts(path, encoding=kind)
    assert texts(path, encoding=encoding, layout="lines")[0] == text.strip()
    path.write_bytes((text * 5).encode(kind))
    assert texts(path, layout="lines")[0] == text.strip()


@pytest.mark.parametrize("indent", [None, 1])
def test_an_object_of_texts_by_name_is_saved_as_records_as_is_told(tmp_path, indent):
    texts = {f"doc{k}": f"one two three four five six seven {k}" for k in range(9)}
    (tmp_path / "keyed.json").write_text(json.dumps(texts, indent=indent))
    with pytest.raises(InputError, match="9 texts by their names") as refused:
        list(open_documents(tmp_path / "keyed.json"))
    way = str(refused.value).partition("names; ")[2].removesuffix(" saves records")
    with ExitStack() as opened:
        names = {"FILE": tmp_path / "keyed.json", "OTHER": tmp_path / "o.json"}
        exec(way, {"json": json, "open": lambda *how: opened.enter_context(Path(how[0]).open(*how[1:])), **names})
    read = list(open_documents(tmp_path / "o.json", id_column="id"))
    assert {one.id: one.texts[0] for one in read} == texts


@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_the_delimiter_that_excel_tells_is_no_row(tmp_path, sign):
    rows = [f"{k}{sign}one two, three; four {k}" if sign == "\t" else f'{k}{sign}"one, two; {k}"' for k in range(9)]
    (tmp_path / "a.csv").write_text("\n".join([f"sep={sign}", f"id{sign}text", *rows, ""]))
    read = list(open_documents(tmp_path / "a.csv"))
    assert len(read) == 9
    assert read[8].texts[0].endswith("8")
    (tmp_path / "b.csv").write_text("\n".join([f"sep={sign}", f"id{sign}text", *rows, "9", ""]))
    with pytest.raises(InputError, match="line 12: wanted 2 cells"):
        list(open_documents(tmp_path / "b.csv"))
