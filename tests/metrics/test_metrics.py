import sys

import pytest
import torch

from gpustab import metrics
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
    for of_ranks in tester.of_processes(tmp_path).values():
        for found in of_ranks:
            for name, value in wanted.compute().items():
                tester.close(found[name], value)


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


@pytest.mark.parametrize(
    "make", [lambda: metrics.PIPDistance(7), lambda: metrics.ProcrustesDistance(7), lambda: metrics.LinearCKA(7)]
)
@pytest.mark.filterwarnings("ignore:The ``compute`` method:UserWarning")
def test_nothing_is_nan_before_the_first_row(make):
    assert make().compute().isnan()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, y: metrics.PIPDistance(3).update(x, y), r"x has shape \(61, 7\), wanted \(c, d\) with d up to 3"),
        (lambda x, y: metrics.PIPDistance(7).update(x, y[1:]), r"y \(60, 7\)"),
        (lambda x, y: metrics.PIPDistance(7).update(0 * x, y), "row 0 of x is zero"),
        (lambda x, y: metrics.NeighbourOverlap().update(x[0], y), r"x has shape \(7,\)"),
        (lambda x, y: metrics.LinearCKA(0), "dimension is 0"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(*tester.pair())
