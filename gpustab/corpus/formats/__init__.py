"""Kinds of files that text comes in: each is recognised by content, and read as documents."""

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.registry import FORMATS, recognise

__all__ = ["FORMATS", "Document", "TextFile", "TextFormat", "recognise"]
