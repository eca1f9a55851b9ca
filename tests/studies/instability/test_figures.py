import math
from xml.etree import ElementTree

import pytest

from gpustab.report import Result
from gpustab.report.describe import draw
from gpustab.studies.instability.figures import FIGURES

NAMES = ["sgns", "gl<ve"]


def rows(*columns, names=NAMES):
    """The same rows for every technique."""
    body = dict(columns)
    length = len(next(iter(body.values())))
    return {"technique": [n for n in names for _ in range(length)]} | {k: v * len(names) for k, v in body.items()}


@pytest.fixture
def tables():
    ramp = [k / 60 for k in range(60)]
    quantities = ["intrinsic"] * 3 + ["extrinsic squared"] * 3
    return {
        "figure_2_2": rows(("first", ["cat"] * 4), ("second", ["$d$"] * 4), ("cosine", [0.6, 0.7, 0.65, 0.68])),
        "whitened": rows(("z", [-1.0, 0.0, 1.0]), ("density", [0.2, 0.4, 0.2]), ("normals", [0.2, 0.4, 0.2])),
        "p_values": rows(
            ("hypothesis", ["normal"] * 2), ("p_from", [0.0, 0.5]), ("share", [0.5, 0.5]), ("normals", [0.5, 0.0])
        ),
        "predictions": rows(
            ("word", ["$x_1$", "cat", "dog"] * 3),
            ("n", [1] * 3 + [2] * 3 + [10] * 3),
            *((name, [0.1, 0.5, 0.9] * 3) for name in ("measured", "plain", "corrected")),
            ("structure", [0.9, 0.5, 0.1] * 3),
        ),
        "words": rows(
            ("word", [f"w{k}" for k in range(60)]),
            ("frequency", [10.0 * (60 - k) for k in range(60)]),
            ("intrinsic", ramp),
            ("intrinsic_square", [x * x for x in ramp]),
            ("extrinsic_square", [x * x - 0.01 for x in ramp]),  # some negative
        ),
        "batches": rows(
            ("quantity", quantities),
            ("frequency", [10.0, 100.0, 600.0] * 2),
            ("mean", [0.1, 0.2, -0.1] * 2),
            ("se", [0.01] * 6),
        ),
        "frequency": rows(("quantity", ["intrinsic"]), ("least_frequency", [0]), ("change_runs_se", [0.01])),
        "corpora": {"technique": NAMES, "trained_by": ["x", "x"], "corpus": NAMES},
        "figure_3_2": rows(
            ("panel", ["deviation"] * 4 + ["mean"] * 4),
            ("runs_beneath", [1, 1, 2, 2] * 2),
            ("cosine", [0.0, 1.0] * 4),
            ("density", [1.0, 0.5] * 4),
        ),
        "figure_3_5": rows(
            ("renormalised", [False] * 2 + [True] * 2),
            ("runs_beneath", [1, 2] * 2),
            *((f"ratio_{name}", [1.0, 0.7] * 2) for name in ("dot", "cosine", "cosine_matrices")),
            ("one_over_root_n", [1.0, math.sqrt(0.5)] * 2),
        ),
        "scores": rows(
            ("test", ["wordsim353"] * 2),
            ("runs_beneath", [1, 2]),
            ("spaces", [4, 2]),
            ("mean", [0.4, 0.5]),
            ("sd", [0.1, None]),
        ),
        "how_many": rows(
            ("quantity", ["p@10"] * 3),
            ("runs", [2, 3, 4]),
            ("jackknife", [math.nan, 0.02, 0.01]),
            ("subsampling", [0.03, 0.02, math.nan]),
        ),
    }


def drawn(tables):
    result = Result("instability", tables=tables)
    return {name: picture.svg for name, picture in draw(result).items() if picture.panels}


