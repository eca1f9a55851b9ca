"""Words whose contexts differ beyond the sampling of authors: planted exchanges are found, nothing else is."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import sparse

from gpustab.corpus.corpus import Corpus, Record
from gpustab.errors import InputError
from gpustab.runs.key import Key
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies.change import authors
from gpustab.studies.change.authors import Text, changes, deal, discovered_words, discoveries, documents_of, studentised
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.series import Series
from gpustab.studies.shared.finished import Finished
from gpustab.trainers.ppmi_svd import factor, ppmi
from tests.kernels.test_displacement import naive_turn

WORDS, TOPICS, LENGTH = 96, 6, 480
EXCHANGED = [(0, 1), (8, 9), (16, 17)]
"""Pairs of words of one frequency and different topics (a word's topic is its number modulo 6)."""


def corpus(share, seed, many=24, documents=3):
    """Two epochs of authors who each prefer some topics; in a share of the later documents words are exchanged."""
    rng = np.random.default_rng([7, seed])
    topic = np.arange(WORDS) % TOPICS
    base = 1 / (2 + np.arange(WORDS) // TOPICS)
    tokens, records = [], []
    for author in range(many):
        taste = rng.dirichlet(np.full(TOPICS, 2.0))
        for document in range(documents):
            places = rng.choice(TOPICS, LENGTH // 12, p=taste)
            text = [rng.choice(WORDS, 12, p=_normal(base * np.where(topic == t, 12, 1))) for t in places]
            own = np.concatenate(text)
            if author >= many // 2 and rng.random() < share:
                own = _exchanged(own)
            tokens.append(own.astype(np.int32))
            records.append(Record(f"{author}-{document}", {"author": f"a{author}"}, len(records)))
    offsets = np.arange(len(tokens) + 1)
    whole = Corpus(
        "planted",
        Vocabulary(f"w{k}" for k in range(WORDS)),
        np.concatenate(tokens),
        offsets * LENGTH,
        offsets,
        "document",
        {},
        offsets,
        tuple(records),
    )
    half = len(records) // 2
    return whole.take(range(half)), whole.take(range(half, len(records)))


def _normal(weights):
    return weights / weights.sum()


def _exchanged(tokens):
    found = tokens.copy()
    for a, b in EXCHANGED:
        found[tokens == a], found[tokens == b] = b, a
    return found


def found_of(share, seed, rate=0.05):
    """How many planted words were found, how many others, and the mean change of the planted ones."""
    rows = discoveries(documents_of(corpus(share, seed), "author", min_count=20), deals=29, dim=6, seed=seed)
    planted = {f"w{k}" for pair in EXCHANGED for k in pair}
    found = {row.word for row in rows if row.q <= rate}
    return len(found & planted), len(found - planted), np.mean([row.change for row in rows if row.word in planted])


def test_planted_changes_are_found_the_more_the_larger_their_share():
    results = {share: np.mean([found_of(share, seed) for seed in range(2)], 0) for share in (0.0, 0.5, 1.0)}
    change = [results[share][2] for share in results]
    assert change == sorted(change)
    assert results[0.0][0] <= results[0.5][0] <= results[1.0][0]
    assert results[1.0][0] >= 5
    assert results[1.0][1] <= 0.5


def test_where_nothing_changed_hardly_any_word_is_found():
    false = [sum(found_of(0.0, seed)[:2]) > 0 for seed in range(10, 15)]
    assert sum(false) <= 1  # 5 % of the sets by the rule: two or more of five have a probability of 2 %


def test_the_change_is_that_of_a_recount():
    first, second = corpus(0.5, 1)
    documents = documents_of([first, second], "author", min_count=20)
    sums = np.asarray(documents.pairs[documents.period == 0].sum(0)).ravel()
    v = len(documents.words)
    counts = np.zeros((v, v))
    counts.flat[documents.columns] = sums
    naive = np.zeros((WORDS, WORDS))
    for start in range(0, len(first.tokens), LENGTH):
        text = first.tokens[start : start + LENGTH]
        for p in range(LENGTH):
            for q in range(max(0, p - 5), min(LENGTH, p + 6)):
                naive[text[p], text[q]] += p != q
    known = [int(word[1:]) for word in documents.words]
    np.testing.assert_array_equal(counts, naive[np.ix_(known, known)])
    assert changes(documents, documents.period, 8).shape == (v,)


def test_deals_keep_blocks_together_and_sizes_alike():
    documents = documents_of(corpus(0, 2), "author", min_count=20)
    rng = np.random.default_rng(0)
    for _ in range(20):
        epoch = deal(documents, rng)
        assert (epoch == 0).sum() == (documents.period == 0).sum()
        for block in np.unique(documents.block):
            assert len(set(epoch[documents.block == block])) == 1


def test_pooled_z_leaves_the_own_deal_out():
    null = np.random.default_rng(0).normal(size=(7, 4))
    pool = studentised(null[0], null)[1].reshape(7, 4)
    rest = np.delete(null, 3, 0)
    usual = np.median(null.std(0, ddof=1))
    np.testing.assert_allclose(pool[3], (null[3] - rest.mean(0)) / (rest.std(0, ddof=1) + usual), atol=1e-9)


def test_what_cannot_be_tested_is_refused():
    first, second = corpus(0, 3, many=2)
    with pytest.raises(InputError, match="have no president"):
        documents_of([first, second], "president", min_count=20)
    with pytest.raises(InputError, match="0 words occur"):
        documents_of([first, second], "author", min_count=10**6)
    with pytest.raises(InputError, match="2 blocks"):
        discoveries(documents_of([first, second], "author", min_count=20))


def test_the_text_of_epochs_is_read_and_tested(tmp_path, monkeypatch):
    lines = ["year\tauthor\ttext"]
    for epoch, own in enumerate(corpus(1.0, 0)):
        for record, start in zip(own.records, range(0, len(own.tokens), LENGTH), strict=True):
            text = " ".join(own.vocabulary.text(k) for k in own.tokens[start : start + LENGTH])
            lines.append(f"{1800 + 20 * epoch + int(record.id[-1])}\t{record.metadata['author']}\t{text}")
    path = tmp_path / "dated.tsv"
    path.write_text("year\tauthor\ttext\n" + "\n".join(_spelt(line) for line in lines[1:]) + "\n")
    choices = ChangeOptions(corpus=str(path), authors="author", deals=19, min_count=20)
    text = Text(_series("1800-1819", "1820-1839"), choices, lambda *_: None)
    rows = list(discovered_words(text, choices, lambda *_: None))
    assert len(rows) == WORDS
    planted = {_spelt(f"w{k}") for pair in EXCHANGED for k in pair}
    assert {row.word for row in sorted(rows, key=lambda row: -row.change)[:6]} == planted
    _goes_on(text, choices, rows, Finished(tmp_path / "kept"), monkeypatch)
    _by_anchors(path, choices, planted)
    with pytest.raises(InputError, match="called by their years, not old, new"):
        Text(_series("old", "new"), choices, lambda *_: None)
    with pytest.raises(InputError, match=r"72 of 72 documents .*near it is author; columns are author, year"):
        Text(_series("1800-1819", "1820-1839"), replace(choices, authors="autor"), lambda *_: None)
    with pytest.raises(InputError, match="corpus is read for authors"):
        ChangeOptions(corpus="sotu")
    with pytest.raises(InputError, match="do not tell their corpus; corpus names it"):
        Text(_series("1800-1819"), ChangeOptions(authors="author"), lambda *_: None)


def _by_anchors(path, choices, planted):
    """Deals are turned by anchors as well; these spaces have 50 dimensions."""
    anchors = tuple(word for k in range(WORDS) if (word := _spelt(f"w{k}")) not in planted)
    chosen = replace(choices, align="anchors", anchors=anchors, deals=9)
    text = Text(_series("1800-1819", "1820-1839"), chosen, lambda *_: None)
    rows = list(discovered_words(text, chosen, lambda *_: None))
    assert {row.word for row in sorted(rows, key=lambda row: -row.change)[:6]} == planted
    few = replace(chosen, anchors=anchors[:49])
    with pytest.raises(InputError, match="anchors: 49 of 49 words are frequent enough in 1800-1819 and"):
        Text(_series("1800-1819", "1820-1839"), few, lambda *_: None)


def test_deals_are_turned_by_the_anchors_alone():
    documents = documents_of(corpus(0.5, 1), "author", min_count=20)
    over = torch.arange(len(documents.words)) % 2 == 0
    spaces = []
    for which in (0, 1):
        v = len(documents.words)
        square = np.zeros((v, v))
        square.flat[documents.columns] = np.asarray(documents.pairs[documents.period == which].sum(0)).ravel()
        space = factor(ppmi(sparse.csr_matrix(square)), 8, 0.5, 0)
        spaces.append(space / np.linalg.norm(space, axis=1, keepdims=True))
    want = naive_turn(spaces[0][over], spaces[1][over], spaces[0])
    found = changes(documents, documents.period, 8, over)
    np.testing.assert_allclose(found, 1 - (want * spaces[1]).sum(1), atol=1e-6)


def _goes_on(text, choices, rows, finished, monkeypatch):
    """A call that is stopped within its deals goes on with the next one, and says the same."""
    calls = []

    def stopped(*told, at=8):
        calls.append(told)
        if len(calls) == at:
            raise KeyboardInterrupt
        return changes(*told)

    monkeypatch.setattr(authors, "changes", stopped)
    with pytest.raises(KeyboardInterrupt):
        list(discovered_words(text, choices, lambda *_: None, finished))
    assert list(discovered_words(text, choices, lambda *_: None, finished)) == rows
    assert len(calls) == 8 + 1 + choices.deals - 6  # the truth twice, six deals kept, the one that was stopped again
    assert list(discovered_words(text, choices, lambda *_: None, finished)) == rows
    assert len(calls) == 8 + 1 + choices.deals - 6 + 1


def _series(*epochs):
    return Series(Key("sgns"), epochs, ())


def _spelt(line):
    """Numbers of words as letters, since digits are no part of words."""
    *before, text = line.split("\t")
    return "\t".join([*before, re.sub(r"w(\d+)", lambda m: "w" + m[1].translate(DIGITS), text)])


DIGITS = str.maketrans("0123456789", "abcdefghij")
