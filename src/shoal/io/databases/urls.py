"""Addresses of databases. A recipe is read, mailed and put into reports, so no password may stand in one."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

PARAMETERS = ("host", "port", "options", "sslmode", "target_session_attrs")  # that an address may have after its `?`
_SERVERS = ("postgresql", "postgres")
_FILES = ("duckdb", "sqlite")
_FORMS = "postgresql://user@host/name, duckdb:///file.duckdb or sqlite:///file.db"


def url_problems(url: str) -> list[str]:
    """Mistakes in `[input] url`; nothing of the address is repeated."""
    try:
        parts = urlsplit(url)
        secret = parts.password is not None
    except ValueError:
        return [f"input.url: is no address; write {_FORMS}."]
    if parts.scheme in _FILES:
        return _file_problems(url)
    if parts.scheme not in _SERVERS:
        return [f"input.url: write {_FORMS}; other databases are not read. Export their tables to files."]
    secret = secret or any("password" in key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True))
    if secret:
        return [
            "input.url: holds a password. A recipe is shared, so leave it out; it is taken from the environment (PGPASSWORD) or "
            "from the password file of PostgreSQL (~/.pgpass)."
        ]
    if any(key.lower() not in PARAMETERS for key, _ in parse_qsl(parts.query, keep_blank_values=True)):
        return [
            f"input.url: an address says where the data is; after `?` it takes {', '.join(PARAMETERS)} and nothing else. What "
            "protects the connection is stated in the environment of PostgreSQL (PGSSLMODE, PGSSLROOTCERT, PGREQUIREAUTH)."
        ]
    if not database_of(url):
        return ["input.url: names no database; write postgresql://user@host/name."]
    return []


def _file_problems(url: str) -> list[str]:
    parts = urlsplit(url)
    if parts.netloc or parts.query or parts.fragment or not parts.path.strip("/"):
        return [
            f"input.url: a database in a file is written {parts.scheme}:///file with three strokes, the path relative to the "
            f"recipe; a fourth stroke begins an absolute path ({parts.scheme}:////data/file). Nothing else belongs into it."
        ]
    return []


def scheme_of(url: str) -> str:
    """What kind of database it is: `postgresql`, `duckdb` or `sqlite`."""
    scheme = urlsplit(url).scheme
    return "postgresql" if scheme in _SERVERS else scheme


def file_of(url: str, folder: Path) -> Path | None:
    """The file of a database that is one; None of a server. folder: where a relative path starts."""
    return folder / unquote(urlsplit(url).path[1:]) if scheme_of(url) in _FILES else None


def database_of(url: str) -> str:
    """The name of the database: how messages call it."""
    path = unquote(urlsplit(url).path.lstrip("/"))
    return Path(path).name if scheme_of(url) in _FILES else path


def is_database(text: str) -> bool:
    """Whether it is the address of a database, not a path."""
    return text.startswith(tuple(f"{scheme}://" for scheme in (*_SERVERS, *_FILES)))
