"""JSON Schemas of the report and the codebook, made from their dataclasses.

The files `report.schema.json` and `codebook.schema.json` beside this module are what it writes; a test holds them together.
`python -m shoal.report.schema` writes them again.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

Name = Literal["report", "codebook"]


def schema(name: Name) -> dict[str, Any]:
    """The schema as shipped."""
    text = files("shoal.report").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    shipped: dict[str, Any] = json.loads(text)
    return shipped


def make_schema(name: Name) -> dict[str, Any]:
    """The schema as the dataclasses say it now (JSON Schema, draft 2020-12)."""
    from pydantic import TypeAdapter

    from shoal.report.codebook import Codebook
    from shoal.report.json import Report

    document: dict[str, Any] = TypeAdapter(Report if name == "report" else Codebook).json_schema()
    _tidy(document)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:shoal:{name}:1",
        "title": f"shoal {name}",
        **document,
    }


def _tidy(node: Any) -> None:
    """Drop generated titles and defaults, and let objects have no keys but the ones named."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        node.pop("default", None)
        if node.get("type") == "object" and "properties" in node:
            node["additionalProperties"] = False
            for item in node["properties"].values():
                _tidy(item)
        for key, item in node.items():
            if key != "properties":
                _tidy(item)


if __name__ == "__main__":
    for which in ("report", "codebook"):
        made = json.dumps(make_schema(which), ensure_ascii=False, indent=2)
        Path(__file__).with_name(f"{which}.schema.json").write_text(made + "\n", encoding="utf-8")
