"""How models are trained from the command's options: defaults by kind, kept models, and what has no effect."""

import shutil
from dataclasses import asdict

import pytest
import torch

from gpustab.errors import InputError
from gpustab.studies.localization.choose import TRAINED, choose_all
from gpustab.studies.localization.options import TrainingOptions
from tests.sentences.test_models import CORPUS

CPU = torch.device("cpu")


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(" ".join(text) for text in CORPUS).encode())
    return path


def test_what_is_not_chosen_is_usual_for_the_kind():
    chosen = TrainingOptions(dim=12, rate=0.01)
    assert {kind: own.options(chosen).dim for kind, own in TRAINED.items()} == dict.fromkeys(TRAINED, 12)
    assert [TRAINED[kind].options(chosen).epochs for kind in TRAINED] == [20, 20, 5, 0]
    assert TRAINED["pv-dm"].options(chosen).memory
    assert not TRAINED["pv-dbow"].options(chosen).memory
    assert TRAINED["untrained-urae"].options(TrainingOptions(epochs=9)).epochs == 0
    assert asdict(TRAINED["urae"].options(TrainingOptions())) == asdict(TRAINED["urae"].usual)


@pytest.mark.parametrize("kind", ["pv-dm", "pv-dbow", "urae"])
def test_a_kept_model_is_taken_again_and_another_training_is_another_model(kind, corpus, tmp_path, monkeypatch):
    folder = tmp_path / "kept" / "models"
    chosen = {"train_on": corpus, "runs": 2, "dim": 8, "epochs": 2, "inference": 20, "models": folder, "min_count": 1}
    (source,) = choose_all([kind], TrainingOptions(**chosen), CPU, None)
    first, second = (source.make(run).vectors(CORPUS[:5]) for run in (1, 2))
    assert not torch.equal(first, second)
    assert len(list(folder.iterdir())) == 2
    with monkeypatch.context() as patched:
        patched.setattr("gpustab.studies.localization.choose.Kind.train", None)
        assert torch.equal(first, source.make(1).vectors(CORPUS[:5]))
    (saved,) = choose_all([f"{kind}={next(folder.glob(f'{kind}-1-*'))}"], TrainingOptions(), CPU, None)
    assert torch.equal(first, saved.make(1).vectors(CORPUS[:5]))
    for name, other in (("dim", 9), ("epochs", 3), ("rate", 0.01), ("min_count", 3)):
        (again,) = choose_all([kind], TrainingOptions(**chosen | {name: other}), CPU, None)
        assert again.key != source.key
    (same,) = choose_all(
        [f"{kind}={corpus}"], TrainingOptions(**chosen | {"train_on": None, "models": None}), CPU, None
    )
    assert same.key == source.key
    assert torch.equal(first, same.make(1).vectors(CORPUS[:5]))


def test_a_damaged_model_is_no_silent_second_training(corpus, tmp_path):
    (source,) = choose_all(["urae"], TrainingOptions(corpus, dim=4, epochs=1, models=tmp_path / "m"), CPU, None)
    source.make(1)
    next((tmp_path / "m").iterdir()).write_bytes(b"cut")
    with pytest.raises(InputError, match="could not be read as auto-encoder"):
        source.make(1)


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        (["urae"], {}, "urae is trained: name its corpus with train_on"),
        (["bow"], {"runs": 3}, "runs=3 has no effect here: no model is trained"),
        (["bow"], {"dim": 3}, "dim=3 has no effect"),
        (["bow"], {"train_on": "p.txt"}, "train_on='p.txt' has no effect here: no model is trained"),
        (["urae"], {"train_on": "p.txt"}, "train_on: p.txt: there is no such file"),
        (["pv-dbow", "urae"], {"parses": "p.txt"}, "parses: p.txt: there is no such file"),
        (["bow", "pv-dbow"], {"parses": "p.txt"}, "no model reads trees"),
        (["bow=x"], {}, "bow takes no file"),
        (["pv-dn"], {}, "near it is pv-dm"),
        (["urae="], {}, "there is no file ''"),
        (["mean"], {}, "there is no file ''"),
        (["urae=none.pt"], {}, "there is no file 'none.pt'"),
    ],
)
def test_what_cannot_be_chosen_is_said(models, options, message, corpus):
    with pytest.raises(InputError, match=message):
        choose_all(
            models, TrainingOptions(**({"train_on": corpus} if "pv-dbow" in models else {}) | options), CPU, None
        )


@pytest.mark.parametrize("options", [{"runs": 0}, {"dim": 0}, {"rate": 0.0}, {"rate": 2.0}, {"min_count": 0}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError, match=f"{next(iter(options))} is"):
        TrainingOptions(**options)


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("transformers")
    from tests.encoders.tiny import save

    return save(tmp_path / "a" / "net")


def _without(name):
    return lambda folder: [path.unlink() for path in folder.rglob(name)]


def _cut(folder):
    (path,) = folder.rglob("*.safetensors")
    path.write_bytes(path.read_bytes()[:1000])


def _not_json(folder):
    (folder / "config.json").write_text("{")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_without("*.json"), "holds no encoder: there is no config.json"),
        (_without("*.safetensors"), "there are no weights"),
        (_without("tokenizer*"), "tokenizer"),
        (_cut, "not a complete safetensors file"),
        (_not_json, "holds no encoder"),
    ],
)
def test_all_models_are_looked_at_before_any_is_read(damage, message, folder, monkeypatch):
    """An empty folder was refused when the models before it had been read."""
    other = shutil.copytree(folder, folder.parent / "damaged")
    damage(other)
    monkeypatch.setattr("gpustab.formats.checkpoints.encoder.SentenceEncoder.__init__", None)
    with pytest.raises(InputError, match=message):
        choose_all([str(folder), str(other)], TrainingOptions(), CPU, None)


@pytest.mark.parametrize(("kind", "message"), [("mean", "no file of vectors|not"), ("urae", "could not be read")])
def test_files_of_models_are_looked_at_first_too(kind, message, tmp_path):
    path = tmp_path / "x.pt"
    path.write_text("no model\n")
    with pytest.raises(InputError, match=message):
        choose_all(["bow", f"{kind}={path}"], TrainingOptions(), CPU, None)


def test_models_of_one_name_are_told_apart_and_one_model_is_taken_once(folder, monkeypatch):
    other = shutil.copytree(folder, folder.parents[1] / "b" / "net")
    monkeypatch.chdir(folder.parent)
    texts = ["net", "bow", "./net", f"encoder={folder}", str(other), "bow"]
    found = choose_all(texts, TrainingOptions(), CPU, None)
    assert [source.name for source in found] == ["net (a/net)", "bag of words", "net (b/net)"]


def test_a_file_in_the_place_of_a_folder_is_told_so(corpus):
    with pytest.raises(InputError, match=f"a file: for vectors of words say mean={corpus}"):
        choose_all([str(corpus)], TrainingOptions(), CPU, None)
