"""The whole study: tables, page, command, and what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from gpustab import InputError, Space, Vocabulary
from gpustab.cli.app import app
from gpustab.formats.registry import read_output_vectors
from gpustab.report import to_html, to_text
from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.studies.consistency.figures import FIGURES
from gpustab.studies.consistency.paper import heading, methods
from gpustab.studies.consistency.study import consistency
from tests.pages import check_page
from tests.small_data.made import WORDS, sentences, term_names, word, write

pytest.importorskip("sentencex")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A text of eight terms with words of their own, a general text, a file of terms, vectors and output vectors."""
    folder = tmp_path_factory.mktemp("consistency")
    write(folder / "text.txt", sentences(8, 30, 8, seed=1, own=0.6))
    write(folder / "general.txt", sentences(8, 40, 8, seed=2, own=0.6))
    (folder / "terms.txt").write_text("\n".join([*term_names(8), "never there"]))
    generator = np.random.default_rng(0)
    for name in ("run1", "run2", "output"):
        rows = [
            f"{word(k)} " + " ".join(f"{x:.5f}" for x in 0.5 * (name != "output") + generator.normal(size=12))
            for k in range(WORDS)
        ]
        (folder / f"{name}.txt").write_text("\n".join([f"{WORDS} 12", *rows]) + "\n")
    return folder


def _space(files, counts=True):
    import torch

    space = open_groups([files / "run1.txt"], single_runs=True)[0].load()
    words = Vocabulary([word(k) for k in range(WORDS)])
    vectors = torch.stack([space.rows[0][0:WORDS][space.vocabulary.index_of(w)] for w in words])
    return Space(words, vectors, torch.arange(1, WORDS + 1).flip(0) * 10 if counts else None)


def _group(*sources):
    return open_groups(list(sources), single_runs=True)


CHOICES = {"subsample": 0.0, "layout": "blocks"}


def test_all_models_on_two_backgrounds_runs_and_random_samples(files):
    result = consistency(
        _group(files / "run1.txt", files / "run2.txt"),
        files / "text.txt",
        terms=str(files / "terms.txt"),
        general=str(files / "general.txt"),
        general_layout="blocks",
        svd_dim=20,
        svd_min_count=2,
        **CHOICES,
    )
    rows = {row["model"]: row for row in result.tables["consistency"].records()}
    assert set(rows) == {"additive", "additive (centred)", "additive (window 5)", "SVD (window 5)"}
    assert {row["terms"] for row in rows.values()} == {8}
    assert min(row["auc"] for row in rows.values()) > 0.8
    assert rows["additive"]["auc_sd"] is not None
    assert rows["additive (centred)"]["null"] < 0.1 < rows["additive"]["null"]
    assert result.tables["sizes"]["n"][0] == 1
    assert result.contrasts[0]["model"] == "SVD (window 5)"
    assert any("never there" in note for note in result.notes)
    assert result.verdict[0].startswith("The text distinguishes its terms in ")
    assert "Made-up words in random sentences of the same documents reach" in result.verdict[0]
    assert "no background" in result.tables["runs"]["run"]
    text, page = to_text(result), to_html(result)
    for title in ("the same vector twice", "How many sentences", "mean elsewhere", "nearest words of two samples"):
        assert title in text
        assert title in page
    assert page.count("<svg") >= 2


def test_halves_with_nonce2vec(files):
    result = consistency(
        _group(_space(files)),
        files / "text.txt",
        terms=str(files / "terms.txt"),
        split="half",
        permutations=19,
        model="nonce2vec",
        output_vectors=str(files / "output.txt"),
        **CHOICES,
    )
    rows = {row["model"]: row for row in result.tables["consistency"].records()}
    assert set(rows) == {"additive", "additive (centred)", "Nonce2Vec (frozen)"}
    assert [row["permuted"] for row in result.tables["split"].records()] == ["documents"]
    updates = result.tables["updates"]["updates"]
    assert updates[0] > updates[1] > 0
    assert not any(updates[3:])
    text = to_text(result)
    assert "What does Nonce2Vec read?" in text
    near = result.tables["neighbours"]
    assert list(dict.fromkeys(near["model"])) == ["additive", "Nonce2Vec (frozen)"]
    assert near.where(model="additive")["term"] == near.where(model="Nonce2Vec (frozen)")["term"]
    assert len(FIGURES["nearest_words"][1](result.tables).panels) == 2
    assert "by additive and" in to_html(result)


