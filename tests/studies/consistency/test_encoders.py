"""Encoders beside sums: the term is masked, its letters do not count, and one point is not better."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.report import to_html
from gpustab.small_data.text import joined, read_text
from gpustab.studies.consistency import tables
from gpustab.studies.consistency.claims import GROUPS_NEARER
from gpustab.studies.consistency.claims_of_vectors import BETTER_MODEL
from gpustab.studies.consistency.encoders import Written, _masked, _members, _read, _written, check_sources
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.quality import quality_in_words
from gpustab.studies.consistency.study import consistency
from tests.encoders.tiny import save, word_pieces
from tests.small_data.made import WORDS, sentences, term_names, word, write
from tests.studies.consistency.made import samples_of

pytest.importorskip("sentencex")
HOW = {"samples": 2, "sentences": 2, "cutoff": 4, "subsample": 0, "layout": "lines"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A text of eight terms with words of their own, terms, a background, and a file of scores."""
    folder = tmp_path_factory.mktemp("encoders")
    write(folder / "text.txt", sentences(8, 8, 6, seed=1, own=0.7))
    (folder / "terms.txt").write_text("\n".join(term_names(8)))
    rows = np.random.default_rng(0).normal(size=(WORDS, 8))
    lines = [f"{word(k)} " + " ".join(f"{x:.5f}" for x in row) for k, row in enumerate(rows)]
    (folder / "space.txt").write_text("\n".join([f"{WORDS} 8", *lines]) + "\n")
    names = term_names(8)
    scores = [f"{a}\t{b}\t{k % 7}" for k, (a, b) in enumerate((a, b) for a in names for b in names if a < b)]
    (folder / "scores.tsv").write_text("\n".join(scores) + "\n")
    (folder / "groups.tsv").write_text("".join(f"{name}\t{k % 2}\n" for k, name in enumerate(names)))
    return folder


def constant(model, _):
    """Let every state of a model be one vector."""
    for name, weights in model.named_parameters():
        weights.fill_(1.0 if "LayerNorm.bias" in name else 0.0)
    first = [weights for name, weights in model.named_parameters() if "LayerNorm.bias" in name]
    for weights in first:
        weights.copy_(torch.arange(12.0))


def narrow(model, _):
    """Let all states of a model lie in a cone: one vector is added to each."""
    model.encoder.layer[-1].output.LayerNorm.bias += 50 * torch.arange(12.0)


def asked(place, folders, **how):
    from gpustab import open_groups

    groups = open_groups([place / "space.txt"], single_runs=True)
    how = HOW | {"terms": str(place / "terms.txt"), "encoders": tuple(map(str, folders))} | how
    return consistency(groups, str(place / "text.txt"), **how)


def test_an_encoder_of_one_point_is_not_called_better_and_agrees_with_no_score(place, tmp_path):
    models = [save(tmp_path / "random", limit=256), save(tmp_path / "fine-tuned", change=constant, limit=256)]
    result = asked(place, models, scores=str(place / "scores.tsv"), term_groups=str(place / "groups.tsv"))
    rows = {row.model: row for row in tables.CONSISTENCY.rows(result.tables)}
    point = rows["Encoder fine-tuned"]
    assert point.auc == pytest.approx(0.5) or np.isnan(point.auc)
    pairs = {(one["model"], one["against"]): BETTER_MODEL.judge(tables.Contrast(**one)) for one in result.contrasts}
    assert pairs.keys() == {
        ("Encoder random", "additive (centred)"),
        ("Encoder fine-tuned", "additive (centred)"),
        ("Encoder fine-tuned", "Encoder random"),
    }
    assert "better" not in {pairs["Encoder fine-tuned", other] for other in ("additive (centred)", "Encoder random")}
    assert rows["Encoder random"].documents_auc is None or rows["Encoder random"].beyond_low is not None
    quality = {row.model: row for row in tables.QUALITY.rows(result.tables)}
    assert quality["additive"].pairs == 28
    assert np.isnan(quality["Encoder fine-tuned"].rho) or quality["Encoder fine-tuned"].low <= 0
    grouped = {row.model: row for row in tables.GROUPED.rows(result.tables)}
    assert grouped.keys() == {"additive", "additive (centred)", "Encoder random", "Encoder fine-tuned"}
    assert {(row.terms, row.groups) for row in grouped.values()} == {(8, 2)}
    assert GROUPS_NEARER.judge(grouped["Encoder fine-tuned"]) != "nearer"
    page = to_html(result)
    assert "Are terms of one group nearer than terms of two?" in page
    assert "there is neither Nonce2Vec nor SVD" in page
    assert "Consistency is no quality" in page
    assert "Do encoders distinguish terms by their contexts?" in page
    assert [one.split(": ")[0] for one in result.verdict[:3]] == [
        "Encoder random",
        "Encoder fine-tuned",
        "Sums of the background's vectors",
    ]
    assert "terms, by sums of" in page
    assert "encoder random and encoder fine-tuned?" in page
    assert any("of the words around its masked term" in note for note in result.notes)


def test_what_all_contexts_have_in_common_changes_nothing(place, tmp_path):
    folders = [save(tmp_path / "wide", limit=256), save(tmp_path / "narrow", change=narrow, limit=256)]
    result = asked(place, folders, scores=str(place / "scores.tsv"))
    rows = {row.model: row for row in tables.CONSISTENCY.rows(result.tables)}
    wide, far = (rows[f"Encoder {name}"] for name in ("wide", "narrow"))
    assert (far.same, far.null, far.auc) == pytest.approx((wide.same, wide.null, wide.auc), abs=1e-3)
    quality = {row.model: row.rho for row in tables.QUALITY.rows(result.tables)}
    assert quality["Encoder narrow"] == pytest.approx(quality["Encoder wide"], abs=0.02)
    assert any("narrow: a sample is" in note and "mean cosine of 1.00" in note for note in result.notes)


