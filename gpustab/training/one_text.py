"""A run set holds runs of one text: whether what is to be trained there is the text of what was trained before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError
from gpustab.formats.parsed import read_json
from gpustab.results.page import counted
from gpustab.runs.key import ENCODER, Key, Part
from gpustab.runs.manifest import PLAN, is_runset, run_files
from gpustab.runs.runset import lies_in_another, read_entries
from gpustab.training.plan import corpus_record, differences_of_reading, part_of
from gpustab.training.settings import TrainingSettings


class _Before(NamedTuple):
    """Runs that are there: what they are, and the settings and the text that they were trained with."""

    key: Key
    made: Mapping[str, Any]
    text: Mapping[str, Any]


def check_text(folder: Path, settings: TrainingSettings, whole: Corpus, part: Part, corpus: Corpus) -> None:
    """Refuse a text that is not the one of a run set, by its fingerprint: words, counts, tokens and boundaries.

    Runs of the same unit and part are asked first. Where there are none, the part and the unit of others are made of
    the text at hand, so that halves, periods and sentences of one text go together.

    Args:
        folder: the run set, which need not be there.
        settings: the plan.
        whole: its corpus.
        part: what of it is trained.
        corpus: that part.

    Raises:
        InputError: with both texts, or with what is read otherwise, and the way on.
    """
    like = (settings.options.unit, settings.options.fraction, part)
    before = sorted(_there(folder), key=lambda one: _like(one.key) != like)
    if not before:
        return
    first = before[0]
    now = corpus if _like(first.key) == like else _as_before(first, settings, whole)
    if now is not None and now.hash == first.text["hash"]:
        return
    otherwise = differences_of_reading(first.made.get("options", {}), settings)
    if first.text.get("name") == whole.name and otherwise:
        if first.key.technique in settings.techniques and _like(first.key) == like:
            return  # its plan tells these differences, and all others
        raise InputError(
            f"{folder}: holds runs of {whole.name} with other settings: {'; '.join(otherwise)}; runs that are compared "
            f"have one text, so take those, or another folder: {_call(folder, settings, whole)}"
        )
    text = f"{whole.name}{', as it is now,' * (first.text.get('name') == whole.name)}"
    raise InputError(
        f"{folder}: holds runs of {_said(first.text, first.key.unit)}; {text} is another text: "
        f"{_said(corpus_record(now or corpus), whole.unit)}. A run set holds one; take another folder: "
        f"{_call(folder, settings, whole)}"
    )


def _there(folder: Path) -> Iterator[_Before]:
    """Yield the runs of a run set that say what text they are of; also those of a training that has not ended."""
    entries = read_entries(folder) if is_runset(folder) else []
    ways = [(entry.key, entry.made) for entry in entries]
    named = {entry.path for entry in entries}
    for path in sorted(folder.rglob(PLAN)) if folder.is_dir() else ():
        place = path.parent.relative_to(folder).as_posix()
        if place not in named and run_files(path.parent) and not lies_in_another(path.parent, folder):
            try:
                made = read_json(path)
            except ValueError:
                continue  # training itself says that it is damaged
            leaf, _, parts = place.partition("/")[2].partition("/")
            part = tuple((name, value) for name, _, value in (one.partition("=") for one in parts.split("/") if one))
            read = Key.of_path(f"{place.partition('/')[0]}/{leaf}")
            ways.append((Key(read.technique, read.sampling, read.unit, read.fraction, part), made))
    for key, made in ways:
        text = made.get("corpus") if isinstance(made, dict) else None
        if key.technique != ENCODER and isinstance(text, dict) and "hash" in text:
            yield _Before(key, made, text)


def _as_before(before: _Before, settings: TrainingSettings, whole: Corpus) -> Corpus | None:
    """Return the text at hand in the unit and the part of runs that are there; None where it has no such part."""
    part = dict(before.key.part)
    fields = {name: before.made.get(name, getattr(settings, name)) for name in ("seed", "epochs_by")}
    fields |= {"half": part.get("half", ""), "epoch": part.get("epoch", ""), "control": int(part.get("control", 0))}
    try:
        drawn: dict[str, Any] = {"unit": before.key.unit, "fraction": before.key.fraction}
        if any(getattr(settings.options, name) != value for name, value in drawn.items()):
            whole = prepare_corpus(settings.corpus, replace(settings.options, **drawn, as_is=True), look=False)
        return part_of(whole, settings.model_copy(update=fields))[1]
    except InputError:
        return None


def _like(key: Key) -> tuple[str, float, Part]:
    """What of a text is trained: texts of two fingerprints are two texts where these are one."""
    return key.unit, key.fraction, key.part


def _said(text: Mapping[str, Any], unit: str) -> str:
    """Say what a text is, by its record."""
    sizes = (text.get("units"), unit), (text.get("tokens"), "running word")
    known = ", ".join(counted(size, noun) for size, noun in sizes if isinstance(size, int))
    return f"{text.get('name', 'a text')} ({known})" if known else str(text.get("name", "a text"))


def _call(folder: Path, settings: TrainingSettings, whole: Corpus) -> str:
    """Return the call that trains a text into a folder of its own."""
    other = folder.with_name(f"{folder.name}-{Path(whole.name).stem}")
    number = 2
    while other.exists():
        other = folder.with_name(f"{folder.name}-{Path(whole.name).stem}-{number}")
        number += 1
    techniques = ",".join(settings.techniques)
    chosen = f" --technique {techniques}" if techniques != "sgns" else ""
    return f"gpustab train {quote(whole.name)} -o {quote(str(other))}{chosen}"
