from dataclasses import replace

import numpy as np
import pytest
import torch

from gpustab import engine, load_runs
from gpustab.runs.key import Key
from gpustab.studies.compare.study import compare
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.shared.ties import TIED, decided_by_ties
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, runs_of

V, D = 120, 10


def one_vector_for(part):
    """Vectors of which the first part of the words have the same."""

    def same(x):
        return torch.where(torch.arange(len(x))[:, None] < part * len(x), x[:1], x)

    return same


TIED_SPACES = {
    "one dimension": lambda x: x[:, :1],
    "signs of two": lambda x: x[:, :2].sign(),
    "signs of five": lambda x: x[:, :5].sign(),
    "most words have one vector": one_vector_for(0.9),
    "two thirds have one vector": one_vector_for(0.67),
    "three values in two dimensions": lambda x: (x[:, :2] / x.abs().max()).round() + (torch.arange(2) == 0) / 4,
    "one-hot": lambda x: torch.eye(D, dtype=x.dtype)[x.abs().argmax(1)],
}
SOUND = {
    "as they are": lambda x: x,
    "eight bits": lambda x: (127 * x / x.abs().max()).round(),
    "four bits": lambda x: (7 * x / x.abs().max()).round() + 0.25,
    "a tenth have one vector": one_vector_for(0.1),
    "pairs of words": lambda x: x[torch.arange(len(x)) // 2 * 2],
    "tens of words": lambda x: x[torch.arange(len(x)) // 10 * 10],
}


def runs(edit, count=3):
    return runs_of(torch.stack([edit(x) for x in noisy_copies(count, V, D, noise=0.05)]))


def naive(one, n):
    """Places that are tied with the first word that found none, for every word of every run."""
    share = []
    for rows in one.rows:
        x = rows[:].double().numpy()
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        cosines = x @ x.T
        for k in range(len(x)):
            others = np.sort(np.delete(cosines[k], k))[::-1]
            tied = np.abs(others - others[n]) < 1e-9
            share.append(tied[:n].sum() / n if tied[n - 1] else 0)
    return np.mean(share)


@pytest.mark.parametrize("name", [*TIED_SPACES, *SOUND])
@pytest.mark.parametrize("n", [1, 10])
def test_the_share_that_ties_decide_is_counted(name, n):
    one = runs((TIED_SPACES | SOUND)[name])
    lists = engine.neighbour_pass(one, engine.draw_targets(one), n)
    assert decided_by_ties(lists, n) == pytest.approx(naive(one, n), abs=1e-12)


@pytest.mark.parametrize("name", TIED_SPACES)
def test_lists_that_ties_decide_get_an_alarm_and_no_verdict(name):
    result = stability(runs(TIED_SPACES[name]), neighbours=[10])
    (alarm,) = (alarm for alarm in result.alarms if "Ties decide" in alarm)
    assert alarm.endswith("Then give the vectors before they were rounded. The page gives no verdict.")
    assert result.verdict == []


@pytest.mark.parametrize("name", SOUND)
def test_lists_that_ties_hardly_decide_keep_their_verdict(name):
    result = stability(runs(SOUND[name]), neighbours=[10])
    assert not any("Ties" in alarm for alarm in result.alarms)
    assert len(result.verdict) == 1


def test_advice_on_ties_helps():
    stack = noisy_copies(3, V, D, noise=0.05)
    assert "Ties decide" in stability(runs_of(stack[:, :, :5].sign()), neighbours=[10]).alarms[0]
    assert stability(runs_of(stack[:, :, :5]), neighbours=[10]).alarms == []


def test_a_note_says_how_much_ties_decide():
    result = stability(runs(SOUND["tens of words"]), neighbours=[10])
    (note,) = (note for note in result.notes if "tie at the cut" in note)
    assert note.endswith("So ties decide 10 % of the places.")


def test_other_commands_tell_of_ties():
    flat = runs(TIED_SPACES["one dimension"])
    pair = [replace(flat, key=Key(name)) for name in ("sgns", "glove")]
    for result in (neighbours_of(flat, "w3", 5), compare(*pair)):
        assert any("Ties decide" in alarm for alarm in result.alarms)


def test_other_commands_note_what_ties_decide_of_lists_that_they_do_not_decide():
    some = runs(SOUND["tens of words"])
    said = "Ties decide 10 % of the places of neighbour lists, in all runs alike. So much of what they share at most"
    for result in (neighbours_of(some, "w3", 10), compare(*(replace(some, key=Key(name)) for name in ("a", "b")))):
        assert any(said in note for note in result.notes)
    sound = runs(SOUND["as they are"])
    for result in (neighbours_of(sound, "w3", 10), compare(*(replace(sound, key=Key(name)) for name in ("a", "b")))):
        assert not any("Ties decide" in note for note in result.notes)


def test_words_that_a_run_lacks_have_no_part():
    x = noisy_copies(2, 40, 1)
    words = [f"w{k}" for k in range(40)]
    one = load_runs([(words, x[0].numpy()), (words[:30], x[1, :30].numpy())], vocabulary="union", min_runs=1)
    lists = engine.neighbour_pass(one, torch.arange(40), 3)
    assert decided_by_ties(lists, 3) == 1 > TIED
