import json
import os

import pytest
import torch

from gpustab import InputError, load_runs, load_space, stability
from gpustab.formats.checkpoints.folder import digest_of_files
from gpustab.formats.options import LoadOptions
from gpustab.studies.info.study import info
from tests.formats.checkpoints import tiny
from tests.formats.checkpoints.tiny import ROWS, checkpoint

INPUT = {
    "gpt2": "transformer.wte.weight",
    "bert": "embeddings.word_embeddings.weight",
    "bert-lm": "bert.embeddings.word_embeddings.weight",
    "t5": "shared.weight",
    "roberta": "embeddings.word_embeddings.weight",
    "opt": "decoder.embed_tokens.weight",
    "llama": "model.embed_tokens.weight",
}


PADDED = {"bert", "bert-lm", "roberta", "opt"}
"""Models with a token that pads alone, the first or the second."""


def said(space):
    return "; ".join(space.report.notes)


@pytest.mark.parametrize("kind", tiny.MODELS)
@pytest.mark.parametrize("shards", [None, "6KB"])
def test_the_input_embedding_is_found_by_name(kind, shards, tmp_path):
    model = checkpoint(tmp_path, kind, **({"max_shard_size": shards} if shards else {}))
    assert (tmp_path / "model.safetensors.index.json").exists() == (shards is not None)
    space = load_space(tmp_path)
    assert f"the vectors are the tensor '{INPUT[kind]}'" in said(space)
    rows = model.get_input_embeddings().weight
    tokens = tiny.byte_level().get_vocab()
    assert len(space.vocabulary) == len(tokens) - (kind in PADDED)
    for token, word in {"Ġthe": b"the", "Ġcat": b"cat", "a": b"##a"}.items():
        assert torch.equal(space.vectors[space.vocabulary.index_of(word)], rows[tokens[token]])
    assert space.name == tmp_path.name


def test_byte_level_tokens_are_their_bytes(tmp_path):
    checkpoint(tmp_path)
    space = load_space(tmp_path)
    words = {space.vocabulary.text(k) for k in range(len(space.vocabulary))}
    assert {"the", "cat", "##a", "<|endoftext|>", "##\\n"} <= words
    assert any("ï" in word for word in words)
    assert "a token that begins a word (a blank before it) is called as the word, one that goes on has ##" in said(
        space
    )


def test_rows_without_a_token_are_left_out_and_said(tmp_path):
    checkpoint(tmp_path)
    tokens = tiny.byte_level().get_vocab_size()
    assert f"{ROWS - tokens} of {ROWS} rows have no token and were left out: they pad the matrix" in said(
        load_space(tmp_path)
    )


def test_tokens_without_a_row_are_left_out_and_said(tmp_path):
    checkpoint(tmp_path, "bert", tokenizer=None)
    (tmp_path / "vocab.txt").write_text("\n".join(f"w{i}" for i in range(ROWS + 5)) + "\n")
    space = load_space(tmp_path)
    assert len(space.vocabulary) == ROWS - 1
    assert f"5 of {ROWS + 5} tokens have no row among {ROWS} and were left out: 'w320' (320), 'w321'" in said(space)
    assert "row 0, 'w0', pads and was left out" in said(space)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("gpt2", "the output embedding is tied: it is the same matrix"),
        ("llama", "the output embedding is another matrix, which tensor='lm_head.weight' reads"),
        ("bert", None),
        ("bert-lm", "tied"),
        ("t5", "tied"),
    ],
)
def test_tied_outputs_are_said(kind, sentence, tmp_path):
    checkpoint(tmp_path, kind)
    assert sentence in said(load_space(tmp_path)) if sentence else "output" not in said(load_space(tmp_path))


def test_another_tensor_may_be_chosen(tmp_path):
    model = checkpoint(tmp_path, "llama")
    space = load_space(tmp_path, LoadOptions(tensor="lm_head.weight"))
    assert torch.equal(space.vectors[0], model.lm_head.weight[tiny.byte_level().token_to_id("<|endoftext|>")])


