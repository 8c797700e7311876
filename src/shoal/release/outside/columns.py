"""The columns of a release that came without a recipe, each with a guess of what others could know of a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.errors import DataError
from shoal.io.counts import column_counts
from shoal.io.csv_detection import Detected, detect
from shoal.io.source import kind_of, open_source, set_columns
from shoal.methods.method import Progress
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shoal.methods.method import Listener

_NUMBER = r"-?\d+(?:[.,]\d+)?"
# as ARX, sdcMicro, Amnesia and anjana write blurred values: [20, 30[   [20-29]   20-29   >=90   13***   {A, B}   *
_BLURRED = re.compile(
    rf"\*+|[\[\](]\s*{_NUMBER}\s*[,;-]\s*{_NUMBER}\s*[\[\])]|{_NUMBER}\s*[-–]\s*{_NUMBER}|[<>]=?\s*{_NUMBER}|\S*\w\*+|\*+\w\S*|\{{.+\}}"
)
_SHARE = 0.5  # of the records that show a blurred value, from which a column counts as blurred
_SAMPLE = 4  # values that are shown of each


@dataclass(frozen=True)
class OutsideColumn:
    """A column of the release. `role`: a guess; `why`: the reason, in words."""

    name: str
    role: str
    why: str
    distinct: int
    sample: tuple[str, ...]


@dataclass(frozen=True)
class Outside:
    """What was found in the file. dialect: of a CSV file, as `[input]` of a recipe says it."""

    columns: tuple[OutsideColumn, ...]
    records: int
    dialect: Mapping[str, Any]


def look_at(release: Path, listener: Listener = lambda _: None) -> Outside:
    """Of a table with single values; sets and trees need their recipe."""
    listener(Progress("load", "reading the release"))
    is_csv = release.is_file() and kind_of(release) == "csv"
    dialect = detect(release) if is_csv else Detected()
    source = open_source(release, dialect.reading(look=True))
    try:
        if set_columns(source):
            raise DataError(
                f"{release.name} has columns of sets of items. Give the recipe that it was made by: it says what is known of them."
            )
        names = source.columns if source.table is None else source.table.column_names
        counts: list[Mapping[str, int]] = []
        summaries: list[ColumnSummary] = []
        for position, name in enumerate(names):
            listener(Progress("count", f"looking at column {position + 1} of {len(names)}", position / len(names)))
            values = column_counts(source, name)
            missing = values.pop(None, 0)
            texts = {value: records for value, records in values.items() if value is not None}
            counts.append(texts)
            summaries.append(ColumnSummary.of_counts(name, "text", texts, missing))
    finally:
        source.close()
    columns = [
        _column(name, str(guess.role.value), guess.what, texts)
        for name, guess, texts in zip(names, suggest(summaries), counts, strict=True)
    ]
    return Outside(
        tuple(columns), max((one.records for one in summaries), default=0), dialect.section() if is_csv else {}
    )


def is_blurred(values: Mapping[str, int]) -> bool:
    """Whether most records show a range, a mask or nothing but `*`."""
    blurred = sum(records for value, records in values.items() if _BLURRED.fullmatch(value.strip()))
    return blurred > 0 and blurred >= _SHARE * sum(values.values())


def _column(name: str, role: str, what: str, values: Mapping[str, int]) -> OutsideColumn:
    frequent: Sequence[str] = sorted(values, key=lambda value: (-values[value], value))[:_SAMPLE]
    if is_blurred(values):
        role, what = Role.QUASI.value, "its values are blurred, so somebody thought that it could be known"
    return OutsideColumn(name, role, what, len(values), tuple(frequent))
