"""Options of commands: dataclasses whose fields say how they are typed, so that each is written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_type_hints

import typer

from gpustab.cli.complaints import FLAGS, complaining
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.machine.job import is_one_of_several, number_here
from gpustab.options import Option
from gpustab.runs.key import Key
from gpustab.runs.loading import Loading
from gpustab.runs.paths import files_of

if TYPE_CHECKING:
    from gpustab.machine.device import Compute
    from gpustab.runs.group import Group

T = TypeVar("T")


def open_runs(
    paths: list[Path],
    load_options: LoadOptions,
    loading: Loading = Loading(),
    named: Sequence[str] = (),
    *,
    single_runs: bool = False,
) -> list[Group]:
    """Return the groups behind what was typed, to be read as was typed.

    Args:
        paths: files, leaves and run sets.
        load_options: how files are read.
        loading: how runs are joined.
        named: further groups of files, ``NAME=FILES`` each; FILES may be a pattern, and a name may come again.
        single_runs: also take groups of one run.
    """
    from gpustab.runs.load import open_groups

    how = replace(loading, options=load_options)
    groups = open_groups(paths, how, single_runs=single_runs) if paths or not named else []
    together: dict[str, list[Path]] = {}
    for text in named:
        name, files = _named_files(text)
        together.setdefault(name, []).extend(files)
    for name, files in together.items():
        found = open_groups(files, how, name=name, single_runs=single_runs)
        if len(found) > 1:
            raise InputError(f"{option('group', name)}: is {len(found)} groups; name one of them, or give it as RUNS")
        groups.append(replace(found[0], key=Key.of_path(name)))
    return groups


def open_two(first: str, second: str, load_options: LoadOptions, loading: Loading) -> list[Group]:
    """Return two groups, each a leaf, a run set of one group, or ``NAME=FILES``.

    Two of one name are also called by what was typed.

    Raises:
        InputError: if one of them is several groups.
    """
    from gpustab.runs.load import only_group

    groups = []
    for text in (first, second):
        named = "=" in text and not Path(text).exists()
        found = open_runs([] if named else [Path(text)], load_options, loading, [text] if named else [])
        groups.append(only_group(found))
    if groups[0].key != groups[1].key:
        return groups
    parts = [(*group.key.part, ("of", text)) for group, text in zip(groups, (first, second), strict=True)]
    return [replace(group, key=replace(group.key, part=part)) for group, part in zip(groups, parts, strict=True)]


def _named_files(text: str) -> tuple[str, list[Path]]:
    name, equals, pattern = text.partition("=")
    if not (name and equals and pattern):
        raise InputError(f"{option('group')} is '{text}', wanted NAME=FILES, as in sgns=a*.txt")
    try:
        return name, files_of(pattern)
    except InputError:
        raise InputError(f"{option('group')} is '{text}': there is no file {pattern}") from None


@dataclass(frozen=True)
class Computing:
    """Where and how to compute."""

    device: Annotated[str, Option("auto, cpu, cuda or cuda:N.")] = "auto"
    precision: Annotated[
        Literal["auto", "1e-6", "fp64", "fp32", "fast"],
        Option("Arithmetic of the PIP losses, or their largest error; fast needs CUDA."),
    ] = "auto"
    backend: Annotated[Literal["auto", "torch", "faiss"], Option("Neighbour search; the answer is the same.")] = "auto"

    def leave(self, name: str, why: str) -> Computing:
        """Refuse a choice that a command could only ignore.

        Raises:
            InputError: if it was given.
        """
        if (value := getattr(self, name)) != getattr(Computing, name):
            raise InputError(f"{option(name, value)} has no effect here: {why}")
        return self

    def compute(self) -> Compute:
        """Return the choices, checked against what is here."""
        from gpustab.machine.device import Compute, choose_backend, choose_device

        device = choose_device(self.device)
        if self.precision == "fast" and device.type != "cuda":
            raise InputError(
                f"{option('precision', 'fast')} needs CUDA: a CPU has no fast bfloat16, and auto is faster there"
            )
        return Compute(device, self.precision, choose_backend(self.backend, device))

    @contextmanager
    def shared(self) -> Iterator[Compute]:
        """Yield the choices with the processes of torchrun that share the work, each on a card of its own."""
        from gpustab.machine.ranks import ranks_of_torchrun

        compute = self.compute()
        if is_one_of_several() and compute.device.type == "cuda" and compute.device.index is None:
            compute = replace(self, device=f"cuda:{number_here()}").compute()
        with ranks_of_torchrun(compute.device) as ranks:
            yield replace(compute, ranks=ranks)


@dataclass(frozen=True)
class Showing:
    """What is printed and written."""

    folder: ClassVar[str] = "out"
    """The option that names where."""

    out: Annotated[Path | None, Option("Write report.html, summary.json, figures and tables here.", metavar="DIR")] = (
        None
    )
    force: Annotated[bool, Option("Replace the result, or the file, that is there already.")] = False
    json: Annotated[bool, Option("Print one JSON object and nothing else.")] = False
    quiet: Annotated[bool, Option("No progress, no warnings of the log.", ("--quiet", "-q"))] = False
    verbose: Annotated[bool, Option("Tell what is found and done on the way.", ("--verbose", "-v"))] = False


_PANELS: dict[type, str] = {
    LoadOptions: "Reading files",
    Loading: "Joining runs",
    Computing: "Computing",
    Showing: "Printing and writing",
}
"""Where the help shows the options that many commands have; those of the command alone come first."""


def takes(*bundles: type) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Give a command the options of some bundles; it receives each bundle as one argument.

    Args:
        bundles: dataclasses whose fields carry an :class:`Option`; fields without one keep their defaults. The command
            names each bundle's parameter after its class: ``loading`` for ``Loading``, ``load_options`` for
            ``LoadOptions``.
    """

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        names = {_snake(bundle.__name__): bundle for bundle in bundles}
        hints = get_type_hints(command, include_extras=True)
        own = [
            p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for p in inspect.signature(command).parameters.values()
            if p.name not in names
        ]
        shared = [_parameter(*typed, _panel(bundle)) for bundle in bundles for typed in _typed(bundle)]

        def with_bundles(**values: Any) -> T:
            with complaining():
                for name, bundle in names.items():
                    given = {field.name: _read(spec, values.pop(field.name)) for field, spec, _ in _typed(bundle)}
                    values[name] = bundle(**given)
            return command(**values)

        with_bundles.__name__, with_bundles.__doc__ = command.__name__, command.__doc__
        with_bundles.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        with_bundles.__annotations__ = {p.name: p.annotation for p in [*own, *shared]}
        return with_bundles

    return decorate


