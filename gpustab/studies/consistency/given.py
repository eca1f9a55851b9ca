"""What the study is given beside its backgrounds: texts, terms, or samples that are made already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gpustab.errors import InputError, option
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.sample_file import read_samples
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.terms import read_terms
from gpustab.studies.consistency.text import Term, Text, read_text
from gpustab.studies.shared.finished import Finished, digest_of
from gpustab.studies.shared.frame import Answer

T = TypeVar("T")

DRAWN = ("random", "keywords")
"""What ``terms`` may be besides a file."""


class Given(NamedTuple):
    """What is the same for all backgrounds.

    Attributes:
        texts: one or several.
        samples: of the one text, where they came with it.
        general: general language, for the SVD model.
        asked: terms of a file.
        options: of the study.
        finished: what is kept of finished parts.
        made: what does not depend on the background, by a digest of all that it depends on.
    """

    texts: list[Text]
    samples: Samples | None
    general: Text | None
    asked: list[Term] | None
    options: ConsistencyOptions
    finished: Finished
    made: dict[str, Any]

    def once(self, make: Callable[[], T], *said: Any) -> T:
        """Return what several backgrounds share, made at the first."""
        key = digest_of(*said)
        if key not in self.made:
            self.made[key] = make()
        found: T = self.made[key]
        return found


def read_given(sources: Sequence[str | Path], options: ConsistencyOptions, finished: Finished, answer: Answer) -> Given:
    """Read texts, terms and samples before the work.

    Raises:
        InputError: if a file cannot be used, a text is given twice, or none, or a file of samples and what it decides.
    """
    if options.sample_file is None:
        asked = None if options.terms in DRAWN else read_terms(Path(options.terms), options.language)
        return Given(_texts(sources, options), None, _general(options), asked, options, finished, {})
    if sources or options.split == "half" or options.terms != "random":
        wrong = (
            option("text", ...) if sources else option("split", "half") if options.split == "half" else option("terms")
        )
        raise InputError(f"{option('sample_file')} holds sentences, samples and terms: give it without {wrong}")
    found = read_samples(Path(options.sample_file), options.language)
    answer.result.notes += found.notes
    return Given([found.text], found.samples, _general(options), found.terms, options, finished, {})


def _texts(sources: Sequence[str | Path], options: ConsistencyOptions) -> list[Text]:
    if not sources:
        raise InputError(f"no text was given; give one, or {option('sample_file')}")
    if len(set(map(str, sources))) < len(sources):
        raise InputError(f"one text was given twice: {', '.join(map(str, sources))}")
    found = [read_text(source, options.language, options.drop_short, options.layout) for source in sources]
    return [text._replace(name=name) for text, name in zip(found, short_names(sources), strict=True)]


def short_names(sources: Sequence[str | Path]) -> list[str]:
    """Return what texts are called: the end of each path, with as many folders as tell them apart.

    >>> short_names(["lee", "books/anarchism.txt"]), short_names(["a/1.txt", "b/1.txt"])
    (['lee', 'anarchism'], ['a/1', 'b/1'])
    """
    paths = [Path(source).with_suffix("") if Path(source).suffix else Path(source) for source in sources]
    for folders in range(1, max((len(path.parts) for path in paths), default=0) + 1):
        names = ["/".join(path.parts[-folders:]) or str(path) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(source) for source in sources]


def _general(options: ConsistencyOptions) -> Text | None:
    if options.general is None:
        return None
    return read_text(options.general, options.language, options.drop_short, options.general_layout)
