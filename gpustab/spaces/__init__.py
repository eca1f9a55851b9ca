"""One space: its items and their vectors, and the account of how it was read."""
