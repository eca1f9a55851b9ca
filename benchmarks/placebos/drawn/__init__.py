"""Numbers drawn by a model whose truth is known: what no real text can ask.

Exact margins, runs of unlike noise, effects of a known size and any number of runs are drawn, again and again, and
judged by the product's own rules, as :mod:`benchmarks.placebos.cells` counts them on real text.
"""
