"""Associations of sets of words with sets of words, over runs: what of an effect size is one run's luck?"""
