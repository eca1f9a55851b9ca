"""The picture over changed words: a line that does not move is a sentence, not a picture."""

import pytest

from gpustab.studies.localization.figures import FIGURES
from gpustab.studies.localization.tables import SCORES, Score

NOUNS = ("noun synonym within paraphrase", "random noun within paraphrase")


def drawn(**shares):
    """The picture of models by their shares at one, two and three changed words, of synonyms and of random nouns."""
    rows = [
        Score(**dict.fromkeys(Score._fields, 0) | {"model": model, "subset": "all", "comparison": comparison})._replace(
            k=k, n=40, share=share, low=max(share - 0.1, 0), high=min(share + 0.1, 1)
        )
        for model, both in shares.items()
        for comparison, values in zip(NOUNS, both, strict=True)
        for k, share in enumerate(values, 1)
    ]
    return FIGURES["by_changes"][1]({SCORES.name: SCORES.table(rows)})


MOVES = ([0.9, 0.8, 0.7], [0.5, 0.4, 0.3])


@pytest.mark.parametrize("share", [1.0, 0.0, 0.5])
def test_a_lone_flat_line_is_a_sentence(share):
    picture = drawn(bag=([share] * 3, [share] * 3))
    assert picture.panels == []
    assert f"bag {100 * share:.0f} %" in picture.missing


def test_what_moves_is_drawn_and_the_flat_one_is_told_below():
    picture = drawn(bag=([1.0] * 3, [1.0] * 3), mean=MOVES)
    assert len(picture.panels) == 1
    assert picture.title.endswith("mean 90 and 50 %")
    assert "bag 100 %" in picture.caption


def test_two_flat_lines_at_different_levels_say_something():
    assert len(drawn(bag=([1.0] * 3, [0.4] * 3)).panels) == 1
