"""Options that several commands take, as bundles, so that each is written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import typer

from gpustab.device import Compute, choose_backend, choose_device
from gpustab.formats import LoadOptions
from gpustab.load import load_groups
from gpustab.runs import Runs

T = TypeVar("T")


@dataclass(frozen=True)
class Loading:
    """How runs are read and joined."""

    limit: Annotated[int | None, typer.Option(min=1, help="Read at most N rows of each file, before joining.")] = None
    center: Annotated[
        bool, typer.Option("--center", help="Subtract the mean vector before scaling to unit length.")
    ] = False
    vocabulary: Annotated[
        Literal["joint", "union"], typer.Option(help="Words of all runs, or of at least --min-runs.")
    ] = "joint"
    min_runs: Annotated[int | None, typer.Option(min=1, help="With --vocabulary union; default 2.")] = None
    dim: Annotated[int | None, typer.Option(min=1, help="Dimensions of text files that do not settle them.")] = None
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Text files have a header line, or none.")
    ] = None
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

    def load(self, paths: list[Path]) -> list[Runs]:
        """Return the groups of runs behind some paths."""
        options = LoadOptions(
            limit=self.limit,
            dim=self.dim,
            header=self.header,
            keep_duplicate=self.keep_duplicate,
            allow_truncated=self.allow_truncated,
            allow_count_mismatch=self.allow_count_mismatch,
            drop_nonfinite=self.drop_nonfinite,
            skip_empty_tokens=self.skip_empty_tokens,
        )
        return load_groups(
            paths, vocabulary=self.vocabulary, min_runs=self.min_runs, centre=self.center, options=options
        )


@dataclass(frozen=True)
class Computing:
    """Where and how to compute."""

    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto"
    precision: Annotated[Literal["auto", "fp64", "fp32"], typer.Option(help="Arithmetic of the PIP losses.")] = "auto"
    backend: Annotated[
        Literal["auto", "torch", "faiss"], typer.Option(help="Neighbour search; the answer is the same.")
    ] = "auto"

    def compute(self) -> Compute:
        """Return the choices, checked against what is here."""
        device = choose_device(self.device)
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
