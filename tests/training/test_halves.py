from gpustab import load_groups
from gpustab.studies.stability.study import stability
from gpustab.training import read_settings, train_runs
from gpustab.training.halves import train_halves

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
