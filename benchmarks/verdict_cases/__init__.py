"""Runs whose truth is known, drawn again and again: what `benchmarks.verdicts` counts the rules' verdicts on.

Every case is a function of the number of runs and a NumPy generator that returns a verdict of the product's own rule.
"""
