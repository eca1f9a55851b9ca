"""Runs of contextual encoders: words by the mean of their occurrences, sentences and documents as their folder pools.

Kept apart from :mod:`gpustab.trainers`, which learn from word ids: an encoder reads the text as it was written.
"""
