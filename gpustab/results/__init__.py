"""The one form of every answer."""

from gpustab.results.result import Result, Table, environment, peak_memory

__all__ = ["Result", "Table", "environment", "peak_memory"]
