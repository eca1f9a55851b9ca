"""Finding the kernels in a checkout without symbolic links.

``gpustab/kernels`` is a link to the top-level folder ``kernels``. Git on Windows, and whoever unpacks a zip of the
repository, gets a small text file instead, and a source archive has no link; a wheel has a folder of real files.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def find_kernels(package: Path) -> None:
    """Make ``gpustab.kernels`` importable where the package has no such folder, from the checkout around it.

    Raises:
        ImportError: if there is no checkout around it either; says what to do.
    """
    folder = package / "kernels"
    if folder.is_dir():
        return
    beside = package.parent / "kernels" / "__init__.py"
    spec = spec_from_file_location("gpustab.kernels", beside, submodule_search_locations=[str(beside.parent)])
    if not beside.is_file() or spec is None or spec.loader is None:
        raise ImportError(
            f"{folder} is not there: this copy of gpustab lacks its kernels. Install it from a checkout or a wheel: "
            "pip install ."
        )
    sys.modules["gpustab.kernels"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
