"""Inputs of :mod:`tests.golden`: run sets that are trained, and runs, texts and judgements whose answer is planted."""

import contextlib
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TRAINED = {
    "lee": "train lee --technique sgns,lsa --runs 8 --dim 20 --epochs 4 --min-count 10",
    "four": "train lee --technique cbow,glove,fasttext,ppmi_svd --sampling shuffled,bootstrap --runs 3 --dim 16 "
    "--epochs 2 --min-count 20",
    "halves": "train lee --halves --technique lsa --runs 3 --dim 20 --min-count 10",
    "kept": "train lee --technique sgns --sampling shuffled --runs 3 --keep-output --dim 20 --epochs 3 --min-count 5 "
    "--set sgns.subsample=0.00012345",
    "documents": "train lee --technique doc2vec_dm,fasttext_ngrams --sampling shuffled --runs 2 --dim 16 --epochs 2",
    "sotu": "train sotu --technique lsa,ppmi_svd --runs 4 --dim 20 --min-count 50 --fraction 0.2",
    "units": "train sotu --technique lsa --sampling bootstrap --unit sentence --runs 3 --dim 20 --min-count 50 "
    "--fraction 0.2",
    "periods": "train sotu --technique ppmi_svd --sampling shuffled,bootstrap --runs 3 --dim 20 --min-count 100 "
    "--epochs-by year:1790-2020:80 --control 1",
    "swept": "sweep lee --technique lsa --sampling shuffled --runs 3 --vary dim=10,20 --vary max_words=300,600 "
    "--set options.min_count=10",
}
"""Run sets of DATA, by the command that makes them."""

SETS = """[war-and-sport]
targets.war = "army troops soldiers war weapons military attack"
targets.sport = "cricket match team players world day"
attributes.harm = "death killed violence damage"
attributes.joy = "good best great"
"""


def make_data(folder):
    """Make run sets and inputs."""
    from typer.testing import CliRunner

    from gpustab.cli import app

    folder.mkdir(parents=True)
    with contextlib.chdir(folder):
        make_spaces()
        make_sets()
        make_texts()
        make_semeval()
        make_encoders()
        for name, line in TRAINED.items():
            started = time.perf_counter()
            answer = CliRunner().invoke(app, [*line.split(), "--engine", "gensim", "-o", name, "-q"])
            print(f"{time.perf_counter() - started:7.1f} s  {name}", flush=True)
            if answer.exit_code:
                raise SystemExit(f"{name}: {answer.stderr}{answer.exception}")


def make_encoders():
    """Two tiny encoders, a text in which a word moved, scored pairs of sentences, and sentences with tags."""
    from tests.faults.scenarios import make_models
    from tests.studies.usage.test_study import table_of, texts

    folder = Path("encoders")
    folder.mkdir()
    make_models(folder)
    (folder / "moved.csv").write_text(table_of(texts(1.0)), encoding="utf-8")


def space(v, d, noise, *seed, mean=0.3, shift=None):
    """A rotated copy of one space with noise of its own: rows are words, unequal in their directions."""
    base = np.random.default_rng(7).normal(size=(v, d)) * np.linspace(2, 0.2, d) + mean
    draws = np.random.default_rng([11, *seed])
    turned, _ = np.linalg.qr(draws.normal(size=(d, d)))
    return (base + (0 if shift is None else shift) + noise * draws.normal(size=(v, d))) @ turned


