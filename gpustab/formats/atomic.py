"""Files that appear whole or not at all, also when the power fails: what has its name is on the disk."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gpustab.errors import InputError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file, whole or not at all, the same bytes on every system."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())  # as a text, Windows would end its lines otherwise


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the same folder, which takes the place of ``path`` when all went well.

    Raises:
        InputError: if the folder is missing or may not be written to.
    """
    path = Path(path)
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        temporary.touch(exist_ok=False)
        mode = temporary.stat().st_mode
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        yield temporary
        temporary.chmod(mode)  # safetensors leaves a file that only its owner may read
        _to_disk(temporary)
        temporary.replace(path)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            _to_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


SPACES = (".txt", ".vec", ".gz", ".safetensors")
"""How files of vectors end that are written."""


def check_space_path(path: Path) -> None:
    """See that a space could be written to a path, before the work that makes it.

    Raises:
        InputError: if the name asks for no known format, or the folder does not exist or may not be written to.
    """
    if path.suffix not in SPACES:
        raise InputError(f"{path}: the name must end in {', '.join(SPACES)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: {'it is a folder' if path.is_dir() else 'no permission'}")


def check_can_make(folder: Path) -> None:
    """See that a folder is there or could be made, and that files could be written there; nothing is made yet.

    Raises:
        InputError: if not, with the reason.
    """
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise InputError(
            f"{folder}: cannot write there, {nearest} is {'not writable' if nearest.is_dir() else 'a file'}"
        )
    try:
        with TemporaryDirectory(prefix=".", suffix=".tmp", dir=nearest):  # some folders say that they can, and cannot
            pass
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from None


def clear_leftovers(folder: Path) -> None:
    """Remove the temporary files of a call that was killed; nobody may be writing there now."""
    # Ours, and the one that safetensors makes beside the file it was told to write.
    for leftover in (*folder.glob(".*.tmp"), *folder.glob(".tmp??????")):
        leftover.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
