"""A row group names its columns once more; what it says is not believed, and need not even be a text."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.io.parquet import read_parquet
from shoal.verifier.originals.parquet_files import parquet_files


@pytest.mark.parametrize("byte", [b"\xff", b"\xc3", b"b"])
def test_names_in_row_groups_do_not_count(tmp_path, byte):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"age": [34, 35]}), path)
    whole = path.read_bytes()
    places = [match.start() for match in re.finditer(b"age", whole)]
    assert len(places) >= 2
    read = 0
    for place in places:
        path.write_bytes(whole[:place] + byte + whole[place + 1 :])
        for reader in (parquet_files, read_parquet):
            try:
                reader(path)
                read += 1
            except DataError:
                pass
    assert read
