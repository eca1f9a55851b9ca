import json
import os
import weakref
from io import StringIO

import pytest
import torch
from rich.console import Console
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from gpustab import InputError, Space, Vocabulary, load_groups, load_runs, load_space
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.options import LoadOptions
from gpustab.formats.registry import read_space
from gpustab.formats.writers import write_word2vec_text
from gpustab.report.json_text import plain
from gpustab.report.terminal import print_result
from gpustab.runs.key import Key
from gpustab.runs.manifest import UNFINISHED
from gpustab.runs.packing import pack, request
from gpustab.runs.packing.pack import pack_runs
from gpustab.runs.runset import write_runset
from gpustab.studies.stability.study import stability
from tests.generators import spaces
from tests.runs.packing.kills import contents

RULES = [{}, {"vocabulary": "union"}, {"vocabulary": "union", "min_runs": 3}]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("centre", [False, True])
def test_a_pack_is_the_loose_runs(sources, tmp_path, rule, centre):
    pack_runs(sources, tmp_path / "out", **rule)
    loose, packed = (load_runs(s, centre=centre, **rule) for s in (sources, tmp_path / "out"))
    assert not any(isinstance(rows, torch.Tensor) for rows in packed.rows)
    for name in ("vocabulary", "names", "joining", "notes", "key"):
        assert getattr(packed, name) == getattr(loose, name), name
    for name in ("present", "means", "lengths"):
        assert torch.equal(getattr(packed, name), getattr(loose, name)), name
    assert packed.counts is None
    for ours, theirs in zip(packed.rows, loose.rows, strict=True):
        assert torch.equal(ours[0 : packed.words], theirs)
    results = [stability(runs, neighbours=[1, 5]) for runs in (loose, packed)]
    for name in ("groups", "tables", "notes"):
        ours, theirs = (plain(getattr(result, name)) for result in results)  # where NaN is equal to itself
        assert ours == theirs, name


def test_a_page_in_short_names_every_group_that_was_packed(tmp_path):
    groups = {Key(technique, "fixed"): spaces(3, 20, 5) for technique in ("lsa", "sgns", "cbow")}
    write_runset(groups, tmp_path / "set")
    page = StringIO()
    result = pack_runs([tmp_path / "set"], tmp_path / "out")
    print_result(result, Console(file=page, width=100, no_color=True), brief=True)
    assert page.getvalue().startswith("9 runs of 3 groups are packed in")
    for name in ("CBOW, fixed", "LSA, fixed", "skip-gram, fixed"):
        assert name in page.getvalue()


def test_counts_are_the_sums_of_what_the_runs_have(sources, tmp_path):
    for rule in RULES[:2]:
        out = tmp_path / str(len(rule))
        pack_runs(sources[2:], out, **rule)
        assert torch.equal(load_runs(out, **rule).counts, load_runs(sources[2:], **rule).counts)


def test_what_made_a_run_stays_with_it(sources, tmp_path):
    pack_runs(sources, tmp_path / "out")
    space = read_space(tmp_path / "out/runs/packed-003.safetensors")
    assert space.metadata == {"seed": 3, "seconds": 1.5}
    assert space.draw.tolist() == [3, 0, 7]
    own = load_space(sources[3])
    at = [own.vocabulary.index_of(word) for word in space.vocabulary]
    assert space.counts.tolist() == own.counts[at].tolist()
    assert torch.equal(space.vectors, own.vectors[at])


def test_an_absent_word_is_not_an_undefined_one(sources, tmp_path):
    pack_runs(sources, tmp_path / "out", vocabulary="union")
    tensors = load_file(tmp_path / "out/runs/packed-002.safetensors")
    zero = ~tensors["vectors"].any(dim=1)
    own = load_space(sources[2])
    assert int((zero & (tensors["present"] == 1)).sum()) == 1
    words = Vocabulary.from_tensors(tensors["words"], tensors["offsets"])
    assert [word in own.vocabulary for word in words] == tensors["present"].bool().tolist()


