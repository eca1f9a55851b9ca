"""Runs whose vectors are packed from where they lie in files of word2vec's binary form."""

import os

import pytest
import torch

from gpustab import InputError, load_runs
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import PlacedRows
from gpustab.runs.manifest import UNFINISHED
from gpustab.runs.packing.pack import pack_runs
from tests.formats.binary_files import word2vec
from tests.generators import spaces
from tests.runs.packing.kills import contents
from tests.runs.packing.test_pack import RULES, stop_at


@pytest.fixture(params=[True, False])
def binary(tmp_path, request):
    """Four runs, in orders of their own; a word comes twice, and a vector is zero."""
    paths = []
    for r, space in enumerate(spaces(4, 40, 6)):
        order = torch.randperm(40, generator=torch.Generator().manual_seed(r))[: 40 - r].tolist()
        words, vectors = [space.vocabulary[i] for i in order], space.vectors[order]
        if r == 1:
            words[9] = words[4]
        if r == 2:
            vectors[words.index(b"w3")] = 0
        paths.append(tmp_path / f"r{r}.bin")
        paths[-1].write_bytes(word2vec(words, vectors, newline=request.param))
    return paths


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("options", [{}, {"limit": 30}, {"keep_duplicate": "last"}])
def test_a_pack_is_the_loose_runs(binary, tmp_path, rule, options):
    options = LoadOptions(**options)
    pack_runs(binary, tmp_path / "out", options=options, **rule)
    loose, packed = load_runs(binary, options=options, **rule), load_runs(tmp_path / "out", **rule, options=options)
    for name in ("vocabulary", "names", "joining", "notes", "key"):
        assert getattr(packed, name) == getattr(loose, name), name
    for name in ("present", "means", "lengths"):
        assert torch.equal(getattr(packed, name), getattr(loose, name)), name
    for ours, theirs in zip(packed.rows, loose.rows, strict=True):
        assert torch.equal(ours[0 : packed.words], theirs)


def test_no_vector_is_staged_and_nothing_is_read_again(binary, tmp_path, monkeypatch):
    pack_runs(binary, tmp_path / "wanted")
    with monkeypatch.context() as patch:
        stop_at(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            pack_runs(binary, tmp_path / "out", jobs=1)
    staged = sorted((tmp_path / "out" / UNFINISHED).glob("group-0/staged-*.safetensors"))
    assert staged
    vectors = torch.cat([load_runs([path, path], unit=False).rows[0].flatten() for path in binary])
    for path in staged:
        assert not any(vectors[k : k + 6].numpy().tobytes() in path.read_bytes() for k in range(0, 600, 6))
    monkeypatch.setattr("gpustab.runs.packing.request.place_space", None)
    pack_runs(binary, tmp_path / "out", jobs=1)
    assert contents(tmp_path / "out") == contents(tmp_path / "wanted")


def test_a_source_that_changes_while_it_is_packed_is_refused(binary, tmp_path, monkeypatch):
    real = PlacedRows.take

    def take(self, rows, out):
        os.utime(binary[1], ns=(1, 1))
        return real(self, rows, out)

    monkeypatch.setattr(PlacedRows, "take", take)
    with pytest.raises(InputError, match=r"r1\.bin: has changed since this pack was begun"):
        pack_runs(binary, tmp_path / "out")
