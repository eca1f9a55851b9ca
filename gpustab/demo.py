"""The demonstration: runs of skip-gram on the Lee corpus, a small real one that gensim brings along."""

from __future__ import annotations

import random
from collections.abc import Callable

from gpustab.errors import InputError
from gpustab.formats.memory import from_keyed_vectors
from gpustab.join import join
from gpustab.runs import Runs

RUNS = 8
EPOCHS = 30
"""At 5 epochs the space is collapsed (mean cosine 0.98) and would look stable; at 30 the mean cosine is about 0.25."""


def train_demo_runs(progress: Callable[[str, float], None]) -> Runs:
    """Train 8 skip-gram runs (100 dimensions, one thread each) over shuffled documents, seeds 0 to 7.

    Args:
        progress: called with the name of the work and its finished part.

    Raises:
        InputError: if gensim is not installed.
    """
    try:
        from gensim.models import Word2Vec
        from gensim.test.utils import datapath
        from gensim.utils import simple_preprocess
    except ImportError:
        raise InputError("the demonstration trains with gensim: pip install 'gpustab[train]'") from None
    with open(datapath("lee_background.cor"), encoding="utf-8") as corpus:  # noqa: PTH123  # gensim gives a string
        documents = [simple_preprocess(line) for line in corpus]
    spaces = []
    for seed in range(RUNS):
        progress(f"training run {seed + 1} of {RUNS}", seed / RUNS)
        order = random.Random(seed).sample(documents, len(documents))  # noqa: S311  # no secret
        model = Word2Vec(order, sg=1, vector_size=100, epochs=EPOCHS, min_count=5, seed=seed + 1, workers=1)
        spaces.append(from_keyed_vectors(model.wv, f"seed-{seed}"))
    return join(spaces, group="sgns/shuffled")
