"""Tables in few bits: read with their scales where the formula is sure, refused by kind elsewhere."""

import json

import pytest
import torch
from safetensors.torch import save_file

from gpustab import InputError, load_space
from gpustab.formats.binary.safetensors import open_rows
from gpustab.formats.options import LoadOptions

V, D = 12, 8
WORDS = [f"w{k}" for k in range(V)]
TABLE = torch.randn(V, D, generator=torch.Generator().manual_seed(0)) * torch.logspace(-2, 1, V)[:, None]
EACH = TABLE.abs().amax(1, keepdim=True)
"""Row by row, of which the rows of the table differ a thousandfold."""


def int8(scale):
    return (TABLE / scale).round().to(torch.int8)


def shifted(zero):
    scale = EACH / 100
    return {"e.weight": ((TABLE / scale).round() + zero).to(torch.int8), "e.weight_scale": scale}


ONE = TABLE.abs().max() / 127
READ = {
    "int8, a scale a row (compressed-tensors)": {"e.weight": int8(EACH / 127), "e.weight_scale": EACH / 127},
    "int8, one scale": {"e.weight": int8(ONE), "e.weight_scale": ONE.reshape(1)},
    "int8, zero points": shifted(20) | {"e.weight_zero_point": torch.full((V, 1), 20, dtype=torch.int8)},
    "int8 of bitsandbytes": {
        "e.weight": int8(EACH / 127),
        "e.SCB": EACH[:, 0],
        "e.weight_format": torch.tensor(0, dtype=torch.uint8),
    },
    "fp8, a scale a row in half precision (FBGEMM)": {
        "e.weight": (TABLE / EACH * 448).to(torch.float8_e4m3fn),
        "e.weight_scale": (EACH / 448).bfloat16(),
    },
    "fp8, one scale, and one of activations": {
        "e.weight": (TABLE / ONE).to(torch.float8_e5m2),
        "e.weight_scale": ONE,
        "e.input_scale": torch.tensor(3.0),
    },
    "fp8, one scale by another name": {"e.weight": (TABLE / ONE).to(torch.float8_e4m3fn), "e.scale_weight": ONE},
    "fp8, one inverse scale, which multiplies (DeepSeek)": {
        "e.weight": (TABLE / ONE).to(torch.float8_e4m3fn),
        "e.weight_scale_inv": ONE.reshape(1, 1),
    },
}

