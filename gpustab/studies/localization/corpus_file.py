"""The corpus as one file, TSV or Parquet, with what it was made of and by."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from gpustab.errors import InputError, option
from gpustab.formats.atomic import replacing
from gpustab.results import Content

_ENDINGS = (".tsv", ".parquet")


def check_corpus_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a corpus, or refuse it.

    Raises:
        InputError: if it has another ending, or its folder is not there.
    """
    place = Path(path)
    if place.suffix not in _ENDINGS:
        raise InputError(f"{option('corpus')} is '{place}', wanted a name that ends in {' or '.join(_ENDINGS)}")
    if not place.parent.is_dir():
        raise InputError(f"{option('corpus')} is '{place}': there is no folder {place.parent}")
    return place


def write_corpus(result: Content, path: str | os.PathLike[str]) -> None:
    """Write the sentences of a result, each with its base, kind, number of changes and change.

    A TSV begins with one line ``# {...}``, the provenance as JSON; a Parquet file has it in its metadata.

    Raises:
        InputError: see :func:`check_corpus_path`; or if pyarrow, of the extra ``report``, is missing for Parquet.
    """
    place, table, made = check_corpus_path(path), result.tables["sentences"], provenance(result)
    if place.suffix == ".parquet":
        return _write_parquet(place, dict(table), made)
    with replacing(place) as new, new.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"# {made}\n" + "\t".join(table) + "\n")
        for row in table.records():
            file.write("\t".join(str(value).replace("\t", " ") for value in row.values()) + "\n")
    return None


def provenance(result: Content) -> str:
    """Return what a corpus depends on, as JSON without dates: equal corpora have equal texts."""
    kept = {name: value for name, value in result.settings.items() if name != "draws"}
    return json.dumps(kept | {"gpustab": result.environment.get("gpustab")}, sort_keys=True, default=str)


def _write_parquet(place: Path, columns: dict[str, Any], made: str) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(f"{place}: Parquet needs pyarrow: pip install 'gpustab[report]'") from None
    table = pa.table(columns)
    with replacing(place) as new:
        pq.write_table(table.replace_schema_metadata({"gpustab": made}), new)
