"""Packed run sets: every run's raw rows on disk, all of them the same words in one canonical order.

Rows of equal position can then be read slice by slice, so that runs need not fit into memory, and no text is parsed
twice. :mod:`~.request` is what a pack shall hold, and opens its sources; :mod:`~.order` finds the order by their words;
:mod:`~.write` looks at the values of a run and writes it; :mod:`~.pack` is all of it; :mod:`~.open` and :mod:`~.verify`
read.

Nothing half-done is taken for done: every file appears whole or not at all, a leaf is none without ``packed.json``,
which comes after its runs, and a run set is none without ``manifest.json``, which comes last.
"""
