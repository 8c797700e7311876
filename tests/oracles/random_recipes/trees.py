"""Random recipes for trees: both promises in both modes, every method, negated values, every format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pyarrow as pa

from oracles.random_recipes.case import CANARY, IN_MEMORY, Case
from oracles.random_recipes.choices import (
    hierarchy_file,
    parquet_file,
    published,
    tree,
    zipped,
)
from oracles.random_recipes.release import changed, hidden
from oracles.trees_by_hand import keeps, keeps_diversity

if TYPE_CHECKING:
    import random

    from oracles.random_recipes.case import Rows

Path = tuple[tuple[str, str], ...]  # class and value, from the top down
VALUES = {
    "sex": ["M", "F"],
    "place": ["H1", "H2", "Hé", "H 4"],
    "illness": ["flu", "ulcer", "x'x", "日本"],
    "cure": ["p", "q", "r"],
}
TYPE = pa.struct(
    [(name, pa.string()) for name in ("id", "sex", "paid", "plain")]
    + [
        (
            "stays",
            pa.list_(
                pa.struct(
                    [
                        ("place", pa.string()),
                        ("ills", pa.list_(pa.struct([("code", pa.string()), ("cures", pa.list_(pa.string()))]))),
                    ]
                )
            ),
        )
    ]
)


def random_case(rng: random.Random) -> Case:
    records = _records(rng, rng.choice([2, 3, 5, 8, 13, 20, 28]))
    with_sex = rng.random() < 0.4
    hierarchies = {name: tree(rng, values) for name, values in VALUES.items() if rng.random() < 0.6}
    columns: dict[str, Any] = {
        "id": {"role": "identifying"},
        "sex": {"role": "quasi", "kind": "node"} if with_sex else {"role": "plain"},
        "place": {"role": "quasi", "kind": "node", "path": "stays[].place"},
        "illness": {"role": "quasi", "kind": "node", "path": "stays[].ills[].code", "parent": "place"},
        "cure": {"role": "quasi", "kind": "node", "path": "stays[].ills[].cures[]", "parent": "illness"},
        "paid": published(rng, "sensitive"),
        "plain": published(rng, "plain"),
    }
    classes = [name for name in VALUES if columns[name]["role"] == "quasi"]
    hierarchies = {name: paths for name, paths in hierarchies.items() if name in classes}
    files = {f"h{name}.csv": hierarchy_file(paths) for name, paths in hierarchies.items()}
    for name in hierarchies:
        columns[name]["hierarchy"] = f"h{name}.csv"
    negated = rng.sample(VALUES["place"][:3], rng.randint(1, 2)) if rng.random() < 0.15 else []
    if negated:
        columns["place"]["negated"] = negated
    promise = _guarantee(rng, len(records))
    recipe: dict[str, Any] = {
        "input": {},
        "output": {"path": f"out/o.{rng.choice(['jsonl', 'parquet'])}"},
        "columns": columns,
        "guarantee": [promise],
        "method": _method(rng, promise["name"]),
        "engine": {"threads": 1},
    }
    if rng.random() < 0.15:
        recipe["output"]["tables"] = True
    recipe["input"]["path"], content = _file(rng, records, recipe["input"])
    files[recipe["input"]["path"]] = content
    untouched = ["paid", "plain"] if with_sex else ["sex", "paid", "plain"]

    def breaches(rows: Rows) -> list[str]:
        found = [] if len(rows) == len(records) else [f"{len(rows)} of {len(records)} records"]
        shown = [_paths({name: row.get(name) or [] for name in classes}) for row in rows]
        shown = _with_denials(shown, negated, hierarchies.get("place"), promise["m"])
        return (
            found
            + ([] if _is_kept(rows, shown, promise) else [f"{promise} is broken"])
            + changed(rows, [[one[name] for one in records] for name in untouched], untouched)
        )

    form = " ".join(str(promise[key]) for key in ("name", "mode", "form") if key in promise)
    frame = _frame(records) if rng.random() < IN_MEMORY else None
    return Case(recipe, files, breaches, frame, (f"method {recipe['method']['name']}", form))


def _records(rng: random.Random, number: int) -> list[dict[str, Any]]:
    few = rng.choice([2, 3, 4])
    made: list[dict[str, Any]] = []
    for at in range(number):
        stays = _stays(rng, few)
        if made and rng.random() < 0.5:
            stays = json.loads(json.dumps(rng.choice(made)["stays"]))
        made.append(
            {
                "id": f"{CANARY}{at}",
                "sex": rng.choice(["M", "F", "F", None]),
                "paid": rng.choice(["x", "y", "z", "w", *([None, "*"] if rng.random() < 0.2 else [])]),
                "plain": rng.choice(["u", "v"]),
                "stays": stays,
            }
        )
    return made


def _stays(rng: random.Random, few: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for place in rng.sample(VALUES["place"][:few], rng.randint(0, 2)):
        ills = [
            {"code": code, "cures": rng.sample(VALUES["cure"], rng.randint(0, 2))}
            for code in rng.sample(VALUES["illness"][:few], rng.randint(0, 2))
        ]
        made.append({"place": place if rng.random() > 0.1 else None, "ills": ills})
        if rng.random() < 0.1:
            made.append(json.loads(json.dumps(made[-1])))  # the same twice
    return made


def _guarantee(rng: random.Random, number: int) -> dict[str, Any]:
    promise: dict[str, Any] = {
        "name": rng.choice(["kmn-anonymity", "kmn-anonymity", "kmn-diversity"]),
        "k": max(2, min(number, rng.choice([2, 2, 3, 4]))),
        "m": rng.choice([1, 2, 2, 3]),
        "n": rng.choice([0, 1, 1, 2]),
        "mode": rng.choice(["strict", "pairwise"]),
    }
    if promise["name"] == "kmn-diversity":
        promise |= {"l": rng.choice([2, 2, 3]), "column": "paid", "form": rng.choice(["distinct", "frequency"])}
    return promise


def _method(rng: random.Random, promise: str) -> dict[str, Any]:
    clusters = ["tree-cluster"] if promise == "kmn-anonymity" else []
    made: dict[str, Any] = {"name": rng.choice(["gcs", "gcs", "ocs", "ocs", "acs", "auto", *clusters])}
    if made["name"] == "acs":
        made["budget"] = 0.05
    if made["name"] in ("gcs", "ocs"):
        if rng.random() < 0.3:
            made["siblings"] = "together"
        if rng.random() < 0.3:
            made["g"] = rng.choice([1, 4])
        if rng.random() < 0.2:
            made["patience"] = 2
    if made["name"] == "tree-cluster" and rng.random() < 0.4:
        made["blocks"] = rng.choice([3, 8])
    return made


def _file(rng: random.Random, records: list[dict[str, Any]], said: dict[str, Any]) -> tuple[str, bytes]:
    suffix = rng.choice(["jsonl", "jsonl", "jsonl.gz", "json", "parquet", "parquet", "xml"])
    if suffix == "parquet":
        return "in.parquet", parquet_file(_frame(records))
    if suffix == "json":
        return "in.json", json.dumps(records).encode()
    if suffix == "xml":
        said["record"] = "person"
        return "in.xml", f"<all>{''.join(map(_xml, records))}</all>".encode()
    content = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()
    return f"in.{suffix}", zipped(content) if suffix.endswith("gz") else content


def _frame(records: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_struct_array(pa.array(records, TYPE))


def _xml(record: dict[str, Any]) -> str:
    def field(name: str, value: str | None) -> str:
        return "" if value is None else f"<{name}>{escape(value)}</{name}>"

    stays = ""
    for stay in record["stays"]:
        ills = "".join(
            f"<ills>{field('code', one['code'])}{''.join(field('cures', cure) for cure in one['cures'])}</ills>"
            for one in stay["ills"]
        )
        stays += f"<stays>{field('place', stay['place'])}{ills}</stays>"
    fields = "".join(field(name, record[name]) for name in ("id", "sex", "paid", "plain"))
    return f"<person>{fields}{stays}</person>"


def _paths(nodes: dict[str, Any], above: Path = ()) -> set[Path]:
    found: set[Path] = set()
    for name, each in nodes.items():
        for node in each or []:
            path = (*above, (name, node["value"]))
            found |= {path} | _paths({key: below for key, below in node.items() if key != "value"}, path)
    return found


def _with_denials(
    shown: list[set[Path]], negated: list[str], hierarchy: dict[str, list[str]] | None, m: int
) -> list[set[Path]]:
    """Of labels that stand for negated values alone, and for no more than m of them, the absence is a value too."""
    labels = {value for paths in shown for path in paths for name, value in path if name == "place"}
    stands: dict[str, set[str]] = {}
    for value in VALUES["place"] if negated else []:
        label = next((one for one in (hierarchy or {}).get(value, [value]) if one in labels), None)
        if label is not None:
            stands.setdefault(label, set()).add(value)
    denied = [label for label, values in stands.items() if values <= set(negated) and len(values) <= m]
    return [
        paths | {(("not place", label),) for label in denied if not any(("place", label) in path for path in paths)}
        for paths in shown
    ]


def _is_kept(rows: Rows, shown: list[set[Path]], promise: dict[str, Any]) -> bool:
    terms = promise["k"], promise["m"], promise["n"]
    strict = promise["mode"] == "strict"
    numbers: Any = {
        label: at for at, label in enumerate(sorted({one for paths in shown for path in paths for one in path}))
    }
    trees = [{tuple(numbers[one] for one in path) for path in paths} for paths in shown]
    if promise["name"] == "kmn-anonymity":
        return keeps(trees, *terms, strict=strict)
    told = [hidden(row.get("paid")) for row in rows]
    values = [0 if one is None else 1 + sorted(set(filter(None, told))).index(one) for one in told]
    return keeps_diversity(trees, values, *terms, promise["l"], promise["form"], strict=strict)
