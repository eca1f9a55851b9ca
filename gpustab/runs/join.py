"""Joining several runs into one vocabulary, by word and never by row, and what each row needs to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.errors import some_of
from gpustab.runs.joining import Joining, Rule, require_overlap
from gpustab.runs.key import Key
from gpustab.runs.plan import Header, headers_of, letter_case, plan_join, take_rows
from gpustab.runs.runs import Rows, Runs
from gpustab.spaces.space import LoadReport, Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import as_word, show

_STEP = 8192
_SHORT = float(torch.finfo(torch.float32).tiny)
"""Below it, float32 has fewer digits the smaller a number is."""


def prepare(
    vocabulary: Vocabulary,
    rows: tuple[Rows, ...],
    names: tuple[str, ...],
    joining: Joining,
    *,
    key: Key = Key(),
    counts: Tensor | None = None,
    centre: bool = False,
    unit: bool = True,
    notes: tuple[str, ...] = (),
    seeds: tuple[int | None, ...] = (),
    lengths: Tensor | None = None,
) -> Runs:
    """Make :class:`Runs` of raw rows: find which words are defined, the means and the lengths, one run at a time.

    ``lengths`` are those of the raw rows, ``(R, v)``, where they are known; else all rows are read for them.
    """
    runs, v = len(rows), len(vocabulary)
    d = max(part.shape[1] for part in rows)
    if lengths is None:
        lengths = torch.stack([row_lengths(part) for part in rows])
    means = torch.zeros(runs, d, dtype=torch.float64, device="cpu")
    if centre:
        joint = (lengths > 0).all(0)
        for r, part in enumerate(rows):
            mean = _mean(part, joint)
            means[r, : len(mean)] = mean
            lengths[r] = torch.where(lengths[r] > 0, row_lengths(part, mean), 0)
    present = lengths > 0
    if joining.rule == "joint" and not present.all():
        lost = (~present.all(0)).nonzero().flatten().tolist()
        sample = tuple(vocabulary[k] for k in lost[:5])
        joining = replace(
            joining, undefined=joining.undefined + len(lost), undefined_sample=(joining.undefined_sample + sample)[:5]
        )
        present = present & present.all(0)
    if short := int(((lengths > 0) & (lengths < _SHORT)).any(0).sum()):
        notes += (
            f"{short:,} words have vectors shorter than {_SHORT:.1e}, of which float32 keeps a few digits alone: their "
            "cosines may be some per cent off; scale the vectors before they are saved.",
        )
    widths = sorted({part.shape[1] for part in rows})
    if len(widths) > 1:
        notes += (f"The runs have {', '.join(map(str, widths))} dimensions; they are padded with zeros to {d}.",)
    lengths = lengths.masked_fill(~present, 1)
    assert lengths.shape == (runs, v)  # noqa: S101  # rows and vocabulary were joined together
    return Runs(vocabulary, rows, names, joining, present, means, lengths, key, counts, centre, unit, notes, seeds)


def _steps(rows: Rows) -> Iterator[slice]:
    return (slice(start, min(start + _STEP, rows.shape[0])) for start in range(0, rows.shape[0], _STEP))


def row_lengths(rows: Rows, mean: Tensor | None = None) -> Tensor:
    """Return ``(v,)`` float64 lengths of the rows less a mean row; a row equal to it up to rounding has none."""
    mean = torch.zeros(rows.shape[1], dtype=torch.float64, device="cpu") if mean is None else mean
    lengths = []
    for part in _steps(rows):
        raw = rows[part].cpu().double()
        scale = torch.linalg.vector_norm(raw, dim=1)
        length = torch.linalg.vector_norm(raw - mean, dim=1)
        lengths.append(length.masked_fill(length <= 1e-12 * scale, 0))
    return torch.cat(lengths)


def _mean(rows: Rows, joint: Tensor) -> Tensor:
    total = sum(rows[part].cpu().double()[joint[part]].sum(0) for part in _steps(rows))
    return torch.as_tensor(total, device="cpu") / joint.sum()


class Seen(NamedTuple):
    """What is left of a space without its vectors."""

    name: str
    report: LoadReport | None


def join(
    spaces: Iterable[Space],
    *,
    vocabulary: Rule = "joint",
    min_runs: int | None = None,
    allow_small_overlap: bool = False,
    centre: bool = False,
    unit: bool = True,
    key: Key = Key(),
    notes: tuple[str, ...] = (),
) -> Runs:
    """Bring spaces to one vocabulary; the spaces themselves are not changed.

    Args:
        spaces: the runs.
        vocabulary: see :func:`gpustab.runs.plan.plan_join`.
        min_runs: see :func:`gpustab.runs.plan.plan_join`.
        allow_small_overlap: join runs that share hardly any word, see :mod:`gpustab.runs.joining`.
        centre: subtract the mean over the joint words.
        unit: scale rows to unit length.
        key: what group they form.
        notes: sentences to keep with the runs.

    Raises:
        InputError: if the runs share too few words, or for the reasons of :func:`gpustab.runs.plan.plan_join`.

    Example:
        >>> import torch
        >>> from gpustab.formats.memory import from_pair
        >>> a = from_pair(["x", "y", "z"], torch.eye(3), "a")
        >>> b = from_pair(["z", "x", "w"], torch.eye(3), "b")
        >>> runs = join([a, b])
        >>> list(runs.vocabulary), runs.joining.dropped
        ([b'x', b'z'], 2)
    """
    waiting = list(spaces)
    words, headers = headers_of(waiting)
    plan = plan_join(words, headers, vocabulary=vocabulary, min_runs=min_runs)
    kept = len(plan.vocabulary)
    require_overlap(plan.joining, kept, allow_small_overlap, lambda: letter_case(words, headers, kept))
    notes += with_few_words(headers, kept)
    headers.clear()  # as large as some runs, and needed no more
    names = run_names(waiting)
    notes += load_notes(waiting, names)
    seeds = tuple(seed_in(space.metadata) for space in waiting)
    # Each space is let go as soon as its rows are taken: two copies of all vectors never exist at once.
    rows = tuple(take_rows(waiting.pop(0).vectors, where) for where in plan.rows)
    return prepare(
        plan.vocabulary,
        rows,
        names,
        plan.joining,
        key=key,
        counts=plan.counts,
        centre=centre,
        unit=unit,
        notes=notes,
        seeds=seeds,
    )


def with_few_words(headers: Sequence[Header], kept: int) -> tuple[str, ...]:
    """Return the note on one of three runs or more that has less than half of the words of any other, if it decides.

    Args:
        headers: of the runs.
        kept: how many words are in common.
    """
    if len(headers) < 3:
        return ()
    (least, name), (next_least, _), *_ = sorted((len(one.numbers), one.name) for one in headers)
    if 2 * max(least, kept) >= next_least:
        return ()
    return (
        f"{show(as_word(name))} has only {least:,} words, every other run {next_least:,} or more. So the "
        f"{kept:,} words in common are not those of the others: leave it out to measure these over theirs.",
    )


def seed_in(metadata: Mapping[str, Any]) -> int | None:
    """Return the training seed that the maker of a run recorded."""
    seed = metadata.get("training_seed")
    return seed if isinstance(seed, int) else None


def run_names(spaces: Sequence[Space | Seen]) -> tuple[str, ...]:
    """Return short names where they differ, the full sources where they do not."""
    # Names come from files: their bytes may be no text, or control a terminal.
    short = tuple(show(as_word(space.name)) for space in spaces)
    full = tuple(show(as_word(space.report.source if space.report else space.name)) for space in spaces)
    for names in (short, full):
        if len(set(names)) == len(names):
            return names
    return tuple(f"{name} #{i}" for i, name in enumerate(short))


def load_notes(spaces: Sequence[Space | Seen], names: Sequence[str]) -> tuple[str, ...]:
    """Return what reading the runs found; the same sentence about many runs is said once."""
    about: dict[str, list[str]] = {}
    for space, name in zip(spaces, names, strict=True):
        for note in space.report.notes if space.report else ():
            about.setdefault(note, []).append(name)
    return tuple(f"{some_of(those, 3)}: {note}" for note, those in about.items())
