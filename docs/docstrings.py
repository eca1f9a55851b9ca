"""An extension of Griffe: what docstrings write in ways that Markdown does not know."""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any

from griffe import Class, Docstring, DocstringSectionAttributes, Extension, Object

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

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Describe what ``load_runs`` takes by name as ``Loading`` does, whose fields they are."""
        if cls.name == "LoadArguments":
            described = cls.modules_collection["gpustab.runs.loading.Loading"].docstring.parse("google")
            for section in described:
                for field in section.value if isinstance(section, DocstringSectionAttributes) else ():
                    cls.attributes[field.name].docstring = Docstring(field.description)
