import math

import torch

from gpustab.machine.environment import environment, peak_memory
from gpustab.results import Result


def test_a_table_is_a_frame_with_its_columns_in_order():
    frame = Result("x", tables={"t": {"b": [1, 2], "a": ["p", None]}}).frame("t")
    assert list(frame) == ["b", "a"]
    assert frame.b.tolist() == [1, 2]
    assert frame.a.isna().tolist() == [False, True]


def test_results_share_nothing():
    a, b = Result("x"), Result("x")
    a.notes.append("n")
    a.settings["s"] = math.pi
    assert (b.notes, b.settings, b.schema) == ([], {}, "gpustab.x/1")


def test_repr_is_one_line():
    text = repr(Result("stability", groups=[{"name": "a/b"}], tables={"words": {}}, notes=["n"]))
    assert text == "Result(stability: groups a/b; tables words; 1 notes)"


def test_environment_names_versions_device_and_memory():
    found = environment(torch.device("cpu"))
    assert found["torch"] == torch.__version__
    assert found["device"] == "cpu"
    assert None not in (found["gpustab"], found["numpy"])
    assert 2**20 < found["peak_memory_bytes"] <= peak_memory() < 2**42
