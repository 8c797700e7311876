"""Open a release for analysis: of a table with its codebook, of item sets with base sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.io.publishing.names import sidecar
from shoal.io.sets.items import MARK
from shoal.release.kinds.sets.opened import OpenedRelease, open_matching
from shoal.release.kinds.tables.opened import OpenedTable, open_table

if TYPE_CHECKING:
    from collections.abc import Mapping


def open_release(
    data: Any,
    *,
    codebook: Path | str | Mapping[str, Any] | None = None,
    column: str | None = None,
    items: str = MARK,
) -> OpenedTable | OpenedRelease:
    """Open a release for analysis: counts with bounds, labels at one level.

    Parameters
    ----------
    data : frame or path
        A Parquet file or folder, CSV, JSON lines, or a data frame.
    codebook : path or mapping, optional
        Of a table; by default the file beside the release.
    column : str, optional
        Of the sets, when the release has several.
    items : str
        What separates items in CSV.

    Returns
    -------
    OpenedTable or OpenedRelease
        Of a table; of item sets that show a base set.

    Examples
    --------
    >>> import shoal
    >>> release = shoal.run("demo/recipe.toml")
    >>> counted = shoal.open_release(release.files[0]).count({"age": (40, None)})
    >>> counted.lower <= counted.upper
    True
    """
    if codebook is not None or _is_table(data):
        return open_table(data, codebook, items=items)
    return open_matching(data, column=column, items=items)


def _is_table(data: Any) -> bool:
    """A codebook beside the file, of a table: with a column of single values that is blurred, or with no column of sets."""
    if not isinstance(data, Path | str):
        return False
    import json

    try:
        book = json.loads(sidecar(Path(data), "codebook.json").read_text(encoding="utf-8"))
        return not any(column["type"].startswith("list") for column in book["columns"]) or any(
            column["values"] and not column["type"].startswith("list") for column in book["columns"]
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