def test_state_dicts_are_read_without_running_them(tmp_path):
    model = tiny.model("gpt2")
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    tiny.byte_level().save(str(tmp_path / "tokenizer.json"))
    space = load_space(tmp_path)
    assert torch.equal(space.vectors[0], model.transformer.wte.weight[0])
    assert "the output embedding lm_head.weight is tied: it holds the same numbers" in said(space)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    assert torch.equal(load_space(tmp_path).vectors, space.vectors)
    torch.save({"model": object()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"pytorch_model.bin: it holds objects of object as 'model'"):
        load_space(tmp_path)


def test_half_precision_is_converted_and_said(tmp_path):
    tiny.model("bert").bfloat16().save_pretrained(tmp_path)
    tiny.word_pieces().save(str(tmp_path / "tokenizer.json"))
    space = load_space(tmp_path)
    assert space.vectors.dtype == torch.float32
    assert "bfloat16" in said(space)


@pytest.mark.parametrize("tokenizer", [tiny.word_pieces, tiny.unigram])
def test_other_tokenizers(tokenizer, tmp_path):
    checkpoint(tmp_path, "gpt2", tokenizer)
    space = load_space(tmp_path)
    assert len(space.vocabulary) == tokenizer().get_vocab_size()
    assert b"the" in space.vocabulary
    assert b"##s" in space.vocabulary


def test_files_of_the_time_before(tmp_path):
    checkpoint(tmp_path, tokenizer=None)
    tokens = tiny.byte_level().get_vocab()
    (tmp_path / "vocab.json").write_text(json.dumps(tokens))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<new Ġ>": 310}))
    space = load_space(tmp_path)
    assert "the" in space.vocabulary
    assert "<new Ġ>" in space.vocabulary
    assert "9 of them pad the matrix" in said(space)
    (tmp_path / "merges.txt").unlink()
    assert list(load_space(tmp_path).vocabulary) == list(space.vocabulary)  # as tokens with Ġ tell


def test_words_may_be_given(tmp_path):
    checkpoint(tmp_path, "bert", tokenizer=None)
    (tmp_path / "mine.txt").write_text("\n".join(f"w{i}" for i in range(ROWS)))
    assert (
        load_space(tmp_path, LoadOptions(vocab=tmp_path / "mine.txt", limit=10)).vocabulary[9] == b"w10"
    )  # row 0 pads


def test_sentence_transformers_name_the_folder_of_the_weights(tmp_path):
    (tmp_path / "0_Transformer").mkdir()
    checkpoint(tmp_path / "0_Transformer", "bert", tiny.word_pieces)
    (tmp_path / "modules.json").write_text(json.dumps([{"path": "0_Transformer"}, {"path": "1_Pooling"}]))
    assert b"the" in load_space(tmp_path).vocabulary


def test_checkpoints_are_runs(tmp_path):
    folders = [tmp_path / f"seed-{seed}" for seed in range(3)]
    for seed, folder in enumerate(folders):
        checkpoint(folder, "bert", tiny.word_pieces, seed)
    runs = load_runs(folders)
    assert runs.names == ("seed-0", "seed-1", "seed-2")
    assert 0 < stability(runs, neighbours=[5]).groups[0]["pip"]["reduced"]["mean"] < 1
    assert [group["dimension"] for group in info(folders).groups] == [8, 8, 8]


def broken(change):
    def make(folder):
        checkpoint(folder, "llama", max_shard_size="4KB")
        change(folder)

    return make


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (broken(lambda f: (f / "tokenizer.json").unlink()), r"there are no words; wanted one of tokenizer.json"),
        (broken(lambda f: (f / "tokenizer.json").write_text("{")), r"tokenizer.json: this is not JSON"),
        (broken(lambda f: (f / "tokenizer.json").write_text("[]")), r"this is a list, wanted a JSON object"),
        (broken(lambda f: (f / "tokenizer.json").write_text("{}")), r"there is no model with a vocab"),
        (
            broken(lambda f: (f / "tokenizer.json").write_text('{"model": {"vocab": {"a": "b"}}}')),
            r"the token 'a' has the id 'b'",
        ),
        (
            broken(lambda f: (f / "tokenizer.json").write_text('{"model": {"vocab": {"a": 999}}}')),
            r"none of 1 tokens has a row",
        ),
        (broken(lambda f: next(f.glob("*-00001-*")).unlink()), r"the shard model-00001.* is not there"),
        (broken(lambda f: next(f.glob("*-00001-*")).write_bytes(b"x")), r"not a complete safetensors file"),
        (broken(lambda f: (f / "model.safetensors.index.json").write_text("{}")), r"there is no weight_map"),
    ],
)
def test_damage_is_one_line_that_names_the_file(make, message, tmp_path):
    make(tmp_path)
    with pytest.raises(InputError, match=message) as error:
        load_space(tmp_path)
    assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tensor": "wte"}, r"there is no tensor 'wte'; there are lm_head.weight \(320, 8\)"),
        ({"tensor": "model.norm.weight"}, r"has shape \(8,\), wanted \(v, d\)"),
        ({"header": True}, r"header is of no use for a checkpoint"),
    ],
)
def test_wrong_options_are_named(options, message, tmp_path):
    checkpoint(tmp_path, "llama")
    with pytest.raises(InputError, match=message):
        load_space(tmp_path, LoadOptions(**options))


