"""What files of vectors hold, and what reading them found: the load report of each."""

from gpustab.studies.info.study import info

__all__ = ["info"]
