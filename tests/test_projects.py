"""Losses, metrics and the monitor in the loops of other projects: resumed, with a transformer, in several processes."""

import multiprocessing
import sys
from datetime import timedelta
from types import ModuleType, SimpleNamespace

import pytest
import torch
from torch import distributed
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

from gpustab import functional
from gpustab.monitor import StabilityMonitor
from gpustab.nn import NeighbourAgreementLoss, PIPLoss, ProcrustesLoss
from tests import generators

V, D = 60, 8


class Model(torch.nn.Module):
    """A table that is pulled towards random targets."""

    def __init__(self, seed):
        super().__init__()
        self.table = torch.nn.Embedding(V, D)
        self.table.weight.data = torch.randn(V, D, generator=generators.generator(seed))
        self.goal = torch.randn(V, D, generator=generators.generator(99))

    def forward(self, ids):
        return (self.table(ids) - self.goal[ids]).square().mean()


class Trainer:
    """What a trainer of Lightning does with a model, a callback and a checkpoint: epochs, hooks, states by name."""

    def __init__(self, model, callback):
        self.model, self.callback, self.current_epoch, self.logged = model, callback, 0, []
        self.optimiser = torch.optim.Adam(model.parameters(), lr=0.05)

    def fit(self, until, checkpoint=None):
        if checkpoint is not None:
            state = torch.load(checkpoint, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.callback.load_state_dict(state["callbacks"][type(self.callback).__name__])
            self.current_epoch = state["epoch"]
        while self.current_epoch < until:
            for ids in torch.arange(V).split(25):
                self.optimiser.zero_grad()
                self.model(ids).backward()
                self.optimiser.step()
            self.callback.on_train_epoch_end(self, SimpleNamespace(log_dict=self.logged.append))
            self.current_epoch += 1
        return self

    def save(self, file):
        callbacks = {type(self.callback).__name__: self.callback.state_dict()}
        states = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict()}
        torch.save({**states, "callbacks": callbacks, "epoch": self.current_epoch}, file)


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1, 3])
def test_a_lightning_like_loop_that_is_resumed_logs_what_one_without_a_break_does(cut, tmp_path, monkeypatch):
    module = ModuleType("pytorch_lightning")
    module.Callback = type("Callback", (), {})
    monkeypatch.setitem(sys.modules, "lightning", None)
    monkeypatch.setitem(sys.modules, "pytorch_lightning", module)

    def trainer(seed):
        model = Model(seed)
        return Trainer(
            model, StabilityMonitor(model.table, metrics=["pip", "procrustes", "cka", "overlap"]).lightning()
        )

    whole = trainer(0).fit(5)
    first = trainer(0).fit(cut)
    first.save(tmp_path / "last.pt")
    second = trainer(1).fit(5, tmp_path / "last.pt")  # begins with other random numbers
    assert first.logged + second.logged == whole.logged
    steps = second.callback.monitor.result().tables["steps"]
    assert list(steps["step"]) == [0, 1, 2, 3, 4]
    assert max(values["stability/procrustes"] for values in second.logged) < 0.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Lightning's own advice
@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_lightning_itself_resumes_as_if_it_had_not_been_cut(precision, tmp_path):
    """Where Lightning is installed: with a loss, metrics that are logged and reset, and two monitors of one table."""
    lightning = pytest.importorskip("lightning.pytorch")
    from torchmetrics import MetricCollection

    from gpustab.metrics import LinearCKA, NeighbourOverlap, PIPDistance

    class Module(lightning.LightningModule):
        def __init__(self, seed):
            super().__init__()
            self.model, self.stay = Model(seed), PIPLoss(weights=torch.ones(V))
            self.register_buffer("frozen", self.model.table.weight.detach().clone())
            self.metrics = MetricCollection([PIPDistance(), LinearCKA(), NeighbourOverlap(5)])

        def training_step(self, batch, _):
            table, (ids,) = self.model.table.weight, batch
            self.metrics.update(table[ids].detach(), self.frozen[ids], ids)
            return self.model(ids) + self.stay(table, self.frozen)

        def on_train_epoch_end(self):
            found = {name: value.float() for name, value in self.metrics.compute().items()}
            self.log_dict(found)
            self.metrics.reset()
            of_monitors = {name: value for name, value in self.trainer.callback_metrics.items() if "/" in name}
            logged.append({name: float(value) for name, value in (of_monitors | found).items()})

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=0.05)

    def fit(seed, until, checkpoint=None):
        module = Module(seed)
        monitor = StabilityMonitor(module.model.table, metrics=["pip", "procrustes", "cka", "overlap"])
        second = StabilityMonitor(module.model.table, every=2).lightning("seldom")
        quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
        trainer = lightning.Trainer(
            accelerator="cpu",
            devices=1,
            max_epochs=until,
            callbacks=[monitor.lightning(), second],
            precision=precision,
            **quiet,
        )
        rows = torch.utils.data.TensorDataset(torch.arange(V))
        trainer.fit(module, torch.utils.data.DataLoader(rows, batch_size=25), ckpt_path=checkpoint)
        return trainer

    logged = []
    fit(0, 5)
    whole = list(logged)
    logged.clear()
    fit(0, 3).save_checkpoint(tmp_path / "last.ckpt")
    fit(1, 5, tmp_path / "last.ckpt")
    assert logged == whole
    assert {"stability/pip", "seldom/pip", "PIPDistance", "LinearCKA", "NeighbourOverlap"} <= whole[-1].keys()


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(V, D, padding_idx=0)
        layer = torch.nn.TransformerEncoderLayer(D, 2, 16, dropout=0.0, batch_first=True)
        self.body = torch.nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = torch.nn.Linear(D, V)

    def forward(self, ids):
        return self.head(self.body(self.embedding(ids)))


