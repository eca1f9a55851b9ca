"""How a command takes options: the fields of dataclasses, and arguments of its own, become what Typer reads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import MISSING, make_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import typer

from gpustab.cli.app import FOLDED, PANELS, show_all
from gpustab.cli.complaints import FLAGS, complaining
from gpustab.options import Declared, Option, Options, declarations, declared_by, item_of, members

T = TypeVar("T")

_SHOWN = ("min_count", "layout", "column", "unit")
"""Options of the corpus that every help shows."""


def takes(*bundles: type) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Give a command options: those of some bundles, each received as one argument, and those of its own.

    An argument of its own whose annotation has an :class:`Option` is one. A value that is refused ends the command with
    exit code 2.

    Args:
        bundles: dataclasses whose fields are options. The command names each bundle's parameter after its class:
            ``loading`` for ``Loading``, ``load_options`` for ``LoadOptions``.
    """

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        named = {_snake(bundle.__name__): bundle for bundle in bundles}
        bundled = {name: options_of(bundle) for name, bundle in named.items()}
        arguments, single = _arguments(command, named)
        options = [*single.values(), *(one for several in bundled.values() for one in several)]
        taken = {flag for one in options for flag in one.flags}
        shown = [*arguments, *(one.parameter(taken) for one in options), *_more(options)]

        def with_bundles(**values: Any) -> T:
            values.pop("help_all", None)
            with complaining(whose="" if "--set" in taken else "train's "):
                for name, several in bundled.items():
                    values[name] = named[name](**{one.name: one.read(values.pop(one.name)) for one in several})
                for name, one in single.items():
                    values[name] = one.read(values[name])
                    one.declared.check(name, values[name])
                return command(**values)

        with_bundles.__name__, with_bundles.__doc__ = command.__name__, command.__doc__
        with_bundles.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        with_bundles.__annotations__ = {p.name: p.annotation for p in shown}
        with_bundles.__dict__["bundles"] = bundles
        return with_bundles

    return decorate


class Typed(NamedTuple):
    """An option as it is typed."""

    name: str
    declared: Declared
    default: Any
    help: str
    panel: str | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """How it is written, whatever else the command has."""
        return _flags(self.name, self.declared.option)

    def parameter(self, taken: Collection[str]) -> inspect.Parameter:
        """Return what Typer reads, given the flags that the command's options have for sure."""
        kind, spec, default = self.declared.kind, self.declared.option, self.default
        FLAGS[self.name] = self.flags[0].partition("/")[0]
        if not _is_plain(kind, spec):
            kind, default = (str, MISSING) if default is MISSING else (str | None, _as_typed(default))
        typed = typer.Option(
            *self.flags,
            *(flag for flag in spec.also if flag not in taken),
            help=self.help,
            metavar=spec.metavar or _metavar(self.declared.kind, spec),
            autocompletion=_completion(self.declared.kind, spec),
            rich_help_panel=self.panel,
        )
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[kind, typed],
            default=inspect.Parameter.empty if default is MISSING else default,
        )

    def read(self, value: Any) -> Any:
        """Return the value of what was typed; what cannot be read stays as it is, and its check refuses it."""
        kind, spec = self.declared.kind, self.declared.option
        if value is None:
            return self.default
        if spec.parse or _is_plain(kind, spec):
            return spec.parse(value) if spec.parse else value
        if (item := _item(kind)) is None:
            return _value(value, kind)
        parts = [part.strip() for part in value.split(",")]
        if item in (int, float):
            return tuple(_value(part, item) for part in parts)
        return tuple(dict.fromkeys(filter(None, parts)))


@cache
def options_of(bundle: type) -> list[Typed]:
    """Return the options of a bundle, each with what the docstrings of its class and of the class's bases say of it."""
    typed = {name: one for name, one in declarations(bundle).items() if one.option.typed}
    flags = {name: _flags(name, one.option)[0] for name, one in typed.items()}
    entries = [entry for kind in reversed(bundle.__mro__) for entry in _attributes(kind.__doc__ or "")]
    helps = {name: _plain_text(text, flags) for name, text in entries}
    panel = next((PANELS[kind.__name__] for kind in bundle.__mro__ if kind.__name__ in PANELS), None)
    return [
        Typed(
            name,
            one,
            one.default,
            helps.get(name, one.option.help) + _listed(one.option),
            None if name in _SHOWN and panel == PANELS["CorpusOptions"] else panel,
        )
        for name, one in typed.items()
    ]


def undecided(bundle: type, **defaults: str) -> type:
    """Return a bundle of the same options, none of which need be given: what is not is ``None``.

    Args:
        bundle: the options.
        defaults: what the help says of the defaults that commands choose themselves.
    """
    fields = []
    for one in options_of(bundle):
        chosen = defaults.get(one.name, one.default)
        default = "" if chosen is None else f" Default: {chosen}."
        spec = replace(one.declared.option, help=one.help + default)
        fields.append((one.name, Annotated[one.declared.kind | None, spec], None))
    return make_dataclass(bundle.__name__, fields, bases=(Options,), frozen=True)


