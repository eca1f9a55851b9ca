"""Readers and writers of embedding files: one module per format behind one registry."""

from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import FORMATS, read_space
from gpustab.formats.text.write import write_word2vec_text

__all__ = ["FORMATS", "LoadOptions", "read_space", "write_word2vec_text"]