packed = torch.zeros(V * D // 2, 1, dtype=torch.uint8)
STATE = {
    "absmax": torch.ones(1),
    "quant_map": torch.ones(16),
    "quant_state.bitsandbytes__nf4": torch.zeros(9, dtype=torch.uint8),
}
REFUSED = {
    "int8 alone": ({"e.weight": int8(ONE)}, r"int8 \(12, 8\) without scales"),
    "fp8 alone": ({"e.weight": TABLE.to(torch.float8_e5m2)}, "float8_e5m2 .* without scales"),
    "nf4 of bitsandbytes": (
        {"e.weight": packed} | {f"e.weight.{name}": part for name, part in STATE.items()},
        r"uint8 \(48, 1\) beside e.weight.absmax",
    ),
    "the same, kept as bfloat16": (
        {"e.weight": torch.zeros(V * D // 4, 1, dtype=torch.bfloat16)}
        | {f"e.weight.{name}": part for name, part in STATE.items()},
        r"bfloat16 \(24, 1\) beside e.weight.absmax",
    ),
    "scales in blocks": ({"e.weight": int8(ONE), "e.weight_scale": torch.ones(V, 2)}, r"beside e.weight_scale"),
    "scales of columns": ({"e.weight": int8(ONE), "e.weight_scale": torch.ones(D)}, r"beside e.weight_scale"),
    "two scales (NVFP4)": (
        {"e.weight": int8(ONE), "e.weight_scale": torch.ones(V), "e.weight_scale_2": torch.ones(1)},
        "beside e.weight_scale, e.weight_scale_2",
    ),
    **{
        f"{dtype} beside {scale}": (
            {"e.weight": TABLE.to(dtype), scale: part},
            rf"{str(dtype).removeprefix('torch.')} \(12, 8\) beside {scale}",
        )
        for dtype, scale, part in [
            (torch.float16, "e.weight_scale", EACH),
            (torch.bfloat16, "e.weight_scale_inv", torch.ones(1)),
            (torch.float32, "e.scale_weight", torch.ones(())),
            (torch.float16, "e.SCB", EACH[:, 0]),
        ]
    },
    "GPTQ": (
        {
            "e.qweight": torch.zeros(V, 2, dtype=torch.int32),
            "e.qzeros": torch.zeros(1, 2, dtype=torch.int32),
            "e.scales": torch.ones(1, D),
            "e.g_idx": torch.zeros(V, dtype=torch.int32),
        },
        "'e.qweight' is quantised: int32",
    ),
    "AWQ": (
        {
            "e.qweight": torch.zeros(V, 1, dtype=torch.int32),
            "e.qzeros": torch.zeros(1, 1, dtype=torch.int32),
            "e.scales": torch.ones(1, D),
        },
        "'e.qweight' is quantised: int32",
    ),
    "packed by compressed-tensors": (
        {"e.weight_packed": torch.zeros(V, 1, dtype=torch.int32), "e.weight_scale": torch.ones(V, 1)},
        "'e.weight_packed' is quantised: int32",
    ),
    "int8 of bitsandbytes in another order": (
        {"e.weight": int8(EACH / 127), "e.SCB": EACH[:, 0], "e.weight_format": torch.tensor(2, dtype=torch.uint8)},
        "beside e.SCB, e.weight_format",
    ),
    "torchao": (
        {"e.weight:qdata": int8(ONE), "e.weight:scale": torch.ones(V, 1)},
        "'e.weight:qdata' is quantised: int8",
    ),
    "four bits of quanto": (
        {"e.weight._data": packed, "e.weight._scale": torch.ones(V, 1)},
        "'e.weight._data' is quantised: uint8",
    ),
    "HQQ": ({"e.W_q": packed, "e.scale": torch.ones(V, 1), "e.zero": torch.ones(V, 1)}, "'e.W_q' is quantised: uint8"),
}


def folder(path, tensors, **config):
    """Write a checkpoint whose input embedding is ``embed_tokens``."""
    path.mkdir(exist_ok=True)
    save_file({name.replace("e.", MODULE, 1): part for name, part in tensors.items()}, path / "model.safetensors")
    (path / "vocab.txt").write_text("\n".join(WORDS))
    (path / "config.json").write_text(json.dumps({"vocab_size": V, "hidden_size": D} | config))
    return path


MODULE = "model.embed_tokens."


@pytest.mark.parametrize("kind", READ)
def test_a_table_with_its_scales_is_the_table(kind, tmp_path):
    space = load_space(folder(tmp_path / "a", READ[kind]))
    step = EACH / 7 if "fp8" in kind else EACH / 100  # three bits, two and their exponents
    step = step if "a row" in kind or "zero" in kind or "bits" in kind else step.clamp_min(TABLE.abs().max() / 100)
    assert ((space.vectors - TABLE).abs() <= step).all()
    assert "is quantised: its" in "; ".join(space.report.notes)
    (tmp_path / "x.vocab").write_text("\n".join(WORDS))
    torch.save(READ[kind], tmp_path / "x.pt")
    save_file(READ[kind], tmp_path / "x.safetensors")
    for file in ("x.pt", "x.safetensors"):
        alone = load_space(tmp_path / file)
        assert torch.equal(alone.vectors, space.vectors)
        assert [note.replace("e.", MODULE, 1) for note in alone.report.notes if "is quantised" in note]
        assert not any("unknown meaning" in note and "scale" in note for note in alone.report.notes)


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("form", ["folder", "x.safetensors", "x.pt"])
def test_what_is_not_sure_is_refused_by_kind(kind, form, tmp_path):
    tensors, message = REFUSED[kind]
    if form == "folder":
        path, message = folder(tmp_path / "a", tensors), message.replace("e.", MODULE)
    else:
        path = tmp_path / form
        (tmp_path / "x.vocab").write_text("\n".join(WORDS))
        torch.save(tensors, path) if form == "x.pt" else save_file(tensors, path)
    with pytest.raises(InputError, match=message) as error:
        load_space(path)
    assert str(path) in str(error.value)
    assert "save the table as float32" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_advice_is_followed(tmp_path):
    with pytest.raises(InputError, match="save the table as float32"):
        load_space(folder(tmp_path / "a", {"e.weight": int8(ONE)}))
    assert torch.equal(load_space(folder(tmp_path / "a", {"e.weight": TABLE})).vectors, TABLE)


def test_rows_of_a_scaled_table_are_read_part_by_part(tmp_path):
    save_file(READ["int8, zero points"], tmp_path / "x.safetensors")
    some = torch.tensor([7, 2])
    with open_rows(tmp_path / "x.safetensors", or_only=True) as rows:
        assert (rows[3:9] - TABLE[3:9]).abs().max() < ONE
        assert torch.equal(rows.take(some, torch.empty(2, D)), torch.cat([rows[7:8], rows[2:3]]))


def test_a_plain_table_of_a_quantised_model_is_read_and_said(tmp_path):
    tensors = {"e.weight": TABLE.bfloat16(), "norm.scale": torch.ones(D)}
    space = load_space(folder(tmp_path / "a", tensors, quantization_config={"quant_method": "gptq"}))
    assert torch.equal(space.vectors, TABLE.bfloat16().float())
    assert "the model is quantised by gptq, but not this table: bfloat16, without scales" in space.report.notes


def test_a_shape_that_the_model_does_not_have_is_no_table_of_its_words(tmp_path):
    with pytest.raises(InputError, match=r"has shape \(12, 8\), but config.json has 12 words and no width of 8"):
        load_space(folder(tmp_path / "a", {"e.weight": TABLE}, hidden_size=16))
    space = load_space(tmp_path / "a", LoadOptions(tensor="model.embed_tokens.weight"))  # the advice
    assert torch.equal(space.vectors, TABLE)


@pytest.mark.filterwarnings("ignore:torch.quantize_per:UserWarning", "ignore:TypedStorage:UserWarning")
@pytest.mark.parametrize("by_row", [True, False])
def test_quantised_tensors_of_pytorch_know_their_scales(by_row, tmp_path):
    scales, zeros = EACH[:, 0] / 127, torch.zeros(V, dtype=torch.long)
    made = (
        torch.quantize_per_channel(TABLE, scales, zeros, 0, torch.qint8)
        if by_row
        else torch.quantize_per_tensor(TABLE, float(ONE), 0, torch.qint8)
    )
    (tmp_path / "x.vocab").write_text("\n".join(WORDS))
    torch.save({"e.weight": made}, tmp_path / "x.pt")
    space = load_space(tmp_path / "x.pt")
    assert torch.equal(space.vectors, made.dequantize())
    assert "'e.weight' is quantised: its qint8 numbers were taken times their scales" in space.report.notes
    assert torch.equal(load_space((WORDS, made)).vectors, space.vectors)


def test_a_quantised_layer_is_refused():
    layer = torch.nn.Embedding(V, D)
    layer.weight = torch.nn.Parameter(int8(ONE), requires_grad=False)
    with pytest.raises(InputError, match="quantised: int8"):
        load_space((WORDS, layer))
    with pytest.raises(InputError, match="quantised: int8"):
        load_space(({word: row for row, word in enumerate(WORDS)}, layer))
    layer = torch.nn.Embedding(V, D, dtype=torch.bfloat16)
    layer.weight.quant_state = object()  # bitsandbytes keeps four bits in any type
    with pytest.raises(InputError, match=r"quantised: bfloat16 \(12, 8\) beside weight.quant_state"):
        load_space((WORDS, layer))
