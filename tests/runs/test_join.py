import itertools
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import InputError, Space, Vocabulary
from gpustab.formats.memory import from_pair
from gpustab.runs.join import join
from gpustab.runs.load import load_runs
from gpustab.spaces.space import LoadReport
from gpustab.studies.shared.spaces import left_out
from tests import generators


def space(words, counts=None, d=3, seed=0, name="run"):
    vectors = torch.randn(len(words), d, generator=generators.generator(seed))
    return Space(Vocabulary(words), vectors, None if counts is None else torch.tensor(counts), name)


def test_words_meet_by_word_not_by_row():
    a, b = space("abcd", seed=1), space("dbxa", seed=2)
    runs = join([a, b], unit=False)
    for i, word in enumerate(runs.vocabulary):
        for r, s in enumerate((a, b)):
            torch.testing.assert_close(runs.run(r)[i].float(), s.vectors[s.vocabulary.index_of(word)])


def test_canonical_order_by_counts_ties_by_bytes():
    runs = join([space("abcd", [1, 5, 2, 9]), space("dcba", [9, 3, 5, 4])])
    assert list(runs.vocabulary) == [b"d", b"b", b"a", b"c"]
    assert runs.counts.tolist() == [18, 10, 5, 5]


def test_canonical_order_by_mean_position_where_one_run_has_no_counts():
    runs = join([space("abcd", [1, 5, 2, 9]), space("abdc")])
    assert list(runs.vocabulary) == [b"a", b"b", b"c", b"d"]
    assert runs.counts is None


@pytest.mark.parametrize("rule", ["joint", "union"])
def test_no_result_depends_on_the_order_of_the_runs(rule):
    spaces = [space("abcde", seed=1), space("edcf", seed=2), space("xcdeb", seed=3)]
    wanted = list(join(spaces, vocabulary=rule).vocabulary)
    for order in itertools.permutations(spaces):
        assert list(join(order, vocabulary=rule).vocabulary) == wanted


def test_joint_and_union():
    spaces = [space("abc"), space("bcd"), space("cdx")]
    joint = join([*spaces[:2]])
    assert set(joint.vocabulary) == {b"b", b"c"}
    assert (joint.joining.seen, joint.joining.dropped) == (4, 2)
    assert set(joint.joining.dropped_sample) == {b"a", b"d"}
    union = join(spaces, vocabulary="union", min_runs=2)
    assert set(union.vocabulary) == {b"b", b"c", b"d"}
    assert union.present[:, union.vocabulary.index_of("b")].tolist() == [True, True, False]
    assert union.joint.sum() == 1
    assert (union.run(2)[union.vocabulary.index_of("b")] == 0).all()
    assert len(join(spaces, vocabulary="union", min_runs=1).vocabulary) == 5


def test_a_zero_vector_is_undefined_not_a_neighbour():
    a, b = space("abcd"), space("abcd", seed=1)
    a.vectors[1] = 0
    joint = join([a, b])
    assert b"b" not in joint.vocabulary
    assert (joint.joining.undefined, joint.joining.undefined_sample) == (1, (b"b",))
    assert joint.joining.dropped == 0
    union = join([a, b, space("abcd", seed=2)], vocabulary="union")
    assert union.present[:, union.vocabulary.index_of("b")].tolist() == [False, True, True]


def test_tiny_vectors_are_vectors():
    a, b = space("abc"), space("abc", seed=1)
    a.vectors[0] *= 1e-30
    assert join([a, b]).run(0)[0].norm() == pytest.approx(1)


def test_unequal_dimensions_are_padded_and_said():
    runs = join([space("abcd", d=3), space("abcd", d=5, seed=1)])
    assert runs.chunk(0, 4).shape == (2, 4, 5)
    assert (runs.run(0)[:, 3:] == 0).all()
    assert "3, 5 dimensions" in runs.notes[0]


@pytest.mark.parametrize(
    ("spaces", "choices", "message"),
    [
        (["ab", "cd"], {}, "no word in common"),
        (["ab", "bd"], {}, "only one word in common"),
        (["abc", "abd"], {"vocabulary": "union", "min_runs": 3}, "min_runs is 3, wanted 1 to 2"),
    ],
)
def test_what_cannot_be_joined(spaces, choices, message):
    with pytest.raises(InputError, match=message):
        join([space(words) for words in spaces], **choices)


def test_equal_names_become_different_ones():
    assert len(set(join([space("abc", name="x"), space("abc", name="x", seed=1)]).names)) == 2


def test_what_loading_found_is_told_once():
    note = "2 row(s) of a word that occurs more than once"
    spaces = [
        replace(space("abc", seed=i, name=f"r{i}"), report=LoadReport(f"r{i}.txt", "text", notes=(note,)))
        for i in range(5)
    ]
    assert join(spaces).notes == (f"r0, r1, r2 and 2 more: {note}",)


def test_words_whose_vectors_are_zero_are_no_matter_of_letter_case():
    words = ["The", "of", "and"]
    spaces = [from_pair(words, np.diag([1, 0, 0]), "first"), from_pair(words, np.diag([0, 1, 1]), "rest")]
    with pytest.raises(InputError) as error:
        join(spaces)
    assert "zero vectors are in first (2 of 3 words), rest (1 of 3 words)" in str(error.value)
    assert "letter case" not in str(error.value)
    with pytest.raises(InputError, match="letter case"):
        join([from_pair(["The", "Of"], np.eye(2), "a"), from_pair(["the", "of"], np.eye(2), "b")])


