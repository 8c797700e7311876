"""Random recipes for single values beside sets of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from oracles.mixed_oracle import holds
from oracles.random_recipes.case import CANARY, IN_MEMORY, Case
from oracles.random_recipes.choices import (
    ITEMS,
    csv_file,
    hierarchy_file,
    parquet_file,
    published,
    quasi,
    some,
    tree,
    typed,
)
from oracles.random_recipes.release import changed, hidden, items_of
from oracles.random_recipes.sets import random_sets

if TYPE_CHECKING:
    import random

    from oracles.random_recipes.case import Rows
    from oracles.random_recipes.choices import Cell

METHODS = ["rum-bound", "rum-bound", "tum-bound", "rfirst", "tfirst", "auto"]


def random_case(rng: random.Random) -> Case:
    number = rng.choice([4, 8, 12, 16, 20])
    values = {f"q{at}": quasi(rng, number, f"h{at}.csv") for at in range(rng.choice([1, 1, 2]))}
    pools = {name: rng.sample(ITEMS, rng.randint(1, 4)) for name in ["T", "U"][: rng.choice([1, 1, 2])]}
    sets = {name: random_sets(rng, pool, number, rng.choice([0, 0, 0.2])) for name, pool in pools.items()}
    kept = {name: rng.sample(pool, min(len(pool), rng.choice([0, 0, 1, 2]))) for name, pool in pools.items()}
    sensitive = some(rng, ["x", "y", "z", "w"], number, rng.choice([0, 0, 0.1]))
    plain = some(rng, ["u", "v"], number, 0.2)
    recipe: dict[str, Any] = {
        "input": {},
        "output": {"path": f"out/o.{rng.choice(['csv', 'parquet'])}"},
        "columns": {"id": {"role": "identifying"}} | {name: one.column for name, one in values.items()},
        "guarantee": _guarantees(rng, number, [name for name in pools if kept[name]]),
        "engine": {"threads": 1},
    }
    files: dict[str, bytes] = {}
    for one in values.values():
        files |= one.files or {}
    stated = rng.random() < 0.6
    for name, pool in pools.items():
        recipe["columns"][name] = {"role": "quasi", "kind": "set"}
        if kept[name]:
            recipe["columns"][name]["sensitive_items"] = kept[name]
        if stated:
            recipe["columns"][name]["hierarchy"] = f"h{name}.csv"
            files[f"h{name}.csv"] = hierarchy_file(tree(rng, pool))
    recipe["columns"] |= {"S": published(rng, "sensitive"), "P": published(rng, "plain")}
    recipe["method"] = _method(rng, stated)
    if rng.random() < 0.3:
        recipe["loss"] = {"name": rng.choice(["item-ncp", "ul"])}
    every: dict[str, list[Cell]] = {"id": [f"{CANARY}{at}" for at in range(number)]}
    every |= {name: one.cells for name, one in values.items()}
    arrays = {name: typed(rng, column) for name, column in every.items()}
    for name, column in sets.items():
        lists = [one if one or rng.random() < 0.5 else None for one in column]
        arrays[name] = pa.array(lists, pa.list_(pa.string()))
    frame = pa.table(arrays | {"S": pa.array(sensitive, pa.string()), "P": pa.array(plain, pa.string())})
    if rng.random() < 0.5:
        cells = every | {name: ["|".join(one) for one in column] for name, column in sets.items()}
        cells |= {"S": sensitive, "P": plain}
        recipe["input"]["path"] = "in.csv"
        files["in.csv"] = csv_file([list(cells), *(list(row) for row in zip(*cells.values(), strict=True))])
    else:
        recipe["input"]["path"] = "in.parquet"
        files["in.parquet"] = parquet_file(frame)

    def breaches(rows: Rows) -> list[str]:
        found = [] if len(rows) == number else [f"{len(rows)} of {number} records"]
        held = {name: [items_of(row[name], "|") for row in rows] for name in sets}
        known = [
            {(name, item) for name in sets for item in held[name][at] if item not in kept[name]}
            for at in range(len(rows))
        ]
        classes: dict[tuple[Cell, ...], list[int]] = {}
        for at, row in enumerate(rows):
            classes.setdefault(tuple(row[name] for name in values), []).append(at)
        for one in recipe["guarantee"]:
            for members in classes.values():
                secrets = _secrets(rows, held, kept, members, one.get("column"))
                if not holds([known[at] for at in members], one["k"], one["m"], secrets, one.get("l", 1)):
                    found.append(f"{one} is broken")
        return found + changed(rows, [sensitive, plain], ["S", "P"])

    tags = (f"method {recipe['method']['name']}", *(one["name"] for one in recipe["guarantee"]))
    return Case(recipe, files, breaches, frame if rng.random() < IN_MEMORY else None, tags)


def _guarantees(rng: random.Random, number: int, keeping: list[str]) -> list[dict[str, Any]]:
    k, m = max(2, min(number, rng.choice([2, 2, 2, 3, 4]))), rng.choice([1, 1, 2, 3])
    anonymous = {"name": "k-km-anonymity", "k": k, "m": m}
    diverse = {
        "name": "k-lm-diversity",
        "k": rng.choice([2, k]),
        "l": rng.choice([2, 2, 3]),
        "m": m,
        "column": rng.choice(["S", *keeping]),
    }
    return rng.choice([[anonymous], [anonymous], [diverse], [anonymous, diverse]])


def _method(rng: random.Random, stated: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"name": rng.choice(METHODS)}
    if made["name"] in ("rum-bound", "tum-bound"):
        made["delta"] = rng.choice([0.5, 0.65, 0.9, 1.0, 1.0])
        made["merge"] = rng.choice(["r", "t", "rt"])
        made["order"] = rng.choice(["btd", "item-ncp", "ul"])
    if made["name"] in ("rum-bound", "tum-bound", "rfirst"):
        if rng.random() < 0.3:
            made["seed"] = rng.randint(0, 9)
        if rng.random() < 0.2:
            made["blocks"] = rng.choice([0, 6, 10])
    if made["name"] != "auto" and stated and rng.random() < 0.5:
        made["items"] = "hierarchy"
    return made


def _secrets(
    rows: Rows,
    held: dict[str, list[frozenset[str]]],
    kept: dict[str, list[str]],
    members: list[int],
    column: str | None,
) -> list[set[int]]:
    """Of everything sensitive, which records of the class may hold it."""
    if column is None:
        return []
    if column in held:
        return [{i for i, at in enumerate(members) if item in held[column][at]} for item in kept[column]]
    told = [hidden(rows[at][column]) for at in members]
    return [{i for i, one in enumerate(told) if one in (None, value)} for value in {*told, None}]
