"""Original and release in one code, so that their groups can be compared.

In a quasi column the code of an original value says which published values cover it; when that is at most one in every case, as
with one level per column, original and published values simply share codes. Other columns must be equal: they share codes,
or stay as they are when both files hold the same type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verify.domain import Domain
from shoal.verify.text import readable, text_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.verify.source import Source

_PAIRS = 5_000_000  # (published value, original value) pairs of one column that are listed at most
_COVERED_BY_NONE = -1


class TooLargeError(Exception):
    """The question would take more than it may; the check does not pass."""


@dataclass(frozen=True)
class Coded:
    """Tables `original_coded` and `published_coded`: columns k0, k1, … and the count c; the latter with `sample` as well.

    `sample` is a row of `published_groups` that the codes stand for. In an ambiguous column the original's k is a list of the
    published codes that cover the value; in all others equal codes mean that the one may have become the other.
    """

    con: duckdb.DuckDBPyConnection
    columns: tuple[str, ...]  # behind k0, k1, …: quasi columns, then the others
    ambiguous: tuple[int, ...]  # numbers of the columns


def code_both(
    release: Source, original: Source, quasi: Sequence[str], others: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> Coded:
    columns = (*quasi, *others)
    for source, table in ((original, "original_groups"), (release, "published_groups")):
        picked = ", ".join(f"{source.column(name)} AS g{i}" for i, name in enumerate(columns))
        source.con.execute(
            f"CREATE TEMP TABLE {table} AS SELECT {picked}, count(*) AS c FROM {source.relation} GROUP BY ALL"
        )
    coder = _Coder(release, original)
    ambiguous = tuple(i for i, name in enumerate(quasi) if coder.code_quasi(i, name, hierarchies.get(name)))
    for i, name in enumerate(others, start=len(quasi)):
        coder.code_other(i, name)
    coder.write("original", "")
    coder.write("published", ", min(g.rowid) AS sample")
    return Coded(release.con, columns, ambiguous)


class _Coder:
    """Collects, column by column, how `original_groups` and `published_groups` are joined with their codes."""

    def __init__(self, release: Source, original: Source) -> None:
        self._con = release.con
        self._sources = {"published": release, "original": original}
        self._picked: dict[str, list[str]] = {"published": [], "original": []}
        self._joins: dict[str, list[str]] = {"published": [], "original": []}

    def code_quasi(self, i: int, name: str, hierarchy: Hierarchy | None) -> bool:
        """Code a quasi column; True when an original value may have become more than one published value."""
        originals, published = (self._texts(side, i, name) for side in ("original", "published"))
        domain = Domain(originals, hierarchy)
        covers: list[list[int]] = [[] for _ in originals]
        pairs = 0
        for code, text in enumerate(published):
            covered = domain.covered_by(text)
            pairs += len(covered)
            if pairs > _PAIRS:
                raise TooLargeError(
                    f"The published values of column '{name}' cover its original values in too many ways."
                )
            for value in covered:
                covers[value].append(code)
        self._join("published", i, list(range(len(published))))
        if all(len(codes) <= 1 for codes in covers):
            self._join("original", i, [codes[0] if codes else _COVERED_BY_NONE for codes in covers])
            return False
        self._join("original", i, covers)
        return True

    def code_other(self, i: int, name: str) -> None:
        kinds = {source.kind(name) for source in self._sources.values()}
        if len(kinds) == 1:
            for side in self._sources:
                value = f"nullif(g.g{i}, '')" if self._empty_is_missing(kinds) else f"g.g{i}"
                self._picked[side].append(f"{value} AS k{i}")
            return
        codes: dict[str | None, int] = {}
        for side in self._sources:
            self._join(side, i, [codes.setdefault(text, len(codes)) for text in self._texts(side, i, name)])

    def write(self, side: str, more: str) -> None:
        picked = ", ".join(self._picked[side])
        joins = " ".join(self._joins[side])
        self._con.execute(
            f"CREATE TEMP TABLE {side}_coded AS SELECT {picked}, sum(c)::BIGINT AS c{more} "
            f"FROM {side}_groups AS g {joins} GROUP BY {', '.join(f'k{i}' for i in range(len(self._picked[side])))}"
        )
        ((records,),) = self._con.execute(f"SELECT coalesce(sum(c), 0) FROM {side}_coded").fetchall()
        if records != self._sources[side].records:
            raise InternalError(f"Coding lost or doubled records of {self._sources[side].what}.")

    def _texts(self, side: str, i: int, name: str) -> list[str | None]:
        """The texts of the distinct values, numbered as in the table `…_values_i` (v, id)."""
        kind = self._sources[side].kind(name)
        self._con.execute(
            f"CREATE TEMP TABLE {side}_values_{i} AS SELECT v, row_number() OVER () - 1 AS id FROM "
            f"(SELECT DISTINCT g{i} AS v FROM {side}_groups)"
        )
        found = self._con.execute(f"SELECT {readable('v', kind)} FROM {side}_values_{i} ORDER BY id").fetchall()
        texts = [text_form(value, kind) for (value,) in found]
        return [None if text == "" else text for text in texts] if self._empty_is_missing({"VARCHAR"}) else texts

    def _join(self, side: str, i: int, codes: Sequence[int] | Sequence[list[int]]) -> None:
        import pyarrow as pa

        kind = pa.list_(pa.int64()) if codes and isinstance(codes[0], list) else pa.int64()
        ids = pa.array(range(len(codes)), pa.int64())
        self._con.register(f"{side}_codes_{i}", pa.table({"id": ids, f"k{i}": pa.array(codes, kind)}))
        self._picked[side].append(f"k{i}")
        self._joins[side].append(
            f"JOIN {side}_values_{i} AS v{i} ON g.g{i} IS NOT DISTINCT FROM v{i}.v "
            f"JOIN {side}_codes_{i} AS m{i} ON m{i}.id = v{i}.id"
        )

    def _empty_is_missing(self, kinds: set[str]) -> bool:
        """A CSV file cannot tell an empty text from a missing one; what was compared with it cannot either."""
        return kinds == {"VARCHAR"} and any(source.is_text for source in self._sources.values())
