"""What studies say of runs of encoders is what their user can do: no run of them is made by ``gpustab train``."""

import html
import re

import pytest
from typer.testing import CliRunner

from gpustab.cli import app
from gpustab.report.origin import COUNTED, fitting, more_runs
from gpustab.trainers import NAMES, technique
from tests.encoders.tiny import save, texts

TAG = re.compile(r"<(?:script|style|svg).*?</(?:script|style|svg)>|<[^>]*>", re.S)
TRAINED = re.compile(r"[^.>]*\b(?:[Tt]rain|[Rr]etrain|[Tt]raining|[Rr]etraining|trained on)\b[^.<]*")
ALLOWED = ("in the training", "trained on Wikipedia")
"""What is said of others than these runs, or may be done beside them."""
STUDIES = {
    "stability": [],
    "average": [],
    "study bootstrap": [],
    "study instability": [],
    "study words": [],
    "study thresholds": [],
    "study change": [],
}


@pytest.fixture(scope="module", params=[2, 3])
def runset(request, tmp_path_factory):
    """So many fine-tunings, each with so many bootstrap runs."""
    folder = tmp_path_factory.mktemp(f"advice{request.param}")
    (folder / "text.txt").write_text("\n".join(texts(40)) + "\n")
    models = [part for k in range(request.param) for part in ("-m", str(save(folder / f"seed{k}", seed=k)))]
    call = ["encode", str(folder / "text.txt"), *models, "-o", str(folder / "rs"), "--runs", str(request.param)]
    made = CliRunner().invoke(app, [*call, "--as-is", "--layout", "lines", "--min-count", "2", "-q"])
    assert made.exit_code == 0, made.output
    return folder / "rs"


@pytest.mark.parametrize("study", STUDIES)
def test_no_page_on_encoders_asks_for_a_training(study, runset, tmp_path):
    done = CliRunner().invoke(app, [*study.split(), str(runset), "--out", str(tmp_path / "page"), "-q"])
    said = done.output
    if done.exit_code == 0:
        said += TAG.sub(" ", (tmp_path / "page" / "report.html").read_text(encoding="utf-8"))
    found = [" ".join(html.unescape(one).split()) for one in TRAINED.findall(said)]
    assert not [one for one in found if not any(part in one for part in ALLOWED)]


def test_advice_on_encoders_alone_is_another_and_says_how_more_runs_are_made():
    encoders, mixed = [{"techniques": ["encoder"]}], [{"techniques": ["encoder", "lsa"]}]
    for said, fitted in {
        "Train at least three runs, better eight.": "Make at least three runs, better eight.",
        "two of them share little: train at least ten of them": "two of them share little: make at least ten of them",
        "Train longer, or with fewer dimensions.": "Fine-tune longer, or take another layer.",
        "Retraining moves the threshold.": "Fine-tuning again moves the threshold.",
        "did their training fail?": "did their fine-tuning fail?",
        "Of the ten nearest words of retraining, trust two.": "Of the ten nearest words of retraining, trust two.",
        "the neighbours of train and rail": "the neighbours of train and rail",
    }.items():
        assert fitting(said, encoders) == fitted
        assert fitting(said, [{"techniques": ["sgns"]}]) == said
    assert "gpustab encode --model" in more_runs(["Make more runs."], encoders)[0]
    assert not more_runs(["Make more runs."], [{"techniques": ["lsa"]}])
    # beside others more runs are made
    assert fitting("Train at least three runs of each.", mixed) == "Make at least three runs of each."
    assert more_runs(["Make more runs."], mixed) == more_runs(["Make more runs."], encoders)
    assert not more_runs(["All is well."], encoders)


def test_advice_to_train_longer_says_what_each_kind_of_runs_can_do():
    def said(*techniques, text="Train longer, or with fewer dimensions."):
        return fitting(text, [{"techniques": [name]} for name in techniques])

    assert said("lsa") == said("lsa", "ppmi_svd") == "Take more text, or fewer dimensions."
    assert said("lsa", text="Train longer, or on more text, and measure again.") == "Take more text, and measure again."
    assert said("lsa", text="Train longer.") == "Take more text."
    assert said("sgns", "glove") == said("runs") == said() == "Train longer, or with fewer dimensions."
    assert said("sgns", "lsa") == "Train longer (LSA: take more text), or with fewer dimensions."
    assert said("lsa", "encoder", text="Train longer.") == "Take more text (an encoder: fine-tune longer)."
    assert said("encoder", "glove", "ppmi_svd", "lsa", text="Train longer.") == (
        "Train longer (LSA and PPMI-SVD: take more text; an encoder: fine-tune longer)."
    )


def test_what_is_never_trained_longer_has_no_epochs():
    epochs = {name for name in NAMES if "epochs" in technique(name).parameters.model_fields}
    assert epochs == {*NAMES} - COUNTED
