"""The run-set leaf: one space as one safetensors file."""

import gzip
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from gpustab.errors import InputError
from gpustab.formats.binary.safetensors import open_rows, write_safetensors
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from tests.formats.binary_files import load, refused

VECTORS = torch.arange(12, dtype=torch.float32).reshape(4, 3)
WORDS = [b"the", b"ab\xff", b"with space\n", b""]


@pytest.fixture
def tensors():
    buffer, offsets = Vocabulary(WORDS).to_tensors()
    return {"vectors": VECTORS.clone(), "words": buffer, "offsets": offsets}


@pytest.fixture
def save(tmp_path):
    def write(tensors, metadata=None):
        save_file(tensors, tmp_path / "run-000.safetensors", metadata)
        return tmp_path / "run-000.safetensors"

    return write


def test_a_space_that_was_read_does_not_keep_its_file_mapped(save, tensors):
    """As long as it did, Windows would not let the file be replaced."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("only Linux tells what is mapped")
    path = save(tensors | {"counts": torch.arange(4), "draw": torch.arange(3)})
    space = read_space(path)
    assert space.draw.tolist() == [0, 1, 2]
    assert str(path.resolve()) not in maps.read_text()


refusal = partial(refused, load)


def test_everything_comes_back(tmp_path):
    space = Space(
        Vocabulary(WORDS),
        VECTORS,
        torch.tensor([9, 7, 7, 1]),
        "run-007",
        {"seed": 3, "seconds": 1.5},
        torch.tensor([4, 4, 0]),
    )
    path = tmp_path / "run-007.safetensors"
    write_safetensors(space, path)
    back = read_space(path)
    assert back.vocabulary == space.vocabulary
    assert torch.equal(back.vectors, VECTORS)
    assert back.counts.tolist() == [9, 7, 7, 1]
    assert back.draw.tolist() == [4, 4, 0]
    assert back.metadata == {"seed": 3, "seconds": 1.5}
    assert back.name == "run-007"
    unusual = ("'with space\\n'", "'ab\\xff'", "are empty: in row 3")
    assert all(any(part in note for part in unusual) for note in back.report.notes)
    assert [p.name for p in tmp_path.iterdir()] == ["run-007.safetensors"]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_floats_become_float32(save, tensors, dtype):
    tensors["vectors"] = VECTORS.to(dtype)
    space = read_space(save(tensors))
    assert space.vectors.dtype == torch.float32
    assert torch.equal(space.vectors, VECTORS)
    assert "to float32" in space.report.notes[0]


def test_float64_beyond_float32_is_not_finite(save, tensors):
    tensors["vectors"] = VECTORS.double()
    tensors["vectors"][1, 1] = 1e39
    path = save(tensors)
    message = refusal(path)
    assert "'ab\\xff' in row 1" in message
    space = read_space(path, LoadOptions(drop_nonfinite=True))
    assert list(space.vocabulary) == [b"the", b"with space\n", b""]
    assert space.vectors.tolist() == VECTORS[[0, 2, 3]].tolist()
    assert any("drop_nonfinite" in note for note in space.report.notes)


def test_limit(save, tensors):
    space = read_space(save({**tensors, "counts": torch.arange(4)}), LoadOptions(limit=2))
    assert list(space.vocabulary) == WORDS[:2]
    assert space.counts.tolist() == [0, 1]
    assert "limit=2" in space.report.notes[0]


def test_missing_tensor_lists_what_is_there(save):
    message = refusal(save({f"w{i:03}": torch.zeros(2) for i in range(30)}))
    assert "no tensor 'vectors'" in message
    assert "w000, w001" in message
    assert "and 20 more" in message


def test_missing_words(save, tensors):
    del tensors["offsets"]
    assert "no tensor 'offsets'; the file has vectors, words" in refusal(save(tensors))


@pytest.mark.parametrize("cut", [10, 100])
def test_cut_file(save, tensors, cut):
    path = save(tensors)
    path.write_bytes(path.read_bytes()[:-cut])
    assert "cut or damaged" in refusal(path)


def test_unequal_lengths(save, tensors):
    assert "4 words, but 3 vectors" in refusal(save({**tensors, "vectors": VECTORS[:3].clone()}))
    assert "2 counts, but 4 vectors" in refusal(save({**tensors, "counts": torch.arange(2)}))


def test_duplicate_words_and_damaged_offsets(save, tensors):
    words = torch.tensor(list(b"aab"), dtype=torch.uint8)
    offsets = torch.tensor([0, 1, 2, 3, 3])
    twice = read_space(save({**tensors, "words": words, "offsets": offsets}))
    assert any("'a' in rows 0 and 1" in note for note in twice.report.notes)
    assert "offsets" in refusal(save({**tensors, "words": words, "offsets": offsets.flip(0)}))


def test_wrong_types_and_shapes(save, tensors):
    assert "F32 (4,)" in refusal(save({**tensors, "vectors": torch.zeros(4)}))
    assert "I64 (4, 3)" in refusal(save({**tensors, "vectors": VECTORS.long()}))
    assert "'offsets' is torch.int32" in refusal(save({**tensors, "offsets": tensors["offsets"].int()}))


def test_metadata_that_is_no_object(save, tensors):
    assert "not JSON" in refusal(save(tensors, {"gpustab": "{"}))
    assert "not a JSON object" in refusal(save(tensors, {"gpustab": "[1]"}))


def test_metadata_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"x\.safetensors: the metadata"):
        write_safetensors(
            Space(Vocabulary("a"), torch.ones(1, 1), metadata={"a": object()}), tmp_path / "x.safetensors"
        )


def test_unknown_tensors_are_reported(save, tensors):
    assert "extra" in read_space(save({**tensors, "extra": torch.zeros(1)})).report.notes[0]


def test_gzip_and_wrong_dimension(save, tensors):
    path = save(tensors)
    assert "3 dimensions, but dim=5" in refusal(path, dim=5)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert "unpack it first" in refusal(path)


def test_views_are_written_by_value(tmp_path):
    space = Space(Vocabulary(["a", "b", "c"]), VECTORS.T)
    write_safetensors(space, tmp_path / "x.safetensors")
    assert torch.equal(read_space(tmp_path / "x.safetensors").vectors, VECTORS.T)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rows_are_read_range_by_range(save, tensors, dtype):
    with open_rows(save({**tensors, "vectors": VECTORS.to(dtype)})) as rows:
        assert rows.shape == (4, 3)
        assert torch.equal(rows[1:3], VECTORS[1:3])
        assert torch.equal(rows[-1:], VECTORS[-1:])
        assert rows[3:1].shape == (0, 3)
        assert torch.equal(rows[:], VECTORS)
        assert rows[:].dtype == torch.float32
        with pytest.raises(InputError, match="start:stop"):
            rows[::2]


def test_rows_of_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.safetensors"):
        open_rows(tmp_path / "none.safetensors")


def test_words_from_the_vocabulary_file(save, tmp_path):
    path = save({"vectors": VECTORS.clone(), "counts": torch.zeros(7)})
    (tmp_path / "run-000.vocab").write_bytes(b"\xef\xbb\xbfa\r\nb c\r\n\xff\r\nd\r\n")
    space = read_space(path)
    assert list(space.vocabulary) == [b"a", b"b c", b"\xff", b"d"]
    assert torch.equal(space.vectors, VECTORS)
    assert space.counts is None
    assert any("run-000.vocab" in note for note in space.report.notes)
    assert any("not read: counts" in note for note in space.report.notes)
    (tmp_path / "run-000.vocab").write_bytes(b"a\nb\nc\n")
    assert "3 words, but 4 vectors" in refusal(path)
    (tmp_path / "run-000.vocab").unlink()
    assert "vocab=" in refusal(path)
    (tmp_path / "list").write_bytes(b"d 4\nc 3\nb 2\na 1\n")
    space = read_space(path, LoadOptions(vocab=tmp_path / "list"))
    assert space.counts.tolist() == [4, 3, 2, 1]


def test_a_vocabulary_file_is_not_needed_where_the_words_are_inside(save, tensors, tmp_path):
    (tmp_path / "elsewhere").write_text("no words")
    space = read_space(save(tensors), LoadOptions(vocab=tmp_path / "elsewhere"))
    assert space.report.notes[0] == f"vocab={tmp_path / 'elsewhere'} was not read: the file holds its words"


def test_which_tensor(save, tensors, tmp_path):
    del tensors["vectors"]
    other = VECTORS + 1
    path = save({**tensors, "in.weight": VECTORS.clone(), "bias": torch.zeros(3), "ids": torch.ones(4, 3).long()})
    space = read_space(path)
    assert torch.equal(space.vectors, VECTORS)
    assert "the vectors are the tensor 'in.weight'" in space.report.notes
    path = save({**tensors, "in.weight": VECTORS.clone(), "out.weight": other})
    message = refusal(path)
    assert "in.weight (4, 3), out.weight (4, 3)" in message
    assert "tensor=" in message
    assert torch.equal(read_space(path, LoadOptions(tensor="out.weight")).vectors, other)
    assert "in.weight and out.weight end in 'weight'; choose by tensor='in.weight'" in refusal(path, tensor="weight")
    assert "no tensor 'mid'; the file has in.weight, offsets, out.weight, words" in refusal(path, tensor="mid")
    path = save({**tensors, "vectors": VECTORS.clone(), "out.weight": other})
    assert torch.equal(read_space(path).vectors, VECTORS)


def test_one_tensor_for_each_word(save):
    message = refusal(save({f"w{i:04}": torch.zeros(2) for i in range(1001)}))
    assert "1001 tensors of one dimension" in message


def test_rows_are_views_of_the_file(save, tensors):
    with open_rows(save(tensors)) as rows:
        assert rows[0:2].data_ptr() == rows[0:4].data_ptr()
        with pytest.raises(InputError, match="no tensor 'weight'"):
            open_rows(rows.path, "weight")


@pytest.mark.parametrize("length", [640, 896, 1152, 1408])
def test_a_header_whose_length_begins_as_a_pickle_does_is_read(save, tensors, length):
    """0x80 0x02 … 0x80 0x05: the first bytes of the length are those of a pickle of protocol 2 to 5."""
    bare = int.from_bytes(save(tensors, {"note": ""}).read_bytes()[:8], "little")
    path = save(tensors, {"note": "x" * (length - bare)})
    assert int.from_bytes(path.read_bytes()[:8], "little") == length
    assert path.read_bytes()[:1] == b"\x80"
    assert read_space(path).vectors.tolist() == VECTORS.tolist()


def test_the_end_of_a_name_is_enough_where_one_has_it(tmp_path):
    values = torch.randn(3, 2)
    (tmp_path / "x.vocab").write_text("a\nb\nc\n")
    save_file({"_orig_mod.tok_emb.weight": values, "_orig_mod.pos_emb.weight": values + 1}, tmp_path / "x.safetensors")
    space = read_space(tmp_path / "x.safetensors", LoadOptions(tensor="tok_emb.weight"))
    assert torch.equal(space.vectors, values)
    assert "the vectors are the tensor '_orig_mod.tok_emb.weight'" in space.report.notes


def test_a_tied_head_is_no_second_table_and_several_ends_are_named(tmp_path):
    rows, file = torch.randn(5, 3), tmp_path / "x.safetensors"
    (tmp_path / "x.vocab").write_text("a\nb\nc\nd\ne\n")
    save_file({"emb.weight": rows, "head.weight": rows.clone()}, file)
    space = read_space(file)
    assert torch.equal(space.vectors, rows)
    assert "head.weight has the same numbers" in space.report.notes
    save_file({"emb.weight": rows, "head.weight": torch.cat([rows[:1], rows[1:] + 1])}, file)
    with pytest.raises(InputError, match=r"there are several matrices: emb\.weight"):
        read_space(file)
    save_file({"a.emb.weight": rows, "b.emb.weight": rows + 1}, file)
    with pytest.raises(InputError, match=r"a\.emb\.weight and b\.emb\.weight end in 'emb'; choose by tensor='a"):
        read_space(file, LoadOptions(tensor="emb"))
    assert torch.equal(read_space(file, LoadOptions(tensor="a.emb.weight")).vectors, rows)
