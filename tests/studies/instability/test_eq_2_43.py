"""Eq. 2.43 of Rettenmeier 2020 from his tables 1.2 and 2.8: instability over samples against vocabulary per token."""

import pytest
import torch

from gpustab.statistics.extrinsic import extrinsic
from gpustab.statistics.ranks import rank_correlation
from tests.studies.instability.test_extrinsic import THESIS

CORPORA = {
    "HI": (48, 19),
    "FI": (155, 97),
    "ZH": (215, 96),
    "CS": (225, 85),
    "PL": (469, 137),
    "PT": (489, 87),
    "EN": (4501, 398),
}
"""Table 1.2: tokens in 10⁶ and vocabulary in 10⁴."""


def correlation(technique, languages):
    quotients = [CORPORA[name][1] / CORPORA[name][0] for name in languages]
    values = [extrinsic(*THESIS[name, technique][:2]).value for name in languages]
    return rank_correlation(torch.tensor(quotients), torch.tensor(values))


@pytest.mark.parametrize(("technique", "rho", "p"), [("word2vec", 0.715, 0.071), ("fastText", 0.536, 0.22)])
def test_word2vec_and_fasttext_are_those_of_seven_languages(technique, rho, p):
    found = correlation(technique, CORPORA)
    assert found[0] == pytest.approx(rho, abs=1.1e-3)  # ρ of seven ranks is a multiple of 1/28: printed is 5/7 + 0.0007
    assert found[1] == pytest.approx(p, abs=5e-3)


def test_glove_is_that_of_the_languages_without_english():
    # Footnote 15: English, whose GloVe runs had fewer iterations, was left out of GloVe's ρ.
    without = correlation("GloVe", [name for name in CORPORA if name != "EN"])
    assert without == pytest.approx((0.143, 0.78), abs=8e-3)
    assert correlation("GloVe", CORPORA)[0] == pytest.approx(-2 / 7)
