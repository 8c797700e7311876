"""`shoal init` of a database: which rows are meant, and how a recipe says so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from shoal.errors import RecipeError
from shoal.io.databases.selection import Selection
from shoal.io.databases.urls import scheme_of, url_problems

if TYPE_CHECKING:
    from collections.abc import Sequence

UNREAD = "holds no plain values: removed"


def selected_rows(url: str, tables: Sequence[str], query: str, *, trees: bool) -> Selection | None:
    """One table, or a query; None where tables make up records of trees, or nothing says which rows are meant."""
    if not url or (trees and not query):
        return None
    problems = url_problems(url)
    if query and (tables or trees):
        problems.append("--query: its rows are the records; leave out --table, --record, --key and --mapping.")
    if not query and len(tables) != 1 and scheme_of(url) != "postgresql":
        problems.append("--table: which table has the rows? Of a DuckDB or SQLite file give one, or a --query.")
    if problems:
        raise RecipeError(*problems)
    if query:
        return Selection(url, query=query)
    if len(tables) == 1 and "=" not in tables[0]:
        return Selection(url, table=tables[0])
    return None


def input_section(rows: Selection, recipe: Path) -> dict[str, str]:
    """As in `[input]` of a recipe that lies there."""
    url = rows.url
    if (
        rows.file is not None and not rows.file.is_absolute()
    ):  # relative to the current folder, and then to the recipe's
        path = os.path.relpath(rows.file.resolve(), recipe.resolve().parent)
        url = f"{scheme_of(url)}:///{quote(Path(path).as_posix())}"
    return {"url": url, **({"table": rows.table} if rows.table else {"query": rows.query})}
