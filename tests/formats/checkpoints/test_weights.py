"""Where the tensors of a checkpoint lie: forms beside each other, shards that lack, tensors by other names."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from gpustab import InputError, load_space
from gpustab.formats.options import LoadOptions
from tests.formats.checkpoints import tiny
from tests.formats.checkpoints.tiny import ROWS, checkpoint

EMBED, HEAD = "model.embed_tokens.weight", "lm_head.weight"


def said(space):
    return "; ".join(space.report.notes)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model in shards, ``name`` of each tensor, and the tensors."""
    folder = tmp_path_factory.mktemp("llama")
    checkpoint(folder, "llama", max_shard_size="11KB")
    where = json.loads((folder / "model.safetensors.index.json").read_text())["weight_map"]
    assert where[EMBED] != where[HEAD]
    tensors = {name: load_file(folder / shard)[name] for name, shard in where.items()}
    return folder, where, tensors


@pytest.fixture
def folder(saved, tmp_path):
    for file in saved[0].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_shard_that_is_not_needed_may_lack(folder, saved):
    (folder / saved[1][HEAD]).unlink()
    space = load_space(folder)
    assert torch.equal(space.vectors, saved[2][EMBED][: len(space.vectors)])
    assert f"shards that were not needed are not there: {saved[1][HEAD]}" in said(space)
    assert f"the output embedding {HEAD} lies in {saved[1][HEAD]}, which is not there" in said(space)
    with pytest.raises(InputError, match=rf"the shard {saved[1][HEAD]}, which has lm_head.weight, is not there"):
        load_space(folder, LoadOptions(tensor=HEAD))


def test_a_shard_that_is_needed_is_named(folder, saved):
    (folder / saved[1][EMBED]).unlink()
    with pytest.raises(InputError, match=rf"index.json: the shard {saved[1][EMBED]}, which has {EMBED}, is not there"):
        load_space(folder)


@pytest.mark.parametrize("suffix", ["safetensors", "bin"])
@pytest.mark.parametrize("lacking", [False, True])
def test_shards_without_an_index(folder, saved, suffix, lacking):
    (folder / "model.safetensors.index.json").unlink()
    if suffix == "bin":
        for file in folder.glob("model-*"):
            torch.save(
                load_file(file), folder / file.name.replace("model", "pytorch_model").replace("safetensors", "bin")
            )
            file.unlink()
    shards = {name: next(folder.glob(f"*{shard[5:-12]}*")) for name, shard in saved[1].items()}
    if lacking:
        shards[HEAD].unlink()
    space = load_space(folder)
    assert torch.equal(space.vectors, saved[2][EMBED][: len(space.vectors)])
    assert "there is no index: every shard was asked for its tensors" in said(space)
    assert ("shards that were not needed are not there: " in said(space)) == lacking
    shards[EMBED].unlink()
    with pytest.raises(InputError, match=rf"the shards .*{shards[EMBED].name}.* are not there"):
        load_space(folder)


@pytest.mark.parametrize("same", [True, False])
def test_the_whole_file_comes_before_shards_as_in_transformers(folder, saved, same):
    from transformers import AutoModel

    save_file({name: part if same else part + 1 for name, part in saved[2].items()}, folder / "model.safetensors", META)
    space = load_space(folder)
    theirs = AutoModel.from_pretrained(folder).get_input_embeddings().weight
    assert torch.equal(space.vectors, theirs[: len(space.vectors)])
    assert torch.equal(space.vectors, saved[2][EMBED][: len(space.vectors)]) == same
    assert (
        "model.safetensors was read, as transformers does, and not model.safetensors.index.json, which has "
        f"{'the same' if same else 'other'} numbers in {EMBED}"
    ) in said(space)


META = {"format": "pt"}


def test_safetensors_come_before_pickles_as_in_transformers(folder, saved):
    from transformers import AutoModel

    torch.save({name: part * 2 for name, part in saved[2].items()}, folder / "pytorch_model.bin")
    space = load_space(folder)
    theirs = AutoModel.from_pretrained(folder).get_input_embeddings().weight
    assert torch.equal(space.vectors, theirs[: len(space.vectors)])
    assert "and not pytorch_model.bin, which has other numbers" in said(space)
    torch.save({name: part.half() for name, part in saved[2].items()}, folder / "pytorch_model.bin")
    assert "and not pytorch_model.bin, which has other numbers" in said(load_space(folder))
    (folder / "pytorch_model.bin").write_bytes(b"nothing")
    assert "and not pytorch_model.bin, whose table could not be compared" in said(load_space(folder))


@pytest.mark.parametrize("lie", ["other shard", "no such tensor", "no such tensor of a pickle"])
def test_an_index_that_lies_is_a_sentence_with_the_file(folder, saved, lie):
    index = folder / "model.safetensors.index.json"
    content = json.loads(index.read_text())
    if lie == "other shard":
        content["weight_map"][EMBED] = shard = saved[1][HEAD]
    elif lie == "no such tensor":
        content["weight_map"]["shared.weight"] = shard = saved[1][HEAD]
    else:
        shard = "pytorch_model-00001-of-00001.bin"
        torch.save({HEAD: torch.ones(2, 2)}, folder / shard)
        content["weight_map"] = {EMBED: shard}
    index.write_text(json.dumps(content))
    with pytest.raises(InputError, match=rf"{shard}: the tensor .*, which {index.name} says is here, cannot be read"):
        load_space(folder)


