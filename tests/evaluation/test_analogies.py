from pathlib import Path

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors, Word2Vec
from gensim.test.utils import datapath

from gpustab import InputError, Space, Vocabulary, load_runs
from gpustab.evaluation import AnalogySection, AnalogyTest, read_analogies, score_analogies
from gpustab.machine.device import Compute
from gpustab.runs.join import join

ROYAL = {"man": (1, 0, 0), "woman": (1, 1, 0), "king": (1, 0, 1), "queen": (1, 1, 1), "rock": (-1, 0, 0.1)}


def made(*sections):
    return AnalogyTest(
        "made",
        tuple(
            AnalogySection(f"s{n}", tuple(tuple(word.encode() for word in q.split()) for q in questions))
            for n, questions in enumerate(sections)
        ),
    )


def space(vectors):
    return list(vectors), np.array(list(vectors.values()), dtype=np.float32)


def score(vectors, *questions, **choices):
    return score_analogies(load_runs([space(vectors)] * 2), made(questions), **choices)


@pytest.mark.parametrize("method", ["3CosAdd", "3CosMul"])
def test_every_run_answers_by_itself(method):
    swapped = ROYAL | {"queen": ROYAL["rock"], "rock": ROYAL["queen"]}
    runs = load_runs([space(ROYAL), space(swapped), space(ROYAL)])
    got = score_analogies(runs, made(["man woman king queen", "man king woman queen"], ["king man queen woman"]))
    assert got.total.correct == (3, 1, 3)
    assert got.total.accuracy.values == (1.0, pytest.approx(1 / 3), 1.0)
    assert got.total.accuracy.sd == pytest.approx(np.std([1, 1 / 3, 1], ddof=1))
    assert [(s.name, s.questions, s.correct) for s in got.sections] == [("s0", 2, (2, 0, 2)), ("s1", 1, (1, 1, 1))]


def test_both_denominators_and_coverage():
    got = score(ROYAL, "man woman king queen", "man woman king prince", "x woman king queen", "man king woman rock")
    assert (got.total.questions, got.total.answered, got.total.correct) == (4, 2, (1, 1))
    assert got.total.accuracy.values == (0.5, 0.5)
    assert got.total.accuracy_all.values == (0.25, 0.25)
    assert got.total.coverage == 0.5
    assert got.missing == (b"prince", b"x")


def test_an_empty_section_has_no_score():
    runs = load_runs([space(ROYAL)] * 2)
    got = score_analogies(runs, made(["man woman king queen"], [], ["a b c d"]))
    empty, unknown = got.sections[1:]
    assert (empty.accuracy.values, empty.accuracy_all.values, empty.coverage) == ((None, None), (None, None), None)
    assert (unknown.accuracy.values, unknown.accuracy_all.values, unknown.coverage) == ((None, None), (0.0, 0.0), 0.0)
    assert got.total.accuracy.mean == 1


def test_nothing_can_be_answered():
    got = score(ROYAL, "a b c d")
    assert (got.total.answered, got.total.accuracy.mean, got.total.accuracy_all.mean) == (0, None, 0)


def test_a_question_whose_answer_is_an_input_is_wrong_and_counted():
    got = score(ROYAL, "man woman king king", "man woman king queen")
    assert (got.total.impossible, got.total.answered, got.total.correct) == (1, 2, (1, 1))


def test_case_variants():
    """queen stands twice; QUEEN is no better than queen; a variant of an input is never the answer."""
    vectors = ROYAL | {"King": (1, 1, 1.02), "QUEEN": (1, 1.01, 1)}
    assert score(vectors, "Man Woman King Queen").total.answered == 0
    got = score(vectors, "Man Woman King Queen", "man woman king King", ignore_case=True)
    assert (got.total.answered, got.total.correct, got.total.impossible) == (2, (1, 1), 1)
    assert score(vectors, "man woman king queen").total.correct == (0, 0)


def test_a_cut_keeps_words_out_of_questions_and_answers():
    words = list(ROYAL)
    x = torch.tensor(list(ROYAL.values()))
    counts = torch.tensor([10, 9, 8, 1, 5])  # queen is the rarest
    runs = join([Space(Vocabulary(words), x, counts, str(r)) for r in range(2)])
    test = made(["man woman king queen", "man woman king rock"])
    whole, cut = score_analogies(runs, test), score_analogies(runs, test, restrict=4)
    assert (whole.total.answered, whole.total.correct) == (2, (1, 1))
    assert (cut.total.answered, cut.total.correct, cut.missing) == (1, (1, 1), (b"queen",))
    assert "4 most frequent" in cut.notes[0]


def test_runs_that_lack_a_word_answer_among_their_own():
    """Under the union rule only words of all runs are asked for; a run without 'rival' is not misled by it."""
    rival = {"rival": (1, 1, 1.001), **ROYAL, "queen": (1, 0.9, 1.1)}
    plain = {word: vector for word, vector in rival.items() if word != "rival"}
    runs = load_runs([space(rival), space(rival), space(plain)], vocabulary="union")
    got = score_analogies(runs, made(["man woman king queen", "man woman king rival"]))
    assert (got.total.answered, got.total.correct, got.missing) == (1, (0, 0, 1), (b"rival",))


