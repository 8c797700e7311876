"""A release of trees made with a fixed recoding: what is tested is everything around the method."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods.method import Decision
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

GROUPS = {"place": {"north": ["Kiel", "Rostock"], "south": ["Ulm", "Passau"]}}


@dataclass(frozen=True)
class Fixed:
    """Shows every place as its group, leaves out the treatment "rare", and keeps some labels apart."""

    name: ClassVar[str] = "inplace"
    title: ClassVar[str] = "fixed"
    kind: ClassVar[str] = "trees"
    keys: ClassVar[dict[str, str]] = {}
    apart: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = ((("place", "south"), ("cure", "tea")),)

    def problems(self, options: Any) -> list[str]:
        return []

    def decide(self, engine: Any, problem: Any, listener: Any, **options: Any) -> Decision:
        shape, trees = problem.shape, problem.hierarchies
        nodes = []
        for name in shape.names:
            tree = trees[name]
            made = np.arange(tree.leaf_count, dtype=np.int32)
            if name == "place":
                made = tree.levels[1].astype(np.int32)
            rare = tree.code("rare")
            if name == "cure" and rare is not None:
                made[rare] = LEFT_OUT
            nodes.append(made)
        bare = TreeRecoding(shape, trees, tuple(nodes))
        number = {bare.name_of(label): label for label in range(int(bare.first_shown[-1]))}
        pairs = tuple(sorted((number[upper], number[lower]) for upper, lower in self.apart))
        recoding = TreeRecoding(shape, trees, tuple(nodes), pairs)
        loss = TreeDistance().of(TreeRelease.of(recoding, engine.forest(trees)))
        return Decision(recoding, Fraction(loss), 0, 0, 0, False, 0.0, 0.1)


def records() -> list[dict[str, Any]]:
    """40 people. Many were in the south and had tea; one had it there. One had a treatment that nobody else had."""
    made = []
    for i in range(40):
        illness = "flu" if i % 2 else "cold"
        first = {"place": ["Ulm", "Passau"][i // 2 % 2], "illnesses": [{"code": illness, "cures": ["pills"]}]}
        second = {"place": ["Kiel", "Rostock"][i // 4 % 2], "illnesses": [{"code": illness, "cures": ["tea"]}]}
        visits: list[dict[str, Any]] = [first, second] if i % 5 else [second]
        if i == 7:
            first["illnesses"][0]["cures"] = ["rare", "pills"]
        if i == 2:
            first["illnesses"][0]["cures"] = ["tea", "pills"]
        made.append(
            {"name": f"person {i}", "sex": "fm"[i // 2 % 2], "age": 20 + i % 5, "ill": "ab"[i % 2], "visits": visits}
        )
    return made


def recipe(input_: str | None = None, output: str | None = None, **guarantee: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "columns": {
            "name": {"role": "identifying"},
            "sex": {"role": "quasi", "kind": "node"},
            "age": {"role": "plain"},
            "ill": {"role": "sensitive"},
            "place": {
                "role": "quasi",
                "kind": "node",
                "path": "visits[].place",
                "hierarchy": {"groups": GROUPS["place"]},
            },
            "illness": {"role": "quasi", "kind": "node", "path": "visits[].illnesses[].code", "parent": "place"},
            "cure": {"role": "quasi", "kind": "node", "path": "visits[].illnesses[].cures[]", "parent": "illness"},
        },
        "guarantee": [{"name": "kmn-anonymity", "k": 3, "m": 2, "n": 1, **guarantee}],
    }
    if input_ is not None:
        made["input"] = {"path": input_}
    if output is not None:
        made["output"] = {"path": output}
    return made


def lines() -> str:
    return "".join(json.dumps(record) + "\n" for record in records())
