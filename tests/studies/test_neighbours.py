import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
import torch

from gpustab import InputError, load_runs
from gpustab.formats.memory import from_pair
from gpustab.report import Result
from gpustab.runs.group import Group
from gpustab.runs.join import join
from gpustab.runs.joining import Loading
from gpustab.runs.key import Key
from gpustab.studies.bootstrap.study import bootstrap
from gpustab.studies.neighbours import page
from gpustab.studies.neighbours.claims import SOME_HOLD, Judged, Neighbour, on_these_documents, verdict
from gpustab.studies.neighbours.study import SHARES, Share, neighbours_of
from gpustab.studies.stability.study import stability
from tests import generators, oracles
from tests.generators import noisy_copies, runs_of


def test_shares_count_the_runs_that_have_a_neighbour():
    stack = noisy_copies(5, 40, 6).numpy()
    result = neighbours_of(runs_of(torch.from_numpy(stack)), "w7", 4)
    lists = [oracles.top_k(x, 7, 4) for x in stack]
    shares = result.frame("shares").set_index("neighbour")
    assert set(shares.index) == {f"w{k}" for row in lists for k in row}
    for word, row in shares.iterrows():
        k = int(word[1:])
        cosines = [oracles.unit(x[7]) @ oracles.unit(x[k]) for x in stack]
        assert row.runs == sum(k in own for own in lists)
        assert row.share == row.runs / 5
        assert 0 <= row.low < row.share < row.high + 1e-12 <= 1 + 1e-12
        assert row.cosine == pytest.approx(np.mean(cosines))
        assert row.cosine_sd == pytest.approx(np.std(cosines, ddof=1))
    mean = np.mean([oracles.unit(x) @ oracles.unit(x[7:8])[0] for x in stack], axis=0)
    nearest = [f"w{k}" for k in np.argsort(-mean) if k != 7][:4]
    assert shares.index[:4].tolist() == nearest
    assert shares.place.tolist()[:4] == [1, 2, 3, 4]
    assert shares.place[4:].isna().all()
    assert shares.low[4:].is_monotonic_decreasing
    side = result.frame("lists")
    assert side["rank"].tolist() == [1, 2, 3, 4] * 5
    assert side["neighbour"].tolist() == [f"w{k}" for own in lists for k in own]
    assert result.groups[0]["lists"] == [[f"w{k}" for k in own] for own in lists]


def test_nine_of_ten_runs_have_the_wilson_interval_of_the_paper():
    stack = torch.eye(4, dtype=torch.float64).repeat(10, 1, 1)
    stack[:, 1] = torch.tensor([0.9, 0.1, 0, 0])
    stack[9, 2] = torch.tensor([0.99, 0, 0.01, 0])  # nearer than w1 in the last run only
    first, second = neighbours_of(runs_of(stack), "w0", 1).tables["shares"].records()
    assert (first["neighbour"], first["runs"], first["of"], first["share"]) == ("w1", 9, 10, 0.9)
    assert (round(first["low"], 2), round(first["high"], 2)) == (0.60, 0.98)
    assert (second["neighbour"], second["runs"]) == ("w2", 1)


def test_the_margin_is_that_over_the_next_word():
    stack = noisy_copies(6, 40, 6).numpy()
    result = neighbours_of(runs_of(torch.from_numpy(stack)), "w7", 4)
    for row in result.tables["shares"].records():
        k, margins = int(row["neighbour"][1:]), []
        for x in stack:
            cosines = oracles.unit(x) @ oracles.unit(x[7:8])[0]
            margins.append(cosines[k] - np.sort(np.delete(cosines, 7))[::-1][4])
        wanted = NormalDist().cdf(np.mean(margins) / np.std(margins, ddof=1))
        assert row["margin"] == pytest.approx(wanted)
        assert row["verdict"] == verdict(row["runs"], row["of"], wanted, result.groups[0]["p"])


