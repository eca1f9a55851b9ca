"""Nouns of a wordnet of any language, from a file in the format WN-LMF, which the package ``wn`` reads."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gpustab.errors import InputError, option, some_of
from gpustab.results.page import counted
from gpustab.wordnet.nouns import Nouns, read_nouns

_UP = ("hypernym", "instance_hypernym")

Graph = dict[str, tuple[str, ...]]
"""Hypernyms of every synset, by its number in the interlingual index where it has one, else by its own name."""


def nouns_of(wordnet: str | None = None, hypernyms: str | None = None, lemmas: str | None = None) -> Nouns:
    """Return the nouns of a folder of WordNet's files, or of a WN-LMF file, see :func:`read_lmf`.

    Raises:
        InputError: if they cannot be read, or ``hypernyms`` or ``lemmas`` are given for WordNet, which has its own.
    """
    if wordnet is not None and Path(wordnet).is_file():
        return read_lmf(wordnet, hypernyms, lemmas)
    for name, given in (("hypernyms", hypernyms), ("lemmas", lemmas)):
        if given is not None:
            raise InputError(f"{option(name, ...)} is for a wordnet in WN-LMF, named by {option('wordnet', 'FILE')}")
    return read_nouns(wordnet)


def read_lmf(
    path: str | os.PathLike[str],
    hypernyms: str | os.PathLike[str] | None = None,
    lemmas: str | os.PathLike[str] | None = None,
) -> Nouns:
    """Read the nouns of a wordnet; letter case does not count, and a blank in a lemma becomes ``_``.

    What English takes for granted is asked of the file: forms of a noun are those that it lists, and those of
    ``lemmas``; there are no rules of endings.

    Args:
        path: ``.xml``, or ``.xml.gz``.
        hypernyms: another wordnet, whose hypernyms are taken through the interlingual index (ILI): many wordnets have
            words alone.
        lemmas: a file of forms and their base forms, ``form TAB lemma``.

    Raises:
        InputError: if a file cannot be read, holds no nouns, or no hypernyms lie above them.
    """
    lexicons = _lexicons(Path(path))
    languages = sorted({str(one["language"]).lower().split("-")[0] for one in lexicons})
    if len(languages) > 1:
        raise InputError(f"{path}: holds wordnets of several languages ({', '.join(languages)}); give a file of one")
    above = [*lexicons, *([] if hypernyms is None else _lexicons(Path(hypernyms)))]
    keys = _keys(above)
    graph, notes = _acyclic(_graph(above, keys))
    number = {key: k for k, key in enumerate(graph, 1)}
    index, forms = _words(lexicons, keys, number)
    if not index:
        raise InputError(f"{path}: holds no nouns")
    if not any(graph[key] for key in graph):
        raise InputError(
            f"{path}: no hypernym lies above its nouns; name a wordnet that has them by {option('hypernyms', ...)}"
        )
    for form, lemma in [] if lemmas is None else _forms_of(Path(lemmas)):
        forms.setdefault(form, []).append(lemma)
    name = f"{lexicons[0].get('label') or lexicons[0]['id']} ({languages[0]})"
    if not forms:
        notes.append(
            f"{name} lists no forms of its nouns: only words as they stand there are known; {option('lemmas', ...)} "
            "names forms."
        )
    return Nouns(
        {number[key]: tuple(number[up] for up in ups) for key, ups in graph.items()},
        index,
        {form: tuple(dict.fromkeys(base)) for form, base in forms.items()},
        str(path),
        endings=(),
        name=name,
        notes=tuple(notes),
    )


def _lexicons(path: Path) -> list[Mapping[str, Any]]:
    try:
        from wn import lmf
    except ImportError:
        raise InputError("a wordnet in WN-LMF needs the package wn: pip install wn") from None
    with TemporaryDirectory() as folder:
        try:
            plain = _unpacked(path, Path(folder))
            lexicons: list[Mapping[str, Any]] = list(lmf.load(plain, progress_handler=None)["lexicons"])
        except (OSError, EOFError, lmf.LMFError, LookupError, ValueError, AttributeError) as error:
            raise InputError(f"{path}: cannot be read as WN-LMF: {error}") from error
    if not lexicons:
        raise InputError(f"{path}: holds no lexicon")
    for one in lexicons:
        if "extends" in one:
            raise InputError(
                f"{path}: '{one['id']}' extends another lexicon; extensions are not read, give a whole one"
            )
    return lexicons


def _unpacked(path: Path, folder: Path) -> Path:
    with path.open("rb") as file:
        if file.read(2) != b"\x1f\x8b":
            return path
    plain = folder / "wordnet.xml"
    with gzip.open(path, "rb") as packed, plain.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return plain


def _key(synset: Mapping[str, Any], lexicon: int) -> str:
    ili = synset.get("ili")
    return f"ili {ili}" if ili and ili != "in" else f"{lexicon} {synset['id']}"  # "in": proposed, has no number yet


def _nouns(lexicon: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in lexicon.get("synsets", ()) if one.get("partOfSpeech") == "n"]


def _keys(lexicons: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return by lexicon the keys that its ids of nouns' synsets mean: those of lexicons it requires, and its own."""
    inner = [{one["id"]: _key(one, k) for one in _nouns(lexicon)} for k, lexicon in enumerate(lexicons)]
    names = [(lexicon["id"], lexicon.get("version")) for lexicon in lexicons]
    keys = []
    for lexicon, own in zip(lexicons, inner, strict=True):
        required = {(one["id"], one.get("version")) for one in lexicon.get("requires", ())}
        others = [other for name, other in zip(names, inner, strict=True) if name in required]
        keys.append({synset: key for part in (*others, own) for synset, key in part.items()})
    return keys


