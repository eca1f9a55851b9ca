"""The figures draw what there is, and say what they need."""

from gpustab.studies.consistency.figures import FIGURES
from gpustab.studies.consistency.tables import CLOSEST, DOMAIN, NEIGHBOURS, OWN, Domain, Neighbours, OwnVectors


def test_figures_draw_what_there_is_and_say_what_they_need():
    own = OwnVectors("g", "additive", 9, 0.6, 0.4, 0.2, 0.1, 0.3, 3000.0)
    closest = Domain("g", CLOSEST, 20, 0.7, 0.2, 0.5, 0.45, 0.55)
    other = Domain("g", "low in text, low in general", 20, 0.4, 0.2, 0.2, float("nan"), float("nan"))
    near = [Neighbours("g", "additive", "liberty & <law>", k, 0.9, 1, 1, f"state, x{k}") for k in (1, 2)]
    tables = {"own": OWN.table([own]), "domain": DOMAIN.table([closest, other]), "neighbours": NEIGHBOURS.table(near)}
    for name in ("own_place", "by_frequency", "nearest_words"):
        picture = FIGURES[name][1](tables)
        assert len(picture.panels) == 1
        assert "nan" not in picture.panels[0]
        assert FIGURES[name][1]({}).missing
    words = FIGURES["nearest_words"][1](tables).panels[0]
    assert words.count('class="g0 own"') == 2
    assert "liberty &amp; &lt;law&gt;" in words
