from unittest import mock

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpustab.kernels import neighbours
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.search import half_bound, highest, rounding_bound
from tests import generators, oracles

BACKENDS = ["torch", "faiss"]


@pytest.fixture(params=["float64", "torch", "faiss"])
def backend(request, monkeypatch):
    """All ways to search: few rows by torch are searched in float64 alone, unless it is to propose there too."""
    if request.param == "torch":
        monkeypatch.setattr(neighbours, "_PROPOSED_FROM", 0)
    return "torch" if request.param == "float64" else request.param


@pytest.mark.parametrize(("v", "d", "k"), [(63, 7, 5), (127, 10, 126), (200, 16, 50), (2, 3, 1), (400, 9, 5)])
def test_equals_the_full_ranking(backend, v, d, k):
    x = generators.anisotropic(v, d)
    got = top_k(x, torch.arange(v), k, backend=backend)
    for target in range(v):
        assert got.indices[target].tolist() == oracles.top_k(x, target, k)


def test_duplicates_rank_by_row_and_are_reported(backend):
    """64 equal vectors, k = 5: FAISS itself answers 4 3 2 1 0."""
    x = generators.duplicates(200, 6, 64)
    got = top_k(x, torch.tensor([0, 3, 63, 100]), 5, backend=backend)
    assert got.indices[:3].tolist() == [[1, 2, 3, 4, 5], [0, 1, 2, 4, 5], [0, 1, 2, 3, 4]]
    assert got.tied[:3].all()
    assert got.indices[3].tolist() == oracles.top_k(x, 100, 5)


def test_near_duplicates_straddling_the_cut(backend):
    """50 exact and 50 near-duplicates (1e-7 apart) in 500 rows: float32 cannot tell them apart."""
    x = generators.duplicates(500, 20, 100).float()
    x[50:100] += 1e-7 * torch.randn(50, 20, generator=generators.generator(1))
    x = x.double()
    targets = torch.tensor([0, 49, 50, 99, 300])
    for k in (10, 49, 60):
        got = top_k(x, targets, k, backend=backend)
        assert [row.tolist() for row in got.indices] == [oracles.top_k(x, int(t), k) for t in targets]


@settings(max_examples=30)
@given(st.integers(2, 60), st.integers(1, 5), st.integers(1, 70), st.integers(0, 50), st.sampled_from([1, 8]))
def test_coarse_vectors_full_of_ties(v, d, k, seed, proposed):
    """Small whole numbers: many equal cosines that are not equal rows; both back ends, with proposals, small tiles."""
    x = torch.randint(-2, 3, (v, d), generator=generators.generator(seed)).double()
    x[(x == 0).all(1)] = 1
    want = [oracles.top_k(x, t, min(k, v - 1)) for t in range(v)]
    for backend in BACKENDS:
        with mock.patch.multiple(neighbours, _PROPOSED=proposed, _PROPOSED_FROM=v % 2 * v):
            assert top_k(x, torch.arange(v), k, backend=backend, search_scores=100).indices.tolist() == want


@pytest.mark.parametrize(("k", "make"), [(10, generators.anisotropic), (700, generators.anisotropic), (5, None)])
def test_cosines_are_the_same_to_the_bit_whatever_the_memory(backend, k, make):
    x = make(800, 100) if make else generators.duplicates(800, 100, 300)  # whose ties take all rows
    targets = torch.arange(0, 800, 19)
    want = top_k(x, targets, k, backend=backend)
    for scores in (2**10, 2**14):
        got = top_k(x, targets, k, backend=backend, search_scores=scores)
        assert all(torch.equal(one, other) for one, other in zip(got, want, strict=True))
    few = top_k(x, targets[:3], k, backend=backend)
    assert torch.equal(few.cosines, want.cosines[:3])


