"""How fast the passes are on the machine at hand, and how near to what it can do."""

from gpustab.bench.bed import Size
from gpustab.bench.choice import add_choice
from gpustab.bench.steps import STEPS
from gpustab.bench.table import bench, refused

__all__ = ["STEPS", "Size", "add_choice", "bench", "refused"]
