"""How records are read, by what a record is: a row of cells, or a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from shoal.io.sets.items import MARK

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from shoal.data.schema import Schema


@dataclass(frozen=True, kw_only=True)
class TextReading:
    """What all texts have in common."""

    delimiter: str | None = None  # in CSV; None: as the suffix says
    encoding: str = "utf-8"  # of CSV
    quote: str = '"'  # of CSV
    multiline: bool = False  # whether a cell of CSV may have several lines
    missing: tuple[str, ...] = ()  # texts that mean: no value


@dataclass(frozen=True, kw_only=True)
class RowReading(TextReading):
    """Rows whose cells are single values or sets of items."""

    sets: Collection[str] | None = ()  # the columns that hold sets of items; None where it is not yet known
    items: str = MARK  # what separates the items of a set in CSV
    sheet: str = ""  # of a workbook; "" for the only one that shows something
    header: int | None = None  # of a workbook: the row that names the columns; None for the first
    labels: bool = True  # of SPSS, Stata and SAS: whether a labelled code is read as its label
    look: bool = False  # whether to choose where nothing is stated, for a person to confirm
    # By column of CSV: how numbers or dates are written there, and the cells that stand for no value.
    written: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class TreeReading(TextReading):
    """Nested records, or tables that are folded into such."""

    schema: Schema | None = None  # what is published, and where it lies; None to look at all there is
    scratch: Path | None = None  # a private folder for what does not fit in memory while it is read
    record: str = ""  # in XML, the element of a record
    mapping: str | Path = ""  # of FHIR: the name of a mapping, or a file
