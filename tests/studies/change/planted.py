"""Run sets of epochs whose changes are known: a base space, moved words, noise of sampled documents and of training."""

from dataclasses import replace

import numpy as np
import torch

from gpustab.runs.key import Key
from gpustab.runs.load import open_groups
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from tests.generators import rotation


def rows(*key):
    return np.random.default_rng([17, *key])


def epoch_space(base, run, *, documents, training, key, drawn=False):
    """One run: the epoch's documents move words once; a bootstrap run (``drawn``) moves them anew, as far again."""
    v, d = base.shape
    rare = 1 + np.arange(v)[:, None] / v  # noise of documents grows towards rare words
    own = base + documents * rare * rows(*key, 1).normal(size=(v, d))
    if drawn:
        own = own + documents * rare * rows(*key, 2, run).normal(size=(v, d))
    return (own + training * rows(*key, 3, run, drawn).normal(size=(v, d))) @ np.asarray(
        rotation(d, 100 * key[0] + run)
    )


def runset(
    epochs=3,
    runs=4,
    v=120,
    d=8,
    moved=(),
    step=1.5,
    documents=0.15,
    training=0.2,
    samplings=("shuffled",),
    seed=0,
    splits=0,
):
    """``{path: spaces}`` of epochs; the words ``moved`` take another place in every epoch, in no split at random."""
    words, found = Vocabulary(f"w{k}" for k in range(v)), {}
    base = rows(seed, 0).normal(size=(v, d))
    counts = torch.from_numpy((20_000 / (1 + np.arange(v))).astype(np.int64))
    for e, split in ((e, split) for e in range(epochs) for split in range(splits + 1)):
        own = base.copy()
        if not split:
            own[list(moved)] += step * rows(seed, 9, e).normal(size=(len(moved), d))
        for sampling in samplings:
            epoch = ("epoch", f"{1800 + 20 * e}-{1819 + 20 * e}")
            key = Key("sgns", sampling, part=(("control", str(split)), epoch) if split else (epoch,))
            found[key] = [
                Space(
                    words,
                    torch.from_numpy(
                        epoch_space(
                            own,
                            r,
                            documents=documents,
                            training=training,
                            key=(e, seed, 5 + split),
                            drawn=sampling == "bootstrap",
                        )
                    ),
                    counts,
                    f"run-{r:03d}",
                )
                for r in range(runs)
            ]
    return found


def groups(found):
    """The runs of a run set, in memory."""
    return [replace(open_groups(spaces, single_runs=True)[0].load(), key=key) for key, spaces in found.items()]
