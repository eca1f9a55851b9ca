"""What all studies' commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from gpustab.cli.options import Showing
from gpustab.cli.session import require, session

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar


@contextmanager
def working(showing: Showing, *packages: str, extra: str = "study", **reads: Any) -> Iterator[tuple[Bar, Path | None]]:
    """Run a study that a stopped call goes on with: yields its progress, and the folder of its finished parts.

    That folder is within the output, and is removed once the study is written.

    Args:
        showing: what is printed and written.
        packages: optional ones that it needs.
        extra: brings them.
        **reads: what it reads, as :func:`gpustab.cli.session.session` takes it.
    """
    with session(showing, goes_on=showing.out is not None, **reads) as progress:
        require("this study", extra, *packages)
        finished = None if showing.out is None else showing.out / ".finished"
        yield progress, finished
        if finished is not None:
            rmtree(finished, ignore_errors=True)