def family(bootstrap_noise=0.3, seed=1):
    """Shuffled and bootstrap runs of one space over the same words."""
    groups = []
    for noise, kind, s in ((0.05, "shuffled", 0), (bootstrap_noise, "bootstrap", seed)):
        base = generators.anisotropic(40, 6)
        copies = base + noise * torch.randn(8, 40, 6, dtype=torch.float64, generator=generators.generator(s))
        groups.append(replace(runs_of(copies), key=Key.of_path(f"x/{kind}")))
    return groups


def test_bootstrap_runs_judge_what_the_whole_corpus_chose():
    shuffled, bootstrap = family()
    result = neighbours_of([bootstrap, shuffled], "w7", 4)
    own = neighbours_of(shuffled, "w7", 4)
    rows = {name: list(result.tables["shares"].records(group=f"x/{name}")) for name in ("shuffled", "bootstrap")}
    chosen = [row["neighbour"] for row in rows["bootstrap"] if row["place"]]
    assert chosen == [row["neighbour"] for row in rows["shuffled"] if row["place"]]
    assert rows["shuffled"] == list(own.tables["shares"].records())
    lists = [oracles.top_k(x, 7, 4) for x in bootstrap.stack().numpy()]
    for row in rows["bootstrap"]:
        assert row["runs"] == sum(int(row["neighbour"][1:]) in own for own in lists)
    assert [group["chosen_by"] for group in result.groups] == ["x/shuffled", "x/shuffled"]
    assert [group["name"] for group in result.groups] == ["x/bootstrap", "x/shuffled"]
    assert [sentence.partition(":")[0] for sentence in result.verdict] == ["x, bootstrap runs", "x, shuffled runs"]
    alone = neighbours_of(bootstrap, "w7", 4)
    assert alone.groups[0]["chosen_by"] == "x/bootstrap"
    assert any("both chose and judge" in note for note in alone.notes)


def test_a_word_that_one_group_lacks_is_said_there_and_answered_elsewhere():
    shuffled, bootstrap = family()
    other = replace(
        load_runs([([f"v{i}" for i in range(40)], x.numpy()) for x in bootstrap.stack()]), key=bootstrap.key
    )
    result = neighbours_of([shuffled, other], "w7", 4)
    assert [group["name"] for group in result.groups] == ["x/shuffled"]
    assert any("'w7' is not in the vocabulary of group 'x/bootstrap'" in note for note in result.notes)
    with pytest.raises(InputError, match="zebra"):
        neighbours_of([shuffled, other], "zebra", 4)


@pytest.mark.parametrize(
    ("hits", "runs", "margin", "wanted"),
    [
        (5, 5, 0.95, "firm"),
        (4, 5, 0.95, "open"),
        (5, 5, 0.79, "open"),
        (0, 5, 0.3, "passing"),
        (8, 10, 0.9, "open"),
        (9, 10, 0.9, "firm"),
        (15, 20, 0.9, "open"),
        (16, 20, 0.9, "firm"),
        (2, 10, 0.1, "passing"),
        (2, 10, 0.3, "open"),
        (1, 10, 0.3, "passing"),
        (4, 4, 1.0, "not judged"),
        (0, 4, 0.0, "not judged"),
    ],
)
def test_a_verdict_has_a_margin_and_an_error(hits, runs, margin, wanted):
    assert verdict(hits, runs, margin, 0.6) == wanted


@pytest.mark.parametrize(("runs", "wanted"), [(5, "not judged"), (9, "not judged"), (10, "firm")])
def test_noisy_lists_want_ten_runs(runs, wanted):
    """At p@10 of 0.2 every fourth *firm* of five runs was wrong."""
    assert verdict(runs, runs, 1.0, 0.2) == wanted
    said = SOME_HOLD.sentence(Judged("x", 10, [Neighbour("y", runs, runs, wanted)], runs, "bootstrap runs", 0.2))
    assert ("two of them share only 20 % of a list." in said) is (runs < 10)


