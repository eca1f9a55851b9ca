"""Why groups are not compared: runs of one lie far from all others, or fall into kinds, and no mean holds of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpustab.studies.shared.spaces import Flaws, named

RULE = "where a run lies far from the others of its group, or the runs of a group fall into kinds"
"""When nothing is tested, the end of a rule."""


class Unfit(NamedTuple):
    """What forbids to compare groups; false where nothing does.

    Attributes:
        far: runs that lie far from the others of their group, with what the group is called.
        kinds: what groups are called whose runs fall into kinds.

    Example:
        >>> both = Unfit(["run-3 of lsa"], ["the runs of glove"])
        >>> both.why
        'run-3 of lsa lies far from the other runs of the group, and the runs of glove fall into kinds'
        >>> both.advice
        'Leave out what lies far, and measure each kind by itself'
    """

    far: Sequence[str] = ()
    kinds: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.far or self.kinds)

    @property
    def why(self) -> str:
        """The reason, a clause."""
        lie = f"{named(self.far)} {'lies' if len(self.far) == 1 else 'lie'} far from the other runs of the group"
        return ", and ".join([*[lie] * bool(self.far), *[f"{named(self.kinds)} fall into kinds"] * bool(self.kinds)])

    @property
    def advice(self) -> str:
        """What helps, a sentence without its stop."""
        advice = [*["leave out what lies far"] * bool(self.far), *["measure each kind by itself"] * bool(self.kinds)]
        said = ", and ".join(advice)
        return said[:1].upper() + said[1:]


def unfit(flaws: Flaws, called: str) -> Unfit:
    """Return what forbids to compare a group with others, by what its runs are called."""
    return Unfit((), [called]) if flaws.kinds else Unfit([f"{run} of {called}" for run in flaws.names])


def together(several: Iterable[Unfit]) -> Unfit:
    """Return what forbids to compare several groups with each other."""
    there = list(several)
    return Unfit(
        list(dict.fromkeys(run for one in there for run in one.far)), [name for one in there for name in one.kinds]
    )
