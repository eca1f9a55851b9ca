"""Evidence of what a text is: counts, samples and doubts, shown before anything is trained."""

from gpustab.corpus.evidence.documents import shared_column
from gpustab.corpus.evidence.doubt import Doubt
from gpustab.corpus.evidence.doubts import DOUBTS, NEVER_STRONG, doubts_of, strong_doubts_of
from gpustab.corpus.evidence.look import Look, Piece
from gpustab.corpus.evidence.page import Evidence, evidence, evidence_of, lines_of, look_at, refuse

__all__ = [
    "DOUBTS",
    "NEVER_STRONG",
    "Doubt",
    "Evidence",
    "Look",
    "Piece",
    "doubts_of",
    "evidence",
    "evidence_of",
    "lines_of",
    "look_at",
    "refuse",
    "shared_column",
    "strong_doubts_of",
]