def test_a_word_that_half_of_the_runs_lack_is_not_there_in_nine_of_ten():
    """w1 is nearest to w0 wherever it is, in runs 0 to 4."""
    stack = noisy_copies(10, 30, 6, noise=0.05)
    stack[:, 1] = stack[:, 0] + 1e-3 * stack[:, 2]
    spaces = [
        ([f"w{k}" for k in range(30) if k != 1 or run < 5], np.delete(x, 1, 0) if run >= 5 else x)
        for run, x in enumerate(stack.numpy())
    ]
    result = neighbours_of(load_runs(spaces, vocabulary="union"), "w0", 5)
    (row,) = result.tables["shares"].records(neighbour="w1")
    assert (row["runs"], row["of"], row["share"], row["verdict"]) == (5, 10, 0.5, "open")


@pytest.mark.parametrize(
    ("verdicts", "wanted"),
    [
        (["firm", "passing"], "yes"),
        (["passing"] * 10, "no"),
        (["passing"] * 9 + ["open"], "undecided"),
        (["open"] * 10, "undecided"),
        ([], "undecided"),  # these runs lack all ten
    ],
)
def test_no_neighbour_holds_only_where_all_are_passing(verdicts, wanted):
    """A neighbour that is in four of five lists is firm for few runs; that none is firm was *no*, none holds."""
    hits = {"firm": 10, "open": 6, "passing": 0}
    rows = [Neighbour("y", hits[verdict], 10, verdict) for verdict in verdicts]
    assert SOME_HOLD.judge(Judged("x", 10, rows, 10, "runs", 0.6)) == wanted


def test_the_sentence_on_a_word():
    rows = [Neighbour(name, 10, 10, "firm") for name in "abc"]
    rows += [Neighbour("d", 9, 10, "firm"), Neighbour("e", 1, 10, "passing")]
    rows += [Neighbour(name, 5, 10, "open") for name in "fghij"]
    said = SOME_HOLD.sentence(Judged("freedom", 10, rows, 10, "bootstrap runs", 0.6))
    assert said == (
        "Of the ten nearest words of “freedom”, trust four: “a”, “b”, “c” and “d” (each in at least nine of ten "
        "bootstrap runs; 95 % interval of the share 60–98 %). Of the other six, one is passing and five are open."
    )
    others = {5: "The other is passing.", 4: ""}
    for n, end in others.items():
        said = SOME_HOLD.sentence(Judged("x", n, rows[:n], 10, "bootstrap runs", 0.6))
        assert said.endswith(f"60–98 %). {end}".rstrip())
    said = SOME_HOLD.sentence(Judged("x", 7, [*rows[:4], *rows[5:8]], 10, "bootstrap runs", 0.6))
    assert said.endswith("The other three are open.")
    none = SOME_HOLD.sentence(Judged("x", 10, rows[5:], 10, "runs", 0.6))
    assert none == (
        "Of the ten nearest words of “x”, trust none yet: none is firm in these ten runs. Five are open and five are "
        "not judged."
    )
    assert "Four runs are too few" in SOME_HOLD.sentence(Judged("x", 10, rows, 4, "runs", 0.6))


def test_a_word_that_most_runs_list_is_named_as_one_that_nobody_may_name():
    def row(word, runs, verdict, place=None):
        return Share("g", word, place, runs, 10, runs / 10, 0.0, 1.0, 0.5, 0.5, 0.1, verdict)

    def claim(*others):
        result = Result("neighbours", {"word": "x", "n": 1}, groups=[{"name": "g"}])
        result.tables = {SHARES.name: SHARES.table([row("y", 10, "firm", 1), *others])}
        return page.may_claim(result)

    assert "name none, not even “sharon” (7 of 10 runs): these runs cannot" in claim(
        row("z", 6, "open"), row("sharon", 7, "open")
    )
    assert "Of the others, name none." in claim(row("z", 4, "open"), row("w", 1, "passing"))


