"""Read a release of a table with its codebook: bring columns of mixed labels to one level, and answer counts with bounds.

A published value may stand for any of several raw values. So a count is not one number: it lies between the records that surely
meet a condition and those that may.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data import documents
from shoal.data.itemsets import is_list
from shoal.data.text import text_array
from shoal.errors import DataError, did_you_mean
from shoal.io.parquet import read_batches
from shoal.io.publishing.names import sidecar
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source
from shoal.io.written import form_of
from shoal.release.kinds.tables.meanings import answer, condition_of
from shoal.report.codebook import FORMAT
from shoal.report.codebook_csv import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

TOP = "*"


@dataclass(frozen=True)
class TableCount:
    """How many records meet a condition, as far as the release tells.

    `upper` counts hidden records too, since each of them may meet it; so the true number of the original lies between both.

    Examples
    --------
    >>> import shoal
    >>> release = shoal.run("demo/recipe.toml")
    >>> counted = shoal.open_release(release.files[0]).count({"sex": "f"})
    >>> counted.upper - counted.lower >= counted.hidden
    True
    """

    lower: int  # surely meet it
    upper: int  # may meet it
    hidden: (
        int | None
    )  # records of the original that are not in the release, at most; None: not known, and not in `upper`

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            raise ValueError("A lower bound cannot be above the upper one.")


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A release of a table, in memory, with what its values mean.

    Examples
    --------
    >>> import shoal
    >>> release = shoal.run("demo/recipe.toml")
    >>> len(shoal.open_release(release.files[0])) == release.records_out
    True
    """

    table: pa.Table
    codebook: Mapping[str, Any]
    hidden: int | None = None  # records of the original that are not in the release, at most; None: not known

    def __post_init__(self) -> None:
        for name, meanings in self._meanings.items():
            unknown = sum(text not in meanings for text in pc.unique(self._texts(name)).to_pylist())
            if unknown:
                raise DataError(
                    f"Column '{name}' shows {unknown:,} values that the codebook does not know. Is it the codebook of this release?"
                )

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"OpenedTable({len(self):,} records, {len(self.table.column_names)} columns)"

    @property
    def levels(self) -> dict[str, int]:
        """Of every column that is blurred: the finest level that all records can be brought to."""
        return {name: self._common(name) for name in self._meanings}

    # ---- one level ---------------------------------------------------------------------------------------------------

    def at_level(self, levels: Mapping[str, int] | None = None, *, wider: str = "refuse") -> pa.Table:
        """The release with each blurred column at one level: labels of that level, `*` at the highest; missing stays missing.

        levels: by column; a column that is not named goes to the finest level that all its records reach. A record that shows
        something wider than a level asks for cannot be brought there. wider: "refuse" raises, "drop" leaves such records out.
        """
        if wider not in ("refuse", "drop"):
            raise DataError(f"`wider` must be 'refuse' or 'drop'; got {wider!r}.")
        asked = dict(levels or {})
        for name, level in asked.items():
            self._check_level(name, level)
        table, keep = self.table, np.ones(len(self), np.bool_)
        for name in self._meanings:
            level = asked.get(name, self._common(name))
            labels = {text: self._label(name, meaning, level) for text, meaning in self._meanings[name].items()}
            texts = self._texts(name)
            fits = {text for text, (fitting, _) in labels.items() if fitting}
            keep &= _of_each(texts, {text: text in fits for text in labels})
            shown = {text: label for text, (_, label) in labels.items()}
            column = pa.array([shown[text] for text in texts.to_pylist()], pa.large_string())
            table = table.set_column(table.column_names.index(name), name, column)
        if wider == "refuse" and not keep.all():
            raise DataError(
                f"{int((~keep).sum()):,} of {len(self):,} records show something wider than these levels. Ask for coarser ones "
                f'(the finest that all reach: {self.levels}), or say `wider="drop"` to leave those records out.'
            )
        return table.filter(pa.array(keep))

    def _check_level(self, name: str, level: int) -> None:
        if name not in self._meanings:
            self._check_column(name)
            raise DataError(f"Column '{name}' is published as it is, and has no levels to choose from.")
        highest = self._columns[name]["levels"]
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= highest:
            raise DataError(f"Column '{name}' has the levels 0 to {highest}; got {level!r}.")

    def _common(self, name: str) -> int:
        shown = pc.unique(self._texts(name)).to_pylist()
        return max((int(self._meanings[name][text]["level"]) for text in shown), default=0)

    def _label(self, name: str, meaning: Mapping[str, Any], level: int) -> tuple[bool, str | None]:
        """Whether a value can be shown at a level, and the label there."""
        highest = self._columns[name]["levels"]
        if level == highest:
            return True, TOP
        if meaning["kind"] == "missing":
            return True, None
        above = meaning.get("above", ())
        at = level - (highest - len(above))
        if at >= 0:
            return True, above[at]
        return (True, meaning["value"]) if level == meaning["level"] else (False, None)

    # ---- counting ----------------------------------------------------------------------------------------------------

    def count(self, where: Mapping[str, Any]) -> TableCount:
        """Records that meet all conditions. where: by column a value, a list of values, or a range as a pair `(low, high)`.

        None is a missing value, and in a range an open side; bounds belong to the range.
        """
        surely, possibly = np.ones(len(self), np.bool_), np.ones(len(self), np.bool_)
        for name, asked in where.items():
            self._check_column(name)
            condition = condition_of(name, asked)
            texts = self._texts(name)
            if name in self._meanings:
                met = {text: answer(meaning, condition) for text, meaning in self._meanings[name].items()}
            else:
                met = {text: (condition.holds(text),) * 2 for text in pc.unique(texts).to_pylist()}
            surely &= _of_each(texts, {text: both[0] for text, both in met.items()})
            possibly &= _of_each(texts, {text: both[1] for text, both in met.items()})
        return TableCount(int(surely.sum()), int(possibly.sum()) + (self.hidden or 0), self.hidden)

    def _check_column(self, name: str) -> None:
        if name not in self.table.column_names:
            raise DataError(f"There is no column '{name}'.{did_you_mean(name, self.table.column_names)}")
        if is_list(self.table.schema.field(name).type):
            raise DataError(f"Column '{name}' holds sets of items; only single values are counted here.")

    # ---- values ------------------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> dict[str, Mapping[str, Any]]:
        return {column["name"]: column for column in self.codebook["columns"]}

    @cached_property
    def _meanings(self) -> dict[str, dict[str | None, Mapping[str, Any]]]:
        """By column of single values that is blurred: what each text stands for, also as it is kept from being run as a formula."""
        meanings: dict[str, dict[str | None, Mapping[str, Any]]] = {}
        for name in self.table.column_names:
            values = self._columns.get(name, {}).get("values", ())
            if values and not is_list(self.table.schema.field(name).type):
                by_text: dict[str | None, Mapping[str, Any]] = {
                    harmless(one["value"]): one for one in values if one["value"]
                }
                meanings[name] = by_text | {one["value"] or None: one for one in values}
        return meanings

    def _texts(self, name: str) -> pa.ChunkedArray:
        texts = text_array(self.table.column(name)).cast(pa.large_string())
        return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.large_string()), texts)


