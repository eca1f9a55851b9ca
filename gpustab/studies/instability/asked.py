"""What answers are found from: the observations by technique, without those that no verdict is given on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpustab.results import Table
from gpustab.studies.shared.claims import records
from gpustab.studies.shared.wording import listed

DECIDED = ("yes", "no")


@dataclass(frozen=True)
class Asked:
    """What the answers are found from.

    Attributes:
        tables: of the study.
        techniques: all that were studied.
        silent: why, of those on which no verdict is given.
    """

    tables: Mapping[str, Table]
    techniques: Sequence[str]
    silent: Mapping[str, str]

    @property
    def spoken(self) -> list[str]:
        """The techniques that are spoken of."""
        return [name for name in self.techniques if name not in self.silent]

    def of(self, names: Sequence[str]) -> str:
        """Of whom a sentence is; empty where there is one technique only."""
        return f" for {listed(names)}" if len(self.techniques) > 1 else ""

    def sentence(self, names: Sequence[str], text: str) -> str:
        """Return a sentence of its own on some techniques."""
        return f"For {listed(names)}, {text}." if len(self.techniques) > 1 else f"{text[0].upper()}{text[1:]}."

    def judged(self, claim: str) -> dict[str, list[str]]:
        """Return which techniques have which verdict on a claim that begins so."""
        found: dict[str, list[str]] = {}
        for row in records(self.tables, "observations"):
            if row["claim"].startswith(claim) and row["technique"] in self.spoken:
                found.setdefault(row["agrees"], []).append(row["technique"])
        return found

    def said(self, claim: str, yes: str, no: str, begin: tuple[str, str] = ("Yes", "No")) -> list[str]:
        """Return a sentence for those that a claim is true of, one for the others, one for those that do not tell."""
        found = self.judged(claim)
        told = [
            f"{word}{self.of(names)}: {text}."
            for word, text, verdict in zip(begin, (yes, no), DECIDED, strict=True)
            if (names := found.get(verdict))
        ]
        return told + self.cannot_tell(claim)

    def cannot_tell(self, claim: str, what: str = "") -> list[str]:
        """Return the sentence on those that a claim is not decided of."""
        left = [name for verdict, names in self.judged(claim).items() if verdict not in DECIDED for name in names]
        return [f"These runs cannot tell{self.of(left)}{what}."] if left else []

    def beside(self, claim: str, yes: str, no: str) -> list[str]:
        """Return what a claim adds to an answer, of the techniques that it is decided of."""
        found = self.judged(claim)
        return [
            self.sentence(names, text)
            for text, verdict in zip((yes, no), DECIDED, strict=True)
            if (names := found.get(verdict))
        ]


def withheld(asked: Asked) -> list[str]:
    """Return the sentence on techniques that no verdict is given on."""
    return [f"No verdict on {name}: {reason}." for name, reason in asked.silent.items()]
