"""Numbers and dates as a country writes them, and as later layers see them: `1.234,5` is `1234.5`, `31.12.1980` is `1980-12-31`.

A form is stated by example. `"1.234,5"` says which mark stands before the decimals and which between thousands (numbers may leave
the latter out); `"1234,5"` that there is none between thousands. `"dd.mm.yyyy"` says the order of day, month and year and the mark
between them; `d` and `m` are days and months that may have one digit. Only marks change: digits, signs and last zeros stay.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError, RecipeError
from shoal.io.csv import line_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

THOUSANDS = (".", ",", " ", "'", "\u00a0", "\u202f", "\u2019")
_NUMBER = re.compile(f"1([{re.escape(''.join(THOUSANDS))}]?)234([.,])5")
_DATE = re.compile(r"(dd?|mm?|yyyy)([./ -]?)(dd?|mm?)\2(dd?|yyyy)")
_PLAIN_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?", re.ASCII)
_PLAIN_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)


@dataclass(frozen=True)
class NumberForm:
    """Numbers with these marks."""

    thousands: str
    decimal: str

    def __str__(self) -> str:
        return f"1{self.thousands}234{self.decimal}5"

    def canonical(self, text: str) -> str | None:
        """1234.5; None when the text is not written so."""
        fits = re.fullmatch(self.pattern, text, re.ASCII) is not None
        return text.replace(self.thousands, "").replace(self.decimal, ".") if fits else None

    def text(self, canonical: str) -> str | None:
        """As it is written here; None when it is no number."""
        match = _PLAIN_NUMBER.fullmatch(canonical)
        if match is None:
            return None
        sign, whole, decimals = match.groups()
        if self.thousands and not whole.startswith("0"):
            whole = f"{int(whole):,}".replace(",", self.thousands) if len(whole) < _LONGEST else whole
        return f"{sign}{whole}" if decimals is None else f"{sign}{whole}{self.decimal}{decimals}"

    @property
    def pattern(self) -> str:
        """Of all numbers that are written so."""
        mark = re.escape(self.thousands)
        grouped = f"|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+" if mark else ""
        return f"[+-]?(?:[0-9]+{grouped})(?:{re.escape(self.decimal)}[0-9]+)?"


@dataclass(frozen=True)
class DateForm:
    """Dates with their parts in this order: each of `d`, `dd`, `m`, `mm`, `yyyy`."""

    parts: tuple[str, str, str]
    mark: str

    def __str__(self) -> str:
        return self.mark.join(self.parts)

    def canonical(self, text: str) -> str | None:
        """1980-12-31; None when the text is not written so, or no day of the calendar."""
        match = re.fullmatch(self._pattern, text, re.ASCII)
        if match is None:
            return None
        try:
            return datetime.date(int(match["y"]), int(match["m"]), int(match["d"])).isoformat()
        except ValueError:
            return None

    def text(self, canonical: str) -> str | None:
        """As it is written here; None when it is no date."""
        match = _PLAIN_DATE.fullmatch(canonical)
        if match is None:
            return None
        year, month, day = match.groups()
        values = {"yyyy": year, "mm": month, "dd": day, "m": month.lstrip("0"), "d": day.lstrip("0")}
        return self.mark.join(values[part] for part in self.parts)

    @property
    def _pattern(self) -> str:
        digits = {"yyyy": r"\d{4}", "mm": r"\d\d", "dd": r"\d\d", "m": r"\d\d?", "d": r"\d\d?"}
        return re.escape(self.mark).join(f"(?P<{part[0]}>{digits[part]})" for part in self.parts)


Form = NumberForm | DateForm
_LONGEST = 400  # digits of a number that gets marks between its thousands


def form_of(text: str) -> Form:
    """The form that a recipe states. Raises ValueError with what may be stated."""
    number = _NUMBER.fullmatch(text)
    if number is not None and number[1] != number[2]:
        return NumberForm(number[1], number[2])
    date = _DATE.fullmatch(text)
    if date is not None:
        parts = (date[1], date[3], date[4])
        unpadded = {"d", "m"} & set(parts)
        if {part[0] for part in parts} == set("dmy") and (date[2] or not unpadded):
            return DateForm(parts, date[2])
    raise ValueError(
        'must be a form by example: "1.234,5", "1234,5", "1,234.5" or "1 234,5" for numbers; "dd.mm.yyyy", "d.m.yyyy", '
        '"mm/dd/yyyy" or "yyyymmdd" for dates.'
    )


def code_problem(form: Form, code: str) -> str | None:
    """What is wrong with a code for missing values, of a column that is written so; None when nothing is.

    A code is compared with cells as they stand. `1.5` beside numbers such as 1,5 would also be what one of them reads as.
    """
    if form.text(code) is not None and form.canonical(code) != code:
        return f"'{code}' is not written as the column is, like {form}; write it so."
    return None


def read_written(
    table: pa.Table, written: Mapping[str, str], codes: Mapping[str, Sequence[str]], file: str
) -> pa.Table:
    """A table of texts with these columns in canonical form. codes: by column, cells that stand for no value.

    A cell that is not written as the recipe says is refused with its line.
    """
    for name, stated in written.items():
        if name not in table.column_names:
            continue  # said where columns are looked for
        place, form = table.column_names.index(name), form_of(stated)
        column = table.column(place)
        if codes.get(name):
            is_code = pc.is_in(column, pa.array(codes[name], column.type))
            column = pc.if_else(is_code, pa.scalar(None, column.type), column)
        read = _numbers(column, form) if isinstance(form, NumberForm) else _dates(column, form)
        if read.null_count > column.null_count:
            row = int(pc.index(pc.and_(pc.is_null(read), pc.is_valid(column)), True).as_py())
            what = "number" if isinstance(form, NumberForm) else "date"
            raise DataError(
                f"{file}, line {line_of(table, row):,}: the cell of '{name}' is no {what} written like {form}, as "
                f"`columns.{name}.written` says. Put the cell or the key right, or list what stands for no value in "
                f"`columns.{name}.missing`."
            )
        table = table.set_column(place, name, read)
    return table


def _numbers(column: pa.ChunkedArray, form: NumberForm) -> pa.ChunkedArray:
    fits = pc.match_substring_regex(column, rf"\A{form.pattern}\z")
    read = pc.replace_substring(column, form.thousands, "") if form.thousands else column
    read = pc.replace_substring(read, form.decimal, ".") if form.decimal != "." else read
    return pc.if_else(fits, read, pa.scalar(None, column.type))


def _dates(column: pa.ChunkedArray, form: DateForm) -> pa.ChunkedArray:
    """Each different text once: there are 36,525 days in a century."""
    chunks = []
    for chunk in column.chunks:
        encoded = chunk.dictionary_encode()
        texts = pa.array([form.canonical(text) for text in encoded.dictionary.to_pylist()], column.type)
        chunks.append(texts.take(encoded.indices))
    return pa.chunked_array(chunks, column.type)


def write_written(column: pa.Array, form: Form, name: str) -> pa.Array:
    """Texts of a release: values as they were written in the original, labels as they are."""
    encoded = column.dictionary_encode()
    texts = []
    for text in encoded.dictionary.to_pylist():
        value = form.text(text)
        if value is None and form.canonical(text) is not None:
            raise RecipeError(
                f"columns.{name}: a label of its hierarchy looks like a value that is written like {form}, and would be read as "
                "one. Give the label another name, or set `[output] written = false`."
            )
        texts.append(text if value is None else value)
    return pa.array(texts, column.type).take(encoded.indices)
