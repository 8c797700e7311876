"""Random families of small worlds, one function for each kind of data. The target may be like others, or rare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from oracles.public_worlds import Family

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ITEMS = "abcdefgh"
GROUPS = {"groups": {"first": {"early": ["a", "b"], "late": ["c", "d"]}, "rest": ["e", "f", "g", "h"]}}
NODES = pa.list_(pa.struct([("v", pa.string()), ("d", pa.list_(pa.string()))]))


def tables(chance: Random, worlds: int) -> Family:
    """Ages on a grid (some outside), codes of several lengths behind a mask, a column without hierarchy, days, a private fact."""
    ages = ["3", "4", "17", "18", "21", "33", "34", "39", None, "120"]
    codes = ["10115", "10117", "10999", "97801", "97", "9780123"]
    days = ["1980-01-05", "1980-01-17", "1981-06-30", "1999-12-31"]
    used = chance.sample(range(4), 3)
    fields = [("age", ages), ("code", codes), ("sex", ["F", "M", "D", None]), ("born", days)]

    def record(rare: bool) -> tuple[str | None, ...]:
        values = [chance.choice(domain if rare else domain[:3]) for i, (_, domain) in enumerate(fields) if i in used]
        return (*values, chance.choice("xyz"))

    names = [fields[i][0] for i in sorted(used)]
    hierarchies = {
        "age": {"intervals": [5, 10, 20], "from": 0, "to": 100},
        "code": {"mask": "right"} if chance.random() < 0.7 else {"mask": "right", "length": 8},
        "born": {"dates": ["month", "year"]},
    }
    method = chance.choice(["optimal", "mondrian", "cluster", "mstk", "incognito", "frontier"])
    columns = {
        name: {"role": "quasi", "hierarchy": hierarchies[name]} if name in hierarchies else {"role": "quasi"}
        for name in names
    }
    recipe = {
        "columns": {**columns, "fact": {"role": "sensitive"}},
        "guarantee": [{"name": "k-anonymity", "k": chance.choice([2, 3])}],
        "method": {"name": method},
        "suppression": {"limit": chance.choice([0.0, 0.2, 0.4])},
    }
    others = [one for _ in range(4) for one in [record(False)] * chance.choice([1, 2, 3, 4])]

    def table(records: list[tuple[str | None, ...]]) -> pa.Table:
        return pa.table(
            {name: pa.array([one[i] for one in records], pa.string()) for i, name in enumerate([*names, "fact"])}
        )

    return Family(recipe, others, _targets(chance, worlds, lambda: record(True)), table)


def sets(chance: Random, worlds: int) -> Family:
    """Items under a stated hierarchy or none, shown under labels."""
    recipe = {
        "columns": {"items": {"role": "quasi", "kind": "set", "hierarchy": GROUPS}},
        "guarantee": [{"name": "km-anonymity", "k": chance.choice([2, 3]), "m": chance.choice([1, 2])}],
        "method": {"name": "apriori"},
    }
    others = [one for _ in range(4) for one in [_set(chance, "abcef")] * chance.choice([1, 2, 3])]
    return Family(recipe, others, _targets(chance, worlds, lambda: _set(chance, ITEMS)), _set_table)


def mixed(chance: Random, worlds: int) -> Family:
    """An age beside items."""

    def record(items: str) -> tuple[str, list[str]]:
        return chance.choice(["3", "4", "17", "18", "33", "120"]), _set(chance, items)

    items = {"role": "quasi", "kind": "set"} | ({"hierarchy": GROUPS} if chance.random() < 0.5 else {})
    recipe = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20], "from": 0, "to": 100}},
            "items": items,
        },
        "guarantee": [{"name": "k-km-anonymity", "k": 2, "m": chance.choice([1, 2])}],
        "method": {"name": chance.choice(["rum-bound", "tum-bound"]), "delta": 1.0},
    }
    others = [one for _ in range(4) for one in [record("abcef")] * chance.choice([1, 2, 3])]

    def table(records: list[tuple[str, list[str]]]) -> pa.Table:
        return pa.table(
            {
                "age": pa.array([age for age, _ in records]),
                "items": pa.array([held for _, held in records], pa.list_(pa.string())),
            }
        )

    # most of what a mixed table holds is told by its labels; worlds that show the same differ in little
    def alike() -> tuple[str, list[str]]:
        return chance.choice(["3", "4"]), [chance.choice("efgh")]

    return Family(recipe, others, _targets(chance, worlds, alike), table)


def trees(chance: Random, worlds: int) -> Family:
    """Places with diagnoses below them; the diagnoses have a stated hierarchy."""

    def record(items: str) -> list[dict[str, object]]:
        places = chance.sample(["A", "B", "C"], chance.choice([1, 1, 2]))
        return [{"v": place, "d": _set(chance, items)[:2]} for place in places]

    recipe = {
        "columns": {
            "place": {"role": "quasi", "kind": "node", "path": "c[].v"},
            "ill": {"role": "quasi", "kind": "node", "path": "c[].d[]", "parent": "place", "hierarchy": GROUPS},
        },
        "guarantee": [{"name": "kmn-anonymity", "k": chance.choice([2, 3]), "m": 2, "n": 1}],
        "method": {"name": chance.choice(["ocs", "tree-cluster"])},
    }
    others = [one for _ in range(4) for one in [record("abcef")] * chance.choice([1, 2, 3])]

    def table(records: list[list[dict[str, object]]]) -> pa.Table:
        return pa.table({"c": pa.array(records, NODES)})

    return Family(recipe, others, _targets(chance, worlds, lambda: record(ITEMS)), table)


def _set(chance: Random, items: str) -> list[str]:
    return sorted(chance.sample(items, chance.choice([1, 2, 2, 3])))


def _set_table(records: list[list[str]]) -> pa.Table:
    return pa.table({"items": pa.array(records, pa.list_(pa.string()))})


def _targets(chance: Random, worlds: int, draw: Callable[[], object]) -> list[object]:
    return [None, *(draw() for _ in range(worlds - 1))]


FAMILIES: dict[str, Callable[[Random, int], Family]] = {"tables": tables, "sets": sets, "mixed": mixed, "trees": trees}
