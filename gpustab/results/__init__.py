"""What an answer is made of: tables, numbers, sentences, and blocks of a page; no study and no writer is known here."""

from gpustab.results.content import Content
from gpustab.results.page import Block, Card, SmallTable
from gpustab.results.table import Column, Sheet, Table

__all__ = ["Block", "Card", "Column", "Content", "Sheet", "SmallTable", "Table"]
