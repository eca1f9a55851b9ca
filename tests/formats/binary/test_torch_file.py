"""Files of torch.save."""

import collections
import gzip
import pathlib
import warnings

import numpy as np
import pytest
import torch
from torch import nn

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from tests.formats import binary_files

WORDS = ["the", "été", "a b", "NA", "x"]
VALUES = torch.from_numpy(np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32))


@pytest.fixture
def read(tmp_path):
    (tmp_path / "x.vocab").write_text("\n".join(WORDS))

    def read_it(content, options=LoadOptions(), **how):
        torch.save(content, tmp_path / "x.pt", **how)
        return read_space(tmp_path / "x.pt", options)

    return read_it


def right(space, values=VALUES):
    return binary_files.right(space, WORDS, values)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(VALUES)
        self.output = nn.Linear(3, 2)


INDEX = {word: row for row, word in reversed(list(enumerate(WORDS)))}
FORMS = {
    "tensor": VALUES,
    "parameter": nn.Parameter(VALUES.clone()),
    "state dict": Model().state_dict(),
    "checkpoint": {"epoch": 3, "model": Model().state_dict(), "optimizer": {"lr": 0.1}},
    "words beside": {"vectors": VALUES, "itos": WORDS},
    "index": {"weight": VALUES, "stoi": INDEX},
    "index back": {"weight": VALUES, "itos": dict(enumerate(WORDS))},
    "torchtext's cache": (WORDS, INDEX, VALUES, 3),
    "a vector a word": {word: row.clone() for word, row in zip(WORDS, VALUES, strict=True)},
    "ordered": collections.OrderedDict(m=VALUES),
}


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_matrix_and_words(read, form, zipped):
    right(read(FORMS[form], _use_new_zipfile_serialization=zipped))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_types_are_converted_and_said(read, dtype):
    notes = right(read(VALUES.to(dtype)), VALUES.to(dtype).float())
    assert f"the vectors were converted from {str(dtype)[6:]} to float32" in notes


def test_the_matrix_is_chosen_where_two_fit(read):
    both = {"in.weight": VALUES, "out.weight": VALUES + 1}
    with pytest.raises(
        InputError, match=r"several matrices .*: in\.weight \(5, 3\), out\.weight \(5, 3\); choose by tensor"
    ):
        read(both)
    assert right(read(both, LoadOptions(tensor="in.weight")))[0] == "the vectors are 'in.weight'"
    with pytest.raises(InputError, match=r"no matrix 'mid'; the file has in\.weight"):
        read(both, LoadOptions(tensor="mid"))


def test_a_layer_is_no_dict_of_words(read):
    with pytest.raises(InputError, match="no matrix of real numbers"):
        read(nn.LayerNorm(3).state_dict())


def test_what_is_not_opened_is_named_with_the_way_to_convert(read, tmp_path):
    with pytest.raises(
        InputError, match=r"x\.pt: this PyTorch file holds objects of .*Model.*torch\.save\(model"
    ) as caught:
        read(Model())
    assert "\n" not in str(caught.value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated, its files are not gone
        torch.jit.save(torch.jit.script(nn.Linear(2, 2)), tmp_path / "x.pt")
    with pytest.raises(InputError, match="TorchScript program"):
        read_space(tmp_path / "x.pt")


@pytest.mark.parametrize("zipped", [True, False])
def test_a_cut_file(read, tmp_path, zipped):
    read(VALUES, _use_new_zipfile_serialization=zipped)
    content = (tmp_path / "x.pt").read_bytes()
    (tmp_path / "x.pt").write_bytes(content[:-30] if zipped else content[:-5])
    with pytest.raises(InputError, match=r"x\.pt: not a complete PyTorch file") as caught:
        read_space(tmp_path / "x.pt")
    assert "\n" not in str(caught.value)
    (tmp_path / "x.pt").write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match="within gzip cannot be mapped"):
        read_space(tmp_path / "x.pt")


