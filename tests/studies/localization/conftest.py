from pathlib import Path

import pytest

from gpustab.studies.localization.corpus import read_pairs
from gpustab.wordnet.lexicon import read_lexicon
from tests.studies.localization.small_wordnet import language as tools
from tests.studies.localization.small_wordnet import write_wordnet

PAIRS = Path(__file__).with_name("pairs.tsv")


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory):
    return write_wordnet(tmp_path_factory.mktemp("small") / "wordnet")


@pytest.fixture(scope="session")
def lexicon(small_folder):
    return read_lexicon(small_folder)


@pytest.fixture(scope="session")
def language():
    return tools()


@pytest.fixture(scope="session")
def paraphrases():
    return read_pairs([PAIRS])
