"""Writing a file of SPSS (`.sav`) or Stata (`.dta`), by pyreadstat, with the labels of the file that was read.

A column that had value labels is written as labelled codes again: an unchanged value has its code and its label, and a group has a
code of its own, above all codes of the file, with the group as its label. Only labels of values that occur are written: all else
would say more than the release does. Every other column that was blurred is text.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import DataError, RecipeError
from shoal.io.office.cells import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shoal.io.office.cells import Column
    from shoal.io.office.confined import Notes

_NAMES = {".sav": re.compile(r"[^\W\d_][\w.@#$]{0,63}"), ".dta": re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")}
_PROGRAMS = {".sav": "SPSS", ".dta": "Stata"}
_RULES = {
    ".sav": "begin with a letter and hold at most 64 letters, digits and the marks . _ @ # $",
    ".dta": "begin with a letter and hold at most 32 plain letters, digits and _",
}
_LONGEST = 32_767  # bytes of a text
_FIRST_DAY = dt.date(1600, 1, 1)
_LEAST_GROUP = 1_000  # codes of groups begin above the next power of ten
_RESERVED = frozenset(
    [
        "_all",
        "_b",
        "byte",
        "_coef",
        "_cons",
        "double",
        "float",
        "if",
        "in",
        "int",
        "long",
        "_n",
        "_N",
        "_pi",
        "_pred",
        "_rc",
        "_skip",
        "strL",
        "str",
        "using",
        "with",
    ]
)


def check_names(names: Iterable[str], suffix: str) -> None:
    """Refuse names that the program has no place for."""
    form = _NAMES[suffix]
    bad = [name for name in names if not form.fullmatch(name) or (suffix == ".dta" and name in _RESERVED)]
    if bad:
        raise RecipeError(
            f"output.path: {_PROGRAMS[suffix]} has no columns of these names: {', '.join(bad[:5])}. Names {_RULES[suffix]}. Rename "
            "them in the data, or write .csv."
        )


def write_statistics(rows: pa.Table | pa.RecordBatchReader, path: Path, notes: Notes, *, items: str = "|") -> int:
    """Write rows and return how many. notes: of the file that was read. items: what separates the items of a set."""
    import pandas
    import pyreadstat

    table = rows if isinstance(rows, pa.Table) else rows.read_all()
    suffix = path.suffix
    check_names(table.column_names, suffix)
    series, labels, formats = {}, {}, {}
    for column in columns_of(table, items, first_day=_FIRST_DAY, truths=False):
        coded = _coded(column, notes.labels.get(column.name, {}), column.name in notes.by_label)
        if coded is not None:
            codes, labels[column.name] = coded
            series[column.name] = pandas.Series(codes, dtype="float64")
            formats[column.name] = "F8.0"
        elif column.kind == "text":
            series[column.name] = pandas.Series(_texts(column), dtype="object")
        elif column.kind in ("number", "whole"):
            series[column.name] = pandas.Series(column.values, dtype="float64")
            if column.kind == "whole":
                formats[column.name] = "F12.0"
        else:
            series[column.name] = pandas.Series(column.values, dtype="object")
    titles = [notes.titles.get(name, "") for name in series]
    frame = pandas.DataFrame(series)
    try:
        if suffix == ".sav":
            pyreadstat.write_sav(
                frame,
                path,
                column_labels=titles,
                variable_value_labels=labels,
                variable_format=formats,
                row_compress=True,
            )
        else:
            pyreadstat.write_dta(frame, path, column_labels=titles, variable_value_labels=labels)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        raise DataError(
            f"{path.name} cannot be written as a file of {_PROGRAMS[suffix]} ({type(error).__name__}). Write .csv or .parquet."
        ) from None
    _forget_when(path)
    return int(table.num_rows)


def _coded(
    column: Column, labels: Mapping[str, str], by_label: bool
) -> tuple[list[float | None], dict[float, str]] | None:
    """The codes of the values, and the labels of those codes. None of a column without labels, or with codes that are texts."""
    if not labels or any(_number(code) is None for code in labels):
        return None
    held = sorted({_word(value) for value in column.values if value is not None})
    if not by_label:  # codes were read: as long as none was blurred, they stay codes
        if column.kind != "whole":
            return None
        return column.values, {float(word): labels[word] for word in held if word in labels}
    code_of = {label: float(code) for code, label in labels.items()}
    codes = {word: code for word in held if (code := code_of.get(word, _number(word))) is not None}
    largest = max(map(abs, (*code_of.values(), *codes.values())))
    base = max(_LEAST_GROUP, 10 ** len(str(int(largest))))
    groups = (word for word in held if word not in codes)
    codes |= {word: float(base + number) for number, word in enumerate(groups, start=1)}
    values = [None if value is None else codes[_word(value)] for value in column.values]
    return values, {code: word for word, code in codes.items() if _number(word) != code}


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _number(text: str) -> float | None:
    """The whole number that a text is; Stata has labels of no others."""
    return float(text) if re.fullmatch(r"-?(0|[1-9]\d{0,8})", text) else None


def _texts(column: Column) -> list[str]:
    texts = ["" if value is None else value for value in column.values]
    for text in texts:
        if text != text.rstrip() or "\0" in text or len(text.encode()) > _LONGEST:
            raise DataError(
                f"Column '{column.name}': a text with blanks at its end, or of more than {_LONGEST:,} bytes, would not be read "
                "back as it is. Write .csv or .parquet instead."
            )
    return texts


def _forget_when(path: Path) -> None:
    """The time of writing is no part of a release."""
    with path.open("r+b") as file:
        start = file.read(4_096)
        if start.startswith(b"$FL"):
            file.seek(92)
            file.write(b"01 Jan 7000:00:00")
            return
        at = start.find(b"<timestamp>")
        if at >= 0 and start[at + 11] == 17:
            file.seek(at + 12)
            file.write(b"01 Jan 1970 00:00")
