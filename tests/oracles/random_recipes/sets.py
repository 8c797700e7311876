"""Random recipes for sets of items alone: labels of a hierarchy, or bases that everyone matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from oracles.km_oracle import is_km_anonymous, is_lm_diverse
from oracles.random_recipes.case import IN_MEMORY, Case
from oracles.random_recipes.choices import (
    ITEMS,
    csv_file,
    hierarchy_file,
    parquet_file,
    published,
    some,
    tree,
    zipped,
)
from oracles.random_recipes.matching import possible_pairs
from oracles.random_recipes.release import changed, hidden, items_of
from oracles.set_cases import fits

if TYPE_CHECKING:
    import random

    from oracles.random_recipes.case import Rows
    from oracles.random_recipes.choices import Cell


def random_case(rng: random.Random) -> Case:
    number = rng.choice([2, 4, 6, 9, 12, 16, 20])
    pool = rng.sample(ITEMS, rng.randint(1, 7))
    sets = random_sets(rng, pool, number, rng.choice([0, 0, 0.2]))
    values = rng.choice([["x", "y", "z"], ["1", "2", "3", "4", "5"], ["x", "y", "z", "*"], ["x", "y", "z", " "]])
    sensitive = some(rng, values, number, rng.choice([0, 0, 0.1]), rng.choice([0, 0, 0, 0, 0.4]))
    plain = some(rng, ["u", "v"], number, 0.2)
    guarantees, method = _promised(rng, number)
    labels = method["name"] == "apriori" or guarantees[0]["name"].startswith(("km", "lm"))
    with_others = any("column" in one for one in guarantees) or rng.random() < 0.3
    recipe: dict[str, Any] = {
        "input": {},
        "output": {"path": f"out/o.{rng.choice(['csv', 'parquet'])}"},
        "columns": {"items": {"role": "quasi", "kind": "set"}},
        "guarantee": guarantees,
        "method": method,
        "engine": {"threads": 1},
    }
    files: dict[str, bytes] = {}
    if labels:
        recipe["columns"]["items"]["hierarchy"] = "h.csv"
        files["h.csv"] = hierarchy_file(tree(rng, pool))
    if with_others:
        recipe["columns"] |= {"S": published(rng, "sensitive"), "P": published(rng, "plain")}
    frame = _frame(rng, sets, sensitive, plain, with_others)
    name, content, sets = _file(rng, recipe, frame, sets, sensitive, plain, with_others)
    files[name] = content
    recipe["input"]["path"] = name
    if name.endswith((".dat", ".dat.gz")) and labels and rng.random() < 0.5:
        recipe["output"]["path"] = "out/o.dat"
    mark = recipe["input"].get("items", "|")
    in_memory = rng.random() < IN_MEMORY and not name.startswith("in.dat")
    listed = in_memory or name == "in.parquet"
    unsaid = frame["items"].is_null().to_pylist() if listed else [not name.startswith("in.dat") and not s for s in sets]
    others = list(zip(sensitive, plain, strict=True)) if with_others else [()] * number
    people = [i for i in range(number) if not unsaid[i] or not all(map(_is_blank, others[i]))]

    def breaches(rows: Rows) -> list[str]:
        published = [items_of(row["items"], mark) for row in rows]
        told = [hidden(row.get("S")) for row in rows]
        found = [] if len(rows) == len(people) else [f"{len(rows)} of {len(people)} records"]
        for one in guarantees:
            if one["name"] == "km-anonymity":
                kept = is_km_anonymous(published, one["k"], one["m"])
            elif one["name"] == "lm-diversity":
                kept = is_lm_diverse(published, told, one["l"], one["m"])
            else:
                kept = _is_matched([sets[i] for i in people], rows, told, mark, one)
            found += [] if kept else [f"{one} is broken"]
        beside = [[sensitive[i] for i in people], [plain[i] for i in people]]
        return found + (changed(rows, beside, ["S", "P"]) if with_others else [])

    tags = (f"method {method['name']}", *(one["name"] for one in guarantees))
    return Case(recipe, files, breaches, frame if in_memory else None, tags)


def _is_blank(cell: Cell) -> bool:
    """A row of nothing but these is nobody."""
    return cell is None or not cell.strip()


def random_sets(rng: random.Random, pool: list[str], number: int, empty: float) -> list[list[str]]:
    share = rng.choice([0.2, 0.4, 0.7])
    liked = {item: rng.random() * 2 for item in pool}
    made = []
    for _ in range(number):
        one = [item for item in pool if rng.random() < share * liked[item]] if rng.random() >= empty else []
        if one and rng.random() < 0.1:
            one.append(rng.choice(one))  # an item twice
        made.append(rng.sample(one, len(one)))
    return made


def _promised(rng: random.Random, number: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    k = rng.choice([2, 2, 2, 3, 4, max(2, number)])
    l, m = rng.choice([2, 2, 2, 3]), rng.choice([1, 2, 2, 3])
    anonymous, diverse = (
        {"name": "km-anonymity", "k": k, "m": m},
        {"name": "lm-diversity", "l": l, "m": m, "column": "S"},
    )
    alike, unlike = {"name": "k-matching", "k": k}, {"name": "l-matching", "l": l, "column": "S"}
    if rng.random() < 0.55:
        made = rng.choice([[anonymous], [anonymous], [diverse], [anonymous, diverse]])
        method: dict[str, Any] = {"name": rng.choice(["apriori", "apriori", "auto"])}
        if method["name"] == "apriori":
            method |= {key: True for key in ("local", "leave_out") if rng.random() < 0.5}
        return made, method
    made = rng.choice([[alike], [alike], [unlike], [unlike, alike]])
    if made == [unlike] and rng.random() < 0.6:
        method = {"name": "cahd"}
    else:
        method = {"name": rng.choice(["nonreciprocal", "nonreciprocal", "auto"])}
    if method["name"] == "nonreciprocal":
        if made == [alike] and k > 3 and number < 10 and rng.random() < 0.5:
            method["mode"] = "ring"
        if rng.random() < 0.3:
            method["tour"] = False
    if method["name"] != "auto" and rng.random() < 0.2:
        method["blocks"] = rng.choice([0, 6, 10])
    return made, method


def _frame(
    rng: random.Random, sets: list[list[str]], sensitive: list[Cell], plain: list[Cell], with_others: bool
) -> pa.Table:
    lists = pa.array([one if one or rng.random() < 0.5 else None for one in sets], pa.list_(pa.string()))
    others = {"S": pa.array(sensitive, pa.string()), "P": pa.array(plain, pa.string())} if with_others else {}
    return pa.table({"items": lists} | others)


def _file(
    rng: random.Random,
    recipe: dict[str, Any],
    frame: pa.Table,
    sets: list[list[str]],
    sensitive: list[Cell],
    plain: list[Cell],
    with_others: bool,
) -> tuple[str, bytes, list[list[str]]]:
    """And the sets that it can hold: items of a `.dat` file have no blanks."""
    suffix = rng.choice(["csv", "csv", "csv.gz", "parquet", "parquet"] + ([] if with_others else ["dat", "dat.gz"]))
    if suffix.startswith("dat"):
        sets = [[item for item in one if " " not in item] for one in sets]
        content = "".join(" ".join(one) + "\n" for one in sets).encode()
        return f"in.{suffix}", zipped(content) if suffix.endswith("gz") else content, sets
    if suffix == "parquet":
        return "in.parquet", parquet_file(frame), sets
    mark = rng.choice(["|", "|", "~"])
    if mark != "|":
        recipe["input"]["items"] = mark
    cells: list[list[Cell]] = [[mark.join(one) for one in sets], *([sensitive, plain] if with_others else [])]
    head = ["items", *(["S", "P"] if with_others else [])]
    content = csv_file([head, *(list(row) for row in zip(*cells, strict=True))])
    return f"in.{suffix}", zipped(content) if suffix == "csv.gz" else content, sets


def _is_matched(sets: list[list[str]], rows: Rows, told: list[Cell], mark: str, guarantee: dict[str, Any]) -> bool:
    shown = [
        (items_of(row["items"], mark), items_of(row["items:differ"], mark), int(row["items:at_most"])) for row in rows
    ]
    pairs = possible_pairs([[fits(frozenset(one), other) for other in shown] for one in sets])
    if pairs is None:
        return False
    if guarantee["name"] == "k-matching":
        return all(len(beside) >= guarantee["k"] for beside in pairs)
    return all(len({told[at] for at in beside} - {None}) >= guarantee["l"] for beside in pairs)