def test_runs_of_the_same_documents_are_told_beside_those_of_drawn_ones():
    def judged(names, runs=10):
        return Judged("x", 10, [Neighbour(name, runs, runs, "firm") for name in names], runs, "shuffled runs", 0.8)

    back = "If you train again on the same documents, four of the ten are firm, in all runs"
    none = judged("")
    assert on_these_documents(judged("adgz"), judged("abcd")) == (
        f"{back}: “a”, “d”, “g” and “z”. Of these four, two are firm and two are passing in shuffled runs."
    )
    assert on_these_documents(judged("adgz"), none).endswith("Of these four, four are passing in shuffled runs.")
    assert on_these_documents(judged("adgz"), judged("zgda")) == f"{back}. Resampled documents give the same words."
    assert on_these_documents(judged("adgz"), judged("", 4)).endswith(
        "“a”, “d”, “g” and “z”. Nobody knows whether other documents give them."
    )
    assert "one of the ten is firm, in all runs: “a”. It is passing in" in on_these_documents(judged("a"), none)
    passing = Judged("x", 1, [Neighbour("a", 1, 10, "passing")], 10, "shuffled runs", 0.8)
    assert "trust none: all are passing in these ten shuffled runs" in on_these_documents(passing, judged("a"))


def test_a_neighbour_that_bootstrap_runs_leave_open_depends_on_no_document_yet():
    """Of eight that come back one was firm in bootstrap runs, one passing; the other six were said to depend."""
    whole = Judged("x", 10, [Neighbour(name, 6, 6, "firm") for name in "abcdefgh"], 6, "shuffled runs", 0.9)
    verdicts = dict.fromkeys("abcdef", "open") | {"g": "firm"}
    rows = [Neighbour(name, 3, 6, verdict) for name, verdict in verdicts.items()]
    drawn = Judged("x", 10, rows, 6, "bootstrap runs", 0.5, [Neighbour("h", 0, 6, "passing")])
    said = on_these_documents(whole, drawn)
    assert said.endswith("Of these eight, one is firm and one is passing in bootstrap runs; six are open.")
    allopen = drawn._replace(listed=[Neighbour(name, 3, 6, "open") for name in "abcdefgh"], beyond=())
    assert on_these_documents(whole, allopen).endswith(
        "Bootstrap runs cannot tell yet whether other documents give them."
    )


def test_the_lead_says_whose_neighbours_are_judged_and_names_firm_ones_beyond():
    rows = [Neighbour("must", 6, 6, "firm"), Neighbour("world", 5, 6, "open")]
    beyond = [Neighbour("we", 6, 6, "firm"), Neighbour("us", 2, 6, "open")]
    judged = Judged("freedom", 2, rows, 6, "bootstrap runs", 0.5, beyond, "the shuffled runs of LSA")
    said = SOME_HOLD.sentence(judged)
    assert said.startswith("Of the two nearest words of “freedom” in the shuffled runs of LSA, trust one: “must”")
    assert said.endswith("Not among these two, “we” is firm too.")


def test_two_neighbours_in_seven_of_eight_runs_are_not_told_as_one():
    """One is firm, the other open for want of distance; the sentence names the one, and counts no runs of both."""
    rows = [Neighbour("electronic", 7, 8, "firm"), Neighbour("distribute", 7, 8, "open")]
    said = SOME_HOLD.sentence(Judged("work", 10, rows, 8, "bootstrap runs", 0.5))
    assert "trust one: “electronic” (in seven of eight bootstrap runs; " in said
    assert "distribute" not in said


def kinds_of_runs(bootstrap_words):
    """Eight shuffled runs and eight bootstrap runs, the last of which has these of the 40 words."""
    shuffled, bootstrap = (group.stack().numpy() for group in family(0.1))
    words = [f"w{k}" for k in range(40)]
    spaces = [from_pair(words, x, f"run-{r}") for r, x in enumerate(bootstrap[:7])]
    spaces.append(from_pair([words[k] for k in bootstrap_words], bootstrap[7][bootstrap_words], "run-7"))
    whole = [from_pair(words, x, f"run-{r}") for r, x in enumerate(shuffled)]
    return [Group(Key.of_path(f"x/{kind}"), tuple(runs)) for kind, runs in (("shuffled", whole), ("bootstrap", spaces))]


