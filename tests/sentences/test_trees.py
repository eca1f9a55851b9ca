"""Trees of sentences: greedy ones beside a plain search, parses, and the base's tree for changed sentences."""

from itertools import pairwise

import pytest
import torch

from gpustab.errors import InputError
from gpustab.sentences.model import Embedding, of_callable
from gpustab.sentences.trees import greedy, read_parses
from gpustab.sentences.urae import UnfoldingAutoEncoder


def searched(net, vectors):
    """Join the two neighbours of the least error, one after the other."""
    row = list(enumerate(vectors))
    merges = []
    while len(row) > 1:
        pairs = [torch.cat([a[1], b[1]]) for a, b in pairwise(row)]
        folded = [torch.tanh(net.fold(pair)) for pair in pairs]
        errors = [
            float((torch.tanh(net.unfold(up)) - pair).square().sum()) for up, pair in zip(folded, pairs, strict=True)
        ]
        k = errors.index(min(errors))
        merges.append((row[k][0], row[k + 1][0]))
        row[k : k + 2] = [(len(vectors) + len(merges) - 1, folded[k])]
    return merges


def test_greedy_trees_are_those_of_a_plain_search():
    net = UnfoldingAutoEncoder(6, seed=2).double()
    words = torch.rand(30, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64) - 0.5
    generator = torch.Generator().manual_seed(4)
    sentences = [torch.randint(30, (n,), generator=generator).tolist() for n in (1, 9, 2, 17, 5, 3)]
    with torch.no_grad():
        assert greedy(net, sentences, words) == [searched(net, words[own]) for own in sentences]
    assert greedy(net, [[], [3]], words) == [[], []]


PARSES = """( (S (NP (DT The) (NN dog)) (VP (VBD saw)
    (NP (NP (-NONE- *)) (DT a) (JJ small) (NN cat))) (. .)) )
(S (NP (PRP They)) (VP (VBP sleep)))
(FRAG (-LRB- -LRB-) (NN aside) (-RRB- -RRB-))"""


def test_parses_become_binary_trees(tmp_path):
    (tmp_path / "p.txt").write_bytes(b"\xef\xbb\xbf" + PARSES.replace("\n", "\r\n").encode())
    found = read_parses(tmp_path / "p.txt")
    assert list(found) == [("The", "dog", "saw", "a", "small", "cat", "."), ("They", "sleep"), ("(", "aside", ")")]
    # (the dog) ((saw (a (small cat))) .)
    assert found[("The", "dog", "saw", "a", "small", "cat", ".")] == [(0, 1), (4, 5), (3, 8), (2, 9), (10, 6), (7, 11)]
    assert found[("(", "aside", ")")] == [(1, 2), (0, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no parse"),
        ("(S (NN a))\n(S (NN b)", "brackets are not closed at its end, 1 of them"),
        ("(S (NN a))\n)", "line 2 has '\\)' outside"),
        ("(NN a) b", "line 1 has 'b' outside"),
        ("(S a b c)", "line 1: \\(S a b c\\) is neither"),
        ("(S\n(NN))", "line 2: \\(NN\\) is neither"),
        ("(S (NN a) b)", "line 1: "),
        ("()", "is neither"),
    ],
)
def test_wrong_brackets_are_named_by_their_line(text, message, tmp_path):
    (tmp_path / "p.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_parses(tmp_path / "p.txt")


def test_deep_and_wide_parses_are_read(tmp_path):
    deep = "(S (NN a) " * 3000 + "(NN b)" + ")" * 3000
    wide = "(S " + "(NN c) " * 3000 + ")"
    (tmp_path / "p.txt").write_text(deep + wide)
    assert [len(own) for own in read_parses(tmp_path / "p.txt").values()] == [3000, 2999]


@pytest.mark.parametrize("given", [None, "text", [["a"]], [1.0, 2.0], [[[1.0]]], [[]], [[1.0], [1.0, 2.0]], [[1j]]])
def test_a_function_that_gives_no_vectors_is_refused(given):
    pytest.importorskip("nltk")
    with pytest.raises(InputError, match="wanted \\(n, d\\)"):
        of_callable("f", lambda _: given).vectors([("a",)])
    assert Embedding("f", lambda _: [[1, 2]]).vectors([("a",)]).shape == (1, 2)