@pytest.mark.parametrize(("dtype", "digits"), [("float16", 11), ("bfloat16", 8)])
def test_half_precision_rounds_once_and_says_so(sources, tmp_path, dtype, digits):
    (group,) = pack_runs(sources, tmp_path / "out", dtype=dtype).groups
    packed, loose = load_runs(tmp_path / "out"), load_runs(sources)
    worst = 0.0
    for ours, theirs in zip(packed.rows, loose.rows, strict=True):
        assert torch.equal(ours[0 : packed.words], theirs.to(getattr(torch, dtype)).float())
        error = (ours[0 : packed.words].double() - theirs).norm(dim=1) / theirs.double().norm(dim=1)
        worst = max(worst, float(error.max()))
    assert group["rounding"] == pytest.approx(worst, rel=1e-6)
    assert 0 < worst <= 2.0**-digits
    assert f"The vectors were rounded to {dtype}, by at most {worst:.1e} of their length." in packed.notes


@pytest.mark.parametrize(
    ("value", "message"),
    [(7e4, "'w1' has the value 70000, beyond float16 \\(65504"), (1e-9, "'w1' has no value above")],
)
def test_what_half_precision_cannot_hold_is_refused(tmp_path, value, message):
    runs = spaces(2)
    runs[1].vectors[1] = torch.tensor([0, value, 0, 0])
    for r, space in enumerate(runs):
        write_safetensors(space, tmp_path / f"r{r}.safetensors")
    paths = [tmp_path / "r0.safetensors", tmp_path / "r1.safetensors"]
    with pytest.raises(InputError, match=f"r1.safetensors: {message}"):
        pack_runs(paths, tmp_path / "out", dtype="float16")
    (tmp_path / "out/runs/packed-000.safetensors").unlink()
    (tmp_path / "out/runs").rmdir()
    pack_runs(paths, tmp_path / "out", dtype="bfloat16")  # with nothing packed, the old choice binds nobody


def test_groups_keep_their_names_and_files_form_one_more(sources, tmp_path):
    write_runset({"sgns/fixed": spaces(2), "sgns/bootstrap": spaces(3, seed=1)}, tmp_path / "set")
    result = pack_runs([tmp_path / "set", *sources[:2]], tmp_path / "out")
    names = ["runs", "sgns/fixed", "sgns/bootstrap"]
    assert [group["name"] for group in result.groups] == names
    assert [(g.name, len(g)) for g in load_groups(tmp_path / "out")] == list(zip(names, (2, 2, 3), strict=True))
    alone = load_runs(tmp_path / "out/sgns/fixed")
    assert alone.name == "sgns/fixed"
    assert alone.names == ("run-000", "run-001")


def test_options_apply_when_runs_are_packed(sources, tmp_path):
    pack_runs(sources, tmp_path / "out", options=LoadOptions(limit=20))
    assert load_runs(tmp_path / "out").vocabulary == load_runs(sources, options=LoadOptions(limit=20)).vocabulary


def test_a_finished_pack_is_left_alone(sources, tmp_path):
    pack_runs(sources, tmp_path / "out")
    before = contents(tmp_path / "out")
    again = pack_runs(sources, tmp_path / "out")
    assert again.groups[0]["packed_now"] == 0
    assert "was packed already" in again.notes[0]
    assert contents(tmp_path / "out") == before
    for change, message in (
        ({"dtype": "float16"}, "dtype was float32, now float16"),
        ({"vocabulary": "union"}, "joint"),
    ):
        with pytest.raises(InputError, match=message):
            pack_runs(sources, tmp_path / "out", **change)
    with pytest.raises(InputError, match="it is of other runs: 4"):
        pack_runs(sources[:3], tmp_path / "out")
    os.utime(sources[1], ns=(1, 1))
    with pytest.raises(InputError, match=r"r1\.txt has changed since"):
        pack_runs(sources, tmp_path / "out")
    assert contents(tmp_path / "out") == before


def stop_at(monkeypatch, run):
    """Let packing stop at a run, when those before it are packed."""
    real = pack.write_packed

    def write(opened, order, number, *arguments, **options):
        if number == run:
            raise KeyboardInterrupt
        return real(opened, order, number, *arguments, **options)

    monkeypatch.setattr(pack, "write_packed", write)