def undecided(bundle: type, panel: str) -> type:
    """Return a bundle of the same options, none of which need be given: what is not is ``None``."""
    typed = [(field.name, Annotated[kind | None, spec], None) for field, spec, kind in _typed(bundle)]
    made = make_dataclass(bundle.__name__, typed, frozen=True)
    _PANELS[made] = panel
    return made


def _panel(bundle: type) -> str | None:
    return next((panel for kind, panel in _PANELS.items() if issubclass(bundle, kind)), None)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _typed(bundle: type) -> list[tuple[Field[Any], Option, Any]]:
    """The fields of a bundle that are typed on a command line: each with how, and its type."""
    hints = get_type_hints(bundle, include_extras=True)
    found = []
    for field in fields(bundle):
        kind, *extras = get_args(hints[field.name]) if hasattr(hints[field.name], "__metadata__") else (None,)
        found += [(field, extra, kind) for extra in extras if isinstance(extra, Option)]
    return found


def _parameter(field: Field[Any], spec: Option, kind: Any, panel: str | None) -> inspect.Parameter:
    flags = spec.flags or (f"--{field.name.replace('_', '-')}",)
    FLAGS[field.name] = flags[0].partition("/")[0]
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    if spec.parse:
        kind, default = (str | None, None) if default is None else (str, spec.default)
    typed = typer.Option(*flags, help=spec.help, metavar=spec.metavar, min=spec.low, rich_help_panel=panel)
    annotation = Annotated[kind, typed]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _read(spec: Option, value: Any) -> Any:
    return spec.parse(value) if spec.parse and value is not None else value
