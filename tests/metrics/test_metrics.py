import sys

import numpy as np
import pytest
import torch
from torchmetrics import MetricCollection

from gpustab import functional, metrics, similarity_by_chance, similarity_matrix
from gpustab.kernels.pair_kernels import pair_rbf_hsics
from gpustab.kernels.pair_similarity import pair_unbiased_hsics
from tests import generators, oracles
from tests.generators import runs_of
from tests.metrics import tester
from tests.metrics.tester import METRICS, MetricTester

CHECKS = [name for name in vars(MetricTester) if not name.startswith("_") and name != "fed"]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("check", CHECKS)
def test_every_metric(name, check):
    getattr(MetricTester(*METRICS[name]), check)()


def test_a_collection_computes_what_each_alone_does():
    together = tester.collection()
    together.update(*tester.pair())
    for name, value in together.compute().items():
        tester.close(value, MetricTester(*METRICS[name]).fed(tester.V).compute())


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_two_and_three_processes_compute_what_one_does(tmp_path):
    wanted = tester.collection()
    wanted.update(*tester.pair())
    values = wanted.compute()
    for world, of_ranks in tester.of_processes(tmp_path).items():
        order = torch.cat([tester.padded_share(rank, world) for rank in range(world)])
        order = torch.tensor(list(dict.fromkeys(order.tolist())))  # the rows, in the order of the ranks, once each
        for found, once in of_ranks:
            for name, value in values.items():
                tester.close(found[name], value)
                tester.close(once[name], value[order] if value.ndim else value)


def test_sums_keep_their_size():
    metric = metrics.PIPDistance(tester.D)
    for _ in range(3):
        metric.update(*tester.pair())
    assert metric.gram.shape == (3, tester.D, tester.D)
    assert metric.gram.dtype == metric.half().gram.dtype == torch.float64


def test_narrower_rows_are_padded():
    x, y = tester.pair()
    narrow = metrics.PIPDistance(tester.D)
    narrow.update(x, y[:, :3])
    wide = metrics.PIPDistance(tester.D + 2)
    wide.update(x, torch.nn.functional.pad(y[:, :3], (0, 4)))
    tester.close(narrow.compute(), wide.compute())


@pytest.mark.parametrize("make", [*(make for make, _ in METRICS.values()), metrics.MinibatchCKA])
@pytest.mark.filterwarnings("ignore:The ``compute`` method:UserWarning")
def test_all_are_nan_before_the_first_row(make):
    found = make().compute()
    assert found.dtype == torch.float64
    assert found.isnan().all()
    assert found.numel() == (0 if isinstance(make(), metrics.WordwisePIPDistance) else 1)


@pytest.mark.parametrize("name", METRICS)
def test_rows_of_one_id_count_once(name):
    """Those that a sampler's padding repeats, in another batch and in the same one."""
    make, oracle = METRICS[name]
    x, y = tester.pair()
    metric = make()
    for ids in (torch.arange(40), torch.arange(35, tester.V), torch.tensor([0, 3, 3])):
        metric.update(x[ids], y[ids], ids)
    torch.testing.assert_close(metric.compute(), oracle(x, y), rtol=1e-9, atol=0)


@pytest.mark.parametrize("make", [metrics.PIPDistance, metrics.DebiasedCKA, metrics.WordwisePIPDistance])
def test_ids_that_cannot_be_are_refused(make):
    x, y = (part[:30] for part in tester.pair())
    mixed, numbered = make(), make()

    def feed(metric, *batches):
        for batch in batches:
            metric.update(*batch)
        metric.compute()

    with pytest.raises(ValueError, match="wanted all or none"):
        feed(mixed, (x, y, torch.arange(30)), (x, y))
    with pytest.raises(ValueError, match="the id 0 came twice, with different rows of x"):
        feed(numbered, (x, y, torch.arange(30)), (x.flip(0), y.flip(0), torch.arange(30)))  # begins again in a batch


