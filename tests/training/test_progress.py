"""Progress is the truth: it knows the runs at work, and reckons with the mean of those that are done."""

import pytest

from gpustab.training.progress import Marks, Watch, watching
from gpustab.training.runner import train_runs
from gpustab.training.settings import read_settings

RUNS = [("sgns", "fixed", run) for run in range(4)]


class Time:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def told():
    return []


@pytest.fixture
def watch(tmp_path, told):
    return Watch(RUNS, tmp_path, lambda *report: told.append(report), Time())


def test_parts_of_runs_at_work_count(watch, told, tmp_path):
    watch.look()
    assert told[-1] == ("training 0 of 4 runs", pytest.approx(0, abs=1e-6))
    assert told[-1][1] > 0  # 0 would begin the clock anew
    Marks(tmp_path, "sgns", "fixed", (1,))(0, 0.5)
    watch.look()
    assert told[-1][1] == 0.0  # the first run begins: so does the clock
    watch.look()
    assert told[-1] == ("training 0 of 4 runs; at work: sgns fixed 1 50%", 0.125)
    watch.finished("sgns", "fixed", (1,))
    assert told[-1] == ("training 1 of 4 runs", 0.25)


def test_where_a_trainer_tells_no_epochs_the_mean_of_finished_runs_does(watch, told, tmp_path):
    Marks(tmp_path, "sgns", "fixed", (0,))(0, 0.0)
    watch.look()
    watch.look()
    assert told[-1] == ("training 0 of 4 runs; at work: sgns fixed 0 0%", 1e-9)
    watch.clock.now = 10
    watch.finished("sgns", "fixed", (0,))
    Marks(tmp_path, "sgns", "fixed", (3,))(0, 0.0)
    watch.look()
    watch.clock.now = 14
    watch.look()
    assert told[-1] == ("training 1 of 4 runs; at work: sgns fixed 3 40%", pytest.approx(0.35))
    watch.clock.now = 1000
    watch.look()
    assert told[-1][1] == pytest.approx((1 + 0.95) / 4)


def test_techniques_weigh_what_they_take(tmp_path, told):
    runs = [("sgns", "fixed", 0), ("sgns", "fixed", 1), ("lsa", "fixed", 0), ("lsa", "fixed", 1)]
    watch = Watch(runs, tmp_path, lambda *report: told.append(report), Time())
    for technique, begun, ended in (("sgns", 0, 9), ("lsa", 9, 10)):
        watch.clock.now = begun
        Marks(tmp_path, technique, "fixed", (0,))(0, 0.0)
        watch.look()
        watch.clock.now = ended
        watch.finished(technique, "fixed", (0,))
    assert told[-1] == ("training 2 of 4 runs", 0.5)  # 10 of 20 seconds
    watch.clock.now = 19
    watch.finished("sgns", "fixed", (1,))
    assert told[-1][1] > 0.7


def test_the_watch_ends_with_the_work(watch, told):
    with pytest.raises(KeyboardInterrupt), watching(watch):
        raise KeyboardInterrupt
    watch.look()
    assert len(told) == 1


@pytest.mark.parametrize("technique", ["sgns", "glove", "lsa"])
def test_a_training_counts_from_none_to_all(tmp_path, corpus, technique):
    told, announced = [], []
    plan = {"corpus": str(corpus), "techniques": [technique], "runs": 2, "samplings": ["fixed"]}
    plan |= {"options": {"min_count": 1}, "engine": "gensim", technique: {"dim": 4}}
    train_runs(
        read_settings(plan),
        tmp_path / "set",
        progress=lambda *report: told.append(report),
        announce=lambda settings: announced.append(len(told)),
    )
    assert told[0] == (f"reading {corpus}", 0.0)
    assert told[1] == ("training 0 of 2 runs", 0.0)
    assert told[-1] == ("training 2 of 2 runs", 1.0)
    assert announced == [1]


@pytest.mark.parametrize("name", ["sgns", "cbow", "glove"])
def test_gensim_and_glove_tell_their_epochs(corpus, name):
    from gpustab.corpus.corpus import CorpusOptions
    from gpustab.corpus.sampling import draw_units, sample
    from gpustab.corpus.tokenise import prepare_corpus
    from gpustab.trainers import technique

    prepared = prepare_corpus(corpus, CorpusOptions(min_count=1))
    samples = [sample(prepared, draw_units("fixed", len(prepared), 0, 0))] * 2
    found, told = technique(name), []
    parameters = found.parameters(dim=3, epochs=2)
    first = found.train(samples, parameters, [1, 2], tell=lambda *report: told.append(report))
    assert told == [(0, 0.0), (0, 0.5), (0, 1.0), (1, 0.0), (1, 0.5), (1, 1.0)]
    quiet = found.train(samples, parameters, [1, 2])
    assert all((a == b).all() for a, b in zip(first, quiet, strict=True))
