"""Training techniques, one module each behind :class:`gpustab.trainers.base.Technique`.

To add one: write a module with a ``TECHNIQUE`` and name it here.
"""

from importlib import import_module

from gpustab.errors import InputError
from gpustab.trainers.base import Technique

NAMES = ("sgns", "cbow", "fasttext", "lsa", "ppmi_svd", "glove")


def technique(name: str) -> Technique:
    """Return a technique by its name; its module is imported only now.

    Raises:
        InputError: if there is none of this name, or its packages are missing.
    """
    if name not in NAMES:
        raise InputError(f"technique '{name}' is unknown; there are {', '.join(NAMES)}")
    try:
        found: Technique = import_module(f"gpustab.trainers.{name}").TECHNIQUE
    except ImportError as error:
        raise InputError(f"technique '{name}' needs {error.name}: pip install 'gpustab[train]'") from None
    return found