def test_two_embeddings_must_be_chosen_between(tmp_path):
    from safetensors.torch import save_file

    tensors = {f"{part}.embed_tokens.weight": torch.randn(9, 4) for part in ("encoder", "decoder")}
    save_file(tensors, tmp_path / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("\n".join("abcdefghi"))
    with pytest.raises(InputError, match=r"are embeddings of words; choose by tensor='.*coder.embed_tokens.weight'"):
        load_space(tmp_path)
    assert len(load_space(tmp_path, LoadOptions(tensor="encoder.embed_tokens.weight")).vocabulary) == 9
    save_file({"a.weight": torch.randn(9, 4)}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"no tensor has the name of an input embedding.*a.weight \(9, 4\)"):
        load_space(tmp_path)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", {"quantization_config": 3}, r"config\.json: quantization_config is a int, wanted a dict"),
        ("config.json", {"architectures": True}, r"config\.json: architectures is a bool, wanted a list"),
        ("tokenizer.json", {"model": []}, r"tokenizer\.json: model is a list, wanted a dict"),
        ("tokenizer.json", {"model": {"vocab": [[3, 0.0]]}}, r"tokenizer\.json: a token is 3, wanted text"),
        ("tokenizer.json", {"model": {"vocab": {}}, "added_tokens": 7}, "added_tokens is a int, wanted a list"),
        (
            "tokenizer.json",
            {"model": {"vocab": {"a": 0}}, "added_tokens": [{"content": None, "id": 1}]},
            "a token is None, wanted text",
        ),
        (
            "tokenizer.json",
            {"model": {"vocab": {"a": 0}, "continuing_subword_prefix": 3}},
            "continuing_subword_prefix is a int, wanted a str",
        ),
    ],
)
def test_entries_of_other_kinds_are_named(file, content, message, tmp_path):
    checkpoint(tmp_path, "llama")
    (tmp_path / file).write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        load_space(tmp_path)


def test_a_deep_file_is_read(tmp_path):
    model = checkpoint(tmp_path, "llama")
    (tmp_path / "config.json").write_text(f'{{"vocab_size": {ROWS}, "deep": {"[" * 800}8{"]" * 800}}}')
    assert torch.equal(load_space(tmp_path).vectors[0], model.model.embed_tokens.weight[0])


def test_a_folder_that_cannot_be_listed_has_no_name(tmp_path, monkeypatch):
    """Without it a model whose folder could not be read had the name of an empty one, and its runs were made again."""
    inner = tmp_path / "model" / "1_Pooling"
    inner.mkdir(parents=True)
    (inner / "config.json").write_text("{}")
    whole, scandir = digest_of_files(tmp_path), os.scandir

    def refusing(path):
        if os.fspath(path) == os.fspath(inner):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scandir(path)

    (tmp_path / "model" / "link.json").symlink_to(inner / "config.json")
    assert digest_of_files(tmp_path) != whole  # a link is the file that it leads to
    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(PermissionError):
        digest_of_files(tmp_path)


@pytest.mark.parametrize(
    "name", ["README.md", ".git/HEAD", ".cache/x.json", "training_args.bin", "optimizer.pt", "a.log"]
)
def test_what_is_not_read_with_a_model_changes_no_name(name, tmp_path):
    """A README once refused a run set that had taken hours."""
    (tmp_path / "config.json").write_text("{}")
    before = digest_of_files(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("anything")
    assert digest_of_files(tmp_path) == before
    (tmp_path / "vocab.txt").write_text("a")
    assert digest_of_files(tmp_path) != before
