"""Small data of every kind with a recipe beside it, and what must become of a run in whose makers a fault was planted."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import InternalError, NotAnonymous, ShoalError
from shoal.release.recipe.recipe import Recipe

REGIONS = """1011;10;North;*
1012;10;North;*
1023;10;North;*
2011;20;South;*
2012;20;South;*
2033;20;South;*
"""


def people(rows: int = 90) -> list[dict[str, str]]:
    draw = random.Random(5)
    return [
        {
            "name": f"person {i}",
            "age": str(draw.randrange(20, 60)),
            "born": f"{draw.randrange(1960, 1964)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 28):02}",
            "zip": draw.choice(["1011", "1012", "1023", "2011", "2012", "2033"]),
            "ill": draw.choice(["flu", "cold", "cough", "fever"]),
            "pay": draw.choice(["low", "low", "mid", "high", "99"]),
        }
        for i in range(rows)
    ]


def table(folder: Path, columns: dict[str, Any], *promises: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A recipe of a table. columns: what it says besides of those that others know, and of `ill` and `pay`."""
    given = {"name": {"role": "identifying"}, "age": {"role": "identifying"}, "born": {"role": "identifying"}}
    given |= {"zip": {"role": "identifying"}, "ill": {"role": "sensitive"}, "pay": {"role": "sensitive"}}
    rows = people()
    lines = [",".join(given), *(",".join(row.values()) for row in rows)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "regions.csv").write_text(REGIONS)
    return {
        "input": {"path": str(folder / "people.csv")},
        "output": {"path": str(folder / "release.csv")},
        "columns": given | columns,
        "guarantee": list(promises or [{"name": "k-anonymity", "k": 4}]),
        "method": {"name": "optimal"},
        **more,
    }


def sets(folder: Path, k: int = 4, m: int = 2) -> dict[str, Any]:
    draw = random.Random(2)
    kinds = {"milk": 5, "butter": 4, "cheese": 3, "bread": 5, "rolls": 2, "beer": 1, "wine": 1}
    lines = ["items", *("|".join(sorted(set(draw.choices(list(kinds), list(kinds.values()), k=3)))) for _ in range(80))]
    (folder / "baskets.csv").write_text("\n".join(lines) + "\n")
    groups = {"dairy": ["milk", "butter", "cheese"], "bakery": ["bread", "rolls"], "drinks": ["beer", "wine"]}
    return {
        "input": {"path": str(folder / "baskets.csv")},
        "output": {"path": str(folder / "release.csv")},
        "columns": {"items": {"role": "quasi", "kind": "set", "hierarchy": {"groups": groups}}},
        "guarantee": [{"name": "km-anonymity", "k": k, "m": m}],
    }


def mixed(folder: Path) -> dict[str, Any]:
    draw = random.Random(3)
    lines = ["age,items,ill"]
    for _ in range(80):
        items = "|".join(sorted(set(draw.choices(["milk", "butter", "bread", "rolls", "pills"], [5, 4, 5, 2, 1], k=3))))
        lines.append(f"{draw.randrange(20, 40)},{items},{draw.choice('abc')}")
    (folder / "mixed.csv").write_text("\n".join(lines) + "\n")
    groups = {"dairy": ["milk", "butter"], "bakery": ["bread", "rolls"], "drugs": ["pills"]}
    return {
        "input": {"path": str(folder / "mixed.csv")},
        "output": {"path": str(folder / "release.csv")},
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10], "from": 20, "to": 40}},
            "items": {"role": "quasi", "kind": "set", "hierarchy": {"groups": groups}, "sensitive_items": ["pills"]},
            "ill": {"role": "sensitive"},
        },
        "guarantee": [{"name": "k-km-anonymity", "k": 4, "m": 1}],
        "method": {"name": "rum-bound", "delta": 0.3},
    }


def trees(folder: Path) -> dict[str, Any]:
    draw = random.Random(4)
    lines = []
    for i in range(60):
        visits = [
            {
                "place": draw.choice(["Kiel", "Rostock", "Ulm", "Passau"]),
                "codes": [draw.choice(["flu", "cold", "cough"])],
            }
            for _ in range(draw.randrange(1, 3))
        ]
        lines.append(json.dumps({"id": f"p{i}", "sex": draw.choice("fm"), "ill": draw.choice("abc"), "visits": visits}))
    (folder / "people.jsonl").write_text("\n".join(lines) + "\n")
    groups = {"north": ["Kiel", "Rostock"], "south": ["Ulm", "Passau"]}
    return {
        "input": {"path": str(folder / "people.jsonl")},
        "output": {"path": str(folder / "release.jsonl")},
        "columns": {
            "id": {"role": "identifying"},
            "sex": {"role": "quasi", "kind": "node"},
            "place": {"role": "quasi", "kind": "node", "path": "visits[].place", "hierarchy": {"groups": groups}},
            "code": {"role": "quasi", "kind": "node", "path": "visits[].codes[]", "parent": "place"},
            "ill": {"role": "sensitive"},
        },
        "guarantee": [{"name": "kmn-anonymity", "k": 4, "m": 2, "n": 1}],
    }


def released(recipe: dict[str, Any]) -> None:
    """Without a fault there is a release, so that what stops a planted run is the fault."""
    assert shoal.run(Recipe.of(recipe)).verdict.passed


def caught(recipe: dict[str, Any], *, by: tuple[type[ShoalError], ...] = (NotAnonymous, InternalError)) -> None:
    """A run in whose makers a fault was planted stops, and leaves nothing at its output."""
    output = Path(recipe["output"]["path"])
    before = output.read_bytes() if output.exists() else None
    with pytest.raises(by):
        shoal.run(Recipe.of(recipe), replace=True)
    assert (output.read_bytes() if output.exists() else None) == before
