"""A process that is forked after a computation: the threads of OpenMP are not in the child, and it would wait for them.

A child works with one thread, as torch's loader of data has its workers do; a process that is spawned has all.
"""

from __future__ import annotations

import os
import sys

import torch


def make_forks_safe() -> None:
    """See that children of this process that are forked from now on do not wait for threads that they do not have."""
    if hasattr(os, "register_at_fork"):  # Windows has no fork
        os.register_at_fork(after_in_child=_work_with_one_thread)


def _work_with_one_thread() -> None:
    torch.set_num_threads(1)  # MKL's too
    if faiss := sys.modules.get("faiss"):  # its wheels bring an OpenMP of their own
        faiss.omp_set_num_threads(1)