def adam(model):
    """The state of Adam after a step: two moments of the shape of every table."""
    parts = list(model.parameters())
    state = {k: {"step": torch.ones(()), "exp_avg": part + 2, "exp_avg_sq": part + 3} for k, part in enumerate(parts)}
    return {"state": state, "param_groups": [{"lr": 0.1, "params": [*range(len(parts))]}]}


def test_the_state_of_an_optimizer_is_passed_over(read):
    state = adam(Model())
    for content, name in [
        ({"model": {"emb.weight": VALUES}, "optimizer": state}, "optimizer"),
        ({"state_dict": {"emb.weight": VALUES}, "optimizer_states": [state, state]}, "optimizer_states.0"),
        ({"emb.weight": VALUES, "train": {"opt": state, "epoch": 3}}, "train.opt"),
    ]:
        assert f"the state of an optimizer, '{name}', was passed over" in right(read(content))
    asked = read({"emb.weight": VALUES, "optimizer": state}, LoadOptions(tensor="optimizer.state.0.exp_avg"))
    assert torch.equal(asked.vectors, state["state"][0]["exp_avg"])


@pytest.mark.parametrize("heads", [["head.weight"], ["a.weight", "net.out.weight"], ["emb.copy"]])
def test_a_tied_head_is_no_second_table(read, heads):
    content = {"emb.weight": VALUES, "pos.weight": VALUES[:2], **dict.fromkeys(heads, VALUES)}
    notes = right(read({"model": content}))
    assert all(f"model.{head} has the same numbers as model.emb.weight" in notes for head in heads)
    assert f"the vectors are 'model.{heads[0]}'" in right(
        read(content | {"model": content}, LoadOptions(tensor=f"model.{heads[0]}"))
    )
    with pytest.raises(InputError, match="several matrices"):
        read(content | {heads[0]: VALUES + 1})


def test_several_ends_of_a_name_are_named(read):
    content = {"net.emb.weight": VALUES, "ema.emb.weight": VALUES + 1}
    for asked in ("emb.weight", "emb"):
        with pytest.raises(
            InputError, match=rf"net.emb.weight and ema.emb.weight end in '{asked}'; choose by tensor='net.emb.weight'"
        ):
            read(content, LoadOptions(tensor=asked))
    right(read(content, LoadOptions(tensor="net.emb")))


def test_the_end_of_a_name_is_enough(read):
    wrapped = {f"model._orig_mod.module.{part}.weight": VALUES + k for k, part in enumerate(["tok_emb", "pos_emb"])}
    notes = right(read({"state": wrapped}, LoadOptions(tensor="tok_emb.weight")))
    assert "the vectors are 'state.model._orig_mod.module.tok_emb.weight'" in notes


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({"model": {"e.weight": VALUES}, "lr": np.float64(0.1)}, r"numpy\S*\.scalar as 'lr'"),
        ({"hyper": {"none": {}, "args": [1, Model()]}}, r"\S*Model as 'hyper\.args\.1'"),
        (collections.OrderedDict(a=VALUES, config=(3, pathlib.PurePosixPath("x"))), r"\S*PurePosixPath as 'config\.1'"),
        (Model(), r"\S*Model, which"),
    ],
)
def test_the_entry_that_is_refused_is_named(read, content, what):
    with pytest.raises(InputError, match=rf"x\.pt: this PyTorch file holds objects of {what}"):
        read(content)


def test_what_a_pickle_refers_to_again_and_again_ends(read):
    inner = [pathlib.PurePosixPath("x")]
    for _ in range(60):
        inner = [inner, inner]
    with pytest.raises(InputError, match=r"PurePosixPath as 'deep\.0\.0"):
        read({"deep": inner, "deeper": inner})


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_a_sparse_matrix_is_named_and_one_beside_vectors_is_passed_over(read):
    for sparse in (VALUES.to_sparse(), VALUES.to_sparse_csr()):
        with pytest.raises(InputError, match=r"'vectors' is a sparse tensor; save it with its zeros, .to_dense\(\)"):
            read({"vectors": sparse, "words": WORDS})
        assert read({"counts": sparse, "vectors": VALUES, "words": WORDS}).vectors.equal(VALUES)
