"""What the bench measured is taken; what is broken or somebody else's is told once and ignored."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from gpustab.bench import choice
from gpustab.bench.choice import add_choice, compare_searches
from gpustab.machine import device as device_module
from gpustab.machine import measured
from gpustab.machine.device import choose_backend
from gpustab.results import Content

CPU = torch.device("cpu")
FAISS_WINS = {"60 x 5": {"torch": 2.0, "faiss": 1.0}, "900 x 5": {"torch": 3.0, "faiss": 1.0}}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUSTAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(device_module.probe, "probe_faiss", lambda: (True, "fine"))
    return tmp_path / "cache" / "measured.json"


def test_auto_takes_what_was_measured_here_and_torch_where_nothing_was(cache, caplog):
    assert (measured.faster(CPU), choose_backend("auto", CPU)) == (None, "torch")
    measured.keep(CPU, FAISS_WINS)
    assert (measured.faster(CPU), choose_backend("auto", CPU)) == ("faiss", "faiss")
    measured.keep(CPU, FAISS_WINS | {"900 x 5": {"torch": 1.0, "faiss": 1.5}})  # not at every size
    assert choose_backend("auto", CPU) == "torch"
    assert not caplog.text


def test_a_measured_faiss_that_has_gone_leaves_the_search_to_torch(monkeypatch):
    measured.keep(CPU, FAISS_WINS)
    monkeypatch.setattr(device_module.probe, "probe_faiss", lambda: (False, "not installed"))
    assert choose_backend("auto", CPU) == "torch"


def test_a_measurement_of_another_version_or_device_does_not_count(cache, monkeypatch):
    measured.keep(CPU, FAISS_WINS)
    other = measured.environment
    monkeypatch.setattr(measured, "environment", lambda device: other(device) | {"torch": "0.0"})
    assert choose_backend("auto", CPU) == "torch"
    measured.keep(CPU, FAISS_WINS)
    assert len(json.loads(cache.read_text())["devices"]) == 2  # the other one stays


def broken(devices, form="gpustab.measured/1"):
    return json.dumps({"form": form, "devices": devices})


BROKEN = {
    "empty": "",
    "half": '{"form": "gpustab.mea',
    "a list": "[1, 2]",
    "another form": broken({}, "pip.cache/3"),
    "no devices": '{"form": "gpustab.measured/1"}',
    "devices are text": broken("all"),
    "deep": "[" * 100_000,
    "no sizes": broken({"KEY": {}}),
    "another way": broken({"KEY": {"60 x 5": {"torch": 1.0, "rm -rf": 0.1}}}),
    "text": broken({"KEY": {"60 x 5": {"torch": "1.0", "faiss": 0.1}}}),
    "true": broken({"KEY": {"60 x 5": {"torch": 1.0, "faiss": True}}}),
    "not a number": broken({"KEY": {"60 x 5": {"torch": 1.0, "faiss": float("nan")}}}),
    "negative": broken({"KEY": {"60 x 5": {"torch": 1.0, "faiss": -1.0}}}),
    "vast": broken({"KEY": {"60 x 5": {"torch": 10**400, "faiss": 1.0}}}),
    "vaster": broken({}).replace("{}", '{"KEY": ' + "9" * 5000 + "}"),
    "deep within": broken({}).replace("{}", '{"KEY": ' + "[" * 900 + "]" * 900 + "}"),
    "large": " " * (1 << 21),
}


@pytest.mark.parametrize("content", [*BROKEN.values(), b"\xff\xfe\x00"], ids=[*BROKEN, "no text"])
def test_a_broken_file_is_told_in_one_line_ignored_and_replaced(cache, content, caplog):
    cache.parent.mkdir()
    whole = content if isinstance(content, bytes) else content.replace("KEY", measured._key(CPU)).encode()
    cache.write_bytes(whole)
    assert choose_backend("auto", CPU) == "torch"
    (line,) = caplog.messages
    assert line.startswith(f"{cache}: ignored, as it is no measurement of gpustab (")
    assert "\n" not in line
    measured.keep(CPU, FAISS_WINS)
    assert choose_backend("auto", CPU) == "faiss"


def test_a_folder_in_its_place_is_ignored(cache, caplog):
    cache.mkdir(parents=True)
    assert choose_backend("auto", CPU) == "torch"
    assert len(caplog.messages) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_is_not_waited_for(cache, kind, caplog):
    cache.parent.mkdir()
    os.mkfifo(cache) if kind == "pipe" else cache.symlink_to("/dev/zero")
    assert choose_backend("auto", CPU) == "torch"
    assert "it is no file" in caplog.text
    measured.keep(CPU, FAISS_WINS)
    assert choose_backend("auto", CPU) == "faiss"
    assert cache.is_file()
    assert not cache.is_symlink()


def test_two_benches_at_once_both_keep_what_they_found(cache, monkeypatch):
    real = measured._entries
    monkeypatch.setattr(measured, "_entries", lambda: (real() if cache.exists() else {}, time.sleep(0.05))[0])
    monkeypatch.setattr(measured, "_key", str)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: measured.keep(torch.device(name), FAISS_WINS), ("cpu", "meta", "cuda")))
    assert json.loads(cache.read_text())["devices"] == dict.fromkeys(("cpu", "meta", "cuda"), FAISS_WINS)
    assert list(cache.parent.iterdir()) == [cache]


def test_keeping_follows_no_link_clears_what_a_killed_call_left_and_drops_what_is_broken(cache, tmp_path, monkeypatch):
    cache.parent.mkdir()
    other = tmp_path / "mine"
    other.write_text(broken({"another": FAISS_WINS, "wrong": {"60 x 5": {"torch": 10**400, "faiss": 1.0}}}))
    before = other.read_text()
    cache.symlink_to(other)
    with monkeypatch.context() as killed:
        killed.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        killed.setattr("pathlib.Path.unlink", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            measured.keep(CPU, FAISS_WINS)
    measured.keep(CPU, FAISS_WINS)
    assert other.read_text() == before
    assert [path for path in cache.parent.iterdir() if path.suffix == ".tmp"] == []
    assert json.loads(cache.read_text())["devices"] == {"another": FAISS_WINS, measured._key(CPU): FAISS_WINS}


def test_the_searches_are_checked_and_timed():
    rows = compare_searches(CPU, 0.001, 0, [(60, 5), (900, 5)])
    assert [(row["search"], row["words"], row["status"]) for row in rows] == [
        (way, words, "checked") for words in (60, 900) for way in ("torch", "faiss")
    ]
    assert all(row["seconds"] > 0 and row["repeats"] >= 1 for row in rows)


@pytest.mark.parametrize(("way", "taken"), [("faiss", "faiss"), ("torch", "torch")])
def test_the_bench_names_the_faster_and_auto_takes_it(way, taken, monkeypatch):
    rows = [
        {"search": one, "words": words, "dimensions": 5, "status": "checked", "seconds": 1.0 if one == way else 2.0}
        for words in (60, 900)
        for one in ("torch", "faiss")
    ]
    monkeypatch.setattr(choice, "compare_searches", lambda *_: rows)
    result = Content("bench")
    add_choice(result, CPU, 0.001, 0)
    name = "FAISS" if way == "faiss" else way
    assert f"Neighbours: {name} is 2.0 and 2.0 times as fast at 60 and 900 words" in result.notes[0]
    assert f"--backend auto takes {taken} here from now on" in result.notes[0]
    assert choose_backend("auto", CPU) == taken
    assert result.tables["searches"]["seconds"] == [row["seconds"] for row in rows]


def test_a_faiss_whose_lists_are_wrong_is_not_taken(monkeypatch):
    real = choice.neighbour_pass

    def wrong(runs, targets, k, compute):
        found = real(runs, targets, k, compute)
        return found._replace(indices=found.indices.flip(2)) if compute.backend == "faiss" else found

    monkeypatch.setattr(choice, "neighbour_pass", wrong)
    monkeypatch.setattr(choice, "usual_sizes", lambda _: [(60, 5)])
    result = Content("bench")
    add_choice(result, CPU, 0.001, 0)
    assert result.tables["searches"]["status"] == ["checked", "refused"]
    assert choose_backend("auto", CPU) == "torch"
    assert not measured.measured_file().exists()


def test_a_measurement_that_cannot_be_kept_is_told(cache, monkeypatch):
    cache.parent.write_text("a file stands in the way")
    monkeypatch.setattr(choice, "usual_sizes", lambda _: [(60, 5)])
    result = Content("bench")
    add_choice(result, CPU, 0.001, 0)
    assert "could not be kept" in result.notes[0]
