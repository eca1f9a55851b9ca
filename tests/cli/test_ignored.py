"""An option that could only be ignored is refused, and so is a contradiction."""

import pytest

from gpustab import InputError, load_runs
from gpustab.corpus.options import CorpusOptions
from gpustab.studies.stability.options import StabilityOptions
from tests.cli.conftest import one_object
from tests.generators import spaces

TWO = "r0.txt r1.txt"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"neighbours w1 {TWO} --precision fp32", "--precision fp32 has no effect here"),
        (f"stability {TWO} --quiet --verbose", "--quiet and --verbose exclude each other"),
        (f"stability {TWO} --targets 3 --targets 5", "--targets is given 2 times, and only the last would count"),
        (f"stability {TWO} -o page --out other", "--out and -o mean the same here: give one"),
        (f"stability {TWO} -opage --output=other", "-o and --output mean the same here: give one"),
        (f"neighbours w1 {TWO} --neighbors 5", "No such option: --neighbors \u2502"),
        ("pack --verify set --dtype float16", "--dtype has no effect with --verify"),
        ("pack --verify set --limit 3", "--limit has no effect with --verify"),
        ("sweep words.txt -o S --vary epochs=1,2 --grid", "--grid has no effect: one parameter varies"),
        ("sweep words.txt -o S --vary epoch=1,2", "epoch: no parameter of sgns; near it is epochs"),
        ("sweep words.txt -o S --vary epochs=1,2 --layout sheets", "--layout is 'sheets', wanted 'lines'"),
        ("sweep words.txt -o S --vary epochs=1,2 --language xx", "--language is 'xx'"),
        ("train words.txt -o S --parallel threading", "--parallel threading and --jobs 1 contradict each other"),
        ("train words.txt -o S --parallel multiprocessing --jobs 2", "as they end; take --parallel loky"),
        ("train words.txt -o S --tokenizer whitespace --set options.drop_numbers=false", "drop_numbers=False has no"),
        ("train word.txt -o S", "there is no such file, folder or corpus; near it is words.txt"),
        ("train words.txt -o r0.txt", "r0.txt: is a file; a run set is a folder"),
    ],
)
def test_what_would_be_ignored_is_refused_before_anything_is_printed(call, command, message):
    done = call(command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message.replace("drop_numbers=False", "--set options.drop_numbers=false") in " ".join(done.stderr.split())
    assert "corpus = " not in done.stderr


def test_the_library_refuses_the_same():
    with pytest.raises(InputError, match="seed=3 has no effect"):
        StabilityOptions(targets="all", seed=3)
    assert StabilityOptions(targets="all", seed=3, proxy=5).seed == 3
    with pytest.raises(InputError, match="drop_punctuation=False has no effect"):
        CorpusOptions(format="line_sentence", drop_punctuation=False)


def test_centre_has_two_spellings_and_one_name(call):
    both = [one_object(call(f"stability {TWO} --{word} --json").stdout) for word in ("centre", "center")]
    assert both[0]["groups"] == both[1]["groups"]
    assert both[0]["settings"]["loading"]["centre"] is True
    assert '"center"' not in str(both)
    assert load_runs(spaces(2, 9, 3), center=True).centre is load_runs(spaces(2, 9, 3), centre=True).centre is True
