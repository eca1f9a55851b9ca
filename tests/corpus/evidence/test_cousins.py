"""Three more members of every kind of doubt, none of which a rule or another test knows by name."""

import bz2
import gzip
import json
import random

import pytest

from gpustab.corpus.documents import open_documents
from gpustab.corpus.evidence import evidence
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus
from gpustab.errors import InputError
from tests.corpus.evidence.conftest import leads_on, prose

LINES = prose(60)
TOKENS = [one.rstrip(".").split() for one in LINES]


def rows(form, between="\n"):
    return between.join("".join(f"{form.format(w=w, n=n)}\n" for n, w in enumerate(one, 1)) for one in TOKENS)


def each(form, lines=LINES):
    return "".join(form.format(n=n, one=one) for n, one in enumerate(lines, 1))


KINDS = {
    "columns": {
        "a tag first": rows("NOUN\t{w}\t{w}.1"),
        "marks of pages between": "%% page 1\n".join(rows("{w}\t{w}\tx\t0.{n}").split("\n\n")),
        "elements with names of their own": "<vers z='1'>\n" + rows("{w}\t{w}\tKK", "</vers>\n<vers z='2'>\n"),
        "a form of brackets": each("arg(w{n}, {one})\n", [one.split()[0] for one in LINES]),
    },
    "heads": {
        "a blank before the colon": each("Titre : Guerre {n}\nLieu : Wien\nAnnée : 18{n}\n\n{one}\n\n"),
        "keys in another script": each("Автор: Иванов {n}\nГод: 18{n}\nМесто: Киев\n\n{one}\n\n"),
        "bold keys": each("**Author:** Smith {n}\n**Place:** Rome\n**Box:** {n}\n\n{one}\n\n"),
        "two fields": each("Box: {n}\nShelf: B{n}\n\n{one} {one} {one}\n\n"),
    },
    "markup": {
        "commands with braces": each("The @emph{{old}} war of @code{{x{n}}} was @strong{{long}}.\n"),
        "short codes": each("{{{{< note >}}}} The war was {{{{< b >}}}} long.\n"),
        "codes of a word processor": each("\\pard The \\b war\\b0 was {{\\i long}} \\par\n"),
    },
    "counts": {
        "ranks and shares": each("{n}\tw{n}x\t0.{n}\n"),
        "bytes": each("{n:04} 7{n:02} 6{n:02} 20 77 61 72 {one}\n", ["ab"] * 60),
        "scores by commas": each("wo{n}rt, {n}, {n}.5\n"),
    },
    "words": {
        "a name a line": "\n".join(f"{a}{b}{c}" for a in ("Ann", "Ben", "Kim") for b in "aeiou" for c in "klmnrst"),
        "with a head": "# easy words\n\n" + "\n".join(sorted({f"{w}{e}" for w in TOKENS[0] for e in "abcdefghk"})),
        "running text": "\n".join(w for one in TOKENS for w in one),
    },
    "times": {
        "seconds": each("12.{n:02} 13.{n:02} {one}\n"),
        "a log": each("[2020/03/{n:02} 10:11:12.{n}] {one}\n"),
        "hours only": each("{n:02}:15 Uhr {one}\n"),
    },
    "program": {
        "a shell": each('if [ -f "$x{n}" ]; then $(grep -c {n}) | sort >> $OUT; fi\n'),
        "lists in lists": each("((a b{n}) (c (d e{n})) (f (g)))\n"),
        "queries": each("data[{n}].map(x => x.y_{n}).filter(z => z != null);\n"),
    },
}  # fmt: skip
MEMBERS = [(kind, name) for kind, members in KINDS.items() for name in members]


@pytest.mark.parametrize(("kind", "name"), MEMBERS)
def test_a_member_that_nobody_named_raises_its_doubt(look, kind, name):
    assert kind in {doubt.kind for doubt in look(KINDS[kind][name]).doubts}


@pytest.mark.parametrize(
    "line",
    ["/usr/lib{n} =a b c", "%name{n} ~a (b c", "$x{n} a* b_ c", "“/home{n}” ^a b c"],
    ids=["path", "name", "sum", "home"],
)
def test_code_whose_words_have_no_sign_within_is_looked_at(look, line):
    assert look(each(f"{line}\n"), layout="lines").looked_at > 0


def test_lines_of_a_script_without_blanks_are_no_words(look):
    signs, chance = SCRIPTS["Japanese"], random.Random(9)
    text = "\n".join("".join(chance.sample(signs, 20)) for _ in range(200))
    assert {doubt.kind for doubt in look(text, layout="lines").strong} == {"clauses"}


