"""A DuckDB that only sorts and joins what is being read: in a private folder, which goes with it."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import duckdb

from shoal.errors import DataError
from shoal.io.footers.belief import believe_no_footer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def scratch_database(
    folder: Path | None, memory: str | None, failure: str, *, on_disk: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """folder: where the private one is made; None for that of the system. failure: what a message says could not be done.

    on_disk: tables lie in a file from the start; otherwise only what does not fit in memory does.
    """
    private = tempfile.mkdtemp(prefix="shoal-", dir=folder)  # mode 0700
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": private,
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "preserve_insertion_order": "true",
    }
    if memory is not None:
        config["memory_limit"] = memory
    con = duckdb.connect(f"{private}/tables.duckdb" if on_disk else ":memory:", config=config)
    try:
        believe_no_footer(con)
        with suppress(duckdb.InvalidInputException):  # in a notebook without ipywidgets; then there is no bar either
            con.execute("SET enable_progress_bar = false").fetchall()
        yield con
    except duckdb.Error as error:  # its own text may quote cells
        raise DataError(f"{failure} ({type(error).__name__}).") from None
    finally:
        con.close()
        shutil.rmtree(private, ignore_errors=True)
