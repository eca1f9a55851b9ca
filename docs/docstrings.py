"""An extension of Griffe: what docstrings write in ways that Markdown does not know."""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any

from griffe import Class, Docstring, DocstringSectionAttributes, Extension, Object

from gpustab.options import ListLength, Seed

ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`~?(?:[\w.]+\.)?(\w+)`")
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.MULTILINE)
"""An example that stands in the text by itself, up to the next empty line."""
HEADING = re.compile(r"^Example:$", re.MULTILINE)
"""Of a section that Griffe reads as code only in the plural."""
ATTRIBUTES = re.compile(r"^Attributes:\n(?: {4}.*\n?)+", re.MULTILINE)
SHARED = {"Seed": Seed, "ListLength": ListLength}
"""Types that say themselves what an option is for."""


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
            described = cls.modules_collection["gpustab.runs.joining.Loading"].docstring.parse("google")
            for section in described:
                for field in section.value if isinstance(section, DocstringSectionAttributes) else ():
                    cls.attributes[field.name].docstring = Docstring(field.description)

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Add the options that their type explains to what a class says of its attributes."""
        kinds = {name: str(getattr(member, "annotation", "")) for name, member in cls.members.items()}
        lines = [f"    {name}: {SHARED[kind].__metadata__[0].help}" for name, kind in kinds.items() if kind in SHARED]
        if cls.docstring and lines:
            text = "\n".join(lines)
            cls.docstring.value = ATTRIBUTES.sub(lambda found: f"{found[0].rstrip()}\n{text}\n", cls.docstring.value)