def test_a_word_that_one_bootstrap_run_lacks_has_one_verdict_everywhere():
    """It was not in these runs, passing, missing and not judged on one page, and passing in study bootstrap."""
    near = neighbours_of(family(), "w7", 4).tables["shares"]["neighbour"][1]
    groups = kinds_of_runs([k for k in range(40) if f"w{k}" != near])
    result = neighbours_of(groups, "w7", 4)
    row = next(result.tables["shares"].records(group="x/bootstrap", neighbour=near))
    other = bootstrap(groups, query=("w7",), n=4).tables["neighbours"]
    judged = {row["word"]: row for row in other.records(group="x/bootstrap", chosen_by="x/shuffled")}
    assert (row["runs"], row["of"], row["verdict"]) == tuple(judged[near][name] for name in ("hits", "of", "verdict"))
    assert not any(near in note for note in result.notes)
    assert not result.groups[0]["lacking"]


def test_a_word_that_was_not_read_is_judged_by_nobody():
    near = neighbours_of(family(), "w7", 4).tables["shares"]["neighbour"][1]
    groups = kinds_of_runs([k for k in range(40) if f"w{k}" != near])
    joint = [replace(group, loading=Loading(vocabulary="joint")) for group in groups]
    result = neighbours_of(joint, "w7", 4)
    assert result.groups[0]["lacking"] == [near]
    assert result.verdict[0].endswith("The other is not judged.")
    assert any(f"not judged: {near}." in note for note in result.notes)
    cards = page.cards(result)
    assert sum(int(card.value) for card in cards[:-1]) == 4
    assert any(card.about.startswith("Not judged") and near in card.exact for card in cards)


def test_what_comes_back_in_some_runs_only_is_not_said_to_come_back():
    rows = [Neighbour("a", 8, 8, "firm"), Neighbour("b", 7, 8, "firm")]
    judged = Judged("x", 2, rows, 8, "shuffled runs", 0.8)
    assert "two of the two are firm, in most runs: “a” and “b”." in on_these_documents(judged, judged._replace(runs=4))
    every = judged._replace(n=1, listed=rows[:1])
    assert "one of the one is firm, in all runs: “a”." in on_these_documents(every, judged._replace(runs=4))


def test_a_card_says_how_many_words_it_leaves_out():
    (card,) = [one for one in page.verdict_cards([(name, "open") for name in "abcdef"], 6, "") if one.value == "6"]
    assert card.exact == "a, b, c, d and 2 more"


@pytest.mark.parametrize("kind", ["x/bootstrap-sentence", "x/shuffled", "files"])
def test_what_the_paper_found_of_bootstrap_runs_stands_beside_such_runs_alone(kind):
    result = neighbours_of(replace(runs_of(noisy_copies(5, 40, 6)), key=Key.of_path(kind)), "w7", 4)
    assert ("seven bootstrap runs" in page.page(result)[0].aside) is ("bootstrap" in kind)


def test_bootstrap_runs_answer_first_whatever_the_order_they_came_in():
    shuffled, bootstrap = family()
    for groups in ([shuffled, bootstrap], [bootstrap, shuffled]):
        result = neighbours_of(groups, "w7", 4)
        assert [group["name"] for group in result.groups] == ["x/bootstrap", "x/shuffled"]
        assert result.verdict[0].startswith("x, bootstrap runs:")


def test_overlap_is_that_of_the_stability_study():
    runs = runs_of(noisy_copies(4, 40, 6))
    group = neighbours_of(runs, b"w3", 5).groups[0]
    wanted = stability(runs, neighbours=[5])
    (row,) = wanted.tables["words"].records(word="w3")
    assert group["p"] == pytest.approx(row["p@5"])
    assert group["chance_p"] == pytest.approx(wanted.groups[0]["neighbours"]["5"]["chance_p"])
    lists = [[oracles.top_k(x, 3, 5)] for x in runs.stack().numpy()]
    assert group["p_sd"] == pytest.approx(oracles.overlap(lists, 5)[0].std(ddof=1))


def test_a_missing_word_is_named():
    with pytest.raises(InputError, match="zebra"):
        neighbours_of(runs_of(noisy_copies(2, 20, 4)), "zebra")


