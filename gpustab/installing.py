"""How gpustab is installed once more with what it lacks: from where this one came, which need not be an index."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from gpustab.formats.parsed import parse_json


def install(extra: str = "") -> str:
    """Return the command that installs an extra; without one, gpustab itself anew.

    >>> install("train").startswith("pip install '"), install("train").endswith("[train]'")
    (True, True)
    """
    names = f"[{extra}]" if extra else ""
    place, url = _origin()
    what = f"{place}{names}" if place else f"gpustab{names} @ {url}" if url else f"gpustab{names}"
    return f"pip install {'' if extra else '--upgrade '}'{what}'"


def _origin() -> tuple[str, str]:
    """Return the checkout that gpustab runs in or came from, or the address that pip had; both empty of an index."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").is_file():
        return _shown(checkout), ""
    try:
        said = parse_json(distribution("gpustab").read_text("direct_url.json") or "{}")
        url = said.get("url", "")
        if "dir_info" in said and (folder := Path(url2pathname(unquote(urlparse(url).path)))).is_dir():
            return _shown(folder), ""
        if system := said.get("vcs_info"):
            at = system.get("requested_revision", "")
            return "", f"{system['vcs']}+{url}" + f"@{at}" * bool(at)
        return "", url
    except (PackageNotFoundError, ValueError, AttributeError, KeyError, TypeError):
        return "", ""


def _shown(folder: Path) -> str:
    try:
        return "." if folder.samefile(os.curdir) else str(folder)
    except OSError:  # who calls from a folder that was removed
        return str(folder)
