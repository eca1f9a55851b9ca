"""A text and a tiny encoder of it, read once."""

import pytest

pytest.importorskip("transformers")

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from tests.encoders.tiny import save, texts

OPTIONS = CorpusOptions(min_count=2, as_is=True, layout="lines")


@pytest.fixture(scope="session")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(texts()) + "\n")
    return path


@pytest.fixture(scope="session")
def corpus(text):
    return prepare_corpus(text, OPTIONS, look=False)


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Two fine-tunings that read 16 tokens at most, so that most documents are cut."""
    folder = tmp_path_factory.mktemp("models")
    return [save(folder / f"seed{k}", seed=k, limit=16) for k in (1, 2)]
