"""Every option refuses what its field does not declare, in one sentence; its bounds are those of this page."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import pytest

from gpustab import InputError, neighbours_of
from gpustab.options import (
    Option,
    Options,
    Seed,
    check,
    check_seed,
    chosen,
    declarations,
    declared_by,
    item_of,
    members,
    record,
)
from gpustab.training import TrainingSettings
from tests.cli.test_takes import COMMANDS  # noqa: F401  # all commands are read: their bundles are options, too
from tests.generators import noisy_copies, runs_of
from tests.wrong_values import at_bounds, wrong_values


def bundles(kind=Options):
    """Every class of options of the package."""
    below = [one for one in kind.__subclasses__() if one.__module__.startswith("gpustab.")]
    return [one for two in below for one in (two, *bundles(two))]


BUNDLES = {bundle.__name__: bundle for bundle in bundles() if bundle.__module__ != "gpustab.cli.takes"}
NUMBERS = {
    "from 1 upwards": """
        LoadOptions.limit LoadOptions.dim Loading.min_runs Loading.jobs CorpusOptions.min_count
        StabilityOptions.neighbours StabilityOptions.targets CompareOptions.n CompareOptions.targets
        BootstrapOptions.count BootstrapPlan.jobs
        ChangeOptions.min_count ChangeOptions.n ChangeOptions.nearest GridPlan.jobs
        ConsistencyOptions.sentences ConsistencyOptions.cutoff ConsistencyOptions.window ConsistencyOptions.permutations
        ConsistencyOptions.negatives ConsistencyOptions.sample_decay ConsistencyOptions.nonce_window
        ConsistencyOptions.svd_dim ConsistencyOptions.svd_window ConsistencyOptions.svd_min_count
        InstabilityOptions.targets InstabilityOptions.pairs
        LocalizationOptions.most TrainingOptions.runs TrainingOptions.dim TrainingOptions.epochs
        TrainingOptions.min_count TrainingOptions.inference
        WordsOptions.n WordsOptions.targets LayersOptions.n UsageOptions.targets EditChoices.sentences EditChoices.each
        EditOptions.sentences EditOptions.each
        ThresholdsOptions.words ThresholdsOptions.places ThresholdsOptions.draws ThresholdsOptions.pairs
        Plan.jobs TrainPlan.jobs SweepPlan.jobs
        TrainOptions.dim TrainOptions.window TrainOptions.epochs""",
    "from 2 upwards": """
        CorpusOptions.max_words StabilityOptions.proxy BootstrapOptions.topics BootstrapOptions.n BootstrapPlan.runs
        ConsistencyOptions.number ConsistencyOptions.samples ThresholdsOptions.min_pairs SweepPlan.runs""",
    "from 3 upwards": "ThresholdsOptions.sample",
    "from 9 upwards": "ChangeOptions.deals",
    "from 6 upwards": "UsageOptions.most",
    "from 40 upwards": "LayersOptions.sentences",
    "from 99 upwards": "UsageOptions.deals",
    "from 100 upwards": "LocalizationOptions.draws EditOptions.draws CalibrationOptions.pairs",
    "from 0 upwards": """
        Encoding.directions ChangeOptions.resamples ConsistencyOptions.subsample ConsistencyOptions.window_decay""",
    "from 0 to 99": "TrainOptions.control",
    "from 1 to 999": "Encoding.runs GridPlan.runs Plan.runs TrainPlan.runs",
    "from 0 to 4294967295": """
        StabilityOptions.seed CompareOptions.seed BootstrapOptions.seed ChangeOptions.seed ConsistencyOptions.seed
        InstabilityOptions.seed LocalizationOptions.seed ThresholdsOptions.seed WordsOptions.seed
        AssociationOptions.seed Encoding.seed LayersOptions.seed UsageOptions.seed CalibrationOptions.seed
        EditOptions.seed
        Plan.seed TrainPlan.seed SweepPlan.seed""",
    "above 0": """
        ConsistencyOptions.alpha ConsistencyOptions.sample ConsistencyOptions.alpha_decay ConsistencyOptions.domain_low
        ConsistencyOptions.general_low""",
    "above 0 and up to 1": "CorpusOptions.fraction BootstrapPlan.fraction",
    "above 0 and below 1": "ChangeOptions.rate TrainingOptions.rate UsageOptions.rate",
    "above 0.5 and below 1": "ThresholdsOptions.confidence",
    "": """
        Encoding.layer UsageOptions.layer ConsistencyOptions.layer CalibrationOptions.levels
        ChangeOptions.spread ConsistencyOptions.domain_high
        ConsistencyOptions.general_high""",
}
"""All numbers, by what is taken."""


FIELDS = {f"{name}.{field}": (bundle, field) for name, bundle in BUNDLES.items() for field in declarations(bundle)}


def is_number(declared):
    kinds = [item_of(kind) or kind for kind in members(declared.kind)]
    return bool({int, float} & set(kinds))


def test_the_bounds_of_all_numbers_are_these():
    numbers = {name: declarations(bundle)[field] for name, (bundle, field) in FIELDS.items()}
    bounds = {name: declared.option.bounds for name, declared in numbers.items() if is_number(declared)}
    assert bounds == {name: bound for bound, names in NUMBERS.items() for name in names.split()}


@pytest.mark.parametrize("name", ["runs", "jobs", "engine", "vary"])
def test_a_plan_takes_the_same_in_a_file_as_on_a_command_line(name):
    settings = get_type_hints(TrainingSettings, include_extras=True)[name]
    typed = declarations(BUNDLES["TrainPlan"])[name]
    assert declared_by(settings).option == typed.option
    assert (item_of(settings) or declared_by(settings).kind) in [item_of(kind) or kind for kind in members(typed.kind)]


@pytest.mark.parametrize("name", FIELDS)
def test_what_a_field_does_not_declare_is_refused_by_name(name):
    bundle, field = FIELDS[name]
    for value in wrong_values(declarations(bundle)[field]):
        with pytest.raises(InputError, match=rf"^{field} is .*, wanted ") as error:
            bundle(**{field: value})
        assert "wanted  " not in str(error.value)
    for value in at_bounds(declarations(bundle)[field]):
        declarations(bundle)[field].check(field, value)


def test_all_choices_numbers_and_truth_values_are_refused_somewhere():
    """No field is passed over because its type is not understood."""
    for name, (bundle, field) in FIELDS.items():
        declared = declarations(bundle)[field]
        kinds = [item_of(kind) or kind for kind in members(declared.kind)]
        simple = all(kind in (int, float, bool) or get_origin(kind) is Literal for kind in kinds)
        assert bool(list(wrong_values(declared))) >= simple, name


@pytest.mark.parametrize("bundle", BUNDLES.values())
def test_the_defaults_are_taken(bundle):
    assert list(record(bundle())) == list(declarations(bundle))


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        (0, Annotated[int, Option(low=1)], "is 0, wanted a whole number from 1 upwards"),
        (100, Annotated[int, Option(low=0, high=99)], "is 100, wanted a whole number from 0 to 99"),
        (0.0, Annotated[float, Option(above=0, high=1)], "is 0.0, wanted a number above 0 and up to 1"),
        (float("nan"), float, "is nan, wanted a number"),
        (True, int | None, "is True, wanted a whole number"),
        ("yes", bool, "is 'yes', wanted True or False"),
        ("c", Literal["a", "b"] | None, "is 'c', wanted 'a' or 'b'"),
        (0, Annotated[Literal["all"] | int, Option(low=1)], "is 0, wanted 'all' or a whole number from 1 upwards"),
        (
            (3, 0),
            Annotated[tuple[int, ...], Option(low=1)],
            "is '3,0', wanted whole numbers from 1 upwards with commas",
        ),
        ("a", tuple[str, ...], "is 'a', wanted several names"),
        (("a", "c"), tuple[Literal["a", "b"], ...] | None, "is 'a,c', wanted one or more of 'a' or 'b'"),
        (-1, Seed | None, "is -1, wanted a whole number from 0 to 4294967295"),
    ],
)
def test_one_sentence_says_what_is_wanted(value, kind, wanted):
    with pytest.raises(InputError) as error:
        check("x", value, kind)
    assert str(error.value).startswith(f"x {wanted}")


def test_what_a_type_takes_passes():
    for value, kind in (
        (None, int | None),
        (3, str),
        (7, Seed),
        ("all", Literal["all"] | int),
        ((1,), tuple[int, ...]),
    ):
        check("x", value, kind)
    assert check_seed(2**32 - 1) == 2**32 - 1
    assert get_args(Seed)[0] is int


@dataclass(frozen=True)
class Sizes(Options):
    words: Annotated[int, Option(low=1)] = 5
    pairs: Annotated[int | None, Option(low=1)] = None


@dataclass(frozen=True)
class Given(Options):
    """Two options that exclude each other, one of which is read."""

    word: str | None = None
    file: Annotated[str | None, Option(metavar="FILE", reads=True)] = None
    place: Annotated[str | None, Option(metavar="DIR", reads=True)] = None
    n: Annotated[int, Option(low=1)] = 1

    def check_together(self):
        if self.word and self.file:
            raise InputError("give word or file, not both")


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"word": "a", "file": "nowhere"}, "not both"),
        ({"word": "a", "file": "nowhere", "n": 0}, "n is 0"),
        ({"file": "nowhere", "n": 0}, "n is 0"),
        ({"file": "nowhere"}, "file: nowhere: there is no such file"),
        ({"place": "nowhere"}, "place: nowhere: there is no such folder"),
    ],
)
def test_files_are_looked_for_when_all_else_is_right(choices, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        Given(**choices)


def test_options_are_given_whole_or_by_name():
    assert chosen(Sizes, None, {"words": 3}) == chosen(Sizes, Sizes(3), {}) == Sizes(words=3)
    with pytest.raises(InputError, match="there is no option word; near it is words"):
        chosen(Sizes, None, {"word": 3})
    with pytest.raises(InputError, match="give Sizes or words, not both"):
        chosen(Sizes, Sizes(), {"words": 3})
    with pytest.raises(InputError, match="pairs is 0, wanted a whole number from 1 upwards"):
        chosen(Sizes, None, {"pairs": 0})


def test_an_argument_of_a_function_is_refused_likewise():
    with pytest.raises(InputError, match=r"^n is 0, wanted a whole number from 1 upwards$"):
        neighbours_of(runs_of(noisy_copies(2, 9, 3)), "w1", 0)
