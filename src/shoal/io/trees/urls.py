"""Addresses of databases. A recipe is read, mailed and put into reports, so no password may stand in one."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

_SCHEMES = ("postgresql", "postgres")


def url_problems(url: str) -> list[str]:
    """Mistakes in `[input] url`; nothing of the address is repeated."""
    try:
        parts = urlsplit(url)
        secret = parts.password is not None
    except ValueError:
        return ["input.url: is no address; write postgresql://user@host/name."]
    if parts.scheme not in _SCHEMES:
        return ["input.url: must begin with postgresql://; other databases are not read. Export their tables to files."]
    secret = secret or any("password" in key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True))
    if secret:
        return [
            "input.url: holds a password. A recipe is shared, so leave it out; it is taken from the environment (PGPASSWORD) or "
            "from the password file of PostgreSQL (~/.pgpass)."
        ]
    if not database_of(url):
        return ["input.url: names no database; write postgresql://user@host/name."]
    return []


def database_of(url: str) -> str:
    """The name of the database: how messages call it."""
    return unquote(urlsplit(url).path.lstrip("/"))


def is_database(text: str) -> bool:
    """Whether it is the address of a database, not a path."""
    return text.startswith(("postgresql://", "postgres://"))
