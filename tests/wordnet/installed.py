"""The WordNet that is installed, read once by a process; without one, a test that asks for it is skipped."""

from functools import cache

import pytest

from gpustab import InputError
from gpustab.wordnet.lexicon import read_lexicon
from gpustab.wordnet.nouns import read_nouns


@cache
def installed_lexicon():
    return _or_skip(read_lexicon)


@cache
def installed_nouns():
    return _or_skip(read_nouns)


def _or_skip(read):
    try:
        return read()
    except InputError as error:
        pytest.skip(str(error))
