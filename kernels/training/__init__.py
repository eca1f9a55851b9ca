"""Kernels that train many runs at once."""
