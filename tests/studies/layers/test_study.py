"""Where fine-tunings differ: every number by a naive one, and models whose answer is known."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")

from transformers import AutoModel, AutoTokenizer

from gpustab.encoders.layers import read_layers
from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.report import to_html, to_text
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.layers.claims import BEYOND, beyond_base
from gpustab.studies.layers.figures import by_layer
from gpustab.studies.layers.measure import PARTS, kept_of, parts_of
from gpustab.studies.layers.page import cards
from gpustab.studies.layers.page import page as page_of_layers
from gpustab.studies.layers.study import FROM_BASE, LAYERS, PAIRS, PARTED, layers
from tests.encoders.tiny import save, texts, turned

DEPTH = 4
SENTENCES = list(dict.fromkeys(texts(6, length=4, seed=k)[k % 5] for k in range(100)))[:80]


def noisy(size, *, seed, above=0):
    """Noise of a size, in parts of what the weights are, in all layers above one; 0 is all and the embedding."""

    def change(model, _):
        draw = torch.Generator().manual_seed(seed)
        for name, weights in model.named_parameters():
            layer = int(name.split(".")[2]) + 1 if name.startswith("encoder.layer") else 0
            noise = torch.randn(weights.shape, generator=draw)
            if layer >= above and weights.ndim == 2:
                weights.add_(size * weights.std() * noise)

    return change


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def base(folder):
    return save(folder / "base", layers=DEPTH)


@pytest.fixture(scope="module")
def tuned(folder):
    return [save(folder / f"noise{k}", layers=DEPTH, change=noisy(0.3, seed=k)) for k in (1, 2, 3)]


@pytest.fixture(scope="module")
def result(tuned, base):
    return layers(SENTENCES, tuned, n=5, base=str(base))


def row_of(result):
    (row,) = PARTED.rows(result.tables)
    return row


def verdicts(result):
    return dict(zip(result.tables["observations"]["claim"], result.tables["observations"]["agrees"], strict=True))


@torch.no_grad()
def naive_states(folder, sentences):
    """The states that are read, (L + 1, n, d) float64: those of one sentence at a time, but for single precision.

    A model rounds a sentence otherwise beside others, so that the numbers are of the very states that are read.
    """
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    found = []
    for sentence in sentences:
        states = model(**tokenizer(sentence, return_tensors="pt"), output_hidden_states=True).hidden_states
        found.append(torch.stack([state[0].mean(0) for state in states]).double())
    read = read_layers(SentenceEncoder(Path(folder)), sentences, Path(folder).parent / "states")
    rows = torch.stack([read.rows(layer, 0, len(sentences)) for layer in range(read.shape[0])]).double()
    torch.testing.assert_close(rows, torch.stack(found, 1), atol=1e-4, rtol=1e-4)
    return rows.numpy()


def naive_cka(x, y):
    """By whole matrices of all pairs, U-centred (Székely & Rizzo 2014)."""

    def kernel(rows):
        k, n = rows @ rows.T, len(rows)
        np.fill_diagonal(k, 0)
        k = k - k.sum(0) / (n - 2) - k.sum(1)[:, None] / (n - 2) + k.sum() / ((n - 1) * (n - 2))
        np.fill_diagonal(k, 0)
        return k

    k, m = kernel(x), kernel(y)
    return (k * m).sum() / np.sqrt((k * k).sum() * (m * m).sum())


def naive_loss(x, y, turn=None):
    x, y = x - x.mean(0), y - y.mean(0)
    u, _, v = np.linalg.svd(x.T @ y)
    turn = u @ v if turn is None else turn
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    scale = np.sum(x @ turn * y)
    return np.sum((scale * x @ turn - y) ** 2), turn


def naive_lists(x, n):
    x = x - x.mean(0)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    cosines = x @ x.T
    np.fill_diagonal(cosines, -2)
    return [set(np.argsort(-own)[:n]) for own in cosines]


def test_every_number_is_that_of_a_naive_loop(tuned, result):
    states = [naive_states(folder, SENTENCES) for folder in tuned]
    parts, count = parts_of(len(SENTENCES)), len(SENTENCES)
    pairs = list(PAIRS.rows(result.tables))
    names = result.groups[0]["runs"]
    assert len(pairs) == 3 * (DEPTH + 1)
    for row in pairs:
        x, y = (states[names.index(name)][row.layer] for name in (row.first, row.second))
        assert row.cka == pytest.approx(naive_cka(x, y), abs=1e-9)
        assert row.loss == pytest.approx(naive_loss(x, y)[0], abs=1e-7)
        shared = [len(a & b) / 5 for a, b in zip(naive_lists(x, 5), naive_lists(y, 5), strict=True)]
        assert row.shared == pytest.approx(np.mean(shared), abs=1e-9)
    for row in LAYERS.rows(result.tables):
        own = [state[row.layer] for state in states]
        ckas = {(i, j): naive_cka(own[i], own[j]) for i, j in ((0, 1), (0, 2), (1, 2))}
        assert row.cka == pytest.approx(np.mean(list(ckas.values())), abs=1e-9)
        left = []
        for start, stop in parts:
            rest = [k for k in range(count) if not start <= k < stop]
            left.append(np.mean([naive_cka(own[i][rest], own[j][rest]) for i, j in ckas]))
        over_text = (PARTS - 1) / PARTS * np.square(left - np.mean(left)).sum()
        without = np.array([ckas[1, 2], ckas[0, 2], ckas[0, 1]])
        over_models = 2 / 3 * np.square(without - without.mean()).sum()
        half = t_quantile(2) * np.sqrt(over_text + over_models)
        assert row.cka - row.cka_low == pytest.approx(half, rel=1e-5, abs=1e-9) or row.cka_low == 0
        assert row.chance == 5 / (count - 1)


def test_losses_without_a_part_of_the_text_keep_the_map(tuned):
    result = layers(SENTENCES, tuned[:2], n=5)
    states = [naive_states(folder, SENTENCES) for folder in tuned[:2]]
    for row in LAYERS.rows(result.tables):
        x, y = (state[row.layer] for state in states)
        value, turn = naive_loss(x, y)
        left = []
        for start, stop in parts_of(len(SENTENCES)):
            rest = [k for k in range(len(SENTENCES)) if not start <= k < stop]
            left.append(naive_loss(x[rest], y[rest], turn)[0])
        error = np.sqrt((PARTS - 1) / PARTS * np.square(left - np.mean(left)).sum())
        assert row.loss_high - value == pytest.approx(t_quantile(PARTS - 1) * error, rel=1e-4, abs=1e-7)


def test_a_turned_copy_is_the_same_in_every_layer_though_its_numbers_differ(folder, base):
    copy = save(folder / "turned", layers=DEPTH, change=turned)
    assert np.abs(naive_states(base, SENTENCES[:2]) - naive_states(copy, SENTENCES[:2])).max() > 0.1
    result = layers(SENTENCES, [base, copy], n=5)
    for row in LAYERS.rows(result.tables):
        assert row.cka == pytest.approx(1, abs=1e-9)
        assert row.loss == pytest.approx(0, abs=1e-9)
        assert row.shared == 1
    assert "are the same in every layer" in result.verdict[0]
    assert list(verdicts(result).values()) == ["same", "no test", "no test"]
    assert "the same in every layer" in (html := to_html(result))
    assert "verdicts by tests" not in html


@pytest.mark.parametrize("above", [1, 2, 4])
@pytest.mark.parametrize("size", [0.01, 0.3])
def test_the_layer_from_which_on_weights_differ_is_told(folder, base, above, size):
    changed = [
        save(folder / f"from{above}-{size}-{k}", layers=DEPTH, change=noisy(size, seed=k, above=above)) for k in (1, 2)
    ]
    result = layers(SENTENCES, changed, n=5)
    row = row_of(result)
    assert (row.jump, row.below) == (above, pytest.approx(0, abs=1e-12))
    assert row.there > 1e-9
    if row.largest > 1e-6:
        later = f"part at layer {above}: all layers below are the same"
        assert ("only the input embedding is the same" if above == 1 else later) in " ".join(result.verdict)


def test_noise_of_one_size_in_all_layers_parts_nowhere_and_more_noise_parts_more(folder, tuned, result):
    assert verdicts(result)["The models are nearly the same up to a layer, and differ from there on."] != "yes"
    less = [save(folder / f"less{k}", layers=DEPTH, change=noisy(0.05, seed=k)) for k in (1, 2, 3)]
    little = layers(SENTENCES, less, n=5)
    for a, b in zip(LAYERS.rows(little.tables), LAYERS.rows(result.tables), strict=True):
        assert a.cka > b.cka
        assert a.loss < b.loss


def test_rows_that_are_dealt_out_have_no_cka(result):
    for row in LAYERS.rows(result.tables):
        assert abs(row.cka_dealt) < 0.1
        assert row.loss_dealt > row.loss


def test_fine_tunings_are_compared_with_their_base(result, tuned, base):
    assert result.tables["from_base"]["first"] == ["base"] * 3 * (DEPTH + 1)
    states = [naive_states(folder, SENTENCES) for folder in (base, tuned[1])]
    of = result.tables["from_base"]
    k = next(
        k
        for k, (layer, name) in enumerate(zip(of["layer"], of["second"], strict=True))
        if (layer, name) == (3, "noise2")
    )
    assert of["cka"][k] == pytest.approx(naive_cka(states[0][3], states[1][3]), abs=1e-9)


def test_distances_from_the_base_have_a_sentence_with_an_error(result, tuned, base):
    (row,) = BEYOND.rows(result.tables)
    pairs, own = ([one.shared for one in sheet.rows(result.tables, layer=row.layer)] for sheet in (PAIRS, FROM_BASE))
    assert row.with_base == pytest.approx(np.mean(own))
    assert row.fewer == pytest.approx(np.mean(own) - np.mean(pairs))
    assert row.low < row.fewer < row.high
    assert result.verdict[-1] == beyond_base(row)
    assert result.verdict[-1] in to_html(result)
    for low, high, said in (
        (0.1, 0.3, "2.00 fewer with each other (1.00–3.00)"),
        (-0.3, -0.1, "2.00 more with each other (1.00–3.00)"),
        (-0.1, 0.2, "cannot be told (from −2.00 to +1.00)"),
    ):
        assert said in beyond_base(row._replace(n=10, fewer=(low + high) / 2, low=low, high=high))


def test_each_claim_shows_the_layers_that_it_is_about(result):
    row, shown = row_of(result), result.tables["observations"]["shows"]
    assert f"in layer {row.jump}, at most" in shown[2]
    assert "nearest sentences shared" in shown[0]


def test_layers_that_differ_are_seen_to_differ_in_the_picture(result):
    cka, loss, shared = by_layer(result.tables).panels
    assert "1 − CKA: 0 is the same" in cka
    assert "Procrustes loss: 0 is the same" in loss
    assert "dealt out" in shared


@pytest.mark.parametrize(
    ("low", "high", "begins"),
    [(1.2, 1.5, "Least alike is layer 2, where"), (1.0, 1.05, "In layer 2 two"), (1.0, 1.5, "In layer 2 two")],
)
def test_the_title_of_the_picture_names_a_least_alike_layer_only_where_the_claim_does(result, low, high, begins):
    row = row_of(result)._replace(least=2, clear_low=low, clear_high=high)
    assert by_layer({**result.tables, PARTED.name: PARTED.table([row])}).title.startswith(begins)


def test_columns_of_chance_say_of_which_number_they_are(result):
    page = to_html(result)
    assert "CKA, dealt out" in page
    assert "loss, dealt out" in page
    assert "dealt out :" not in to_text(result)


def test_the_page_says_what_somebody_needs_who_does_not_know_cka(result):
    page = to_text(result)
    for said in ("Where do these fine-tunings differ?", "3 models", "1 is the same", "by chance", "From base"):
        assert said.lower() in to_html(result).lower() or said in page
    assert "dealt out" in page


def test_sentences_that_differ_most_are_those_whose_vectors_do(folder, base):
    """A word that one model alone reads as another is in all of the sentences that are listed first."""

    def strange(model, tokenizer):
        model.embeddings.word_embeddings.weight[tokenizer.convert_tokens_to_ids("stone")] *= -4

    changed = save(folder / "strange", layers=DEPTH, change=strange)
    result = layers(SENTENCES, [base, changed], n=5)
    shown = result.tables["sentences"]["sentence"]
    with_it = sum("stone" in text.lower() for text in SENTENCES)
    assert 3 < with_it < 60
    assert all("stone" in text.lower() for text in shown[:3])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda models, folder: layers(SENTENCES, models[:1]), "cannot differ"),
        (lambda models, folder: layers(SENTENCES[:30], models), "30 distinct sentences, wanted 40"),
        (lambda models, folder: layers([*SENTENCES, SENTENCES[0]], models), "each once"),
        (lambda models, folder: layers(SENTENCES, models, base=str(models[0])), "is one of the models too"),
        (
            lambda models, folder: layers(SENTENCES, [models[0], save(folder / "small", layers=2)]),
            "only fine-tunings of one model",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(tuned, folder, how, said):
    with pytest.raises(InputError, match=said):
        how(tuned, folder)


def test_a_base_that_all_folders_name_is_told_until_it_is_given(folder, base):
    named = [save(folder / f"named{k}", layers=DEPTH, change=noisy(0.1, seed=k)) for k in (1, 2)]
    for one in named:
        file = one / "config.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"_name_or_path": "bert-of-1900"}))
    result = layers(SENTENCES, named, n=5)
    assert "made from bert-of-1900: --base FOLDER" in " ".join(result.notes)
    assert "made from" not in " ".join(layers(SENTENCES, named, n=5, base=str(base)).notes)


def test_copies_are_alarmed(folder, base):
    again = save(folder / "again", layers=DEPTH)
    result = layers(SENTENCES, [base, again], n=5)
    assert "are the same files" in result.alarms[0]
    assert not result.verdict


def test_neighbours_are_sought_among_some_of_many_sentences():
    assert len(kept_of(5000)) == 2000
    assert kept_of(50).tolist() == list(range(50))
    assert kept_of(5000)[[0, -1]].tolist() == [0, 4999]


def test_the_page_says_how_many_of_its_verdicts_chance_would_make(result):
    def counted_of(row):
        shown = replace(result, tables=result.tables | PARTED.named([row]))
        found = re.search(r"This page gives (\d) verdicts by tests at 95.%", to_html(shown))
        return found.group(1) if found else ""

    assert counted_of(row := row_of(result)) == "3"
    assert counted_of(row._replace(clear_low=math.nan, clear_high=math.nan)) == "2"  # no interval, so no test
    assert counted_of(row._replace(largest=1e-8)) == ""  # models that are the same are not tested


def test_numbers_of_a_column_have_one_form_and_what_the_verdict_rests_on_stands_first(result):
    page = to_text(result)
    assert f"shared of {row_of(result).n}" in page
    (table,) = next(block.tables for block in page_of_layers(result) if block.title.startswith("How alike"))
    columns = dict(zip(table.header, zip(*table.rows, strict=True), strict=True))
    for name in ("CKA", "CKA, dealt out", "loss, dealt out", "shared by chance"):
        assert len({len(value.partition(".")[2]) for value in columns[name]}) == 1, name
    assert "0 unrelated" in next(card.unit for card in cards(result) if card.about == "CKA there")
