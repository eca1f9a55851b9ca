"""One module per research question; each returns a :class:`gpustab.result.Result`."""

from gpustab.studies.average import average
from gpustab.studies.neighbours import neighbours_of
from gpustab.studies.stability import stability

__all__ = ["average", "neighbours_of", "stability"]
