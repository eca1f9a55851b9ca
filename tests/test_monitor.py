import copy
import pickle
import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch

from gpustab import InputError, functional
from gpustab.monitor import StabilityMonitor
from tests import generators

MEASURES = {
    "pip": functional.pip_loss,
    "procrustes": functional.procrustes_loss,
    "cka": functional.linear_cka,
    "overlap": lambda x, y: functional.neighbour_overlap(x, y, 5),
}


def draw(seed):
    return torch.randn(30, 4, generator=generators.generator(seed))


def test_it_measures_from_one_time_to_the_next():
    layer = torch.nn.Embedding.from_pretrained(draw(0))
    logged = []
    monitor = StabilityMonitor(
        layer, metrics=list(MEASURES), k=5, log=lambda values, step: logged.append((step, values))
    )
    before = draw(0)
    for seed in (1, 2):
        layer.weight.data = draw(seed)
        found = monitor.step()
        assert found == {name: measure(before, draw(seed)).item() for name, measure in MEASURES.items()}
        before = draw(seed)
    assert [step for step, _ in logged] == [1, 2]
    assert logged[1][1] == found


def test_it_measures_against_a_reference_every_so_often():
    table = draw(0)
    monitor = StabilityMonitor(lambda: table, draw(9), every=3, metrics=["pip"])
    assert [monitor.step(k) is None for k in range(6)] == [True, True, False] * 2
    assert monitor.step() is None
    found = monitor.result().tables["steps"]
    assert list(found["step"]) == [2, 5]
    assert set(found["pip"]) == {functional.pip_loss(draw(9), table).item()}


def test_a_change_in_place_is_seen_and_the_padding_is_not():
    layer = torch.nn.Embedding(30, 4, padding_idx=3)
    monitor = StabilityMonitor(layer)
    with torch.no_grad():
        layer.weight.add_(draw(1))
        layer.weight[3] = 0
    assert monitor.step()["pip"] > 0.01
    assert monitor.result().groups[0]["rows"] == 29
    few = StabilityMonitor(layer, rows=torch.tensor([0, 5, 6]), reference=layer.weight)
    assert few.step()["pip"] == 0


def test_its_result_is_shown_and_written(tmp_path):
    monitor = StabilityMonitor(draw(0), metrics=["pip"])
    monitor.step()
    result = monitor.result()
    assert "against the time before" in str(result)
    assert (tmp_path / "out/summary.json") in result.write(tmp_path / "out")
    assert "Nothing was measured" in str(StabilityMonitor(draw(0)).result())


def trained(monitor, table, seeds):
    for seed in seeds:
        table.data = draw(seed)
        monitor.step()
    return monitor


@pytest.mark.parametrize("reference", [None, 9])
@pytest.mark.parametrize("by", ["state", "saved", "pickle", "copy"])
def test_a_run_that_is_resumed_goes_on_where_it_was(reference, by, tmp_path):
    """A new process begins with another table, with which nothing must be compared."""
    start = lambda: torch.nn.Embedding.from_pretrained(draw(0))  # noqa: E731
    against = None if reference is None else draw(reference)
    layer = start()
    whole = trained(StabilityMonitor(layer, against, every=2), layer.weight, range(1, 7)).result().tables["steps"]
    layer = start()
    first = trained(StabilityMonitor(layer, against, every=2), layer.weight, range(1, 4))
    if by in ("pickle", "copy"):
        second = pickle.loads(pickle.dumps(first)) if by == "pickle" else copy.deepcopy(first)
        layer = second._table  # goes with it, as a module does
    else:
        layer = torch.nn.Embedding.from_pretrained(draw(77))
        second = StabilityMonitor(layer, against, every=2)
        state = first.state_dict()
        if by == "saved":
            torch.save(state, tmp_path / "state.pt")
            state = torch.load(tmp_path / "state.pt", weights_only=True)
        second.load_state_dict(state)
    found = trained(second, layer.weight, range(4, 7)).result().tables["steps"]
    assert {name: list(found[name]) for name in whole} == {name: list(whole[name]) for name in whole}


def test_a_state_that_is_of_another_table_is_refused():
    monitor = StabilityMonitor(draw(0))
    with pytest.raises(InputError, match=r"the state is of a table \(30, 3\), this one is \(30, 4\)"):
        monitor.load_state_dict(StabilityMonitor(draw(0)[:, :3]).state_dict())
    with pytest.raises(
        InputError, match="the state of a monitor lacks before, found, k, metrics, moving, seconds, steps"
    ):
        monitor.load_state_dict({})


