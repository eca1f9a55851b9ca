"""The questions that the study answers, each with its observations, figures and tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpustab.studies.instability import answers
from gpustab.studies.instability.asked import Asked


class Question(NamedTuple):
    """A question of people who have a corpus.

    Attributes:
        title: the question.
        sources: how the sources of its observations begin.
        figures: names of figures.
        tables: names of tables.
        aside: where the thesis has it.
        answer: the sentences that answer it.
    """

    title: str
    sources: tuple[str, ...]
    figures: tuple[str, ...]
    tables: tuple[str, ...]
    aside: str
    answer: Callable[[Asked], list[str]]

    def asks_for(self, source: str) -> bool:
        """Whether an observation of a source belongs here."""
        return source.startswith(self.sources) if self.sources else False


QUESTIONS = (
    Question(
        "Is one pair of runs enough?", ("2.3, 1",), (), ("table_2_8", "same_runs"), "§2.3, table 2.8", answers.one_pair
    ),
    Question(
        "Does it matter which documents I have?",
        ("2.3, 3", "2.3, 4"),
        (),
        ("table_2_11",),
        "§2.3, table 2.11",
        answers.which_documents,
    ),
    Question(
        "Which technique is the most stable?",
        ("2.3, 2",),
        (),
        ("table_2_9",),
        "§2.3, table 2.9",
        answers.which_technique,
    ),
    Question(
        "Are frequent words safer?",
        ("2.3.1",),
        ("figure_2_8",),
        ("frequency",),
        "§2.3.1, figures 2.8 and 2.9",
        answers.frequent_words,
    ),
    Question(
        "Does it matter how many neighbours I look at?",
        ("2.2.2",),
        ("figure_2_7",),
        ("neighbours", "table_2_3", "consistency", "table_2_2", "table_2_5", "distance"),
        "§2.2.2, tables 2.2, 2.3 and 2.5, figure 2.7",
        answers.how_many_neighbours,
    ),
    Question(
        "Can shared neighbours be predicted from means and spreads of cosines?",
        ("A.4",),
        ("figure_a_2", "figure_a_3", "predicted_10"),
        ("table_2_4", "table_a_2"),
        "Appendix A.4, tables 2.4 and A.2, figures A.2 and A.3",
        answers.predictable,
    ),
    Question(
        "Would a sample of words do?",
        ("2.2.3",),
        (),
        ("table_2_6", "table_a_1", "table_2_7", "proxy", "identity"),
        "§2.2.3, tables 2.6, 2.7 and A.1, eq. 2.35",
        answers.sampled,
    ),
    Question(
        "How do cosines vary over runs?",
        ("2.1.3",),
        ("figure_2_2", "figure_2_3", "figure_2_5"),
        ("distribution",),
        "§2.1.3, figures 2.2 to 2.5",
        answers.cosines,
    ),
    Question(
        "Does it help to average my runs?",
        ("3.",),
        ("figure_3_5", "figure_3_6", "figure_3_2"),
        (
            "figure_3_5",
            "scores",
            "table_3_6",
            "cosine_ratios",
            "alignment_term",
            "table_tree",
            "table_3_5",
            "lists_shared",
        ),
        "Chapter 3, figures 3.2 to 3.6, table 3.5",
        answers.averages,
    ),
    Question(
        "How many runs do I need?", (), ("how_many",), ("how_many", "doublings"), "Chapter 3", answers.runs_needed
    ),
    Question(
        "How much do scores vary between runs?",
        (),
        (),
        ("table_2_1", "table_2_10"),
        "Tables 2.1 and 2.10",
        answers.scores,
    ),
)
"""In reading order."""