def one_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a completion of a name.

    >>> one_of(("sgns", "cbow"))("s")
    ['sgns']
    """
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def several_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a completion of names with commas between, each once.

    >>> several_of(("sgns", "cbow", "lsa"))("cbow,")
    ['cbow,sgns', 'cbow,lsa']
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        left = [name for name in names if name not in before.split(",")]
        return [f"{before}{comma}{name}" for name in left if name.startswith(last)]

    return complete


def _arguments(command: Callable[..., Any], named: Collection[str]) -> tuple[list[inspect.Parameter], dict[str, Typed]]:
    """The arguments of a command that are no bundles: those that Typer knows, and those that are options."""
    hints = get_type_hints(command, include_extras=True)
    arguments, single = [], {}
    for p in inspect.signature(command).parameters.values():
        if any(isinstance(extra, Option) for extra in getattr(hints[p.name], "__metadata__", ())):
            declared = declared_by(hints[p.name], MISSING if p.default is p.empty else p.default)
            single[p.name] = Typed(p.name, declared, declared.default, declared.option.help + _listed(declared.option))
        elif p.name not in named:
            arguments.append(p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY))
    return arguments, single


def _more(options: Sequence[Typed]) -> list[inspect.Parameter]:
    """The option that shows the options which the help leaves out, where there are such."""
    folded = [one.panel for one in options if one.panel in FOLDED]
    if not folded:
        return []
    what = ", ".join(dict.fromkeys(map(str, folded))).lower()
    flag: Any = typer.Option(
        "--help-all",
        is_eager=True,
        expose_value=False,
        callback=show_all,
        help=f"Show {len(folded)} more options and exit: {what}.",
    )
    kind = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter("help_all", kind, annotation=Annotated[bool, flag], default=False)]


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _flags(name: str, spec: Option) -> tuple[str, ...]:
    return spec.flags or (f"--{name.replace('_', '-')}",)


def _is_plain(kind: Any, spec: Option) -> bool:
    """Whether Typer reads it."""
    return spec.parse is None and all(member in (bool, str, Path, list[str]) for member in members(kind))


def _item(kind: Any) -> Any:
    """The type of one of the values that are typed with commas between, or ``None``."""
    return next((item for member in members(kind) if (item := item_of(member)) is not None), None)


def _value(text: str, kind: Any) -> Any:
    """What is typed as a number where a number is wanted, else the text."""
    kinds = members(kind)
    for number in (int, float) if int in kinds else (float,) if float in kinds else ():
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _as_typed(default: Any) -> str | None:
    several = default if isinstance(default, tuple) else () if default is None else (default,)
    return ",".join(map(str, several)) or None


def _choices(kind: Any) -> list[str]:
    return [choice for member in members(kind) if get_origin(member) is Literal for choice in get_args(member)]


def _completion(kind: Any, spec: Option) -> Callable[[str], list[str]] | None:
    item = _item(kind)
    names = spec.names or _choices(kind if item is None else item)
    return (one_of if item is None else several_of)(names) if names else None


def _metavar(kind: Any, spec: Option) -> str | None:
    """What stands for a value: ``<int from 1>``, ``<joint|union>``; ``None``: what Typer says."""
    if (item := _item(kind)) is not None:
        return None if list[str] in members(kind) else f"{_metavar(item, spec) or 'NAME'},..."
    if choices := _choices(kind):
        return f"<{'|'.join(choices)}>"
    number = next((member for member in members(kind) if member in (int, float)), None)
    bounds = spec.bounds.removesuffix(" upwards")
    return f"<{' '.join(filter(None, (number.__name__, bounds)))}>" if number else None


def _listed(spec: Option) -> str:
    return f" Names: {', '.join(spec.names)}." if spec.names else ""


def _attributes(docstring: str) -> list[tuple[str, str]]:
    """The entries of the section Attributes of a docstring; none where Python strips docstrings."""
    section = inspect.cleandoc(docstring).partition("Attributes:\n")[2].split("\n\n")[0]
    return re.findall(r"^    (\w+): (.*(?:\n {8,}.*)*)", section, re.MULTILINE)


def _plain_text(entry: str, flags: dict[str, str]) -> str:
    """An entry of a docstring as help: its options are called as they are typed."""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", " ".join(entry.split()))
    text = re.sub(r"``(.+?)``", lambda quoted: flags.get(quoted[1], quoted[1].strip('"')), text)
    return text if entry.startswith("``") else text[:1].upper() + text[1:]
