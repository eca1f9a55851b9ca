"""That a test which a list names is there, asserts something, and is not skipped."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
SYSTEMS = re.compile(r"os\.name|sys\.platform|/proc/self")
"""What a test may be skipped for: another system."""


def check_held(where, tests=TESTS):
    """Complain of a test, as ``file::name``, unless it holds what it is named for."""
    file, _, name = where.partition("::")
    tree = ast.parse((tests / file).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    assert len(functions) == 1, f"{where} is not there"
    (test,) = functions
    assert any(map(_asserts, ast.walk(test))), f"{where} asserts nothing"
    marks = [node.value for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)]
    for mark in map(ast.unparse, [*marks, *test.decorator_list]):
        skipped = re.search(r"\bskip\b|xfail", mark) or ("skipif" in mark and not SYSTEMS.search(mark))
        assert not skipped, f"{where} is skipped"
    assert not any("pytest.skip(" in ast.unparse(node) for node in test.body), f"{where} may skip itself"


def _asserts(node):
    return isinstance(node, ast.Assert) or (isinstance(node, ast.With) and "raises(" in ast.unparse(node.items[0]))
