"""Where the original lies and how it is written: the section `[input]` of a recipe, with its paths resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

MARK = "|"  # between the items of a set in a cell, unless the recipe names another


@dataclass(frozen=True)
class Input:
    """The keys of `[input]`, by their names there. A place is a `Path`; a `str` is a URI that Spark resolves.

    `tables`: of files, the place of each; with `url`, by the name that a table has here the one it has in the database
    (`["customer"]` stands for `{customer = "customer"}`). `mapping`: "" for none, "fhir-r4" for the one that comes with shoal, or
    the place of a file. `missing`: texts that mean "no value" in every column; codes of single columns are in the schema.
    """

    path: Path | str | None = None
    tables: Mapping[str, Path | str] = field(default_factory=lambda: MappingProxyType({}))
    url: str = ""
    table: str = ""
    query: str = ""
    folder: Path = Path()  # that the address of a database in a file starts from
    record: str = ""
    keys: tuple[str, ...] = ()
    mapping: Path | str = ""
    delimiter: str | None = None  # None: by the name of the file, tab for .tsv, else comma
    encoding: str = "utf-8"  # of CSV
    quote: str = '"'  # of CSV
    missing: tuple[str, ...] = ()
    multiline: bool = False
    items: str = MARK
    sheet: str = ""  # of a workbook; "": the only one that shows something
    header: int = 1  # of a workbook: the row that names the columns
    labels: bool = True  # of SPSS, Stata and SAS: a labelled code is read as its label


@dataclass(frozen=True, eq=False)
class Frame:
    """A data frame of the user's own, in the place of files; or the place of the Parquet file that its rows were put into, where it
    computes them only when it is asked."""

    data: Any
