import json
import math

from gpustab.report import Result
from gpustab.report.json_text import plain, to_json
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, runs_of


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def parsed(result):
    return json.loads(to_json(result), parse_constant=refuse)


def test_the_object_has_the_keys_of_the_schema(result):
    content = parsed(result)
    keys = [
        "schema",
        "alarms",
        "verdict",
        "groups",
        "contrasts",
        "tables",
        "long_tables",
        "notes",
        "settings",
        "environment",
    ]
    assert list(content) == keys
    assert content["schema"] == "gpustab.stability/1"
    (group,) = content["groups"]
    measured = {"vocabulary", "dimension", "scale", "pip", "neighbours", "words", "precision", "targets"}
    assert set(group) == {"name", "runs", *measured}
    assert set(group["vocabulary"]) == {"rule", "joint", "dropped", "undefined"}
    assert set(group["scale"]) == {"mean_cosine", "chance_reduced_pip"}
    assert set(group["pip"]["reduced"]) == {"mean", "sd", "se", "pairs"}
    assert set(group["neighbours"]) == {"1", "5"}
    assert set(group["neighbours"]["5"]) == {
        *("p", "p_sd", "p_se", "j", "j_sd", "j_se", "chance_p", "pairs", "ties", "common", "common_jaccard")
    }
    said = {"n", "by", "heading", "ranking", "rankings", "standing_out", "list", "pip_and_p"}
    assert set(group["words"]) == {"least_stable", "most_stable", *said}
    assert {"seed", "neighbours", "targets", "loading", "precision"} <= set(content["settings"])
    assert {"gpustab", "torch", "device", "seconds"} <= set(content["environment"])


def test_every_result_is_json_and_ends_in_one_object(each):
    assert parsed(each)["schema"] == each.schema


def test_numbers_survive_exactly(result):
    assert parsed(result)["groups"][0]["pip"]["reduced"]["mean"] == result.groups[0]["pip"]["reduced"]["mean"]


def test_undefined_numbers_are_null():
    (group,) = parsed(stability(runs_of(noisy_copies(2, 20, 4)), neighbours=[1]))["groups"]
    assert group["pip"]["reduced"]["sd"] is group["pip"]["reduced"]["se"] is group["neighbours"]["1"]["p_sd"] is None
    assert group["words"]["rankings"] == {name: {"all": None, "like_frequency": None} for name in ("pip", "p@1")}
    assert group["words"]["by"] is None


def test_numbers_that_are_not_finite_become_null_at_any_depth():
    assert plain({"a": [math.nan, (math.inf, {"b": -math.inf})], "c": 1.5, "d": True}) == {
        "a": [None, [None, {"b": None}]],
        "c": 1.5,
        "d": True,
    }


def test_words_of_any_script_stay_readable():
    assert "漢字" in to_json(Result("x", notes=["漢字"]))
