"""Cells of the page that no declaration alone can write."""

import numpy as np
import pytest

from gpustab.results import SmallTable
from gpustab.studies.consistency.comparisons import InGeneral, domains
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.page import beside, half
from gpustab.studies.consistency.tables import Domain, Neighbours, Size, Split, TextPair, Updates, WordRanks
from tests.studies.consistency.made import row


def test_numbers_of_two_texts_have_one_sign_of_minus_and_zero_none():
    title, shown = beside(TextPair, "auc")
    assert title == "AUC"
    assert shown(row(TextPair, auc=-0.25, auc_against=-0.0001)) == "−0.250 / 0.000"


def test_a_number_stands_with_half_of_its_interval():
    title, shown = half(TextPair, "auc_difference", "auc")
    assert title == "difference of AUC"
    assert shown(row(TextPair, auc_difference=0.25, auc_low=0.2, auc_high=0.3)) == "0.250 ± 0.050"


def test_a_group_without_terms_has_no_numbers_on_the_page():
    """All terms are frequent in both texts: the cells of the other groups are those of undefined values."""
    four = np.array([0.25, 0.5, 0.5, 0.75])
    rows = domains("g", InGeneral(four, four / 2, np.full(4, 0.01), np.full(4, 0.01)), ConsistencyOptions())
    cells = SmallTable.of("", rows, ["terms", "cosine", "null", half(Domain, "excess")]).rows
    assert cells[0][:3] == ["4", "0.50", "0.25"]
    assert cells[1:4] == [["0", "–", "–", "–"]] * 3
    assert cells[4] == cells[0]


@pytest.mark.parametrize(
    ("one", "cells"),
    [
        (
            Size("g", 4, 4.0, 20, 31.26, 0.91234, 0.81234, 0.71234, 0.9, 0.92, 2.34567, 0.89876),
            ["4", "4.00", "20", "31.3", "0.912", "0.812", "0.712", "2.35", "0.899"],
        ),
        (
            Split("g", "sentences", 20, 0.91234, 0.92345, 0.12345, 0.256),
            ["sentences", "20", "0.912", "0.923", "0.12", "26 %"],
        ),
        (
            WordRanks("g", "sums", 1.2345, 2.3456, 1.7901, 1.6789, 0.876, 12_345),
            ["sums", "1.23", "2.35", "1.79", "1.68", "88 %", "12,345"],
        ),
        (Updates("g", 1, 60, 21.346), ["1", "60", "21.3"]),
        (
            Neighbours("g", "sums", "war", 1, 0.98765, 1234, 3, "peace, army"),
            ["sums", "war", "1", "0.988", "1,234", "3", "peace, army"],
        ),
    ],
)
def test_numbers_are_shown_with_the_digits_of_their_columns(one, cells):
    left_out = ("group", "same_low", "same_high")
    columns = [name for name in one._fields if name not in left_out]
    assert SmallTable.of("", [one], columns).rows == [cells]
