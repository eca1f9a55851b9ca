"""Distances of single sentences: the nearest and farthest paraphrase, and the paper's own pair where it is given."""

import numpy as np
import pytest

from gpustab.report import to_html, to_text
from gpustab.sentences.model import BagOfWords, Embedding, Runs
from gpustab.studies.localization.corpus import Pair, build
from gpustab.studies.localization.distances import measure
from gpustab.studies.localization.example import measure_papers, papers_base, papers_lines
from gpustab.studies.localization.options import LocalizationOptions
from gpustab.studies.localization.study import localization
from gpustab.studies.localization.tables import EXAMPLES

PAPERS = Pair(
    "unions including these remained and demanded the government begin negotiations",
    "and unions remained and demanded that the government renegotiate",
)
"""An invented pair with the words of the paper's changes."""


def call(pairs, models, language, lexicon):
    return localization(pairs, models, language=language, lexicon=lexicon, draws=100)


def placed(run):
    """Each token has a vector of its own, drawn by the run."""

    def vector(word):
        return np.random.default_rng([run, *map(ord, word)]).normal(size=8)

    return Embedding("drawn", lambda texts: np.stack([sum(map(vector, text)) for text in texts]))


def test_the_papers_pair_is_found_by_its_words_and_changed_as_in_the_paper(language, lexicon):
    corpus = build([Pair("the unions will begin", "begin unions"), PAPERS], lexicon, language, LocalizationOptions())
    base = papers_base(corpus)
    assert (base.pair, base.side) == (1, 0)
    lines = papers_lines(base)
    assert [(kind, k, paper) for kind, k, _, paper in lines] == [
        ("base", 0, 0.0),
        ("paraphrase", 0, 0.35),
        ("noun_synonym", 1, 0.27),
        ("noun_synonym", 2, 0.25),
        ("noun_synonym", 3, 0.43),
        ("verb_antonym", 1, 0.36),
        ("verb_antonym", 2, 0.36),
        ("verb_antonym", 3, 0.43),
        ("verb_antonym", 4, 0.46),
    ]
    texts = [" ".join(tokens) for _, _, tokens, _ in lines]
    assert texts[4] == "brotherhoods including these remained and demanded the authorities begin dialogues"
    assert texts[8] == "unions excluding these changed and obviated the government end negotiations"
    found = measure_papers(corpus, BagOfWords())
    assert found == pytest.approx([0, 1 - 7 / 110**0.5, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.4])
    other = build([Pair("unions begin", "begin now")], lexicon, language, LocalizationOptions())
    assert measure_papers(other, BagOfWords()) == []


def test_the_nearest_and_the_farthest_paraphrase_are_those_of_the_distances(paraphrases, language, lexicon):
    result = call(paraphrases, [Runs("drawn", placed, 3), BagOfWords()], language, lexicon)
    corpus = build(paraphrases.pairs, lexicon, language, LocalizationOptions())
    runs = [measure(corpus, placed(run)) for run in (1, 2, 3)]
    both = [n for n, base in enumerate(corpus.bases) if base.chains["noun_synonym"] and base.chains["verb_antonym"]]
    means = {n: np.mean([run.paraphrase[n] for run in runs]) for n in both}
    rows = {
        which: list(EXAMPLES.rows(result.tables, model="drawn", example=which)) for which in ("nearest", "farthest")
    }
    for which, most in (("nearest", min), ("farthest", max)):
        base = corpus.bases[most(both, key=means.get)]
        base_row, paraphrase, *steps = rows[which]
        assert (base_row.pair, base_row.side, base_row.distance) == (base.pair, base.side, 0.0)
        assert paraphrase.distance == pytest.approx(most(means.values()))
        assert len(steps) == len(base.chains["noun_synonym"]) + len(base.chains["verb_antonym"])
        n = corpus.bases.index(base)
        own = [run.of(steps[-1].kind, steps[-1].k)[n] for run in runs]
        assert (steps[-1].distance, steps[-1].sd) == (pytest.approx(np.mean(own)), pytest.approx(np.std(own, ddof=1)))
    assert not list(EXAMPLES.rows(result.tables, example="White 2015"))
    assert all(np.isnan(row.sd) for row in EXAMPLES.rows(result.tables, model="bag of words"))
    assert "drawn: the farthest paraphrase" in to_html(result)


def test_the_papers_distances_stand_beside_a_models(language, lexicon):
    result = call(
        [PAPERS, Pair("the cars will begin now", "now begin cars")], [Runs("drawn", placed, 2)], language, lexicon
    )
    rows = list(EXAMPLES.rows(result.tables, example="White 2015"))
    assert len(rows) == 9
    assert [row.paper for row in rows[:2]] == [0.0, 0.35]
    page = to_html(result)
    assert "drawn: the sentence of White 2015, §5" in page
    assert "How do these findings stand to the paper" in to_text(result)
