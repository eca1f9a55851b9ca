import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpustab.kernels import analogies
from gpustab.kernels.analogies import solve_analogies
from gpustab.kernels.neighbours import RESOLUTION
from tests import generators, oracles

METHODS = ["3CosAdd", "3CosMul"]


def scores(unit, question, method, epsilon=0.001):
    """Levy & Goldberg (2014), equations 3 and 4, of unit rows in numpy float64."""
    a, b, c = (np.clip(unit @ unit[row], -1, 1) for row in question)
    if method == "3CosAdd":
        return b + c - a
    a, b, c = (1 + a) / 2, (1 + b) / 2, (1 + c) / 2
    return b * c / (a + epsilon)


def solve(x, questions, method, excluded=(), epsilon=0.001):
    """The first row whose score is within the resolution of the best of those allowed."""
    answers, unit = [], oracles.unit(x)
    for question in questions.tolist():
        own = scores(unit, question, method, epsilon)
        own[[*question, *excluded]] = -np.inf
        best = own.max()
        answers.append(int(np.argmax(own >= best - RESOLUTION * max(1, abs(best)))) if best > -np.inf else -1)
    return answers


def draw(v, q, seed=0):
    return torch.randint(0, v, (q, 3), generator=generators.generator(seed))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("v", "d", "q"), [(63, 7, 50), (127, 10, 1000), (1000, 16, 65), (4, 3, 5), (5, 9, 7)])
def test_equals_the_formula(method, v, d, q):
    x, questions = generators.anisotropic(v, d), draw(v, q)
    want = solve(x, questions, method)
    for search_scores in (2**20, 1000, 1):
        assert solve_analogies(x, questions, method=method, search_scores=search_scores).tolist() == want


@pytest.mark.parametrize("method", METHODS)
def test_equals_the_formula_in_a_collapsed_space(method):
    x, questions = generators.collapsed(1, 300, 20)[0], draw(300, 40)
    assert solve_analogies(x, questions, method=method).tolist() == solve(x, questions, method)


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(1, 5), st.integers(0, 50), st.sampled_from(METHODS))
def test_coarse_vectors_full_of_ties(v, d, seed, method):
    """Small whole numbers: equal rows, opposite rows (3CosMul reaches 1/ε), equal scores of unequal rows."""
    x = torch.randint(-2, 3, (v, d), generator=generators.generator(seed)).double()
    x[(x == 0).all(1)] = 1
    questions = draw(v, 20, seed)
    want = solve(x, questions, method)
    for search_scores in (2**20, 3000):
        assert solve_analogies(x, questions, method=method, search_scores=search_scores).tolist() == want


@pytest.mark.parametrize("method", METHODS)
def test_near_duplicates_that_float32_cannot_tell_apart(method):
    """50 copies of the right answer, 1e-9 to 1e-7 off: the best of them by float64 is found."""
    x = generators.anisotropic(400, 20)
    x[3] = x[1] + x[2] - x[0]
    noise = torch.randn(50, 20, dtype=torch.float64, generator=generators.generator(1))
    x[350:] = x[3] + noise * torch.logspace(-9, -7, 50, dtype=torch.float64)[:, None]
    x[3] = -x[3]
    questions = torch.tensor([[0, 1, 2], [0, 2, 1], [5, 6, 7]])
    found = solve_analogies(x, questions, method=method).tolist()
    assert found == solve(x, questions, method)
    assert found[0] >= 350


@pytest.mark.parametrize("method", METHODS)
def test_equal_answers_go_to_the_lowest_row(method):
    x = generators.anisotropic(200, 6)
    questions = torch.tensor([[0, 1, 2]])
    answer = solve_analogies(x, questions, method=method)
    x[[150, 5, 199]] = x[answer]
    assert answer > 5
    assert solve_analogies(x, questions, method=method, search_scores=40_000).tolist() == [5]


def test_planted_offsets_are_all_found():
    """Pairs that differ by one common offset: every question over them has its answer."""
    base = generators.anisotropic(40, 30, mean=0) * 3
    x = torch.cat([base, base + 2 * generators.anisotropic(1, 30, seed=5)])
    i, j = torch.meshgrid(torch.arange(40), torch.arange(40), indexing="ij")
    i, j = i[i != j], j[i != j]
    x = torch.nn.functional.normalize(x, dim=1)
    questions = torch.stack([i, i + 40, j], dim=1)
    for method in METHODS:
        right = solve_analogies(x, questions, method=method) == j + 40
        assert right.double().mean() > 0.9
        assert solve_analogies(x, questions, method=method).tolist() == solve(x, questions, method)


