"""Training techniques, one module each behind :class:`gpustab.trainers.base.Technique`.

To add one: write a module with a :class:`~gpustab.trainers.base.Technique` and name it here. Where a second engine
trains the same technique on a GPU, ``ON_GPU`` names it. The names cost no start: commands complete them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Literal, cast

from gpustab.errors import InputError, near
from gpustab.installing import install
from gpustab.options import Option

if TYPE_CHECKING:
    from gpustab.trainers.base import Technique

_HOMES = {
    "sgns": "word2vec.SGNS",
    "cbow": "word2vec.CBOW",
    "fasttext": "fasttext.FASTTEXT",
    "lsa": "lsa.TECHNIQUE",
    "ppmi_svd": "ppmi_svd.TECHNIQUE",
    "glove": "glove.TECHNIQUE",
    "fasttext_ngrams": "fasttext.NGRAMS",
    "doc2vec_dm": "doc2vec.DM",
    "doc2vec_dbow": "doc2vec.DBOW",
}
NAMES = tuple(_HOMES)
NOT_OF_WORDS = {"fasttext_ngrams": "character n-grams", "doc2vec_dm": "documents", "doc2vec_dbow": "documents"}
"""What the vectors are of where they are not of words; documents are sentences where these are drawn."""

ON_GPU = {"sgns": "word2vec_gpu.SGNS", "cbow": "word2vec_gpu.CBOW"}
UNTRIED = {"cbow"}
"""Of these, what has run on no card yet: only who asks for the engine gpu gets it."""
_ALSO = {
    "skipgram": "sgns",
    "skip_gram": "sgns",
    "word2vec": "sgns",
    "w2v": "sgns",
    "lsi": "lsa",
    "svd": "ppmi_svd",
    "doc2vec": "doc2vec_dm",
    "pv_dm": "doc2vec_dm",
    "pv_dbow": "doc2vec_dbow",
}
"""What people call them, for the hint."""

Runs = Annotated[int, Option(low=1, high=999)]
Stream = Literal["draw", "training"]
Choice = Literal["auto", "gpu", "gensim"]
"""What a plan of training takes, in a file as on a command line: runs of a group, what varies between runs, and which
engine trains."""

Engine = Literal["gensim", "gpu"]
"""What trains a technique of ``ON_GPU``; the others have one way only, which is what ``gensim`` gives for them."""


def check_technique(name: str) -> str:
    """Return the name of a technique, or refuse one that is none.

    Raises:
        InputError: with the nearest that is one.

    Example:
        >>> check_technique("sgns")
        'sgns'
    """
    if name not in NAMES:
        meant = _ALSO.get(name.lower().replace("-", "_"), name)
        raise InputError(f"technique '{name}' is unknown{near(meant, NAMES)}; there are {', '.join(NAMES)}")
    return name


def technique(name: str, engine: Engine = "gensim") -> Technique:
    """Return a technique by its name; its module is imported only now.

    Both engines of a technique have the same parameters.

    Raises:
        InputError: if there is none of this name and engine, or its packages are missing.

    Example:
        >>> technique("sgns", "gpu").together
        128
    """
    check_technique(name)
    if engine == "gpu" and name not in ON_GPU:
        raise InputError(f"technique '{name}' has no engine gpu; {' and '.join(ON_GPU)} have")
    module, _, constant = (ON_GPU if engine == "gpu" else _HOMES)[name].partition(".")
    try:
        home = import_module(f"gpustab.trainers.{module}")
    except ImportError as error:
        raise InputError(f"technique '{name}' needs {error.name}: {install('train')}") from None
    return cast("Technique", getattr(home, constant))
