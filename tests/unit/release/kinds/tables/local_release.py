"""A local recoding of the example data, made without any method: neighbours in a sorted list look the same."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.engines.engine import Written
from shoal.engines.local import LocalEngine
from shoal.loss import LOSSES
from shoal.loss.loss import normalized_weights
from shoal.methods.method import Attempt, Decision
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import HIDDEN, ShownValues
from shoal.release.hierarchies import build_hierarchies
from shoal.release.kinds.tables.describe import describe
from shoal.release.plan import make_plan
from shoal.release.recipe.recipe import Recipe
from shoal.release.result import Release
from shoal.verifier.verdict import Check, Verdict

TRIED = (
    Attempt("optimal", 0.1865, 0.9, "216 of 216 combinations of levels"),
    Attempt("mstk", 0.0712, 3.2, "spanning tree, then local search"),
    Attempt("cluster", None, 10.0, "ran out of time"),
)


class Example:
    """The example data, loaded."""

    def __init__(self, folder):
        self.recipe = Recipe.load(folder / "recipe.toml")
        self.plan = make_plan(self.recipe)
        self.engine = LocalEngine(self.recipe.engine.memory, self.recipe.engine.threads)
        self.engine.load(self.plan.source, self.plan.schema)
        self.hierarchies = build_hierarchies(self.plan, self.engine)
        self.frequency = self.engine.frequency_set(self.hierarchies.quasi, {})
        self.columns = tuple(self.hierarchies.quasi)
        self.trees = tuple(self.hierarchies.quasi.values())

    def groups(self, order=("sex", "schooling", "postcode", "age"), k=5):
        """(tuples,): tuples that lie side by side in this order, as many as it takes for k records."""
        keys = [self.frequency.codes[:, self.columns.index(name)] for name in reversed(order)]
        groups = np.empty(len(self.frequency.counts), np.int32)
        group = size = 0
        left = self.frequency.rows
        for i in np.lexsort(keys):
            groups[i] = group
            size += self.frequency.counts[i]
            left -= self.frequency.counts[i]
            if size >= k and left >= k:
                group, size = group + 1, 0
        return groups

    def of_nodes(self, groups, hidden=()):
        """Each group shows the lowest nodes that cover it; `hidden`: groups that are suppressed."""
        nodes = np.array(
            [
                [lowest(tree, self.frequency.codes[groups == g, c]) for c, tree in enumerate(self.trees)]
                for g in range(groups.max() + 1)
            ],
            np.int32,
        )
        return GroupRecoding.of_nodes(
            self.columns,
            self.trees,
            self.frequency.codes,
            self.frequency.counts,
            np.where(np.isin(groups, hidden), HIDDEN, groups).astype(np.int32),
            nodes,
        )

    def of_free(self, groups):
        """Each group shows its own ranges of ages and sets of everything else."""
        shown, values = [], np.empty((groups.max() + 1, len(self.columns)), np.int32)
        for c, (name, tree) in enumerate(zip(self.columns, self.trees, strict=True)):
            inside = {}
            for g in range(groups.max() + 1):
                leaves = tuple(np.unique(self.frequency.codes[groups == g, c]).tolist())
                if name == "age":
                    leaves = tuple(range(leaves[0], leaves[-1] + 1))
                values[g, c] = inside.setdefault(leaves, len(inside))
            shown.append(free_values(tree, list(inside), name == "age"))
        return GroupRecoding.of_values(
            self.columns, self.trees, self.frequency.codes, self.frequency.counts, groups, values, tuple(shown)
        )

    def decision(self, recoding, **more):
        recoded = recoding.over(self.frequency)
        weights = normalized_weights(self.columns, {})
        return Decision(
            recoding=recoding,
            loss=LOSSES["glm"].of(recoded, weights),
            suppressed=recoded.suppressed,
            limit=30,
            classes=len(recoded.values),
            optimal=False,
            bound=0.0,
            seconds=1.5,
            **more,
        )

    def describe(self, decision, **more):
        written = Written(self.frequency.rows - decision.suppressed, decision.suppressed)
        return describe(self.plan, self.engine, self.hierarchies, decision, written, self.verdict(decision), **more)

    def verdict(self, decision):
        sizes = decision.recoding.over(self.frequency).class_sizes
        return Verdict(
            True,
            (Check("5-anonymity", True, "Every class has 5 records or more."),),
            records=int(sizes.sum()),
            classes=len(sizes),
            smallest_class=int(sizes.min()),
        )

    def release(self, decision, **more):
        described = self.describe(decision, **more)
        rows = self.frequency.rows
        verdict = self.verdict(decision)
        return Release(verdict, described, decision, rows, rows - decision.suppressed, decision.suppressed, 2.0)

    def close(self):
        self.engine.close()


def lowest(tree, leaves):
    """The lowest node that covers these leaves."""
    node, low, high = int(leaves.min()), int(leaves.min()), int(leaves.max())
    while tree.first[node] > low or tree.last[node] < high:
        node = int(tree.parents[node])
    return node


def free_values(tree, sets, numbers):
    """One value for each set of leaves; named as it is written in a release."""
    labels = []
    for leaves in sets:
        names = [tree.labels[leaf] for leaf in leaves]
        if len(names) == 1:
            labels.append(names[0])
        else:
            labels.append(f"{names[0]}-{names[-1]}" if numbers else "{" + ", ".join(names) + "}")
    offsets = np.cumsum([0, *map(len, sets)])
    return ShownValues(tuple(labels), offsets, np.array([leaf for leaves in sets for leaf in leaves], np.int32))


def glm_of(recoding, frequency):
    """From the definition, in fractions."""
    recoded = recoding.over(frequency)
    total = Fraction(0)
    for c, tree in enumerate(recoded.hierarchies):
        full = tree.leaf_count - 1
        for part, count in enumerate(recoded.counts.tolist()):
            number = recoded.classes[part]
            cost = full if number == HIDDEN else len(recoded.shown[c].leaves_of(recoded.values[number, c])) - 1
            total += Fraction(count * cost, full * recoded.rows)
    return total / len(recoded.hierarchies)
