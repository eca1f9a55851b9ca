"""States of all layers: those of a naive reading, however the file is read; and draws of sentences."""

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from gpustab.corpus.options import CorpusOptions
from gpustab.encoders import layers
from gpustab.encoders.layers import read_layers
from gpustab.encoders.sentences import draw_sentences, least
from gpustab.errors import ComputationError, InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import prompted_windows, states_of, windows_of
from gpustab.formats.texts import layer_outputs
from tests.encoders.tiny import save, texts

SHORT = texts(6, length=3)[:4]
OPTIONS = CorpusOptions(unit="sentence", as_is=True, layout="lines")


def test_every_layer_is_that_of_layer_outputs_in_lots_of_any_size(tmp_path, monkeypatch):
    folder = save(tmp_path / "model")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    wanted = layer_outputs(model, tokenizer, SHORT)
    monkeypatch.setattr(layers, "_TEXTS", 3)
    found = read_layers(SentenceEncoder(folder), [SHORT[0], "", *SHORT[1:]], tmp_path / "rows")
    assert found.shape == (3, 5, 12)
    assert found.known.tolist() == [True, False, True, True, True]
    for layer, space in enumerate(wanted):
        rows = found.rows(layer, 0, 5)
        assert torch.allclose(rows[[0, 2, 3, 4]], space.vectors, atol=1e-4)
        assert torch.equal(found.rows(layer, 2, 4), rows[2:4])


def test_a_long_text_is_the_mean_of_its_windows(tmp_path):
    encoder = SentenceEncoder(save(tmp_path / "model", limit=12))
    long = "river bank water stone of and the river bank water stone of and the"
    found = read_layers(encoder, [long, SHORT[0]], tmp_path / "rows")
    windows = prompted_windows(encoder, [long])
    assert (found.cut, found.windows, len(windows)) == (1, len(windows) + 1, 2)
    with torch.no_grad():
        states = [
            encoder.model(
                **{name: torch.tensor([own]) for name, own in window.given.items()}, output_hidden_states=True
            )
            for window in windows
        ]
    for layer in range(3):
        wanted = torch.stack([state.hidden_states[layer][0].mean(0) for state in states]).mean(0)
        assert torch.allclose(found.rows(layer, 0, 1)[0], wanted, atol=1e-4)


def test_states_that_are_not_finite_are_refused(tmp_path):
    def broken(model, _):
        model.encoder.layer[1].output.dense.bias.fill_(float("nan"))

    encoder = SentenceEncoder(save(tmp_path / "model", change=broken))
    with pytest.raises(ComputationError, match="not finite"):
        read_layers(encoder, SHORT, tmp_path / "rows")
    with pytest.raises(ComputationError, match="not finite"):  # as usages are read
        list(states_of(encoder, windows_of(encoder, SHORT), -1))


def test_sentences_are_drawn_once_each_in_the_order_of_the_text(tmp_path):
    lines = [
        f"The {a} river was {b}."
        for a in ("old", "new", "long", "slow", "wide")
        for b in ["deep", "cold", "dry", "low", "far", "red"]
    ]
    (tmp_path / "text.txt").write_text("\n".join([*lines, *lines[:10]]) + "\n")
    drawn = draw_sentences(str(tmp_path / "text.txt"), OPTIONS, 12, 0)
    places = [lines.index(text) for text in drawn.texts]
    assert len(set(drawn.texts)) == 12
    assert "12 sentences were read, each once, drawn from the " in drawn.said
    assert least(lines, 12, 0) == drawn.texts
    assert least(lines, 12, 1) != drawn.texts
    once = [place for place in places if place >= 10]
    assert once == sorted(once)
    assert len(draw_sentences(str(tmp_path / "text.txt"), OPTIONS, 99, 0).texts) == 30


def test_as_many_sentences_as_differ_are_drawn_however_often_others_are_repeated():
    """A formula of minutes stands twenty times for each sentence of its own; two more cousins: runs and turns."""
    own = [f"The {k} motion was read." for k in range(200)]
    for text in (
        [line for one in own for line in (*["The motion was carried."] * 20, one)],
        [line for one in own for line in [one] * 9],
        own * 9,
    ):
        drawn = least(iter(text), 100, 0)
        assert len({*drawn}) == len(drawn) == 100
        assert drawn == [one for one in dict.fromkeys(text) if one in {*drawn}]
        assert {*drawn} == {*least(text[::-1], 100, 0)}
        assert len(least(text, 999, 0)) == len({*text})


def test_a_repeated_sentence_is_drawn_no_more_often():
    """Of 40 distinct sentences 10 are drawn, by 200 seeds: one is drawn 50 times, give or take 6.1 (SD)."""
    text = ["again"] * 60 + [str(k) for k in range(39)]
    often = sum("again" in least(text, 10, seed) for seed in range(200))
    assert abs(often - 50) < 4.5 * 6.1


def test_another_unit_is_refused(tmp_path):
    with pytest.raises(InputError, match="sentences are compared here"):
        draw_sentences("lee", CorpusOptions(), 5, 0)
