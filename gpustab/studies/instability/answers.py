"""What is said of each technique: the verdict, the answers to the page's questions, and the alarm that forbids both.

Everything is chosen by the claims' own rules; an answer finds what was judged by its claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpustab.results import Table
from gpustab.results.page import counted, percent
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability import claims
from gpustab.studies.instability import claims_of_averages as of_averages
from gpustab.studies.instability import claims_of_losses as of_losses
from gpustab.studies.instability.claims_of_corpora import CURVES_DIFFER, WITH_CORPUS_SIZE
from gpustab.studies.instability.corpora import CORPORA, place_of
from gpustab.studies.instability.frequency import TRENDS
from gpustab.studies.instability.losses import LOSSES, Loss
from gpustab.studies.instability.neighbours import SHARED
from gpustab.studies.instability.scores import EXTREMES
from gpustab.studies.instability.subsets import HOW_MANY, REDUCED_PIP
from gpustab.studies.shared.claims import DOCUMENTS_MATTER, OBSERVED, Claim, Losses
from gpustab.studies.shared.frame import by_sentence
from gpustab.studies.shared.spaces import Collapse, Flaws, named
from gpustab.studies.shared.wording import capital, group_in_words, groups_in_words, listed, word

DECIDED = ("yes", "no")
_LISTS = 10
"""Length of the lists of neighbours that stand beside the losses."""


@dataclass(frozen=True)
class Findings:
    """What answers are made from.

    Attributes:
        tables: of the study, ``observations`` among them.
        techniques: all that were studied.
        silent: why, of those on which no verdict is given: nothing is said of them.
    """

    tables: Mapping[str, Table]
    techniques: Sequence[str]
    silent: Mapping[str, str]

    @property
    def spoken(self) -> list[str]:
        """The techniques that are spoken of."""
        return [name for name in self.techniques if name not in self.silent]

    def of(self, names: Sequence[str]) -> str:
        """Of whom a sentence is; empty where there is one technique only."""
        return f" for {listed([group_in_words(name) for name in names])}" if len(self.techniques) > 1 else ""

    def sentence(self, names: Sequence[str], text: str) -> str:
        """Return a sentence of its own on some techniques."""
        of = self.of(names).lstrip()
        return f"{capital(of)}, {text}." if of else f"{capital(text)}."

    def judged(self, claim: Claim[Any]) -> dict[str, list[str]]:
        """Return which techniques have which verdict on a claim."""
        names: dict[str, list[str]] = {}
        for row in OBSERVED.rows(self.tables):
            if row.claim.id == claim.id and row.technique in self.spoken:
                names.setdefault(row.agrees, []).append(row.technique)
        return names

    def decided(self, claim: Claim[Any]) -> Iterator[tuple[str, list[str], str]]:
        """Yield the verdicts yes and no on a claim, whose they are, and what the claim then says."""
        judged = self.judged(claim)
        for verdict in DECIDED:
            if names := judged.get(verdict):
                yield verdict, names, str(claim.sentences[verdict])

    def yes_or_no(self, claim: Claim[Any], what: str = "") -> list[str]:
        """Return a sentence for those that a claim is true of, one for the others, one for those that do not tell.

        The last of these says ``what`` nobody can tell, if it is given.
        """
        answers = [f"{verdict.title()}{self.of(names)}: {text}." for verdict, names, text in self.decided(claim)]
        return answers + self.cannot_tell(claim, what)

    def beside(self, claim: Claim[Any]) -> list[str]:
        """Return what a claim adds to an answer, of the techniques that it is decided of."""
        return [self.sentence(names, text) for _, names, text in self.decided(claim)]

    def cannot_tell(self, claim: Claim[Any], what: str = "") -> list[str]:
        """Return the sentences on those that a claim is not decided of, with the reason where it tells one."""
        judged = self.judged(claim)
        why = {verdict: str(text) for verdict, text in claim.sentences.items() if verdict == "no test"}
        left = [name for verdict, names in judged.items() if verdict not in (*DECIDED, *why) for name in names]
        said = [f"These runs are too few to say{what}{self.of(left)}."] if left else []
        return said + [self.sentence(names, why[verdict]) for verdict, names in judged.items() if verdict in why]

    def withheld(self) -> list[str]:
        """Return the sentences on techniques that no verdict is given on."""
        return [f"{groups_in_words([name])} gets no verdict: {reason}." for name, reason in self.silent.items()]


def verdict(findings: Findings) -> list[str]:
    """Return what a reader is told first: how unstable techniques are and which one is least so, then each in turn."""
    sentences = [how_unstable(findings), most_stable(findings)]
    for name in findings.spoken:
        prefix = f"{groups_in_words([name])}: " if len(findings.techniques) > 1 else ""
        sentences += [prefix + sentence for sentence in _of_technique(findings.tables, name) if sentence]
    return [*filter(None, sentences), *findings.withheld(), *_tally(findings)]


def how_unstable(findings: Findings) -> str:
    """Return how far two runs of every technique differ, as a part of chance; empty where no chance level is known."""
    said, place = [], place_of(findings.tables)
    for sampling, change in (("shuffled", "Training again"), ("bootstrap", "Resampling the documents")):
        rows = [row for row in LOSSES.rows(findings.tables, sampling=sampling) if row.technique in findings.spoken]
        known = [row for row in rows if row.chance > 0]
        shares = []
        for by in dict.fromkeys(place(row.technique)[0] for row in known):
            own = [row.reduced_pip / row.chance for row in known if place(row.technique)[0] == by]
            span = "" if percent(min(own)) == percent(max(own)) else f"{100 * min(own):.0f} to "
            several = f" with {group_in_words(by)}" if len(findings.techniques) > 1 else ""
            several += f" on {word(len(own))} corpora" if len(own) > 1 else ""
            shares.append(f"{span}{percent(max(own))} of chance{several}")
        if shares:
            said.append(f"{change} changes the cosines by {listed(shares)}.")
    return " ".join(said)


def _of_technique(tables: Mapping[str, Table], name: str) -> Iterator[str]:
    if losses := losses_of(tables, name):
        yield DOCUMENTS_MATTER.sentence(losses)
    for row in TRENDS.rows(tables, technique=name, quantity="intrinsic", least_frequency=0):
        yield of_losses.INTRINSIC_FLAT.sentence(row)
    if level := of_averages.largest_averages(tables, name):
        yield of_averages.AVERAGING_HELPS.sentence(level)


def _tally(findings: Findings) -> Iterator[str]:
    """How many of the thesis' statements these runs bear out."""
    told = {"", *findings.spoken, *CORPORA.of(findings.tables)["trained_by"]} - set(findings.silent)
    counts = Counter(row.agrees for row in OBSERVED.rows(findings.tables) if row.technique in told)
    if counts["yes"] + counts["no"] + counts["undecided"]:
        parts = [
            f"support {counted(counts['yes'], 'statement')} of Rettenmeier (2020)",
            f"contradict {counts['no']}",
            f"leave {counts['undecided']} open",
            f"cannot test {counts['no test']}",
        ]
        yield f"These runs {listed(parts if counts['no test'] else parts[:-1])}."


