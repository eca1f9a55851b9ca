"""Usages of words in periods."""
