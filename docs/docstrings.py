"""An extension of Griffe: what docstrings write in ways that Markdown does not know."""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any

from griffe import Extension, Object

ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`~?(?:[\w.]+\.)?(\w+)`")
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.MULTILINE)
"""An example that stands in the text by itself, up to the next empty line."""
HEADING = re.compile(r"^Example:$", re.MULTILINE)
"""Of a section that Griffe reads as code only in the plural."""


class Docstrings(Extension):
    """Show what a role points to as code, and examples as such."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one docstring; Griffe calls it for every name."""
        if obj.docstring:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            text = EXAMPLE.sub(lambda found: f"Example:\n{indent(found[0], '    ')}", text)
            obj.docstring.value = HEADING.sub("Examples:", text)
