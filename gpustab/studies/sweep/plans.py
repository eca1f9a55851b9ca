"""The settings of a sweep: which parameters take which values, and what their run sets are called."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from gpustab.corpus.corpus import CorpusOptions
from gpustab.errors import InputError, near, option
from gpustab.kernels.quantise import WHOLE
from gpustab.studies.sweep import TIE
from gpustab.trainers import NAMES, technique

if TYPE_CHECKING:
    from gpustab.training import TrainingSettings

BASELINE = "baseline"
BITS = "bits"
"""Of a number: no parameter of a technique, since finished spaces are rounded."""
MOST_BITS = 16
"""Of a number that is rounded; one of 32 is left as it is."""


class Setting(NamedTuple):
    """One thing to train.

    Attributes:
        label: ``<parameter>=<value>,...`` of what differs from the baseline, or ``baseline``.
        changed: parameters that differ from the baseline, checked values.
        plan: what is trained.
    """

    label: str
    changed: dict[str, Any]
    plan: TrainingSettings

    @property
    def name(self) -> str:
        """Name of its run set: ``<technique>-<label>``."""
        return f"{self.plan.techniques[0]}-{self.label}"


def bits_of(vary: Mapping[str, Sequence[Any]], labels: object = None) -> tuple[int, ...]:
    """Return the bits a number that are asked for, and 32, which is how spaces are trained; none where none are.

    Raises:
        InputError: for bits that are none, or that go together with a parameter, or labels without bits.

    >>> bits_of({"dim": [10, 20], "bits": [4, 1]}), bits_of({"dim": [10, 20]})
    ((1, 4, 32), ())
    """
    if tied := [name for name in vary if BITS in name.split(TIE) and name != BITS]:
        raise InputError(f"{tied[0]}: bits cost no training and go together with nothing; say {BITS}=1,2,4 alone")
    for value in vary.get(BITS, ()):
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not (whole and (1 <= value <= MOST_BITS or value == WHOLE)):
            raise InputError(f"bits is {value!r}, wanted whole numbers from 1 to {MOST_BITS}, or {WHOLE}")
    bits = tuple(sorted({*vary.get(BITS, ()), WHOLE}))
    if BITS in vary and len(bits) < 2:
        raise InputError(f"bits has fewer than two different values ({WHOLE} is always among them), so nothing varies")
    if labels is not None and BITS not in vary:
        raise InputError(f"{option('labels')} has no effect: only where bits vary does a probe learn them")
    return bits if BITS in vary else ()


def settings_of(base: TrainingSettings, vary: Mapping[str, Sequence[Any]], *, grid: bool = False) -> list[Setting]:
    """Return the baseline and every setting that differs from it, each once.

    Args:
        base: the baseline's plan, of one technique.
        vary: values by parameter of the technique, or by option of the corpus; those of ``"a+b"``, which go together,
            are pairs. Bits a number, see :func:`bits_of`, make no settings of their own.
        grid: all combinations of the values, not one parameter at a time.

    Raises:
        InputError: for several techniques, an unknown parameter, a value out of range, or fewer than two values.

    Example:
        >>> from gpustab.training import read_settings
        >>> base = read_settings({"corpus": "lee", "sgns": {"epochs": 10}})
        >>> vary = {"epochs": [10, 20], "negative": [5, 10]}
        >>> [setting.name for setting in settings_of(base, vary)]
        ['sgns-baseline', 'sgns-epochs=20', 'sgns-negative=10']
        >>> [setting.label for setting in settings_of(base, vary, grid=True)]
        ['baseline', 'negative=10', 'epochs=20', 'epochs=20,negative=10']
        >>> tied = {"hierarchical_softmax+negative": [(False, 5), (True, 0)]}
        >>> [setting.label for setting in settings_of(base, tied)]
        ['baseline', 'negative=0,hierarchical_softmax=true']
    """
    if len(base.techniques) != 1:
        raise InputError(f"techniques are {', '.join(base.techniques)}; a sweep is of one")
    if not vary:
        raise InputError("nothing varies; name a parameter and its values")
    if bits_of(vary) and "dim" not in values_of(base):
        raise InputError(f"bits: {base.techniques[0]} has no dim, so that its spaces have no size")
    vary = {parameter: values for parameter, values in vary.items() if parameter != BITS}
    _check_names(base, vary, grid)
    found: dict[str, Setting] = {}
    for choice in ({}, *_choices(vary, grid)):
        setting = _setting(base, choice)
        found.setdefault(setting.name, setting)
    for parameter, values in vary.items():
        if len({_setting(base, _choice(parameter, value)).name for value in values}) < 2:
            shown = ", ".join(map(str, values)) or "none"
            raise InputError(f"{parameter} has fewer than two different values ({shown}), so nothing varies")
    return list(found.values())


def _choices(vary: Mapping[str, Sequence[Any]], grid: bool) -> Iterator[dict[str, Any]]:
    if grid:
        yield from (dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values()))
    else:
        yield from (_choice(parameter, value) for parameter, values in vary.items() for value in values)


def _choice(parameter: str, value: Any) -> dict[str, Any]:
    """One value, or one of each of several parameters that go together.

    >>> _choice("dim", 50), _choice("hierarchical_softmax+negative", (True, 0))
    ({'dim': 50}, {'hierarchical_softmax': True, 'negative': 0})
    """
    names = parameter.split(TIE)
    values = [value] if len(names) == 1 else list(value) if isinstance(value, list | tuple) else [value]
    if len(values) != len(names):
        raise InputError(f"{parameter}: {len(names)} parameters go together, {TIE.join(map(str, values))} is one value")
    return dict(zip(names, values, strict=True))


def _check_names(base: TrainingSettings, vary: Mapping[str, Sequence[Any]], grid: bool) -> None:
    (name,) = base.techniques
    if grid and (tied := [parameter for parameter in vary if TIE in parameter]):
        raise InputError(f"{tied[0]}: parameters that go together are no side of a grid")
    own, options = list(values_of(base)), [field.name for field in fields(CorpusOptions)]
    if unknown := [one for parameter in vary for one in parameter.split(TIE) if one not in own]:
        own = [parameter for parameter in own if parameter not in options]
        said = f"{', '.join(unknown)}: no parameter of {name}"
        if nearest := near(unknown[0], [*own, *options]):
            raise InputError(f"{said}{nearest}")
        raise InputError(
            f"{said}, which has {', '.join(own)}; and no option of the corpus, which are {', '.join(options)}"
            f"{_elsewhere(unknown[0])}"
        )


def _elsewhere(name: str) -> str:
    """Say which techniques have a parameter that this one lacks, or one that is called nearly so."""
    every: dict[str, list[str]] = {}
    for one in NAMES:
        for parameter in technique(one).parameters.model_fields:
            every.setdefault(parameter, []).append(one)
    meant = name if name in every else near(name, every).rpartition(" ")[2]
    hint = "" if meant == name else f"near it is {meant}, which "
    have = " it" * (meant == name)
    return f"; {hint}{', '.join(every[meant])} {'has' if len(every[meant]) == 1 else 'have'}{have}" if meant else ""


def values_of(plan: TrainingSettings) -> dict[str, Any]:
    """Return every value that may vary, checked and with defaults filled in."""
    return {**plan.parameters_of(plan.techniques[0]).model_dump(), **asdict(plan.options)}


def _setting(base: TrainingSettings, choice: Mapping[str, Any]) -> Setting:
    (name,) = base.techniques
    before = values_of(base)
    options = {key: value for key, value in choice.items() if hasattr(base.options, key)}
    for key, value in options.items():
        if isinstance(before[key], bool) and not isinstance(value, bool):
            raise InputError(f"{key} is {value!r}, wanted true or false")
    parameters = {key: value for key, value in choice.items() if key not in options}
    update = {
        "options": replace(base.options, **options),
        "parameters": base.parameters | {name: base.parameters.get(name, {}) | parameters},
    }
    plan = base.model_copy(update=update)
    changed = {key: value for key, value in values_of(plan).items() if value != before[key]}
    # As parts of a folder's name.
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in changed.items()}
    named = ",".join(f"{key}={quote(text, safe='')}" for key, text in texts.items())
    return Setting(named or BASELINE, changed, plan)
