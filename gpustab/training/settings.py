"""What to train: one checked object, from the command line, a TOML file, or Python.

What is wrong is told for every key at once, in our words, and of a file with the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from gpustab.corpus.sampling import SAMPLINGS, Sampling
from gpustab.corpus.tokenise import CorpusOptions
from gpustab.errors import InputError, first_option, marked, near, option
from gpustab.formats.parsed import parse_toml
from gpustab.formats.plain_text import read_utf8
from gpustab.options import Count, Option, check_seed
from gpustab.trainers import NAMES, Choice, Runs, Stream, check_technique, technique
from gpustab.trainers.base import Parameters

Place = tuple[str, ...]
"""A key, below the tables that it stands in."""

_WANTED = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a table of parameters",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "too_short": "at least {min_length} of them",
}
"""What pydantic's kinds of errors want, in our words."""


class SettingsError(InputError):
    """Settings that are wrong.

    Attributes:
        problems: place and message of every key.
    """

    def __init__(self, problems: Sequence[tuple[Place, str]]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


class TrainingSettings(BaseModel):
    """A training plan.

    Attributes:
        corpus: a path, or ``"sotu"`` or ``"lee"``.
        techniques: what to train.
        samplings: how each run's text is drawn.
        runs: number of runs per technique and sampling.
        seed: of everything random.
        vary: which streams differ between runs. With ``["draw"]`` all runs of a sampling train with one seed, as the
            C tools behind the papers do; with ``["training"]`` they read the same draw.
        jobs: runs trained at the same time, one thread each. On a GPU as many are as its memory holds.
        parallel: joblib's back end: ``"loky"`` processes here, ``"dask"`` or ``"ray"`` for a cluster. What is trained
            on a GPU is trained in this process.
        engine: of sgns and cbow: ``"gpu"`` trains many runs at once, ``"gensim"`` one after the other; ``"auto"`` is
            gpu where that can be used and has been tried on a card (sgns). Same draws, start and distribution of runs,
            but not the same vectors. On a GPU they are the same at every call on the same kind of card.
        half: train on one half of the documents alone; the halves are drawn by ``seed``.
        epochs_by: ``"year:1790-2020:20"``: epochs of 20 years by the column ``year``; see
            :func:`gpustab.corpus.slices.read_epochs`.
        epoch: train on this one of them alone.
        control: 0 for the documents of that epoch, else the number of a split of all documents at random into epochs
            of as many documents each.
        keep_output: also keep each run's output vectors, in the folder ``output`` of its leaf; runs that are there
            without are trained again for them.
        options: how the corpus is prepared.
        parameters: per technique, what differs from its defaults.
    """

    model_config = ConfigDict(extra="forbid")

    corpus: str
    techniques: list[str] = Field(["sgns"], min_length=1)
    samplings: list[Sampling] = Field(list(SAMPLINGS), min_length=1)
    runs: Runs = 8
    seed: int = 0
    vary: list[Stream] = ["draw", "training"]
    jobs: Count = 1
    parallel: str = "loky"
    engine: Choice = "auto"
    half: Literal["", "a", "b"] = ""
    epochs_by: str = ""
    epoch: str = ""
    control: Annotated[int, Option(low=0, high=999)] = 0
    keep_output: bool = False
    options: CorpusOptions = CorpusOptions()
    parameters: dict[str, dict[str, Any]] = {}

    @field_validator("options", mode="before")
    @classmethod
    def _known_options(cls, value: Any) -> Any:
        """Make the options here: pydantic would pass over keys that a dataclass does not know."""
        if not isinstance(value, dict):
            return value
        known = [field.name for field in fields(CorpusOptions)]
        if unknown := next((name for name in value if name not in known), None):
            raise InputError(f"{option(f'options.{unknown}')} is unknown{near(unknown, known)}")
        return CorpusOptions(**value)

    @field_validator("techniques")
    @classmethod
    def _known_techniques(cls, value: list[str]) -> list[str]:
        return [check_technique(name) for name in value]

    @field_validator("seed")
    @classmethod
    def _any_seed(cls, value: int) -> int:
        return check_seed(value)

    @field_validator("techniques", "samplings", "vary")
    @classmethod
    def _once(cls, value: list[str]) -> list[str]:
        return list(dict.fromkeys(value))

    def parameters_of(self, name: str) -> Parameters:
        """Return a technique's parameters, checked.

        Raises:
            InputError: for an unknown technique or parameter, or a value out of range.
        """
        try:
            return technique(name).parameters(**self.parameters.get(name, {}))
        except ValidationError as error:
            known = list(technique(name).parameters.model_fields)
            raise SettingsError([_problem(one, known, (name,)) for one in error.errors()]) from None


def read_settings(content: dict[str, Any]) -> TrainingSettings:
    """Return checked settings from plain values; a key named after a technique holds its parameters.

    Raises:
        InputError: naming every key that is unknown or wrong.
    """
    settings = validated(content)
    unused = set(settings.parameters) - set(settings.techniques)
    if unused:
        raise InputError(f"parameters for {', '.join(sorted(unused))}, which is not among the techniques")
    for name in settings.techniques:
        settings.parameters_of(name)
    return settings


def validated(content: dict[str, Any]) -> TrainingSettings:
    """Return settings whose keys are known and whose values have their types.

    Raises:
        SettingsError: naming every key that is unknown or wrong.
    """
    if "parameters" in content:
        way = f"those of a technique stand under its own name, one of {', '.join(NAMES)}"
        raise SettingsError([(("parameters",), f"parameters is unknown: {way}")])
    parameters = {name: content[name] for name in NAMES if name in content}
    others = {key: value for key, value in content.items() if key not in parameters}
    try:
        return TrainingSettings(**others, parameters=parameters)
    except ValidationError as error:
        known = [*TrainingSettings.model_fields, *NAMES]
        raise SettingsError([_problem(one, known) for one in error.errors()]) from None


def to_toml(settings: TrainingSettings) -> str:
    """Return the settings with all defaults filled in, as TOML that :func:`read_settings` reads back."""
    plain = settings.model_dump(mode="json", exclude={"parameters"})
    options = plain.pop("options")
    tables = {"options": options} | {n: settings.parameters_of(n).model_dump(mode="json") for n in settings.techniques}
    lines = [_line(key, value) for key, value in plain.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items() if value is not None)]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"  # of these values JSON and TOML write all alike


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file that holds a plan or a part of one.

    See :func:`gpustab.training.settings.read_settings`.

    Raises:
        InputError: if it cannot be read, is no TOML, or has a key that is unknown or wrong: with file and line.
    """
    text = read_utf8(path)
    try:
        content = parse_toml(text)
    except ValueError as error:
        raise InputError(f"{path}: this is no TOML: {error}") from None
    try:
        settings = validated({"corpus": "", **content})  # it may be named elsewhere
        for name in settings.parameters:
            settings.parameters_of(name)
    except SettingsError as error:
        raise InputError("; ".join(_placed(path, text, place, message) for place, message in error.problems)) from None
    return content


def _placed(path: Path, text: str, place: Place, message: str) -> str:
    line = line_of(text, place)
    return f"{path}: {f'line {line}: ' if line else ''}{InputError(message)}"  # keys as the file has them, not options


def line_of(text: str, place: Place) -> int | None:
    r"""Return the line of a key in a TOML text, or of the table that it stands in; lines count from 1.

    >>> line_of("runs = 3\n[sgns]\nepoch = 3\n", ("sgns", "epoch"))
    3
    """
    table, nearest = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*+\[([^\[\]]+)\]", line):
            table = header[1].strip().replace('"', "")
            nearest = number if place and table == place[0] else nearest
        elif key := re.match(r"\s*([\w\".-]+)\s*=", line):
            full = ".".join(part for part in (table, key[1].replace('"', "")) if part)
            if full == ".".join(place):
                return number
            nearest = number if full == place[0] else nearest
    return nearest


def _problem(error: ErrorDetails, known: Sequence[str], table: Place = ()) -> tuple[Place, str]:
    """Return place and message of a key that is wrong; of an unknown one with the nearest that is known."""
    place = (*table, *(part for part in error["loc"] if isinstance(part, str) and part != "parameters"))
    ours = error.get("ctx", {}).get("error")
    if isinstance(ours, InputError):  # says itself which value is wrong
        named = first_option(ours)
        message = ": ".join((*table, marked(ours)))
        return (*place, named.rpartition(".")[2]) if named and place == ("options",) else place, message
    key = ".".join(place)
    if error["type"] == "extra_forbidden":
        return place, f"{option(key) if table else key} is unknown{near(place[-1], known)}"
    if error["type"] == "missing":
        return place, f"{option(key)} is missing"
    known_kind = _WANTED.get(error["type"])
    wanted = f"wanted {known_kind.format(**error.get('ctx', {}))}" if known_kind else error["msg"]
    return place, f"{option(key)} is {error['input']!r}, {wanted.replace('Input should be', 'wanted')}"
