"""Whoever follows the ways of doubts to their end has the words of the text, and no others."""

import re
from ast import literal_eval
from collections import Counter

import pytest

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import tokeniser
from tests.corpus.evidence.conftest import choices, prose

LINES = prose(60, seed=9)
NAMES = ("Anna Moll", "Ben", "Zoë")
DROPPED = re.compile("\ue000drop=([^\ue001]*)\ue001")


def each(form):
    return "".join(form.format(k=10 + k % 40, n=k, one=one, who=NAMES[k % 3]) for k, one in enumerate(LINES))


FORMS = {
    "a film": "{n}\n00:00:{k},000 --> 00:00:{k},900\n<i>{one}</i>\n\n",
    "web video": "00:00:{k}.000 --> 00:00:{k}.900 align:start position:0%\n<v Roger>{one}</v>\n\n",
    "settings without tags": "00:{k}.000 --> 00:{k}.900 line:90% size:35%\n{one}\n\n",
    "a chat": "[01.01.23, 00:00:{k}] {who}: {one}\n",
    "a chat of hours": "{k}/01/23, 10:{k} - {who}: {one}\n",
    "posts": "@user{k} {one}\n",
    "ends of lines as signs": "{one}\\n{one}\\n{one}\n",
    "ends of lines and small letters": "{one}\\nthe road\\r\\nThe road {one}\n",
}


def followed(look, text):
    """Return the words that are left when every way that leaves something out is followed, first the one of all."""
    drops = []
    for _ in range(4):
        found = look(text, **({"drop": "|".join(drops)} if drops else {}), drop_duplicates=False)
        told = DROPPED.findall(found.at_once) or [way for d in found.doubts for way in DROPPED.findall(d.way)[:1]]
        if not told:
            break
        drops.insert(0, literal_eval(told[0]))
    assert drops
    left = re.sub("|".join(drops), " ", text, flags=re.M)
    return Counter(tokeniser(CorpusOptions())([left]))


@pytest.mark.parametrize("name", FORMS)
def test_the_words_of_the_text_are_left(look, name):
    form = FORMS[name]
    words = Counter(tokeniser(CorpusOptions())(["\n".join(LINES * form.count("{one}"))]))
    if "road" in form:
        words += Counter({"the": 2 * len(LINES), "road": 2 * len(LINES)})
    left = followed(look, each(form))
    del words["\n"], left["\n"]
    assert left == words


def test_several_ways_are_told_as_one(look):
    found = look(each(FORMS["a film"]))
    assert len(found.strong) == 2
    (both,) = choices(found.at_once)
    assert not look(each(FORMS["a film"]), **both).strong


@pytest.mark.parametrize(("text", "words"), [("ครูบ้าน", ["ค", "รู", "บ้", "า", "น"]), ("ខ្ញុំទៅ", ["ខ្", "ញុំ", "ទៅ"])])
def test_vowel_signs_stay_with_their_letters(look, text, words):
    lines = "\n".join(f"{text * 6} {text * (5 + k % 7)}{text[: k % 5]}" for k in range(40))
    doubt = next(doubt for doubt in look(lines, layout="lines").doubts if doubt.kind == "clauses")
    cut = tokeniser(CorpusOptions(**choices(doubt.way)[0]))
    assert cut([text])[:-1] == words


def test_near_copies_are_told_and_others_not(look):
    texts = {f"{k}.txt": " ".join(prose(12, seed=k)) for k in range(12)}
    assert "near" not in {doubt.kind for doubt in look(texts).doubts}
    drafts = texts | {f"{k}b.txt": texts[f"{k}.txt"].replace("winter", "summer", 1) + " The end." for k in range(12)}
    (doubt,) = [doubt for doubt in look(drafts).doubts if doubt.kind == "near"]
    assert doubt.says == "near copies: 12 of 24 documents are nearly the same as another"
    assert "0.txt and 0b.txt" in doubt.examples
