"""CUDA gives the CPU's numbers, through the same code."""

import pytest
import torch

from gpustab import engine
from gpustab.engine import integers
from gpustab.kernels.averaging import tree_average
from gpustab.kernels.neighbours import top_k
from gpustab.machine import probe
from gpustab.machine.device import Compute, fast_integers
from gpustab.machine.out_of_memory import with_smaller_tiles
from gpustab.studies.stability.study import stability
from tests import generators
from tests.generators import runs_of

pytestmark = pytest.mark.gpu
CUDA = torch.device("cuda")


@pytest.mark.parametrize("size", [*generators.SIZES, (4, 5000, 100)])
@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_all_passes(size, precision):
    runs = runs_of(generators.noisy_copies(*size))
    targets = torch.arange(min(size[1], 500))
    here, there = Compute(precision=precision), Compute(CUDA, precision)
    tolerance = {"rtol": 1e-9, "atol": 0} if precision == "fp64" else {"rtol": 1e-3, "atol": 0}
    cpu, gpu = (engine.pip_pass(r, c, gram=True) for r, c in ((runs, here), (runs.to(CUDA), there)))
    torch.testing.assert_close(gpu.reduced.cpu(), cpu.reduced, **tolerance)
    torch.testing.assert_close(gpu.scale.chance.cpu(), cpu.scale.chance, **tolerance)
    words = [
        engine.wordwise_pass(r, p.basis, c).mean.cpu() for r, p, c in ((runs, cpu, here), (runs.to(CUDA), gpu, there))
    ]
    torch.testing.assert_close(words[1], words[0], **tolerance)
    lists = [engine.neighbour_pass(r, targets, 10, c) for r, c in ((runs, here), (runs.to(CUDA), there))]
    assert torch.equal(lists[1].indices.cpu(), lists[0].indices)
    assert torch.equal(lists[1].tied.cpu(), lists[0].tied)
    k = lists[0].k
    overlaps = [engine.overlap_pass(found, [1, k]).p.cpu() for found in lists]
    torch.testing.assert_close(overlaps[1], overlaps[0], rtol=1e-14, atol=0)
    maps = [engine.procrustes_pass(runs.to(p.basis.gram.device), p.basis)[1].cpu() for p in (cpu, gpu)]
    torch.testing.assert_close(maps[1], maps[0], rtol=1e-4, atol=1e-5)


def test_duplicates_and_near_duplicates_rank_alike():
    x = generators.duplicates(500, 20, 100)
    x[50:100] += 1e-7 * torch.randn(50, 20, dtype=torch.float64, generator=generators.generator(1))
    targets = torch.arange(500)
    for k in (5, 49, 60, 499):
        assert torch.equal(top_k(x.to(CUDA), targets.to(CUDA), k).indices.cpu(), top_k(x, targets, k).indices)


def test_whole_numbers_on_the_card(monkeypatch):
    if not fast_integers(CUDA):
        pytest.skip("this card is not one for whole numbers")
    monkeypatch.setattr(integers, "_WORTH", 0)
    runs = runs_of(generators.noisy_copies(17, 6001, 33, noise=0.1))
    true = engine.pip_pass(runs, Compute(precision="fp64"))
    for precision in ("auto", "1e-6"):
        found = engine.pip_pass(runs.to(CUDA), Compute(CUDA, precision))
        assert found.precision.startswith("int")
        assert float((found.reduced.cpu() / true.reduced - 1).abs().max()) <= found.error


def test_float16_proposes_the_same_lists():
    x = generators.anisotropic(30_000, 100)
    targets = torch.arange(0, 30_000, 7)  # enough of them to be worth it
    told = []
    got = top_k(x.to(CUDA), targets.to(CUDA), 10, tell=lambda *counts: told.append(counts))
    assert torch.equal(got.indices.cpu(), top_k(x, targets, 10).indices)
    assert told[0][0] == "float16"
    assert told[0][1] < len(targets) / 2  # its bound holds on this card


