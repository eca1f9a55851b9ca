"""A Result as one JSON object."""

from __future__ import annotations

import json
import math
from typing import Any

from gpustab.results import Result


def to_json(result: Result) -> str:
    """Return the result as one JSON object; NaN and infinities become ``null``. Tables are left to Parquet.

    >>> to_json(Result("stability", settings={"sd": math.nan})).splitlines()[:2]
    ['{', '  "schema": "gpustab.stability/1",']
    """
    content = {
        "schema": result.schema,
        "groups": result.groups,
        "contrasts": result.contrasts,
        "notes": result.notes,
        "settings": result.settings,
        "environment": result.environment,
    }
    return json.dumps(plain(content), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value with every number that is not finite replaced by ``None``, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
