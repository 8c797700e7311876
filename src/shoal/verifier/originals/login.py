"""How the verifier presents itself to a database, by the rules of the reference: the address of a recipe says where the data is,
and cannot weaken the connection; a password goes to no server that the recipe alone names.

A recipe may come from anyone; the environment belongs to whoever runs it. So `PGSSLMODE`, `PGREQUIREAUTH` and `PGHOST` state
otherwise, and nothing that stands in the address does.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALLOWED = {"host", "port", "options", "sslmode", "target_session_attrs"}  # after the `?` of an address
_SAFE = "verify-full"


def check_url(url: str) -> str:
    """The name of the database. Refuses an address that is none, or that says more than where the data is."""
    try:
        address = urlsplit(url)
        extras = {key.lower() for key, _ in parse_qsl(address.query, keep_blank_values=True)}
        if address.scheme not in ("postgresql", "postgres") or not address.path.strip("/"):
            raise ValueError("no database")
        if address.password is not None or any("password" in key for key in extras):
            raise RecipeError("input.url: holds a password; leave it out.")
    except ValueError:
        raise RecipeError("input.url: is no plain address; write postgresql://user@host/name.") from None
    if extras - _ALLOWED:
        raise RecipeError(f"input.url: after `?` it takes {', '.join(sorted(_ALLOWED))} and nothing else.")
    return address.path.strip("/")


def options(address: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """What libpq is told beside the address. address: as libpq itself takes it apart."""
    if set(address) - _ALLOWED - {"user", "dbname"}:
        raise RecipeError("input.url: is no plain address; write postgresql://user@host/name.")
    trusted = [host for host in environment.get("PGHOST", "").lower().split(",") if host]
    hosts = address.get("host", "").lower().split(",") if address.get("host") else trusted
    addresses = [one for one in environment.get("PGHOSTADDR", "").split(",") if one]
    settings: dict[str, str] = {}
    if all(map(_is_here, (*hosts, *addresses))) and not environment.get("PGSERVICE"):
        settings["require_auth"] = "!password,!md5"  # a login without a password gives none away
    else:
        if address.get("sslmode", _SAFE) != _SAFE:
            raise RecipeError("input.url: a recipe cannot weaken the connection to another machine; leave out sslmode.")
        settings["require_auth"] = "scram-sha-256"
        settings["sslmode"] = _SAFE if "sslmode" in address else environment.get("PGSSLMODE") or _SAFE
        if not set(hosts) <= set(trusted):
            settings["password"] = (
                ""  # PGPASSWORD is for the server that PGHOST names; the password file names its servers
            )
    if environment.get("PGREQUIREAUTH"):
        del settings["require_auth"]
    return settings


def _is_here(host: str) -> bool:
    """A socket in a folder, or the loopback."""
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
