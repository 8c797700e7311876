"""Numbers packed into words, in SQL: they come back, and their order is that of the numbers."""

from __future__ import annotations

import duckdb
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.local.words import Words


@given(st.data())
def test_words_give_back_what_they_hold_in_its_order(data):
    sizes = tuple(data.draw(st.lists(st.integers(1, 1 << 31), min_size=1, max_size=6)))
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    words = Words(sizes)
    names = [f"n{c}" for c in range(len(sizes))]
    with duckdb.connect() as con:
        con.register("held", pa.table({name: [row[c] for row in rows] for c, name in enumerate(names)}))
        numbers = ", ".join(words.number(c) for c in range(len(sizes)))
        packed = f"SELECT {', '.join(words.packed(names))} FROM held"
        again = con.execute(f"SELECT {numbers} FROM ({packed}) ORDER BY {', '.join(words.names)}").fetchall()
    assert again == sorted(rows)


def test_a_word_without_one_of_its_numbers_is_missing():
    words = Words((3, 1 << 40, 1 << 40))
    assert words.names == ["w0", "w1"]
    ((first, second),) = duckdb.execute(f"SELECT {', '.join(words.packed(['1', 'NULL', '2']))}").fetchall()
    assert (first, second) == (None, 2)
