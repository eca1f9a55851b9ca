"""Tensor kernels: pure functions, tensors in, tensors out.

No words, no files, no printing, no choice of device and no global state. ``R`` runs of ``v`` words in ``d``
dimensions are a stack ``(R, v, d)``; pairs of runs are the unordered ``i < j`` in row-major order.
"""
