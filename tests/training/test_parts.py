import numpy as np
import pytest

from gpustab import load_groups
from gpustab.errors import InputError
from gpustab.runs.load import open_groups
from gpustab.studies.stability.study import stability
from gpustab.training import read_settings, train_epochs, train_halves, train_runs

PLAN = {"runs": 3, "engine": "gensim", "samplings": ["shuffled"], "options": {"min_count": 3}}


def test_halves_are_trained_apart_and_compared(corpus, tmp_path):
    plan = read_settings(PLAN | {"corpus": str(corpus), "sgns": {"dim": 8, "epochs": 2}})
    result = train_halves(plan, tmp_path)
    names = ["sgns/shuffled/half=a", "sgns/shuffled/half=b"]
    assert [group["name"] for group in result.groups] == names
    assert result.tables["groups"]["trained_now"] == [3, 3]
    groups = load_groups(tmp_path)
    assert [group.name for group in groups] == names
    seeds = [{space["training_seed"] for space in _metadata(tmp_path, name)} for name in names]
    assert len(seeds[0] | seeds[1]) == 6
    hashes = [{space["corpus"] for space in _metadata(tmp_path, name)} for name in names]
    assert len(hashes[0]) == len(hashes[1]) == 1
    assert hashes[0] != hashes[1]
    measured = stability(groups, neighbours=[5])
    (contrast,) = measured.contrasts
    assert contrast["name"] == "halves"
    assert train_halves(plan, tmp_path).tables["groups"]["trained_now"] == [0, 0]
    assert [group["name"] for group in train_runs(plan, tmp_path).groups] == ["sgns/shuffled"]


def _metadata(folder, name):
    from gpustab.formats.registry import read_space

    return [read_space(file).metadata for file in sorted((folder / name).glob("run-*.safetensors"))]


@pytest.fixture
def dated(tmp_path):
    """Forty documents of 1800 to 1839, as a table."""
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(12)]
    lines = [f"{1800 + k}-01-0{1 + k % 9}\t{' '.join(rng.choice(words, 40))}" for k in range(40)]
    path = tmp_path / "dated.tsv"
    path.write_text("date\ttext\n" + "\n".join(lines) + "\n")
    return path


def plan_of_epochs(path, epochs_by, **more):
    return read_settings(
        {
            "corpus": str(path),
            "samplings": ["shuffled"],
            "runs": 2,
            "epochs_by": epochs_by,
            "options": {"min_count": 1, "date_column": "date", "tokenizer": "whitespace"},
            "sgns": {"dim": 4, "epochs": 1},
            **more,
        }
    )


def test_every_epoch_and_every_control_is_a_group(dated, tmp_path):
    plan = plan_of_epochs(dated, "year:1800-1849:15")
    result = train_epochs(plan, tmp_path / "set", splits=1)
    names = ["1800-1814", "1815-1829", "1830-1844"]
    wanted = [f"sgns/shuffled/epoch={name}" for name in names]
    assert [group["name"] for group in result.groups] == wanted + [
        own.replace("/epoch", "/control=1/epoch") for own in wanted
    ]
    groups = open_groups(tmp_path / "set")
    assert {group.key.part for group in groups} == {(("epoch", name),) for name in names} | {
        (("control", "1"), ("epoch", name)) for name in names
    }
    first = [group.load().run(0) for group in groups]
    assert len({run.sum().item() for run in first}) == 6  # no two begin or end alike
    assert train_epochs(plan, tmp_path / "set", splits=1).tables["groups"]["trained_now"] == [0] * 6


def test_periods_are_not_trained_as_one_text(dated, tmp_path):
    """A plan with periods was trained on the whole corpus, without a word."""
    with pytest.raises(InputError, match="train_epochs trains all"):
        train_runs(plan_of_epochs(dated, "year:1800-1849:15"), tmp_path / "set")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("epochs_by", "said"),
    [
        ("year:1800", "wanted COLUMN"),
        ("year:1840-1800:10", "wanted COLUMN"),
        ("year:1800-1840:0", "wanted COLUMN"),
        ("year:1800-1849:50", "documents in fewer than two such periods"),
        ("party:1800-1849:10", "have no party"),
    ],
)
def test_wrong_epochs_are_one_line(dated, tmp_path, epochs_by, said):
    with pytest.raises(InputError, match=said):
        train_epochs(plan_of_epochs(dated, epochs_by), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_an_epoch_that_is_not_there_is_named(dated, tmp_path):
    with pytest.raises(InputError, match="there are 1800-1819, 1820-1839"):
        train_runs(plan_of_epochs(dated, "year:1800-1839:20", epoch="1700"), tmp_path / "set")


def test_documents_of_one_author_are_drawn_together(tmp_path):
    rng = np.random.default_rng(1)
    words = [f"w{k}" for k in range(12)]
    lines = [f"{'abcdefghij'[k // 4]}\t{' '.join(rng.choice(words, 40))}" for k in range(40)]
    (tmp_path / "own.tsv").write_text("author\ttext\n" + "\n".join(lines) + "\n")
    plan = {"corpus": str(tmp_path / "own.tsv"), "runs": 3, "techniques": ["lsa"], "lsa": {"dim": 3}}
    plan |= {"samplings": ["shuffled", "bootstrap"]}
    for unit in ("document", "author", "blocks-4"):
        options = {"min_count": 1, "tokenizer": "whitespace", "unit": unit}
        train_runs(read_settings(plan | {"options": options}), tmp_path / "runs")
    groups = load_groups(tmp_path / "runs")
    assert {group.key.unit for group in groups} == {"document", "author", "blocks-4"}
    by = {str(group.key): group for group in groups}
    same = zip(by["lsa/bootstrap-author"].rows, by["lsa/bootstrap-blocks-4"].rows, strict=True)
    assert all(np.array_equal(a[:], b[:]) for a, b in same)  # the same groups, whatever they are called
    assert not np.array_equal(by["lsa/bootstrap-author"].rows[0][:], by["lsa/bootstrap"].rows[0][:])
    measured = stability(groups, neighbours=[2])
    assert [contrast["name"] for contrast in measured.contrasts] == ["extrinsic"] * 3