@pytest.mark.parametrize("name", ["a blank before the colon", "keys in another script", "bold keys"])
def test_such_heads_are_left_out_as_is_said(look, name):
    text = KINDS["heads"][name]
    assert leads_on(look, text, "heads")


MANY = list(range(150))
COUNTS = {
    "an object a volume": [{"id": f"v{n}", "words": dict.fromkeys(TOKENS[n], n), "n": MANY} for n in range(9)],
    "pairs": [{"page": n, "pairs": [[w, n] for w in "abcdefghij" * 12]} for n in range(9)],
    "places in a text": [{"term": w, "at": MANY} for w in TOKENS[0]],
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_without_text_are_no_column_to_look_for(tmp_path, name):
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, COUNTS[name])) + "\n")
    with pytest.raises(InputError, match="counts without running text"):
        list(open_documents(tmp_path / "a.jsonl"))


SCRIPTS = {
    "Lao": "ຄົນເຖົ້າອາໄສຢູ່ໃນເຮືອນເກົ່າແຄມແມ່ນ້ຳແລະເລົ່າເລື່ອງສົງຄາມໃຫ້ເດັກນ້ອຍຟັງທຸກຄືນ",
    "Burmese": "အဘိုးအိုတစ်ဦးသည်မြစ်ကမ်းဘေးရှိအိမ်ဟောင်းတွင်နေထိုင်ပြီးစစ်ပွဲအကြောင်းပြောပြသည်",
    "Japanese": "川のほとりの古い家に老人が住んでいて冬になると子供たちに戦争の話をしてくれたものだった",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_clauses_of_other_scripts(look, script):
    chance, signs = random.Random(6), SCRIPTS[script]
    cut = ["".join(chance.sample(signs, chance.randint(20, 34))) for _ in range(240)]
    text = "\n".join(" ".join(cut[n : n + 4]) for n in range(0, 240, 4))
    assert "clauses" in {doubt.kind for doubt in look(text, layout="lines").strong}
    assert leads_on(look, text, "clauses", layout="lines")


LONG_WORDS = {
    "Malayalam": "യുദ്ധത്തെക്കുറിച്ച് കുട്ടികളോട് പറഞ്ഞുകൊണ്ടിരുന്നു പുഴയുടെ തീരത്തുള്ള പഴയവീട്ടിൽ താമസിച്ചിരുന്ന വൃദ്ധൻ",
    "Inuktitut": "ᐃᓄᐃᑦ ᓄᓇᓕᖏᓐᓂ ᐱᕙᓪᓕᐊᔪᓂᒃ ᐅᖃᐅᓯᖃᓚᐅᖅᑐᑦ ᐊᓯᖏᓐᓂᒃ ᐱᔪᓐᓇᐅᑎᖃᖅᑐᑦ ᐃᓅᓯᖓᓐᓄᑦ",
    "Georgian": "მოხუცი კაცი მდინარის ნაპირას ძველ სახლში ცხოვრობდა და ბავშვებს ომის შესახებ უყვებოდა",
}


@pytest.mark.parametrize("language", LONG_WORDS)
def test_long_words_with_blanks_between_are_no_clauses(look, language):
    chance, words = random.Random(7), LONG_WORDS[language].split()
    made = [f"{chance.choice(words)}{chance.choice(words)[:2]}" for _ in range(400)]
    text = "\n".join(" ".join(made[n : n + 8]) + "." for n in range(0, 400, 8))
    assert not look(text, layout="lines").strong


FOOT = "All rights reserved; no part of this transcript may be copied or sold without leave of the holder"
BOILERPLATE = {
    "in the middle": lambda k: f"{prose(4, k)[0]} {' '.join(prose(4, k))}\n{FOOT}\n{' '.join(prose(5, k + 90))}",
    "at the beginning, numbered": lambda k: f"Scan {k} of 40. {FOOT}.\n{' '.join(prose(9, k))}",
    "at both ends": lambda k: f"{FOOT}.\n{' '.join(prose(9, k))}\n{FOOT}.",
}


@pytest.mark.parametrize("place", BOILERPLATE)
def test_boilerplate_wherever_it_stands(look, place):
    texts = {f"{k}.txt": BOILERPLATE[place](k) for k in range(12)}
    (doubt,) = [doubt for doubt in look(texts).doubts if doubt.kind == "boilerplate"]
    assert "cut_boilerplate" in doubt.way
    assert "transcript" not in dict(look(texts, cut_boilerplate=True).frequent)


@pytest.mark.parametrize("hyphen", ["‐", "⸗", "-\r", "¬ ", "–", "~"])
def test_words_broken_by_other_signs_are_joined(tmp_path, hyphen):
    broken = "".join(f"The presi{hyphen}\ndent saw the presi{hyphen}\ndent and a president{n % 3}.\n" for n in range(9))
    (tmp_path / "a.txt").write_text(broken.replace("president0", "president"), newline="")
    corpus = prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=1, layout="files", as_is=True))
    assert b"presi" not in corpus.vocabulary
    assert any("18 of 18 words broken at line ends are joined" in note for note in corpus.notes)


