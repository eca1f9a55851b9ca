from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import load_runs
from gpustab.machine.device import CPU, Compute
from gpustab.runs.key import Key
from gpustab.statistics.intervals import Estimate
from gpustab.studies.stability.claims import OTHER_DOCUMENTS, Halves
from gpustab.studies.stability.contrasts import between, compare_halves, pairs_of_halves
from gpustab.studies.stability.study import stability
from tests import oracles
from tests.generators import anisotropic, generator


def half(name, apart, runs=3, start=0, sampling="shuffled", seed=0):
    """Runs of one half: copies of a space that is moved by so much from the other half's."""
    own = anisotropic(60, 8) + apart * torch.randn(60, 8, dtype=torch.float64, generator=generator(seed + 3))
    stack = own + 0.03 * torch.randn(runs, 60, 8, dtype=torch.float64, generator=generator(seed + 4))
    words = [f"w{i + start}" for i in range(60)]
    return replace(load_runs([(words, x.numpy()) for x in stack]), key=Key("x", sampling, part=(("half", name),)))


def test_p_between_and_within_halves_is_the_naive_one():
    one, other = half("a", 0.2, seed=1), half("b", 0.2, runs=4, start=5, seed=2)
    found = compare_halves(one, other, 5, Compute(CPU))
    common = [f"w{i}".encode() for i in range(5, 60)]
    stacks = [runs.stack().numpy()[:, [runs.vocabulary.index_of(w) for w in common]] for runs in (one, other)]
    lists = [[[oracles.top_k(x, t, 5) for t in range(55)] for x in stack] for stack in stacks]
    cross = np.array([[oracles.overlap([a, b], 5)[0].mean() for b in lists[1]] for a in lists[0]])
    assert found.words == 55
    assert found.name == "x/shuffled"
    assert found.between.value == pytest.approx(cross.mean())
    assert found.between.se**2 == pytest.approx(cross.mean(1).var(ddof=1) / 3 + cross.mean(0).var(ddof=1) / 4)
    assert found.within.value == pytest.approx(np.mean([oracles.overlap(own, 5)[0].mean() for own in lists]))


def test_the_error_between_is_that_of_repeated_draws():
    rng = np.random.default_rng(0)
    draws = [rng.normal(size=(4, 1)) + rng.normal(size=(1, 5)) for _ in range(4000)]
    found = [between(torch.as_tensor(x)) for x in draws]
    assert np.sqrt(np.mean([x.se**2 for x in found])) == pytest.approx(np.std([x.mean() for x in draws]), rel=0.05)


def test_halves_are_found_among_groups_and_said():
    groups = [half(name, 0.3, sampling=kind, seed=s) for s, (name, kind) in
              enumerate([("a", "shuffled"), ("b", "shuffled"), ("a", "bootstrap")])]  # fmt: skip
    assert [(a.name, b.name) for a, b in pairs_of_halves(groups)] == [("x/shuffled/half=a", "x/shuffled/half=b")]
    result = stability(groups, neighbours=[5])
    (contrast,) = (x for x in result.contrasts if x["name"] == "halves")
    assert contrast["between"] < contrast["within"]
    (said,) = (x for x in result.verdict if "halves of the documents" in x)
    (drawn,) = (group for group in result.groups if "bootstrap" in group["name"])
    assert f"Two bootstrap runs of a half share {5 * drawn['neighbours']['5']['p']:.1f}." in said
    assert "something else" in said
    assert "do other documents say the same?" in str(result)


def test_halves_without_common_words_are_told():
    result = stability([half("a", 0.1), half("b", 0.1, start=90)], neighbours=[5])
    assert result.contrasts == []
    assert any("share no words" in note for note in result.notes)


def of(value, se):
    return Estimate.of_runs(value, se, 4)


@pytest.mark.parametrize(("p", "se", "verdict"), [(0.07, 0.002, "other"), (0.58, 0.002, "same"), (0.55, 0.02, "open")])
def test_other_documents_say_something_else_only_beyond_the_margin(p, se, verdict):
    halves = Halves(of(p, se), of(0.6, 0.002), None, 10)
    found, said = OTHER_DOCUMENTS.judge(halves), OTHER_DOCUMENTS.sentence(halves)
    assert found == verdict
    assert said.startswith(f"The two halves of the documents share {10 * p:.1f}" if p > 0.1 else "The two halves")
