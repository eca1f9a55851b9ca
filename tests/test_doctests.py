"""Every example in a docstring runs.

Not by pytest's own collection: it follows the link gpustab/kernels and would import every kernel under a second name.
"""

import doctest
import importlib
import pkgutil

import pytest

import gpustab

MODULES = [m.name for m in pkgutil.walk_packages(gpustab.__path__, "gpustab.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch):
    monkeypatch.setattr(
        "linecache.checkcache", lambda *_: None
    )  # every docstring would look at every file that is known
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples():
    names = [name for name in MODULES if doctest.DocTestFinder().find(importlib.import_module(name))]
    assert len(names) > 10