@pytest.mark.parametrize("k", [2047, 2048, 2049, 5000])
def test_long_lists(k):
    x = generators.anisotropic(6000, 8)
    targets = torch.tensor([0, 17, 5999])
    want = top_k(x, targets, k).indices
    assert torch.equal(top_k(x.to(CUDA), targets.to(CUDA), k).indices.cpu(), want)
    if probe.probe_faiss_gpu()[0]:
        assert torch.equal(top_k(x.to(CUDA), targets.to(CUDA), k, backend="faiss").indices.cpu(), want)


def test_a_search_on_another_stream_sees_finished_data():
    x = generators.anisotropic(2000, 32).float()
    targets = torch.arange(50)
    want = top_k(x, targets, 5).indices
    for _ in range(50):
        with torch.cuda.stream(torch.cuda.Stream()):
            there = x.to(CUDA, non_blocking=True) * 1.0
            assert torch.equal(top_k(there, targets.to(CUDA), 5).indices.cpu(), want)


def test_tree_average():
    stack = generators.noisy_copies(5, 300, 20)
    cpu, gpu = tree_average(stack)[-1][0].vectors, tree_average(stack.to(CUDA))[-1][0].vectors.cpu()
    torch.testing.assert_close(gpu, cpu, rtol=1e-8, atol=1e-10)


def test_the_study_on_the_gpu():
    runs = runs_of(generators.noisy_copies(3, 400, 12))
    cpu, gpu = stability(runs), stability(runs, compute=Compute(CUDA))
    a, b = cpu.groups[0], gpu.groups[0]
    assert b["pip"]["reduced"]["mean"] == pytest.approx(a["pip"]["reduced"]["mean"], rel=1e-9)
    assert b["neighbours"]["10"] == pytest.approx(a["neighbours"]["10"], rel=1e-12)
    assert gpu.environment["device_name"]


def test_real_out_of_memory_halves_the_tile():
    free = torch.cuda.mem_get_info()[0]
    tried = []

    def work(tile):
        tried.append(tile)
        return torch.empty(tile, free // 100, dtype=torch.uint8, device=CUDA).shape[0]

    assert with_smaller_tiles(work, 150) == 75
    assert tried == [150, 75]


def test_losses_and_metrics_of_pairs_on_a_card():
    from gpustab import functional, nn
    from gpustab.metrics import PIPDistance

    x, y = (part.float() for part in generators.noisy_copies(2, 5000, 32))
    for function in (
        functional.pip_loss,
        functional.procrustes_loss,
        functional.linear_cka,
        functional.neighbour_overlap,
        lambda a, b: functional.cca(a, b).mean,
        nn.NeighbourAgreementLoss(10),
    ):
        torch.testing.assert_close(function(x.cuda(), y.cuda()).cpu(), function(x, y), rtol=1e-5, atol=1e-8)
    metric = PIPDistance(32).cuda()
    metric.update(x.cuda(), y.cuda())
    torch.testing.assert_close(metric.compute().cpu(), functional.pip_loss(x, y), rtol=1e-5, atol=0)
    a = x.cuda().requires_grad_()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    nn.PIPLoss()(a, y.cuda()).backward()
    assert torch.cuda.max_memory_allocated() - before < 3 * a.numel() * 4 + 20 * 4096 * 32 * 8


def test_faiss_finds_the_lists_of_torch():
    works, reason = probe.probe_faiss_gpu()
    if not works:
        pytest.skip(f"FAISS does not search on the card: {reason}")
    x = generators.duplicates(30_000, 60, 50)
    x[50:80] = x[50] + 1e-7 * torch.randn(30, 60, dtype=torch.float64, generator=generators.generator(1))
    targets = torch.arange(0, 30_000, 29).to(CUDA)
    for k in (1, 10, 60, 1500, 2048, 2049):  # above 2,048 candidates torch proposes: FAISS would abort the process
        found = [top_k(x.to(CUDA), targets, k, backend=backend) for backend in ("torch", "faiss")]
        assert torch.equal(found[0].indices, found[1].indices)
        assert torch.equal(found[0].tied, found[1].tied)
