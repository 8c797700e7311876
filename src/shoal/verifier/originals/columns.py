"""Nested Arrow columns as trees, in the form in which they are published: whole columns at a time.

Each list is taken apart once: its elements, and which element of the list around each lies in. So every value of a class is known
with the node it hangs below, and equal ones below the same node are numbered once. Values of any type become texts by the rules of
the reference (`verifier/text.py`), each different value once; a code is compared with values by what it says there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError
from shoal.verifier.codes import is_code
from shoal.verifier.originals.frames import is_list, plain
from shoal.verifier.originals.paths import lists_of, path_text
from shoal.verifier.text import is_single_value, readable, text_form

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.originals.forming import Former
    from shoal.verifier.originals.paths import Parts
    from shoal.verifier.sql.sql import Sql


class Columns:
    """Brings batches of nested columns into the published form."""

    def __init__(self, sql: Sql, what: str, former: Former) -> None:
        self._sql, self._what, self._former = sql.here, what, former

    def batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The records of a batch as they are published."""
        import pyarrow as pa

        former, lists = self._former, _Lists(self._what, batch)
        below: dict[str, NDArray[np.int64]] = {}  # by class: of each element, what hangs below it
        records = nodes = batch.num_rows
        numbers, aboves, texts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [pa.array([], pa.string())]
        for number, one in enumerate(former.shape.classes):
            path = former.paths[one.name]
            words, code = self._coded(lists.values(path), path, former.codes[one.name])
            if one.parent is None:
                above = lists.upwards(lists_of(path), ())
            else:
                above = below[one.parent][lists.upwards(lists_of(path), lists_of(former.paths[one.parent]))]
            is_node = code >= 0
            # one node for each text below each node
            keys, which = np.unique(above[is_node] * max(len(words), 1) + code[is_node], return_inverse=True)
            mine = above.copy()
            mine[is_node] = nodes + which
            below[one.name] = mine
            nodes += len(keys)
            numbers.append(np.full(len(keys), number, np.int64))
            aboves.append(keys // max(len(words), 1))
            texts.append(words.take(pa.array(keys % max(len(words), 1))))
        singles = {name: self._single(lists, name) for name in former.singles}
        nodes_of = (np.concatenate(numbers), np.concatenate(aboves), pa.concat_arrays(texts))
        return former.published(records, *nodes_of, singles)

    def _coded(self, values: pa.Array, path: Parts, codes: tuple[str, ...]) -> tuple[pa.Array, NDArray[np.int64]]:
        """The texts that occur, and (values,) which of them each is; -1 where it is missing, empty or a code."""
        import pyarrow as pa

        encoded = self._plain(values, path).dictionary_encode()
        texts, is_coded = values_of(self._sql, f"{self._what}: '{path_text(path)}'", encoded.dictionary, codes)
        words = list(dict.fromkeys(t for t, coded in zip(texts, is_coded, strict=True) if t and not coded))
        place = {word: i for i, word in enumerate(words)}
        known = [place.get(t, -1) if t and not coded else -1 for t, coded in zip(texts, is_coded, strict=True)]
        indices = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        return pa.array(words, pa.string()), np.array([*known, -1], np.int64)[indices]

    def _single(self, lists: _Lists, name: str) -> pa.Array:
        """A column of single values in its own type, and missing where it is a code."""
        import pyarrow as pa
        import pyarrow.compute as pc

        path, codes = self._former.paths[name], self._former.codes[name]
        array = self._plain(lists.values(path), path)
        if not codes:
            return array
        _, is_coded = values_of(self._sql, f"{self._what}: '{path_text(path)}'", array, codes)
        return pc.if_else(pa.array(is_coded, pa.bool_()), pa.scalar(None, array.type), array)

    def _plain(self, array: pa.Array, path: Parts) -> pa.Array:
        import pyarrow as pa

        values = plain(array)
        if pa.types.is_nested(values.type):
            raise DataError(
                f"{self._what}: '{path_text(path)}' has lists or structures; its values are not single values."
            )
        return values


class _Lists:
    """The elements of each list of a batch, by the parts of a path up to it; () is the record."""

    def __init__(self, what: str, batch: pa.RecordBatch) -> None:
        self._what = what
        rows = np.arange(batch.num_rows, dtype=np.int64)
        # (elements,) of which element of the list around each is
        self._elements: dict[Parts, tuple[pa.Array, NDArray[np.int64]]] = {(): (batch.to_struct_array(), rows)}

    def values(self, path: Parts) -> pa.Array:
        """(elements of the last list of a path,) what lies there in each."""
        lists = lists_of(path)
        return self._follow(self._of(lists)[0], lists, path[len(lists) :])

    def upwards(self, lists: Parts, to: Parts) -> NDArray[np.int64]:
        """(elements,) which element of a list further out each lies in."""
        at = np.arange(len(self._of(lists)[0]), dtype=np.int64)
        while lists != to:
            at, lists = self._of(lists)[1][at], lists_of(lists[:-1])
        return at

    def _of(self, lists: Parts) -> tuple[pa.Array, NDArray[np.int64]]:
        import pyarrow.compute as pc

        if lists not in self._elements:
            outer = lists_of(lists[:-1])
            array = self._follow(self._of(outer)[0], outer, lists[len(outer) : -1])
            if not is_list(array.type):
                raise self._fault(lists[:-1], "is no list")
            sizes = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
            self._elements[lists] = array.flatten(), np.repeat(np.arange(len(array), dtype=np.int64), sizes)
        return self._elements[lists]

    def _follow(self, array: pa.Array, above: Parts, names: Parts) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        for place, name in enumerate(names):
            if not pa.types.is_struct(array.type):
                raise self._fault((*above, *names[:place]), "has no fields")
            number = array.type.get_field_index(name)  # -1 also where the name stands twice
            if number < 0:
                raise self._fault((*above, *names[: place + 1]), "is not there, or stands twice")
            array = pc.struct_field(array, [number])  # missing where the structure is
        return array

    def _fault(self, parts: Parts, why: str) -> DataError:
        return DataError(f"{self._what}: '{path_text(parts)}' {why}.")


def texts_of(sql: Sql, where: str, values: pa.Array) -> pa.Array:
    """The texts of single values of any type."""
    import pyarrow as pa

    values = plain(values)
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return values
    encoded = values.dictionary_encode()
    texts, _ = values_of(sql.here, where, encoded.dictionary, ())
    return pa.array(texts, pa.string()).take(encoded.indices)


def values_of(sql: Sql, where: str, values: pa.Array, codes: tuple[str, ...]) -> tuple[list[str | None], list[bool]]:
    """The text of each value, and whether it is one of the codes."""
    import pyarrow as pa

    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        texts = values.to_pylist()
        return texts, [text in codes for text in texts]
    con = sql.driver
    con.register("leaf_values", pa.table({"v": values, "pos": np.arange(len(values), dtype=np.int64)}))
    try:
        kind = str(con.execute("DESCRIBE SELECT v FROM leaf_values").fetchall()[0][1])
        if not is_single_value(kind):
            raise DataError(f"{where} has the type {kind}, whose values are not single values.")
        coded = (is_code(sql, "v", kind, codes) if codes else None) or "false"
        selected = f"{readable('v', kind)}, coalesce({coded}, false)"
        rows = con.execute(f"SELECT {selected} FROM leaf_values ORDER BY pos").fetchall()
    finally:
        con.unregister("leaf_values")
    return [text_form(value, kind) for value, _ in rows], [is_one for _, is_one in rows]
