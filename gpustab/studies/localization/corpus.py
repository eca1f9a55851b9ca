"""The corpus of substitutions: pairs as they are read, every sentence with its chains, its tables, and its file."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.errors import InputError, option
from gpustab.formats.atomic import clear_abandoned, replacing
from gpustab.formats.plain_text import read_utf8
from gpustab.installing import install
from gpustab.results import Content, Table
from gpustab.sentences.language import Language, Tokens, package
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.substitution import KINDS, Chains, Decision, Kind, chains_of, decide, pool_of
from gpustab.studies.localization.tables import (
    COUNTS,
    DECISIONS,
    OUTCOMES,
    SENTENCES,
    Changed,
    Outcome,
    Sentence,
    WordDecision,
)
from gpustab.wordnet.lexicon import Lexicon

_KNOWN = {4076: 2753, 1725: 1147}
"""Lines of the Microsoft corpus's two files, and how many of them are paraphrases."""


class Pair(NamedTuple):
    """Two sentences of one meaning."""

    first: str
    second: str


class Paraphrases(NamedTuple):
    """What was read.

    Attributes:
        pairs: of one meaning, in the order of the files.
        notes: what a reader must know of them.
    """

    pairs: list[Pair]
    notes: list[str]


def read_pairs(paths: Sequence[str | os.PathLike[str]]) -> Paraphrases:
    """Read paraphrases.

    Args:
        paths: files of tab-separated lines: two sentences; or, with a head line that begins with ``Quality``, five
            fields as in the Microsoft Research Paraphrase Corpus, of which the pairs of quality 1 count. Quotes are
            ordinary signs.

    Raises:
        InputError: naming file and line, for a line of other fields, an empty sentence, bytes that are no UTF-8, or a
            file without pairs.
    """
    pairs: list[Pair] = []
    notes: list[str] = []
    for path in map(Path, paths):
        numbered = enumerate(read_utf8(path).split("\n"), 1)
        lines = [(number, line.rstrip("\r")) for number, line in numbered if line.strip()]
        corpus = bool(lines) and lines[0][1].startswith("Quality")
        found = list(_pairs(path, lines, corpus))
        if not found:
            raise InputError(f"{path}: there is no pair of sentences of one meaning")
        if corpus and _KNOWN.get(len(lines) - 1) != len(found):
            notes.append(
                f"{path.name} has {len(lines) - 1:,} pairs, {len(found):,} of them paraphrases; the Microsoft corpus "
                "has 4,076 and 2,753 for training, 1,725 and 1,147 for testing. This copy is another."
            )
        pairs += found
    return Paraphrases(pairs, notes)


def _pairs(path: Path, lines: Sequence[tuple[int, str]], corpus: bool) -> Iterator[Pair]:
    wanted = 5 if corpus else 2
    for place, (number, line) in enumerate(lines):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != wanted or not all(fields[-2:]):
            raise InputError(
                f"{path}: line {number} has {len(fields)} fields, wanted {wanted}, the last two of them sentences"
            )
        if corpus and place and fields[0] not in ("0", "1"):
            raise InputError(f"{path}: line {number} has the quality '{fields[0]}', wanted 0 or 1")
        if not corpus or (place and fields[0] == "1"):
            yield Pair(fields[-2], fields[-1])


def components(pairs: Sequence[Pair]) -> list[int]:
    """Return for every pair the number of its component: pairs that share a sentence are in one.

    >>> components([Pair("a", "b"), Pair("c", "d"), Pair("b", "e")])
    [0, 1, 0]
    """
    leader: dict[str, str] = {}

    def root(sentence: str) -> str:
        leader.setdefault(sentence, sentence)
        while leader[sentence] != sentence:
            leader[sentence] = sentence = leader[leader[sentence]]
        return sentence

    for first, second in pairs:
        leader[root(first)] = root(second)
    number: dict[str, int] = {}
    return [number.setdefault(root(pair.first), len(number)) for pair in pairs]


class Base(NamedTuple):
    """One sentence of a pair.

    Attributes:
        pair: number of the pair.
        side: 0 for its first sentence, 1 for its second.
        component: of pairs that share a sentence.
        sentence: as it was read.
        tokens: of it.
        paraphrase: tokens of the other sentence.
        decisions: on its nouns and verbs.
        chains: of changed sentences, by kind.
    """

    pair: int
    side: int
    component: int
    sentence: str
    tokens: Tokens
    paraphrase: Tokens
    decisions: tuple[Decision, ...]
    chains: Chains


class Corpus(NamedTuple):
    """All bases.

    Attributes:
        bases: two of every pair, in the pairs' order.
        provenance: what they were made with.
    """

    bases: list[Base]
    provenance: dict[str, str]

    def lengths(self, kind: Kind) -> list[int]:
        """Return how many words were changed in every base at most, in chains of one kind."""
        return [len(base.chains[kind]) for base in self.bases]