def test_centring_is_applied():
    """A common direction so long that nothing else counts without centring."""
    far = {word: np.array(vector) + 1e3 for word, vector in ROYAL.items()}
    questions = made(["man woman king queen", "man king woman queen", "king man queen woman"])
    x = np.array(list(far.values()))
    y = x - x.mean(0)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    number = {word: n for n, word in enumerate(far)}
    right = 0
    for question in questions.sections[0].questions:
        a, b, c, d = (number[word.decode()] for word in question)
        own = y @ (y[b] + y[c] - y[a])
        own[[a, b, c]] = -np.inf
        right += int(own.argmax()) == d
    got = score_analogies(load_runs([space(far)] * 2, centre=True), questions)
    assert got.total.correct == (right, right)


def test_small_memory_and_progress():
    seen = []
    runs = load_runs([space(ROYAL)] * 3)
    compute = Compute(memory=1)
    got = score_analogies(runs, made(["man woman king queen"]), compute=compute, progress=seen.append)
    assert (got.total.correct, seen) == ((1, 1, 1), [1, 2, 3])


def test_wrong_choices():
    with pytest.raises(InputError, match="method is 'cosmul'"):
        score(ROYAL, "man woman king queen", method="cosmul")
    with pytest.raises(InputError, match="epsilon is 0"):
        score(ROYAL, "man woman king queen", epsilon=0)
    with pytest.raises(InputError, match="restrict is -1"):
        score(ROYAL, "man woman king queen", restrict=-1)


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    """Every 40th line of the 19,544 questions, with the section lines: gensim asks one question at a time."""
    whole = Path(datapath("questions-words.txt")).read_bytes().splitlines(keepends=True)
    lines = [line for n, line in enumerate(whole) if line.startswith(b":") or n % 40 == 0]
    path = tmp_path_factory.mktemp("questions") / "some.txt"
    path.write_bytes(b"".join(lines))
    return path


@pytest.fixture(scope="module")
def vectors(questions):
    """Random vectors of the questions' words, some of them in two or three cases, with real offsets for others."""
    rng = np.random.default_rng(0)
    test = read_analogies("questions-words")
    words = sorted({word.decode() for s in test.sections for q in s.questions for word in q})
    words += [w.lower() for w in words[::5] if w.lower() not in words] + [w.upper() for w in words[::7]]
    of = {word: rng.normal(size=20) + 0.2 for word in rng.permutation(words)}
    for section in test.sections:
        offset = rng.normal(size=20) * 2
        for a, b, _, _ in section.questions:
            of[b.decode()] = of[a.decode()] + offset
    model = KeyedVectors(20)
    model.add_vectors(list(of), np.array(list(of.values()), dtype=np.float32))
    return model


@pytest.mark.parametrize(
    ("ignore_case", "dummy", "cut"), [(True, False, 300_000), (False, False, 700), (True, True, 500)]
)
def test_equals_gensim(questions, vectors, ignore_case, dummy, cut):
    accuracy, sections = vectors.evaluate_word_analogies(
        str(questions), case_insensitive=ignore_case, dummy4unknown=dummy, restrict_vocab=cut
    )
    got = score_analogies(
        load_runs([vectors, vectors]), read_analogies(questions), ignore_case=ignore_case, restrict=cut
    )
    mine = got.total.accuracy_all if dummy else got.total.accuracy
    assert mine.values == (accuracy, accuracy)
    assert 0.02 < accuracy < 0.98
    for own, theirs in zip(got.sections, sections[:-1], strict=True):
        assert own.name == theirs["section"]
        assert own.correct[0] == len(theirs["correct"])
        asked = own.questions if dummy else own.answered
        assert asked == len(theirs["correct"]) + len(theirs["incorrect"])


def test_equals_gensim_on_a_trained_model():
    texts = [line.split() for line in Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()]
    model = Word2Vec(texts, vector_size=20, min_count=5, epochs=2, workers=1, seed=1).wv
    accuracy, sections = model.evaluate_word_analogies(datapath("questions-words.txt"))
    got = score_analogies(load_runs([model, model]), read_analogies("questions-words"), ignore_case=True)
    assert got.total.accuracy.values == (accuracy, accuracy)
    assert got.total.answered == len(sections[-1]["correct"]) + len(sections[-1]["incorrect"]) > 50


def test_3cosmul_equals_gensim(questions, vectors):
    test = read_analogies(questions)
    asked = [q for s in test.sections for q in s.questions]
    right = 0
    for question in asked:
        a, b, c, d = (word.decode() for word in question)
        right += vectors.most_similar_cosmul(positive=[b, c], negative=[a], topn=1)[0][0] == d
    got = score_analogies(load_runs([vectors, vectors]), test, method="3CosMul", epsilon=1e-6)
    assert got.total.correct == (right, right)
    assert right > 10