@pytest.mark.parametrize(
    "words",
    [
        ["é", "fête", "naïve", "plain"],  # French
        ["각", "한국", "말", "plain"],  # syllables and their letters
        ["tiếng", "việt", "đường", "plain"],  # two accents on one letter
        ["\u212bngström", "ά", "\u1f71\u03bb", "plain"],  # signs of the same looks, of which one form is left
    ],
)
def test_normal_forms_of_unicode_are_named_as_the_cause(words):
    rng, n = np.random.default_rng(0), len(words) - 1
    forms = [[unicodedata.normalize(form, word) for word in words] for form in ("NFC", "NFD", "NFC")]
    with pytest.raises(InputError, match=f"; {n} more would be in common in one normal form of Unicode") as refused:
        join([from_pair(own, rng.normal(size=(n + 1, 5)), f"r{k}") for k, own in enumerate(forms)])
    assert "unicodedata.normalize('NFC', ...)" in str(refused.value)
    plain = [f"w{k}" for k in range(20)]
    runs = join([from_pair(own + plain, rng.normal(size=(n + 21, 5)), f"r{k}") for k, own in enumerate(forms)])
    assert runs.joining.composed == n
    assert any(f"{n} more would be in common" in note for note in left_out(runs.joining))
    mended = [[unicodedata.normalize("NFC", word) for word in own] for own in forms]  # as the message says
    runs = join([from_pair(own + plain, rng.normal(size=(n + 21, 5)), f"r{k}") for k, own in enumerate(mended)])
    assert (runs.words, runs.joining.composed, list(left_out(runs.joining))) == (n + 21, 0, [])


WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
SPELLED = {
    "in one width": (lambda word: word.translate(WIDE), "unicodedata.normalize('NFKC', ...)"),
    "signs that nobody sees: some": (lambda word: f"{word[:2]}\u00ad{word[2:]}\u200b", r"re.sub('[\xad\u200b-\u200d"),
    "without codes of HTML": (lambda word: f"{word}&amp;", "html.unescape(...)"),
    "in one encoding": (lambda word: f"{word}Ã¼", "word.encode('cp1252').decode()"),
    "in one letter case": (str.upper, "lower case"),
}


@pytest.mark.parametrize("said", SPELLED)
@pytest.mark.parametrize("runs", [2, 3])
def test_what_spells_the_words_of_one_run_otherwise_is_named(said, runs):
    spell, way = SPELLED[said]
    rng, words = np.random.default_rng(0), [f"word{chr(97 + k)}" for k in range(20)]
    plain = {"without codes of HTML": "&", "in one encoding": "ü"}.get(said, "")
    own = [[f"{word}{plain}" if k < 10 else word for k, word in enumerate(words)] for _ in range(runs)]
    own[-1] = [spell(word) if k < 10 else word for k, word in enumerate(words)]
    joined = join([from_pair(one, rng.normal(size=(20, 5)), f"r{k}") for k, one in enumerate(own)])
    (note,) = (note for note in left_out(joined.joining) if "more would be in common" in note)
    assert note.startswith("10 more would be in common")
    assert said in note
    assert way in note


def test_words_that_runs_lack_by_chance_are_no_matter_of_letter_case():
    rng = np.random.default_rng(0)
    words = [f"{first}{k}" for k in range(200) for first in "wW"][:390]
    own = [[word for word in words if rng.random() < 0.8] for _ in range(5)]
    joined = join([from_pair(one, rng.normal(size=(len(one), 5)), f"r{k}") for k, one in enumerate(own)])
    assert joined.joining.dropped > 100
    assert not any("more would be in common" in note for note in left_out(joined.joining))


@pytest.mark.parametrize(
    ("everywhere", "one", "other"),
    [(["x²", "½", "…"], "m²", "m2"), (["ﬁn", "ﬂat"], "oﬃce", "office"), (["at&amp;t"], "r&amp;d", "r&d")],
)
def test_what_all_runs_spell_so_is_no_matter_of_some_files(everywhere, one, other):
    rng, plain = np.random.default_rng(0), [f"w{k}" for k in range(20)]
    for words, said in ((plain + everywhere, False), (plain, True)):
        own = [[*words, one], [*words, other]]
        runs = join([from_pair(some, rng.normal(size=(len(some), 5)), f"r{k}") for k, some in enumerate(own)])
        assert any("more would be in common" in note for note in left_out(runs.joining)) == said


def test_words_that_are_missing_or_of_other_letters_are_no_matter_of_normal_forms():
    rng, plain = np.random.default_rng(0), [f"w{k}" for k in range(20)]
    own = [["é", "ö"], ["e\u0300", "o"], ["été", "ø"]]
    runs = join([from_pair(one + plain, rng.normal(size=(22, 5)), f"r{k}") for k, one in enumerate(own)])
    assert (runs.joining.dropped, runs.joining.composed) == (6, 0)


def test_a_run_with_few_words_is_named_and_leaving_it_out_helps():
    rng, words = np.random.default_rng(0), [f"w{k}" for k in range(60)]
    sources = [(words, rng.normal(size=(60, 4))) for _ in range(3)]
    few = (words[:12], rng.normal(size=(12, 4)))
    (note,) = (note for note in load_runs([*sources, few]).notes if "has only" in note)
    assert note.startswith("run-003 has only 12 words, every other run 60 or more. So the 12 words in common")
    assert load_runs(sources).words == 60
    for others in (sources, [*sources, (words[:31], rng.normal(size=(31, 4)))], [sources[0], few]):
        assert not any("has only" in note for note in load_runs(others).notes)
