"""gensim's own files, read without gensim."""

import gzip
import pickle
import shutil
import sys
import tracemalloc
import types
from functools import partial

import numpy as np
import pytest

from gpustab.errors import InputError
from gpustab.formats.binary.ngrams import ngram_buckets
from gpustab.formats.gensim.native import GENSIM
from tests.formats.binary_files import load, refused

gensim = pytest.importorskip("gensim")

from gensim.models import Doc2Vec, FastText, KeyedVectors, Word2Vec  # noqa: E402
from gensim.models.doc2vec import TaggedDocument  # noqa: E402
from gensim.models.fasttext import FastTextKeyedVectors  # noqa: E402

WORDS = ["the", "naïve", "new york", "日本語", "a"]
SENTENCES = [WORDS * 5] * 20


read = load
refusal = partial(refused, load)


def keyed_vectors(words=WORDS, d=3):
    vectors = KeyedVectors(d)
    vectors.add_vectors(words, np.random.default_rng(0).standard_normal((len(words), d), dtype=np.float32))
    return vectors


def save(model, path, **options):
    model.save(str(path), **options)
    return path


def assert_same(space, vectors):
    assert [word.decode() for word in space.vocabulary] == vectors.index_to_key
    # Sums of n-grams are added in another order.
    assert np.allclose(space.vectors.numpy(), vectors.vectors, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("apart", [[], ["vectors"]])
def test_keyed_vectors(tmp_path, protocol, apart):
    vectors = keyed_vectors()
    path = save(vectors, tmp_path / "x.kv", separately=apart, pickle_protocol=protocol)
    space = read(path)
    assert_same(space, vectors)
    assert np.array_equal(space.vectors.numpy(), vectors.vectors)
    assert space.counts is None
    assert not [note for note in space.report.notes if "space or tab" not in note]
    assert space.report.format == "gensim KeyedVectors"


def test_counts(tmp_path):
    vectors = keyed_vectors()
    for i, word in enumerate(WORDS):
        vectors.set_vecattr(word, "count", 10 + i)
    assert read(save(vectors, tmp_path / "x.kv")).counts.tolist() == [10, 11, 12, 13, 14]
    many = keyed_vectors([f"w{i}" for i in range(100)])
    for i in range(100):
        many.set_vecattr(f"w{i}", "count", 100 - i)
    space = read(save(many, tmp_path / "y.kv"))
    assert space.counts is None
    assert any("placeholders" in note for note in space.report.notes)


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("apart", [False, True])
def test_a_full_model(tmp_path, kind, apart, protocol):
    extra = {"bucket": 50} if kind is FastText else {}
    model = kind(SENTENCES, vector_size=4, min_count=1, epochs=1, seed=1, workers=1, **extra)
    path = save(model, tmp_path / "x.model", sep_limit=5 if apart else 1 << 20, pickle_protocol=protocol)
    assert (tmp_path / "x.model.wv.vectors.npy").exists() == (apart and kind is Word2Vec)
    space = read(path)
    assert_same(space, model.wv)
    assert space.counts.tolist() == [100] * 5
    assert f"of the full {kind.__name__} model, only the word vectors (wv) were read" in space.report.notes
    alone = read(save(model.wv, tmp_path / "x.kv", pickle_protocol=protocol))
    assert_same(alone, model.wv)


@pytest.mark.parametrize(("bucket", "lengths"), [(1000, (3, 6)), (7, (1, 2)), (0, (3, 6))])
def test_fasttext_vectors_are_composed(tmp_path, bucket, lengths):
    rng = np.random.default_rng(0)
    vectors = FastTextKeyedVectors(5, *lengths, bucket)
    words = [*WORDS, *("".join(map(chr, rng.integers(97, 123, rng.integers(1, 30)))) for _ in range(2000))]
    words = list(dict.fromkeys(words))
    vectors.add_vectors(words, np.zeros((len(words), 5), np.float32))
    vectors.vectors_vocab = rng.standard_normal((len(words), 5), dtype=np.float32)
    vectors.vectors_ngrams = rng.standard_normal((max(bucket, 1), 5), dtype=np.float32)
    path = save(vectors, tmp_path / "x.kv", sep_limit=100)
    space = read(path)
    assert_same(space, KeyedVectors.load(str(path)))
    assert any("n-grams" in note for note in space.report.notes)
    assert np.array_equal(read(path, limit=7).vectors.numpy(), space.vectors.numpy()[:7])


@pytest.mark.parametrize("lengths", [(3, 6), (1, 3), (2, 2), (1, 1), (5, 3), (0, 0), (0, 4)])
def test_ngram_hashes_are_those_of_gensim(lengths):
    inner = pytest.importorskip("gensim.models.fasttext_inner")
    words = [*WORDS, "𝒳y", "<>", " ", "é"]
    owners, hashes = ngram_buckets([word.encode() for word in words], *lengths, 1 << 32)
    for i, word in enumerate(words):
        expected = [inner.ft_hash_bytes(ngram) for ngram in inner.compute_ngrams_bytes(word, *lengths)]
        assert sorted(hashes[owners == i].tolist()) == sorted(expected)


def test_missing_and_renamed_companions(tmp_path):
    path = save(keyed_vectors(), tmp_path / "x.kv", separately=["vectors"])
    companion = tmp_path / "x.kv.vectors.npy"
    shutil.copy(path, tmp_path / "y.kv")
    message = refusal(tmp_path / "y.kv")
    assert "companion y.kv.vectors.npy is missing" in message
    assert "found in the same folder: x.kv.vectors.npy" in message
    companion.unlink()
    message = refusal(path)
    assert "companion x.kv.vectors.npy is missing" in message
    assert "no .npy file" in message


def test_companions_that_do_not_fit(tmp_path):
    path = save(keyed_vectors(), tmp_path / "x.kv", separately=["vectors"])
    companion = tmp_path / "x.kv.vectors.npy"
    np.save(companion, np.ones((4, 3), np.float32))
    assert f"there are 5 words, but 4 vectors in {companion}" in refusal(path)
    np.save(companion, np.ones(5, np.float32))
    assert f"{companion}: the array is float32 (5,)" in refusal(path)
    np.save(companion, np.array([[print]], dtype=object))
    assert "Python objects" in refusal(path)
    companion.write_bytes(companion.read_bytes()[:100])
    assert str(companion) in refusal(path)


def test_a_companion_is_named_by_us_alone(tmp_path):
    path = save(keyed_vectors(), tmp_path / "x.kv", separately=["vectors"])
    path.write_bytes(path.read_bytes().replace(b"\x8c\x08__numpys", b"\x8c\x08__numpyz"))
    assert "saved without its vectors" in refusal(path)


def test_options(tmp_path):
    path = save(keyed_vectors(), tmp_path / "x.kv", separately=["vectors"])
    assert [word.decode() for word in read(path, limit=2).vocabulary] == WORDS[:2]
    assert [word.decode() for word in read(path, only=["a", "the"]).vocabulary] == ["the", "a"]
    assert "dim=7" in refusal(path, dim=7)


def old(module, name, **attributes):
    """An object of a class that gensim no longer has, or no longer lays out so."""
    made = type(name, (), {"__module__": module})()
    made.__dict__.update(attributes)
    return made


@pytest.fixture
def former(monkeypatch):
    """Write objects of former gensim versions, protocol 2, as they did."""

    def write(path, root, *others):
        for made in (root, *others):
            kind = type(made)
            module = types.ModuleType(kind.__module__)
            setattr(module, kind.__name__, kind)
            monkeypatch.setitem(sys.modules, kind.__module__, module)
        path.write_bytes(pickle.dumps(root, 2))
        return path

    return write


VECTORS = np.arange(15, dtype=np.float32).reshape(5, 3)


@pytest.mark.parametrize(
    ("kind", "vectors", "companion"),
    [("Word2VecKeyedVectors", "vectors", True), ("KeyedVectors", "syn0", False), ("KeyedVectors", "syn0", True)],
)
@pytest.mark.parametrize("full", [False, True])
def test_layouts_before_gensim_4(tmp_path, former, kind, vectors, companion, full):
    entry = old("gensim.models.former", "Vocab")
    vocab = {}
    for i, word in enumerate(reversed(WORDS)):  # the order is that of index2word, and of no dictionary
        vocab[word] = type(entry)()
        vocab[word].__dict__.update(count=i + 1, index=4 - i, sample_int=7)
    keyed = old("gensim.models.formerkeyed", kind, index2word=WORDS, vocab=vocab, vector_size=3)
    prefix = "x.model.wv" if full else "x.model"
    if companion:
        keyed.__dict__["__numpys"] = [vectors]
        np.save(tmp_path / f"{prefix}.{vectors}.npy", VECTORS)
    else:
        keyed.__dict__[vectors] = VECTORS
    model = old("gensim.models.formermodel", "Word2Vec", wv=keyed) if full else keyed
    space = read(former(tmp_path / "x.model", model, keyed, entry))
    assert [word.decode() for word in space.vocabulary] == WORDS
    assert space.counts.tolist() == [5, 4, 3, 2, 1]
    assert np.array_equal(space.vectors.numpy(), VECTORS)


def test_models_before_keyed_vectors(tmp_path, former):
    model = old("gensim.models.formermodel", "Word2Vec", syn0=VECTORS, index2word=WORDS)
    assert np.array_equal(read(former(tmp_path / "x.model", model)).vectors.numpy(), VECTORS)


def test_other_classes_are_named(tmp_path, former):
    path = former(tmp_path / "x", old("gensim.models.ldamodel", "LdaModel", id2word=None))
    assert "gensim.models.ldamodel.LdaModel, which has no word vectors" in refusal(path)
    phrases = gensim.models.Phrases(SENTENCES)
    message = refusal(save(phrases, tmp_path / "y"))
    assert f"gensim.models.phrases.Phrases (gensim {gensim.__version__}), which has no word vectors" in message
    path = former(tmp_path / "z", old("mymodels", "Vectors", index_to_key=WORDS))
    assert "refers to mymodels.Vectors, which vectors do not need; not opened" in refusal(path)
    path.write_bytes(pickle.dumps({"a": ["b", 2.0]}))
    assert "pickle of plain data" in refusal(path)
    path.write_bytes(pickle.dumps(VECTORS[0]))
    assert "pickle of numpy" in refusal(path)


def test_a_class_is_named_together_with_what_it_must_not_refer_to(tmp_path):
    model = keyed_vectors()
    model.extra = shutil.rmtree
    message = refusal(save(model, tmp_path / "x.kv"))
    assert "the pickle of gensim.models.keyedvectors.KeyedVectors refers to shutil.rmtree" in message


def test_keys_and_vectors_of_other_kinds(tmp_path):
    numbers = KeyedVectors(2)
    numbers.add_vectors([(1, 2), (3, 4)], np.ones((2, 2), np.float32))
    assert "are not words" in refusal(save(numbers, tmp_path / "x"))
    numbers = KeyedVectors(2)
    numbers.add_vectors([1, "1"], np.ones((2, 2), np.float32))
    assert "a number and the same number as text" in refusal(save(numbers, tmp_path / "x"))
    for wrong in (None, "text", VECTORS.astype(object), VECTORS[0], VECTORS[:0]):
        model = keyed_vectors()
        model.vectors = wrong
        path = tmp_path / "y"
        path.write_bytes(pickle.dumps(model))
        assert "vectors" in refusal(path)
    path = save(keyed_vectors(["a", "\ud800"]), tmp_path / "y")
    assert "not text that UTF-8 could hold" in refusal(path)
    model = keyed_vectors()
    model.expandos = {"count": np.ones(3, int)}
    path.write_bytes(pickle.dumps(model))
    assert "the counts are not whole numbers, one for each word" in refusal(path)


@pytest.mark.parametrize("tags", ["text", "numbers"])
@pytest.mark.parametrize("apart", [False, True])
def test_vectors_of_documents(tmp_path, tags, apart):
    names = [f"doc {k}" if tags == "text" else k for k in range(len(SENTENCES))]
    documents = [TaggedDocument(words, [name]) for words, name in zip(SENTENCES, names, strict=True)]
    model = Doc2Vec(documents, vector_size=4, min_count=1, epochs=1, seed=1, workers=1)
    path = save(model, tmp_path / "x.model", sep_limit=5 if apart else 1 << 20)
    assert any("tensor='dv' reads those of documents" in note for note in read(path).report.notes)
    assert_same(read(path), model.wv)
    space = read(path, tensor="dv")
    assert [word.decode() for word in space.vocabulary] == [str(name) for name in names]
    assert np.array_equal(space.vectors.numpy(), model.dv.vectors)
    assert space.counts is None
    assert "this is a gensim.models.word2vec.Word2Vec (gensim 4" in refusal(
        save(Word2Vec(SENTENCES, vector_size=4, min_count=1, epochs=1), tmp_path / "w"), tensor="dv"
    )


def test_gzip_and_other_protocols(tmp_path):
    path = save(keyed_vectors(), tmp_path / "x.kv.gz")
    assert "without .gz" in refusal(path)
    path = tmp_path / "y"
    path.write_bytes(gzip.compress(pickle.dumps([1])))
    assert "pickle within gzip" in refusal(path)
    assert not GENSIM.matches(b"\x80")


@pytest.mark.parametrize("protocol", [2, 4])
def test_mutations_give_a_space_or_a_refusal(tmp_path, protocol):
    model = FastTextKeyedVectors(2, 3, 4, 5)
    model.add_vectors([f"w{i}" for i in range(6)], np.ones((6, 2), np.float32))
    model.vectors_vocab, model.vectors_ngrams = np.ones((6, 2), np.float32), np.ones((5, 2), np.float32)
    path = save(model, tmp_path / "x.kv", pickle_protocol=protocol)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    spaces, refused = 0, []
    tracemalloc.start()
    for _ in range(1000):
        changed = bytearray(content)
        for at in rng.integers(2, len(content), rng.integers(1, 4)):
            changed[at] = rng.integers(256)
        path.write_bytes(changed[: None if rng.random() < 0.9 else int(rng.integers(2, len(content)))])
        try:
            spaces += read(path).dimension > 0
        except InputError as error:
            refused.append(str(error))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 50 < spaces < 950
    assert all(str(path) in message for message in refused)
    assert peak < 4_000_000  # of all that is held at once, messages included: no size that a file claims is believed


def test_fortran_order_is_said(tmp_path):
    """One bit of the pickle tells it, and a reader that takes the wrong order gives wrong vectors without a sign."""
    vectors = pytest.importorskip("gensim.models").KeyedVectors(3)
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    vectors.add_vectors(["a", "b", "c", "d"], values)
    vectors.vectors = np.asfortranarray(values)
    vectors.save(str(tmp_path / "x.kv"))
    space = read(tmp_path / "x.kv")
    assert np.array_equal(space.vectors.numpy(), values)
    assert any("Fortran" in note for note in space.report.notes)


def test_an_empty_slot_costs_no_word(tmp_path):
    """F53: gensim leaves a slot empty for every repeat in the text it reads."""
    model = KeyedVectors(2, count=4)
    model.index_to_key = ["a", None, "None", "c"]
    model.key_to_index = {"a": 0, "None": 2, "c": 3}
    model.vectors = np.arange(8, dtype=np.float32).reshape(4, 2)
    model.expandos = {"count": np.array([7, 0, 5, 3])}
    space = read(save(model, tmp_path / "x.kv"))
    assert list(space.vocabulary) == [b"a", b"None", b"c"]
    assert space.vectors.tolist() == [[0, 1], [4, 5], [6, 7]]
    assert space.counts.tolist() == [7, 5, 3]
    assert any(note.startswith("1 empty slot dropped") for note in space.report.notes)
    assert read(save(model, tmp_path / "y.kv"), limit=2).vectors.tolist() == [[0, 1], [4, 5]]
    model.index_to_key = [None] * 4
    with pytest.raises(InputError, match="there are no rows"):
        read(save(model, tmp_path / "x.kv"))