def test_the_grid_has_a_row_for_every_setting(files, monkeypatch):
    from gpustab.small_data import nonce

    few = {"sample": (1e4,), "alpha": (0.1, 1.0), "alpha_decay": (30.0, 180.0), "sample_decay": (1.0, 1.9)}
    monkeypatch.setattr(nonce, "GRID", nonce.GRID | few | {"window_decay": (1, 5)})
    result = consistency(
        _group(_space(files)),
        files / "text.txt",
        terms=str(files / "terms.txt"),
        model="nonce2vec",
        grid=True,
        output_vectors=str(files / "output.txt"),
        samples=2,
        cutoff=4,
        **CHOICES,
    )
    grid = result.tables["grid"]
    assert grid.height == 2 * 3 * 1 * 2 * 2 * 2
    best = max(grid.records(), key=lambda row: row["auc"])
    numbers = result.tables["consistency"]
    (alone,) = numbers.records(model="Nonce2Vec (frozen, tuned)")
    assert (alone["terms"], next(numbers.records(model="additive"))["terms"]) == (2, 8)
    for name in ("same", "null", "auc"):
        assert best[f"test_{name}"] == pytest.approx(alone[name], abs=1e-12)
    (contrast,) = (row for row in result.contrasts if row["model"] == alone["model"])
    assert (contrast["against"], contrast["terms"]) == ("additive (test terms)", 2)
    text = " ".join(to_text(result).split())
    assert "The best of 48 settings is chosen by AUC on 6 of 8 terms, drawn at random (seed 0), and reported" in text
    assert "reported as tuned on the other 2: AUC" in text
    assert "chosen from the paper's grid" in methods(result)


def test_of_three_terms_none_is_left_to_report_a_setting(files, monkeypatch, tmp_path):
    from gpustab.small_data import nonce

    monkeypatch.setattr(nonce, "GRID", {name: values[:2] for name, values in nonce.GRID.items()})
    (tmp_path / "terms.txt").write_text("\n".join(term_names(8)[:3]))
    output = {"model": "nonce2vec", "grid": True, "output_vectors": str(files / "output.txt")}
    result = consistency(
        _group(_space(files)), files / "text.txt", terms=str(tmp_path / "terms.txt"), samples=2, **output, **CHOICES
    )
    assert set(result.tables["grid"]["test_auc"]) == {None}
    assert not list(result.tables["consistency"].records(model="Nonce2Vec (frozen, tuned)"))
    assert any("wants four or more" in note for note in result.notes)
    assert "is chosen by AUC" not in to_text(result)
    assert "grid" not in methods(result)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"model": "nonce2vec"}, "there are its word vectors alone: train it with keep_output"),
        ({"model": "nonce2vec", "output_vectors": "output.txt"}, "has no counts"),
        ({"terms": "keywords"}, "needs a background with counts"),
        ({"terms": "nowhere.txt"}, "there is no such file"),
        ({"cutoff": 1000}, "no term stands in 1,000 sentences"),
        ({"grid": True}, "grid is of Nonce2Vec"),
        ({"sample_decay": 0.5}, "sample_decay is 0.5"),
        ({"subsample": float("nan")}, "subsample is nan"),
        ({"domain_low": 0.5}, "above domain_high"),
        ({"samples": 1}, "samples is 1"),
    ],
)
def test_what_is_refused(files, choices, message):
    paths = {k: str(files / v) if str(v).endswith(".txt") else v for k, v in choices.items()}
    with pytest.raises(InputError, match=message):
        consistency(_group(files / "run1.txt"), files / "text.txt", layout="blocks", **paths)


