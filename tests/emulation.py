"""A CPU that rounds factors of float32 wherever the settings let a GPU, or oneDNN, do it."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

PRODUCTS = {"mm", "bmm", "addmm", "baddbmm", "mv", "dot", "addmv"}


def rounded(x):
    """To the 10 bits of TF32."""
    bits = x.contiguous().view(torch.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(torch.float32)


class Rounding(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.name().split("::")[1].split(".")[0].rstrip("_")
        if name in PRODUCTS and "tf32" in (
            torch.backends.cuda.matmul.fp32_precision,
            torch.backends.mkldnn.matmul.fp32_precision,
        ):
            args = [rounded(x) if isinstance(x, torch.Tensor) and x.dtype == torch.float32 else x for x in args]
        return function(*args, **(kwargs or {}))


@contextlib.contextmanager
def autocast():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        yield
        assert torch.is_autocast_enabled("cpu")


@contextlib.contextmanager
def old_setting():
    """What nearly every training script says."""
    torch.set_float32_matmul_precision("high")
    try:
        with Rounding():
            yield
        assert torch.get_float32_matmul_precision() == "high"
        assert torch.backends.cuda.matmul.allow_tf32
    finally:
        torch.set_float32_matmul_precision("highest")


@contextlib.contextmanager
def new_setting():
    """One word for all back ends, which the old functions refuse to read; what is inherited must stay inherited."""
    matmuls = torch.backends.cuda.matmul, torch.backends.mkldnn.matmul
    for matmul in matmuls:
        matmul.fp32_precision = "none"
    torch.backends.fp32_precision = "tf32"
    try:
        with Rounding():
            yield
        assert [matmul.fp32_precision for matmul in matmuls] == ["tf32", "tf32"]
        torch.backends.fp32_precision = "ieee"
        assert [matmul.fp32_precision for matmul in matmuls] == ["ieee", "ieee"]
    finally:
        torch.backends.fp32_precision = "none"
        torch.set_float32_matmul_precision("highest")


HOSTS = [autocast, old_setting, new_setting]
