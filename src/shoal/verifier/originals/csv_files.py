"""CSV files of originals: the rules that hold for data and not for releases of strangers."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shoal.errors import DataError, RecipeError
from shoal.verifier.files import strict_csv
from shoal.verifier.files.dialect import Dialect
from shoal.verifier.originals.names import check_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from shoal.verifier.recipe.places import Input

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_USUAL = {",": ",", ";": ";", "\t": "\\t", "|": "|"}


@contextmanager
def csv_file(path: Path, place: Input) -> Iterator[tuple[tuple[str, ...], pa.RecordBatchReader]]:
    """The names of the columns; and the records, as columns c0, c1, … of text and `pos`, the position in the file, from 1."""
    delimiter = delimiter_of(path, place)
    if place.quote not in ('"', "'") or place.quote == delimiter:
        raise RecipeError("`[input] quote` must be \" or ', and another mark than the delimiter.")
    header, _ = strict_csv.read_header(path, delimiter, (), dialect=Dialect(place.encoding, quote=place.quote))
    if place.delimiter is None and len(header) == 1:
        _refuse_other_delimiters(path, header[0], delimiter)
    names = header
    while any(names) and not names[-1]:  # as spreadsheets write them; what stands there is looked at
        names = names[:-1]
    check_names(path.name, names)
    with strict_csv.records(
        path,
        names,
        delimiter,
        original=True,
        multiline=place.multiline,
        encoding=place.encoding,
        quote=place.quote,
        unnamed=len(header) - len(names),
        missing=place.missing,
    ) as reader:
        yield names, reader


def delimiter_of(path: Path, place: Input) -> str:
    """What separates columns: as the recipe says, or else by the name of the file."""
    if place.delimiter is None:
        return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    if len(place.delimiter) != 1 or not place.delimiter.isascii() or place.delimiter.isalnum():
        raise RecipeError("`[input] delimiter` must be one ASCII mark such as , ; | or a tab.")
    if place.delimiter in '".-_' or not (place.delimiter.isprintable() or place.delimiter == "\t"):
        raise RecipeError("`[input] delimiter` must be one ASCII mark such as , ; | or a tab.")
    return place.delimiter


def _refuse_other_delimiters(path: Path, header: str, delimiter: str) -> None:
    """A header that is one name, and has a mark in it by which it might be several."""
    if re.fullmatch("sep=.", header, re.IGNORECASE):
        raise DataError(f"{path.name}: a `sep=` line for spreadsheets stands before the header; remove it.")
    for mark, written in _USUAL.items():
        if mark != delimiter and mark in header:
            raise DataError(
                f'{path.name}: the header has another mark than the delimiter. Set `[input] delimiter = "{written}"`, if columns '
                "are separated by it."
            )