def test_output_vectors_of_another_background_are_refused(files, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("aaaa " + "1.0 " * 11 + "2.0\nbaaa " + "1.0 " * 11 + "3.0\n")
    choices = {"model": "nonce2vec", "terms": str(files / "terms.txt")}
    with pytest.raises(InputError, match="298 of 300 words of the background have no output"):
        consistency(_group(_space(files)), files / "text.txt", output_vectors=str(other), **choices, **CHOICES)
    other.write_text("aaaa 1.0 2.0\nbaaa 2.0 3.0\n")
    with pytest.raises(InputError, match="2 dimensions, the background has 12"):
        consistency(_group(_space(files)), files / "text.txt", output_vectors=str(other), **choices, **CHOICES)


def test_a_full_model_of_gensims_is_background_and_output_at_once(files, tmp_path):
    gensim = pytest.importorskip("gensim")
    lists = [line.rstrip(".").lower().split() for line in (files / "general.txt").read_text().splitlines() if line]
    model = gensim.models.Word2Vec(lists, vector_size=8, min_count=1, sg=1, epochs=2, seed=1, workers=1)
    model.save(str(tmp_path / "full.model"))
    found = read_output_vectors(tmp_path / "full.model")
    rows = [model.wv.key_to_index[word.decode()] for word in found.vocabulary]
    assert np.array_equal(found.vectors.numpy(), model.syn1neg[rows])
    choices = {"model": "nonce2vec", "terms": str(files / "terms.txt")} | CHOICES
    result = consistency(
        _group(tmp_path / "full.model"), files / "text.txt", output_vectors=str(tmp_path / "full.model"), **choices
    )
    assert "Nonce2Vec (frozen)" in result.tables["consistency"]["model"]
    model.wv.save(str(tmp_path / "words.kv"))
    with pytest.raises(InputError, match="has no output vectors"):
        read_output_vectors(tmp_path / "words.kv")
    model.wv.save_word2vec_format(str(tmp_path / "words.bin"), binary=True)
    with pytest.raises(InputError, match="these are the word vectors of 'runs'"):
        consistency(
            _group(tmp_path / "full.model"), files / "text.txt", output_vectors=str(tmp_path / "words.bin"), **choices
        )


def test_a_background_of_other_words_is_refused(files):
    import torch

    strange = Space(Vocabulary(["x", "y", "z"]), torch.randn(3, 4))
    with pytest.raises(InputError, match="knows none of the"):
        consistency(_group(strange), files / "text.txt", terms=str(files / "terms.txt"), layout="blocks")


def test_the_command_writes_its_page(files, tmp_path):
    out = tmp_path / "out"
    arguments = ["study", "consistency", str(files / "run1.txt"), "--text", str(files / "text.txt"), "-o", str(out)]
    arguments += ["--terms", str(files / "terms.txt"), "--layout", "blocks", "--quiet"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output
    content = json.loads((out / "summary.json").read_text())
    assert content["schema"] == "gpustab.consistency/1"
    assert (out / "same_and_null.svg").exists()
    again = CliRunner().invoke(app, [*arguments[:-1], "--force", "--terms", str(tmp_path / "no")])
    assert again.exit_code == 2


def test_backgrounds_share_the_svd_model(files, monkeypatch):
    from gpustab.studies.consistency import study

    true, calls = study.of_samples, []
    monkeypatch.setattr(study, "of_samples", lambda *given: calls.append(1) or true(*given))
    groups = [
        replace(open_groups([files / f"run{k}.txt"], single_runs=True)[0], key=Key.of_path(f"b{k}")) for k in (1, 2)
    ]
    choices = {"general": str(files / "general.txt"), "general_layout": "blocks", "svd_dim": 20, "svd_min_count": 2}
    result = consistency(groups, files / "text.txt", terms=str(files / "terms.txt"), **choices, **CHOICES)
    assert len(calls) == 1
    values = result.tables["consistency"].where(model="SVD (window 5)")["auc"]
    assert len(values) == 2
    assert values[0] == values[1]


def test_the_study_takes_several_texts(tmp_path):
    for name, seed, own in (("first", 1, 0.6), ("second", 2, 0.0)):
        write(tmp_path / f"{name}.txt", sentences(12, 12, 8, seed=seed, own=own))
    (tmp_path / "terms.txt").write_text("\n".join(term_names(12)))
    groups = open_groups([([word(k) for k in range(300)], np.random.default_rng(0).normal(size=(300, 9)) + 0.3)],
                         single_runs=True)  # fmt: skip
    choices = {"terms": str(tmp_path / "terms.txt"), "layout": "blocks", "samples": 3, "cutoff": 9, "subsample": 0.0}
    texts = [tmp_path / "first.txt", tmp_path / "second.txt"]
    result = consistency(groups, texts, **choices)
    table = result.tables["consistency"]
    assert list(dict.fromkeys(table["text"])) == ["first", "second"]
    assert list(dict.fromkeys(table["group"])) == ["runs, first", "runs, second"]
    assert "of 100 comparisons for first" in result.verdict[0]
    assert len(result.verdict) == 4
    assert [group["source"] for group in result.groups] == [str(text) for text in texts]
    for name in ("by_size", "nearest_words"):
        assert len(FIGURES[name][1](result.tables).panels) == 2
    assert "Which text gives its terms" in to_text(result)
    assert "cut at random to one number of context words" in methods(result)
    check_page(result)
    assert heading(result)[0] == "How well do first and second distinguish their terms, by sums of vectors?"
    alone = consistency(groups, texts[1], **choices)
    for name in ("same", "auc"):
        rows = [next(table.records(model="additive", text="second")), next(alone.tables["consistency"].records())]
        assert rows[0][name] == rows[1][name]
    with pytest.raises(InputError, match="given twice"):
        consistency(groups, [texts[0], texts[0]], **choices)
