"""Which files are of an office program, and what is needed to read them. The packages are an extra, `shoal[office]`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.io.columns import check_names
from shoal.io.files import open_regular
from shoal.io.office.confined import Notes, read_confined

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from shoal.io.reading import RowReading

_EXCEL, _STATISTICS = ("python_calamine", "python-calamine"), ("pyreadstat", "pyreadstat")
_NEEDED = {  # by suffix: the module, and the package that has it
    ".xlsx": _EXCEL,
    ".sav": _STATISTICS,
    ".zsav": _STATISTICS,
    ".dta": _STATISTICS,
    ".sas7bdat": _STATISTICS,
    ".xpt": _STATISTICS,
}
SUFFIXES = tuple(_NEEDED)


@dataclass(frozen=True)
class Opened:
    """A table of an office program, and what its file says beside the values."""

    table: pa.Table
    notes: Notes


def is_office(path: Path) -> bool:
    """Whether the suffix is that of an office program."""
    return path.suffix.lower() in _NEEDED


def open_office(path: Path, reading: RowReading) -> Opened:
    """Read in a process of its own, within limits."""
    os.close(open_regular(path))  # a pipe or a folder is refused before a process waits for it
    module, package = _NEEDED[path.suffix.lower()]
    if find_spec(module) is None:
        raise DataError(
            f"{path.name} is read with {package}, which is not installed: pip install 'shoal[office]'. Or save the table as CSV."
        )
    options: dict[str, Any] = {
        "sheet": reading.sheet,
        "header": reading.header,
        "labels": reading.labels,
        "missing": list(reading.missing),
        "look": reading.look,
    }
    table, notes = read_confined(path, options)
    check_names(table.column_names, path.name)
    return Opened(table, notes)
