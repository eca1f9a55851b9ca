"""gpustab: how much of what you see in word embeddings would still be there if you trained again?

    import gpustab
    runs = gpustab.load_runs(["run1.txt", "run2.txt", "run3.txt"])
    result = gpustab.stability(runs)

The names below are the public ones; everything else may change without notice. The library prints nothing: progress and
warnings go to the logger ``gpustab``.
"""

import logging
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpustab._kernels import find_kernels
from gpustab.errors import ComputationError, GpustabError, InputError

if TYPE_CHECKING:
    from gpustab.engine.similarity import compare_layers, similarity_by_chance, similarity_matrix
    from gpustab.evaluation.calibration import Calibration, calibrate
    from gpustab.formats.options import LoadOptions
    from gpustab.formats.texts import encode, layer_outputs
    from gpustab.formats.writers import write_space
    from gpustab.monitor import StabilityMonitor
    from gpustab.report import Result
    from gpustab.runs.group import Group, load_space
    from gpustab.runs.joining import Loading
    from gpustab.runs.key import Key
    from gpustab.runs.load import load_groups, load_runs, open_groups
    from gpustab.runs.runs import Runs
    from gpustab.runs.runset import write_runset
    from gpustab.spaces.space import Space
    from gpustab.spaces.vocabulary import Vocabulary
    from gpustab.studies.average.study import average
    from gpustab.studies.compare.study import compare
    from gpustab.studies.neighbours.study import neighbours_of
    from gpustab.studies.stability.options import StabilityOptions
    from gpustab.studies.stability.study import stability

__version__ = "0.2.0"

__all__ = [
    "Calibration",
    "ComputationError",
    "GpustabError",
    "Group",
    "InputError",
    "Key",
    "LoadOptions",
    "Loading",
    "Result",
    "Runs",
    "Space",
    "StabilityMonitor",
    "StabilityOptions",
    "Vocabulary",
    "average",
    "calibrate",
    "compare",
    "compare_layers",
    "encode",
    "layer_outputs",
    "load_groups",
    "load_runs",
    "load_space",
    "neighbours_of",
    "open_groups",
    "similarity_by_chance",
    "similarity_matrix",
    "stability",
    "write_runset",
    "write_space",
]

_HOMES = {
    "Calibration": "evaluation.calibration",
    "Group": "runs.group",
    "Key": "runs.key",
    "LoadOptions": "formats.options",
    "Loading": "runs.joining",
    "Result": "report",
    "Runs": "runs.runs",
    "Space": "spaces.space",
    "StabilityMonitor": "monitor",
    "StabilityOptions": "studies.stability.options",
    "Vocabulary": "spaces.vocabulary",
    "calibrate": "evaluation.calibration",
    "average": "studies.average.study",
    "compare": "studies.compare.study",
    "compare_layers": "engine.similarity",
    "encode": "formats.texts",
    "layer_outputs": "formats.texts",
    "load_groups": "runs.load",
    "load_runs": "runs.load",
    "load_space": "runs.group",
    "neighbours_of": "studies.neighbours.study",
    "open_groups": "runs.load",
    "similarity_by_chance": "engine.similarity",
    "similarity_matrix": "engine.similarity",
    "stability": "studies.stability.study",
    "write_runset": "runs.runset",
    "write_space": "formats.writers",
}
"""Where the public names live; they are imported when they are asked for, since torch takes seconds."""

find_kernels(Path(__file__).parent)
logging.getLogger("gpustab").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gpustab' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f"gpustab.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
