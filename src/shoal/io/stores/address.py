"""Addresses of object stores and of the web. A recipe is read, mailed and put into reports, so no key may stand in one."""

from __future__ import annotations

from urllib.parse import urlsplit

from shoal.io.location import has_pattern

STORES = ("s3", "gs", "az")
WEB = ("https", "http")


def is_store(uri: str) -> bool:
    """Whether it lies in an object store that is read and written here."""
    return uri.partition("://")[0].lower() in STORES


def is_remote(uri: str) -> bool:
    """The same, or on the web, which is for reading only."""
    return uri.partition("://")[0].lower() in (*STORES, *WEB)


def address_problems(key: str, uri: str, *, writing: bool = False) -> list[str]:
    """Mistakes in an address; nothing of it is repeated."""
    try:
        parts = urlsplit(uri)
        secret = parts.username is not None or parts.password is not None or bool(parts.query)
    except ValueError:
        return [f"{key}: is no address; write s3://bucket/folder/name."]
    if secret or "@" in parts.netloc:
        return [
            f"{key}: holds something before `@` or after `?`, where keys and passwords stand. A recipe is shared, so leave it out; "
            "credentials are taken from the environment."
        ]
    if parts.fragment or has_pattern(uri) or not parts.netloc or not parts.path.strip("/"):
        return [f"{key}: an address is one place, scheme://bucket/folder/name, without the signs of a pattern."]
    if any(part in (".", "..", "") for part in parts.path.removeprefix("/").removesuffix("/").split("/")):
        return [f"{key}: an address has no empty parts, and none that are dots."]
    if writing and parts.scheme.lower() in WEB:
        return [f"{key}: the web is for reading only; write to a path or to an object store."]
    return []
