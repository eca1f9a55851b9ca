"""The commands ``study NAME``."""
