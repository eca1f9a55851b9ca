"""Options that several commands take, as bundles, so that each is written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import typer

from gpustab.errors import InputError
from gpustab.formats import LoadOptions
from gpustab.machine.device import Compute, choose_backend, choose_device
from gpustab.runs import Runs
from gpustab.runs.load import load_groups

T = TypeVar("T")


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    limit: Annotated[int | None, typer.Option(min=1, help="Read at most N rows of each file, before joining.")] = None
    only: Annotated[Path | None, typer.Option(metavar="FILE", help="Read only these words, one a line.")] = None
    dim: Annotated[int | None, typer.Option(min=1, help="Dimensions of text files that do not settle them.")] = None
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Text files have a header line, or none.")
    ] = None
    vocab: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Words of .npy files, one a line; default the file beside.")
    ] = None
    tensor: Annotated[str, typer.Option(help="Name of the vectors in safetensors files.")] = "vectors"
    keep_duplicate: Annotated[
        Literal["first", "last", "error"], typer.Option(help="Which row of a repeated word counts.")
    ] = "first"
    allow_truncated: Annotated[
        bool, typer.Option("--allow-truncated", help="Take the whole rows of a cut or damaged file.")
    ] = False
    allow_count_mismatch: Annotated[
        bool, typer.Option("--allow-count-mismatch", help="Take fewer rows than the header declares.")
    ] = False
    drop_nonfinite: Annotated[
        bool, typer.Option("--drop-nonfinite", help="Leave out words whose vector has NaN or infinity.")
    ] = False
    skip_empty_tokens: Annotated[
        bool, typer.Option("--skip-empty-tokens", help="Leave out rows whose word is empty.")
    ] = False

    def options(self) -> LoadOptions:
        """Return the choices as the library takes them."""
        return LoadOptions(
            limit=self.limit,
            words=None if self.only is None else read_words(self.only),
            dim=self.dim,
            header=self.header,
            vocab=self.vocab,
            tensor=self.tensor,
            keep_duplicate=self.keep_duplicate,
            allow_truncated=self.allow_truncated,
            allow_count_mismatch=self.allow_count_mismatch,
            drop_nonfinite=self.drop_nonfinite,
            skip_empty_tokens=self.skip_empty_tokens,
        )


@dataclass(frozen=True)
class Loading(Reading):
    """How runs are read and joined."""

    jobs: Annotated[int | None, typer.Option(min=1, help="Files read at once; default one per core.")] = None
    center: Annotated[
        bool, typer.Option("--center", help="Subtract the mean vector before scaling to unit length.")
    ] = False
    vocabulary: Annotated[
        Literal["joint", "union"] | None,
        typer.Option(help="Words of all runs (joint, the default), or of at least --min-runs."),
    ] = None
    min_runs: Annotated[int | None, typer.Option(min=1, help="With --vocabulary union; default 2.")] = None

    def load(self, paths: list[Path]) -> list[Runs]:
        """Return the groups of runs behind some paths."""
        return load_groups(
            paths,
            vocabulary=self.vocabulary,
            min_runs=self.min_runs,
            centre=self.center,
            options=self.options(),
            jobs=self.jobs,
        )


def read_words(path: Path) -> list[bytes]:
    """Read words, one a line, as bytes; a BOM and CR at line ends are dropped.

    Raises:
        InputError: if the file cannot be read or holds no word.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    lines = [line.removesuffix(b"\r") for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    words = list(dict.fromkeys(line for line in lines if line))
    if not words:
        raise InputError(f"{path}: no words in this file")
    return words


@dataclass(frozen=True)
class Computing:
    """Where and how to compute."""

    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto"
    precision: Annotated[
        Literal["auto", "fp64", "fp32", "fast"], typer.Option(help="Arithmetic of the PIP losses; fast needs CUDA.")
    ] = "auto"
    backend: Annotated[
        Literal["auto", "torch", "faiss"], typer.Option(help="Neighbour search; the answer is the same.")
    ] = "auto"

    def compute(self) -> Compute:
        """Return the choices, checked against what is here."""
        device = choose_device(self.device)
        if self.precision == "fast" and device.type != "cuda":
            raise InputError("--precision fast needs CUDA: a CPU has no fast bfloat16, and auto is faster there")
        return Compute(device, self.precision, choose_backend(self.backend, device))


@dataclass(frozen=True)
class Showing:
    """What is printed and written."""

    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write summary.json, Parquet tables and report.html here.")
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings of the log.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Tell what is found and done on the way.")] = False


def takes(*bundles: type) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Give a command the options of some bundles; it receives each bundle as one argument.

    Args:
        bundles: dataclasses whose fields are annotated as typer options. The command names each bundle's parameter
            after its class, in lower case.
    """

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        names = {bundle.__name__.lower(): bundle for bundle in bundles}
        hints = get_type_hints(command, include_extras=True)
        own = [
            p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for p in inspect.signature(command).parameters.values()
            if p.name not in names
        ]
        shared = [_parameter(bundle, field) for bundle in bundles for field in fields(bundle)]

        def with_bundles(**values: Any) -> T:
            for name, bundle in names.items():
                values[name] = bundle(**{field.name: values.pop(field.name) for field in fields(bundle)})
            return command(**values)

        with_bundles.__name__, with_bundles.__doc__ = command.__name__, command.__doc__
        with_bundles.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        with_bundles.__annotations__ = {p.name: p.annotation for p in [*own, *shared]}
        return with_bundles

    return decorate


def _parameter(bundle: type, field: Field[Any]) -> inspect.Parameter:
    hint = get_type_hints(bundle, include_extras=True)[field.name]
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