@pytest.mark.slow
@pytest.mark.parametrize("cast", ["fp32", "bf16-mixed"])
def test_a_trainer_like_loop_over_a_tiny_transformer(cast):
    """Accumulated and clipped gradients, a schedule, autocast; the penalty keeps the table where it was."""
    from torchmetrics import MetricCollection

    from gpustab.metrics import DebiasedCKA, NeighbourOverlap, PIPDistance

    texts = torch.randint(1, V, (64, 12), generator=generators.generator(5))
    weights = torch.ones(V)
    weights[0] = 0  # what pads has no direction

    def train(strength):
        torch.manual_seed(0)
        model = Transformer()
        with torch.inference_mode():
            frozen = model.embedding.weight.clone()
        optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1.0, (step + 1) / 5))
        stay, agree = PIPLoss(weights=weights), NeighbourAgreementLoss(5, 0.1)
        monitor = StabilityMonitor(model.embedding, every=4)
        for _ in range(4):
            for number, batch in enumerate(texts.split(8)):
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=cast != "fp32"):
                    scores = model(batch[:, :-1])
                    task = torch.nn.functional.cross_entropy(scores.flatten(0, 1).float(), batch[:, 1:].flatten())
                    penalty = stay(model.embedding.weight, frozen)
                    penalty = penalty + agree(model.embedding.weight[1:], frozen[1:], torch.arange(20))
                    loss = task + strength * penalty
                (loss / 2).backward()
                if number % 2:
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimiser.step()
                    schedule.step()
                    optimiser.zero_grad()
                    monitor.step()
        found = MetricCollection([PIPDistance(), DebiasedCKA(normalize=True), NeighbourOverlap(5)])
        for x, y in zip(model.embedding.weight[1:].split(20), frozen[1:].split(20), strict=True):
            found.update(x, y)
        assert monitor.result().tables["steps"].height == 4
        return task.item(), {name: value.item() for name, value in found.compute().items()}

    (free, moved), (_, kept) = train(0.0), train(30.0)
    assert free < torch.tensor(float(V)).log()
    assert kept["PIPDistance"] < 0.5 * moved["PIPDistance"]
    assert kept["DebiasedCKA"] > moved["DebiasedCKA"]
    assert kept["NeighbourOverlap"] > moved["NeighbourOverlap"]


def share_of(rank):
    """Batches of a process: eleven, seven and none."""
    ids = torch.randperm(V, generator=generators.generator(rank))
    return [ids[start : start + 5] for start in range(0, (55, 35, 0)[rank], 5)]


def one_of_three(rank, folder):
    from torchmetrics import MetricCollection

    from gpustab.metrics import LinearCKA, NeighbourOverlap, PIPDistance

    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", f"file://{folder}/store", rank=rank, world_size=3, timeout=timedelta(seconds=60)
    )
    model = DistributedDataParallel(Model(0))
    frozen = model.module.table.weight.detach().clone()
    stay, monitor = ProcrustesLoss(), StabilityMonitor(model.module.table)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    with Join([model]):
        for ids in share_of(rank):
            optimiser.zero_grad()
            (model(ids) + stay(model.module.table.weight, frozen)).backward()
            optimiser.step()
    # A process that had fewer batches took no more steps of its own: all take over what the first one has.
    distributed.broadcast(model.module.table.weight.data, 0)
    found = MetricCollection([PIPDistance(), LinearCKA(), NeighbourOverlap(5)])
    rows = torch.arange(V)[rank::3] if rank < 2 else torch.arange(0)
    for ids in rows.split(7):
        if len(ids):
            found.update(model.module.table.weight[ids], frozen[ids], ids)
    torch.save((model.module.table.weight.detach(), found.compute(), monitor.step()), folder / f"{rank}.pt")
    distributed.destroy_process_group()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_three_processes_of_uneven_batches(tmp_path):
    workers = [multiprocessing.get_context("fork").Process(target=one_of_three, args=(k, tmp_path)) for k in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    found = [torch.load(tmp_path / f"{rank}.pt") for rank in range(3)]
    table, start = found[0][0], Model(0).table.weight.detach()
    measured = torch.cat([torch.arange(V)[0::3], torch.arange(V)[1::3]]).sort().values
    x, y = table[measured], start[measured]
    assert not torch.equal(table, start)
    for other, values, moved in found:
        assert torch.equal(other, table)
        assert values["PIPDistance"].item() == pytest.approx(functional.pip_loss(x, y).item(), rel=1e-6)
        assert values["LinearCKA"].item() == pytest.approx(functional.linear_cka(x, y).item(), rel=1e-9)
        assert values["NeighbourOverlap"].item() == functional.neighbour_overlap(x, y, 5).item()
        assert moved == found[0][2]


def test_losses_agree_on_a_table_that_is_trained_in_float16():
    """Weights in half precision: rows are read as they are, and gradients come back in their type."""
    table = torch.nn.Parameter(torch.randn(V, D, generator=generators.generator(0)).half())
    frozen = table.detach().float() + 0.1 * torch.randn(V, D, generator=generators.generator(1))
    for loss in (PIPLoss(), ProcrustesLoss(), NeighbourAgreementLoss(5)):
        table.grad = None
        loss(table, frozen).backward()
        assert table.grad.dtype == torch.float16
        assert table.grad.isfinite().all()
        assert table.grad.any()
