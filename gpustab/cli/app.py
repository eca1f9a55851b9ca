"""The application: its commands by name, each imported when it is called, so that the help waits for none of them."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command_from_info
from typer.models import CommandInfo

from gpustab import __version__
from gpustab.errors import near

_WRITTEN = ("output", "average")
"""Options that name a file to write."""
COMMANDS = {
    "train": ("make", "Train runs on your texts, to see what comes back when they are trained again."),
    "stability": ("measure", "Measure how far runs agree: PIP loss, shared neighbours, words, each beside chance."),
    "neighbours": ("measure", "Show the neighbours of a word in every run, and which of them you may trust."),
    "compare": ("measure", "Tell which of two groups of runs is more stable, and which words differ most."),
    "study": ("", "Answer a research question, with tables and figures."),
    "average": ("measure", "Write the average of many runs as one space, and tell how much that gains."),
    "info": ("measure", "Tell what a text or a file of vectors holds, and all that is odd about it."),
    "sweep": ("sweep", "Train a technique with several values of a parameter: what does it do to stability?"),
    "encode": ("encode", "Make runs of contextual encoders, one for each fine-tuning and draw of documents."),
    "pack": ("measure", "Store many large runs in one form, which starts at once and need not fit into memory."),
    "demo": ("make", "Train 15 runs on a small real corpus and measure them: one to three minutes."),
    "doctor": ("machine", "Tell what will run here, and how to mend what will not."),
    "bench": ("machine", "Time this machine: every step is checked first."),
}
"""Where each command lives, and what it does in a line; in the order of the help."""

STUDIES = {
    "instability": ("measure", "Tell how unstable techniques are, why, and if averaging helps (Rettenmeier 2020)."),
    "bootstrap": ("bootstrap", "Tell which neighbours of your words hold over bootstrap runs (Antoniak & Mimno 2018)."),
    "change": ("change", "Find which words moved between periods, and how much of it is noise (Rettenmeier 2020)."),
    "usage": (
        "usage",
        "Tell which words are used differently in two periods, by a contextual encoder (Giulianelli 2020).",
    ),
    "consistency": ("measure", "Tell whether parts of one text give a term the same vector (Bloem et al. 2019)."),
    "thresholds": ("measure", "Find from which cosine on two words are related (Elekes et al. 2018)."),
    "calibration": ("calibration", "Find which similarity a cosine stands for: a curve to apply, with its error."),
    "association": ("measure", "Tell whether word sets are associated beyond one run's luck (Caliskan et al. 2017)."),
    "words": ("measure", "Tell why some words are less stable than others (Wendlandt et al. 2018)."),
    "layers": ("layers", "Tell in which layers fine-tunings of an encoder differ, and on which sentences."),
    "localization": ("localization", "Find whether sentence embeddings follow meaning or form (White 2015)."),
}

PANELS = {
    "CorpusOptions": "Reading the corpus",
    "LoadOptions": "Reading files",
    "Loading": "Joining runs",
    "Computing": "Computing",
    "Showing": "Printing and writing",
}
"""Where the help shows the options that many commands have; those of the command alone come first."""

FOLDED = ("Reading the corpus", "Reading files", "Joining runs", "Computing")
"""Sections of the help that only ``--help-all`` shows: most calls need none of their options."""


def _of_these(example: str, args: Sequence[str]) -> str:
    """Return an example with two groups of the run set that was given, where it is one with two."""
    from gpustab.runs.manifest import is_leaf  # which only a message needs

    given = next((Path(one) for one in args if not one.startswith("-") and Path(one).is_dir()), None)
    leaves = sorted(filter(is_leaf, given.glob("*/*"))) if given else []
    if example.count("RUNSET/") != 2 or len(leaves) < 2:
        return example
    return f"{example.partition(' RUNSET/')[0]} {shlex.join(map(str, leaves[:2]))}"


_REFUSAL: Any = typer.BadParameter.__base__
"""What typer raises for arguments that it does not take; it has no public name."""


class Once(TyperCommand):
    """A command that takes each option once, but those that are made to be given several times.

    Its help leaves out the sections of :data:`FOLDED`, and says so.
    """

    everything = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does."""
        options: list[Any] = [] if self.everything else self.params
        folded = [one for one in options if getattr(one, "rich_help_panel", None) in FOLDED]
        for one in folded:
            one.hidden = True
        try:
            super().format_help(ctx, formatter)
        finally:
            for one in folded:
                one.hidden = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; of an unknown option say the nearest one, of an argument that is missing give an example."""
        try:
            return self._parsed(ctx, args)
        except _REFUSAL as error:
            if hasattr(error, "possibilities"):
                known = [flag for param in self.params for flag in (*param.opts, *param.secondary_opts)]
                error.message = f"No such option: {error.option_name}{near(error.option_name, known)}"
                error.possibilities = None
            elif hasattr(error, "param_type") and (example := re.search("Example: (.+)", self.help or "")):
                error.message = f"For example: {_of_these(example[1], args)}"
            raise

    def _parsed(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and refuse what is given twice, or several files where one corpus is wanted."""
        if not ctx.resilient_parsing and any(param.name == "corpus" for param in self.params):
            _, more, _ = self.make_parser(ctx).parse_args(args=list(args))
            if more and all(Path(name).is_file() for name in more):
                ctx.fail(
                    f"{len(more) + 1:,} files are given, and the corpus is one: give the folder that holds them, "
                    f"{Path(more[0]).parent}"
                )
        left = super().parse_args(ctx, list(args))
        if not ctx.resilient_parsing:
            given, _, order = self.make_parser(ctx).parse_args(args=list(args))
            if lost := _lost(order, given):
                ctx.fail(f"{lost}: this file is read, and writing there would destroy it; give another name")
            for param, times in Counter(order).items():
                if times > 1 and isinstance(param, TyperOption) and not (param.multiple or param.is_flag):
                    if len(names := _typed(param.opts, args)) > 1:
                        ctx.fail(f"{' and '.join(names)} mean the same here: give one")
                    hint = "; words with commas between are one value" if param.metavar and "," in param.metavar else ""
                    hint = "; join the patterns by |" if param.metavar == "PATTERN" else hint
                    ctx.fail(f"{param.opts[0]} is given {times} times, and only the last would count{hint}")
        return left