@pytest.mark.parametrize("method", METHODS)
def test_inputs_and_excluded_rows_are_never_the_answer(method):
    x, questions = generators.anisotropic(100, 8), draw(100, 60)
    first = solve_analogies(x, questions, method=method)
    assert not (questions == first[:, None]).any()
    second = solve_analogies(x, questions, method=method, excluded=first[:, None].repeat(1, 2))
    assert second.tolist() == [
        solve(x, question[None], method, [barred])[0]
        for question, barred in zip(questions, first.tolist(), strict=True)
    ]
    assert (first != second).all()


@pytest.mark.parametrize("method", METHODS)
def test_no_rows_left_and_no_questions(method):
    x = generators.anisotropic(3, 4)
    assert solve_analogies(x, torch.tensor([[0, 1, 2], [0, 0, 1]]), method=method).tolist() == [-1, 2]
    assert solve_analogies(x, torch.empty(0, 3, dtype=torch.long), method=method).shape == (0,)


@pytest.mark.parametrize("method", METHODS)
def test_lengths_rotation_and_layout_do_not_matter(method):
    x, questions = generators.anisotropic(301, 12), draw(301, 100)
    want = solve_analogies(x, questions, method=method)
    lengths = torch.logspace(-20, 15, 301, dtype=torch.float64)[:, None]
    copies = [x * lengths, x @ generators.rotation(12, 3), x.T.contiguous().T]
    for copy in copies:
        before = copy.clone()
        assert torch.equal(solve_analogies(copy, questions, method=method), want)
        assert torch.equal(copy, before)
    half = x.half()
    assert torch.equal(solve_analogies(half, questions), solve_analogies(half.double(), questions))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("epsilon", [0.001, 1e-6])
@pytest.mark.parametrize("space", ["anisotropic", "collapsed", "opposite"])
def test_float32_scores_with_their_margin_are_upper_bounds(method, epsilon, space):
    v, d = 200, 300
    x = generators.collapsed(1, v, d)[0] if space == "collapsed" else generators.anisotropic(v, d)
    if space == "opposite":
        x[v // 2 :] = torch.nn.functional.normalize(1e-4 * x[v // 2 :] - x[: v // 2], dim=1)
    margin = analogies.rounding_bound(d) + analogies._SLACK
    single, places = x.float(), draw(v, 500)
    bounds = analogies._scores(single @ single.T, places, margin, method, epsilon).double()
    unit = oracles.unit(x)
    exact = torch.tensor(np.array([scores(unit, question, method, epsilon) for question in places.tolist()]))
    assert (bounds > exact).all()
    if space == "anisotropic" and epsilon == 0.001:
        assert (bounds - exact).max() < 1e-2


def test_only_what_is_not_proven_is_asked_again(monkeypatch):
    again = []
    real = analogies._solve_in_float64
    monkeypatch.setattr(
        analogies, "_solve_in_float64", lambda x, q, *rest: (again.append(len(q)), real(x, q, *rest))[1]
    )
    solve_analogies(generators.anisotropic(500, 20), draw(500, 300))
    assert sum(again) < 10
    again.clear()
    solve_analogies(generators.duplicates(500, 20, 500), draw(500, 300))
    assert sum(again) == 300


def test_no_tile_is_larger_than_asked(monkeypatch):
    sizes = []
    real = analogies._scores
    monkeypatch.setattr(analogies, "_scores", lambda *args: (out := real(*args), sizes.append(out.numel()))[0])
    solve_analogies(generators.anisotropic(3000, 8), draw(3000, 600), search_scores=2**15)
    assert max(sizes) <= 3000 * 16


@pytest.mark.parametrize(
    ("x", "questions", "choices", "message"),
    [
        (torch.tensor([[1.0, 0], [0, 0], [1, 1]]), [[0, 1, 2]], {}, "row 1 is zero"),
        (torch.ones(3, 2), [[0, 1, 3]], {}, "reach from 0 to 3"),
        (torch.ones(3, 2), [[0, 1, 2]], {"excluded": torch.tensor([[-1]])}, "reach from -1"),
        (torch.ones(3, 2), [[0, 1]], {}, r"wanted \(v, d\) and \(q, 3\)"),
        (torch.ones(3, 2), [[0, 1, 2]], {"method": "PairDirection"}, "method is 'PairDirection'"),
        (torch.ones(3, 2), [[0, 1, 2]], {"epsilon": 0}, "epsilon is 0"),
    ],
)
def test_wrong_input(x, questions, choices, message):
    with pytest.raises(ValueError, match=message):
        solve_analogies(x, torch.tensor(questions), **choices)


@pytest.mark.gpu
@pytest.mark.parametrize("method", METHODS)
def test_a_gpu_gives_the_same_answers(method):
    x, questions = generators.duplicates(2000, 50, 100), draw(2000, 700)
    found = solve_analogies(x.cuda(), questions.cuda(), method=method)
    assert found.cpu().tolist() == solve_analogies(x, questions, method=method).tolist()
