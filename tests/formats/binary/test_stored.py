from hashlib import sha256

import pytest
import torch
from safetensors.torch import save_file

from gpustab.formats.binary.tensors import Part, write_tensors

TENSORS = {
    "vectors": torch.arange(21.0).reshape(7, 3).bfloat16(),
    "b": torch.arange(5.0).half(),
    "plain": torch.arange(6.0).reshape(2, 3).T.contiguous(),
    "lengths": torch.arange(7.0).double(),
    "offsets": torch.arange(8),
    "counts": torch.arange(7),
    "words": torch.arange(5, dtype=torch.uint8),
    "draw": torch.empty(0, dtype=torch.int64),
}


@pytest.mark.parametrize("names", [list(TENSORS), ["vectors", "words"], ["draw"]])
def test_the_bytes_are_those_of_the_library(tmp_path, names):
    tensors, metadata = {name: TENSORS[name] for name in names}, {"gpustab": '{"é": "\\u00e9\\n\\"x\\""}'}
    save_file(tensors, tmp_path / "wanted", metadata)
    size, digest = write_tensors({n: Part.of(t) for n, t in tensors.items()}, tmp_path / "out", metadata)
    wanted = (tmp_path / "wanted").read_bytes()
    assert (tmp_path / "out").read_bytes() == wanted
    assert (size, digest) == (len(wanted), sha256(wanted).hexdigest())


def test_pieces_may_share_one_buffer(tmp_path):
    def pieces():
        buffer = torch.empty(2, 3)
        for start in range(0, 7, 2):
            some = torch.arange(21.0).reshape(7, 3)[start : start + 2]
            buffer[: len(some)] = some
            yield buffer[: len(some)]

    write_tensors({"x": Part((7, 3), torch.float32, pieces())}, tmp_path / "out", {"a": "b"})
    save_file({"x": torch.arange(21.0).reshape(7, 3)}, tmp_path / "wanted", {"a": "b"})
    assert (tmp_path / "out").read_bytes() == (tmp_path / "wanted").read_bytes()