def test_shards_of_two_sets_and_of_two_kinds(folder, saved):
    (folder / "model.safetensors.index.json").unlink()
    torch.save({EMBED: torch.zeros(ROWS, 8)}, folder / "pytorch_model-00001-of-00001.bin")
    assert torch.equal((space := load_space(folder)).vectors, saved[2][EMBED][: len(space.vectors)])
    save_file({EMBED: torch.zeros(ROWS, 8)}, folder / "model-00001-of-00001.safetensors")
    with pytest.raises(InputError, match="are of two sets of shards; remove one of them"):
        load_space(folder)
    (folder / "model-00001-of-00001.safetensors").unlink()  # the advice
    load_space(folder)


def wrapped(folder, names, **config):
    save_file({name: torch.full((6, 4), float(k)) for k, name in enumerate(names)}, folder / "model.safetensors")
    (folder / "vocab.txt").write_text("\n".join("abcdef"))
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_the_end_of_a_name_is_enough(tmp_path):
    wrapped(tmp_path, ["model._orig_mod.module.tok_emb.weight", "model._orig_mod.module.pos_emb.weight"])
    space = load_space(tmp_path, LoadOptions(tensor="tok_emb.weight"))
    assert not space.vectors.any()
    assert "the vectors are the tensor 'model._orig_mod.module.tok_emb.weight'" in said(space)
    with pytest.raises(InputError, match=r"there is no tensor 'emb\.weight'"):  # no part of a name
        load_space(tmp_path, LoadOptions(tensor="emb.weight"))
    wrapped(tmp_path, ["a.tok_emb.weight", "b.tok_emb.weight"])
    with pytest.raises(
        InputError, match=r"a.tok_emb.weight and b.tok_emb.weight end in 'tok_emb.weight'; choose by tens"
    ):
        load_space(tmp_path, LoadOptions(tensor="tok_emb.weight"))
    wrapped(tmp_path, ["_orig_mod.module.model.embed_tokens.weight"])  # by itself
    assert len(load_space(tmp_path).vocabulary) == 6


TIED = {"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": True}


@pytest.mark.parametrize("asked", ["lm_head.weight", "lm_head"])
def test_a_tied_head_is_the_input_embedding(asked, tmp_path):
    wrapped(tmp_path, [EMBED], **TIED)
    space = load_space(tmp_path, LoadOptions(tensor=asked))
    assert len(space.vocabulary) == 6
    assert f"'{asked}' is not stored, as the output embedding is tied: it is the same matrix" in said(space)
    wrapped(tmp_path, [EMBED], **TIED | {"tie_word_embeddings": False})
    with pytest.raises(InputError, match=f"there is no tensor '{asked}'"):
        load_space(tmp_path, LoadOptions(tensor=asked))


def test_a_tied_head_of_a_model_of_transformers(tmp_path):
    model = checkpoint(tmp_path, "gpt2")
    space = load_space(tmp_path, LoadOptions(tensor="lm_head.weight"))
    assert torch.equal(space.vectors, model.lm_head.weight[: len(space.vectors)])


def test_an_output_embedding_alone_is_called_so(tmp_path):
    wrapped(tmp_path, [HEAD], tie_word_embeddings=True)
    with pytest.raises(
        InputError, match=r"lm_head\.weight has that of an output embedding; choose by tensor='lm_head.wei"
    ):
        load_space(tmp_path)
    for name in (HEAD, "lm_head"):
        space = load_space(tmp_path, LoadOptions(tensor=name))
        assert len(space.vocabulary) == 6
        assert "is not stored" not in said(space)


@pytest.mark.parametrize("kind", tiny.MODELS)
def test_a_folder_and_its_layer_have_the_same_words(kind, tmp_path):
    model = checkpoint(tmp_path, kind)
    names = dict(enumerate(f"w{k}" for k in range(ROWS)))
    (tmp_path / "words").write_text("\n".join(names.values()))
    folder = load_space(tmp_path, LoadOptions(vocab=tmp_path / "words"))
    layer = load_space((list(names.values()), model.get_input_embeddings()))
    assert list(folder.vocabulary) == list(layer.vocabulary)
    assert torch.equal(folder.vectors, layer.vectors)


@pytest.mark.parametrize("tokenizer", [tiny.byte_level, tiny.word_pieces, tiny.unigram])
@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_a_folder_and_a_layer_with_its_tokenizer_have_the_same_words(kind, tokenizer, tmp_path):
    from transformers import PreTrainedTokenizerFast

    model = checkpoint(tmp_path, kind, tokenizer)
    folder = load_space(tmp_path)
    for first in (tokenizer(), PreTrainedTokenizerFast(tokenizer_object=tokenizer())):
        layer = load_space((first, model.get_input_embeddings()))
        assert list(folder.vocabulary) == list(layer.vocabulary)
        assert torch.equal(folder.vectors, layer.vectors)
    assert next(note for note in folder.report.notes if "begins a word" in note) in layer.report.notes