def most_stable(findings: Findings) -> str:
    """Return which technique varies least on each corpus; empty where fewer than two can be compared."""
    return " ".join(map(of_losses.MOST_STABLE.sentence, rivals_of(findings.tables, findings.spoken)))


def rivals_of(tables: Mapping[str, Table], names: Sequence[str]) -> Iterator[of_losses.Rivals]:
    """Yield the two most stable techniques of each corpus, by bootstrap runs, or shuffled ones where one has these."""
    place = place_of(tables)
    for corpus in dict.fromkeys(place(name)[1] for name in names):
        here = [name for name in names if place(name)[1] == corpus]
        for sampling in ("bootstrap", "shuffled"):
            rows = [row for row in LOSSES.rows(tables, sampling=sampling) if row.technique in here]
            losses, runs = ({row.technique: getattr(row, name) for row in rows} for name in ("loss", "runs"))
            if len(losses) > 1:
                first, second, *_ = sorted(sorted(losses), key=lambda name: losses[name].value)
                shared = {
                    row.technique: Estimate.of_runs(row.p, row.p_se, runs[row.technique])
                    for row in SHARED.rows(tables, sampling=sampling, n=_LISTS)
                    if row.technique in losses
                }
                rivals = of_losses.Rivals(sampling, first, second, losses[first], losses[second], len(losses))
                if first in shared:
                    keeps = max(shared, key=lambda name: shared[name].value)
                    rivals = rivals._replace(shared=shared[first], keeps=keeps, most=shared[keeps], n=_LISTS)
                yield rivals
                break


