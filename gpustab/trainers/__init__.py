"""Training techniques, one module each."""
