"""Numbers and dates as the recipe says that they are written, brought into the form of the reference by SQL.

A number of the reference is `1234.5`, a date `1980-12-31`. In an original every cell of such a column must be written as stated.
In a release a cell is a value, written so, or a label. What could be both, or is a value that is written otherwise, is refused.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shoal.errors import DataError, RecipeError
from shoal.verifier.sql.duckdb import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

_PARTS = {"dd": "([0-9]{2})", "d": "([0-9]{1,2})", "mm": "([0-9]{2})", "m": "([0-9]{1,2})", "yyyy": "([0-9]{4})"}
_ORDERS = ("dmy", "mdy", "ymd")
_OF_NUMBERS = "[+-]?[0-9]+([.][0-9]+)?"
_OF_DATES = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def check_form(key: str, form: str) -> None:
    """Refuse a form that the verifier does not know."""
    if _marks(form) is None and _date_parts(form) is None:
        raise RecipeError(f"{key}: the verifier does not know this form of numbers or dates.")


def refuse_ambiguous_codes(key: str, form: str, codes: Sequence[str]) -> None:
    """A code for missing values that is a value of the reference, and not the one that it is as it stands."""
    if not codes:  # opening a database takes longer than reading the rest of a recipe
        return
    import duckdb

    with duckdb.connect() as con:
        for code in codes:
            value, like = _value(form, "c"), literal(_reference(form))
            query = f"SELECT regexp_full_match(c, {like}) AND ({value}) IS DISTINCT FROM c FROM (SELECT {literal(code)} AS c)"
            if con.execute(query).fetchall() == [(True,)]:
                raise RecipeError(f"{key}: a code must be written as the column is.")


def read_original(
    con: duckdb.DuckDBPyConnection,
    table: str,
    what: str,
    columns: Mapping[str, tuple[int, str, tuple[str, ...]]],
) -> None:
    """Bring columns of a table of texts into the form of the reference. columns: by name the number, the form and the codes, which
    become missing."""
    for name, (number, form, codes) in columns.items():
        with _values(con, table, number, form) as values:
            coded = f"v IN ({', '.join(map(literal, codes))})" if codes else "false"
            con.execute(f"UPDATE {values} SET t = NULL WHERE {coded}").fetchall()
            ((record,),) = con.execute(
                f"SELECT min(pos) FROM {table} WHERE c{number} IN (SELECT v FROM {values} WHERE t IS NULL AND NOT {coded})"
            ).fetchall()
            if record is not None:
                raise DataError(f"{what}: record {record}: the cell of '{name}' is not written like {form}.")
            con.execute(f"UPDATE {table} SET c{number} = t FROM {values} WHERE c{number} = v").fetchall()


def read_release(con: duckdb.DuckDBPyConnection, table: str, what: str, columns: Mapping[str, tuple[int, str]]) -> None:
    """The same of a release, whose labels stay what they are. columns: by name the number and the form."""
    for name, (number, form) in columns.items():
        with _values(con, table, number, form) as values:
            plain = f"regexp_full_match(v, {literal(_reference(form))})"
            ((before, after, other),) = con.execute(
                f"SELECT count(*), count(DISTINCT coalesce(t, v)), count(*) FILTER (WHERE t IS NULL AND {plain}) FROM {values}"
            ).fetchall()
            if other:
                raise DataError(
                    f"{what}: column '{name}' has values that are not written like {form}, as the recipe says."
                )
            if after < before:  # a reader sees two values where the verifier would count one
                raise DataError(f"{what}: column '{name}' has one value written in two ways.")
            con.execute(
                f"UPDATE {table} SET c{number} = t FROM {values} WHERE c{number} = v AND t IS NOT NULL"
            ).fetchall()


@contextmanager
def _values(con: duckdb.DuckDBPyConnection, table: str, number: int, form: str) -> Iterator[str]:
    """A table of the different values v of a column, with t, what each is in the form of the reference."""
    name = f"{table}_written"
    con.execute(
        f"CREATE TEMP TABLE {name} AS SELECT v, {_value(form, 'v')} AS t "
        f"FROM (SELECT DISTINCT c{number} AS v FROM {table} WHERE c{number} IS NOT NULL)"
    ).fetchall()
    try:
        yield name
    finally:
        con.execute(f"DROP TABLE {name}").fetchall()


def _value(form: str, cell: str) -> str:
    """The SQL of the value in the form of the reference; NULL where the cell is not written so."""
    marks = _marks(form)
    if marks is not None:
        thousands, decimal = marks
        groups = f"|[1-9][0-9]{{0,2}}([{thousands}][0-9]{{3}})+" if thousands else ""
        fits = f"regexp_full_match({cell}, {literal(f'[+-]?([0-9]+{groups})([{decimal}][0-9]+)?')})"
        joined = f"replace({cell}, {literal(thousands)}, '')" if thousands else cell
        return f"CASE WHEN {fits} THEN replace({joined}, {literal(decimal)}, '.') END"
    parts, mark = _date_parts(form) or ((), "")
    pattern = literal(f"[{mark}]".join(_PARTS[part] for part in parts) if mark else "".join(_PARTS[p] for p in parts))
    place = {part[0]: number for number, part in enumerate(parts, start=1)}
    year, month, day = (f"lpad(regexp_extract({cell}, {pattern}, {place[p]}), 2, '0')" for p in "ymd")
    year = f"regexp_extract({cell}, {pattern}, {place['y']})"
    date = f"{year} || '-' || {month} || '-' || {day}"
    # DuckDB has a year 0, and the calendar has none
    real = f"regexp_full_match({cell}, {pattern}) AND {year} <> '0000' AND TRY_CAST({date} AS DATE) IS NOT NULL"
    return f"CASE WHEN {real} THEN {date} END"


def _reference(form: str) -> str:
    return _OF_DATES if _marks(form) is None else _OF_NUMBERS


def _marks(form: str) -> tuple[str, str] | None:
    """What stands between thousands, "" for nothing, and before the decimals."""
    digits = [sign for sign in form if sign.isdigit()]
    others = [sign for sign in form if not sign.isdigit()]
    if digits != ["1", "2", "3", "4", "5"] or others[-1:] not in (["."], [","]) or form[-2:] != f"{others[-1]}5":
        return None
    thousands = "".join(others[:-1])
    if thousands and (thousands not in (*".,' ", "\u00a0", "\u202f", "\u2019") or thousands == others[-1]):
        return None
    return (thousands, others[-1]) if form.startswith(f"1{thousands}234") else None


def _date_parts(form: str) -> tuple[tuple[str, ...], str] | None:
    """Its parts in their order, and the mark between them."""
    parts = tuple(re.findall("d+|m+|y+", form))
    if any(part not in _PARTS for part in parts) or "".join(part[0] for part in parts) not in _ORDERS:
        return None
    mark = form.removeprefix(parts[0])[:1]
    mark = mark if mark in ("-", "/", ".", " ") and mark else ""
    if form != mark.join(parts) or (not mark and {"d", "m"} & set(parts)):
        return None
    return parts, mark