def build(
    pairs: Sequence[Pair],
    lexicon: Lexicon,
    language: Language,
    options: LocalizationOptions,
    report: Callable[[str, float], None] = lambda _work, _part: None,
) -> Corpus:
    """Return the corpus of some pairs: each of the two sentences is a base, the other its paraphrase.

    Args:
        pairs: of one meaning.
        lexicon: WordNet.
        language: tokens, tags, forms.
        options: sense, choice, order, number of changes, seed.
        report: called with the work at hand and its finished part.
    """
    sentences = list(dict.fromkeys(sentence for pair in pairs for sentence in pair))
    tokens = {sentence: language.tokenise(sentence) for sentence in sentences}
    report("tagging", 0.0)
    tags = dict(zip(sentences, language.tag([tokens[sentence] for sentence in sentences]), strict=True))
    report("changing words", 0.4)
    decisions = {
        sentence: tuple(decide(tokens[sentence], tags[sentence], lexicon, language, options.sense))
        for sentence in sentences
    }
    pool = pool_of([decisions[sentence] for sentence in sentences])
    report("changing words", 0.8)
    chains = {sentence: chains_of(tokens[sentence], decisions[sentence], pool, options) for sentence in sentences}
    of = components(pairs)
    bases = [
        Base(n, side, of[n], own, tokens[own], tokens[pair[1 - side]], decisions[own], chains[own])
        for n, pair in enumerate(pairs)
        for side, own in enumerate(pair)
    ]
    return Corpus(bases, language.provenance | {"wordnet": lexicon.folder})


def corpus_tables(corpus: Corpus) -> dict[str, Table[Any]]:
    """Return what was changed: how many sentences, why words were left, the sentences, and every decision."""
    return {
        COUNTS.name: COUNTS.table(_counts(corpus)),
        OUTCOMES.name: OUTCOMES.table(_outcomes(corpus)),
        SENTENCES.name: SENTENCES.table(_sentences(corpus.bases)),
        DECISIONS.name: DECISIONS.table(_decisions(corpus)),
    }


def _counts(corpus: Corpus) -> Iterator[Changed]:
    nouns, verbs = corpus.lengths("noun_synonym"), corpus.lengths("verb_antonym")
    for k in range(1, max([*nouns, *verbs], default=0) + 1):
        both = sum(n >= k <= m for n, m in zip(nouns, verbs, strict=True))
        yield Changed(k, sum(n >= k for n in nouns), sum(n >= k for n in verbs), both)


def _outcomes(corpus: Corpus) -> Iterator[Outcome]:
    """Counted over different sentences, the most frequent of each relation first."""
    words = Counter((one.relation, one.outcome) for base in distinct(corpus.bases) for one in base.decisions)
    for (relation, outcome), number in sorted(words.items(), key=lambda item: (item[0][0], -item[1])):
        yield Outcome(relation, outcome, number)


def _sentences(bases: Iterable[Base]) -> Iterator[Sentence]:
    for base in bases:
        of = base.pair, base.side, base.component
        for kind, tokens in (("base", base.tokens), ("paraphrase", base.paraphrase)):
            yield Sentence(*of, kind, 0, -1, "", "", " ".join(tokens))
        for kind in KINDS:
            for k, step in enumerate(base.chains[kind], 1):
                yield Sentence(*of, kind, k, step.position, step.old, step.new, " ".join(step.tokens))


def _decisions(corpus: Corpus) -> Iterator[WordDecision]:
    for base in distinct(corpus.bases):
        for one in base.decisions:
            forms = " ".join(candidate.form for candidate in one.candidates)
            yield WordDecision(" ".join(base.tokens), one.position, one.word, one.tag, one.relation, one.outcome, forms)


def distinct(bases: Iterable[Base]) -> Iterator[Base]:
    """Yield the first base of every sentence."""
    earlier: set[str] = set()
    for base in bases:
        if base.sentence not in earlier:
            earlier.add(base.sentence)
            yield base


_ENDINGS = (".tsv", ".parquet")


def check_corpus_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a corpus, or refuse it.

    Raises:
        InputError: if it has another ending, or its folder is not there.
    """
    place = Path(path)
    if place.suffix not in _ENDINGS:
        raise InputError(f"{option('corpus')} is '{place}', wanted a name that ends in {' or '.join(_ENDINGS)}")
    if not place.parent.is_dir():
        raise InputError(f"{option('corpus')} is '{place}': there is no folder {place.parent}")
    return place


def write_corpus(result: Content, path: str | os.PathLike[str]) -> None:
    """Write the sentences of a result, each with its base, kind, number of changes and change.

    A TSV begins with one line ``# {...}``, the provenance as JSON; a Parquet file has it in its metadata.

    Raises:
        InputError: see :func:`check_corpus_path`; or if pyarrow, of the extra ``report``, is missing for Parquet.
    """
    place, table, made = check_corpus_path(path), result.tables[SENTENCES.name], provenance(result)
    clear_abandoned(place)
    if place.suffix == ".parquet":
        pyarrow = package("pyarrow", f"{place}: Parquet needs pyarrow: {install('report')}")
        with replacing(place) as new:
            package("pyarrow.parquet", "").write_table(
                pyarrow.table(dict(table)).replace_schema_metadata({"gpustab": made}), new
            )
        return
    with replacing(place) as file:
        file.write((f"# {made}\n" + "\t".join(table) + "\n").encode())
        for row in table.records():
            file.write(("\t".join(str(value).replace("\t", " ") for value in row.values()) + "\n").encode())


def provenance(result: Content) -> str:
    """Return what a corpus depends on, as JSON without dates: equal corpora have equal texts."""
    kept = {name: value for name, value in result.settings.items() if name != "draws"}
    return json.dumps(kept | {"gpustab": result.environment.get("gpustab")}, sort_keys=True, default=str)
