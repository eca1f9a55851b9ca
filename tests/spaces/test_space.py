import pytest
import torch

from gpustab import InputError, Space, Vocabulary


@pytest.mark.parametrize(
    ("vectors", "counts", "message"),
    [
        (torch.ones(3, 2), None, r"shape \(3, 2\), wanted \(2, d\)"),
        (torch.ones(2), None, r"shape \(2,\)"),
        (torch.ones(2, 0), None, "empty"),
        (torch.tensor([[1.0, 2.0], [torch.nan, 1.0]]), None, "1 of 2 vectors are not finite, first the word 'of'"),
        (torch.ones(2, 2), torch.ones(3), r"counts have shape \(3,\)"),
    ],
)
def test_what_does_not_fit_is_refused(vectors, counts, message):
    with pytest.raises(InputError, match=message):
        Space(Vocabulary(["the", "of"]), vectors, counts)
