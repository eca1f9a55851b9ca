"""The one form of every answer, and what people are shown of it; no study is known here."""

from gpustab.results.page import Block, SmallTable
from gpustab.results.result import Result
from gpustab.results.table import Table

__all__ = ["Block", "Result", "SmallTable", "Table"]
