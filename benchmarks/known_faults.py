"""Known faults of the packages that the lock file names, by a database that needs no network: one JSON object.

    pip install safety-db
    python -m benchmarks.known_faults [--database insecure_full.json] [--lock .ci/requirements.lock]

The database is a package of its own and has a date, which is printed: what became known later is not in it. `pip-audit` asks a
database of today, over a network; that is part of every release (CONTRIBUTING.md). The exit code is 1 when a version of the lock
has a known fault.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from benchmarks.lib.places import PROJECT

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def pinned(lock: str) -> dict[str, Version]:
    """The packages of a lock file, by the one name that all spellings have."""
    return {canonicalize_name(name): Version(version) for name, version in _PIN.findall(lock)}


def faults(packages: dict[str, Version], database: dict[str, Any]) -> tuple[int, list[dict[str, str]]]:
    """(how many of the packages the database speaks of, the faults that their versions have)."""
    listed = {canonicalize_name(name): found for name, found in database.items() if not name.startswith("$")}
    met = [
        {"package": name, "version": str(version), "id": one["cve"] or one["id"]}
        for name, version in packages.items()
        for one in listed.get(name, [])
        if any(SpecifierSet(spec).contains(version, prereleases=True) for spec in one["specs"])
    ]
    return len(packages.keys() & listed.keys()), met


def _shipped() -> Path | None:
    found = importlib.util.find_spec("safety_db")
    return Path(found.origin).parent / "insecure_full.json" if found is not None and found.origin else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", type=Path, default=_shipped(), help="that of the package safety-db unless given")
    parser.add_argument("--lock", type=Path, default=PROJECT / ".ci" / "requirements.lock")
    chosen = parser.parse_args()
    if chosen.database is None:
        print("There is no database here: pip install safety-db, or give --database.", file=sys.stderr)
        return 2
    database = json.loads(chosen.database.read_text(encoding="utf-8"))
    packages = pinned(chosen.lock.read_text(encoding="utf-8"))
    listed, met = faults(packages, database)
    made = dt.datetime.fromtimestamp(database["$meta"]["timestamp"], dt.UTC).date()
    figures = {"database": "safety-db", "of": str(made), "packages": len(packages), "listed": listed, "faults": met}
    print(json.dumps(figures))
    return 1 if met else 0


if __name__ == "__main__":
    sys.exit(main())
