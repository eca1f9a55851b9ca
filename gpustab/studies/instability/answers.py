"""The answers to the page's questions, by the rules of the observations and of the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpustab.results.page import counted
from gpustab.studies.instability.asked import Asked
from gpustab.studies.instability.frequency_observations import FLAT
from gpustab.studies.instability.sentences import averaging, documents_of, most_stable
from gpustab.studies.shared.claims import records
from gpustab.studies.shared.wording import listed


def one_pair(asked: Asked) -> list[str]:
    """Whether one pair of runs says how unstable a technique is."""
    return asked.said(
        "Two runs suffice",
        "the PIP loss of one pair of runs is within 10 % of that of many pairs, 19 times in 20",
        "the PIP loss of one pair of runs may well be more than 10 % off that of many pairs",
    )


def which_documents(asked: Asked) -> list[str]:
    """Whether bootstrap runs differ more than shuffled ones, by the verdict's rule."""
    told = []
    for name in asked.spoken:
        if found := documents_of(asked.tables, name):
            verdict, sentence = found
            rest = f"{sentence[0].lower()}{sentence[1:]}"
            begin = {"matter": "Yes", "hardly": "Hardly"}.get(verdict)
            told.append(f"{begin}{asked.of([name])}: {rest}" if begin else f"{name}: {rest}")
    return told


def which_technique(asked: Asked) -> list[str]:
    """Which technique varies least, or why that cannot be told and from what on it could."""
    if said := most_stable(asked.tables, asked.spoken):
        return [said]
    if len(asked.techniques) == 1:
        return [f"There is only {asked.techniques[0]} here: it takes runs of two techniques, trained on the same text."]
    left = "no two techniques have sound runs of one kind"
    if len(asked.spoken) < 2:
        who = f"{asked.spoken[0]} alone" if asked.spoken else "no technique"
        left = f"{who} has runs that a verdict can be given on"
    return [
        f"This cannot be told: {left}. It can as soon as two techniques have three "
        "sound runs each of one kind (shuffled or bootstrap), better eight."
    ]


def frequent_words(asked: Asked) -> list[str]:
    """Whether another training, or other documents, move frequent words less."""
    alike = f"another training moves rare and frequent words about alike (within {FLAT['intrinsic']:.0%})"
    told = []
    for begin, text, wanted in (
        ("Yes", "another training moves frequent words less than rare ones", ("no", -1)),
        ("Hardly", alike, ("yes", 0)),
        ("No", "another training moves frequent words more than rare ones", ("no", 1)),
    ):
        if names := _trending(asked, "intrinsic", "The intrinsic instability", wanted):
            told.append(f"{begin}{asked.of(names)}: {text}.")
    told += asked.cannot_tell("The intrinsic instability", " whether another training moves frequent words less")
    for text, sign in (("less than", -1), ("more than", 1)):
        if names := _moved(asked, sign):
            told.append(asked.sentence(names, f"other documents move frequent words {text} rare ones"))
    return told


def _trending(asked: Asked, quantity: str, claim: str, wanted: tuple[str, int]) -> list[str]:
    """Techniques of a verdict on a claim, whose trend falls (-1), rises (1), or has any sign (0)."""
    verdict, sign = wanted
    change = {
        row["technique"]: row["change"]
        for row in records(asked.tables, "frequency", quantity=quantity, least_frequency=0)
    }
    return [name for name in asked.judged(claim).get(verdict, ()) if sign * change[name] >= 0]


def _moved(asked: Asked, sign: int) -> list[str]:
    """Techniques whose extrinsic instability was found to fall or to rise; a flat one was found to do neither."""
    falling, flat = "The extrinsic instability of word-based", "The extrinsic instability of fastText"
    found = _trending(asked, "extrinsic squared", falling, ("yes" if sign < 0 else "no", sign))
    return found + _trending(asked, "extrinsic squared", flat, ("no", sign))