def test_a_phrase_is_no_missing_word():
    with pytest.raises(InputError, match=r"'the war' is several words.*: ask for the or war$"):
        neighbours_of(runs_of(noisy_copies(2, 20, 4)), "the war")


def test_lists_longer_than_the_vocabulary_are_cut_and_said():
    result = neighbours_of(runs_of(noisy_copies(2, 5, 3)), "w0", 10)
    assert result.groups[0]["n"] == 4
    assert max(result.tables["lists"]["rank"]) == 4
    assert any("only 4 other words" in note for note in result.notes)


def some_lack_w2(runs):
    stack = noisy_copies(3, 20, 4)
    words, keep = [f"w{i}" for i in range(20)], [i for i in range(20) if i != 2]
    whole = [(words, run.numpy()) for run in stack[: 3 - runs]]
    return load_runs(
        whole + [([words[i] for i in keep], run[keep].numpy()) for run in stack[3 - runs :]],
        vocabulary="union",
        min_runs=1,
    )


def test_shares_are_of_the_runs_that_have_the_word():
    result = neighbours_of(some_lack_w2(1), "w2", 19)
    assert all(row["share"] == 1 for row in result.tables["shares"].records())
    assert all(not math.isnan(row["cosine"]) for row in result.tables["shares"].records())
    assert len(set(result.tables["lists"]["run"])) == 2
    assert result.groups[0]["lists"][2] == []
    assert any("1 of 3 runs does not have the word" in note for note in result.notes)


def test_a_word_of_one_run_has_no_nan_in_its_notes():
    assert not any("nan" in note for note in neighbours_of(some_lack_w2(2), "w2", 3).notes)


def test_a_run_may_have_any_name():
    runs = noisy_copies(2, 20, 4).numpy()
    words = [f"w{i}" for i in range(20)]
    named = join([from_pair(words, run, name) for run, name in zip(runs, ("rank", "other"), strict=True)])
    assert neighbours_of(named, "w2", 3).tables["lists"]["rank"] == [1, 2, 3] * 2


@pytest.mark.parametrize("n", [0, -1])
def test_impossible_lengths_are_refused(n):
    with pytest.raises(InputError, match="n is"):
        neighbours_of(runs_of(noisy_copies(2, 20, 4)), "w2", n)


@pytest.mark.parametrize(("typed", "read"), [("don’t", "don't"), ("Fire", "fire"), ("ﬁre", "fire"), ("DON’T", "don't")])
def test_a_word_is_looked_up_as_texts_are_read(typed, read):
    words = ["don't", "fire", *(f"w{k}" for k in range(18))]
    runs = load_runs([(words, x.numpy()) for x in noisy_copies(3, 20, 4)])
    result = neighbours_of(runs, typed, 3)
    assert result.groups[0]["word"] == read
    assert any(f"'{typed}' is looked up as '{read}'" in sentence for sentence in result.verdict)
    assert not any("looked up" in sentence for sentence in neighbours_of(runs, read, 3).verdict)


def test_a_word_that_is_there_as_typed_is_taken_so():
    runs = load_runs([(["Fire", "fire", *(f"w{k}" for k in range(18))], x.numpy()) for x in noisy_copies(3, 20, 4)])
    assert neighbours_of(runs, "Fire", 3).groups[0]["word"] == "Fire"


@pytest.mark.parametrize("words", [11, 12, 18])
def test_lists_that_are_most_of_the_words_judge_no_neighbour(words):
    """Ten of eleven others come back by chance in any runs, and were firm."""
    runs, more = (runs_of(noisy_copies(12, v, 6)) for v in (words, 60))
    few = neighbours_of(runs, "w0")
    assert "are most of the words there are, and none is judged. Measure more words." in few.verdict[0]
    assert {row["verdict"] for row in few.tables["shares"].records()} == {"not judged"}
    for said in (neighbours_of(more, "w0"), neighbours_of(runs, "w0", 2)):
        assert "most of the words" not in " ".join(said.verdict)
