"""Cells of the page that no declaration alone can write."""

from gpustab.studies.consistency.page import beside, half
from gpustab.studies.consistency.tables import TextPair
from tests.studies.consistency.made import row


def test_numbers_of_two_texts_have_one_sign_of_minus_and_zero_none():
    title, shown = beside(TextPair, "auc")
    assert title == "AUC"
    assert shown(row(TextPair, auc=-0.25, auc_against=-0.0001)) == "−0.250 / 0.000"


def test_a_number_stands_with_half_of_its_interval():
    title, shown = half(TextPair, "auc_difference", "auc")
    assert title == "difference of AUC"
    assert shown(row(TextPair, auc_difference=0.25, auc_low=0.2, auc_high=0.3)) == "0.250 ± 0.050"
