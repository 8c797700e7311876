"""Writes .ci/shoal.cdx.json: what is in the wheel, and what it needs, with versions and licences (CycloneDX 1.6).

    python .ci/sbom.py

The wheel carries it (`dist-info/sboms`, PEP 770). Versions are those of the lock file, which has the hashes; licences are what
the installed packages state. No date and no random number is in it, so that the same lock gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[1]
FILE = PROJECT / ".ci" / "shoal.cdx.json"
HTMX = PROJECT / "src" / "shoal" / "studio" / "static" / "htmx.min.js"
# as SPDX names them, where the package itself says it in other words
_SPDX = {
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "BSD-3-Clause License": "BSD-3-Clause",
    "MIT License": "MIT",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
    "http://www.apache.org/licenses/LICENSE-2.0": "Apache-2.0",
}
# what the lock file has not, since its own environment needs an older pandas
_ELSEWHERE = {"pyspark": "Apache-2.0", "py4j": "BSD-3-Clause"}


def locked() -> dict[str, str]:
    """Package → version, as the lock file pins it."""
    text = (PROJECT / ".ci" / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, re.MULTILINE)
    return {_plain(name): version for name, version in pins}


def make() -> dict[str, Any]:
    """The document, from pyproject.toml, the lock file and the metadata of what is installed."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r'"(.+)"', (PROJECT / "src/shoal/version.py").read_text(encoding="utf-8").split("=")[1])[1]
    optional = [line for name, lines in project["optional-dependencies"].items() if name != "all" for line in lines]
    required, wanted = _closure(project["dependencies"]), _closure([*project["dependencies"], *optional])
    direct = {_plain(Requirement(line).name) for line in [*project["dependencies"], *optional]}
    pins = locked()
    components = [_component(name, pins, required=name in required, asked=wanted[name]) for name in sorted(wanted)]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": "shoal",
                "name": "shoal",
                "version": version,
                "description": project["description"],
                "licenses": [{"expression": project["license"]}],
                "purl": f"pkg:pypi/shoal@{version}",
            }
        },
        "components": [_htmx(), *components],
        "dependencies": [{"ref": "shoal", "dependsOn": sorted(["htmx", *direct])}],
    }


def _closure(requirements: list[str]) -> dict[str, str]:
    """Package → in which words it is asked for, of everything that these requirements bring to Linux."""
    found: dict[str, str] = {}
    waiting = [(Requirement(line), frozenset[str]()) for line in requirements]
    while waiting:
        asked, extras = waiting.pop()
        name = _plain(asked.name)
        if asked.marker is not None and not any(asked.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            continue
        seen, found[name] = name in found, found.get(name, f"{asked.name}{asked.specifier}")
        if seen and not asked.extras:
            continue
        below = ["py4j"] if name == "pyspark" else [] if name in _ELSEWHERE else metadata.requires(name) or []
        waiting += [(Requirement(line), frozenset(asked.extras)) for line in below]
    return found


def _component(name: str, pins: dict[str, str], *, required: bool, asked: str) -> dict[str, Any]:
    component: dict[str, Any] = {"type": "library", "bom-ref": name, "name": name}
    if name in pins:
        component |= {"version": pins[name], "purl": f"pkg:pypi/{name}@{pins[name]}"}
    else:
        component |= {"purl": f"pkg:pypi/{name}", "properties": [{"name": "shoal:requirement", "value": asked}]}
    component["scope"] = "required" if required else "optional"
    component["licenses"] = [{"expression": licence_of(name)}]
    return component


def licence_of(name: str) -> str:
    """As an SPDX expression."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    about = metadata.metadata(name)
    stated = about.get("License-Expression") or about.get("License") or ""
    if not stated or "\n" in stated.strip() or len(stated) > 60:
        classes = [
            line.split(" :: ")[-1] for line in about.get_all("Classifier") or [] if line.startswith("License ::")
        ]
        stated = classes[0] if classes else stated.strip().split("\n")[0]
    return _SPDX.get(stated.strip(), stated.strip())


def _htmx() -> dict[str, Any]:
    data = HTMX.read_bytes()
    version = re.search(rb'version:"([0-9.]+)"', data)[1].decode()
    return {
        "type": "library",
        "bom-ref": "htmx",
        "name": "htmx",
        "version": version,
        "purl": f"pkg:npm/htmx.org@{version}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}],
        "scope": "required",
        "licenses": [{"license": {"id": "0BSD"}}],
        "properties": [{"name": "shoal:file", "value": "shoal/studio/static/htmx.min.js"}],
    }


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    FILE.write_text(json.dumps(make(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
