"""Many runs over one vocabulary: how they are joined, stored in run sets, and read."""

from gpustab.runs.runs import Joining, Rows, Rule, Runs

__all__ = ["Joining", "Rows", "Rule", "Runs"]
