"""How unstable are word embeddings, why, and does averaging help? Rettenmeier 2020, chapters 2 and 3.

One module per section; each returns plain tables, :func:`instability` collects them.
"""