def _lost(options: Iterable[Any], given: Mapping[str, Any]) -> str:
    """Return the file that would be written, if another option reads it: a list of words as the average of runs."""
    written = [given[one.name] for one in options if isinstance(one, TyperOption) and one.name in _WRITTEN]
    read = [given[one.name] for one in options if isinstance(one, TyperOption) and one.name not in _WRITTEN]
    places = {os.path.realpath(name) for name in read if isinstance(name, str) and "\0" not in name}
    return next((name for name in written if Path(name).is_file() and os.path.realpath(name) in places), "")


def _typed(flags: Sequence[str], args: Sequence[str]) -> list[str]:
    """Return by which of its names an option was given.

    >>> _typed(["--out", "-o", "--output"], ["-opage", "--output=page"])
    ['-o', '--output']
    """
    return [
        flag
        for flag in flags
        if any(arg.partition("=")[0] == flag or (flag[1] != "-" and arg.startswith(flag)) for arg in args)
    ]


class Lazy(TyperGroup):
    """A group whose commands are imported when they are wanted; their list needs none of them."""

    app: App

    def __init__(self, *, commands: Any = None, **how: Any) -> None:
        super().__init__(commands=_Commands(self.app, commands or {}), **how)  # type: ignore[arg-type]
        self._listing = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; a flag that is not given is False, as typer imports pydantic to read None, which doubles the help."""
        for flag in self.get_params(ctx):
            if getattr(flag, "is_flag", False) and flag.default is None:
                flag.default = False
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; of an unknown one, say which there are."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"No such command '{args[0]}'{near(args[0], self.commands)}; there are {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # typer asks so
        """Return their names in the order of the help."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a command; for a list of them, what stands for it."""
        if self._listing and cmd_name in self.commands:
            return TyperCommand(cmd_name, help=self.app.table[cmd_name][1])
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, as Typer does."""
        self._listed(super().format_help, ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the name of a command."""
        return list(self._listed(super().shell_complete, ctx, incomplete))

    def _listed(self, work: Callable[..., Any], *arguments: Any) -> Any:
        self._listing = True
        try:
            return work(*arguments)
        finally:
            self._listing = False


class _Commands(Mapping[str, Any]):
    """The commands of a group by name, in the order of its table."""

    def __init__(self, app: App, there: Mapping[str, Any]) -> None:
        self._app, self._there = app, dict(there)

    def __getitem__(self, name: str) -> Any:
        if name not in self._there:
            module, _ = self._app.table[name]
            import_module(f"{self._app.home}.{module}")
            how: Any = {"pretty_exceptions_short": True, "rich_markup_mode": self._app.rich_markup_mode}
            self._there[name] = get_command_from_info(self._app.brought[name], **how)
        return self._there[name]

    def __contains__(self, name: object) -> bool:
        return name in self._app.table

    def __iter__(self) -> Iterator[str]:
        return iter(self._app.table)

    def __len__(self) -> int:
        return len(self._app.table)


class App(typer.Typer):
    """A Typer whose commands are :class:`Once`, each imported when it is called."""

    def __init__(self, home: str, table: Mapping[str, tuple[str, str]], **how: Any) -> None:
        super().__init__(cls=type("Lazy", (Lazy,), {"app": self}), no_args_is_help=True, **how)
        self.home, self.table = home, table
        self.brought: dict[str, CommandInfo] = {}

    def command(self, name: str | None = None, **how: Any) -> Callable[[Any], Any]:
        """Add a command that is in the table."""

        def decorate(function: Any) -> Any:
            known = name or function.__name__
            add = super(App, self).command(name, cls=Once, short_help=self.table[known][1], **how)
            add(function)
            self.brought[known] = self.registered_commands.pop()
            return function

        return decorate


app = App(
    "gpustab.cli",
    COMMANDS,
    name="gpustab",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
study = App("gpustab.cli.studies", STUDIES, help=COMMANDS["study"][1])
app.add_typer(study, name="study", short_help=COMMANDS["study"][1])


def show_all(ctx: typer.Context, wanted: bool) -> None:
    """Print the help of a command with all of its sections, and end."""
    if wanted and isinstance(ctx.command, Once):
        ctx.command.everything = True
        typer.echo(ctx.get_help())
        raise typer.Exit


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gpustab {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """How much of what you see in word embeddings would still be there if you trained again?

    Example: gpustab train speeches -o RUNSET && gpustab stability RUNSET
    """
