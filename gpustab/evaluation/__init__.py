"""How good the runs are by the usual tests: word similarity and word analogies, every run scored by itself."""

from gpustab.evaluation.analogies import AnalogyScore, SectionScore, score_analogies
from gpustab.evaluation.files import SIMILARITY_TESTS, SimilarityTest, read_similarity
from gpustab.evaluation.lookup import RunScores
from gpustab.evaluation.questions import ANALOGY_TESTS, AnalogySection, AnalogyTest, read_analogies
from gpustab.evaluation.similarity import SimilarityScore, score_similarity

__all__ = [
    "ANALOGY_TESTS",
    "SIMILARITY_TESTS",
    "AnalogyScore",
    "AnalogySection",
    "AnalogyTest",
    "RunScores",
    "SectionScore",
    "SimilarityScore",
    "SimilarityTest",
    "read_analogies",
    "read_similarity",
    "score_analogies",
    "score_similarity",
]
