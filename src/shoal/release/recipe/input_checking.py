"""What is wrong within `[input]`: a file, tables with keys, or a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.io.databases.urls import file_of, url_problems
from shoal.io.trees.keys import Key

if TYPE_CHECKING:
    from shoal.release.recipe.sections import Input


def input_problems(spec: Input) -> list[str]:
    """Each with its key."""
    if spec.table or spec.query:
        return _selection_problems(spec)
    places = [key for key, value in (("path", spec.path), ("tables", spec.tables), ("url", spec.url)) if value]
    if not places:
        return ["input.path: must be given; or `url` with `table` or `query`; or, of trees, `tables`."]
    of_tables = not spec.path
    problems = (
        []
        if of_tables or len(places) == 1
        else ["input.path: is given beside `tables` or `url`; data comes from one place."]
    )
    if of_tables:
        if not spec.tables:
            problems.append(
                "input.url: also needs `table` or `query`, whose rows are the records; or, of trees, `tables`, which make up a "
                'record: ["customer", "orders"].'
            )
        elif not spec.url and isinstance(spec.tables, list):
            problems.append(
                'input.tables: names a file for each table: { customer = "customer.parquet", orders = "orders.csv" }.'
            )
        if isinstance(spec.tables, list) and len(set(spec.tables)) < len(spec.tables):
            problems.append(
                'input.tables: a table is named twice; give it a second name: { nation = "nation", home = "nation" }.'
            )
        if not spec.record and spec.tables:
            problems.append("input.record: must be given: the table that has one row for each person.")
        if spec.mapping:
            problems.append("input.mapping: is for FHIR files, not for tables.")
    elif spec.keys:
        problems.append("input.keys: tie tables together, and `path` is one file or folder.")
    problems += _office_problems(spec)
    if spec.url:
        problems += url_problems(spec.url)
        if spec.tables and file_of(spec.url, Path()) is not None:
            problems.append(
                "input.tables: are of PostgreSQL. Of a DuckDB or SQLite file one `table` or `query` is read; or export its tables."
            )
    for number, key in enumerate(spec.keys):
        try:
            Key.of(key)
        except ValueError as mistake:
            problems.append(f"input.keys.{number}: {mistake}")
    return problems


def _office_problems(spec: Input) -> list[str]:
    """Keys of a workbook, or of a file with labels, where `path` is another file."""
    name = spec.path.lower()
    problems = [
        f"input.{key}: is of a workbook (.xlsx), and `path` is none."
        for key in ("sheet", "header")
        if key in spec.model_fields_set and not name.endswith(".xlsx")
    ]
    if "labels" in spec.model_fields_set and not name.endswith((".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")):
        problems.append("input.labels: is of files of SPSS, Stata and SAS, and `path` is none.")
    return problems


def _selection_problems(spec: Input) -> list[str]:
    """Of rows of a database."""
    key = "table" if spec.table else "query"
    problems = []
    if spec.table and spec.query:
        problems.append("input.query: is given beside `table`; records come from one of them.")
    if not spec.url:
        problems.append(f"input.{key}: is of a database; give its address as `url`.")
    else:
        problems += url_problems(spec.url)
    problems += [
        f"input.{other}: has no place beside `{key}`, whose rows are the records."
        for other in ("path", "tables", "record", "keys", "mapping", "delimiter", "multiline")
        if getattr(spec, other)
    ]
    return problems
