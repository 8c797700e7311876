"""How shoal presents itself to a database: no password in clear text, and none to a server that a recipe alone names.

A recipe may come from anyone; the password belongs to whoever runs it, and lies in that person's environment. So the address says
where the data is, and nothing that it says weakens the connection. The environment of PostgreSQL does, for it has the same owner as
the password: PGSSLMODE, PGREQUIREAUTH, and PGHOST, which names the server that PGPASSWORD is for. The password file names its
servers line by line. SCRAM never sends the password, but a server that somebody else runs may guess at what it gets: hence PGHOST.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.io.databases.urls import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Mapping

_SEALED = "verify-full"  # encrypted, and with a certificate that is known and of that very host


def login(address: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """What is said to libpq beside the address. address: in the words of libpq, as it understands it."""
    if address.keys() - {*PARAMETERS, "user", "dbname"}:  # libpq may read an address in another way than `url_problems`
        raise RecipeError("input.url: is no plain address; write postgresql://user@host/name.")
    hosts = (address.get("host") or environment.get("PGHOST") or "").lower().split(",")
    said: dict[str, str] = {}
    if is_here(hosts, environment):
        # who may log in without a password, over a socket or by `trust`, gives none away
        auth = "!password,!md5"
    else:
        auth = "scram-sha-256"
        if address.get("sslmode", _SEALED) != _SEALED:
            raise RecipeError(
                f"input.url: a recipe cannot weaken the connection to another machine: leave out sslmode, which is {_SEALED} then. "
                "Whoever owns the password may state another one in the environment (PGSSLMODE)."
            )
        said["sslmode"] = address.get("sslmode") or environment.get("PGSSLMODE") or _SEALED
        if not set(hosts) <= set(environment.get("PGHOST", "").lower().split(",")):
            said["password"] = ""  # libpq then leaves PGPASSWORD alone, and looks into the password file
    if not environment.get("PGREQUIREAUTH"):
        said["require_auth"] = auth
    return said


def is_here(hosts: list[str], environment: Mapping[str, str]) -> bool:
    """Whether all are on this machine: a socket in a folder, or the loopback."""
    addresses = filter(None, environment.get("PGHOSTADDR", "").split(","))
    return all(map(_is_here, (*hosts, *addresses))) and not environment.get("PGSERVICE")


def _is_here(host: str) -> bool:
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
