import pytest
import torch

from gpustab.kernels.training.philox import philox, random_words

ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((ONES, ONES, ONES, ONES), (ONES, ONES), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (  # the digits of π
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_published_answers(counter, key, words):
    """The vectors that Salmon et al. publish with their library (kat_vectors, philox4x32 10)."""
    got = philox(tuple(torch.tensor(part) for part in counter), key)
    assert [f"{word.item():08x}" for word in got] == words.split()


def test_a_word_depends_on_its_counter_alone():
    place = torch.arange(100)
    zero = torch.tensor(0)
    whole = philox((place[:, None], place, zero, zero), (1, 2))[0]
    assert whole.shape == (100, 100)
    assert len(whole.unique()) == 10_000
    assert whole[17, 40] == philox((torch.tensor(17), torch.tensor(40), zero, zero), (1, 2))[0]


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 1000])
def test_a_shorter_stream_is_the_start_of_a_longer_one(n):
    assert torch.equal(random_words(n, (5, 6), 7), random_words(1003, (5, 6), 7)[:n])


@pytest.mark.parametrize("other", [((6, 5), 7), ((5, 7), 7), ((5, 6), 8)])
def test_streams_differ(other):
    assert (random_words(1000, (5, 6), 7) == random_words(1000, *other)).sum() == 0


def test_words_are_uniform():
    words = random_words(200_000, (2**31 - 1, 2))
    assert 0 <= words.min() < 2**32 / 1e4
    assert 2**32 - 2**32 / 1e4 < words.max() < 2**32
    for shift in (0, 12, 24):  # low, middle and high bits: χ² with 255 degrees of freedom, 6 standard deviations
        counts = torch.bincount(words >> shift & 255, minlength=256).double()
        expected = len(words) / 256
        assert abs(((counts - expected) ** 2 / expected).sum() - 255) < 6 * (2 * 255) ** 0.5


@pytest.mark.gpu
def test_cuda_gives_the_same_bits():
    there = random_words(100_001, (123, 2), 4, torch.device("cuda"))
    assert torch.equal(there.cpu(), random_words(100_001, (123, 2), 4))
