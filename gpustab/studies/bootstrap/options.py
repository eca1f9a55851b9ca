"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.errors import InputError, option
from gpustab.options import Option, check_seed


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas.

    >>> words("war, peace")
    ('war', 'peace')
    """
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def fractions(text: str) -> tuple[float, ...]:
    """Return parts of a corpus from a list with commas.

    >>> fractions("1,0.2")
    (1.0, 0.2)
    """
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(0 < part <= 1 for part in found):
        raise InputError(f"{option('fraction')} is '{text}', wanted numbers above 0 and up to 1 with commas between")
    return found


@dataclass(frozen=True)
class BootstrapOptions:
    """Which words are asked for, and how long their lists are.

    Attributes:
        query: the query words.
        queries: a file of query words, one a line.
        choose: how query words are chosen where none are given: ``"idf"``: the highest of count × log(documents /
            documents with the word); ``"nmf"`` and ``"lda"``: a high word of each topic of a topic model.
        count: how many are chosen.
        topics: of a topic model; default: ``count`` for NMF, 200 or a tenth of the texts for LDA.
        n: length of the lists.
        text: the corpus that query words are chosen from; default: the one that the run set was trained on.
        seed: of a topic model.

    Raises:
        InputError: for numbers out of range, or query words given twice over.
    """

    query: Annotated[
        tuple[str, ...], Option("Query words, with commas between.", metavar="W,W,...", parse=words, default="")
    ] = ()
    queries: Annotated[str | None, Option("File of query words, one a line.", metavar="FILE")] = None
    choose: Annotated[Literal["idf", "nmf", "lda"], Option("How query words are chosen if none are given.")] = "idf"
    count: Annotated[int, Option("Query words to choose.", low=1)] = 20
    topics: Annotated[int | None, Option("Topics of nmf or lda.", low=2)] = None
    n: Annotated[int, Option("Length of the lists of neighbours.", ("-n", "--top"), low=2)] = 10
    text: Annotated[str | None, Option("Corpus to choose query words from.", metavar="CORPUS")] = None
    seed: Annotated[int, Option("Of training and of a topic model.")] = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name, low in {"count": 1, "n": 2, "topics": 2}.items():
            value = getattr(self, name)
            if value is not None and value < low:
                raise InputError(f"{option(name)} is {value}, wanted at least {low}")
        if self.query and self.queries:
            raise InputError(f"give {option('query')} or {option('queries')}, not both")


@dataclass(frozen=True)
class BootstrapPlan:
    """What is trained where a corpus is given: techniques × samplings × units × fractions × runs.

    Attributes:
        technique: what to train.
        sampling: how each run's text is drawn.
        unit: what is drawn: documents, sentences, or both.
        fraction: parts of the corpus; a part is its first documents.
        runs: per group.
        vary: which streams differ between runs; ``("draw",)`` keeps the training seed, as the C tools do.
        jobs: runs trained at once.
        runset: where the runs are kept; default: ``runs`` in the folder of the result.
    """

    technique: Annotated[
        tuple[str, ...] | None, Option("Techniques to train. Default sgns,lsa.", metavar="T,T,...", parse=words)
    ] = None
    sampling: Annotated[
        tuple[str, ...] | None, Option("Samplings to train. Default all three.", metavar="S,S,...", parse=words)
    ] = None
    unit: Annotated[
        tuple[str, ...] | None,
        Option("document, sentence or both. Default document.", metavar="U,U", parse=words),
    ] = None
    fraction: Annotated[
        tuple[float, ...] | None, Option("Parts of the corpus. Default 1.", metavar="F,F,...", parse=fractions)
    ] = None
    runs: Annotated[int | None, Option("Runs per group. Default 10.", low=2)] = None
    vary: Annotated[
        tuple[str, ...] | None,
        Option("What differs between runs. Default draw,training.", metavar="draw,training", parse=words),
    ] = None
    jobs: Annotated[int | None, Option("Runs trained at once. Default 1.", low=1)] = None
    runset: Annotated[str | None, Option("Where trained runs are kept. Default DIR/runs.", metavar="RUNSET")] = None

    @property
    def given(self) -> list[str]:
        """Names of the choices that were made; of a run set none has an effect."""
        return [name for name in self.__dataclass_fields__ if getattr(self, name) is not None]
