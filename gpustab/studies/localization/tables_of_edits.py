"""The tables of edits: what each row is, and what each column means."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from gpustab.results import Column, Sheet

_KIND = "``negation``, ``roles``, ``numbers`` or ``names``"
_DISTANCE = "cosine distance from the sentence, mean over edits and runs"
_OF_SHARE = "of its 95 % interval, for other sentences and other trainings; 0.5 where all are equally far"
_OF_DISTANCE = "of the 95 % interval of the mean distance"


class EditOutcome(NamedTuple):
    """How many sentences were edited, and why others were not."""

    kind: Annotated[str, Column(about=_KIND)]
    outcome: Annotated[str, Column(about="``edited``, or why the sentence was left out")]
    sentences: int


class EditedSentence(NamedTuple):
    """One sentence with its change and its control."""

    kind: Annotated[str, Column(about=_KIND)]
    sentence: Annotated[int, Column(about="number of the sentence among those that were read, from 0")]
    base: Annotated[str, Column(about="the sentence")]
    changed: Annotated[str, Column(about="what says something else; two sentences of roles, with / between")]
    control: Annotated[str, Column(about="what says the same; two sentences of roles, with / between")]
    new: Annotated[str, Column(about="what the change put in")]
    kept: Annotated[str, Column(about="what the control put in")]
    words_changed: Annotated[float, Column(about="words in which the changed sentence differs (Levenshtein)")]
    words_control: Annotated[float, Column(about="words in which the control differs (Levenshtein)")]


class EditDistance(NamedTuple):
    """How far a model puts the change and the control of one sentence."""

    model: str
    kind: Annotated[str, Column(about=_KIND)]
    sentence: Annotated[int, Column(about="number of the sentence among those that were read, from 0")]
    changed: Annotated[float, Column(about="cosine distance of the changed sentence, mean over runs")]
    control: Annotated[float, Column(about="cosine distance of the control, mean over runs")]


class EditScore(NamedTuple):
    """How often a model moves more by a change than by its control."""

    model: str
    kind: Annotated[str, Column(about=_KIND)]
    runs: Annotated[int, Column(about="of the model")]
    n: Annotated[int, Column(about="sentences of which every run has all distances")]
    groups: Annotated[
        int, Column(about="groups that are drawn for the interval: sentences, or the words that controls put in")
    ]
    unmoved: Annotated[int, Column(about="sentences that the change leaves where they were, in every run")]
    half: Annotated[float, Column(about="P(the change is farther) + ½ P(equally far), 0.5 by chance, mean over runs")]
    sd: Annotated[float, Column(about="its standard deviation over runs")]
    low: Annotated[float, Column(about=f"lower end {_OF_SHARE}")]
    high: Annotated[float, Column(about=f"upper end {_OF_SHARE}")]
    equal: Annotated[float, Column(about="share of sentences in which both are equally far")]
    changed: Annotated[float, Column(about=f"of the changed sentence: {_DISTANCE}")]
    control: Annotated[float, Column(about=f"of the control: {_DISTANCE}")]
    unrelated: Annotated[float, Column(about=f"of another sentence of the text: {_DISTANCE}")]
    changed_low: Annotated[float, Column(about=f"lower end {_OF_DISTANCE} of the changed sentence")]
    changed_high: Annotated[float, Column(about=f"upper end {_OF_DISTANCE} of the changed sentence")]
    control_low: Annotated[float, Column(about=f"lower end {_OF_DISTANCE} of the control")]
    control_high: Annotated[float, Column(about=f"upper end {_OF_DISTANCE} of the control")]
    unrelated_low: Annotated[float, Column(about=f"lower end {_OF_DISTANCE} of another sentence")]
    unrelated_high: Annotated[float, Column(about=f"upper end {_OF_DISTANCE} of another sentence")]
    pairs: Annotated[int, Column(about="pairs of a word that negates and one that does not; 0 of other kinds")]
    won: Annotated[float, Column(about="pairs in which the word that negates is farther; equal ones count half")]
    luck: Annotated[float, Column(about="how probably words dealt out by chance would win as many pairs")]
    unluck: Annotated[float, Column(about="how probably words dealt out by chance would win as few pairs")]
    made: Annotated[int, Column(about="edits of the kind that were made of the text")] = 0
    asked: Annotated[
        int, Column(about="sentences that were read for them; 0 where the language has no rule for the kind")
    ] = 0
    limit: Annotated[int, Column(about="sentences that would have been read at most")] = 0
    full: Annotated[bool, Column(about="whether as many edits were made as were wanted at most")] = False


EDIT_OUTCOMES = Sheet("edit_outcomes", EditOutcome, "one row a kind of edit and outcome")
EDITED = Sheet("edited", EditedSentence, "one row an edit", long=True)
EDIT_DISTANCES = Sheet("edit_distances", EditDistance, "one row a model and edit", long=True)
EDIT_SCORES = Sheet("edit_scores", EditScore, "one row a model and kind of edit")
