"""Which of two groups of runs is more stable, over the same words, and which words differ most?"""