def losses_of(tables: Mapping[str, Table], name: str) -> Losses | None:
    """Return the losses of shuffled and of bootstrap runs of a technique that has both."""
    losses = {row.sampling: row.loss for row in LOSSES.rows(tables, technique=name)}
    there = {"shuffled", "bootstrap"} <= set(losses)
    return Losses(losses["shuffled"], losses["bootstrap"]) if there else None


def which_documents(findings: Findings) -> list[str]:
    """Whether bootstrap runs differ more than shuffled ones, by the verdict's rule; and by how large a corpus."""
    answers = []
    for name in findings.spoken:
        if losses := losses_of(findings.tables, name):
            begin = {"matter": "Yes", "hardly": "Hardly"}.get(DOCUMENTS_MATTER.judge(losses))
            prefix = f"{groups_in_words([name])}: " if findings.of([name]) else ""
            answers.append(
                f"{begin}{findings.of([name])}: {losses.resampling}."
                if begin
                else f"{prefix}{DOCUMENTS_MATTER.sentence(losses)}"
            )
    return answers + _of_corpora(findings, WITH_CORPUS_SIZE)


def _of_corpora(findings: Findings, claim: Claim[Any]) -> list[str]:
    """What a claim on several corpora says, of each technique that it is decided of."""
    rows = [row for row in OBSERVED.rows(findings.tables) if row.claim.id == claim.id and row.agrees in DECIDED]
    told = [
        (f"{group_in_words(row.technique)}: " if row.technique else "", str(claim.sentences[row.agrees]))
        for row in rows
    ]
    return [f"{capital(of + text)}." for of, text in told]


def which_technique(findings: Findings) -> list[str]:
    """Which technique varies least, or why that cannot be told and from what on it could."""
    if sentence := most_stable(findings):
        return [sentence]
    names, spoken = findings.techniques, findings.spoken
    trained_by = CORPORA.of(findings.tables)["trained_by"] or names
    if len(set(trained_by)) == 1:
        only = groups_in_words([trained_by[0]])
        return [f"{only} is the only technique here. Train two techniques on the same text to compare them."]
    why = "No two techniques have sound runs of one kind"
    if len(spoken) < 2:
        why = f"{f'Only {group_in_words(spoken[0])}' if spoken else 'No technique'} has runs that allow a verdict"
    return [
        f"{why}. Train two techniques with at least three runs each of one kind (shuffled or bootstrap), better eight."
    ]