@pytest.mark.parametrize("ids", [torch.ones(3), torch.arange(4), [0, 1, 2]])
def test_ids_are_whole_numbers_one_a_row(ids):
    x, y = (part[:3] for part in tester.pair())
    with pytest.raises(ValueError, match=r"ids have shape .* wanted \(3,\) whole numbers|ids is a list"):
        metrics.PIPDistance().update(x, y, ids)


def test_a_width_is_found_as_rows_come():
    x, y = tester.pair()
    metric = metrics.DebiasedCKA()
    metric.update(x, y)
    metric.reset()
    metric.update(x[:20, :3], y[:20, :2])
    metric(x[20:, :3], y[20:, :2])
    wanted = functional.debiased_cka(x[:, :3], y[:, :2])
    assert metric.compute().item() == pytest.approx(wanted.item(), rel=1e-9)


EVERY = [*(make for make, _ in METRICS.values()), metrics.MinibatchCKA]


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("call", ["update", "forward", "merge_state"])
@pytest.mark.parametrize(("d1", "d2", "name"), [(3, 3, "x"), (7, 2, "y")])
def test_rows_of_another_width_are_of_another_space(make, call, d1, d2, name):
    """Sums padded them with zeros, and gave another number without a word; rows that are kept could not be joined."""
    x, y = tester.pair()
    metric, wanted = make(), make()
    metric.update(x[:30], y[:30])
    other = make()
    other.update(x[30:, :d1], y[30:, :d2])
    more = (other,) if call == "merge_state" else (x[30:, :d1], y[30:, :d2])
    with pytest.raises(ValueError, match=f"some rows of {name} have [237] columns, and others [237]: wanted rows of"):
        getattr(metric, call)(*more)
    if call == "update":  # what was refused left nothing behind
        for one, rows in ((metric, [slice(30, 61)]), (wanted, [slice(0, 30), slice(30, 61)])):
            for part in rows:
                one.update(x[part], y[part])
        assert torch.equal(metric.compute(), wanted.compute())


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("first", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("cast", [torch.bfloat16, torch.float16])
def test_autocast_does_not_reach_rows_of_two_types(make, first, cast):
    x, y = tester.pair()
    batches = [(x[:30].to(first), y[:30].to(first)), (x[30:], y[30:])]
    plain, under = make(), make()
    for batch in batches:
        plain.update(*batch)
    with torch.autocast("cpu", dtype=cast):
        for batch in batches:
            under.update(*batch)
        found = under.compute()
    assert torch.equal(found, plain.compute())


@pytest.mark.parametrize("make", [metrics.LinearCKA, metrics.DebiasedCKA, metrics.CanonicalCorrelation])
@pytest.mark.parametrize(("far", "resolved"), [(30.0, True), (1e7, False)])
def test_rows_far_from_the_origin_are_right_or_refused(make, far, resolved):
    x, y = tester.pair()
    near, metric = make(), make()
    near.update(x, y)
    metric.update(x + far, y)
    if resolved:
        assert metric.compute().item() == pytest.approx(near.compute().item(), rel=1e-6)
    else:
        with pytest.raises(ValueError, match=r"rows of x differ by less than 1e-0. of their length"):
            metric.compute()


@pytest.mark.parametrize("of", ["mean", "svcca", "pwcca"])
@pytest.mark.parametrize("far", [1e2, 1e3, 1e4, 3e4])
def test_the_rounding_of_a_large_mean_is_no_direction(of, far):
    """Of ten columns of rank six; the other four are made of rounding."""
    base = torch.randn(300, 6, dtype=torch.float64, generator=generators.generator(0))
    parts = []
    for seed in (1, 2):
        rng = generators.generator(seed)
        draw = lambda *shape, rng=rng: torch.randn(*shape, dtype=torch.float64, generator=rng)  # noqa: E731
        part = base @ draw(6, 6) + 0.5 * draw(300, 6)
        parts.append(torch.cat([part, part[:, :2] @ draw(2, 4)], 1))
    metric = metrics.CanonicalCorrelation(of)
    for rows in torch.arange(300).split(100):
        metric.update(*(part[rows] + far for part in parts))
    u, v = (np.linalg.svd(oracles.centred(part.numpy()), full_matrices=False)[0][:, :6] for part in parts)
    found = functional.cca(*parts)
    assert found.mean.item() == pytest.approx(np.linalg.svd(u.T @ v)[1].mean(), rel=1e-8)
    wanted = found.mean if of == "mean" else getattr(found, of)
    assert metric.compute().item() == pytest.approx(wanted.item(), rel=1e-4)
    runs = runs_of(torch.stack([part + far for part in parts]), unit=False)
    if of != "pwcca":
        name = {"mean": "cca"}.get(of, of)
        assert similarity_matrix(runs, name)[0, 1].item() == pytest.approx(wanted.item(), rel=1e-4)
        near = runs_of(torch.stack(parts), unit=False)
        assert similarity_by_chance(runs, name) == pytest.approx(similarity_by_chance(near, name), rel=0.05)


@pytest.mark.parametrize("make", [metrics.DebiasedCKA, metrics.MinibatchCKA])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_lie_equally_far_apart_have_no_debiased_cka(make, seed):
    x, y = (generators.rotation(20, 2 * seed + k) for k in (0, 1))
    metric = make()
    metric.update(x, y)
    with pytest.raises(ValueError, match="all rows of x lie equally far apart"):
        metric.compute()


@pytest.mark.parametrize("first", ["unit rows", "rows equally far apart"])
def test_a_collection_does_not_merge_minibatch_metrics_that_differ(first):
    x, y = tester.pair()
    start = torch.nn.functional.normalize(x[:7]), torch.nn.functional.normalize(y[:7])
    if first != "unit rows":
        start = torch.eye(7, dtype=torch.float64), torch.eye(7, dtype=torch.float64)
    choices = {
        "plain": {},
        "unit": {"normalize": True},
        "narrow": {"kernel": "rbf", "widths": (1.0, 1.0)},
        "wide": {"kernel": "rbf", "widths": (3.0, 2.0)},
        "wide, unit": {"kernel": "rbf", "widths": (3.0, 2.0), "normalize": True},
    }
    together = MetricCollection({name: metrics.MinibatchCKA(**choice) for name, choice in choices.items()})
    alone = {name: metrics.MinibatchCKA(**choice) for name, choice in choices.items()}
    for batch in (start, (x[7:30], y[7:30]), (x[30:], y[30:])):
        together.update(*batch)
        for metric in alone.values():
            metric.update(*batch)
    for name, value in together.compute().items():
        assert torch.equal(value, alone[name].compute())


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_minibatches_estimate_what_all_rows_have(kernel):
    """The mean over many ways to cut rows into batches is that of all rows."""
    x, y = tester.pair()
    widths = (2.0, 2.0) if kernel == "rbf" else None
    whole = pair_unbiased_hsics(x, y) if widths is None else pair_rbf_hsics(x, y, widths)
    cut = []
    for seed in range(40):
        metric = metrics.MinibatchCKA(kernel, widths=widths)
        order = torch.randperm(60, generator=generators.generator(seed))  # of 61, so that batches are equal
        for ids in order.split(12):
            metric.update(x[ids], y[ids])
        cut.append(metric.hsics / metric.rows)
    cut = torch.stack(cut)
    error = cut.std(0) / len(cut) ** 0.5
    assert ((cut.mean(0) - whole).abs() < 4 * error + 0.03 * whole).all()  # without the last row
    assert torch.allclose(metric.compute(), cut[-1, 1] / (cut[-1, 0] * cut[-1, 2]).sqrt())


def test_their_options_are_shown():
    shown = {
        metrics.PIPDistance(): "PIPDistance(normalize=True)",
        metrics.LinearCKA(7): "LinearCKA(7, normalize=False)",
        metrics.NeighbourOverlap(3): "NeighbourOverlap(k=3, jaccard=False)",
        metrics.CanonicalCorrelation("svcca"): "CanonicalCorrelation('svcca', explained=0.99, normalize=False)",
        metrics.MinibatchCKA("rbf", widths=(1, 2)): "MinibatchCKA('rbf', widths=(1, 2), normalize=False)",
    }
    for metric, text in shown.items():
        assert " ".join(repr(metric).split()).replace("( ", "(").replace(" )", ")") == text


def test_a_collection_does_not_mix_states_of_other_options():
    """Unit rows make the sums of both alike at first, and what is grouped then stays so."""
    x, y = tester.pair()
    unit = torch.nn.functional.normalize(x)
    both = MetricCollection({"unit": metrics.PIPDistance(), "raw": metrics.PIPDistance(normalize=False)})
    both.update(unit[:30], unit[:30].flip(1))
    both.update(x[30:], y[30:])
    for name, metric in (("unit", metrics.PIPDistance()), ("raw", metrics.PIPDistance(normalize=False))):
        metric.update(unit[:30], unit[:30].flip(1))
        metric.update(x[30:], y[30:])
        tester.close(both.compute()[name], metric.compute())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, y: metrics.PIPDistance(3).update(x, y), r"x has shape \(61, 7\), wanted \(c, d\) with d up to 3"),
        (lambda x, y: metrics.PIPDistance(7).update(x, y[1:]), r"y \(60, 7\)"),
        (lambda x, y: metrics.PIPDistance(7).update(0 * x, y), "row 0 of x is zero"),
        (lambda x, y: metrics.NeighbourOverlap().update(x[0], y), r"x has shape \(7,\)"),
        (lambda x, y: metrics.LinearCKA(0), "dimension is 0"),
        (lambda x, y: metrics.NeighbourOverlap(0), "k is 0"),
        (lambda x, y: metrics.NeighbourOverlap(2.5), "k is 2.5, wanted a whole number from 1"),
        (lambda x, y: metrics.PIPDistance("3"), "dimension is '3', wanted a whole number from 1"),
        (lambda x, y: metrics.WordwisePIPDistance(reduction="avg"), "reduction is 'avg'"),
        (lambda x, y: metrics.CanonicalCorrelation("svca"), "of is 'svca', wanted one of mean, svcca, pwcca"),
        (lambda x, y: metrics.CanonicalCorrelation(explained=2), "explained is 2"),
        (lambda x, y: metrics.MinibatchCKA("rbf"), "wanted two numbers for 'rbf'"),
        (lambda x, y: metrics.MinibatchCKA("rbf", widths=(0, 1)), "wanted two numbers above 0"),
        (lambda x, y: metrics.MinibatchCKA("poly"), "kernel is 'poly'"),
        (lambda x, y: metrics.MinibatchCKA().update(x[:3], y[:3]), "3 words, wanted at least 4"),
        (lambda x, y: metrics.PIPDistance().update(x.numpy(), y), "x is a ndarray, wanted a tensor"),
        (lambda x, y: metrics.PIPDistance().update(x * torch.nan, y), "row 0 of x is not finite"),
        (lambda x, y: metrics.NeighbourOverlap().update(x, y * torch.inf), "row 0 of y is not finite"),
        (lambda x, y: metrics.PIPDistance(normalize=False).update(x * 1e200, y), "scale it first"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(*tester.pair())


@pytest.mark.parametrize("kind", [metrics.NeighbourOverlap, metrics.WordwisePIPDistance])
@pytest.mark.parametrize("types", [(torch.float16, torch.float64), (torch.float64, torch.bfloat16)])
def test_autocast_of_the_program_reaches_no_rows_of_other_types(kind, types):
    x, y = (torch.randn(60, 5, generator=generators.generator(seed), dtype=torch.float64) for seed in (1, 2))

    def computed():
        metric = kind()
        for start, dtype in zip((0, 30), types, strict=True):
            metric.update(x[start : start + 30].to(dtype), y[start : start + 30].to(dtype))
        return metric.compute()

    plain = computed()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(computed(), plain)
