"""The whole study on invented pairs: its tables, page and sentences, planted models, runs, wrong inputs."""

import math
from itertools import combinations

import numpy as np
import pytest
import torch

from gpustab.errors import InputError
from gpustab.machine.device import Compute
from gpustab.report import to_html, to_text
from gpustab.report.describe import paper
from gpustab.sentences.model import BagOfWords, Embedding, Runs, of_callable
from gpustab.sentences.pretrained import mean_of_words
from gpustab.sentences.trees import right_branching
from gpustab.sentences.urae import FoldOptions, train_folded
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.statistics.intervals import jackknife_error
from gpustab.studies.localization.corpus import Pair, build, read_pairs, write_corpus
from gpustab.studies.localization.distances import measure
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.study import localization, space_stability
from tests.pages import check_page
from tests.sentences.test_models import CORPUS
from tests.studies.localization.small_wordnet import NOUNS, OPPOSITES, VERBS


def call(paraphrases, models, language, lexicon, **choices):
    return localization(paraphrases, models, language=language, lexicon=lexicon, draws=200, **choices)


@pytest.fixture(scope="module")
def many():
    """Eighty unconnected pairs with a noun and a verb that have synonyms and antonyms."""
    nouns = ["unions", "cars", "governments"]
    return [Pair(f"the {nouns[n % 3]} w{n} will begin x{n}", f"x{n} begin w{n}") for n in range(80)]


def planted(kind):
    """A model that knows meanings, words, or nothing but places."""
    groups = {one.split(":")[0]: n for n, own in enumerate([*NOUNS, *VERBS.values()]) for one in own}
    generator = np.random.default_rng(3)
    axes = generator.normal(size=(len(groups), 40))

    def vector(word):
        own = groups.get(word.removesuffix("s") if kind != "place" else word)
        if own is None:
            seed = np.random.default_rng(sum(map(ord, word)))
            return seed.normal(size=40)
        return axes[own]

    return Embedding(kind, lambda texts: np.stack([sum(map(vector, text)) for text in texts]))


def test_a_model_of_meanings_is_called_so_and_a_bag_is_not(many, language, lexicon):
    result = call(many, [planted("meanings"), BagOfWords()], language, lexicon)
    assert result.verdict[0].startswith("Meanings places sentences by their meaning")
    assert result.verdict[1].startswith("Bag of words places sentences by form")
    check_page(result)
    said = paper(result)
    assert said.title == "Do meanings and bag of words place sentences by meaning or by form?"
    assert said.claim.startswith("That meanings places sentences by their meaning")
    assert "That bag of words places sentences by form." in said.claim


def test_sentences_that_are_their_own_paraphrase_are_counted(language, lexicon):
    own = Pair("the unions will begin", "the unions will begin")
    other = Pair("the cars will begin now", "now begin cars")
    notes = call([own, other], [BagOfWords()], language, lexicon).notes
    assert [note for note in notes if "same words as" in note] == [
        "2 sentences have the same words as their paraphrase: the distance is 0."
    ]


def test_tables_page_and_runs(paraphrases, language, lexicon):
    def make(run):
        return Embedding("x", lambda texts: np.random.default_rng(run).normal(size=(len(texts), 8)))

    result = call(paraphrases, [BagOfWords(), Runs("random", make, 3)], language, lexicon)
    assert set(result.tables["scores"]["run"]) == {1, 2, 3}
    assert set(result.tables["over_runs"]["model"]) == {"random"}
    (row,) = result.tables["sentence_spaces"].records()
    assert (row["runs"], row["sentences"]) == (3, 68)
    assert row["pip"] == pytest.approx(1, abs=0.1)
    assert all(row["share_sd"] >= 0 for row in result.tables["over_runs"].records(k=1))
    html, text = to_html(result), to_text(result)
    assert "Are sentences with synonyms at least as near as the paraphrase?" in text
    assert "cannot be judged" in text
    assert "Every step of ten sentences" in html
    assert result.tables["counts"]["nouns"][0] == 12


def test_spaces_of_sentences_are_compared_between_runs():
    generator = np.random.default_rng(0)
    one, other = (torch.from_numpy(generator.normal(size=(200, 8))) for _ in range(2))
    turned = one @ torch.linalg.qr(torch.from_numpy(generator.normal(size=(8, 8))))[0]
    same = space_stability("same", [one, turned], Compute())
    assert same.pip < 1e-5
    assert same.neighbours == 1
    unlike = space_stability("unlike", [one, other], Compute())
    assert unlike.pip == pytest.approx(1, abs=0.05)
    assert unlike.neighbours == pytest.approx(10 / 199, abs=0.03)
    assert math.isnan(unlike.neighbours_se)  # two runs have no error
    three = [one, other, torch.from_numpy(generator.normal(size=(200, 8)))]
    some = space_stability("three", three, Compute())
    twos = [space_stability("two", [a, b], Compute()) for a, b in combinations(three, 2)]
    for name in ("pip", "neighbours"):
        of_pairs = [getattr(two, name) for two in twos]  # each is the mean without one run
        assert getattr(some, name) == pytest.approx(np.mean(of_pairs))
        assert getattr(some, f"{name}_se") == pytest.approx(jackknife_error(of_pairs))
    one[3] = 0
    assert space_stability("gap", [one, turned], Compute()).sentences == 199
    assert space_stability("few", [one[:9], turned[:9]], Compute()) is None


