"""What it would bring to hang a whole class of nodes higher: a safe way to hide relations, weighed against hiding values.

    python -m benchmarks.trees.hung RECIPE.toml | TPCH.parquet [--k 20 --m 3 --n 2]

To part labels only where a relation is rare betrays by a node's place who had it (docs/methods/gcs.md). To hang a class below a
class further up, in every record alike, betrays nothing: a node's place does not depend on its value. A recipe can do so by naming
another `parent`. Is it worth it? From the shape as it is, each class is moved one class up in turn, `ocs` (strict) decides on what
is left, and the move that loses least is made for good, until none loses less. The loss is always that against the original: half
values, half relations. Prints one JSON object: the loss of every shape that was tried.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import shoal
from benchmarks.rows.tpch import forest
from shoal.data.trees import NodeClass, TreeShape
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.decision import ground_of
from shoal.methods.trees.gcs import PATIENCE, G
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.refine import refined
from shoal.methods.trees.search import search
from shoal.release.engines import open_engine
from shoal.release.hierarchies import build_hierarchies
from shoal.release.make import problem_of
from shoal.release.plan import make_plan

if TYPE_CHECKING:
    from shoal.data.trees import Forest

Parents = dict[str, str | None]  # by class


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    for name, value in (("k", 20), ("m", 3), ("n", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    ground = of_recipe(asked.source) if asked.source.suffix == ".toml" else of_tpch(asked)
    parents: Parents = {one.name: one.parent for one in ground.shape.classes}
    begun = time.process_time()
    best = loss_of(ground, parents)
    made: list[dict[str, Any]] = [{"moved": None, "loss": best}]
    while True:
        tried: list[tuple[float, str, Parents]] = []
        for name, parent in parents.items():
            if parent is not None:
                hung = {**parents, name: parents[parent]}
                tried.append((loss_of(ground, hung), name, hung))
                made.append({"moved": name, "below": parents[parent], "from": parents, "loss": tried[-1][0]})
                print(json.dumps(made[-1]), file=sys.stderr, flush=True)
        if not tried or min(tried)[0] >= best:
            break
        best, _, parents = min(tried)
    told = {"source": asked.source.name, "records": ground.records, "promise": str(ground.promise)}
    print(json.dumps({**told, "tried": made, "best": parents, "cpu_s": time.process_time() - begun}, indent=1))


def of_tpch(asked: argparse.Namespace) -> Ground:
    trees, shape, hierarchies = forest(asked.source)
    return Ground(trees, shape, hierarchies, Promise(asked.k, asked.m, asked.n, strict=True))


def of_recipe(path: Path) -> Ground:
    plan = make_plan(shoal.Recipe.load(path))
    with open_engine(plan.recipe) as engine:
        engine.load(plan.source, plan.schema)
        return ground_of(engine, problem_of(plan, build_hierarchies(plan, engine)))


def loss_of(ground: Ground, parents: Parents) -> float:
    """The tree loss of the best release that `ocs` finds when classes hang below these."""
    trees = hung_trees(ground, parents)
    shape = TreeShape(tuple(NodeClass(name, parents[name]) for name in ground.shape.names))
    steps = Steps(replace(ground, forest=trees, shape=shape), may_part=False)
    cut, _ = refined(steps, search(steps, G, PATIENCE, lambda _: None).cut, lambda _: None)
    recoding = steps.ground.recoding(cut.shown_as, ())
    shows = recoding.shown_as[ground.forest.labels]
    return float(
        TreeDistance().of(TreeRelease(ground.shape, ground.hierarchies, ground.forest, recoding.over(trees), shows))
    )


def hung_trees(ground: Ground, parents: Parents) -> Forest:
    """Every node below the nearest one above it that is of the asked class, or below the root."""
    trees, names = ground.forest, ground.shape.names
    of = np.searchsorted(ground.whole.first, trees.labels, "right") - 1
    begin = np.repeat(trees.offsets[:-1], np.diff(trees.offsets))
    above = np.where(trees.parents < 0, -1, begin + trees.parents)
    asked = np.array([-1 if parents[name] is None else names.index(str(parents[name])) for name in names])[of]
    found = above.copy()
    while (wrong := (found >= 0) & (of[found] != asked)).any():
        found[wrong] = above[found[wrong]]
    return replace(trees, parents=np.where(found < 0, -1, found - begin).astype(np.int32))


if __name__ == "__main__":
    main()
