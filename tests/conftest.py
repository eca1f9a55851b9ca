import gc
import os
import random
from collections import defaultdict

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"  # one process a core, not one pool of threads a core

import pytest
from hypothesis import HealthCheck, settings

# No test depends on the clock of a busy machine, or on the terminal that the suite happens to run in.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("any machine")
os.environ.pop("COLUMNS", None)
os.environ["GPUSTAB_CACHE"] = os.devnull  # no folder: what was measured or found here is not asked, and nothing is kept

os.fsync = os.fstat  # what a test writes need not outlive the power: each file would wait for the disk twice, 8 ms each

gc.disable()  # until all tests are collected: nothing goes away before, and to look for it takes 3 s of 20


def pytest_addoption(parser):
    parser.addoption("--shuffle", metavar="SEED", help="run files, and the tests of each, in an order that SEED draws")


def pytest_configure(config):
    if config.getoption("markexpr") == "not slow":  # half as many draws as of all tests: other ones each time
        settings.register_profile("fast", settings.get_profile("any machine"), max_examples=50)
        settings.load_profile("fast")
    if not config.getoption("numprocesses", None):  # who only deals tests out to others needs none
        import torch  # noqa: F401  # before faiss, whichever test comes first


def pytest_collection_finish():
    gc.enable()
    gc.freeze()  # else every full collection walks through nine thousand tests: a third of the time of many


def pytest_sessionfinish():
    gc.unfreeze()


def pytest_collection_modifyitems(config, items):
    seed = config.getoption("--shuffle")
    if seed is not None:
        draw = random.Random(seed).random
        places = defaultdict(draw)  # a file's tests stay together: they share what is costly to make
        items.sort(key=lambda item: (places[item.path], draw()))
    import torch

    if torch.cuda.is_available():
        return
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="no CUDA device here"))
