"""Halves against random parts: naive values, and how often the test errs."""

import itertools
import math

import numpy as np
import pytest
import torch

from gpustab.studies.consistency.halves import halves_and_random, part_cosines
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.prepare import prepare
from tests.studies.consistency.made import background, sentences, term_names, text_of, word

CPU = torch.device("cpu")


def test_cosines_of_parts_are_those_of_their_sums():
    x = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    masks = list(itertools.product([False, True], repeat=5))
    found = part_cosines(x, torch.tensor(masks))
    for mask, value in zip(masks, found.tolist(), strict=True):
        a = sum((x[k] for k in range(5) if mask[k]), torch.zeros(3).double())
        b = sum((x[k] for k in range(5) if not mask[k]), torch.zeros(3).double())
        if all(mask) or not any(mask):
            assert math.isnan(value)
        else:
            assert value == pytest.approx(float(a @ b / (a.norm() * b.norm())))


def _split(seed, change, documents=12):
    """Sentences in documents; in the second half every word of a changed sentence is another one."""
    lists = sentences(6, 24, 6, seed=seed, own=0.5)
    half = len(lists) // 2
    if change:
        lists[half:] = [
            [w if w.startswith("term") else word(int(299 - k)) for k, w in enumerate(s)] for s in lists[half:]
        ]
    numbers = (np.arange(len(lists)) * documents // len(lists)).tolist()
    text = text_of(lists, numbers)
    options = ConsistencyOptions(split="half", cutoff=3, subsample=0, permutations=39, seed=seed)
    runs = background(mean=0.3)
    prepared = prepare(text, [(t.encode(),) for t in term_names(6)], runs, options, CPU)
    return {row["permuted"]: row for row in halves_and_random(prepared, runs, options)}


def test_halves_that_differ_are_found_by_both_permutations():
    found = _split(0, change=True)
    assert found["sentences"]["p"] == pytest.approx(1 / 40)
    assert found["documents"]["p"] <= 0.05
    assert found["sentences"]["halves"] < found["sentences"]["random"]


def test_halves_of_one_text_are_seldom_found():
    found = [_split(seed, change=False) for seed in range(40)]
    for name in ("sentences", "documents"):
        assert sum(one[name]["p"] <= 0.05 for one in found) <= 6  # 2 expected; 7 or more in 5 of 1,000


def test_few_documents_are_not_permuted():
    assert set(_split(0, change=False, documents=3)) == {"sentences"}
