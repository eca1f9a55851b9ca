"""Models that are trained: trees, the auto-encoder beside a recursion, paragraph vectors, an encoder from disk."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from gpustab.errors import InputError
from gpustab.sentences.model import read_sentences
from gpustab.sentences.paragraph_vectors import Inference, ParagraphOptions, load_paragraphs, train_paragraphs
from gpustab.sentences.trees import SHAPES, balanced, plant, right_branching
from gpustab.sentences.urae import FoldOptions, UnfoldingAutoEncoder, load_folded, roots, train, train_folded
from gpustab.studies.localization.choose import choose
from gpustab.studies.localization.options import TrainingOptions
from tests.studies.localization.conftest import PAIRS

CORPUS = [tuple(text.split()) for line in PAIRS.read_text().splitlines() for text in line.split("\t")]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("words", [1, 2, 3, 7, 12])
def test_trees_hold_every_word_once_in_its_order(shape, words):
    spans = [(k, k + 1) for k in range(words)]
    for left, right in shape(words):
        assert spans[left][1] == spans[right][0]
        spans.append((spans[left][0], spans[right][1]))
    assert spans[-1] == (0, words)
    assert len(spans) == 2 * words - 1


def folded_by_recursion(net, words, merges):
    nodes = list(words)
    for left, right in merges:
        nodes.append(torch.tanh(net.fold(torch.cat([nodes[left], nodes[right]]))))
    return nodes


def loss_by_recursion(net, sentences, words, shape):
    """Unfold every node of every sentence down to its words, one by one."""
    errors = []

    def unfold(node, vector, merges, leaves):
        if node < len(leaves):
            errors.append((vector - leaves[node]).square().mean())
            return
        left, right = torch.tanh(net.unfold(vector)).chunk(2)
        for child, part in zip(merges[node - len(leaves)], (left, right), strict=True):
            unfold(child, part, merges, leaves)

    for own in sentences:
        merges = shape(len(own))
        nodes = folded_by_recursion(net, words[own], merges)
        for node in range(len(own), len(nodes)):
            unfold(node, nodes[node], merges, words[own])
    return torch.stack(errors).mean()


@pytest.mark.parametrize("name", SHAPES)
def test_the_net_equals_a_recursion_over_nodes(name):
    shape = SHAPES[name]
    net = UnfoldingAutoEncoder(6, seed=3).double()
    words = torch.rand(9, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64) - 0.5
    sentences = [[0, 4, 2, 8, 1], [3], [5, 6], [7, 7, 1, 0, 2, 3, 8]]
    forest = plant(sentences, [shape(len(own)) for own in sentences])
    found = net.nodes(forest, words[forest.leaves])[forest.roots]
    truth = [folded_by_recursion(net, words[own], shape(len(own)))[-1] for own in sentences]
    assert torch.allclose(found, torch.stack(truth), atol=1e-12)
    loss = net.loss(forest, words[forest.leaves])
    assert torch.allclose(loss, loss_by_recursion(net, sentences, words, shape), atol=1e-12)
    loss.backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in net.parameters())


def of(sentences):
    return lambda places: [balanced(len(sentences[k])) for k in places]


def test_training_lowers_the_loss_and_one_word_sentences_are_no_work():
    words = 0.5 * torch.randn(20, 8, generator=torch.Generator().manual_seed(0)).clamp(-1.5, 1.5)
    sentences = [[k % 20, (k * 7) % 20, (k * 3 + 1) % 20] for k in range(60)] + [[3]]
    options = FoldOptions(dim=8, epochs=30, rate=0.01)
    net = UnfoldingAutoEncoder(8)
    losses = train(net, sentences, words, options, 0, of(sentences))
    assert losses[-1] < 0.8 * losses[0]
    assert torch.equal(roots(net, [[3], []], words, of([[3], []])), torch.stack([words[3], torch.zeros(8)]))
    with pytest.raises(InputError, match="nothing to fold"):
        train(net, [[1], [2]], words, options, 0, of([[1], [2]]))


def test_a_folded_model_is_saved_and_loaded(tmp_path):
    folded = train_folded(CORPUS, 1, FoldOptions(dim=10, epochs=2))
    assert folded.losses[1] < folded.losses[0]
    folded.save(tmp_path / "net.pt")
    again = load_folded(tmp_path / "net.pt")
    texts = [*CORPUS[:5], ("Never", "seen", "words", "the")]
    assert torch.equal(folded.embedding("a").vectors(texts), again.embedding("b").vectors(texts))
    assert again.embedding("b").knows("the")
    assert not again.embedding("b").knows("seen")
    (tmp_path / "bad.pt").write_text("nothing")
    torch.save({"form": "other"}, tmp_path / "other.pt")
    for name in ("bad.pt", "other.pt"):
        with pytest.raises(InputError, match="auto-encoder"):
            load_folded(tmp_path / name)
    assert choose(f"urae={tmp_path / 'net.pt'}", TrainingOptions(runs=3), torch.device("cpu")).number == 1


SMALL = {"dim": 50, "window": 8, "epochs": 10, "min_count": 1}


@pytest.mark.parametrize("memory", [True, False])
def test_paragraph_vectors_infer_the_same_twice_and_need_no_window_of_their_own(memory):
    model = train_paragraphs(CORPUS, 1, ParagraphOptions(memory, **SMALL, tolerance=0.2)).embedding("pv")
    texts = [*CORPUS[:3], ("unknown", "words")]
    vectors = model.vectors(texts)
    assert torch.equal(vectors, model.vectors(texts))
    assert "A sentence inferred from another start lies" in model.notes[-1]
    assert vectors.shape == (4, 50)
    assert not vectors[3].any()
    assert not model.knows("unknown")


@pytest.mark.parametrize("memory", [True, False])
def test_inference_is_gensims_from_one_start(memory, monkeypatch):
    paragraphs = train_paragraphs(CORPUS, 1, ParagraphOptions(memory, **SMALL))
    infer = Inference(paragraphs.model, 0.0, 20, 5, [])
    monkeypatch.setattr("gensim.models.doc2vec.pseudorandom_weak_vector", lambda *_, **__: np.float32(infer._start[0]))
    for text in CORPUS[:4]:
        assert np.array_equal(infer([text])[0], paragraphs.model.infer_vector(list(text), epochs=20))


@pytest.mark.parametrize("memory", [True, False])
def test_paragraph_vectors_are_saved_and_loaded(memory, tmp_path):
    paragraphs = train_paragraphs(CORPUS, 1, ParagraphOptions(memory, **SMALL, inference=20))
    paragraphs.save(tmp_path / "pv.pt")
    again = load_paragraphs(tmp_path / "pv.pt")
    texts = [*CORPUS[:6], ("Never", "seen")]
    assert torch.equal(paragraphs.embedding("a").vectors(texts), again.embedding("a").vectors(texts))
    with pytest.raises(InputError, match="other kind"):
        choose(f"pv-{'dbow' if memory else 'dm'}={tmp_path / 'pv.pt'}", TrainingOptions(), torch.device("cpu")).make(1)
    with pytest.raises(InputError, match="holds no auto-encoder"):
        load_folded(tmp_path / "pv.pt")
    content = torch.load(tmp_path / "pv.pt")
    torch.save(content | {"vectors": content["vectors"][1:]}, tmp_path / "cut.pt")
    with pytest.raises(InputError, match="could not be read"):
        load_paragraphs(tmp_path / "cut.pt")


@pytest.mark.slow
def test_equal_seeds_give_equal_vectors_whatever_python_hashes_by():
    code = (
        "from tests.sentences.test_models import *\n"
        "m = train_paragraphs(CORPUS, 1, ParagraphOptions(False, dim=8, epochs=3, min_count=1, tolerance=2.0))\n"
        "print(float(m.embedding('x').vectors(CORPUS[:2]).double().sum()))"
    )
    seeds = [os.environ | {"PYTHONHASHSEED": seed} for seed in "01"]
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env) for env in seeds]
    assert runs[0].stdout == runs[1].stdout != "", runs[0].stderr


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("word", ["same", None], ids=["one word", "none"])
def test_a_corpus_without_frequent_words_is_refused(memory, word):
    sentences = [(word or f"a{n}", word or f"b{n}", f"c{n}") for n in range(20)]
    with pytest.raises(InputError, match="fewer than 2 words of the corpus stand there 9 times"):
        train_paragraphs(sentences, 1, ParagraphOptions(memory, min_count=9))


def test_a_corpus_is_read_by_lines(tmp_path):
    (tmp_path / "few.txt").write_text("a b\n\nc d\n")
    with pytest.raises(InputError, match="has 2 sentences, wanted 10"):
        read_sentences(tmp_path / "few.txt")
    with pytest.raises(InputError, match="there is no such file"):
        read_sentences(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_sentences(tmp_path / "bytes.txt")


def test_an_encoder_is_read_from_its_folder_and_padding_does_not_count(tmp_path, monkeypatch):
    # transformers looks for an optional package of this name, and would find the folder of this repository
    monkeypatch.setitem(sys.modules, "kernels", None)
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("nltk")
    from gpustab.sentences.pretrained import encoder

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted({w.lower() for text in CORPUS for w in text})]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces))
    transformers.BertTokenizer(vocab=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    model = encoder(tmp_path)
    together, alone = model.vectors(CORPUS[:6]), model.vectors(CORPUS[3:4])
    assert torch.allclose(together[3], alone[0], atol=1e-5)
    with pytest.raises(InputError, match="holds no encoder"):
        encoder(tmp_path / "nothing")


def test_the_untrained_net_is_a_control_of_its_own(tmp_path):
    (tmp_path / "c.txt").write_text("\n".join(" ".join(text) for text in CORPUS))
    trained, untrained = (
        choose(f"{kind}={tmp_path / 'c.txt'}", TrainingOptions(runs=2, dim=10), torch.device("cpu"))
        for kind in ("urae", "untrained-urae")
    )
    assert (trained.name, untrained.name, trained.number) == ("U-RAE", "U-RAE, untrained", 2)
    one, two = (np.asarray(source.make(1).vectors(CORPUS[:3])) for source in (untrained, untrained))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, np.asarray(trained.make(1).vectors(CORPUS[:3])))


def test_the_shapes_of_the_paper():
    assert balanced(2) == right_branching(2) == [(0, 1)]
    assert balanced(1) == right_branching(1) == []