def test_words_around_a_masked_term_are_where_they_were(tmp_path):
    text = "The old River bank, near the river bank of stone."
    places = np.array([(0, 3), (4, 7), (8, 18), (20, 24), (25, 28), (29, 39), (40, 42), (43, 48)])
    made = _masked(3, Written(text, places), np.array([2, 5]), "[MASK]", window=2)
    assert made.text == "The old [MASK], near the [MASK] of stone."
    assert [made.text[a:b] for a, b in made.places] == ["The", "old", "near", "the", "of", "stone"]
    assert made.unit == 3


def test_letters_of_the_term_do_not_count_and_a_word_of_pieces_is_their_mean(tmp_path):
    encoder = SentenceEncoder(save(tmp_path / "tiny", limit=64))
    places = np.array([(0, 4), (5, 9), (10, 17)])
    one, two = (
        _masked(0, Written(text, places), np.array([1]), "[UNK]", 9)
        for text in ("bank abcd sailing", "bank zyxw sailing")
    )
    first, counts = _read(encoder, 2, [one], lambda _: None)
    assert torch.equal(first, _read(encoder, 2, [two], lambda _: None)[0])
    assert counts.tolist() == [2.0]
    given = encoder.tokenizer(one.text, return_tensors="pt")
    with torch.no_grad():
        states = encoder.model(**given, output_hidden_states=True).hidden_states[2][0].double()
    pieces = encoder.tokenizer.convert_ids_to_tokens(given["input_ids"][0])
    assert pieces == ["[CLS]", "bank", "[UNK]", "sail", "##ing", "[SEP]"]
    assert torch.allclose(first[0], states[1] + (states[3] + states[4]) / 2, atol=1e-5)


def test_padding_on_the_left_and_long_sentences_lose_no_word(tmp_path):
    tokenizer = word_pieces(lowercase=False)
    tokenizer.padding_side = "left"
    encoder = SentenceEncoder(save(tmp_path / "short", limit=16, tokenizer=tokenizer))
    words = ["bank", *["water"] * 40, "Harbour"]
    ends = np.cumsum([len(one) + 1 for one in words]) - 1
    places = np.stack([ends - [len(one) for one in words], ends], 1)
    long = _masked(0, Written(" ".join(words), places), np.array([0]), "[MASK]", 99)
    short = _masked(1, Written("bank stone", np.array([(0, 4), (5, 10)])), np.array([0]), "[MASK]", 99)
    both, counts = _read(encoder, 2, [long, short._replace(unit=1)], lambda _: None)
    alone, _ = _read(encoder, 2, [short], lambda _: None)
    assert counts.tolist() == [41, 1]
    assert torch.allclose(both[1], alone[0], atol=1e-6)


@pytest.mark.parametrize("lower", [False, True])
def test_sentences_are_those_of_the_text_with_terms_of_several_words(tmp_path, lower):
    path = tmp_path / "text.txt"
    path.write_text("The river bank is old.\nThe river bank is old.\n\nA Stone lies on the river.\n", encoding="utf-8")
    options = ConsistencyOptions(layout="lines")
    text = read_text(path, "en", layout="lines")
    whole = joined(text, [(b"river", b"bank")])
    found = dict(_written(text, whole, {b"river_bank": 2}, {0, 1}, options, lower=lower))
    assert set(found) == {0, 1}
    for number, sentence in found.items():
        tokens = whole.tokens[whole.starts[number] : whole.starts[number + 1]].tolist()
        said = [sentence.text[a:b].lower().replace(" ", "_").encode() for a, b in sentence.places]
        assert said == [whole.words[token] for token in tokens]
    assert ("A Stone" in found[1].text) is not lower
    samples = samples_of(1, 1)._replace(terms=np.array([whole.words.index(b"river_bank")]))
    (member,) = _members(whole, samples, found, "[MASK]", 15)
    assert member.text == ("the [MASK] is old." if lower else "The [MASK] is old.")


def test_a_file_of_samples_has_no_text_for_an_encoder():
    with pytest.raises(InputError, match="reads text, and"):
        check_sources(SimpleNamespace(encoders=("x",), sample_file="samples.tsv"))


def test_a_layer_without_an_encoder_is_refused():
    with pytest.raises(InputError, match=r"layer=3 has no effect here: give encoders=\.\.\. too"):
        ConsistencyOptions(layer=3)


@pytest.mark.parametrize(
    ("rho", "low", "high", "pairs", "said"),
    [
        (0.55, 0.45, 0.64, 20, "M agrees with the scores (ρ 0.55, 0.45 to 0.64; 20 of 30 scored pairs)."),
        (-0.89, -1.0, -0.76, 20, "M runs against the scores"),
        (0.1, -0.2, 0.4, 20, "M may agree with the scores or not"),
        (0.99, np.nan, np.nan, 20, "of 20 of 30 scored pairs too few are left without one of their 9 terms"),
        (np.nan, np.nan, np.nan, 20, "it gives 20 of 30 scored pairs one cosine"),
        (np.nan, np.nan, np.nan, 7, "7 of 30 scored pairs have samples of both terms, and the test needs 8"),
    ],
)
def test_what_is_said_of_scores_follows_the_interval(rho, low, high, pairs, said):
    sentence = quality_in_words(tables.Quality("g", "m", pairs, 30, 9, rho, low, high))
    assert said in sentence
    assert "–" not in sentence
