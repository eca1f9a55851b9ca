"""The builder on an invented WordNet: each rule of §3, each reason to leave a word, and that draws are draws."""

import pytest

from gpustab.studies.localization.corpus import Pair, build
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.substitution import decide, in_collocations


def decided(sentence, lexicon, language, rule="paper"):
    tokens = language.tokenise(sentence)
    found = decide(tokens, language.tag([tokens])[0], lexicon, language, rule)
    return {(one.word, one.relation): (one.outcome, [c.form for c in one.candidates]) for one in found}


@pytest.mark.parametrize(
    ("sentence", "word", "relation", "outcome", "forms"),
    [
        ("the unions met", "unions", "noun_synonym", "changed", ["brotherhoods"]),
        ("the government met", "government", "noun_synonym", "changed", ["authorities", "regime"]),
        ("they begin", "begin", "verb_antonym", "changed", ["end"]),
        ("they begin", "begin", "verb_synonym", "changed", ["start", "commence"]),
        ("all including him", "including", "verb_antonym", "changed", ["excluding"]),
        ("he remained", "remained", "verb_antonym", "changed", ["changed"]),  # of its synset mate "stay"
        ("the governments met", "governments", "noun_synonym", "changed", ["regimes"]),  # "authoritieses" is no word
        ("the man", "man", "noun_synonym", "own lemma only", []),
        ("he was", "was", "verb_antonym", "auxiliary", []),
        ("they end", "end", "verb_antonym", "no antonym", []),
        ("the police officer met", "officer", "noun_synonym", "collocation", []),
        ("the world", "world", "noun_synonym", "changed", ["Earth"]),
    ],
)
def test_each_rule(sentence, word, relation, outcome, forms, lexicon, language):
    assert decided(sentence, lexicon, language)[word, relation] == (outcome, forms)


def test_the_two_senses_differ_as_in_the_paper(lexicon, language):
    assert decided("it rose", lexicon, language, "first")["rose", "verb_antonym"] == ("changed", ["fell"])
    assert decided("it rose", lexicon, language, "paper")["rose", "verb_antonym"][0] == "no antonym"
    assert decided("he demanded", lexicon, language, "paper")["demanded", "verb_antonym"] == ("changed", ["obviated"])
    assert decided("he demanded", lexicon, language, "first")["demanded", "verb_antonym"][0] == "no antonym"


def test_collocations_are_windows_of_three_then_two_in_small_letters_and_base_forms(lexicon):
    assert in_collocations(("Police", "officers", "slept"), lexicon) == {0, 1}
    assert in_collocations(("they", "look", "for", "it"), lexicon) == {1, 2}
    assert in_collocations(("officers", "police"), lexicon) == set()


def built(sentences, lexicon, language, **choices):
    pairs = [Pair(a, b) for a, b in sentences]
    return build(pairs, lexicon, language, LocalizationOptions(**choices))


LONG = "the unions and the government and the car and the firm began and remained"


def test_every_step_keeps_the_one_before(lexicon, language):
    base = built([(LONG, "x y")], lexicon, language).bases[0]
    for kind in ("noun_synonym", "verb_antonym", "verb_synonym", "random_noun"):
        before = base.tokens
        for k, step in enumerate(base.chains[kind], 1):
            assert len(step.tokens) == len(base.tokens)
            assert sum(a != b for a, b in zip(before, step.tokens, strict=True)) == 1, kind
            assert sum(a != b for a, b in zip(base.tokens, step.tokens, strict=True)) == k
            before = step.tokens
    assert len(base.chains["noun_synonym"]) == 4
    assert len(base.chains["verb_antonym"]) == 2


def test_the_controls_stand_in_the_same_places_with_other_words_of_the_tag(lexicon, language):
    base = built([(LONG, "x y")], lexicon, language).bases[0]
    for kind, other in (("random_noun", "noun_synonym"), ("random_verb", "verb_antonym")):
        for one, two in zip(base.chains[kind], base.chains[other], strict=False):
            assert one.position == two.position
            assert one.new not in (one.old, two.new)
    (shuffled,) = base.chains["shuffle"]
    assert sorted(shuffled.tokens) == sorted(base.tokens)
    assert shuffled.tokens != base.tokens


def test_the_article_follows_only_a_changed_word(lexicon, language):
    base = built([("an idea and a car and a honest x", "x y")], lexicon, language, order="left", choice="count").bases[
        0
    ]
    texts = [" ".join(step.tokens) for step in base.chains["noun_synonym"]]
    assert texts == ["a thought and a car and a honest x", "a thought and an automobile and a honest x"]


def test_order_choice_and_seed(lexicon, language):
    def words(**choices):
        bases = built([(LONG, "x y")], lexicon, language, **choices).bases
        return [(step.old, step.new) for step in bases[0].chains["noun_synonym"]]

    assert words(order="left", choice="count") == [
        ("unions", "brotherhoods"),
        ("government", "authorities"),
        ("car", "automobile"),
        ("firm", "company"),
    ]
    assert words(seed=3) == words(seed=3)
    assert len({tuple(words(seed=seed)) for seed in range(8)}) > 3
    assert len(words(most=2)) == 2


def test_a_sentence_has_its_chains_whatever_stands_beside_it(lexicon, language):
    alone = built([(LONG, "x y")], lexicon, language).bases[0]
    beside = built([("the car rose", "z"), (LONG, "x y")], lexicon, language).bases[2]
    assert alone.chains["noun_synonym"] == beside.chains["noun_synonym"]
    assert alone.chains["verb_antonym"] == beside.chains["verb_antonym"]


def test_a_tool_of_ones_own_is_used(lexicon, language):
    other = language._replace(is_word=lambda word: word != "brotherhoods")
    assert decided("the unions met", lexicon, other)["unions", "noun_synonym"] == ("word list", [])
    silent = language._replace(inflect=lambda lemma, tag: None)
    assert decided("the unions met", lexicon, silent)["unions", "noun_synonym"] == ("no such form", [])


def test_options_out_of_range_are_refused():
    with pytest.raises(Exception, match="most is 0"):
        LocalizationOptions(most=0)