def test_equal_calls_give_equal_corpora(paraphrases, language, lexicon, tmp_path):
    for name in ("a.tsv", "b.tsv"):
        write_corpus(call(paraphrases, [BagOfWords()], language, lexicon, seed=2), tmp_path / name)
    write_corpus(call(paraphrases, [BagOfWords()], language, lexicon, seed=3), tmp_path / "c.tsv")
    first = (tmp_path / "a.tsv").read_bytes()
    assert first == (tmp_path / "b.tsv").read_bytes()
    assert first != (tmp_path / "c.tsv").read_bytes()
    assert first.startswith(b'# {"choice": "random"')


def test_a_parquet_file_holds_the_same_rows_and_their_provenance(paraphrases, language, lexicon, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = call(paraphrases, [BagOfWords()], language, lexicon)
    write_corpus(result, tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.column("text").to_pylist() == result.tables["sentences"]["text"]
    assert b"sense" in table.schema.metadata[b"gpustab"]


def test_the_mean_of_word_vectors(language, lexicon, paraphrases):
    words = sorted({word.lower() for pair in paraphrases.pairs for text in pair for word in text.split()})
    vectors = torch.randn(len(words), 12, generator=torch.Generator().manual_seed(0))
    model = mean_of_words(Space(Vocabulary(words), vectors, name="s"))
    text = ("The", "unions", "nowhere")
    truth = (vectors[words.index("the")].double() + vectors[words.index("unions")].double()) / 2
    assert torch.allclose(model.vectors([text])[0], truth)
    assert model.knows("The")
    assert not model.knows("nowhere")
    result = call(paraphrases, [model], language, lexicon)
    assert "known" in result.tables["scores"]["subset"]
    assert any("lacks" in note for note in result.notes)


def test_a_function_is_given_sentences(language, lexicon, many):
    seen = []
    pytest.importorskip("nltk")
    model = of_callable("f", lambda texts: (seen.extend(texts), np.ones((len(texts), 2)))[1])
    call(many[:2], [model], language, lexicon)
    assert "the unions w0 will begin x0" in seen
    wrong = of_callable("f", lambda texts: np.ones((1, 2)))
    with pytest.raises(InputError, match="gave vectors of shape"):
        call(many[:2], [wrong], language, lexicon)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\n", "line 1 has 1 fields, wanted 2"),
        ("a\tb\nc\t\n", "line 2 has 2 fields, wanted 2, the last two of them sentences"),
        ("", "no pair"),
        ("Quality\t#1\t#2\ta\tb\n2\t1\t2\tx\ty\n", "line 2 has the quality '2'"),
        ("Quality\t#1\t#2\ta\tb\n0\t1\t2\tx\ty\n", "no pair"),
    ],
)
def test_wrong_files_are_refused_by_place(text, message, tmp_path):
    (tmp_path / "pairs.tsv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_pairs([tmp_path / "pairs.tsv"])


def test_quotes_are_signs_and_only_quality_1_counts(tmp_path):
    text = '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t1\t2\t"x\ty "z"\r\n0\t3\t4\tp\tq\r\n'
    (tmp_path / "p.txt").write_bytes(text.encode())
    found = read_pairs([tmp_path / "p.txt"])
    assert found.pairs == [Pair('"x', 'y "z"')]
    assert "another" in found.notes[0]


def test_wrong_calls_are_refused(language, lexicon, paraphrases):
    with pytest.raises(InputError, match="models of different names, not none"):
        call(paraphrases, [], language, lexicon)
    with pytest.raises(InputError, match="models of different names"):
        call(paraphrases, [BagOfWords(), BagOfWords()], language, lexicon)
    with pytest.raises(InputError, match="in none of the 2 sentences"):
        call([Pair("x y", "y x")], [BagOfWords()], language, lexicon)
    with pytest.raises(InputError, match="no pair"):
        call([], [BagOfWords()], language, lexicon)


def test_opposites_are_those_of_the_files(lexicon):
    assert lexicon.antonyms(lexicon.sense("begin", "v", "paper")) == [("end", 29)]
    assert len(OPPOSITES) == sum(bool(synset.opposites) for synset in lexicon.synsets["v"].values())


@pytest.mark.parametrize("tree", ["greedy", "parsed"])
def test_changed_sentences_have_the_trees_of_their_bases(tree, paraphrases, lexicon, language):
    corpus = build(paraphrases.pairs[:4], lexicon, language, LocalizationOptions())
    parses = None
    if tree == "parsed":
        own = {base.tokens for base in corpus.bases} | set(CORPUS)
        parses = {tokens: right_branching(len(tokens)) for tokens in own}
    folded = train_folded(CORPUS, 1, FoldOptions(dim=6, epochs=1, tree="greedy"), parses)
    model = folded.embedding("x", parses)
    found = measure(corpus, model)
    base = next(base for base in corpus.bases if base.chains["noun_synonym"])
    changed = base.chains["noun_synonym"][0].tokens
    as_base = model.vectors([base.tokens, changed], [base.tokens, base.tokens]).double()
    expected = 1 - torch.cosine_similarity(as_base[0], as_base[1], dim=0)
    assert found.chains["noun_synonym"][corpus.bases.index(base), 0] == pytest.approx(float(expected), abs=1e-7)
    if tree == "parsed":
        with pytest.raises(InputError, match="1 of 1 sentences have no parse, the first is: never seen"):
            model.vectors([("never", "seen")])
