"""A connection to PostgreSQL that only reads: one read-only transaction, so all of it fits together whoever writes meanwhile.

Messages name the database, tables and columns; what the server says is not repeated, for it may quote addresses and cells.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, RecipeError
from shoal.io.databases.login import login

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 10_000  # that leave the server at once
_LIBPQ = 160000  # the first that knows `require_auth`
_PATIENCE = ("lock_timeout = '60s'", "statement_timeout = '1h'")  # a statement that waits for ever would hold up others
# types whose values have one text form; all others are binary here, so that they are refused where they are kept
PLAIN = frozenset(
    {
        "bool", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "varchar", "bpchar", "char", "name", "citext",
        "date", "time", "timestamp", "timestamptz", "uuid",
    }
)  # fmt: skip


@contextmanager
def connected(url: str, where: str) -> Iterator[Any]:
    """Within one read-only transaction."""
    try:
        import psycopg
    except ImportError:
        raise RecipeError(
            "input.url: PostgreSQL is read with psycopg, which is not installed: pip install 'shoal[postgresql]'."
        ) from None
    if psycopg.pq.version() < _LIBPQ:
        raise RecipeError(
            "input.url: psycopg uses a libpq older than 16 here, which cannot keep a password from being sent in clear text: "
            "pip install 'shoal[postgresql]'."
        )
    try:
        said = login(psycopg.conninfo.conninfo_to_dict(url), os.environ)
        connection = psycopg.connect(url, connect_timeout=20, application_name="shoal", client_encoding="utf8", **said)
    except psycopg.Error:
        raise DataError(
            f"There is no connection to {where}. Is the address right, is the server up, and is the password in PGPASSWORD or in "
            "the password file? On another machine the server must have a certificate that is known here (PGSSLROOTCERT) and take "
            "the password by SCRAM, and PGPASSWORD is for the server that PGHOST names."
        ) from None
    try:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        for limit in _PATIENCE:
            connection.execute(f"SET LOCAL {limit}")
        yield connection
        connection.rollback()
    except psycopg.Error as error:
        raise DataError(f"{where} could not be read ({type(error).__name__}).") from None
    except UnicodeDecodeError:
        raise DataError(f"{where} holds text that is not UTF-8.") from None
    finally:
        connection.close()


def quoted(name: str) -> str:
    """`schema.table` with its parts quoted: names in the database are meant as they are written."""
    return ".".join(identifier(part) for part in name.split("."))


def identifier(name: str) -> str:
    """One name as SQL."""
    return '"' + name.replace('"', '""') + '"'
