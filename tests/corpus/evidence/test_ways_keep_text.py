"""No way that a doubt names takes text away: names, times and fields go, what was said and written stays."""

import re
from ast import literal_eval

import pytest

from tests.corpus.evidence.conftest import prose

LINES = prose(80, seed=3)
CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопярстужвхыз")
DROPPED = re.compile("\ue000drop=([^\ue001]*)\ue001")


def each(form):
    return "".join(
        form.format(
            k=10 + k % 40,
            n=k,
            one=one,
            other=LINES[k - 7],
            cyrillic=one.lower().translate(CYRILLIC),
            who=("Hamlet", "Ophelia", "King", "Queen")[k % 4],
            two=("CHI", "MOT")[k % 2],
            tags=" ".join(f"n|{word}" for word in one.split()),
        )
        for k, one in enumerate(LINES)
    )


FORMS = {
    "CHAT": "*{two}:\t{one}\n%mor:\t{tags}\n",
    "CHAT of several tiers": "*{two}:\t{one}\n%mor:\t{tags}\n%gra:\t1|2|SUBJ 2|0|ROOT\n",
    "CHAT of words alone": "*{two}:\t{one}\n",
    "SubStation": "Dialogue: 0,0:00:{k}.00,0:00:{k}.90,Default,,0,0,0,,{{\\i1}}{one}{{\\i0}}\n",
    "a play": "{who}: {one}\n",
    "a play with blank lines": "{who}: {one}\n\n",
    "an interview": "Interviewer: {one}\nRespondent: {other}\nModerator: Yes.\n",
    "questions and answers": "Q: {one}\nA: {other}\n\n",
    "records": "id: {n}\nauthor: Smith\ntext: {one}\n\n",
    "records with titles": "Title: War {n}\nAuthor: A. Smith\nBody: {one} {other}\n\n",
    "RIS": "TY  - JOUR\nAU  - Smith, {n}.\nAB  - {one}\nER  - \n\n",
    "BibTeX": "@article{{k{n},\n  author = {{Smith, A.}},\n  abstract = {{{one}}},\n  year = {{2001}}\n}}\n",
    "messages": '#: a.c:{n}\nmsgid "{one}"\nmsgstr "{cyrillic}"\n\n',
    "Toolbox": "\\ref {n}\n\\tx {one}\n\\ft {other}\n\\ps n v n\n\n",
    "YAML": "- id: {n}\n  text: {one}\n  by: Smith\n",
    "JSON by hand": '"id": {n},\n"title": "War",\n"text": "{one}",\n',
    "mails with bodies": "From: a{n}@b.c\nTo: list\nDate: {n} May\nSubject: news {n}\n\n> {other}\n{one}\n\n",
    "a log": "2020-01-02 10:00:{k} INFO app: {one}\n",
    "a log in Cyrillic": "2020-01-02 10:00:{k} {cyrillic}\n",
    "a chat in Cyrillic": "[10:{k}] {who}: {cyrillic}\n",
    "text in braces": "{{{one}}}\n",
    "lines behind bars": "| {one}\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_no_way_takes_text_away(look, name):
    form = FORMS[name]
    text = each(form)
    found = look(text, drop_duplicates=False)
    told = [way for doubt in found.doubts for way in DROPPED.findall(doubt.way)] + DROPPED.findall(found.at_once)
    texts = [one.lower().translate(CYRILLIC) for one in LINES] if "{cyrillic}" in form else []
    texts += LINES if "{one}" in form else []
    for way in told:
        left = " ".join(re.findall(r"\w+", re.sub(literal_eval(way), " ", text, flags=re.M)))
        assert all(" ".join(re.findall(r"\w+", one)) in left for one in texts), way


def test_fields_that_are_no_text_are_left_out(look):
    (way,) = [way for doubt in look(each(FORMS["CHAT"])).doubts if doubt.kind == "heads" for way in [doubt.way]]
    left = re.sub(literal_eval(DROPPED.findall(way)[0]), " ", each(FORMS["CHAT"]), flags=re.M)
    assert "n|" not in left
    assert "CHI" not in left


def test_marks_before_subtitles_are_left_out_with_their_cells(look):
    lines = each(FORMS["SubStation"]).splitlines(keepends=True)
    text = "".join(
        f"Title: x\nFormat: Layer, Start, End, Style, Text\n{''.join(lines[k : k + 6])}" for k in range(0, 78, 6)
    )
    (doubt,) = [doubt for doubt in look(text, drop_duplicates=False).doubts if doubt.kind == "heads"]
    left = re.sub(literal_eval(DROPPED.findall(doubt.way)[0]), " ", text, flags=re.M)
    assert all(one in left for one in LINES[:78])
    assert not re.search(r"Default|Format|00", left)
