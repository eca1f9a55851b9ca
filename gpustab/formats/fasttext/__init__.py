"""fastText's own models."""
