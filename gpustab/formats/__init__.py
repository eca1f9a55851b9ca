"""Readers and writers of embedding files: one module per format behind one registry."""
