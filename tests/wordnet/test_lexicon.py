"""Our lexicon against nltk's, on WordNet 3.0 itself.

nltk cannot take our lexicon's place: it reads no folder as Debian's `wordnet-base` leaves it (there are neither
`lexnames` nor `index.sense`), refuses every folder that is not on a list of its own, and looks a sense up forty times
slower. What stands here helps it over that.
"""

import io
import warnings

import pytest

from tests.wordnet.installed import installed_lexicon


@pytest.fixture(scope="module")
def ours():
    return installed_lexicon()


@pytest.fixture(scope="module")
def theirs(ours):
    nltk = pytest.importorskip("nltk")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        def open(self, file):
            names = "".join(f"{n:02d}\tname{n}\t1\n" for n in range(45))
            return io.StringIO(names) if file == "lexnames" else super().open(file)

        def map_wn(self, version="wordnet"):
            return None

    nltk.data.path.append(ours.folder)
    with warnings.catch_warnings(action="ignore"):  # that it has no other languages
        reader = Reader(ours.folder, None)
    yield reader
    nltk.data.path.remove(ours.folder)


def answers_of_nltk(reader, lemma, pos):
    """Return senses, the one of each rule, and the synonyms and antonyms of the first."""
    senses = list(dict.fromkeys(reader.synsets(lemma, pos)))
    if not senses:
        return [], None, None, [], []
    most = max(senses, key=lambda sense: sum(own.count() for own in sense.lemmas()))
    synonyms = [(own.name(), own.count()) for own in senses[0].lemmas()]
    every = (other for own in senses[0].lemmas() for other in own.antonyms()) if pos == "v" else ()
    opposites = {(other.name(), other.synset().offset()): other.count() for other in every}
    antonyms = sorted((name, count) for (name, _), count in opposites.items())
    return [sense.offset() for sense in senses], senses[0].offset(), most.offset(), synonyms, antonyms


def answers(lexicon, lemma, pos):
    senses, first = lexicon.senses(lemma, pos), lexicon.sense(lemma, pos, "first")
    if first is None:
        return senses, None, None, [], []
    antonyms = sorted(lexicon.antonyms(first)) if pos == "v" else []  # in the order of the file; nltk's is by lemma
    return senses, first, lexicon.sense(lemma, pos, "paper"), lexicon.synonyms(pos, first), antonyms


def differences(lexicon, reader, step):
    lemmas = sorted({lemma for index in lexicon.index.values() for lemma in index})[::step]
    assert len(lemmas) > 147_000 // step
    assert all(lexicon.has(lemma) for lemma in lemmas)
    return [
        (lemma, pos)
        for lemma in lemmas
        for pos in ("n", "v")
        if answers(lexicon, lemma, pos) != answers_of_nltk(reader, lemma, pos)
    ]


def test_a_hundredth_of_all_lemmas_has_the_answers_of_nltk(ours, theirs):
    assert not differences(ours, theirs, 100)


@pytest.mark.slow
def test_all_lemmas_have_the_answers_of_nltk(ours, theirs):
    assert not differences(ours, theirs, 1)


def test_inflected_forms_have_the_senses_of_nltk(ours, theirs):
    for pos in ("n", "v", "a", "r"):
        forms = [*ours.exceptions[pos], *(f"{lemma}s" for lemma in list(ours.index[pos])[::50])]
        for form in forms:
            assert ours.senses(form, pos) == [s.offset() for s in dict.fromkeys(theirs.synsets(form, pos))], form
