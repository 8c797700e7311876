"""A few nested records, what they mean as sets of paths, and recodings of them, in plain Python."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from oracles.trees_by_hand import shown
from shoal.data.schema import Column, Role, Schema
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.reading import TreeReading
from shoal.io.source import from_frame, open_source
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

SCHEMA = Schema(
    (
        Column("ill", Role.SENSITIVE, path="main.ill"),
        Column("cure", Role.QUASI, "node", path="visits[].illnesses[].cures[]", parent="illness"),
        Column("sex", Role.QUASI, "node"),
        Column("number", Role.PLAIN),
        Column("place", Role.QUASI, "node", path="visits[].place"),
        Column("illness", Role.QUASI, "node", path="visits[].illnesses[].code", parent="place"),
        Column("name", Role.IDENTIFYING),
    )
)
SHAPE = SCHEMA.shape
TYPE = pa.schema(
    [
        ("number", pa.int64()),
        ("name", pa.string()),
        ("sex", pa.string()),
        ("main", pa.struct([("ill", pa.string())])),
        (
            "visits",
            pa.list_(
                pa.struct(
                    [
                        ("place", pa.string()),
                        ("illnesses", pa.list_(pa.struct([("code", pa.int64()), ("cures", pa.list_(pa.string()))]))),
                    ]
                )
            ),
        ),
    ]
)


def _visit(place, *illnesses):
    return {"place": place, "illnesses": [{"code": code, "cures": cures} for code, *cures in illnesses]}


_RECORDS = [
    ("f", "hiv", _visit("Ulm", (9, "b", "a"), (10,)), _visit("Bonn", (9, "a"))),
    ("m", None, _visit("Ulm", (10, "é"))),
    ("f", "hiv", _visit("Bonn", (9, "a")), _visit("Ulm", (10,), (9, "a", "b", "b"))),  # as the first, written otherwise
    ("", "flu", _visit(None, (9, "a"), (None, "b")), _visit("Ulm")),  # values are missing: what is below goes up
    (None, "flu"),
    ("m", "*", _visit("Köln", (11, "b"), (10, "é")), _visit("Köln", (11, "a"))),  # one place, twice
    ("m", None, _visit("Ulm", (10, "é"))),
]
ROWS = [
    {"number": i, "name": f"person {i}", "sex": sex, "main": {"ill": ill}, "visits": visits or None}
    for i, (sex, ill, *visits) in enumerate(_RECORDS)
]
TABLE = pa.Table.from_pylist(ROWS, schema=TYPE)

HIERARCHIES = {
    "cure": Hierarchy.from_paths([("é", "drug", "*"), ("b", "drug", "*"), ("a", "rest", "*"), ("unseen", "rest", "*")]),
    "sex": Hierarchy.from_paths([("m", "*"), ("f", "*")]),
    "place": Hierarchy.from_paths([("Ulm", "south", "*"), ("Köln", "west", "*"), ("Bonn", "west", "*")]),
    "illness": Hierarchy.from_paths([("11", "many", "*"), ("10", "many", "*"), ("9", "few", "*")]),
}


def source_of(table, folder, missing=(), kind="parquet"):
    """Nested records in a file, or in memory."""
    if kind == "arrow":
        return from_frame(table, trees=SCHEMA)
    path = Path(tempfile.mkdtemp(dir=folder)) / "records.parquet"
    pq.write_table(table, path, row_group_size=3)
    return open_source(path, TreeReading(schema=SCHEMA, missing=missing))


def paths_of(row):
    """Of one nested record, as classes and texts."""
    made = set()
    if row["sex"]:
        made.add((("sex", row["sex"]),))
    for visit in row["visits"] or []:
        place = [("place", visit["place"])] if visit["place"] else []
        made.add(tuple(place))
        for illness in visit["illnesses"]:
            code = [*place, *([("illness", str(illness["code"]))] if illness["code"] else [])]
            made.add(tuple(code))
            made |= {(*code, ("cure", cure)) for cure in illness["cures"]}
    return made - {()}


def told(row, shape=SHAPE):
    """Of one published record."""

    def walk(node, name, above):
        here = (*above, (name, node["value"]))
        return {here}.union(*(walk(child, c, here) for c in shape.under(name) for child in node[c]))

    return set().union(*(walk(node, name, ()) for name in shape.names for node in row[name]))


def expected(row, recoding):
    """What a nested record shows, as classes and texts."""
    leaf = {
        (name, tree.labels[code]): int(recoding.first[number]) + code
        for number, (name, tree) in enumerate((name, recoding.hierarchies[name]) for name in recoding.shape.names)
        for code in range(tree.leaf_count)
    }
    paths = {tuple(leaf[node] for node in path) for path in paths_of(row)}
    return {tuple(map(recoding.name_of, path)) for path in shown(paths, recoding)}


def recoding(apart=(), out=(), **labels):
    """labels: by class, value → what it is shown as; what is not named is shown as it is. apart, out: pairs of class and label."""
    nodes = []
    for name in SHAPE.names:
        tree = HIERARCHIES[name]
        said = labels.get(name, {})
        shown_as = [said.get(leaf, leaf) for leaf in tree.labels[: tree.leaf_count]]
        nodes.append(np.array([LEFT_OUT if one is None else tree.node(one) for one in shown_as], np.int32))
    bare = TreeRecoding(SHAPE, HIERARCHIES, tuple(nodes))
    number = {bare.name_of(label): label for label in range(int(bare.first_shown[-1]))}
    pairs, hidden = (tuple(sorted((number[upper], number[lower]) for upper, lower in some)) for some in (apart, out))
    return TreeRecoding(SHAPE, HIERARCHIES, tuple(nodes), pairs, hidden)


RECODINGS = {
    "as it is": recoding(),
    "labels": recoding(place={"Köln": "west", "Bonn": "west"}, cure={"é": "drug", "b": "drug"}),
    "left out": recoding(illness={"9": None, "10": "many", "11": "many"}, sex={"m": None, "f": None}),
    "apart": recoding(
        [(("place", "Ulm"), ("illness", "9")), (("illness", "9"), ("cure", "a"))],
        place={"Köln": "west", "Bonn": "west"},
    ),
    "out in place": recoding(
        out=[(("place", "Ulm"), ("cure", "é")), (("place", "west"), ("cure", "a")), (("illness", "9"), ("cure", "b"))],
        place={"Köln": "west", "Bonn": "west"},
    ),
    "nothing": recoding(**{name: dict.fromkeys(tree.labels) for name, tree in HIERARCHIES.items()}),
}
