"""What commands have in common: where to compute, what to show, and the runs that were named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from gpustab.cli.takes import undecided
from gpustab.corpus.options import CORPORA, CorpusOptions
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.source import near_file
from gpustab.machine.job import is_one_of_several, number_here
from gpustab.options import FigureFormat, Option, Options
from gpustab.runs.joining import LEAST_RUNS, Loading
from gpustab.runs.key import Key
from gpustab.runs.paths import files_of, look, too_few

if TYPE_CHECKING:
    from gpustab.machine.device import Compute
    from gpustab.runs.group import Group

_SCHEME = re.compile(r"[A-Za-z][\w+.-]+:")
"""Of two letters or more: one is a drive."""


def check_device(name: str) -> None:
    """Refuse what is no name of a device; whether it is here, torch says."""
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", name):
        raise InputError(f"{option('device')} is '{name}', wanted auto, cpu, cuda or cuda:N")


Corpus = undecided(CorpusOptions, min_count="2 to 20, by the size of the text")
"""How a corpus is read, as far as it is said."""

_START = 4096
"""Bytes of a file that tell a text from vectors."""

Device = Annotated[str, Option(each=check_device)]


@dataclass(frozen=True)
class Computing(Options):
    """Where and how to compute.

    Attributes:
        device: ``auto``, cpu, cuda or cuda:N.
        precision: arithmetic of the PIP losses, or their largest error; fast needs CUDA.
        backend: neighbour search; the answer is the same.
    """

    device: Device = "auto"
    precision: Literal["auto", "1e-6", "fp64", "fp32", "fast"] = "auto"
    backend: Literal["auto", "torch", "faiss"] = "auto"

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


def check_place(path: Path) -> None:
    """Refuse what a shell or a cloud would read as another place: a folder of this name would be made here."""
    first = path.parts[0] if path.parts else ""
    if Path(first).exists():
        return
    if first.startswith("~"):
        raise InputError(
            f"{path}: ~ is your home only where a shell reads it, without quotation marks; say {_home(path)}"
        )
    if _SCHEME.fullmatch(first):
        raise InputError(f"{path}: this is an address, and only folders of this machine are written to")


def _home(path: Path) -> Path:
    """Return a path with the home folder for its ~, as it is where nobody is called so."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


@dataclass(frozen=True)
class Showing(Options):
    """What is printed and written.

    Attributes:
        out: folder of the page: report.html, with summary.json, figures and tables beside it.
        figures: formats of the figures in that folder: svg, pdf, png (300 dpi); several with commas.
        force: replace the result, or the file, that is there already.
        json: print one JSON object and nothing else.
        quiet: print no progress and no warnings.
        verbose: print every table, and what is found and done on the way.
    """

    out: Annotated[Path | None, Option(also=("-o", "--output"), metavar="DIR", each=check_place)] = None
    figures: tuple[FigureFormat, ...] = ("svg",)
    force: bool = False
    json: bool = False
    quiet: Annotated[bool, Option(flags=("--quiet", "-q"))] = False
    verbose: Annotated[bool, Option(flags=("--verbose", "-v"))] = False


def made(what: str, metavar: str) -> Option:
    """Return the option of a command that makes something: where that goes. Its ``--out`` is the page about it."""
    return Option(
        f"What the command makes: {what}. --out is the folder of a page about it.",
        ("-o", "--output"),
        metavar=metavar,
        each=check_place,
    )


def want(output: Path | None, what: str) -> Path:
    """Return where goes what a command makes, or refuse to go on."""
    if output is None:
        raise InputError(
            f"give {option('output')}: where {what} goes; {option('out')} is the folder of a page about it"
        )
    return output


def parameters_of(what: str) -> Option:
    """Return the option of parameters that are set one by one."""
    return Option(f"Of {what}.", ("--set",), metavar="T.PARAMETER=VALUE")


def check_corpus(name: str) -> None:
    """Refuse a corpus that is not there."""
    if name not in CORPORA and not Path(name).exists():
        raise InputError(f"{name}: there is no such file, folder or corpus{near_file(Path(name), CORPORA)}")


def check_runs(paths: Sequence[Path], named: Sequence[str] = (), least: int = LEAST_RUNS) -> None:
    """Refuse runs that are not there, or too few, before anything is imported that reads them."""
    together = _named_files(named)
    if least > 1 and len(paths) == 1 and paths[0].is_file():
        _want_vectors(paths[0])
    if paths or not named:
        look(paths, least)
    for name, files in together.items():
        if len(files) < least and not any(file.is_dir() for file in files):
            raise InputError(too_few(name, len(files)))


def check_models(folders: Sequence[str]) -> list[Path]:
    """Return the folders of models; what is none is refused before what reads it is imported."""
    paths = [Path(folder) for folder in folders]
    if missing := [path for path in paths if not path.is_dir()]:
        raise InputError(f"{missing[0]}: there is no such folder of a model{near_file(missing[0])}")
    if empty := [
        path for path in paths if not any((path / name).is_file() for name in ("config.json", "modules.json"))
    ]:
        raise InputError(f"{empty[0]}: holds no encoder: there is no config.json")
    return paths


def _want_vectors(path: Path) -> None:
    """Refuse a text, most of whose words have no digit; without torch, as all refusals before the runs are read."""
    with path.open("rb") as file:
        start = file.read(_START)
    words = start.split()
    if b"\0" not in start and 2 * sum(any(48 <= sign <= 57 for sign in word) for word in words) < len(words):
        raise InputError(f"{path}: is a text and no file of vectors; runs are trained on it by gpustab train")


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
    for name, files in _named_files(named).items():
        found = open_groups(files, how, name=name, single_runs=single_runs)
        if len(found) > 1:
            raise InputError(f"{option('group', name)}: is {len(found)} groups; name one of them, or give it as RUNS")
        groups.append(replace(found[0], key=Key.of_path(name)))
    return groups


def _named_files(named: Sequence[str]) -> dict[str, list[Path]]:
    """Return the files of groups ``NAME=FILES`` by name; a name may come again."""
    together: dict[str, list[Path]] = {}
    for text in named:
        name, _, pattern = text.partition("=")
        if not (name and pattern):
            raise InputError(f"{option('group')} is '{text}', wanted NAME=FILES, as in sgns=a*.txt")
        try:
            together.setdefault(name, []).extend(files_of(pattern))
        except InputError:
            ways = (
                f"; one pattern stands for several files, as in '{name}={_common(pattern)}'" if "," in pattern else ""
            )
            raise InputError(f"'{text}': there is no file {pattern}{ways}") from None
    return together


def _common(listed: str) -> str:
    """Return the pattern that names with commas between have in common.

    >>> _common("a1.txt,a2.txt"), _common("x.vec,y.vec")
    ('a*.txt', '*.vec')
    """
    names = [name.strip() for name in listed.split(",")]
    start = _beginning(names)
    end = _beginning([name[len(start) :][::-1] for name in names])[::-1]
    return f"{start}*{end}"


def _beginning(names: Sequence[str]) -> str:
    """Return the letters that all names begin with."""
    together = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in together)