def test_a_stopped_pack_binds_the_next_call(sources, tmp_path, monkeypatch):
    pack_runs(sources, tmp_path / "wanted")
    with monkeypatch.context() as patch:
        stop_at(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            pack_runs(sources, tmp_path / "out", jobs=1)
    with pytest.raises(InputError, match="unfinished pack: finish it by the same call"):
        load_runs(tmp_path / "out")
    with pytest.raises(InputError, match="unfinished pack, and its dtype was float32, now float16; finish it"):
        pack_runs(sources, tmp_path / "out", dtype="float16")
    reads = []
    monkeypatch.setattr(request, "load_space", lambda path, options: reads.append(path) or load_space(path, options))
    result = pack_runs(sources, tmp_path / "out")
    assert result.groups[0]["packed_now"] == 2
    assert not reads  # no text is parsed again
    assert contents(tmp_path / "out") == contents(tmp_path / "wanted")


def test_staged_runs_are_kept_while_they_are_what_the_call_asks_for(sources, tmp_path, monkeypatch):
    broken = tmp_path / "broken.txt"
    broken.write_text("a 1 2\nb nan 2\nc 3 4\n")
    reads = []
    monkeypatch.setattr(
        request, "load_space", lambda path, options: reads.append(path.name) or load_space(path, options)
    )
    calls = [{}, {"dtype": "float16"}, {"options": LoadOptions(drop_nonfinite=True)}]
    for call in calls:
        with pytest.raises(InputError):
            pack_runs([*sources[:2], broken], tmp_path / "out", jobs=1, **call)
    assert reads == ["r0.txt", "r1.txt", "broken.txt", "broken.txt", "r0.txt", "r1.txt", "broken.txt"]
    pack_runs(sources, tmp_path / "out")
    assert not (tmp_path / "out" / UNFINISHED).exists()


@pytest.mark.parametrize("jobs", [1, 3])
def test_memory_holds_a_run_for_each_job(tmp_path, monkeypatch, jobs):
    paths = []
    for r, space in enumerate(spaces(7)):
        paths.append(tmp_path / f"r{r}.txt")
        write_word2vec_text(space, paths[-1])
    alive: weakref.WeakSet[Space] = weakref.WeakSet()
    most = 0

    def load(path, options):
        nonlocal most
        space = load_space(path, options)
        alive.add(space)
        most = max(most, len(alive))
        return space

    monkeypatch.setattr(request, "load_space", load)
    pack_runs(paths, tmp_path / "out", jobs=jobs)
    assert 1 <= most <= jobs


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_the_bytes_do_not_depend_on_the_jobs(sources, tmp_path, jobs):
    pack_runs(sources, tmp_path / "out", jobs=jobs)
    pack_runs(sources, tmp_path / "wanted")
    assert contents(tmp_path / "out") == contents(tmp_path / "wanted")


def test_a_packed_file_is_one_of_the_library(sources, tmp_path):
    pack_runs(sources, tmp_path / "out", dtype="bfloat16", vocabulary="union")
    for run in range(4):
        path = tmp_path / f"out/runs/packed-{run:03d}.safetensors"
        with safe_open(path, framework="pt") as file:
            save_file(load_file(path), tmp_path / "again", file.metadata())
        assert path.read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_zero_vector_met_on_the_way_leaves_its_word_out_of_all_runs(tmp_path, monkeypatch, rule, jobs):
    """Runs that are packed from where they lie are taken to have none, until one is met."""
    paths = []
    for r, space in enumerate(spaces(4)):
        if r == 2:
            space.vectors[3] = 0
        paths.append(tmp_path / f"r{r}.safetensors")
        write_safetensors(space, paths[-1])
    written, real = [], pack.write_packed
    monkeypatch.setattr(pack, "write_packed", lambda *a, **o: written.append(a[2]) or real(*a, **o))
    pack_runs(paths, tmp_path / "out", jobs=jobs, **rule)
    assert written[-4:] == [0, 1, 2, 3] or jobs > 1
    assert len(written) > 4
    loose, packed = (load_runs(s, **rule) for s in (paths, tmp_path / "out"))
    assert packed.vocabulary == loose.vocabulary
    assert packed.joining == loose.joining
    assert packed.joining.undefined == 1
    assert torch.equal(packed.lengths, loose.lengths)
    for ours, theirs in zip(packed.rows, loose.rows, strict=True):
        assert torch.equal(ours[0 : packed.words], theirs)


def test_what_the_values_say_is_noted_as_in_reading(tmp_path):
    paths = []
    for r, space in enumerate(spaces(3)):
        space.vectors[5 + r] *= 1e9
        paths.append(tmp_path / f"r{r}.safetensors")
        write_safetensors(space, paths[-1])
    pack_runs(paths, tmp_path / "out")
    assert load_runs(tmp_path / "out").notes == load_runs(paths).notes
    assert "a million times the usual" in load_runs(paths).notes[0]


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("scale", [1, 0])
def test_values_that_are_not_finite_are_refused_with_their_place(tmp_path, value, scale):
    paths = [tmp_path / f"r{r}.safetensors" for r in range(2)]
    for space, path in zip(spaces(2), paths, strict=True):
        write_safetensors(space, path)
    tensors = load_file(paths[1])
    tensors["vectors"] *= scale  # of zeros alone nobody knows what is usual
    tensors["vectors"][4, 1] = value
    save_file(tensors, paths[1])
    with pytest.raises(InputError, match=r"r1.safetensors: 1 row\(s\) with values that are not finite .*'w4' in row 4"):
        pack_runs(paths, tmp_path / "out")
    assert load_space(paths[1], LoadOptions(drop_nonfinite=True)).vectors.isfinite().all()
    if not scale:
        return
    pack_runs(paths, tmp_path / "other", options=LoadOptions(drop_nonfinite=True))
    assert b"w4" not in list(load_runs(tmp_path / "other").vocabulary)


def test_wrong_inputs(sources, tmp_path):
    write_runset({"a/b": spaces(2)}, tmp_path / "one/set")
    write_runset({"a/b": spaces(2)}, tmp_path / "two/set")
    write_runset({"a/b": spaces(1)}, tmp_path / "thin")
    write_runset({"a/b": spaces(2)}, tmp_path / "escaping")
    text = (tmp_path / "escaping/manifest.json").read_text()
    (tmp_path / "escaping/manifest.json").write_text(text.replace("a/b", "../escaping/a/b"))
    pack_runs(sources, tmp_path / "packed")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes.txt").touch()
    new = tmp_path / "new"
    for given, output, message in (
        ([], new, "no runs were given"),
        (sources[:1], new, "only 1 run is given"),
        ([tmp_path / "thin"], new, "has only 1 run"),
        ([sources[0], tmp_path / "none.txt"], new, "none.txt: there is no such file"),
        ([tmp_path / "one/set", tmp_path / "two/set"], new, "two groups are called 'a/b'"),
        ([tmp_path / "packed"], new, "is packed already"),
        ([tmp_path / "escaping"], new, "is no name"),
        ([tmp_path / "one/set"], tmp_path / "one/set/new", "lies within"),
        ([tmp_path / "one/set"], tmp_path / "one/set", "lies within"),
        (sources, tmp_path / "one/set", "a run set is already there"),
        (sources, tmp_path / "other", "holds other things \\(notes.txt\\)"),
        (sources, sources[0], "is a file"),
    ):
        before = contents(tmp_path)
        with pytest.raises(InputError, match=message):
            pack_runs(given, output)
        assert contents(tmp_path) == before
        assert not new.exists()
    with pytest.raises(InputError, match="dtype is 'int8'"):
        pack_runs(sources, new, dtype="int8")


def test_a_source_that_changes_on_the_way_is_refused(sources, tmp_path, monkeypatch):
    def load(path, options):
        space = load_space(path, options)
        if path == sources[1]:
            os.utime(path, ns=(1, 1))
        return space

    monkeypatch.setattr(request, "load_space", load)
    with pytest.raises(InputError, match=r"r1\.txt: has changed since this pack was begun"):
        pack_runs(sources, tmp_path / "out")


def test_the_record_names_the_sources(sources, tmp_path):
    pack_runs(sources, tmp_path / "out", options=LoadOptions(only=[b"w1", b"w2", b"w3", b"w4", b"ab\xff"]))
    leaf = json.loads((tmp_path / "out/runs/packed.json").read_text())
    assert [run["source"]["path"] for run in leaf["runs"]] == [str(path) for path in sources]
    assert leaf["options"] == {"words": ["ab\udcff", "w1", "w2", "w3", "w4"]}


def test_odd_names(sources, tmp_path):
    odd = [path.rename(tmp_path / os.fsdecode(b"new\nline \xff %d" % r)) for r, path in enumerate(sources[:2])]
    pack_runs(odd, tmp_path / "out put")
    assert load_runs(tmp_path / "out put").names == load_runs(odd).names