def test_every_figure_is_drawn_and_is_xml_with_its_labels_as_text(tables):
    figures = drawn(tables)
    assert list(figures) == list(FIGURES)
    for name, svg in figures.items():
        root = ElementTree.fromstring(svg)
        texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert {"sgns", "skip-gram"} & set(texts), name
        assert "gl<ve" in texts, name
        assert 'class="g0' in svg, name
    for name, n in (("figure_a_2", 1), ("figure_a_3", 2), ("predicted_10", 10)):
        assert f">measured p@{n}<" in figures[name]
        assert f">predicted p@{n}<" in figures[name]
    assert "runs averaged, n" in figures["figure_3_5"]


def test_words_are_shown_as_they_are(tables):
    assert ">$x_1$<" in drawn({"predictions": tables["predictions"]})["figure_2_7"]


def test_a_pair_of_equal_cosines_has_no_normal_beside_it(tables):
    assert "normal" in drawn({"figure_2_2": tables["figure_2_2"]})["figure_2_2"]
    for noise in (0, 1e-16):  # rounding errors are no spread
        equal = {**tables["figure_2_2"], "cosine": [0.5, 0.5 + noise] * 4}
        svg = drawn({"figure_2_2": equal})["figure_2_2"]
        assert ">cosine of cat and $d$<" in svg
        assert "normal" not in svg


def test_the_same_tables_give_the_same_bytes(tables):
    some = {"how_many": tables["how_many"], "whitened": tables["whitened"]}
    assert drawn(some) == drawn(some)


def test_a_table_that_is_missing_or_empty_leaves_its_figure_out(tables):
    del tables["how_many"]
    tables["scores"] = {name: [] for name in tables["scores"]}
    assert set(FIGURES) - set(drawn(tables)) == {"how_many", "figure_3_6"}
    assert drawn({}) == {}


def test_without_bootstrap_runs_the_intrinsic_half_is_drawn(tables):
    tables["words"]["extrinsic_square"] = [math.nan] * 120
    tables["batches"] = {
        name: [v for v, q in zip(values, tables["batches"]["quantity"], strict=True) if q == "intrinsic"]
        for name, values in tables["batches"].items()
    }
    assert "intrinsic instability" in drawn(tables)["figure_2_8"]


def test_one_technique_is_enough(tables):
    one = {name: {c: v[: len(v) // 2] for c, v in table.items()} for name, table in tables.items()}
    for name, svg in drawn(one).items():
        assert ">gl&lt;ve<" not in svg, name


def test_titles_say_what_was_found(tables):
    titles = {name: picture.title for name, picture in draw(Result("instability", tables=tables)).items()}
    assert all(titles.values())
    assert (
        titles["figure_2_2"]
        == "The cosine of cat and $d$ over the runs, mean and SD: skip-gram 0.657 (SD 0.043), gl<ve 0.657 (SD 0.043)"
    )
    assert titles["figure_3_6"].endswith("skip-gram +10.0 (wordsim353), gl<ve +10.0 (wordsim353)")
    assert titles["how_many"].endswith("skip-gram 1 % (p@10) with 4 runs, gl<ve 1 % (p@10) with 4 runs")
    assert titles["figure_a_2"].endswith("0 (skip-gram), 0 (gl<ve)")


def test_values_that_are_unknown_leave_a_panel_out(tables):
    tables["how_many"] |= {name: [math.nan] * 6 for name in ("jackknife", "subsampling")}
    tables["scores"]["mean"] = [None] * 4
    assert set(FIGURES) - set(drawn(tables)) == {"how_many", "figure_3_6"}


def test_equal_runs_are_drawn(tables):
    tables["how_many"] |= {name: [0.0] * 6 for name in ("jackknife", "subsampling")}
    tables["figure_3_2"]["density"] = [0.0] * 16
    tables["predictions"] |= {name: [0.5] * 18 for name in ("measured", "structure")}
    assert set(FIGURES) - set(drawn(tables)) == {"how_many", "figure_3_2"}
