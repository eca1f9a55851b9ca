"""TorchMetrics of two matrices over the same words, given in chunks of rows; needs the extra ``metrics``.

    from torchmetrics import MetricCollection
    from gpustab.metrics import LinearCKA, PIPDistance
    metrics = MetricCollection([PIPDistance(), LinearCKA()])
    for x, y in chunks_of_rows:
        metrics.update(x, y)
    metrics.compute()

Distances, CKA and canonical correlations keep the sums of :class:`gpustab.kernels.gram.Moments`, ``O(d²)`` numbers that
add up over chunks, processes and machines. Word-wise losses and neighbours need all rows, and keep them. Every row
counts; where a sampler gives some twice (``DistributedSampler`` pads its shares), give the rows' numbers as ``ids``:
all rows are kept then, and each counts once. A process without a batch takes part. Before the first row all are NaN.
"""

try:
    import torchmetrics  # noqa: F401  # named where it is missing
except ModuleNotFoundError as error:
    from gpustab.installing import install

    raise ModuleNotFoundError(f"gpustab.metrics needs TorchMetrics: {install('metrics')}") from error

from gpustab.metrics.minibatch import MinibatchCKA
from gpustab.metrics.rows import NeighbourOverlap, WordwisePIPDistance
from gpustab.metrics.sums import CanonicalCorrelation, DebiasedCKA, LinearCKA, PIPDistance, ProcrustesDistance

__all__ = [
    "CanonicalCorrelation",
    "DebiasedCKA",
    "LinearCKA",
    "MinibatchCKA",
    "NeighbourOverlap",
    "PIPDistance",
    "ProcrustesDistance",
    "WordwisePIPDistance",
]