def how_many_neighbours(asked: Asked) -> list[str]:
    """Whether p@n ranks words alike at different n, and whether it goes with the PIP loss."""
    return [
        *asked.said(
            "p@n is inconsistent",
            "words rank otherwise by how many of their two nearest neighbours come back than by their fifty nearest",
            "words rank alike by how many of their two nearest neighbours come back and by their fifty nearest",
        ),
        *asked.beside(
            "p@n is unrelated",
            "how many neighbours of a word come back has little to do with how far its cosines move (its PIP loss)",
            "how many neighbours of a word come back goes with how far its cosines move (its PIP loss)",
        ),
    ]


def predictable(asked: Asked) -> list[str]:
    """Whether independent normals predict p@1."""
    return asked.said(
        "p@1 is predicted",
        "which nearest neighbours come back is what cosines would give that vary normally and independently",
        "which nearest neighbours come back is not what cosines would give that vary normally and independently",
    )


def sampled(asked: Asked) -> list[str]:
    """Whether the PIP loss over drawn words ranks words as that over all does."""
    return asked.said(
        "The word-wise PIP loss",
        "over 1,000 words drawn at random the PIP loss ranks words nearly as over all",
        "over 1,000 words drawn at random the PIP loss ranks words otherwise than over all",
    )


def cosines(asked: Asked) -> list[str]:
    """Whether cosines are normal, and independent."""
    normal, independent = "Cosines of a word pair are normal", "Cosines of disjoint word pairs"
    return [
        *asked.beside(
            normal,
            "the cosine of two words scatters over runs as normal numbers do",
            "the cosine of two words does not scatter over runs as normal numbers do",
        ),
        *asked.cannot_tell(normal, " whether the cosine of two words scatters as normal numbers do"),
        *asked.beside(
            independent,
            "cosines of different pairs of words vary independently of each other",
            "cosines of different pairs of words vary together",
        ),
        *asked.cannot_tell(independent, " whether cosines of different pairs of words vary independently"),
    ]


def averages(asked: Asked) -> list[str]:
    """What averaging gains, by the verdict's rule, and what it does to scores."""
    told = []
    for name in asked.spoken:
        if found := averaging(asked.tables, name):
            begin = {"helps": "Yes", "harms": "No"}.get(found.verdict, "These runs cannot tell")
            told.append(f"{begin}{asked.of([name])}: {found.part}.")
    claims = dict.fromkeys(row["claim"] for row in records(asked.tables, "observations"))
    for claim in (claim for claim in claims if claim.startswith("Averaging raises the score")):
        test = claim.rpartition(", ")[2]
        told += asked.beside(claim, f"it raises the score in {test}", f"it lowers the score in {test}")
    return told


def runs_needed(asked: Asked) -> list[str]:
    """How many runs would give a standard error of 1 %, as far as 1/√R may be extrapolated."""
    told = []
    for name in asked.spoken:
        needed = [
            f"{counted(row['for_1_percent'], 'run')} for {_QUANTITIES.get(row['quantity'], row['quantity'])}"
            for row in records(asked.tables, "how_many", technique=name)
            if row["for_1_percent"]
        ]
        if needed:
            told.append(f"A standard error of 1 %{asked.of([name])} takes about {listed(needed)}.")
    return told


_QUANTITIES = {"reduced PIP loss": "the mean PIP loss"}


def scores(asked: Asked) -> list[str]:
    """How far the scores of runs that differ in seeds and draws alone lie apart."""
    told = []
    for name in asked.spoken:
        found = [row for row in records(asked.tables, "table_2_1", technique=name) if row["relative_sd"] > 0]
        if found:
            most = max(found, key=_spread)
            told.append(
                f"The score in {most['test']} varies most{asked.of([name])}: {most['runs']} runs that differ in seeds "
                f"and draws alone have an SD of {most['relative_sd']:.1f} % of their mean."
            )
    return told


def _spread(row: Mapping[str, Any]) -> float:
    return float(row["relative_sd"])
