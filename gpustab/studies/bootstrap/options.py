"""The choices of this study; nothing here costs a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gpustab.corpus.options import CORPORA
from gpustab.errors import InputError, option
from gpustab.options import Count, Option, Options, Seed
from gpustab.runs.key import Sampling, Unit
from gpustab.trainers import NAMES, Stream, check_technique


@dataclass(frozen=True)
class BootstrapOptions(Options):
    """Which words are asked for, and how long their lists are.

    Attributes:
        query: the query words, typed with commas between.
        queries: a file of query words, one a line.
        choose: how query words are chosen where none are given: ``"idf"``: frequent words that gather in some
            documents and passages, by residual inverse document frequency; ``"nmf"`` and ``"lda"``: a high word of
            each topic of a topic model.
        count: how many query words are chosen.
        topics: topics of a topic model; default: ``count`` for NMF, 200 or a tenth of the texts for LDA.
        n: length of the lists of neighbours.
        text: the corpus that query words are chosen from; default: the one that the run set was trained on.
        seed: of training and of a topic model.

    Raises:
        InputError: for query words given twice over.
    """

    query: Annotated[tuple[str, ...], Option(metavar="W,W,...")] = ()
    queries: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    choose: Literal["idf", "nmf", "lda"] = "idf"
    count: Annotated[int, Option(low=1)] = 20
    topics: Annotated[int | None, Option(low=2)] = None
    n: Annotated[int, Option(flags=("-n", "--top"), low=2)] = 10
    text: Annotated[str | None, Option(metavar="CORPUS", reads=CORPORA)] = None
    seed: Seed = 0

    def check_together(self) -> None:
        """Refuse values that do not go together."""
        if self.query and self.queries:
            raise InputError(f"give {option('query')} or {option('queries')}, not both")


@dataclass(frozen=True)
class BootstrapPlan(Options):
    """What is trained where a corpus is given: techniques × samplings × units × fractions × runs.

    Attributes:
        technique: what to train; default: sgns, lsa.
        sampling: how each run's text is drawn; default: all three.
        unit: what is drawn: document, sentence, or both; default: document.
        fraction: parts of the corpus; a part is its first documents. Default 1.
        runs: runs per group; default 10.
        vary: which streams differ between runs; ``draw`` alone keeps the training seed, as the C tools do. Default:
            draw, training.
        jobs: runs trained at once; default 1.
        runset: where the runs are kept; default: ``DIR/runs``, in the folder of the result.
    """

    technique: Annotated[tuple[str, ...] | None, Option(metavar="T,T,...", names=NAMES, each=check_technique)] = None
    sampling: tuple[Sampling, ...] | None = None
    unit: tuple[Unit, ...] | None = None
    fraction: Annotated[tuple[float, ...] | None, Option(metavar="F,F,...", above=0, high=1)] = None
    runs: Annotated[int | None, Option(low=2)] = None
    vary: tuple[Stream, ...] | None = None
    jobs: Count | None = None
    runset: Annotated[str | None, Option(metavar="RUNSET")] = None

    @property
    def given(self) -> list[str]:
        """Names of the choices that were made; of a run set none has an effect."""
        return [name for name in self.__dataclass_fields__ if getattr(self, name) is not None]
