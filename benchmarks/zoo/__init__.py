"""A zoo of texts: ordinary ones, which raise no strong doubt, and made files of other kinds, which must raise one.

    PYTHONPATH=. python -m benchmarks.zoo --out benchmarks/results

Thresholds of :mod:`gpustab.corpus.evidence` are set on two thirds of it. The last third, drawn by a hash of the names,
is left out while they are set, and reported apart.
"""