def open_table(data: Any, codebook: Path | str | Mapping[str, Any] | None = None, *, items: str = "|") -> OpenedTable:
    """A release, as a file, a folder of Parquet files or a frame; and its codebook, by default the file beside it."""
    if not isinstance(data, Path | str):
        if codebook is None:
            raise DataError(
                "A frame needs its codebook: give `codebook`, the path of `….codebook.json` or what is in it."
            )
        source = from_frame(data, None)
        if source.table is None:
            raise DataError("A release is read from files or from a frame in memory, not from Spark.")
        return OpenedTable(source.table, _book(codebook))
    path = Path(data)
    book = _book(sidecar(path, "codebook.json") if codebook is None else codebook)
    sets = {column["name"] for column in book["columns"] if column["type"].startswith("list")}
    text = book.get("text", {})  # of CSV: as it was published
    dialect = {key: text[key] for key in ("encoding", "delimiter", "quote") if key in text}
    source = open_source(path, RowReading(sets=sets, items=items, multiline=True, **dialect))
    table = source.table
    if table is None:
        batches = [batch for file in source.files for batch in read_batches(file, source.columns)]
        if not batches:
            raise DataError(f"There are no records in {path.name}.")
        table = pa.concat_tables([pa.Table.from_batches([batch]) for batch in batches], promote_options="permissive")
    return OpenedTable(_canonical(table, text.get("written", {})), book, _hidden(sidecar(path, "report.json")))


def _canonical(table: pa.Table, written: Mapping[str, str]) -> pa.Table:
    """With values as the codebook has them, 1234.5 and 1980-12-31; what is not written in the form is a label, and stays."""
    for name, form in written.items():
        values = pc.unique(table.column(name))
        texts = [None if one is None else form_of(form).canonical(one) or one for one in values.to_pylist()]
        column = pc.take(pa.array(texts, values.type), pc.index_in(table.column(name), values))
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _book(codebook: Path | str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(codebook, Path | str):
        name = Path(codebook).name
        try:
            book = documents.read_json(documents.read_text(Path(codebook), documents.MAX_JSON))
        except FileNotFoundError:
            raise DataError(
                f"There is no {name}. It was published with the release; put it there, or give `codebook`."
            ) from None
        except (OSError, ValueError):
            raise DataError(f"{name} cannot be read as JSON.") from None
    else:
        book = codebook
    if not isinstance(book, dict) or book.get("format") != FORMAT or not isinstance(book.get("columns"), list):
        raise DataError("This is no codebook of shoal.")
    blurred = [column for column in book["columns"] if column.get("values") and not column["type"].startswith("list")]
    if any("level" not in value for column in blurred for value in column["values"]):
        raise DataError("The codebook is of an earlier shoal and tells no levels. Publish the release again.")
    return book


def _hidden(report: Path) -> int | None:
    """How many records of the original are not in the release, at most, as the public report tells."""
    try:
        records = documents.read_json(documents.read_text(report, documents.MAX_JSON))["facts"]["records"]
        if records["suppressed"] is not None:
            return int(records["suppressed"])
        return None if records["fewer_than"] is None else int(records["fewer_than"]) - 1
    except (OSError, ValueError, KeyError, TypeError, json.JSONDecodeError):
        return None


def _of_each(texts: pa.ChunkedArray, answers: Mapping[str | None, bool]) -> NDArray[np.bool_]:
    """(records,): the answer for the text of each."""
    yes = pa.array([text for text, said in answers.items() if said and text is not None], pa.large_string())
    mask: NDArray[np.bool_] = pc.is_in(texts, yes).to_numpy(zero_copy_only=False).copy()
    if answers.get(None):
        mask |= pc.is_null(texts).to_numpy(zero_copy_only=False)
    return mask
