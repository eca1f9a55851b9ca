"""The errors that gpustab raises on purpose.

``InputError`` is the caller's to mend (bad file, bad argument: exit code 2 of the command line);
``ComputationError`` means that the work itself failed (exit code 1).
"""


class GpustabError(Exception):
    """Base of every error that gpustab raises on purpose."""


class InputError(GpustabError, ValueError):
    """The input cannot be used; the message names the place and what was expected there."""


class ComputationError(GpustabError, RuntimeError):
    """The input is fine, but a computation did not reach a trustworthy result."""


class OutOfMemoryError(ComputationError):
    """Even the smallest piece of the work does not fit the memory of the device."""
