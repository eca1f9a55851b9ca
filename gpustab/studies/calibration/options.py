"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option, Options, Seed


@dataclass(frozen=True)
class CalibrationOptions(Options):
    """What cosines are compared with.

    Attributes:
        scores: a file of scored pairs: of sentences for encoders (STS: a table or lines of JSON), of words for spaces.
            Default for spaces: WordNet.
        word_columns: which two columns of that file are the sentences or words: ``3,4``, or their names; default: told
            by what stands in them.
        score_column: which column is the score.
        levels: similarities whose cosines are named; default: a quarter, a half and three quarters of the scores'
            range.
        wordnet: folder of WordNet's files, default where Debian or nltk put them; or a wordnet of any language as a
            WN-LMF file, ``.xml`` or ``.xml.gz``.
        senses: which senses of a word with several count: ``"all"`` (of two words the nearest pair) or ``"first"``.
        morphy: whether plurals and other forms count as their base form: in WordNet as in nltk, in a WN-LMF
            file those that it lists.
        hypernyms: another WN-LMF file, whose hypernyms count through the interlingual index, for a wordnet without.
        lemmas: a file of forms of words and their base forms, ``form TAB lemma``, for a wordnet that lists none.
        exclude: a file of words, one a line, that the wordnet shall not know.
        pairs: word pairs that are drawn where a wordnet knows all, evenly over the cosines.

    Raises:
        InputError: for options of a wordnet beside a file of scores.
    """

    scores: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    word_columns: Annotated[str | None, Option(metavar="N,N")] = None
    score_column: Annotated[str | None, Option(metavar="N")] = None
    levels: tuple[float, ...] | None = None
    wordnet: Annotated[str | None, Option(metavar="DIR|FILE", reads=True)] = None
    senses: Literal["all", "first"] = "all"
    morphy: Annotated[bool, Option(flags=("--morphy/--exact",))] = True
    hypernyms: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    lemmas: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    exclude: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    pairs: Annotated[int, Option(low=100)] = 5_000
    seed: Seed = 0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        for name in ("wordnet", "hypernyms", "lemmas", "exclude"):
            if self.scores is not None and getattr(self, name) is not None:
                raise InputError(f"{option(name, ...)} is of wordnets, and {option('scores', ...)} takes their place")