def test_k_beyond_the_words_gives_them_all():
    got = top_k(generators.anisotropic(5, 3), torch.arange(5), 10)
    assert got.indices.shape == (5, 4)
    assert got.indices.min() >= 0
    assert not got.tied[:, -1].any()


def test_no_targets():
    assert top_k(generators.anisotropic(9, 3), torch.empty(0, dtype=torch.long), 4).indices.shape == (0, 4)


def test_lengths_do_not_matter_and_a_word_never_finds_itself():
    """2000 × 20 rows times log-normal lengths: raw inner products would rank long vectors first."""
    g = generators.generator(0)
    x = generators.anisotropic(2000, 20)
    long = x * torch.exp(torch.randn(2000, 1, generator=g, dtype=torch.float64))
    a, b = top_k(x, torch.arange(2000), 10), top_k(long, torch.arange(2000), 10)
    assert torch.equal(a.indices, b.indices)
    assert not (a.indices == torch.arange(2000)[:, None]).any()
    assert a.cosines.abs().max() <= 1


@pytest.mark.parametrize("layout", ["float64", "float16", "fortran", "strided", "transposed"])
def test_layout_and_dtype(layout):
    x = generators.anisotropic(101, 8).half()
    copies = {
        "float64": x.double(),
        "float16": x,
        "fortran": x.T.contiguous().T,
        "strided": x.repeat_interleave(2, dim=0)[::2],
        "transposed": x.T.contiguous().mT,
    }
    given_ = copies[layout]
    before = given_.clone()
    got = top_k(given_, torch.arange(101), 7, backend="faiss")
    assert torch.equal(got.indices, top_k(x.double(), torch.arange(101), 7, backend="torch").indices)
    assert torch.equal(given_, before)


def test_what_float32_cannot_prove_is_searched_in_float64_with_more_candidates_each_time(monkeypatch):
    asked = []
    real = neighbours._search_in_float64
    monkeypatch.setattr(neighbours, "_search_in_float64", lambda *a: (asked.append((len(a[1]), a[2])), real(*a))[1])
    x, targets = generators.duplicates(1000, 6, 300), torch.tensor([0, 900])
    top_k(x, targets, 5, backend="faiss")
    assert asked == [(1, 23), (1, 92), (1, 1000)]
    asked.clear()
    top_k(x, targets, 5)  # few rows: no proposals, and less room for ties
    assert asked == [(2, 11), (1, 44), (1, 1000)]


@pytest.mark.parametrize(
    ("x", "targets", "k", "message"),
    [
        (torch.tensor([[1.0, 0], [0, 0], [1, 1]]), [0], 1, "row 1 is zero"),
        (torch.ones(3, 2), [3], 1, "targets reach from 3"),
        (torch.ones(3, 2), [0], 0, "k is 0"),
        (torch.ones(1, 2), [0], 1, "at least 2"),
    ],
)
def test_wrong_input(x, targets, k, message):
    with pytest.raises(ValueError, match=message):
        top_k(x, torch.tensor(targets), k)


def test_the_rounding_bound_holds():
    x = generators.anisotropic(400, 300)
    error = (x.float() @ x.float().T).double() - x @ x.T
    assert error.abs().max() < rounding_bound(300)