def letters(k):
    """Words of letters alone, which every tokenizer takes as one."""
    return "".join(chr(ord("a") + (k // 26**p) % 26) for p in range(4))


def save(path, rows, words=None):
    names = words or [f"w{k}" for k in range(len(rows))]
    lines = [f"{name} {' '.join(f'{x:.6f}' for x in row)}" for name, row in zip(names, rows, strict=True)]
    Path(path).write_text(f"{len(rows)} {rows.shape[1]}\n" + "\n".join(lines) + "\n", encoding="utf-8")


def make_spaces():
    """Files of vectors: near and far copies, parts of the words, the same twice, collapsed, odd."""
    folder = Path("planted")
    folder.mkdir()
    for k in range(8):
        save(folder / f"low-{k}.txt", space(400, 16, 0.3, 0, k))
        save(folder / f"high-{k}.txt", space(400, 16, 0.9, 1, k))
    for k in range(4):
        kept = [word for word in range(300) if word % 9 != k and word % 20 != 5 + k // 2]
        save(folder / f"part-{k}.txt", space(300, 12, 0.4, 2, k)[kept], [f"w{word}" for word in kept])
    for k in range(3):
        save(folder / f"collapsed-{k}.txt", 5 + 0.02 * np.random.default_rng([3, k]).normal(size=(200, 10)))
    (folder / "twin.txt").write_bytes((folder / "low-0.txt").read_bytes())
    odd = space(50, 8, 0.2, 4)
    odd[:4], odd[7] = odd[0], 0
    save(folder / "odd.txt", odd, ["w1", *(f"w{k}" for k in range(1, 50))])
    Path("planted-words.txt").write_text("\n".join(f"w{3 * k}" for k in range(60)) + "\n", encoding="utf-8")
    for name, seed in (("letters", 5), ("letters-too", 6)):
        save(f"{name}.txt", np.random.default_rng(seed).normal(size=(300, 20)) + 0.2, [letters(k) for k in range(300)])


def make_sets():
    """Run sets: three samplings with known noise, and periods in which known words move."""
    import torch

    from gpustab import Key, Space, Vocabulary, write_runset

    def group(v, d, noise, runs, *seed, shift=None):
        counts = torch.from_numpy((20_000 / (1 + np.arange(v))).astype(np.int64))
        rows = [torch.from_numpy(space(v, d, noise, *seed, r, shift=shift)) for r in range(runs)]
        words = Vocabulary(f"w{k}" for k in range(v))
        return [Space(words, own, counts, f"run-{r:03d}") for r, own in enumerate(rows)]

    noises = {"fixed": 0.05, "shuffled": 0.2, "bootstrap": 0.5}
    write_runset(
        {Key("sgns", name): group(250, 12, noise, 5, 8, k) for k, (name, noise) in enumerate(noises.items())}, "set"
    )
    moved, periods = np.random.default_rng(9).normal(size=(3, 120, 8)), {}
    moved[:, [k for k in range(120) if k not in (3, 20, 33)]] *= 0.05
    for k, shift in enumerate(moved):
        for s, sampling in enumerate(("shuffled", "bootstrap")):
            key = Key("sgns", sampling, part=(("epoch", f"{1800 + 20 * k}-{1819 + 20 * k}"),))
            periods[key] = group(120, 8, 0.1 + 0.1 * s, 4, 10, k, s, shift=2 * shift)
    write_runset(periods, "moved")


def make_texts():
    """Texts, lists of words, pairs of sentences and scored pairs of words."""
    for name, seed, share in (("book", 1, 0.6), ("general", 2, 0.2)):
        Path(name).mkdir()
        for k, text in enumerate(book(seed, share)):
            Path(name, f"{k:02}.txt").write_text(text + "\n", encoding="utf-8")
    terms = [f"term{chr(ord('a') + k)}" for k in range(12)]
    Path("terms.txt").write_text("\n".join(terms) + "\n", encoding="utf-8")
    Path("queries.txt").write_text("war\npeace\ngovernment\ncongress\nnowhere\n", encoding="utf-8")
    Path("words.txt").write_text("government\npolice\nworld\nwar\ncompany\nunion\nnowhere\n", encoding="utf-8")
    Path("sets.toml").write_text(SETS, encoding="utf-8")
    Path("put-in.txt").write_text(PUT_IN.replace(" ", "\n") + "\n", encoding="utf-8")
    draws = np.random.default_rng(3)
    samples = ["\t".join([f"new{letters(k)}", *(" @@ ".join(
        " ".join([*(letters(int(w)) for w in draws.integers(40 * k, 40 * k + 60, size=6)), "___"]) for _ in range(3)
    ) for _ in range(3))]) for k in range(5)]  # fmt: skip
    Path("samples.txt").write_text("\n".join(samples) + "\n", encoding="utf-8")
    pairs = "\n".join((ROOT / "tests/studies/localization" / f"{name}.tsv").read_text(encoding="utf-8").strip()
                      for name in ("pairs", "linguist"))  # fmt: skip
    Path("pairs.tsv").write_text(pairs + "\n", encoding="utf-8")
    Path("sentences.txt").write_text("\n".join(pairs.replace("\t", "\n").splitlines()) + "\n", encoding="utf-8")
    rows = [f"{k % 3 > 0:d}\t{k}\t{k + 500}\t{line}" for k, line in enumerate(pairs.splitlines())]
    head = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"
    Path("msrpc.txt").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    Path("tests").mkdir()
    scored = [f"w{a}\tw{b}\t{1 + 9 * draws.random():.2f}" for a, b in draws.integers(250, size=(800, 2)) if a != b]
    Path("tests/scored.tsv").write_text("\n".join(scored) + "\n", encoding="utf-8")


PUT_IN = (
    "attorney refuse deny proposal judge end conclude farmer trade car auto automobile purchase buy sell house firm "
    "company increase decrease profit worker leave arrive factory mill police officer money cash bag church teacher "
    "name kid village brotherhood authorities regime start begin man adult noise rise fall physician doctor student "
    "lecture demand include exclude remain stay change small large early late find lose remember forget close open"
)


def book(seed, share):
    """Documents of sentences with one term each; a share of the words beside it is of the term's ten."""
    draws, lines = np.random.default_rng(seed), []
    for k in range(360):
        term = k % 12
        near = 10 * term + draws.integers(10, size=9)
        words = [letters(int(w)) for w in np.where(draws.random(9) < share, near, draws.integers(300, size=9))]
        words.insert(int(draws.integers(10)), f"term{chr(ord('a') + term)}")
        lines.append(" ".join(words).capitalize() + ".")
    order = draws.permutation(360)
    return [" ".join(lines[k] for k in order[at : at + 20]) for at in range(0, 360, 20)]


def make_semeval():
    """Two languages of SemEval-2020 task 1, and judgements of the words of the planted periods."""
    for seed, name in enumerate(("english", "latin")):
        place = Path("semeval", name)
        for period in (1, 2):
            text = place / f"corpus{period}" / "lemma" / f"{name}{period}.txt"
            text.parent.mkdir(parents=True)
            text.write_text(topics(np.random.default_rng([5, seed, period]), period), encoding="utf-8")
        judgements(place, [f"target{k}_nn" for k in range(6)], (0, 1))
    judgements(Path("judged", "english"), ["w3", "w9", "w20", "w33", "w41", "gone_nn"], (0, 2, 3))


def topics(draws, period):
    """Lines on one topic each; a target stands in lines of its topic, two of them in the next one's later."""
    lines = []
    for k in range(240):
        words = [f"w{k % 6}x{n}" for n in draws.integers(8, size=8)] + [f"common{n}" for n in draws.integers(6, size=3)]
        words += [f"target{n}_nn" for n in range(6) if (n + (period == 2 and n < 2)) % 6 == k % 6]
        lines.append(" ".join(draws.permutation(words)))
    return "\n".join(lines) + "\n"


def judgements(place, targets, changed):
    (place / "truth").mkdir(parents=True)
    (place / "targets.txt").write_text("\n".join(targets) + "\n", encoding="utf-8")
    for name, yes, no in (("binary", 1, 0), ("graded", 0.8, 0.1)):
        rows = [f"{t}\t{(yes if k in changed else no) + k / 100 * (name == 'graded')}" for k, t in enumerate(targets)]
        (place / "truth" / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
