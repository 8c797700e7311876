"""Single values beside trees: every column as the texts that occur in it, and of each record the number of its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError, InternalError
from shoal.verifier.codes import is_code, is_hidden
from shoal.verifier.holdings import Holdings
from shoal.verifier.looks import looks_like
from shoal.verifier.text import is_single_value, readable, text_form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.trees.nodes import Trees


@dataclass(frozen=True, eq=False)
class Singles:
    """One column. Texts are different; None, a missing value, is one of them where it occurs."""

    name: str
    texts: tuple[str | None, ...]
    number: NDArray[np.int64]  # (records,)
    codes: tuple[str, ...] = ()  # what stands for a missing value

    def as_seen(self) -> tuple[NDArray[np.int64], int]:
        """(records,) the number of what a reader sees, and how many there are that are not hidden.

        Texts that look the same have one number; hidden ones (missing, blank, a code, `*`) have that after the last.
        """
        looks = [None if text is None or is_hidden(text, self.codes) else looks_like(text) for text in self.texts]
        seen = sorted({look for look in looks if look is not None})
        place = {look: i for i, look in enumerate(seen)}
        codes = np.array([len(seen) if look is None else place.get(look, len(seen)) for look in looks], np.int64)
        return (codes[self.number] if len(self.number) else self.number), len(seen)

    def holdings(self) -> Holdings:
        """All records as one class, for what is said about the column as a whole."""
        counts = np.bincount(self.number, minlength=len(self.texts)).astype(np.int64)
        values = np.arange(len(self.texts), dtype=np.int64)
        texts = tuple(None if is_hidden(text, self.codes) else text for text in self.texts)
        return Holdings(np.zeros(len(values), np.int64), values, counts, texts, self.name)


def singles_of(sql: Sql, trees: Trees, name: str, codes: tuple[str, ...] = ()) -> Singles:
    """codes: what stands for a missing value."""
    import pyarrow as pa

    con = sql.driver
    column = trees.others.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)  # a dictionary may hold a text twice
    if pa.types.is_nested(column.type):
        raise DataError(f"{trees.what}: column '{name}' has the type {column.type}; its values are not single values.")
    con.register("single_found", pa.table({"v": column, "pos": np.arange(len(column), dtype=np.int64)}))
    try:
        kind = str(con.execute("DESCRIBE SELECT v FROM single_found").fetchall()[0][1])
        if not is_single_value(kind):
            raise DataError(f"{trees.what}: column '{name}' has the type {kind}; its values are not single values.")
        coded = is_code(sql.here, "v", kind, codes) if codes else None
        if coded is not None:
            con.execute(
                f"CREATE OR REPLACE TEMP TABLE single_read AS SELECT CASE WHEN {coded} THEN NULL ELSE v END AS v, pos "
                "FROM single_found"
            ).fetchall()
        read = "single_found" if coded is None else "single_read"
        con.execute(
            "CREATE OR REPLACE TEMP TABLE single_values AS SELECT v, row_number() OVER () - 1 AS id FROM "
            f"(SELECT DISTINCT v FROM {read})"
        ).fetchall()
        values = con.execute(f"SELECT {readable('v', kind)} FROM single_values ORDER BY id").fetchall()
        ids = con.execute(
            f"SELECT id FROM {read} AS f JOIN single_values AS s ON f.v IS NOT DISTINCT FROM s.v ORDER BY f.pos"
        ).fetchnumpy()["id"]
    finally:
        con.unregister("single_found")
    texts = [text_form(value, kind) for (value,) in values]
    known = list(dict.fromkeys(texts))
    place = {text: i for i, text in enumerate(known)}
    number = np.array([place[text] for text in texts], np.int64)
    ids = np.asarray(ids, np.int64)
    if len(ids) != trees.records:
        raise InternalError(f"{trees.what}: {len(ids)} values of column '{name}' for {trees.records} records.")
    return Singles(name, tuple(known), number[ids] if len(ids) else np.zeros(0, np.int64), codes)
