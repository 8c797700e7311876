"""Columns of whole numbers in what stands beside a release: how many records a row of an assignment speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.verifier.comparing import WHOLE
from shoal.verifier.finding import counted

if TYPE_CHECKING:
    from shoal.verifier.source import Source

RECORDS = "records"


def numbers_of(source: Source, name: str = RECORDS, least: int = 1) -> str:
    """The SQL of a column of whole numbers, none of them missing or below `least`."""
    column = source.column(name)
    if source.is_text:
        odd = f"NOT {_is_whole(source, column)}"
        ((number,),) = source.sql.rows(f"SELECT count(*) FILTER (WHERE {odd}) AS n FROM {source.relation}")
        if number:
            raise DataError(f"{source.what}: column '{name}' is no whole number in {counted(number, 'row')}.")
        column = f"CAST({column} AS BIGINT)"
    elif source.kind(name) not in WHOLE:
        raise DataError(f"{source.what}: column '{name}' must hold whole numbers.")
    ((wrong,),) = source.sql.rows(
        f"SELECT count(*) FILTER (WHERE {column} IS NULL OR {column} < {least}) AS w FROM {source.relation}"
    )
    if wrong:
        raise DataError(f"{source.what}: column '{name}' is missing or below {least} in {counted(wrong, 'row')}.")
    return f"CAST({column} AS BIGINT)"


def _is_whole(source: Source, text: str) -> str:
    """The SQL of whether a text is a number of a few digits."""
    if source.sql.here is source.sql:
        return f"regexp_full_match({text}, '[0-9]{{1,9}}')"
    return f"{text} RLIKE '^[0-9]{{1,9}}$'"
