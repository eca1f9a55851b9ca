"""Training many runs into a run set, so that it can be stopped at any moment and goes on where it was."""

from gpustab.training.engines import resolve_engine
from gpustab.training.runner import train_epochs, train_halves, train_runs
from gpustab.training.settings import TrainingSettings, read_settings, read_toml, to_toml

__all__ = [
    "TrainingSettings",
    "read_settings",
    "read_toml",
    "resolve_engine",
    "to_toml",
    "train_epochs",
    "train_halves",
    "train_runs",
]
