"""WordNet's own files written as WN-LMF, so that one wordnet is read in two forms."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

from gpustab.wordnet.nouns import exception_record, lemma_record, records

_FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE LexicalResource SYSTEM '
    '"http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n'
    '<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">\n'
    '<Lexicon id="pwn" label="Princeton WordNet" language="en" email="a@b.c" license="wordnet" version="3.0">\n'
)


def _synset(fields):
    """Offset, and the pairs of sign and target of ``offset file type words [word id]... pointers [pointer]...``."""
    start = 5 + 2 * int(fields[3], 16)
    pointers = fields[start : start + 4 * int(fields[start - 1])]  # frames of verbs come behind
    return int(fields[0]), [(pointers[k], int(pointers[k + 1])) for k in range(0, len(pointers), 4)]


def _entries(folder, name, pos, kept):
    forms = {}
    for form, bases in records(folder / f"{name}.exc", exception_record):
        for base in bases:
            forms.setdefault(base, []).append(form)
    for k, (lemma, senses) in enumerate(records(folder / f"index.{name}", lemma_record)):
        if name == "noun" and kept is not None and lemma not in kept:
            continue
        yield f'<LexicalEntry id="pwn-{pos}{k}"><Lemma writtenForm={quoteattr(lemma.replace("_", " "))} '
        yield f'partOfSpeech="{pos}"/>'
        yield from (f"<Form writtenForm={quoteattr(form)}/>" for form in forms.get(lemma, ()))
        yield from (f'<Sense id="pwn-{pos}{k}-{n}" synset="pwn-{one:08d}-{pos}"/>' for n, one in enumerate(senses))
        yield "</LexicalEntry>\n"


def _synsets(folder, name, pos, kept):
    up = {"@": "hypernym", "@i": "instance_hypernym"}
    for offset, pointers in records(folder / f"data.{name}", _synset):
        if kept is not None and offset not in kept:
            continue
        yield f'<Synset id="pwn-{offset:08d}-{pos}" ili="" partOfSpeech="{pos}">'
        for sign, target in pointers:
            if sign in up:
                yield f'<SynsetRelation relType="{up[sign]}" target="pwn-{target:08d}-{pos}"/>'
        yield "</Synset>\n"


def written(path: Path, folder, lemmas=None, synsets=None, files=("noun",)):
    """Write WordNet of a folder, all of it or some lemmas and synsets of nouns, and return the path.

    Args:
        path: of the file.
        folder: of WordNet's files.
        lemmas: of nouns; default: all.
        synsets: offsets of nouns, with all that lie above them; default: all.
        files: ``noun``, ``verb``, ``adj``, ``adv``.
    """
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD)
        for part, kept in ((_entries, lemmas), (_synsets, synsets)):
            for name in files:
                file.writelines(part(folder, name, _FILES[name], kept))
        file.write("</Lexicon>\n</LexicalResource>\n")
    return path
