from collections import Counter
from dataclasses import replace
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpustab import InputError, Vocabulary
from gpustab.corpus import compact
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.sampling import (
    SAMPLINGS,
    Sample,
    draw,
    draw_units,
    drawn_together,
    sample,
    shared_training_seed,
    training_seed,
)
from gpustab.corpus.tokenise import prepare_corpus

PINNED = {
    ("fixed", 5, 3): [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ("shuffled", 0, 0): [7, 4, 5, 1, 9, 8, 6, 2, 0, 3],
    ("shuffled", 0, 1): [2, 1, 4, 7, 6, 0, 8, 9, 3, 5],
    ("shuffled", 2018, 24): [5, 1, 2, 7, 8, 9, 6, 0, 4, 3],
    ("bootstrap", 0, 0): [1, 1, 0, 2, 9, 0, 7, 3, 9, 4],
    ("bootstrap", 0, 1): [4, 4, 2, 8, 9, 0, 1, 2, 9, 2],
    ("bootstrap", 2018, 24): [1, 1, 1, 4, 9, 7, 1, 3, 7, 1],
}
PINNED_SEEDS = [1874364849, 2040376535, 161328694, 1565899406, 470237578, 1749781632]
PINNED_GROUPS = [1, 5, 2, 0, 5, 5, 2, 2, 4]
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("key", PINNED)
def test_draws_are_the_same_on_every_machine(key):
    sampling, seed, run = key
    draw = draw_units(sampling, 10, seed, run)
    assert draw.dtype == np.int64
    assert draw.tolist() == PINNED[key]


def test_training_seeds_are_the_same_on_every_machine():
    shared = [shared_training_seed(*x) for x in ((0, 0), (0, 1), (2018, 24), (2**32 - 1, 0))]
    assert shared == [465539301, 1531785295, 727269825, 817018529]
    seeds = [training_seed(0, s, run) for s in SAMPLINGS for run in (0, 1)]
    assert seeds == PINNED_SEEDS


@given(st.sampled_from(SAMPLINGS), st.integers(0, 200), SEEDS, SEEDS)
def test_draws_repeat_and_stay_in_range(sampling, units, seed, run):
    draw = draw_units(sampling, units, seed, run)
    assert draw.tolist() == draw_units(sampling, units, seed, run).tolist()
    assert len(draw) == units
    assert not units or (draw.min() >= 0 and draw.max() < units)
    if sampling != "bootstrap":
        assert sorted(draw) == list(range(units))


def test_draws_of_all_samplings_seeds_and_runs_differ():
    keys = [(s, seed, run) for s in SAMPLINGS[1:] for seed in (*range(20), 2**32 - 1) for run in range(20)]
    assert len({tuple(draw_units(s, 50, seed, run)) for s, seed, run in keys}) == len(keys)
    seeds = {training_seed(seed, s, run) for s, seed, run in keys}
    seeds |= {shared_training_seed(seed, run) for _, seed, run in keys}
    assert len(seeds) == len(keys) * 3 // 2


def test_bootstrap_leaves_out_a_third():
    parts = [len(np.unique(draw_units("bootstrap", 1000, 1, run))) / 1000 for run in range(200)]
    assert np.mean(parts) == pytest.approx(1 - np.exp(-1), abs=0.003)


def test_every_unit_is_drawn_equally_often_and_at_every_place():
    draws = np.stack([draw_units("bootstrap", 7, 3, run) for run in range(3000)])
    shuffles = np.stack([draw_units("shuffled", 7, 3, run) for run in range(3000)])
    for values in (*draws.T, *shuffles.T):
        observed = np.bincount(values, minlength=7)
        assert np.square(observed - 3000 / 7).sum() / (3000 / 7) < 27.9  # chi², 6 degrees of freedom, p = 1e-4


def test_a_word_of_one_document_is_absent_from_a_third_of_the_samples():
    corpus = corpus_of([[[1, 0]], *[[[0]]] * 39])
    absent = [1 not in sample(corpus, draw_units("bootstrap", 40, 0, run)).words for run in range(2000)]
    assert np.mean(absent) == pytest.approx((39 / 40) ** 40, abs=0.04)  # 0.363


@given(SEEDS, st.sampled_from(SAMPLINGS), SEEDS)
def test_training_seeds_fit_every_trainer(seed, sampling, run):
    assert 1 <= training_seed(seed, sampling, run) <= 2**31 - 1


def test_training_shares_nothing_with_the_draws():
    for seed, run in ((0, 0), (1, 2), (3, 1)):
        first = {int(np.random.SeedSequence([seed, n, run]).generate_state(1)[0]) % (2**31 - 1) + 1 for n in range(3)}
        assert first.isdisjoint({training_seed(seed, s, run) for s in SAMPLINGS} | {shared_training_seed(seed, run)})


@pytest.mark.parametrize(("seed", "run"), [(-1, 0), (2**32, 0), (0, -1), (0, 2**32)])
def test_numbers_whose_streams_could_meet_are_refused(seed, run):
    with pytest.raises(InputError, match="wanted a whole number from 0 to 4294967295"):
        draw_units("shuffled", 3, seed, run)
    with pytest.raises(InputError, match=r"^(seed|run) is "):
        training_seed(seed, "fixed", run)


def test_an_unknown_sampling_is_refused():
    with pytest.raises(InputError, match="sampling is 'jackknife', wanted 'fixed' or 'shuffled' or 'bootstrap'"):
        draw_units("jackknife", 3, 0, 0)
    with pytest.raises(InputError, match="sampling is 'jackknife'"):
        training_seed(0, "jackknife", 0)


def corpus_of(units, unit="document", words=6):
    texts = [text for one in units for text in one]
    offsets = [np.cumsum([0, *map(len, parts)]).astype(np.int64) for parts in (texts, units)]
    tokens = np.array([token for text in texts for token in text], dtype=np.int32)
    return Corpus("made", Vocabulary(map(str, range(words))), tokens, *offsets, unit, {})


TEXT = st.lists(st.integers(0, 5), max_size=7)
UNITS = st.lists(st.lists(TEXT, max_size=3), min_size=1, max_size=8)
SENTENCES = st.lists(TEXT.map(lambda text: [text]), min_size=1, max_size=8)


@given(st.data(), UNITS | SENTENCES)
def test_a_sample_is_the_drawn_units_one_after_the_other(data, units):
    draw = np.array(data.draw(st.lists(st.integers(0, len(units) - 1), max_size=12)), dtype=np.int64)
    with mock.patch.object(compact, "_AT_ONCE", data.draw(st.sampled_from([1, 4, 1 << 20]))):
        found = sample(corpus_of(units), draw)
    texts = [text for i in draw for text in units[i] if text]
    assert [found.tokens[a:b].tolist() for a, b in pairwise(found.texts)] == texts
    assert found.tokens.tolist() == [token for text in texts for token in text]
    assert (found.tokens.dtype, found.texts.dtype) == (np.int32, np.int64)
    assert found.counts.tolist() == [sum(text.count(i) for text in texts) for i in range(6)]
    assert found.words[found.local].tolist() == found.tokens.tolist()


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_empty_units_are_drawn_and_add_nothing(sampling):
    corpus = corpus_of([[], [[]], [[1, 2], [], [3]], [[]]])
    found = sample(corpus, draw_units(sampling, len(corpus), 1, 1))
    times = int((found.draw == 2).sum())
    assert len(found.draw) == 4
    assert found.tokens.tolist() == [1, 2, 3] * times
    assert np.diff(found.texts).tolist() == [2, 1] * times


@given(UNITS, st.integers(1, 9))
def test_pieces_are_all_tokens_once_and_never_cross_a_text(units, longest):
    corpus = corpus_of(units)
    found: Sample = sample(corpus, draw_units("bootstrap", len(corpus), 0, 0))
    pieces = [piece.tolist() for piece in found.pieces(longest)]
    assert [token for piece in pieces for token in piece] == found.tokens.tolist()
    assert all(0 < len(piece) <= longest for piece in pieces)
    ends = np.cumsum([0, *map(len, pieces)])
    assert set(found.texts.tolist()) <= set(ends.tolist())
    assert len(pieces) == sum(-(-length // longest) for length in np.diff(found.texts).tolist())


AUTHORS = [3, 3, 0, 7, 3, 0, 7, 7, 1]


def by_authors(authors):
    return replace(corpus_of([[[k % 6]] for k in range(len(authors))]), unit="author", together=np.array(authors))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), SEEDS, SEEDS)
def test_documents_of_a_group_are_drawn_all_or_none(authors, seed, run):
    corpus = by_authors(authors)
    drawn = Counter(draw(corpus, "bootstrap", seed, run).tolist())
    times = [{drawn[k] for k, own in enumerate(authors) if own == author} for author in sorted(set(authors))]
    assert all(len(own) == 1 for own in times)
    assert sum(min(own) for own in times) == corpus.draws == len(set(authors))
    for sampling in SAMPLINGS[:2]:
        assert draw(corpus, sampling, seed, run).tolist() == draw_units(sampling, len(authors), seed, run).tolist()


def test_draws_of_groups_are_the_same_on_every_machine_and_in_random_order():
    corpus = by_authors(AUTHORS)
    assert draw(corpus, "bootstrap", 0, 1).tolist() == PINNED_GROUPS
    orders = {tuple(draw(corpus, "bootstrap", 0, run).tolist()) for run in range(50)}
    assert len(orders) > 45
    first = Counter(order[0] for order in orders)
    assert len(first) == len(AUTHORS)


def test_a_group_of_one_document_each_is_drawn_as_documents_are():
    corpus = by_authors(range(200))
    absent = [200 - len(set(draw(corpus, "bootstrap", 0, run).tolist())) for run in range(200)]
    assert np.mean(absent) / 200 == pytest.approx(np.exp(-1), abs=0.01)


def test_documents_are_grouped_by_a_column_or_in_blocks(tmp_path):
    lines = [f'{{"text": "w{k} common word", "author": "{"abc"[k % 3]}"}}' for k in range(12)]
    (tmp_path / "own.jsonl").write_text("\n".join(lines) + "\n")
    options = CorpusOptions(min_count=1, unit="author", drop_numbers=False)
    corpus = prepare_corpus(tmp_path / "own.jsonl", options)
    assert corpus.together.tolist() == [k % 3 for k in range(12)]
    assert repr(corpus).endswith("12 documents, 3 authors, 36 running words, 14 words)")
    blocks = drawn_together(prepare_corpus(tmp_path / "own.jsonl", replace(options, unit="blocks-5")), "blocks-5")
    assert blocks.together.tolist() == [0] * 5 + [1] * 5 + [2] * 2
    assert (blocks.draws, blocks.drawn) == (3, "block")
    assert corpus.take([0, 1, 4]).together.tolist() == [0, 1, 1]
    plain = prepare_corpus(tmp_path / "own.jsonl", replace(options, unit="document"))
    assert len({plain.hash, corpus.hash, blocks.hash}) == 3


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        ("editor", "unit is 'editor', wanted document, sentence, blocks-N, or a column .folder, place."),
        ("place", "all documents of .* have one place, 'Rome'"),
        ("blocks-0", "unit is 'blocks-0', wanted document"),
        ("documents", "near it is document"),
    ],
)
def test_what_groups_nothing_is_refused(tmp_path, unit, says):
    lines = [f'{{"text": "some words {k}", "place": "Rome"}}' for k in range(12)]
    (tmp_path / "own.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=says):
        prepare_corpus(tmp_path / "own.jsonl", CorpusOptions(min_count=1, unit=unit, drop_duplicates=False))