@pytest.mark.parametrize(("width", "clusters"), [(1e-2, 1), (1e-3, 1), (1e-3, 2), (1e-4, 3), (1e-8, 1)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_spaces_in_which_float32_proves_nothing(width, clusters, dtype, backend):
    """At 1e-8 all cosines are tied; in float32 rows many of them are equal."""
    x = generators.narrow(600, 40, width, clusters, seed=6).to(dtype)  # no gap beside 2⁻⁴⁰
    targets = torch.tensor([0, 1, 299, 599])
    for k in (5, 60, 590):
        got = top_k(x, targets, k, backend=backend)
        assert [row.tolist() for row in got.indices] == [oracles.top_k(x, int(t), k) for t in targets]


def products_of(x, targets, k, monkeypatch):
    """How many numbers were multiplied in float64 products, by rows proposed and by searches among all rows."""
    monkeypatch.setattr(neighbours, "_PROPOSED_FROM", 0)
    counted = []
    real = neighbours.product
    monkeypatch.setattr(neighbours, "product", lambda a, b: (counted.append(a.numel() * b.shape[-1]), real(a, b))[1])
    top_k(x, targets, k)
    return sum(counted)


@pytest.mark.parametrize("clusters", [1, 2])
def test_a_collapsed_space_costs_one_search_more_and_few_gathered_rows(clusters, monkeypatch):
    """It cost 300 times as much: rows were gathered again and again until all had been."""
    x, targets = generators.narrow(5000, 20, 1e-3, clusters), torch.arange(200)
    assert products_of(x, targets, 10, monkeypatch) <= 200 * 20 * (28 + 5000 + 28)


def test_long_lists_are_sorted_among_all_rows_at_once(monkeypatch):
    x, targets = generators.anisotropic(900, 20), torch.arange(50)
    assert products_of(x, targets, 800, monkeypatch) == 50 * 20 * 900


def test_a_search_that_breaks_its_bound_proves_nothing(backend, monkeypatch):
    """As under NVIDIA_TF32_OVERRIDE or another word that no program can take back."""
    x = generators.anisotropic(2000, 50) + 1
    want = top_k(x, torch.arange(300), 10)
    monkeypatch.setattr(neighbours, "_PROPOSED_FROM", 0)
    real = neighbours.searcher

    def rounding(*choices):
        search = real(*choices)

        def rounded(single, own, m):
            coarse = single.bfloat16().float()
            return search(coarse, own, m)

        return rounded

    monkeypatch.setattr(neighbours, "searcher", rounding)
    got = top_k(x, torch.arange(300), 10, backend=backend)
    assert torch.equal(got.indices, want.indices)
    assert torch.equal(got.tied, want.tied)


@pytest.mark.parametrize(
    ("row", "message"),
    [(torch.nan, "row 3 is of length nan"), (1e-200, "row 3 is of length 0.0"), (1e200, "inf"), (0, "row 3 is zero")],
)
def test_rows_without_a_length_are_named(row, message):
    x = generators.anisotropic(30, 4)
    x[3] = row
    with pytest.raises(ValueError, match=message):
        top_k(x, torch.arange(30), 2)


def test_shapes_are_named():
    with pytest.raises(ValueError, match=r"vectors has shape \(2, 3, 4\), wanted \(v, d\)"):
        top_k(torch.ones(2, 3, 4), torch.arange(2), 1)


@pytest.mark.parametrize(("v", "m"), [(5, 5), (63, 3), (1000, 7), (6001, 78), (400, 1)])
def test_the_highest_scores_lie_in_the_blocks_of_the_highest_maxima(v, m):
    g = generators.generator(v)
    scores = torch.randn(9, v, generator=g)
    scores[3] = scores[3].sort().values  # all of them in neighbouring blocks
    scores[4] = (scores[4] * 2).round()  # many are equal
    places, values = highest(scores, m)
    assert torch.equal(scores.gather(1, places), values)
    assert torch.equal(values.sort(1, descending=True).values, scores.topk(m, dim=1).values)
    assert all(len(set(row.tolist())) == m for row in places)


@pytest.fixture
def halves(monkeypatch):
    """Let a CPU search in float16 first."""
    monkeypatch.setattr(neighbours, "_PROPOSED_FROM", 0)
    monkeypatch.setattr(neighbours, "halves_pay", lambda *_: True)


@pytest.mark.parametrize("d", [1, 7, 300])
@pytest.mark.parametrize("small", [False, True])
def test_the_bound_of_float16_holds(d, small):
    """Also where rounding errs as far as it can, half way between two numbers, and for entries that underflow."""
    x = generators.anisotropic(200, d)
    x[1::2] = x[1::2].half().double() + x[1::2].half().double() * 2.0**-11 * 0.999
    if small:
        x[:, 1:] *= 2.0**-15
    x = x / x.norm(dim=1, keepdim=True)
    half = x.float().half()
    assert ((half.double() @ half.double().T) - x @ x.T).abs().max() < half_bound(d)
    product = half.float().T[:, :, None] * half.float().T[:, None]
    truncated = torch.zeros(200, 200, dtype=torch.float64)
    for term in product:  # what a tensor core may lose at every sum
        truncated = truncated + term.double()
        truncated -= truncated.abs() * 2.0**-21
    assert (truncated - x @ x.T).abs().max() < half_bound(d)


@pytest.mark.parametrize(
    "x",
    [
        generators.anisotropic(6000, 12),
        generators.duplicates(3000, 8, 200),
        generators.narrow(3000, 20, 1e-3, 2),
        generators.narrow(3000, 20, 1e-5, seed=7),  # no gap beside 2⁻⁴⁰, as the oracle sees to
        torch.randint(-2, 3, (3000, 5), generator=generators.generator(0)).double() + 0.5,
    ],
)
def test_lists_by_float16_are_the_exact_ones(x, halves):
    x = x + 1e-9 * torch.arange(len(x))[:, None] % 3 * (torch.arange(len(x))[:, None] % 7 == 0)  # near-duplicates
    x[40] = x.mean(0)  # a hub
    targets = torch.tensor([0, 7, 40, 199, 200, 2999])
    for k in (1, 10, 200):
        got = top_k(x, targets, k)
        assert [row.tolist() for row in got.indices] == [oracles.top_k(x, int(t), k) for t in targets]


@pytest.mark.parametrize("k", [2047, 2048])
def test_long_lists_by_float16(k, halves):
    x = generators.anisotropic(22_000, 6)
    told = []
    got = top_k(x, torch.tensor([0, 21_999]), k, tell=lambda *counts: told.append(counts))
    assert [row.tolist() for row in got.indices] == [oracles.top_k(x, t, k) for t in (0, 21_999)]
    assert told[0][0] == "float16"


def test_what_float16_does_not_prove_goes_on_and_is_told(halves):
    told = []
    x = torch.cat([generators.narrow(500, 20, 3e-2), generators.anisotropic(1500, 20)])
    got = top_k(x, torch.arange(0, 2000, 100), 10, tell=lambda *counts: told.append(counts))
    assert torch.equal(got.indices, top_k(x, torch.arange(0, 2000, 100), 10, backend="faiss").indices)
    (first, coarse), (second, fine) = told
    assert (first, second) == ("float16", "float32")
    assert 20 > coarse > fine == 0


def test_zero_rows_are_named_before_float16_sees_them(halves):
    x = generators.anisotropic(3000, 5)
    x[9] = 0
    with pytest.raises(ValueError, match="row 9 is zero"):
        top_k(x, torch.arange(4), 3)


@pytest.mark.parametrize(
    ("device", "capability", "work", "pays"),
    [
        ("cuda", (9, 0), 1e10, True),
        ("cuda", (9, 0), 1e9, False),
        ("cuda", (7, 0), 1e12, False),
        ("cpu", (9, 0), 1e12, False),
    ],
)
def test_where_float16_comes_first(device, capability, work, pays, monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda which: capability)
    assert neighbours.halves_pay(torch.device(device), work) == pays


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_rows_too_many_to_be_raised_at_once_and_rows_in_training(dtype, monkeypatch):
    x = torch.randn(90, 12, generator=torch.Generator().manual_seed(3)).to(dtype)
    want = neighbours.top_k(x, torch.arange(90), 20)
    monkeypatch.setattr(neighbours, "_RAISED", 0)
    found = neighbours.top_k(x.requires_grad_(), torch.arange(90), 20)
    assert all(torch.equal(a, b) for a, b in zip(found, want, strict=True))
