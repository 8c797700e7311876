"""Labels left out in place beside the same search without: what each loses, what it takes, and who is left for an attacker.

    python -m benchmarks.trees.in_place RECIPE.toml [--k 3,5,10]
    python -m benchmarks.trees.in_place --tpch FILE.parquet --k 5,20 [--m 3] [--n 1]

Decides by `ocs` and by `inplace` on the same trees, and counts frequent subtrees. Then everything that is true of somebody, up to
two values and one relation, is looked for: in how many records it is shown or may be hidden, by the rules (`lib`), and where a
record that shows a value hides none of it (`once`; a value that somebody really has twice is not counted there). Prints one JSON
object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.rows.tpch import forest
from benchmarks.trees.hung import of_recipe
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.inplace import Inplace
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.trees import Forest
    from shoal.recoding.trees.rules import TreeRecoding

_FEW = 5_000  # trees of which everything true is looked for


class _Held:
    """An engine that has trees at hand."""

    def __init__(self, trees: Forest) -> None:
        self._trees = trees

    def forest(self, hierarchies: Any, sensitive: str | None = None, *, most: int | None = None) -> Forest:
        return self._trees


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path, nargs="?")
    parser.add_argument("--tpch", type=Path)
    parser.add_argument("--k", default="5")
    parser.add_argument("--m", type=int, default=2)
    parser.add_argument("--n", type=int, default=1)
    asked = parser.parse_args()
    if asked.tpch:
        ground = Ground(*forest(asked.tpch), Promise(2, asked.m, asked.n, strict=True))
    else:
        ground = of_recipe(asked.recipe)
    made = [
        figures(ground, int(k), asked.m, asked.n, method) for k in asked.k.split(",") for method in (Ocs(), Inplace())
    ]
    source = (asked.tpch or asked.recipe.parent).name
    print(json.dumps({"source": source, "records": ground.records, "releases": made}, indent=1))


def figures(ground: Ground, k: int, m: int, n: int, method: Any) -> dict[str, Any]:
    problem = TreeProblem(ground.hierarchies, {}, (KMNAnonymity(k, m, n),), ground.shape)
    method.decide(_Held(ground.forest), problem, lambda _: None)  # kernels are compiled
    begun, used = time.perf_counter(), time.process_time()
    decision = method.decide(_Held(ground.forest), problem, lambda _: None)
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    release = TreeRelease.of(decision.recoding, ground.forest)
    made = {
        "method": method.name,
        "promise": f"strict {k}^({m},{n})",
        "tree_loss": round(float(TreeDistance().of(release)), 4),
        "subtrees_kept": release.subtrees.kept,
        "subtrees": release.subtrees.total,
        "left_out_below": len(decision.recoding.out),
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
    }
    if len(ground.forest) <= _FEW:
        held = replace(ground, promise=Promise(k, m, n, strict=True))
        made |= {reading: attack(held, decision.recoding, once=reading == "once") for reading in ("lib", "once")}
    return made


def attack(ground: Ground, recoding: TreeRecoding, *, once: bool) -> dict[str, int]:
    """Different fragments with a label that is left out somewhere: how many are true of somebody, how many of these have fewer than
    k candidates."""
    out, below = defaultdict(set), ground.shape.below
    for upper, lower in recoding.out:
        out[upper].add(lower)
    shown = recoding.over(ground.forest)
    could: Counter[tuple[int, ...]] = Counter()
    for tree in range(len(shown)):
        paths = shown.paths(tree)
        labels = Counter(path[-1] for path in paths)
        more = {
            (*path, lower)
            for path in paths
            for lower in set().union(*(out[label] for label in path))
            if below[recoding.class_of(path[-1]), recoding.class_of(lower)] and not (once and labels[lower])
        }
        for one in _fragments(paths | more):
            could[one] += int(shown.records[tree])
    lowers = {lower for _, lower in recoding.out}
    true = set()
    for tree in range(len(ground.forest)):
        paths = {
            tuple(int(recoding.shown_as[v]) for v in path if recoding.shown_as[v] >= 0)
            for path in ground.forest.paths(tree)
        }
        paths = {path[:stop] for path in paths for stop in range(1, len(path) + 1)}
        twice = {label for label, times in Counter(path[-1] for path in paths).items() if times > 1} if once else set()
        true |= {one for one in _fragments(paths) if lowers & set(one) and not twice & set(one)}
    return {"true": len(true), "fewer_than_k": sum(could[one] < ground.promise.k for one in true)}


def _fragments(paths: set[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Values, pairs of values, and pairs one above the other (with a mark)."""
    labels = sorted({path[-1] for path in paths})
    made = {(one,) for one in labels} | {(x, y) for i, x in enumerate(labels) for y in labels[i + 1 :]}
    made |= {(upper, path[-1], -1) for path in paths for upper in path[:-1]}
    yield from made


if __name__ == "__main__":
    np.seterr(all="raise")
    main()
