"""What of a background and a text is kept until the study is done, and under which name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gpustab.machine.environment import environment
from gpustab.options import record
from gpustab.runs.runs import Runs
from gpustab.studies.consistency.measures import Consistency, LeftOut
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.places import Own, Ranks
from gpustab.studies.consistency.prepare import Prepared
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.same_runs import fingerprints

T = TypeVar("T")

KINDS = (Consistency, LeftOut, Ranks, Own)


class Kept:
    """The finished parts of one background's study of one text.

    Args:
        finished: where they are kept.
        *said: all that their numbers depend on.
    """

    def __init__(self, finished: Finished, *said: Any) -> None:
        self._finished, self._said = finished, said

    @property
    def keeps(self) -> bool:
        """Whether anything is kept."""
        return self._finished.folder is not None

    def part(self, name: str, make: Callable[[], T]) -> T:
        """Return a part that is finished, or make it and keep it."""
        if not self.keeps:
            return make()
        key = digest_of(*self._said, name)
        if (found := self._finished.get(key)) is None:
            found = make()
            self._finished.put(key, found)
        return found

    def also(self, *said: Any) -> Kept:
        """Return the same for parts that depend on more."""
        return Kept(self._finished, *self._said, *said)


def kept_for(finished: Finished, runs: Runs, prepared: Prepared, options: ConsistencyOptions) -> Kept:
    """Return what keeps the parts: they depend on the vectors, the samples, the options and the version."""
    if finished.folder is None:
        return Kept(finished)
    version = environment(prepared.words.device).get("gpustab")
    said = [[found.hex() for found in fingerprints(runs)], list(runs.names), record(options), version]
    samples, counts = prepared.samples, prepared.counts
    words = [word.decode("utf-8", "replace") for word in prepared.text.words]
    return Kept(finished, said, words, prepared.text.tokens, *samples, counts.data, counts.indices, counts.indptr)
