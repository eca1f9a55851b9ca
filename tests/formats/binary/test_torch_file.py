"""Files of torch.save."""

import collections
import gzip
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
    with pytest.raises(InputError, match=r"x\.pt: no complete PyTorch file") as caught:
        read_space(tmp_path / "x.pt")
    assert "\n" not in str(caught.value)
    (tmp_path / "x.pt").write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match="within gzip cannot be mapped"):
        read_space(tmp_path / "x.pt")
