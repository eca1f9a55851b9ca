"""What every chapter is given: one technique's runs, and how they are measured; and tables as wide as it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from gpustab import engine
from gpustab.engine.gram import gram_fits
from gpustab.errors import InputError
from gpustab.kernels.averaging import Average
from gpustab.kernels.gram import squared_norms
from gpustab.kernels.overlap import Overlap
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.machine.device import DEFAULT, Compute, free_memory
from gpustab.options import LENGTHS
from gpustab.results import Column, Sheet, Table
from gpustab.results.table import names_of
from gpustab.runs.runs import Runs
from gpustab.studies.instability import InstabilityOptions
from gpustab.studies.shared.copies import are_one, as_copies
from gpustab.studies.shared.spaces import Flaws

R = TypeVar("R")


class SameRuns(NamedTuple):
    """Runs of one sampling that are, bit for bit, runs of another."""

    technique: str
    first: Annotated[str, Column(about="sampling")]
    second: Annotated[str, Column(about="another sampling")]
    runs: Annotated[int, Column(about="of the second that are runs of the first")]
    of: Annotated[int, Column(about="runs of the second")]


@dataclass(frozen=True)
class Wide(Sheet[R], Generic[R]):
    """A table with a column for every key of the last field of its rows; a sign may stand before the key."""

    sign: str = ""

    def table(self, rows: Iterable[R] = ()) -> Table[Any]:
        """Return the table of some rows."""
        *names, last = names_of(self.row)
        return Table.of(
            [
                {name: getattr(row, name) for name in names}
                | {f"{self.sign}{key}": value for key, value in getattr(row, last).items()}
                for row in rows
            ]
        )

    def rows(self, tables: Mapping[str, Table[Any]], **wanted: Any) -> Iterator[R]:
        """Yield those of its rows in a result that have the wanted values; none where it is not there."""
        kind: Any = self.row
        *names, _ = names_of(kind)
        for record in tables.get(self.name, Table()).records(**wanted):
            by_key = {name.removeprefix(self.sign): value for name, value in record.items() if name not in names}
            yield kind(*(record[name] for name in names), by_key)


class Lists(NamedTuple):
    """Neighbour lists, their overlap, and the list lengths that the vocabulary allows."""

    lists: engine.NeighbourPass
    overlap: Overlap
    lengths: list[int]


def measure(runs: Runs, compute: Compute, targets: Tensor, known: engine.NeighbourPass | None = None) -> Lists:
    """Return p@n and j@n of all pairs of runs over some targets, whose lists may be known."""
    lists = known or engine.neighbour_pass(runs, targets, max(LENGTHS), compute)
    lengths = [n for n in LENGTHS if n <= lists.k]
    return Lists(lists, engine.overlap_pass(lists, lengths, compute), lengths)


SAME_RUNS = Sheet("same_runs", SameRuns, "one row a pair of samplings that share runs")


@dataclass(frozen=True)
class Technique:
    """One technique, as it is measured.

    Attributes:
        name: of the technique.
        groups: its runs by sampling; ``shuffled`` is among them.
        options: how much is drawn.
        compute: how to compute.
        same: ``(R, R)`` bool, pairs of shuffled runs that are one space twice; ``None`` where nobody looked.
        place: what it was trained by, and what its corpus is called, where there are several.
        notes: sentences on what could not be measured; chapters add theirs.
        flaws: by sampling, what is wrong with its runs; the first chapter looks.
        stems: by the order of the runs, what its tree of averages and those of the halves of the order have in common,
            where that was formed and is small; see :func:`gpustab.studies.instability.trees.stem_of`.
    """

    name: str
    groups: Mapping[str, Runs]
    options: InstabilityOptions = field(default_factory=InstabilityOptions)
    compute: Compute = DEFAULT
    same: Tensor | None = None
    place: tuple[str, str] = ("", "")
    notes: list[str] = field(default_factory=list)
    flaws: dict[str, Flaws] = field(default_factory=dict)
    stems: dict[tuple[int, ...], list[Average]] = field(default_factory=dict)

    @property
    def runs(self) -> Runs:
        """The shuffled runs: what the technique itself does."""
        return self.groups["shuffled"]

    @cached_property
    def joint(self) -> Tensor:
        """Row numbers of the words that all shuffled runs have."""
        return self.runs.joint.nonzero().flatten()

    def measure_losses(self) -> engine.PipPass:
        """Measure the PIP losses of all pairs of shuffled runs; what comes with them in float64 is kept.

        That is a block Gram, or the losses of words and what they are formed of, squared norms and lists of neighbours
        where cosines take fewer products.
        """
        wanted = self._keeps_lists and "_neighbours" not in vars(self) and len(self._targets) == self.runs.words
        nearest = max(LENGTHS) if wanted else 0
        inner = 8 * self.runs.words * len(self.runs) ** 2 <= free_memory(self.runs.device) // 8
        found = engine.pip_pass(self.runs, self.compute, wordwise=True, nearest=nearest, inner=inner)
        basis, kept = found.basis, vars(self)
        kept["reduced"] = found.reduced
        if basis.dtype == torch.float64 and basis.centred is None:
            if basis.moments is not None:
                kept.setdefault("_gram", basis)
            elif basis.arithmetic == torch.float64:
                kept.update(wordwise=basis.wordwise, norms=basis.norms, _lists=basis.lists)
                if basis.inner is not None:
                    kept["_inner"] = basis
        return found

    def _with_losses(self, name: str) -> Any:
        """What comes with the losses where cosines take fewer products, and no Gram is at hand; else nothing."""
        if "_gram" in vars(self) or not engine.fewer_products(self.runs, self.compute):
            return None
        if "reduced" not in vars(self):
            self.measure_losses()
        return vars(self).get(name)

    @cached_property
    def reduced(self) -> Tensor:
        """``(R(R-1)/2,)``, the reduced PIP losses of all pairs of shuffled runs."""
        return self.measure_losses().reduced

    @property
    def gram(self) -> engine.GramPass | None:
        """The float64 block Gram of the shuffled runs, or none where cosines take fewer products.

        It is kept where it is small, since half of the chapters read it.
        """
        if "_gram" not in vars(self) and engine.fewer_products(self.runs, self.compute):
            return None
        return self._gram if self._keeps_gram else engine.gram_pass(self.runs, self.compute, torch.float64)

    @property
    def of_words(self) -> engine.GramPass | None:
        """What the losses of single words are formed of: the block Gram or, where these take fewer, inner products.

        It is none where the words' cosines are formed again.
        """
        inner: engine.GramPass | None = self._with_losses("_inner")
        return inner or self.gram

    @cached_property
    def _gram(self) -> engine.GramPass:
        return engine.gram_pass(self.runs, self.compute, torch.float64)

    @property
    def _keeps_gram(self) -> bool:
        """Whether the block Gram is kept: what is kept stays, though less memory is free beside it."""
        return "_gram" in vars(self) or gram_fits(self.runs, self.compute)

    @cached_property
    def norms(self) -> Tensor:
        """``‖C_ij‖²`` of all pairs of shuffled runs, ``(R, R)``."""
        if (found := self._with_losses("norms")) is not None:
            return torch.as_tensor(found, device="cpu")
        if self._keeps_gram:
            return squared_norms(self._gram.gram)
        return engine.norms_pass(self.runs, self.compute)

    @cached_property
    def wordwise(self) -> WordwisePip:
        """The PIP losses of the words of the shuffled runs."""
        found: WordwisePip | None = self._with_losses("wordwise")
        return found or engine.wordwise_pass(self.runs, self.gram or self._gram, self.compute)

    @property
    def neighbours(self) -> Lists:
        """The neighbours of the shuffled runs' usual targets; kept where they are small."""
        return self._neighbours if self._keeps_lists else self._measured()

    @cached_property
    def _neighbours(self) -> Lists:
        return self._measured()

    @cached_property
    def _targets(self) -> Tensor:
        return engine.draw_targets(self.runs, seed=self.seed)

    def _measured(self) -> Lists:
        return measure(self.runs, self.compute, self._targets, vars(self).pop("_lists", None))

    @property
    def _keeps_lists(self) -> bool:
        """Whether lists are kept: they are already, or those of all words take at most an eighth of free memory."""
        if "_neighbours" in vars(self):
            return True
        size = 17 * len(self.runs) * self.runs.words * max(LENGTHS)  # a number, a cosine, and whether it is tied
        return size <= free_memory(self.runs.device) // 8

    def neighbours_of(self, targets: Tensor) -> tuple[engine.NeighbourPass, Tensor, list[int]]:
        """Return the neighbours of some words, p@n of each ``(N, t)``, and the values of n.

        The usual targets are drawn in one order: fewer are some of them, and are not searched for again.
        """
        targets = targets.to(self.runs.device)
        every = self._neighbours if self._keeps_lists else measure(self.runs, self.compute, targets)
        places = torch.searchsorted(every.lists.targets, targets).clamp(max=len(every.lists.targets) - 1)
        if not torch.equal(every.lists.targets[places], targets):
            every, places = measure(self.runs, self.compute, targets), torch.arange(len(targets), device=targets.device)
        lists = every.lists
        fields = {name: getattr(lists, name)[:, places] for name in ("indices", "cosines", "tied", "present")}
        return lists._replace(targets=targets, **fields), every.overlap.p_word[:, places].cpu(), every.lengths

    @property
    def seed(self) -> int:
        """Of every draw."""
        return self.options.seed

    @property
    def is_one(self) -> bool:
        """Whether all shuffled runs are copies of one."""
        return are_one(self.same)

    def as_copies(self, values: Tensor) -> Tensor:
        """Return values ``(n, R)`` with those of copies made equal to the bit: rounding is no spread."""
        return as_copies(values, self.same)

    def without_copies(self, matrices: Tensor) -> Tensor:
        """Return pair matrices ``(..., R, R)`` of losses in which copies have none: rounding is no distance."""
        return matrices if self.same is None else matrices.masked_fill(self.same, 0)

    def draw(self, words: int) -> Tensor:
        """Return row numbers of some joint words."""
        order = torch.randperm(len(self.joint), generator=torch.Generator().manual_seed(self.seed), device="cpu")
        return self.joint[order[:words]]

    def word_pairs(self) -> tuple[Tensor, Tensor]:
        """Return the drawn pairs of joint words, as places among these."""
        pairs = draw_words(len(self.joint), self.options.pairs, self.seed)[:, :2].to(self.joint.device)
        first, second = pairs.T
        return first, second


def draw_words(words: int, count: int, seed: int) -> Tensor:
    """Draw ``(count, 4)`` words, different within a row; none comes again before all have come."""
    if words < 4 or count < 1:
        raise InputError(f"{count} times 4 of {words} words are wanted; it takes at least 1 row and 4 words")
    generator = torch.Generator().manual_seed(seed)
    rounds = -(-count // (words // 4))
    orders = [
        torch.randperm(words, generator=generator, device="cpu")[: words // 4 * 4].view(-1, 4) for _ in range(rounds)
    ]
    return torch.cat(orders)[:count]
