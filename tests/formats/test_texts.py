from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpustab import InputError, compare_layers, encode, layer_outputs, load_runs, stability
from tests import oracles
from tests.formats.checkpoints import tiny

TEXTS = ["the cat", "a dog sat on the mat", "the corner", "cat", "dog and cat and mat", "the the the", "on"]


def fast(side="right", **how):
    from transformers import PreTrainedTokenizerFast

    how = {"pad_token": "[PAD]", "unk_token": "[UNK]", "padding_side": side} | how
    return PreTrainedTokenizerFast(tokenizer_object=tiny.word_pieces(), **how)


@pytest.fixture(scope="module")
def tokenizer():
    return fast()


def test_encoders_make_runs_of_texts():
    def encoder(seed):
        rows = np.random.default_rng(seed).normal(size=(len(TEXTS), 5))
        return SimpleNamespace(encode=lambda texts: rows[[TEXTS.index(text) for text in texts]])

    runs = load_runs([encode(encoder(seed), TEXTS, name=f"seed {seed}") for seed in range(2)])
    assert set(runs.vocabulary) == {text.encode() for text in TEXTS}
    assert stability(runs, neighbours=[2]).groups[0]["runs"] == ["seed 0", "seed 1"]


def test_layers_are_means_over_tokens(tokenizer):
    model = tiny.model("bert")
    found = layer_outputs(model, tokenizer, TEXTS, batch=3)
    assert [space.name for space in found] == ["model layer 0", "model layer 1", "model layer 2"]
    for k, text in enumerate(TEXTS):
        with torch.no_grad():
            states = model(**tokenizer([text], return_tensors="pt"), output_hidden_states=True).hidden_states
        for space, state in zip(found, states, strict=True):
            torch.testing.assert_close(space.vectors[k], state[0].mean(0), atol=1e-5, rtol=1e-4)


def alone(model, tokenizer, text):
    """Every layer's mean over the tokens of one text."""
    with torch.no_grad():
        states = model(**tokenizer([text], return_tensors="pt"), output_hidden_states=True).hidden_states
    return torch.stack([state[0].double().mean(0) for state in states])


@pytest.mark.parametrize("kind", ["bert", "gpt2", "opt", "roberta", "llama"])
def test_neither_the_batch_nor_the_side_of_padding_changes_a_result(kind):
    model = tiny.model(kind)
    wanted = torch.stack([alone(model, fast(), text) for text in TEXTS], 1)
    for side, batch in (("left", 40), ("left", 1), ("right", 3)):
        found = torch.stack([space.vectors for space in layer_outputs(model, fast(side), TEXTS, batch=batch)])
        torch.testing.assert_close(found.double(), wanted, atol=1e-5, rtol=1e-4)


def test_a_tokenizer_that_needs_no_padding_and_one_that_pads_always():
    model, bare = tiny.model("gpt2"), fast(pad_token=None)
    wanted = [space.vectors for space in layer_outputs(model, bare, TEXTS)]

    def padded(texts, **_how):  # a function, as of somebody's own
        return dict(fast("left")(texts, padding="max_length", max_length=20, return_tensors="pt"))

    for found, rows in zip(layer_outputs(model, padded, TEXTS), wanted, strict=True):
        torch.testing.assert_close(found.vectors, rows, atol=1e-6, rtol=1e-5)


def test_the_default_device_of_a_program_changes_nothing(tokenizer):
    model = tiny.model("gpt2")
    wanted = [space.vectors for space in layer_outputs(model, tokenizer, TEXTS)]
    with torch.device("meta"):
        found = [space.vectors for space in layer_outputs(model, tokenizer, TEXTS)]
    assert all(map(torch.equal, found, wanted))


LONG = "the cat and a dog " * 9


