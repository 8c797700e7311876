"""Files of SAS. Transport files (`.xpt`, versions 5 and 8) are read from their bytes, as the maker of the format describes them.

Nobody describes `.sas7bdat`; it is read by pandas, whose reader shares nothing with the one that made the release.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError
from shoal.verifier.files.office.labelled import Coded

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_EPOCH = dt.datetime(1960, 1, 1)
_LINE = 80
_VARIABLE = 140
_DAYS = ("DATE", "DAY", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "MINGUO", "NENGO", "WEEKDATE", "JULIAN")
_MOMENTS = ("DATETIME", "E8601DT", "B8601DT", "DTDATE", "MDYAMPM")
_TIMES = ("TIME", "HHMM", "E8601TM", "B8601TM", "TOD", "HOUR")


def read_sas(path: Path) -> list[Coded]:
    """The columns in the order of the file."""
    return _transport(path) if path.suffix.lower() == ".xpt" else _by_pandas(path)


# ---- transport files ---------------------------------------------------------------------------------------------------


class _Lines:
    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.what, self.at = data, name, 0

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise DataError(f"{self.what}: ends before what it says it holds.")
        self.at += size
        return self.data[self.at - size : self.at]

    def header(self, *titles: bytes) -> bytes:
        line = self.take(_LINE)
        if line[:20] != b"HEADER RECORD*******" or line[20:28].rstrip() not in titles:
            raise DataError(f"{self.what}: no transport file of SAS, or one that is not known.")
        return line


def _transport(path: Path) -> list[Coded]:
    lines = _Lines(path.read_bytes(), path.name)
    is_new = lines.header(b"LIBRARY", b"LIBV8")[20:25] == b"LIBV8"
    lines.take(2 * _LINE)
    lines.header(b"MEMBER", b"MEMBV8")
    lines.header(b"DSCRPTR", b"DSCPTV8")
    lines.take(2 * _LINE)
    count = int(lines.header(b"NAMESTR", b"NAMSTV8")[54:58])
    described = lines.take(-(-count * _VARIABLE // _LINE) * _LINE)
    variables = [described[i * _VARIABLE : (i + 1) * _VARIABLE] for i in range(count)]
    line = lines.take(_LINE)
    while (
        line[20:27] == b"LABELV8" or line[20:27] == b"LABELV9"
    ):  # names and labels that are longer than there is room for
        raise DataError(
            f"{path.name}: a transport file with long labels; the verifier does not read it. Save it as CSV."
        )
    if line[:20] != b"HEADER RECORD*******" or line[20:25].rstrip() not in (b"OBS", b"OBSV8"):
        raise DataError(f"{path.name}: no transport file of SAS, or one that is not known.")
    body = lines.data[lines.at :]
    if b"HEADER RECORD*******MEM" in body:
        raise DataError(f"{path.name}: holds several tables; one is read. Save each in a file of its own.")
    width = sum(_short(variable, 4) for variable in variables)
    if not count or width <= 0:
        raise DataError(f"{path.name}: there are no columns.")
    rows = np.frombuffer(body[: len(body) // width * width], np.uint8).reshape(-1, width)
    rows = rows[: len(rows) - _padding(rows, width)]
    return [_variable(variable, rows, is_new) for variable in variables]


def _padding(rows: NDArray[np.uint8], width: int) -> int:
    """Rows of blanks that only fill up the last line."""
    number = 0
    while number < min(len(rows), (_LINE - 1) // width) and bool((rows[-1 - number] == 0x20).all()):
        number += 1
    return number


def _short(variable: bytes, at: int) -> int:
    return int.from_bytes(variable[at : at + 2], "big", signed=True)


def _variable(variable: bytes, rows: NDArray[np.uint8], is_new: bool) -> Coded:
    size, place = _short(variable, 4), int.from_bytes(variable[84:88], "big")
    name = _text(variable[88:120] if is_new else variable[8:16])
    if size < 1 or place + size > rows.shape[1]:
        raise DataError("A column of the transport file lies outside of its rows.")
    cells = np.ascontiguousarray(rows[:, place : place + size])
    if _short(variable, 0) == 2:
        texts = cells.view(f"V{size}").ravel().tolist()
        known = {text: _text(text) for text in set(texts)}
        return Coded(name, [known[text] for text in texts])
    return Coded(name, _in_form(_numbers(cells), _text(variable[56:64])))


def _text(value: bytes) -> str:
    return value.rstrip(b" \0").decode("utf-8")


def _numbers(cells: NDArray[np.uint8]) -> list[Any]:
    """Floats of an IBM mainframe: a power of 16, and 56 bits. A point, a letter or a line before zeros is a missing value."""
    wide = np.zeros((len(cells), 8), np.uint8)
    wide[:, : cells.shape[1]] = cells
    bits = wide.view(">u8").ravel().astype(np.uint64)
    first = (bits >> np.uint64(56)).astype(np.int64)
    fraction = (bits & np.uint64((1 << 56) - 1)).astype(np.float64)
    values = np.ldexp(fraction, 4 * ((first & 0x7F) - 64) - 56) * np.where(first & 0x80, -1.0, 1.0)
    marks = np.isin(first, [*b"._", *range(ord("A"), ord("Z") + 1)])
    missing = marks & (fraction == 0)
    return [None if gone else value for value, gone in zip(values.tolist(), missing.tolist(), strict=True)]


def _in_form(values: list[Any], form: str) -> list[Any]:
    kind = form.rstrip("0123456789.")
    if form in _MOMENTS or kind in _MOMENTS:
        moments = [None if value is None else _EPOCH + dt.timedelta(seconds=value) for value in values]
        if all(moment is None or moment.time() == dt.time() for moment in moments):
            return [None if moment is None else moment.date() for moment in moments]
        return moments
    if form in _DAYS or kind in _DAYS:
        return [None if value is None else (_EPOCH + dt.timedelta(days=value)).date() for value in values]
    if form in _TIMES or kind in _TIMES:
        return [None if value is None else (_EPOCH + dt.timedelta(seconds=value)).time() for value in values]
    return values


# ---- sas7bdat ----------------------------------------------------------------------------------------------------------


def _by_pandas(path: Path) -> list[Coded]:
    try:
        import pandas
    except ImportError:
        raise DataError(
            f"{path.name}: the verifier reads it with pandas, which is not installed: pip install 'shoal[office]'."
        ) from None
    frame = pandas.read_sas(path, format="sas7bdat", encoding="infer")
    return [Coded(str(name), [_plain(value) for value in frame[name].tolist()]) for name in frame.columns]


def _plain(value: Any) -> Any:
    if value is None or value != value:  # NaN, NaT  # noqa: PLR0124
        return None
    if isinstance(value, dt.datetime):
        moment = dt.datetime(*value.timetuple()[:6], value.microsecond)
        return moment.date() if moment.time() == dt.time() else moment
    if isinstance(value, dt.date | str):
        return value
    return float(value)
