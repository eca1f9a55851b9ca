"""Vectors of words: each the mean over its occurrences, found by their places in the text."""

import re

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.encoders.options import Encoding
from gpustab.encoders.runner import encode_runs
from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import windows_of
from gpustab.formats.registry import read_space
from gpustab.runs.manifest import run_file
from tests.encoders.conftest import OPTIONS
from tests.encoders.tiny import bytes_in_pairs, save, texts, word_pieces

RAW = {"centre": False, "samplings": ("fixed",)}


def made(corpus, folders, output, options=OPTIONS, **how):
    """The runs of a plan by their groups, and the result."""
    result = encode_runs(corpus, options, folders, output, Encoding(**how))
    found = {}
    for group in result.groups:
        leaf = output / group["name"]
        found[group["name"]] = [read_space(run_file(leaf, k)) for k in range(group["runs"])]
    return found, result


@torch.no_grad()
def naive(folder, lines, words, layer=-1):
    """Sums and counts of states by document and word in float64: document by document, occurrence by occurrence."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    sums = [{} for _ in lines]
    for number, line in enumerate(lines):
        read = tokenizer(line, return_offsets_mapping=True, return_tensors="pt")
        places = read.pop("offset_mapping")[0].tolist()
        states = model(**read, output_hidden_states=True).hidden_states[layer][0].double()
        for found in re.finditer(r"[^\W\d_]+(?:'[^\W\d_]+)*", line):
            if (word := found[0].lower()) not in words:
                continue
            begin, end = found.span()
            own = [states[k] for k, (a, b) in enumerate(places) if a < end and b > begin and a < b]
            total, n = sums[number].get(word, (0, 0))
            sums[number][word] = (total + sum(own) / len(own), n + 1)
    return sums


@pytest.mark.parametrize(
    ("kind", "tokenizer"),
    [("bert", word_pieces()), ("bert", word_pieces(lowercase=False)), ("roberta", bytes_in_pairs())],
    ids=["small letters", "capitals", "bytes"],
)
def test_vectors_are_the_means_of_a_naive_loop_in_every_draw(kind, tokenizer, corpus, tmp_path):
    folder = save(tmp_path / "model", kind=kind, tokenizer=tokenizer, limit=200)
    runs, _ = made(corpus, [folder], tmp_path / "set", centre=False, runs=2)
    lines = texts()
    words = {word.decode() for word in corpus.vocabulary}
    assert {"unhappily", "harbour"} < words
    sums = naive(folder, lines, words)
    assert {group: len(some) for group, some in runs.items()} == {
        "encoder/fixed": 1,
        f"encoder/bootstrap/model={tmp_path.name}": 2,  # a folder that is called model has the name of the one above
    }
    places = [record.place for record in corpus.records]
    for space in [one for some in runs.values() for one in some]:
        drawn = [places[k] for k in space.draw.tolist()]
        there = {word for k in drawn for word in sums[k]}
        assert {word.decode() for word in space.vocabulary} == there
        for word, row, count in zip(space.vocabulary, space.vectors, space.counts.tolist(), strict=True):
            own = [sums[k][word.decode()] for k in drawn if word.decode() in sums[k]]
            assert count == sum(n for _, n in own)
            assert torch.allclose(row.double(), sum(total for total, _ in own) / count, rtol=1e-4, atol=1e-4)


def test_signs_that_are_glued_to_a_word_are_none_of_its_pieces(tmp_path):
    lines, path = [line.replace(" ", " .") for line in texts() if line], tmp_path / "t.txt"
    path.write_text("\n".join(lines))
    corpus, folder = prepare_corpus(path, OPTIONS, look=False), save(tmp_path / "m", limit=200)
    (space,) = made(corpus, [folder], tmp_path / "set", **RAW)[0]["encoder/fixed"]
    sums = naive(folder, lines, {word.decode() for word in corpus.vocabulary})
    for word, row in zip(space.vocabulary, space.vectors, strict=True):
        own = [one[word.decode()] for one in sums if word.decode() in one]
        mean = sum(total for total, _ in own) / sum(n for _, n in own)
        assert torch.allclose(row.double(), mean, rtol=1e-4, atol=1e-4)


def test_a_folder_that_reads_small_letters_gets_them(corpus, tmp_path):
    folder = save(tmp_path / "m", tokenizer=word_pieces(lowercase=False), limit=200)
    words = {word.decode() for word in corpus.vocabulary}
    expected, written = (naive(folder, lines, words) for lines in ([line.lower() for line in texts()], texts()))
    (folder / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    (space,) = made(corpus, [folder], tmp_path / "set", **RAW)[0]["encoder/fixed"]
    differ = 0
    for word, row in zip(space.vocabulary, space.vectors, strict=True):
        small, capital = (
            sum(total for total, _ in own) / sum(n for _, n in own)
            for own in ([one[word.decode()] for one in sums if word.decode() in one] for sums in (expected, written))
        )
        assert torch.allclose(row.double(), small, rtol=1e-4, atol=1e-4)
        differ += not torch.allclose(small, capital, atol=1e-3)
    assert differ > 5


def test_words_of_long_documents_are_read_in_windows_and_none_is_lost(corpus, models, tmp_path):
    runs, result = made(corpus, models[:1], tmp_path / "set", **RAW)
    (space,) = runs["encoder/fixed"]
    assert space.counts.tolist() == np.bincount(corpus.tokens).tolist()
    assert any("windows that overlap" in note and "no word is lost" in note for note in result.notes)
    assert not any("no vector" in note for note in result.notes)
    row = next(result.tables["models"].rows())
    assert row.windows > len(corpus)
    assert row.cut_passages > 5


@pytest.mark.parametrize("layer", [0, 1, -1])
def test_a_layer_is_chosen_and_windows_give_what_the_whole_gives_where_no_context_counts(layer, corpus, tmp_path):
    def without_context(model, _):
        model.embeddings.position_embeddings.weight.zero_()
        for block in model.encoder.layer:
            block.attention.output.dense.weight.zero_()

    short = word_pieces()
    short.model_max_length = 26  # windows share six tokens: no word is longer
    whole, cut = (
        save(tmp_path / f"m{k}", limit=200, tokenizer=one, change=without_context)
        for k, one in enumerate((word_pieces(), short))
    )
    spaces = []
    for folder in (whole, cut):
        runs, result = made(corpus, [folder], tmp_path / f"set-{folder.name}", layer=layer, **RAW)
        spaces += runs["encoder/fixed"]
    assert next(result.tables["models"].rows()).cut_passages > 2
    assert torch.allclose(spaces[0].vectors, spaces[1].vectors, atol=1e-4)
    expected = naive(whole, texts(), {"the"}, layer)
    first = next(one["the"][0] / one["the"][1] for one in expected if one)
    assert torch.allclose(spaces[0].vectors[spaces[0].vocabulary.index(b"the")].double(), first, atol=1e-4)


def test_the_side_of_padding_and_of_cutting_changes_nothing(corpus, models, tmp_path):
    tokenizer = word_pieces()
    tokenizer.padding_side = tokenizer.truncation_side = "left"
    left = save(tmp_path / "left", seed=1, limit=16, tokenizer=tokenizer)
    encoder = SentenceEncoder(left)
    for _ in range(2):  # its own are what the folder says, before and after
        assert {encoder.tokenizer.padding_side, encoder.tokenizer.truncation_side} == {"left"}
        windows_of(encoder, ["river " * 30])
    one, other = (
        made(corpus, [folder], tmp_path / f"set{k}", **RAW)[0]["encoder/fixed"][0]
        for k, folder in enumerate((models[0], left))
    )
    assert torch.equal(one.vectors, other.vectors)


def test_words_that_a_tokenizer_drops_or_does_not_know_are_counted_and_named(models, tmp_path):
    lines = texts()
    lines[0], lines[1] = f"{lines[0]} ωω", f"{lines[1]} ωω."
    path = tmp_path / "t.txt"
    path.write_text("\n".join(lines))
    options = CorpusOptions(min_count=1, as_is=True, layout="lines", tokenizer=r"\w+")
    corpus = prepare_corpus(path, options, look=False)
    runs, result = made(corpus, models[:1], tmp_path / "set", options, **RAW)
    assert "ωω".encode() in corpus.vocabulary
    assert "ωω".encode() not in runs["encoder/fixed"][0].vocabulary
    unknown = [note for note in result.notes if "does not know their signs" in note]
    assert unknown[0].startswith("seed1: 2 of ")
    assert any("1 item has no vector: ωω" in note for note in result.notes)


def test_signs_that_a_tokenizer_drops_leave_a_word_without_a_piece(models, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("\n".join([*texts(), "river \ufffd bank", "\ufffd the river"]))  # BERT's takes it out
    options = CorpusOptions(min_count=2, as_is=True, layout="lines", tokenizer="whitespace")
    _, result = made(prepare_corpus(path, options, look=False), models[:1], tmp_path / "set", options, **RAW)
    assert any(": 2 of " in note and "the tokenizer drops them" in note for note in result.notes)


def test_a_word_of_which_one_piece_is_unknown_is_the_mean_of_all_its_pieces(models, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("\n".join([*texts(), "river.ω bank", "the river.ω"]))
    options = CorpusOptions(min_count=2, as_is=True, layout="lines", tokenizer="whitespace")
    runs, result = made(prepare_corpus(path, options, look=False), models[:1], tmp_path / "set", options, **RAW)
    assert "river.ω".encode() in runs["encoder/fixed"][0].vocabulary
    assert not any("does not know" in note for note in result.notes)


def test_words_broken_at_line_ends_are_read_whole(models, tmp_path):
    (tmp_path / "texts").mkdir()
    for k, text in enumerate(texts()[:5]):
        (tmp_path / f"texts/{k}.txt").write_text(f"{text}\nwalked by the har-\nbour and river\n")
    options = CorpusOptions(min_count=2, as_is=True)
    corpus = prepare_corpus(tmp_path / "texts", options, look=False)
    runs, _ = made(corpus, models[:1], tmp_path / "set", options, **RAW)
    assert b"harbour" in corpus.vocabulary
    assert runs["encoder/fixed"][0].counts.tolist() == np.bincount(corpus.tokens).tolist()


def test_what_all_vectors_have_in_common_is_taken_out(corpus, models, tmp_path):
    how = {"samplings": ("fixed",)}
    plans = ({"centre": False}, {}, {"directions": 2})
    raw, centred, without = (
        made(corpus, models[:1], tmp_path / f"set{k}", **how, **plan)[0]["encoder/fixed"][0].vectors.double()
        for k, plan in enumerate(plans)
    )
    assert torch.allclose(centred, raw - raw.mean(0), atol=1e-4)
    _, _, axes = np.linalg.svd(centred.numpy())
    assert np.abs(without.numpy() @ axes[:2].T).max() < 1e-5
    assert np.allclose(without.numpy() @ axes[2:].T, centred.numpy() @ axes[2:].T, atol=1e-4)
    _, result = made(corpus, models[:1], tmp_path / "set1", **how)
    row = next(result.tables["models"].rows())
    assert abs(row.mean_cosine) < abs(row.mean_cosine_before)
    assert any("mean was taken out" in note and "--no-centre" in note for note in result.notes)
    with pytest.raises(InputError, match="has 12 dimensions"):
        made(corpus, models[:1], tmp_path / "none", directions=12, **how)


def test_what_cannot_be_read_is_refused(corpus, models, tmp_path):
    with pytest.raises(InputError, match="layers 0 to 2, or -3 to -1"):
        made(corpus, models[:1], tmp_path / "a", layer=3)
    with pytest.raises(InputError, match="takes 2 tokens of a text"):
        made(corpus, [save(tmp_path / "short", limit=4)], tmp_path / "b")
    boilerplate = CorpusOptions(min_count=2, as_is=True, layout="lines", cut_boilerplate=True)
    with pytest.raises(InputError, match="an encoder reads text"):
        made(corpus, models[:1], tmp_path / "c", boilerplate)
