from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpustab import InputError, compare_layers, encode, layer_outputs, load_runs, stability
from tests import oracles
from tests.formats.checkpoints import tiny

TEXTS = ["the cat", "a dog sat on the mat", "the corner", "cat", "dog and cat and mat", "the the the", "on"]


@pytest.fixture(scope="module")
def tokenizer():
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=tiny.word_pieces(), pad_token="[PAD]", unk_token="[UNK]")


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