@pytest.mark.parametrize(
    ("saved", "other", "message"),
    [
        ({"metrics": ["pip"]}, {"metrics": ["pip", "cka"]}, "the state has pip, this monitor pip, cka"),
        ({"metrics": ["cka", "pip"]}, {"metrics": ["pip", "cka"]}, "the state has cka, pip"),
        ({"metrics": ["overlap"], "k": 3}, {"metrics": ["overlap"], "k": 5}, "the state has k=3, this monitor k=5"),
        ({}, {"reference": draw(1)}, "this monitor has a reference, and the state is of none"),
        ({"reference": draw(1)}, {}, "this monitor has no reference, and the state is of one"),
        ({"reference": draw(1)}, {"reference": draw(2)}, r"another reference: .* reference=state\['before'\]"),
    ],
)
def test_a_state_of_another_monitor_is_refused_and_changes_nothing(saved, other, message):
    first, second = StabilityMonitor(draw(0), **saved), StabilityMonitor(draw(5), **other)
    first.step()
    before = second.step()
    with pytest.raises(InputError, match=message):
        second.load_state_dict(first.state_dict())
    found = second.step()
    if "reference" in other:
        assert found == before
    elif "pip" in found:
        assert found["pip"] == 0  # it has not moved since
    assert second.result().tables["steps"].height == 2
    if "another reference" in message:  # what it advises
        state = first.state_dict()
        third = StabilityMonitor(draw(0), reference=state["before"])
        third.load_state_dict(state)
        assert third.result().tables["steps"].height == 1


@pytest.fixture
def lightning(monkeypatch):
    """Lightning where it is installed, else what it has to offer here."""
    module = ModuleType("pytorch_lightning")
    module.Callback = type("Callback", (), {})
    monkeypatch.setitem(sys.modules, "lightning", None)
    monkeypatch.setitem(sys.modules, "pytorch_lightning", module)


def test_a_callback_of_lightning_logs_each_epoch(lightning):
    table, logged = draw(0), []
    callback = StabilityMonitor(lambda: table, draw(1), metrics=["pip"]).lightning()
    model = SimpleNamespace(log_dict=logged.append)
    for epoch in range(2):
        callback.on_train_epoch_end(SimpleNamespace(current_epoch=epoch), model)
    assert logged == [{"stability/pip": functional.pip_loss(draw(1), table).item()}] * 2
    assert list(callback.monitor.result().tables["steps"]["step"]) == [0, 1]


def test_a_callback_of_lightning_keeps_its_state_and_can_be_pickled(lightning):
    layer = torch.nn.Embedding.from_pretrained(draw(0))
    callback = StabilityMonitor(layer).lightning()
    module = SimpleNamespace(log_dict=lambda values: None)
    callback.on_train_epoch_end(SimpleNamespace(current_epoch=0), module)
    other = StabilityMonitor(torch.nn.Embedding.from_pretrained(draw(7))).lightning()
    other.load_state_dict(callback.state_dict())
    for one in (other, pickle.loads(pickle.dumps(callback)), copy.deepcopy(callback)):
        one.monitor._table.weight.data = draw(1)
        one.on_train_epoch_end(SimpleNamespace(current_epoch=1), module)
        steps = one.monitor.result().tables["steps"]
        assert list(steps["step"]) == [0, 1]
        assert steps["pip"][1] == functional.pip_loss(draw(0), draw(1)).item()


def test_callbacks_of_two_tables_have_names(lightning):
    """A trainer keeps states, and a logger values, by them."""
    callbacks = [
        StabilityMonitor(draw(k), draw(9), metrics=["pip"]).lightning(*name)
        for k, name in enumerate([[], ["of items"]])
    ]
    logged = []
    for callback in [*callbacks, pickle.loads(pickle.dumps(callbacks[1]))]:
        callback.on_train_epoch_end(SimpleNamespace(current_epoch=0), SimpleNamespace(log_dict=logged.append))
    assert [list(values) for values in logged] == [["stability/pip"], ["of items/pip"], ["of items/pip"]]
    assert [callback.state_key for callback in callbacks] == ["StabilityMonitor/stability", "StabilityMonitor/of items"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: StabilityMonitor(draw(0), every=0), "every is 0"),
        (lambda: StabilityMonitor(draw(0), metrics=["rsa"]), "metrics: 'rsa' is none of pip"),
        (lambda: StabilityMonitor(draw(0), metrics=["procrutes"]), "near it is procrustes"),
        (lambda: StabilityMonitor(draw(0), metrics="pip"), "metrics is 'pip', wanted several names"),
        (lambda: StabilityMonitor(draw(0), k=0), "k is 0"),
        (lambda: StabilityMonitor(draw(0), k="3"), "k is '3', wanted a whole number from 1"),
        (lambda: StabilityMonitor(draw(0), every=2.5), "every is 2.5, wanted a whole number from 1"),
        (lambda: StabilityMonitor(draw(0), draw(0)[1:]), r"reference has shape \(29, 4\), wanted \(30, 4\)"),
        (lambda: StabilityMonitor(draw(0)[0]), r"the table is a tensor of shape \(4,\)"),
        (lambda: StabilityMonitor(lambda: 3), "the table is a int"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
