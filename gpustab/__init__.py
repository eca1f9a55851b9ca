"""gpustab: how much of what you see in word embeddings would still be there if you trained again?

    import gpustab
    runs = gpustab.load_runs(["run1.txt", "run2.txt", "run3.txt"])
    result = gpustab.stability(runs)

The library prints nothing: progress and warnings go to the logger ``gpustab``.
"""

import logging
from pathlib import Path

from gpustab._kernels import find_kernels

find_kernels(Path(__file__).parent)

from gpustab.errors import ComputationError, GpustabError, InputError
from gpustab.formats import LoadOptions
from gpustab.formats.writers import write_space
from gpustab.runs import Runs
from gpustab.runs.load import load_groups, load_runs
from gpustab.runs.sources import load_space
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies import average, neighbours_of, stability

__version__ = "0.1.0"

__all__ = [
    "ComputationError",
    "GpustabError",
    "InputError",
    "LoadOptions",
    "Runs",
    "Space",
    "Vocabulary",
    "average",
    "load_groups",
    "load_runs",
    "load_space",
    "neighbours_of",
    "stability",
    "write_space",
]

logging.getLogger("gpustab").addHandler(logging.NullHandler())
