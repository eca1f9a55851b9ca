"""What is told of a corpus: one of each is counted as one."""

import json

import numpy as np
import pytest

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.training.runner import corpus_notes


def test_one_document_of_one_token_is_told_as_one():
    offsets = np.array([0, 1])
    dropped = {"duplicate_documents": 1, "rare_words": 2}
    corpus = Corpus("x", Vocabulary(["a"]), np.zeros(1, np.int32), offsets, offsets, "document", dropped)
    assert list(corpus_notes(corpus)) == [
        "x: 1 document, 1 running word, 1 word; left out: 1 duplicate document, 2 rare words.",
        "1 document is few to draw from: what bootstrap runs differ by is a matter of chance.",
    ]


NAMES = [f"{first} {last}" for first in ("Ann", "Bo", "Cy", "Di", "Ed", "Flo") for last in "ABCDEF"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (lambda k: NAMES[k % 36], True),
        (lambda k: NAMES[k % 72 // 2], True),
        (lambda k: f"rue {'abcdefgh'[k % 8] * 2}{'xyzuv'[k % 5] * 2}", True),
        (lambda k: NAMES[k % 36] if k else "", False),  # not of every document
        (lambda k: f"title {chr(97 + k % 26)}{chr(97 + k // 26)}", False),  # one each
        (lambda k: NAMES[k % 3], False),  # too few to draw from
        (lambda k: str(1800 + k % 40), False),  # years
        (lambda k: f"{k % 31 + 1}/{k % 12 + 1}", False),  # dates
    ],
)
def test_documents_that_share_a_name_are_to_be_drawn_together(tmp_path, column, said):
    records = [{"text": f"one two three word{k}", "by": column(k)} for k in range(108)]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, records)))
    options = CorpusOptions(min_count=1, drop_numbers=False)
    notes = "\n".join(corpus_notes(prepare_corpus(tmp_path / "own.jsonl", options)))
    assert ("bootstrap runs differ too little" in notes) == said
    if said:  # what it proposes leads on
        together = prepare_corpus(tmp_path / "own.jsonl", CorpusOptions(min_count=1, drop_numbers=False, unit="by"))
        assert 30 <= together.draws <= 40
        assert "bootstrap runs differ too little" not in "\n".join(corpus_notes(together))