def frequent_words(findings: Findings) -> list[str]:
    """Whether another training, or resampled documents, move frequent words less."""
    answers = []
    alike = f"training again moves rare and frequent words about equally (within {percent(of_losses.FLAT_INTRINSIC)})"
    for begin, text, judged, sign in (
        ("Yes", "training again moves frequent words less than rare ones", "no", -1),
        ("Hardly", alike, "yes", 0),
        ("No", "training again moves frequent words more than rare ones", "no", 1),
    ):
        if names := _trending(findings, of_losses.INTRINSIC_FLAT, "intrinsic", judged, sign):
            answers.append(f"{begin}{findings.of(names)}: {text}.")
    answers += findings.cannot_tell(of_losses.INTRINSIC_FLAT, " whether training again moves frequent words less")
    for text, sign in (("less than", -1), ("more than", 1)):
        if names := _moved(findings, sign):
            answers.append(findings.sentence(names, f"resampling the documents moves frequent words {text} rare ones"))
    return answers + _of_corpora(findings, CURVES_DIFFER)


def _trending(findings: Findings, claim: Claim[Any], quantity: str, judged: str, sign: int) -> list[str]:
    """Techniques of a verdict on a claim, whose trend falls (-1), rises (1), or has any sign (0)."""
    rows = TRENDS.rows(findings.tables, quantity=quantity, least_frequency=0)
    change = {row.technique: row.change for row in rows}
    return [name for name in findings.judged(claim).get(judged, ()) if sign * change[name] >= 0]


def _moved(findings: Findings, sign: int) -> list[str]:
    """Techniques whose extrinsic instability was found to fall or to rise; a flat one was found to do neither."""
    squared = "extrinsic squared"
    falling = _trending(findings, of_losses.EXTRINSIC_FALLS, squared, "yes" if sign < 0 else "no", sign)
    return falling + _trending(findings, of_losses.EXTRINSIC_FLAT, squared, "no", sign)


def how_many_neighbours(findings: Findings) -> list[str]:
    """Whether p@n ranks words alike at different n, and whether it goes with the PIP loss."""
    return [*findings.yes_or_no(claims.INCONSISTENT), *findings.beside(claims.UNRELATED_TO_LOSS)]


def cosines(findings: Findings) -> list[str]:
    """Whether cosines are normal, and independent."""
    return [
        *findings.beside(claims.NORMAL_COSINES),
        *findings.cannot_tell(claims.NORMAL_COSINES, " whether cosines follow a normal distribution"),
        *findings.beside(claims.INDEPENDENT_COSINES),
        *findings.cannot_tell(
            claims.INDEPENDENT_COSINES, " whether the cosines of different word pairs vary independently"
        ),
    ]


def averages(findings: Findings) -> list[str]:
    """What averaging gains, by the verdict's rule, and what it does to scores."""
    answers = []
    for name in findings.spoken:
        if level := of_averages.largest_averages(findings.tables, name):
            begin = {"helps": "Yes", "harms": "No"}.get(
                of_averages.AVERAGING_HELPS.judge(level), "These runs are too few to say"
            )
            answers.append(f"{begin}{findings.of([name])}: {of_averages.difference_of_averages(level)}.")
    gains = of_averages.judged_gains(findings.tables)
    for test in dict.fromkeys(test for _, test in gains):
        for judged in DECIDED:
            rows = [gains[name, test] for name in findings.spoken if (name, test) in gains]
            if those := [row for row in rows if of_averages.RAISES_SCORE.judge(row) == judged]:
                text = of_averages.RAISES_SCORE.sentence(those[0])
                answers.append(findings.sentence([row.technique for row in those], text))
    return answers


def runs_needed(findings: Findings) -> list[str]:
    """How many runs would give a standard error of 1 %, as far as 1/√R may be extrapolated."""
    answers = []
    for name in findings.spoken:
        needed = [
            f"{counted(row.for_1_percent, 'run')} for "
            f"{'the mean PIP loss' if row.quantity == REDUCED_PIP else row.quantity}"
            for row in HOW_MANY.rows(findings.tables, technique=name)
            if row.for_1_percent
        ]
        if needed:
            answers.append(f"A standard error of 1 %{findings.of([name])} needs about {listed(needed)}.")
    return answers


