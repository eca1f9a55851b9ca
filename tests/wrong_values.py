"""Values that a field must refuse, made of what it declares."""

import math
from typing import Literal, get_args, get_origin

from gpustab.options import item_of, members


def wrong_values(declared):
    """Just outside of every bound, of a wrong type, or no choice; none where anything goes."""
    kinds = members(declared.kind)
    items = [item for kind in kinds if (item := item_of(kind)) is not None]
    if (items and items[0] in (int, float)) or (items and get_origin(items[0]) is Literal):
        return [(value,) for value in _wrong([items[0]], declared.option)] + [(), "zebra", 3]
    if items and len(kinds) == 1:
        return ["zebra", b"zebra", 3]
    wrong = _wrong(kinds, declared.option)
    return [*wrong, None] if wrong and type(None) not in get_args(declared.kind) else wrong


def at_bounds(declared):
    """The least and the largest number that are taken, alone."""
    spec, kinds = declared.option, members(declared.kind)
    inner = [math.nextafter(spec.above, math.inf)] if spec.above is not None else []
    inner += [math.nextafter(spec.below, -math.inf)] if spec.below is not None else []
    numbers = [bound for bound in (spec.low, spec.high) if bound is not None] + inner
    return [(number,) for number in numbers] if any(item_of(kind) is not None for kind in kinds) else numbers


def _wrong(kinds, spec):
    if not all(kind in (int, float, bool) or get_origin(kind) is Literal for kind in kinds):
        return []
    values = ["zebra"]
    if bool in kinds:
        values += ["False", 1, 0.0]
    if any(get_origin(kind) is Literal for kind in kinds):
        values += [1.5]
    if int in kinds or float in kinds:
        values += [True, math.nan, "1.5"]
        values += [float(bound) for bound in (spec.above, spec.below) if bound is not None]
    if int in kinds:
        values += [1.5]
        values += [] if spec.low is None else [spec.low - 1]
        values += [] if spec.high is None else [spec.high + 1]
    if float in kinds:
        values += [] if spec.low is None else [math.nextafter(spec.low, -math.inf)]
        values += [] if spec.high is None else [math.nextafter(spec.high, math.inf)]
    return values
