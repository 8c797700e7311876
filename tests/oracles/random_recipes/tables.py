"""Random recipes for tables: every promise in every form, every method with its keys, every form of hierarchy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from oracles import brute_force as brute
from oracles.random_recipes.case import CANARY, IN_MEMORY, Case
from oracles.random_recipes.choices import (
    NAMES,
    csv_file,
    hierarchy_file,
    parquet_file,
    published,
    quasi,
    some,
    tree,
    typed,
    zipped,
)
from oracles.random_recipes.release import changed, hidden

if TYPE_CHECKING:
    import random

    from oracles.random_recipes.case import Rows
    from oracles.random_recipes.choices import Cell

METHODS = ["auto", "optimal", "optimal", "mondrian", "mondrian", "mstk", "cluster", "incognito", "poka", "frontier"]
SENSITIVE = [
    ["flu", "ulcer", "cold", "gout"],
    ["1", "2", "3", "10"],
    ["1", "2", "2.0", "3"],
    ["x", "*", "y", " "],
    ["p", "q"],
]


def random_case(rng: random.Random) -> Case:
    number = rng.choice([2, 4, 6, 9, 13, 20, 30])
    columns = {
        rng.choice(NAMES).format(at): quasi(rng, number, f"h{at}.csv") for at in range(rng.choice([1, 2, 2, 3, 3]))
    }
    values = rng.choice(SENSITIVE)
    sensitive = some(rng, values, number, rng.choice([0, 0, 0.08]), rng.choice([0, 0, 0.5]))
    plain = some(rng, ["u", "w w", "=cmd", "-5"], number, rng.choice([0, 0.2]))
    guarantees, paths = _guarantees(rng, number, values)
    method, options = _method(rng, guarantees)
    recipe: dict[str, Any] = {
        "missing": "refuse" if rng.random() < 0.03 else "value",
        "input": {},
        "output": {"path": f"out/o.{rng.choice(['csv', 'csv', 'parquet'])}"},
        "columns": {"id": {"role": "identifying"}} | {name: one.column for name, one in columns.items()},
        "guarantee": guarantees,
        "method": {"name": method} | options,
        "suppression": {"limit": rng.choice([0, 0, 0.05, 0.1, 0.3, 0.5])},
        "engine": {"threads": 1},
    }
    recipe["columns"] |= {"S": published(rng, "sensitive"), "P": published(rng, "plain")}
    if rng.random() < 0.4:
        recipe["loss"] = {"name": rng.choice(["ncp", "glm", "dm", "entropy", "ce"])}
        if recipe["loss"]["name"] == "ce":
            recipe["loss"]["column"] = "S"
        elif recipe["loss"]["name"] != "dm" and rng.random() < 0.3:
            recipe["loss"]["weights"] = {next(iter(columns)): rng.choice([0.5, 2.0])}
    if recipe["output"]["path"].endswith(".csv") and rng.random() < 0.2:
        recipe["output"]["spreadsheet_safe"] = True
    files: dict[str, bytes] = {}
    for one in columns.values():
        files |= one.files or {}
    if paths is not None:
        recipe["columns"]["S"]["hierarchy"] = "s.csv"
        files["s.csv"] = hierarchy_file(paths)
    every: dict[str, list[Cell]] = {"id": [f"{CANARY}{at}" for at in range(number)]}
    every |= {name: one.cells for name, one in columns.items()} | {"S": sensitive, "P": plain}
    frame = pa.table({name: typed(rng, cells) for name, cells in every.items()})
    recipe["input"]["path"], content = _file(rng, every, frame, recipe["input"])
    files[recipe["input"]["path"]] = content
    limit = Fraction(str(recipe["suppression"]["limit"]))

    def breaches(rows: Rows) -> list[str]:
        table = [(tuple(row[name] for name in columns), hidden(row["S"])) for row in rows]
        found = [f"{one} is broken" for one in guarantees if _broken(table, one, paths)]
        if not 0 <= number - len(rows) <= limit * number:
            found.append(f"{number - len(rows)} of {number} records are suppressed")
        if not recipe["output"].get("spreadsheet_safe"):
            found += changed(rows, [sensitive, plain], ["S", "P"])
        return found

    tags = (
        f"method {method}",
        *(_tag(one) for one in guarantees),
        *(f"hierarchy {one.form}" for one in columns.values()),
    )
    return Case(recipe, files, breaches, frame if rng.random() < IN_MEMORY else None, tags)


def _guarantees(
    rng: random.Random, number: int, values: list[str]
) -> tuple[list[dict[str, Any]], dict[str, list[str]] | None]:
    """And the hierarchy of the sensitive column, when one is needed."""
    made: list[dict[str, Any]] = [{"name": "k-anonymity", "k": rng.choice([2, 2, 2, 2, 3, 4, max(2, number)])}]
    paths: dict[str, list[str]] | None = None
    which = rng.random()
    if which < 0.45:
        variant = rng.choice(["distinct", "distinct", "entropy", "recursive"])
        l = rng.choice([1.5, 2, 2, 3] if variant == "entropy" else [2, 2, 2, 3])
        made.append({"name": "l-diversity", "l": l, "column": "S", "variant": variant})
        if variant == "recursive":
            made[-1]["c"] = rng.choice([0.5, 1, 2, 3.5])
    if 0.3 < which < 0.75:
        distance = rng.choice(["equal", "ordered", "hierarchical"])
        t = rng.choice([0, 0.1, 0.25, 0.3, 0.5, 0.9])
        made.append({"name": "t-closeness", "t": t, "column": "S", "distance": distance})
        known = [value for value in values if value != "*"]
        if distance == "hierarchical":
            paths = tree(rng, known)
        elif distance == "ordered" and not all(_is_number(value) for value in known):
            paths = {value: [value, "all"] for value in known}
        elif rng.random() < 0.2:
            paths = {value: [value, "all"] for value in rng.sample(known, len(known))}
        if distance == "hierarchical" and rng.random() < 0.2 and all(map(_is_number, known)):
            made.append({"name": "t-closeness", "t": 0.5, "column": "S", "distance": "ordered"})
    return made[1:] if len(made) > 1 and rng.random() < 0.1 else made, paths


def _method(rng: random.Random, guarantees: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    name, options = rng.choice(METHODS), {}
    if name in ("poka", "frontier", "incognito"):
        guarantees[:] = [one for one in guarantees if one["name"] == "k-anonymity"] or [{"name": "k-anonymity", "k": 2}]
    if name == "auto":
        options["budget"] = 0.05
        if rng.random() < 0.5:
            options["values"] = "free"
    elif name == "mondrian":
        options["mode"] = rng.choice(["strict", "relaxed"])
        if options["mode"] == "strict":
            options["split"] = rng.choice(["hierarchy", "median", "mixed"])
    elif name == "mstk" and rng.random() < 0.3:
        options["resplit"] = False
    elif name == "cluster":
        options["seed"] = rng.randint(0, 9)
        if rng.random() < 0.2:
            options["budget"] = 0.001
    elif name == "poka" and rng.random() < 0.5:
        options["depth"] = rng.choice([1, 2, "best", "worst"])
    if name in ("auto", "mondrian", "mstk", "cluster") and rng.random() < 0.25:
        options["blocks"] = rng.choice([0, 5, 10])
    return name, options


def _file(rng: random.Random, every: dict[str, list[Cell]], frame: pa.Table, said: dict[str, Any]) -> tuple[str, bytes]:
    suffix = rng.choice(["csv", "csv", "tsv", "csv.gz", "parquet", "parquet"])
    if suffix == "parquet":
        return "in.parquet", parquet_file(frame)
    mark = rng.choice([None, None, "?"])
    if mark:
        said["missing"] = [mark]
    delimiter = "\t" if suffix == "tsv" else rng.choice([",", ",", ";"])
    if delimiter == ";":
        said["delimiter"] = delimiter
    rows = [[mark if cell is None else cell for cell in row] for row in zip(*every.values(), strict=True)]
    content = csv_file([list(every), *rows], delimiter)
    return f"in.{suffix}", zipped(content) if suffix == "csv.gz" else content


def _broken(table: brute.Table, guarantee: dict[str, Any], paths: dict[str, list[str]] | None) -> set[brute.Quasi]:
    if guarantee["name"] == "k-anonymity":
        return brute.k_anonymity(table, guarantee["k"])
    if guarantee["name"] == "l-diversity":
        if guarantee["variant"] == "distinct":
            return brute.distinct(table, guarantee["l"])
        if guarantee["variant"] == "entropy":
            return brute.entropy(table, guarantee["l"])
        return brute.recursive(table, str(guarantee["c"]), guarantee["l"])
    values = {value for _, value in table}
    known = [value for value in values if value is not None]
    if guarantee["distance"] == "equal":
        distances = [brute.equal_distance(values)]
    elif guarantee["distance"] == "hierarchical":
        assert paths is not None
        distances = [brute.hierarchical_distance(values, {leaf: tuple(path) for leaf, path in paths.items()})]
    else:
        key = Fraction if all(map(_is_number, known)) else list(paths or {}).index
        distances = [_ordered({value: key(value) for value in known}, values, end) for end in ("first", "last")]
    return brute.t_closeness(table, str(guarantee["t"]), distances)


def _ordered(keys: dict[str, Any], values: set[str | None], end: str) -> brute.Distance:
    """Values of equal keys share a place; a hidden one stands at an end of its own."""
    ranked = sorted(set(keys.values()))
    place: dict[str | None, int] = {value: ranked.index(key) for value, key in keys.items()}
    if None in values:
        place[None] = -1 if end == "first" else len(ranked)
    steps = max(len(set(place.values())) - 1, 1)
    return {(a, b): Fraction(abs(place[a] - place[b]), steps) for a in values for b in values}


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _tag(guarantee: dict[str, Any]) -> str:
    return " ".join(str(guarantee[key]) for key in ("name", "variant", "distance") if key in guarantee)