@pytest.mark.parametrize(
    ("one", "other"),
    [("rock’n", "rock´n"), ("o‘clock", "o'clock"), ("eﬃcient", "efficient"), ("𝐰𝐚𝐫", "war"), ("wa\u200er", "war")],
)
def test_spellings_of_one_word_are_one(tmp_path, one, other):
    (tmp_path / "a.txt").write_text(f"the {one} was\n" * 5 + f"the {other} is\n" * 5)
    corpus = prepare_corpus(tmp_path / "a.txt", CorpusOptions(min_count=10, drop_duplicates=False, as_is=True))
    assert len(corpus.vocabulary) == 2
    apart = CorpusOptions(min_count=10, drop_duplicates=False, as_is=True, keep_variants=True)
    assert len(prepare_corpus(tmp_path / "a.txt", apart).vocabulary) == 1


SPANISH = """la casa estaba junto al río y un hombre viejo que había visto la guerra hablaba de ella con quien viniera
en el invierno cuando nadie más quería salir mientras su hermana cuidaba las abejas"""
DUTCH = """het huis stond aan de rivier en een oude man die de oorlog had gezien vertelde ervan aan wie er in de winter
kwam toen niemand anders naar buiten wilde terwijl zijn zuster de bijen hield"""
GREEK = """το σπίτι ήταν δίπλα στο ποτάμι και ένας γέρος που είχε δει τον πόλεμο μιλούσε γι αυτόν σε όποιον ερχόταν τον
χειμώνα όταν κανείς άλλος δεν ήθελε να βγει έξω"""


@pytest.mark.parametrize("others", [[SPANISH], [GREEK], [DUTCH, GREEK], [SPANISH, DUTCH, GREEK]])
def test_languages_of_one_folder_two_or_more(look, others):
    chance = random.Random(8)
    texts = ["\n".join(prose(12, seed)) for seed in range(8)]
    texts += [" ".join(chance.choices(words.split(), k=120)) for words in others for _ in range(8)]
    assert "languages" in {doubt.kind for doubt in look({f"{k}.txt": text for k, text in enumerate(texts)}).doubts}


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".GZ", gzip.compress)])
def test_packed_copies_of_every_kind_are_read_once(tmp_path, suffix, pack):
    (tmp_path / "a.txt").write_text("the war\n")
    (tmp_path / f"a.txt{suffix}").write_bytes(pack(b"the war\n"))
    documents = open_documents(tmp_path)
    assert [document.id for document in documents] == ["a.txt"]
    assert f"packed copies left out: a.txt{suffix}" in documents.notes[0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "The [[sea]] is near the [[old hill]], they say.\nA [[house]] stood by the [[river]] there.\n" * 12,
            "program",
        ),
        ("ja ((lacht)) das war so\nund dann ((räuspert sich)) ging er\n" * 12, "program"),
        ("".join(f"3:{n} And they went over the hill\n" for n in range(10, 30)), "times"),
    ],
)
def test_what_looks_like_it_and_is_not(tmp_path, text, kind):
    (tmp_path / "a.txt").write_text(text)
    assert kind not in {doubt.kind for doubt in evidence(tmp_path / "a.txt", drop_duplicates=False).doubts}


@pytest.mark.parametrize(
    "lines",
    [
        "花間一壺酒\n獨酌無相親\n舉杯邀明月\n對影成三人\n月既不解飲\n",
        "兩岸猿聲啼不住\n" * 2 + "輕舟已過萬重山\n朝辭白帝彩雲間\n千里江陵一日還\n",
    ],
)
def test_chinese_verse_is_told_how_to_be_cut(tmp_path, lines):
    (tmp_path / "a.txt").write_text(lines, encoding="utf-8")
    (strong,) = [doubt for doubt in evidence(tmp_path / "a.txt", drop_duplicates=False).doubts if doubt.strong]
    assert "tokenizer" in strong.way


def test_a_text_of_which_no_word_is_left_is_odd(tmp_path):
    (tmp_path / "a.txt").write_text("every word stands once\n")
    found = evidence(tmp_path / "a.txt", min_count=2)
    assert [doubt.says for doubt in found.doubts] == ["no word occurs 2 times"]
    assert found.min_count == 1