def _graph(lexicons: Iterable[Mapping[str, Any]], keys: Iterable[Mapping[str, str]]) -> Graph:
    """Return the hypernyms of all synsets of nouns; one that is named and not there is left out."""
    graph: dict[str, dict[str, None]] = {}
    for lexicon, key in zip(lexicons, keys, strict=True):
        for one in _nouns(lexicon):
            targets = [to["target"] for to in one.get("relations", ()) if to["relType"] in _UP]
            ups = dict.fromkeys(key[target] for target in targets if target in key)
            graph[key[one["id"]]] = graph.get(key[one["id"]], {}) | ups
    return {key: tuple(up for up in ups if up in graph) for key, ups in graph.items()}


def _acyclic(graph: Graph) -> tuple[Graph, list[str]]:
    """Return the graph without the edges that lead back to where one came from, and a sentence on them."""
    done, made, lost = set[str](), {key: list[str]() for key in graph}, 0
    for start in graph:
        way, open_ = [(start, iter(graph[start]))], {start}
        while way and start not in done:
            key, ups = way[-1]
            up = next(ups, None)
            if up is None:
                open_.discard(key)
                done.add(key)
                way.pop()
            elif up in open_:
                lost += 1
            else:
                made[key].append(up)
                if up not in done:
                    open_.add(up)
                    way.append((up, iter(graph[up])))
    return {key: tuple(up) for key, up in made.items()}, [
        f"{counted(lost, 'hypernym')} would lie above itself and {'was' if lost == 1 else 'were'} left out."
    ] * bool(lost)


def _words(
    lexicons: Iterable[Mapping[str, Any]], keys: Iterable[Mapping[str, str]], number: Mapping[str, int]
) -> tuple[dict[str, tuple[int, ...]], dict[str, list[str]]]:
    """Return the senses of every lemma, and the lemmas of every other form."""
    index, forms = dict[str, list[int]](), dict[str, list[str]]()
    for lexicon, key in zip(lexicons, keys, strict=False):  # those of another wordnet's hypernyms come behind
        for entry in lexicon.get("entries", ()):
            if entry["lemma"]["partOfSpeech"] != "n":
                continue
            senses = [number[key[one["synset"]]] for one in entry.get("senses", ()) if one["synset"] in key]
            if not senses:
                continue
            lemma = _spelled(entry["lemma"]["writtenForm"])
            index.setdefault(lemma, []).extend(senses)
            for form in entry.get("forms", ()):
                if (other := _spelled(form["writtenForm"])) != lemma:
                    forms.setdefault(other, []).append(lemma)
    return {lemma: tuple(dict.fromkeys(senses)) for lemma, senses in index.items()}, forms


def _spelled(form: str) -> str:
    return "_".join(form.lower().split())


def _forms_of(path: Path) -> Iterator[tuple[str, str]]:
    from gpustab.evaluation.files import read_lines

    for line in read_lines(path):
        cells = line.text(path).split("\t")
        if len(cells) != 2 or not all(map(str.strip, cells)):
            raise InputError(f"{path}: line {line.number} is no form and lemma with a tab between: {some_of(cells, 3)}")
        yield _spelled(cells[0]), _spelled(cells[1])