@pytest.mark.parametrize(
    ("kind", "how", "limit"),
    [
        ("llama", {"model_max_length": 6}, 6),  # as the tokenizer says
        ("bert", {}, 32),  # as the model's table of positions says
        ("gpt2", {}, 32),
        ("opt", {}, 32),  # of which two rows are no positions
        ("roberta", {}, 32),  # whose padding has one, and what is before
        ("bert", {"model_max_length": 40}, 32),
    ],
)
def test_texts_that_are_cut_are_counted_and_said(kind, how, limit):
    model = tiny.model(kind)
    texts = ["the cat", LONG, f"{LONG} on the mat", f"{LONG} on the corner", f"a {LONG}"]
    space = layer_outputs(model, fast(**how), texts)[-1]
    cut, same = space.report.notes
    assert cut.startswith(f"4 of 5 texts were cut at {limit} tokens: 'the cat and a dog")
    assert same.startswith("2 of 5 texts have the tokens of another one, and so its row: 'the cat")
    assert torch.equal(space.vectors[1], space.vectors[3])
    with torch.no_grad():
        ids = torch.tensor([fast()(LONG)["input_ids"][:limit]])
        last = model(input_ids=ids, output_hidden_states=True).hidden_states[-1]
    torch.testing.assert_close(space.vectors[1], last[0].mean(0), atol=1e-5, rtol=1e-4)


def test_a_model_without_a_table_of_positions_reads_texts_of_any_length(tokenizer):
    assert layer_outputs(tiny.model("llama"), tokenizer, [LONG, "cat"])[0].report.notes == ()
    with pytest.raises(InputError, match=r"the text 'the cat .* has 45 tokens, the model takes 32"):
        layer_outputs(tiny.model("bert"), lambda texts, **_how: dict(fast()(texts, return_tensors="pt")), [LONG])


def test_an_encoder_that_cuts_is_told_of():
    encoder = SimpleNamespace(
        encode=lambda texts: np.eye(len(texts)), tokenizer=fast(model_max_length=9), max_seq_length=5
    )
    cut, same, _copied = encode(encoder, ["the cat", LONG, f"{LONG} cat"]).report.notes
    assert cut.startswith("2 of 3 texts were cut at 5 tokens: 'the cat")
    assert same.startswith("1 of 3 texts have the tokens of another one")
    assert encode(encoder, ["the cat"]).report.notes == ("the vectors were copied from float64 to contiguous float32",)


def test_the_model_is_as_it_was(tokenizer):
    model = tiny.model("bert").train()
    first, again = (layer_outputs(model, tokenizer, TEXTS)[2].vectors for _ in range(2))
    assert torch.equal(first, again)  # no dropout
    assert model.training


def test_layers_of_two_seeds_are_compared(tokenizer):
    one, two = (layer_outputs(tiny.model("bert", seed), tokenizer, TEXTS) for seed in (0, 1))
    found = compare_layers(one, two)
    assert found.shape == (3, 3)
    assert found[2, 1].item() == pytest.approx(oracles.linear_cka(one[2].vectors.numpy(), two[1].vectors.numpy()))
    same = compare_layers(one, one, "procrustes")
    np.testing.assert_allclose(same.diagonal(), 0, atol=1e-7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: encode(lambda texts: np.ones((3, 2)), TEXTS), r"shape \(3, 2\), wanted \(7, d\)"),
        (lambda t: encode(lambda texts: np.ones((2, 2)), ["a", "a"]), "texts 0 and 1 are equal: 'a'"),
        (lambda t: encode(lambda texts: np.ones((1, 2)), "a b"), "texts is one text"),
        (lambda t: layer_outputs(tiny.model("bert"), t, []), "no texts"),
        (lambda t: layer_outputs(tiny.model("bert"), t, ["cat", ""]), "the text '' has no token"),
        (lambda t: compare_layers([], []), "0 and 0 layers"),
    ],
)
def test_wrong_input_is_named(call, message, tokenizer):
    with pytest.raises(InputError, match=message):
        call(tokenizer)
