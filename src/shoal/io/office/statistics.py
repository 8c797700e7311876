"""Files of SPSS (`.sav`, `.zsav`), Stata (`.dta`) and SAS (`.sas7bdat`, `.xpt`), read by pyreadstat.

A value that has a label is read as its label, unless the recipe asks for the codes: people know "divorced", not 4. Codes that the
file declares missing are missing either way, and are noted by column. Two codes with one label would become one value, so they are
refused until the recipe asks for codes.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import DataError
from shoal.io.office.confined import Notes

if TYPE_CHECKING:
    from pathlib import Path

NEEDS = "pyreadstat"
READ = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_LARGEST = 1e300  # beyond it stands what SPSS calls the highest and the lowest number
_DECLARES_MISSING = ("read_sav", "read_dta", "read_sas7bdat")  # formats in which a code may stand for no answer


def read_statistics(path: Path, options: dict[str, Any]) -> tuple[pa.Table, Notes]:
    """options: `labels`, whether a labelled code is read as its label, by default, or as it is; `missing`, texts for no value."""
    import pyreadstat

    reader = READ[path.suffix.lower()]
    more = {"user_missing": True} if reader in _DECLARES_MISSING else {}
    try:
        values, facts = getattr(pyreadstat, reader)(str(path), output_format="dict", **more)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OSError, OverflowError) as error:
        raise DataError(
            f"{path.name} cannot be read ({type(error).__name__}); the file may be damaged. Save it anew."
        ) from None
    by_label = options.get("labels", True)
    texts = frozenset(options.get("missing") or ())
    columns, labels, missing, named, faults = {}, {}, {}, [], []
    for name, column in values.items():
        declared = _declared(name, facts)
        cells = [None if _is_missing(cell, declared) else cell for cell in column]
        if declared:
            missing[name] = tuple(map(_words, declared))
        known = {_number(code): label for code, label in (facts.variable_value_labels.get(name) or {}).items()}
        if known:
            labels[name] = {_code(code): label for code, label in known.items()}
        held = {cell for cell in cells if cell is not None}
        if by_label and held & known.keys():
            twice = [
                label for label, times in Counter(known[cell] for cell in held & known.keys()).items() if times > 1
            ]
            if twice:
                faults.append(name)
            named.append(name)
            cells = [None if cell is None else known.get(cell, _code(cell)) for cell in cells]
        columns[name] = _array([None if cell in texts else cell for cell in cells])
    if faults:
        raise DataError(
            f"{path.name}: different codes have the same label in {', '.join(faults)}, and would become one value. Give them "
            "labels of their own, or read the codes: [input] labels = false."
        )
    titles = {name: title for name, title in (facts.column_names_to_labels or {}).items() if title}
    warnings: tuple[str, ...] = ()
    if missing:
        warnings = (f"Codes that {path.name} declares missing are read as no value, in: {', '.join(missing)}.",)
    return pa.table(columns), Notes(warnings, labels, missing, tuple(named), titles)


def _declared(name: str, facts: Any) -> list[tuple[Any, Any]]:
    """From … to … of the codes that stand for a missing value."""
    ranges = [(_number(one["lo"]), _number(one["hi"])) for one in (facts.missing_ranges or {}).get(name, ())]
    return ranges + [(code, code) for code in (facts.missing_user_values or {}).get(name, ())]


def _words(codes: tuple[Any, Any]) -> str:
    low, high = codes
    if low == high:
        return _code(low)
    if isinstance(low, float) and low <= -_LARGEST:
        return f"up to {_code(high)}"
    return f"{_code(low)} and above" if high >= _LARGEST else f"{_code(low)} to {_code(high)}"


def _is_missing(cell: Any, declared: list[tuple[Any, Any]]) -> bool:
    if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return True
    return any(isinstance(cell, type(low)) and low <= cell <= high for low, high in declared)


def _number(code: Any) -> Any:
    return float(code) if isinstance(code, int | float) else code


def _code(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _array(cells: list[Any]) -> pa.Array:
    """Whole numbers are whole, and moments at midnight are days: these formats store both as decimals."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {float, int}:
        numbers = [None if cell is None else float(cell) for cell in cells]
        if all(number is None or (number.is_integer() and abs(number) < 2**53) for number in numbers):
            return pa.array([None if number is None else int(number) for number in numbers], pa.int64())
        return pa.array(numbers, pa.float64())
    if kinds and kinds <= {dt.datetime, dt.date}:
        if all(cell is None or not isinstance(cell, dt.datetime) or cell.time() == dt.time() for cell in cells):
            days = [cell.date() if isinstance(cell, dt.datetime) else cell for cell in cells]
            return pa.array(days, pa.date32())
        return pa.array(cells, pa.timestamp("us"))
    texts: list[str | None] = [
        None if cell is None else cell if isinstance(cell, str) else _code(cell) for cell in cells
    ]
    return pa.array(texts, pa.string())
