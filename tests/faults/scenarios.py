"""What is disturbed: calls of the command line, each in a folder that others have prepared."""

import os
import random
from dataclasses import dataclass
from pathlib import Path

TRAIN = "train texts.txt -o {} --technique lsa --sampling shuffled,bootstrap --dim 4 --as-is -q --runs {}"


@dataclass(frozen=True)
class Scenario:
    """A call.

    Attributes:
        name: of it.
        command: the call.
        key: the file that is written last: with it the new state is there.
        before: calls that prepare the folder.
        cheap: whether it is part of every test run.
    """

    name: str
    command: str
    key: str
    before: tuple[str, ...] = ()
    cheap: bool = True


SET = TRAIN.format("set", 3)
FIXED = "set/lsa/shuffled"
STUDY = {"cheap": False}
CHANGE = "train dated.tsv -o years --technique lsa --sampling shuffled,bootstrap --dim 4 --as-is -q --runs 3"
ENCODE = "encode texts.txt -m model -o set --as-is -q"
ON_ENCODERS = {
    "study usage": "study usage dated.tsv -m model --epochs-by year:1900-1919,1920-1939 --targets 2 --deals 99 --as-is",
    "study calibration": "study calibration -m model --scores scores.tsv",
    "study layers": "study layers texts.txt -m model -m other --as-is",
    "study localization, edits": "study localization edits.conllu --edits --language de -m model --draws 100",
}
SCENARIOS = (
    Scenario("train", TRAIN.format("set", 2), "set/manifest.json"),
    Scenario("train more runs", TRAIN.format("set", 2), "set/manifest.json", (TRAIN.format("set", 1),)),
    Scenario(
        "train, output kept",
        "train texts.txt -o set --technique sgns --engine gensim --sampling fixed --dim 4 --as-is -q --runs 1 "
        "--keep-output",
        "set/manifest.json",
        cheap=False,
    ),
    Scenario("encode", f"{ENCODE} --runs 2", "set/manifest.json", cheap=False),
    Scenario("pack", "pack set r0.txt r1.txt -o packed --jobs 1 -q", "packed/manifest.json", (SET,)),
    Scenario("average, text", f"average {FIXED} -o mean.txt -q", "mean.txt", (SET,)),
    Scenario("average, gzip", f"average {FIXED} -o mean.gz -q", "mean.gz", (SET,)),
    Scenario("average, safetensors", f"average {FIXED} -o mean.safetensors -q", "mean.safetensors", (SET,)),
    Scenario(
        "average replaced",
        f"average {FIXED} -o mean.txt --force -q",
        "mean.txt",
        (SET, "average set/lsa/bootstrap -o mean.txt -q"),
    ),
    Scenario("average and page", f"average {FIXED} -o mean.txt --out page -q", "page/summary.json", (SET,)),
    Scenario("stability", f"stability {FIXED} --out page -q", "page/summary.json", (SET,)),
    Scenario(
        "stability replaces",
        f"stability {FIXED} --out page --force -q",
        "page/summary.json",
        (SET, "neighbours {word} set --out page -q"),
    ),
    Scenario(
        "stability, packed", "stability packed --out page -q", "page/summary.json", (SET, "pack set -o packed -q")
    ),
    Scenario(
        "study association",
        "study association set --sets sets.toml --out page -q",
        "page/summary.json",
        (SET,),
        **STUDY,
    ),
    Scenario("study bootstrap", "study bootstrap set --out page -q", "page/summary.json", (SET,), **STUDY),
    Scenario(
        "study change",
        "study change years --out page -q --min-count 1",
        "page/summary.json",
        (f"{CHANGE} --epochs-by year:1900-1939:20",),
        **STUDY,
    ),
    Scenario(
        "study instability",
        "study instability set --out page -q --targets 1 --pairs 10",
        "page/summary.json",
        (SET,),
        **STUDY,
    ),
    Scenario(
        "study thresholds",
        f"study thresholds {FIXED} --baseline none --draws 2 --out page -q",
        "page/summary.json",
        (SET,),
        **STUDY,
    ),
    Scenario("study words", f"study words {FIXED} --wordnet none --out page -q", "page/summary.json", (SET,), **STUDY),
    *(
        Scenario(name, f"{command} --out page -q", "page/summary.json", **STUDY)
        for name, command in ON_ENCODERS.items()
    ),
    Scenario("train, two jobs", TRAIN.format("set", 2) + " --jobs 2", "set/manifest.json", cheap=False),
    Scenario("train, periods", f"{CHANGE} --epochs-by year:1900-1939:20", "years/manifest.json", cheap=False),
    Scenario(
        "sweep",
        "sweep texts.txt --technique lsa --vary dim=3,4 --sampling shuffled --runs 2 --as-is --set lsa.dim=4 -o sweep "
        "-q",
        "sweep/lsa-dim=3/manifest.json",
        cheap=False,
    ),
    Scenario(
        "average, all figures",
        f"average {FIXED} -o mean.txt --out page --figures svg,pdf,png -q",
        "page/summary.json",
        (SET,),
    ),
)


def make_models(folder):
    """Write two tiny encoders, which take a library of seconds, scored pairs of sentences, and sentences with tags."""
    from tests.encoders.tiny import save
    from tests.studies.calibration.made import pairs_file

    save(Path(folder, "model"))
    save(Path(folder, "other"), seed=1)
    pairs_file(Path(folder, "scores.tsv"))
    tagged = Path(__file__).parents[1] / "sentences" / "sentences_de.conllu"
    Path(folder, "edits.conllu").write_bytes(tagged.read_bytes())


def make_inputs(folder):
    """Write the texts and vectors that the calls begin with."""
    draw = random.Random(0)
    letters = "abcdefghijklmnoprstuvwyz"
    words = ["".join(draw.choice(letters) for _ in range(draw.randint(3, 7))) for _ in range(60)]
    common = draw.choices(range(60), [1 / (k + 1) for k in range(60)], k=40 * 30)
    lines = [" ".join(words[k] for k in common[30 * n : 30 * n + 30]) for n in range(40)]
    Path(folder, "texts.txt").write_text("\n".join(lines) + "\n")
    rows = [f"{1900 + n}\t{line}" for n, line in enumerate(lines)]
    Path(folder, "dated.tsv").write_text("\n".join(["year\ttext", *rows]) + "\n")
    sets = [" ".join(words[k : k + 4]) for k in (0, 4, 8, 12)]
    names = ("targets.x", "targets.y", "attributes.a", "attributes.b")
    rows = [f"{name} = '{own}'" for name, own in zip(names, sets, strict=True)]
    Path(folder, "sets.toml").write_text("\n".join(["[made]", *rows]) + "\n")
    for r in range(2):
        values = [f"{word} " + " ".join(f"{draw.gauss(0, 1):.4f}" for _ in range(4)) for word in words]
        Path(folder, f"r{r}.txt").write_text("60 4\n" + "\n".join(values) + "\n")
    for path in Path(folder).iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return words[0]
