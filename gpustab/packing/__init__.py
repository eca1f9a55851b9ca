"""Packed run sets: every run's raw rows on disk, all of them the same words in one canonical order.

Rows of equal position can then be read slice by slice, so that runs need not fit into memory, and no text is parsed
twice. :mod:`~gpustab.packing.request` is what a pack shall hold, :mod:`~gpustab.packing.stage` reads every source once,
:mod:`~gpustab.packing.order` finds the order, :mod:`~gpustab.packing.write` writes run by run,
:mod:`~gpustab.packing.pack` is all of it, :mod:`~gpustab.packing.open` and :mod:`~gpustab.packing.verify` read.

Nothing half-done is taken for done: every file appears whole or not at all, a leaf is none without ``packed.json``,
which comes after its runs, and a run set is none without ``manifest.json``, which comes last.
"""
