"""Numbers that Rettenmeier 2020 prints, for the tests that find them again."""

LANGUAGES = ("HI", "FI", "ZH", "CS", "PL", "PT", "EN")
TECHNIQUES = ("word2vec", "GloVe", "fastText")
SAMPLINGS = ("fixed", "shuffled", "bootstrap")

_TABLE_2_8 = """
0.771 2.8 1.278 1.0 2.170 4.2 1.805 5.3 1.275 0.9 2.367 0.2 3.417 0.9 4.272 0.4 2.879 0.3
0.611 0.9 1.564 1.0 1.743 1.5 1.665 2.5 1.558 1.2 1.963 0.2 3.258 1.2 4.108 0.4 2.483 0.7
0.653 0.7 1.560 1.3 2.117 0.5 1.634 2.1 1.543 0.9 2.428 0.6 3.124 1.0 4.084 0.5 2.951 0.3
0.661 2.4 1.416 1.3 1.819 1.7 1.543 2.5 1.417 1.4 2.044 0.2 2.987 0.8 3.938 0.4 2.544 0.2
0.644 1.2 1.469 1.9 1.704 0.7 1.507 2.4 1.465 1.4 1.943 0.2 2.853 1.3 3.947 0.7 2.426 0.3
0.702 0.9 1.334 1.1 1.828 0.9 1.609 2.9 1.352 1.7 2.059 0.2 3.063 1.1 4.065 0.7 2.575 0.2
0.725 0.3 1.201 4.5 1.664 2.0 1.543 2.3 1.208 4.0 1.891 0.2 2.883 0.8 4.672 1.8 2.388 0.6
"""
_NUMBERS = iter(map(float, _TABLE_2_8.split()))
LOSSES = {
    (language, technique, sampling): (next(_NUMBERS), next(_NUMBERS))
    for language in LANGUAGES
    for sampling in SAMPLINGS
    for technique in TECHNIQUES
}
"""Table 2.8: mean reduced PIP loss in 10⁻², and its SD over 120 pairs of 16 runs in 10⁻⁴."""

EXTRINSIC = {
    "word2vec": (2.901, 2.801, 2.663, 2.557, 2.423, 2.606, 2.435),
    "GloVe": (4.077, 3.801, 3.781, 3.674, 3.665, 3.833, 4.513),
    "fastText": (1.639, 1.521, 1.677, 1.515, 1.453, 1.546, 1.458),
}
"""Table 2.11, in 10⁻², by language."""

CORPORA = {
    "HI": (48, 19),
    "FI": (155, 97),
    "ZH": (215, 96),
    "CS": (225, 85),
    "PL": (469, 137),
    "PT": (489, 87),
    "EN": (4501, 398),
}
"""Table 1.2: tokens in 10⁶ and vocabulary in 10⁴."""
