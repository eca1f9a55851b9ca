"""How encoders make runs; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option, Options, Seed
from gpustab.trainers import Runs

Items = Literal["words", "sentences", "documents"]
EncoderSampling = Literal["fixed", "bootstrap"]

_BLOCKS = {"sentences": "sentence", "documents": "document"}


@dataclass(frozen=True)
class Encoding(Options):
    """What encoders are read for.

    Attributes:
        items: what the vectors are of: ``"words"``, each the mean of its occurrences; ``"sentences"`` or
            ``"documents"``, pooled as the folder says.
        layer: of words: whose states; 0 is the input embedding, -1 the last, which fine-tuning changes most.
        samplings: ``"fixed"``: one run for each model, of the whole text; ``"bootstrap"``: for each model runs of
            documents drawn again. Default: both for words, fixed for texts, whose vectors no draw changes.
        runs: bootstrap runs of each model.
        seed: of the draws.
        centre: take the mean vector out of every run. Default: of words, whose states all point one way; not of texts.
        directions: also take so many leading directions out of every run (Mu & Viswanath 2018); 0 none.
    """

    items: Items = "words"
    layer: int = -1
    samplings: Annotated[tuple[EncoderSampling, ...] | None, Option(flags=("--sampling",))] = None
    runs: Runs = 10
    seed: Seed = 0
    centre: Annotated[bool | None, Option(flags=("--centre/--no-centre", "--center/--no-center"))] = None
    directions: Annotated[int, Option(low=0)] = 0

    @property
    def drawn(self) -> tuple[EncoderSampling, ...]:
        """The samplings that are meant."""
        return self.samplings or (("fixed", "bootstrap") if self.items == "words" else ("fixed",))

    @property
    def centred(self) -> bool:
        """Whether the mean is taken out; leading directions are those of what is left."""
        return self.items == "words" if self.centre is None else self.centre

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        if self.items != "words" and self.layer != -1:
            raise InputError(f"{option('layer', self.layer)} is for words: {self.items} are pooled as the folder says")
        if self.items != "words" and "bootstrap" in self.drawn:
            raise InputError(
                f"{option('samplings', 'bootstrap')} is for words: no draw of documents changes the vector of one"
            )
        if self.directions and not self.centred:
            raise InputError(f"{option('directions', self.directions)} are those of centred vectors: centre them too")

    def unit(self, chosen: str | None) -> str:
        """Return the unit of the corpus.

        Raises:
            InputError: if another one was chosen than the items are.
        """
        wanted = _BLOCKS.get(self.items)
        if wanted and chosen not in (None, wanted):
            raise InputError(f"{option('unit', chosen)} contradicts {option('items', self.items)}")
        return wanted or chosen or "document"
