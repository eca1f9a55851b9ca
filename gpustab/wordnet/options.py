"""Which wordnet is read, and what of it counts; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.options import Option, Options


@dataclass(frozen=True)
class WordnetOptions(Options):
    """Base of the options of studies that compare cosines with distances in a wordnet.

    Attributes:
        wordnet: folder of WordNet's files, default where Debian or nltk put them; or a wordnet of any language as a
            WN-LMF file, ``.xml`` or ``.xml.gz``.
        hypernyms: another WN-LMF file, whose hypernyms count through the interlingual index, for a wordnet without.
        lemmas: a file of forms of words and their base forms, ``form TAB lemma``, for a wordnet that lists none.
        senses: which senses of a word with several count: ``"all"`` (of two words the nearest pair) or ``"first"``.
        morphy: whether plurals and other forms count as their base form: in WordNet as in nltk, in a WN-LMF
            file those that it lists.
        exclude: a file of words, one a line, that the wordnet shall not know: function words, which WordNet knows as
            chemical symbols and units.
    """

    wordnet: Annotated[str | None, Option(metavar="DIR|FILE", reads=True)] = None
    hypernyms: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    lemmas: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    senses: Literal["all", "first"] = "all"
    morphy: Annotated[bool, Option(flags=("--morphy/--exact",))] = True
    exclude: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