def scores(findings: Findings) -> list[str]:
    """How far the scores of runs that differ in seeds and draws alone lie apart."""
    answers = []
    for name in findings.spoken:
        rows = [row for row in EXTREMES.rows(findings.tables, technique=name) if row.relative_sd > 0]
        if rows:
            most = max(rows, key=lambda row: row.relative_sd)
            answers.append(
                f"The score in {most.test} varies most{findings.of([name])}: {word(most.runs)} runs that differ only "
                f"in seeds and draws have an SD of {most.relative_sd:.1f} % of their mean."
            )
    return answers


def alarm_of(
    name: str, flaws: Mapping[str, Flaws], overlaps: Mapping[str, str], losses: Sequence[Loss] = ()
) -> tuple[str, str]:
    """Return why no verdict is given on a technique, whichever of its groups set that off; empty for sound runs.

    Args:
        name: of the technique.
        flaws: by sampling, what is wrong with its runs.
        overlaps: by sampling, the sentence on runs that share hardly any word.
        losses: of the technique, by which runs may be no more alike than unrelated spaces.

    Returns:
        The reason in a few words, the end of a sentence; and the whole of it, with everything that it forbids.
    """
    fallen = {sampling: flaw.collapse for sampling, flaw in flaws.items() if flaw.collapse}
    sentences = [
        *(_collapsed(fallen, sum(collapse.of for collapse in fallen.values())) if fallen else ()),
        *_each({sampling: [sentence] for sampling, sentence in overlaps.items()}),
        *_each({sampling: flaw.copies for sampling, flaw in flaws.items()}),
        *_each({sampling: flaw.far for sampling, flaw in flaws.items()}),
        *(said for row in losses if (said := of_losses.NOTHING_IN_COMMON.sentence(row))),
    ]
    if not sentences:
        return "", ""
    reason, called = _reason(fallen, flaws, overlaps), group_in_words(name)
    return reason, (
        f"{capital(called)} gets no verdict: {reason}. {' '.join(sentences)} This page therefore answers no question "
        f"about {called}. Its numbers stand in the tables and pictures as they were measured."
    )


def silent_of(groups: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return why, of the techniques on which no verdict is given, from the summaries of all."""
    return {group["name"]: group["no_verdict"] for group in groups if group.get("no_verdict")}


def _reason(fallen: Mapping[str, Collapse], flaws: Mapping[str, Flaws], overlaps: Mapping[str, str]) -> str:
    """The gravest of what is wrong."""
    if fallen:
        every = fallen.keys() == flaws.keys() and all(len(part.names) == part.of for part in fallen.values())
        return "its runs are collapsed" if every else "some of its runs are collapsed"
    if overlaps:
        return "its runs share hardly any words"
    if any(flaw.copies for flaw in flaws.values()):
        return "some of its runs are equal"
    if any(flaw.kinds for flaw in flaws.values()):
        return "its runs fall into kinds"
    if any(flaw.far for flaw in flaws.values()):
        return "one run or more lie far from the others"
    return "its runs are hardly more alike than unrelated spaces"


def _collapsed(fallen: Mapping[str, Collapse], of: int) -> Iterator[str]:
    runs = sum(len(part.names) for part in fallen.values())
    which = f"all {of}" if runs == of else f"{runs} of {of}"
    names = "" if runs == of else f" ({'; '.join(f'{s} {named(part.names)}' for s, part in fallen.items())})"
    whole = Collapse((), of, min(part.low for part in fallen.values()), max(part.high for part in fallen.values()))
    yield (
        f"In {which} {listed(list(fallen))} runs{names}, nearly all words point one way: the mean cosine of two "
        f"different words is {whole.span}. A small PIP loss means nothing there. Train longer, or centre the vectors "
        "(--centre)."
    )


def _each(sentences: Mapping[str, list[str]]) -> Iterator[str]:
    """Sentences on single groups; the same one of several groups once."""
    for sentence, samplings in by_sentence(sentences).items():
        yield f"{capital(listed(samplings))} runs: {sentence}"
