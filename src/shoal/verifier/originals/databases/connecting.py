"""A connection of the verifier's own to PostgreSQL, and the text of what comes over it."""

from __future__ import annotations

import datetime as dt
import os
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals.login import options
from shoal.verifier.text import text_form

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBPQ = 160000  # the first that can refuse to send a password in clear text


@contextmanager
def connected(url: str, what: str) -> Iterator[Any]:
    """Within one read-only transaction."""
    try:
        import psycopg
    except ImportError:
        raise RecipeError(
            "input.url: PostgreSQL is read with psycopg, which is not installed: pip install 'shoal[postgresql]'."
        ) from None
    if psycopg.pq.version() < _LIBPQ:
        raise RecipeError("input.url: libpq 16 or newer is needed: pip install 'shoal[postgresql]'.")
    try:
        settings = options(psycopg.conninfo.conninfo_to_dict(url), os.environ)
        connection = psycopg.connect(
            url, connect_timeout=20, application_name="shoal verify", client_encoding="utf8", **settings
        )
    except psycopg.Error:
        raise DataError(f"There is no connection to {what} for the verifier.") from None
    try:
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SET LOCAL lock_timeout = '60s'")
        connection.execute("SET LOCAL statement_timeout = '1h'")
        yield connection
        connection.rollback()
    except (psycopg.Error, UnicodeDecodeError) as error:
        raise DataError(f"{what} could not be read ({type(error).__name__}).") from None
    finally:
        connection.close()


def text_of(value: Any, what: str) -> str | None:
    """The text of a value that psycopg handed over."""
    if isinstance(value, Decimal) and value.is_nan():
        return None
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        text = text_form(value.astimezone(dt.UTC).replace(tzinfo=None).isoformat())
        return None if text is None else _without_zeros(text) + "Z"
    if isinstance(value, bytes | memoryview | list | dict | tuple):
        raise DataError(f"{what}: a column holds values that are not single values.")
    return text_form(value)


def _without_zeros(iso: str) -> str:
    return iso.rstrip("0").removesuffix(".") if "." in iso else iso
