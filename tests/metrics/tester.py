"""One tester for every metric of two matrices: chunks, resets, copies, collections, and several processes."""

import multiprocessing
import pickle
import warnings
from datetime import timedelta

import torch
from torch import distributed
from torchmetrics import MetricCollection

from gpustab import functional, metrics
from tests import generators

V, D = 61, 7

METRICS = {
    "pip": (lambda: metrics.PIPDistance(D), functional.pip_loss),
    "pip, raw": (
        lambda: metrics.PIPDistance(D, normalize=False),
        lambda x, y: functional.pip_loss(x, y, normalize=False),
    ),
    "procrustes": (lambda: metrics.ProcrustesDistance(D), lambda x, y: functional.procrustes(x, y).distance),
    "pip, any width": (metrics.PIPDistance, functional.pip_loss),
    "cka": (lambda: metrics.LinearCKA(D), functional.linear_cka),
    "debiased cka": (metrics.DebiasedCKA, functional.debiased_cka),
    "debiased cka, unit": (
        lambda: metrics.DebiasedCKA(D, normalize=True),
        lambda x, y: functional.debiased_cka(x, y, normalize=True),
    ),
    "cca": (metrics.CanonicalCorrelation, lambda x, y: functional.cca(x, y).mean),
    "svcca": (
        lambda: metrics.CanonicalCorrelation("svcca", explained=0.9),
        lambda x, y: functional.cca(x, y, explained=0.9).svcca,
    ),
    "pwcca": (lambda: metrics.CanonicalCorrelation("pwcca"), lambda x, y: functional.cca(x, y).pwcca),
    "words": (metrics.WordwisePIPDistance, functional.wordwise_pip_loss),
    "overlap": (lambda: metrics.NeighbourOverlap(5), lambda x, y: functional.neighbour_overlap(x, y, 5)),
    "jaccard": (
        lambda: metrics.NeighbourOverlap(5, jaccard=True),
        lambda x, y: functional.neighbour_overlap(x, y, 5, jaccard=True),
    ),
}


def pair(v=V):
    x, y = generators.noisy_copies(2, v, D)
    return 3 * x, y


def close(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=0)


class MetricTester:
    """Checks of one metric against the function that it must equal; give it a maker and an oracle."""

    def __init__(self, make, oracle):
        self.make, self.wanted = make, oracle(*pair())

    def fed(self, *sizes):
        metric = self.make()
        for x, y in zip(*(part.split(sizes) for part in pair()), strict=True):
            metric.update(x, y)
        return metric

    def in_chunks(self):
        torch.testing.assert_close(self.fed(V).compute(), self.wanted, rtol=1e-9, atol=0)
        close(self.fed(1, 40, 20).compute(), self.fed(V).compute())

    def reset_forgets(self):
        metric = self.fed(V)
        metric.reset()
        x, y = pair(30)
        metric.update(x, y)
        fresh = self.make()
        fresh.update(x, y)
        close(metric.compute(), fresh.compute())

    def forward_gives_the_batch_and_goes_on(self):
        metric, (x, y) = self.make(), pair()
        fresh = self.make()
        fresh.update(x[:40], y[:40])
        close(metric(x[:40], y[:40]), fresh.compute())
        metric(x[40:], y[40:])
        close(metric.compute(), self.fed(40, 21).compute())

    def copies_go_on(self):
        metric, (x, y) = self.make(), pair()
        metric.update(x[:40], y[:40])
        metric.persistent(True)
        state = self.make()
        state.persistent(True)
        state.load_state_dict(metric.state_dict())
        state._update_count = 1  # what a state does not hold
        for copy in (pickle.loads(pickle.dumps(metric)), metric.clone(), state):
            copy.update(x[40:], y[40:])
            close(copy.compute(), self.fed(40, 21).compute())

    def plots(self):
        import matplotlib as mpl

        mpl.use("agg")
        metric = self.fed(V)
        figure, axes = metric.plot()
        assert axes.has_data()
        mpl.pyplot.close(figure)


def collection():
    return MetricCollection({name: make() for name, (make, _) in METRICS.items()})


def collection_of(group):
    found = collection()
    for metric in found.values():
        metric.process_group = group
    return found


def share(rank, world):
    """Unequal shares of the rows, in order; of three processes the last one has none."""
    cuts = [0, V // 3, V, V] if world == 3 else [0, V // 4, V]
    return (part[cuts[rank] : cuts[rank + 1]] for part in pair())


def padded_share(rank, world):
    """The rows' numbers as ``DistributedSampler`` hands them out: some twice, so that all have as many."""
    numbers = [*range(V), *range(-V % world)]
    return torch.tensor(numbers[rank::world])


def of_processes(folder):
    """What each of three processes computes: by world, by rank."""
    # Forked, since importing torch and TorchMetrics takes several seconds of each process.
    processes = multiprocessing.get_context("fork")
    workers = [processes.Process(target=one_of_three, args=(rank, folder)) for rank in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    return {world: [torch.load(folder / f"{rank}-{world}.pt") for rank in range(world)] for world in (2, 3)}


def one_of_three(rank, folder):
    """Feed a share of the rows to every metric, among the first two processes and among all three."""
    torch.set_num_threads(1)  # a forked process has none of OpenMP's threads
    warnings.filterwarnings("ignore", "The ``compute`` method")  # of a process without a batch
    distributed.init_process_group(
        "gloo", f"file://{folder}/store", rank=rank, world_size=3, timeout=timedelta(seconds=60)
    )
    for world in (2, 3):
        group = distributed.new_group(list(range(world)))
        if rank < world:
            found = collection_of(group)
            for a, b in zip(*(part.split(7) for part in share(rank, world)), strict=True):
                if len(a):
                    found.update(a, b)
            with_ids = collection_of(group)
            for ids in padded_share(rank, world).split(9):
                with_ids.update(*(part[ids] for part in pair()), ids)
            torch.save((found.compute(), with_ids.compute()), folder / f"{rank}-{world}.pt")
    distributed.destroy_process_group()
