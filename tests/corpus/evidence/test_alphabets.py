"""Letters that only look like those of the text are told, and mended as is told; texts of two alphabets are not."""

import re

import pytest

from tests.corpus.evidence.conftest import choices, prose

LINES = prose(60, seed=4)
RUSSIAN = [
    "Старый человек видел войну и рассказал о ней каждому гостю зимой.",
    "Дорога вела через поле к большому дому над рекой.",
    "Сестра держала пчёл под горой, где родилась мать.",
    "Никто не ходил туда осенью, когда шли холодные дожди.",
    "Вечером они пели старые песни и смотрели на огонь.",
]
SERBIAN = ("Стара кућа стоји поред реке и чува приче", "Stara kuća stoji pored reke i čuva priče")


def every_third(lines, frm, to):
    """Some lines in the letters that they have, others in those that look alike."""
    table = str.maketrans(frm, to)
    return "\n".join(line.lower().translate(table) if k % 3 == 0 else line.lower() for k, line in enumerate(lines))


MIXED = {
    "Cyrillic in English": every_third(LINES, "aeo", "аео"),
    "one Cyrillic letter": every_third(LINES, "e", "е"),
    "Greek in English": every_third(LINES, "ot", "οτ"),
    "Armenian in English": every_third(LINES, "hu", "հս"),
    "Cherokee in English": every_third(LINES, "wh", "ꮃꮒ"),
    "Latin in Russian": every_third(RUSSIAN * 12, "аеос", "aeoc"),
    "small capitals": every_third(LINES, "hern", "ʜᴇʀɴ"),
    "digits": every_third(LINES, "ol", "01"),
    "beside Russian": every_third(LINES, "aeo", "аео") + "\n" + "\n".join(RUSSIAN * 3).lower(),
}


@pytest.mark.parametrize("name", MIXED)
def test_letters_that_look_alike_are_mended_as_is_told(look, name):
    text = MIXED[name]
    found = look(text, layout="files")
    (doubt,) = (doubt for doubt in found.doubts if doubt.kind == "alphabets")
    assert doubt.strong == (name != "digits")
    mended = eval(doubt.way.partition("in Python, ")[2], {"text": text, "re": re})
    assert "alphabets" not in {doubt.kind for doubt in look(mended, layout="files").doubts}
    plain = "\n".join(RUSSIAN * 12 if name == "Latin in Russian" else LINES).lower()
    if name == "beside Russian":  # *а* and *о* are words of it
        assert mended.endswith("\n".join(RUSSIAN * 3).lower())
    elif name != "Latin in Russian":
        assert mended == plain


def test_wide_letters_are_one_word_unless_they_shall_not_be(look):
    wide = str.maketrans("aeo", "ａｅｏ")
    text = "\n".join(line.lower().translate(wide) if k % 3 == 0 else line.lower() for k, line in enumerate(LINES))
    assert "alphabets" not in {doubt.kind for doubt in look(text, layout="files").doubts}
    assert "alphabets" in {doubt.kind for doubt in look(text, layout="files", keep_variants=True).doubts}


SILENT = {
    "Greek letters in formulas": [
        f"{one} The angle αx and Δt with λm or σ2 of βn is {k}." for k, one in enumerate(LINES)
    ],
    "units": [
        f"{one} We took {k} μg, {k} mg, 3 μm, 5 mm, 7 μl, 8 ml, 2 μmol or 4 mmol." for k, one in enumerate(LINES)
    ],
    "Russian with Latin names": [
        f"{one} Google и Microsoft, iPhone или Windows {k}" for k, one in enumerate(RUSSIAN * 12)
    ],
    "Serbian in two alphabets": [f"{SERBIAN[k % 2]}, {k} пута" for k in range(60)],
    "Japanese": [
        f"彼はTシャツとCDを{k}枚買い、Aさんはスーパーで肉を食べた。 私は JRで 東京へ行く。" for k in range(60)
    ],
    "IPA": [f"{one} bit /bɪt/, thing /θɪŋ/, bath /bæθ/, loch /lɒχ/, think /ˈθɪŋk/" for one in LINES],
    "numbers": [f"{one} On the {k}th of the 20th and 1970s, covid19, mp3, h2o and b2b" for k, one in enumerate(LINES)],
    "codes of products": [
        f"{one} The A4 and F16, R2D2, x86 or win32, utf8 and sha256 {k}" for k, one in enumerate(LINES)
    ],
    "Greek": ["Το σπίτι στεκόταν δίπλα στο ποτάμι και ο Peter ήρθε με το taxi."] * 40,
}


@pytest.mark.parametrize("name", SILENT)
def test_texts_of_two_alphabets_raise_no_doubt(look, name):
    assert "alphabets" not in {doubt.kind for doubt in look("\n".join(SILENT[name]), layout="files").doubts}


TURKISH = "Irmak kıyısında yaşlı kadın ışığı yaktı ve ılık sütü aldı; kapıyı kapattı, kızı sıcak odada kaldı"


def test_a_dotless_i_whose_capital_gets_a_dot_is_doubted_and_the_way_mends_it(look):
    text = "\n".join(f"{one} {TURKISH}" for one in prose(30))
    (doubt,) = [one for one in look(text, drop_duplicates=False).doubts if "letters ı" in one.says]
    assert not doubt.strong
    assert choices(doubt.way) == [{"language": "tr"}]
    assert not [one for one in look(text, drop_duplicates=False, language="tr").doubts if "letters ı" in one.says]


@pytest.mark.parametrize("line", ["Irmak said", "[kɯ ı] in IPA", "Diyarbakır and Yıldız are names"])
def test_a_name_with_a_dotless_i_is_no_turkish(look, line):
    text = "\n".join(f"{one} {line if not k % 5 else one}" for k, one in enumerate(prose(100)))
    assert not [one for one in look(text, drop_duplicates=False).doubts if "letters ı" in one.says]
