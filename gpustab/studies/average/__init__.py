"""The tree average of many runs as one space, and how much nearer averages are to each other than runs.

Rettenmeier 2020, §3.2.
"""
