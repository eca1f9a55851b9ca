"""One space: its items and their vectors, and the account of how it was read."""

from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary

__all__ = ["Space", "Vocabulary"]
