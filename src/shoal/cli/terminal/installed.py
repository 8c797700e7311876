"""What `shoal --version --json` prints: versions, and which extras can be used. Nothing is imported for it."""

from __future__ import annotations

import platform
import re
from importlib import metadata
from importlib.resources import files
from typing import Any

from shoal.version import __version__


def installed() -> dict[str, Any]:
    """The version of shoal, of Python, of every package it uses (null: not installed), and where the schemas lie."""
    packages, extras = _requirements()
    versions = {name: _version(name) for name in sorted({*packages, *(n for names in extras.values() for n in names)})}
    return {
        "shoal": __version__,
        "python": platform.python_version(),
        "system": platform.system().lower(),
        "machine": platform.machine(),
        "packages": {name: versions[name] for name in sorted(packages)},
        "extras": {
            extra: {"usable": all(versions[name] for name in names), "packages": {n: versions[n] for n in names}}
            for extra, names in sorted(extras.items())
        },
        "schemas": {
            name: str(files(package).joinpath(file))
            for name, package, file in (
                ("recipe", "shoal.release.recipe", "recipe.schema.json"),
                ("report", "shoal.report", "report.schema.json"),
                ("codebook", "shoal.report", "codebook.schema.json"),
                ("output", "shoal.cli.terminal", "output.schema.json"),
            )
        },
    }


def _requirements() -> tuple[set[str], dict[str, list[str]]]:
    """Names of packages that shoal asks for, and those that each extra adds; nothing where shoal was not installed as a package."""
    packages, extras = set[str](), dict[str, list[str]]()
    try:
        lines = metadata.requires("shoal") or []
    except metadata.PackageNotFoundError:
        lines = []
    for line in lines:
        name = re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0].lower()
        extra = re.search(r"extra == ['\"]([^'\"]+)['\"]", line)
        if extra is None:
            packages.add(name)
        elif name not in extras.setdefault(extra[1], []) and name != "shoal":
            extras[extra[1]].append(name)
    return packages, extras


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
