"""What every audit begins and ends with, whatever the kind of data: opening what lies where, and rows that are no records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.verifier.columns import missing_columns
from shoal.verifier.finding import counted
from shoal.verifier.missing import filled_beside, without_empty
from shoal.verifier.originals.flat import open_original, uri_frame
from shoal.verifier.originals.frames import arrow_table
from shoal.verifier.recipe.places import Frame, Input
from shoal.verifier.source import open_source
from shoal.verifier.sql.spark import SparkSql, is_frame
from shoal.verifier.sql.spark_source import open_spark_source
from shoal.verifier.text import readable, text_form
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.verifier.hierarchies.hierarchy import Label
    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.terms import Terms
    from shoal.verifier.verdict import Verdict


@dataclass(frozen=True)
class Case:
    """One release that is to be judged, and where everything lies that it is held against."""

    sql: Sql
    release: Any
    original: Any = (
        None  # `Input` or `Frame`: read by the rules of the recipe; else a path, an Arrow table, a frame of Spark
    )
    original_missing: tuple[str, ...] = ()  # texts that stand for a missing value there
    assignment: Any = None
    delimiter: str | None = None  # of the release, if it is a CSV file
    records_in: int | None = None
    rules: Any = None  # of trees: what the release says of what was done to them
    scratch: Path | None = None  # a private folder
    memory: str | None = None  # that DuckDB may take

    @property
    def in_order(self) -> bool:
        """Whether the release is a file, whose rows stand in an order."""
        return isinstance(self.release, Path)

    def open_release(self, terms: Terms, *, sets: bool = False, keep_empty: bool = False) -> tuple[Source, int]:
        """Without rows that are no records; and how many of these hold something in a column that the recipe does not name.

        sets: it may be a FIMI file. keep_empty: a published record may have lost all it had. It holds no combination then, and so
        helps no promise.
        """
        schema = terms.schema
        source = self._open(
            "release",
            self.release,
            wanted=schema.published,
            delimiter=self.delimiter,
            spreadsheet_safe=terms.spreadsheet_safe,
            dialect=terms.dialect,
            sets=sets,
            labels=terms.labels,
        )
        source = replace(source, codes={name: schema.codes(name) for name in terms.others if schema.codes(name)})
        if missing_columns(source, terms) or keep_empty:
            return source, 0
        kept = without_empty(source, schema.published, sets=schema.quasi_sets)
        return kept, filled_beside(source, schema.published) if kept.empty else 0

    def open_original(self, terms: Terms, *, alone: bool = False) -> Source | None:
        """With everything read as missing that stands for it, and without rows that are no records. alone: of sets, and no more."""
        schema = terms.schema
        if self.original is None:
            return None
        if isinstance(self.original, Input):
            source = open_original(self.sql, "original", self.original, schema)
        elif isinstance(self.original, Frame):
            source = open_original(self.sql, "original", self.original.data, schema)
        else:
            source = self._open(
                "original", self.original, wanted=schema.published, missing=self.original_missing, sets=alone
            )
        source = replace(source, codes={name: schema.codes(name) for name in schema.published if schema.codes(name)})
        if missing_columns(source, terms):
            return source  # said where they are looked for
        return without_empty(source, schema.published, sets=schema.quasi_sets, alone=alone)

    def assignment_opener(self, sql: Sql | None = None) -> Callable[[str, tuple[str, ...]], Source] | None:
        """Opens the assignment, if there is one, when its columns are known."""
        if self.assignment is None:
            return None
        here = self if sql is None else replace(self, sql=sql)
        return lambda view, wanted: here._open(view, self.assignment, wanted=wanted)

    def _open(self, view: str, data: Any, **more: Any) -> Source:
        if isinstance(data, str):
            data = uri_frame(self.sql, data)
        elif isinstance(data, Frame):
            as_it_is = is_frame(data.data) or (isinstance(data.data, Path) and not isinstance(self.sql, SparkSql))
            data = data.data if as_it_is else arrow_table(data.data)
        if isinstance(self.sql, SparkSql):
            return open_spark_source(self.sql, view, data, **more)
        return open_source(self.sql, view, data, **more)


def values_of(source: Source | None, names: Sequence[str]) -> dict[str, list[Label]] | None:
    """By column of single values, as far as it is there: its different values as texts. None: they are not known."""
    if source is None:
        return None
    there = [name for name in names if name in source.names]
    source.single_valued(there)
    return {name: _values(source, name) for name in there}


def _values(source: Source, name: str) -> list[Label]:
    sql, kind = source.sql, source.kind(name)
    sql.bring("column_values", f"SELECT DISTINCT {source.column(name)} AS v FROM {source.relation}")
    rows = sql.driver.execute(f"SELECT {readable('v', kind)} FROM column_values").fetchall()
    sql.driver.execute("DROP TABLE column_values").fetchall()
    texts = {text_form(value, kind) for (value,) in rows}
    return [*{None if source.is_text and text == "" else text for text in texts}]


def with_empty(source: Source, beside: int, verdict: Verdict) -> Verdict:
    """What is to be said of rows that are no records. beside: how many of them hold something that the recipe does not name."""
    if not source.empty:
        return verdict
    warning = f"{counted(source.empty, 'row')} of the release without any published value: no record, and not counted."
    verdict = replace(
        verdict, warnings=(*verdict.warnings, warning), facts={**verdict.facts, "empty_rows": source.empty}
    )
    if not beside:
        return verdict
    detail = (
        f"{counted(beside, 'row')} without any published value, but with something in a column that the recipe does not name. "
        "Remove the rows, or give the column a role."
    )
    return replace(verdict, passed=False, checks=(*verdict.checks, Check("empty rows", False, detail)))


def with_empty_before(before: Source | None, verdict: Verdict) -> Verdict:
    """What is to be said of such rows of the original."""
    if before is None or not before.empty:
        return verdict
    return replace(verdict, facts={**verdict.facts, "empty_rows_in": before.empty})
