"""Kinds of files that text comes in: each is recognised by content, and read as documents."""
