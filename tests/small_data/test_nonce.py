"""Nonce2Vec: schedules and training against a naive sequential program with the same random numbers."""

import math

import numpy as np
import pytest
import torch

from gpustab.kernels.training.nonce import train_nonce
from gpustab.small_data.additive import instances
from gpustab.small_data.nonce import Settings, draw_negatives, padded, training_pairs, window_of
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import draw_samples
from tests.small_data.made import text_of

WORDS = 40


def _made(seed=0):
    """Sentences with terms that stand in them once, twice, or beside each other, and words that are not known."""
    generator = np.random.default_rng(seed)
    lists = []
    for _ in range(60):
        s = [f"w{generator.integers(WORDS)}" for _ in range(generator.integers(3, 30))]
        for _ in range(generator.integers(1, 4)):
            s.insert(int(generator.integers(len(s) + 1)), f"t{generator.integers(3)}")
        lists.append(s)
    text = text_of(lists)
    rows = np.array([int(w[1:]) if w[:1] == b"w" and w != b"w7" else -1 for w in text.words])
    counts = np.array([5 + 400 * int(w[1:]) if w[:1] == b"w" and w != b"w7" else 0 for w in text.words])
    return text, rows, counts


def naive_pairs(  # noqa: C901  # loops, as naive as can be
    text, samples, rows, counts, settings
):
    """The steps of every sample by loops; the same uniform numbers, token by token."""
    found = instances(text, samples)
    seen = found.target | (rows[text.tokens[found.place]] >= 0)
    place, member, target = (part[seen] for part in found)
    uniform = np.random.default_rng([settings.seed, 4]).random(len(place))
    steps = []
    for p in range(len(samples.term)):
        mine = [k for k in range(len(place)) if samples.owner[member[k]] == p]
        total = settings.sample * len(mine)
        own = {}
        for k in mine:
            own[text.tokens[place[k]]] = own.get(text.tokens[place[k]], 0) + 1
        time, window = 0, settings.window
        for s, m in enumerate(range(samples.starts[p], samples.starts[p + 1])):
            sentence = []
            for k in (k for k in mine if member[k] == m):
                c = counts[text.tokens[place[k]]] + own[text.tokens[place[k]]]
                keep = min(1.0, (math.sqrt(c / total) + 1) * total / c) / settings.sample_decay**s
                if target[k] or uniform[k] < keep:
                    sentence.append((rows[text.tokens[place[k]]], target[k]))
            for i, (row, is_target) in enumerate(sentence):
                for j, (_, other) in enumerate(sentence):
                    if i != j and other and abs(i - j) <= window:
                        time += 1
                        if not is_target:
                            steps.append((p, s, time, row))
            if window - 1 >= 3:
                window = max(window - settings.window_decay, 0)
    return steps


def naive_training(start, output, steps, negatives, settings, update):
    """One problem, one step after the other, in float64."""
    x, o = start.copy(), output.copy()
    for (_, _, time, row), drawn in zip(steps, negatives, strict=True):
        alpha = max(settings.alpha * math.exp(-(time - 1) / settings.alpha_decay), 1e-4)
        ids = [row, *drawn]
        before, change, out_change = x.copy(), np.zeros_like(x), []
        for k, i in enumerate(ids):
            g = alpha * ((k == 0) - 1 / (1 + math.exp(-float(o[i] @ before))))
            change += g * o[i]
            out_change.append((i, g * before))
        x += change
        for i, d in out_change if update else []:
            o[i] = o[i] + d
    return x


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize(("sample", "window_decay", "sample_decay"), [(10.0, 1, 1.3), (1e4, 5, 1.9)])
def test_all_samples_at_once_are_the_naive_sequential_program(update, sample, window_decay, sample_decay):
    text, rows, counts = _made()
    settings = Settings(0.4, 2, sample, 70.0, sample_decay, window_decay, seed=5)
    terms = [text.words.index(f"t{k}".encode()) for k in range(3)]
    samples = draw_samples(text, terms, ConsistencyOptions(samples=3, seed=5))
    pairs = training_pairs(text, samples, rows, counts, settings)
    steps = naive_pairs(text, samples, rows, counts, settings)
    assert list(zip(*(part.tolist() for part in pairs), strict=True)) == steps
    by_row = np.zeros(WORDS, dtype=np.int64)
    by_row[rows[rows >= 0]] = counts[rows >= 0]
    negatives = draw_negatives(pairs.row, by_row, 2, 5)
    generator = np.random.default_rng(1)
    start, output = generator.normal(size=(len(samples.term), 6)), generator.normal(size=(WORDS, 6))
    ids, rates = padded(pairs, negatives, len(start), settings.alpha, settings.alpha_decay)
    batched = train_nonce(*map(torch.from_numpy, (start, output, ids, rates)), update_output=update)
    for p in range(len(start)):
        mine = [k for k, step in enumerate(steps) if step[0] == p]
        wanted = naive_training(start[p], output, [steps[k] for k in mine], negatives[mine], settings, update)
        assert batched[p].numpy() == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_a_sample_without_steps_keeps_its_vector():
    start, output = torch.ones(2, 3, dtype=torch.float64), torch.ones(5, 3, dtype=torch.float64)
    ids = torch.zeros(2, 1, 2, dtype=torch.long)
    rates = torch.tensor([[0.0], [0.5]], dtype=torch.float64)
    for update in (False, True):
        found = train_nonce(start, output, ids, rates, update_output=update)
        assert torch.equal(found[0], start[0])
        assert not torch.equal(found[1], start[1])
    none = torch.zeros(2, 0, 2, dtype=torch.long)
    assert torch.equal(train_nonce(start, output, none, rates[:, :0], update_output=True), start)


def test_negatives_are_drawn_by_their_count_and_are_never_the_context():
    counts = np.array([0, 16, 81, 256])
    context = np.full(20_000, 2)
    found = draw_negatives(context, counts, 3, 0)
    share = np.bincount(found.ravel(), minlength=4) / found.size
    assert share[[0, 2]].tolist() == [0, 0]
    assert share[1] == pytest.approx(8 / 72, abs=0.005)


def test_windows_as_the_public_code_shrinks_them():
    assert [window_of(s, 15, 5) for s in range(5)] == [15, 10, 5, 0, 0]
    assert [window_of(s, 15, 1) for s in range(14)][-3:] == [4, 3, 3]
    assert window_of(9, 15, 0) == 15
