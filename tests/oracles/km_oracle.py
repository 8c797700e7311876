"""k^m-anonymity from the definition, and two plain-Python ways to reach it, one record and one combination at a time.

`climb` is AA as printed (Terrovitis, Mamoulis and Kalnis, VLDB 2008): from the raw items upwards, a combination that is too
rare gets the cheapest generalization that helps it. `descend` takes the steps of method `apriori`: from the root downwards. A
record is a list of leaf codes; a cut is a list with the node that each leaf is shown as.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product


def is_km_anonymous(records, k, m):
    """Whether each subset of min(m, size) labels of every published record stands in at least k records (ERRATA 000-1)."""
    sets = [frozenset(record) for record in records]
    return all(
        sum(set(subset) <= other for other in sets) >= k
        for record in sets
        for subset in combinations(sorted(record), min(m, len(record)))
        if subset
    )


def is_lm_diverse(records, labels, l, m):
    """Whether no label is more frequent than 1/l among the records that hold any at most m items, none included.

    A missing label counts as the most frequent one.
    """
    sets = [frozenset(record) for record in records]
    known = {s for record in sets for size in range(m + 1) for s in combinations(sorted(record), size)}
    for subset in known | {()}:
        among = [label for record, label in zip(sets, labels, strict=True) if set(subset) <= record]
        if too_alike(Counter(among), l):
            return False
    return True


def too_alike(histogram, l):
    missing = histogram.get(None, 0)
    most = max([n for label, n in histogram.items() if label is not None], default=0)
    return (most + missing) * l > sum(histogram.values())


class Tree:
    """parents: of nodes, leaves first, every node before its parent, the root last."""

    def __init__(self, parents, leaves):
        self.parents, self.leaves, self.root = [int(p) for p in parents], leaves, len(parents) - 1
        self.sizes = [1 if v < leaves else 0 for v in range(len(self.parents))]
        self.children = [[] for _ in self.parents]
        for v, p in enumerate(self.parents):
            if p >= 0:
                self.sizes[p] += self.sizes[v]
                self.children[p].append(v)
        self.paths = [self._path(v) for v in range(len(self.parents))]

    def _path(self, v):
        path = [v]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path

    def below(self, node, leaf):
        """The child of a node that a leaf lies under."""
        path = self.paths[leaf]
        return path[path.index(node) - 1]

    def costs(self, records):
        """Of showing each node: 0 for one item, else its share of the domain for every item it hides, times the domain."""
        held = [0] * len(self.parents)
        for record in records:
            for leaf in set(record):
                held[leaf] += 1
        for v, p in enumerate(self.parents):
            if p >= 0:
                held[p] += held[v]
        return [n * size if size > 1 else 0 for n, size in zip(held, self.sizes, strict=True)]


def shown(records, cut):
    return [sorted({cut[leaf] for leaf in record}) for record in records]


def item_cost(tree, costs, cut):
    return sum(costs[node] for node in set(cut))


def climb(records, tree, k, m):
    """AA: sizes 1 to m; combinations in ascending order; the cheapest generalization, ties by the nodes themselves."""
    costs, cut = tree.costs(records), list(range(tree.leaves))
    above = [set(path) for path in tree.paths]
    for size in range(1, m + 1):
        counts = Counter()  # the count tree: combinations of what is shown now and all its ancestors
        for record in records:
            extended = sorted({a for leaf in record for a in tree.paths[cut[leaf]]})
            counts.update(c for c in combinations(extended, size) if not _related(c, above))
        for rare in sorted(c for c, n in counts.items() if n < k):
            now = set(cut)
            if not now.issuperset(rare):
                continue  # one of its items has been generalized since
            best = None
            for chosen in product(*(tree.paths[v] for v in rare)):
                top = {x for x in chosen if not any(x != y and y in above[x] for y in chosen)}
                made = tuple(sorted(top))
                if len(made) == size and counts[made] < k:
                    continue
                price = sum(costs[a] - sum(costs[v] for v in now if a in above[v]) for a in made if a not in rare)
                best = min(best or (price, made), (price, made))
            for a in best[1]:
                cut = [a if a in above[v] else v for v in cut]
    return cut


def descend(records, tree, k, m, labels=None, l=1):
    """The steps of method `apriori`. With labels, l^m-diversity as well."""
    costs, cut, waiting = tree.costs(records), [tree.root] * tree.leaves, {tree.root}
    held = {a for record in records for leaf in record for a in tree.paths[leaf]}
    while waiting := {v for v in waiting if tree.children[v]}:
        active = {v for v in waiting if 16 * costs[v] >= max(costs[w] for w in waiting)}
        waiting = waiting - active
        parent = {child: v for v in active for child in tree.children[v]}
        conflicts = set()
        for size in range(1, m + 1):
            extended = [_with_children(record, tree, cut, active) for record in records]
            for rare in _breaking(extended, parent, size, k, labels, l):
                conflicts.add(frozenset(parent[v] for v in rare if v in parent))
            active = active - {v for one in conflicts if len(one) == 1 for v in one}
        conflicts = {one for one in conflicts if one <= active}
        degree = Counter(v for one in conflicts for v in one)
        opened = set()
        for v in sorted(active, key=lambda v: (-((costs[v] << 20) // (1 + degree[v])), v)):
            if not any(v in one and one <= opened | {v} for one in conflicts):
                opened.add(v)
        cut = [tree.below(v, leaf) if v in opened else v for leaf, v in enumerate(cut)]
        waiting |= {child for v in opened for child in tree.children[v] if child in held}
    return cut


def _related(combination, above):
    return any(x in above[y] or y in above[x] for x, y in combinations(combination, 2))


def _with_children(record, tree, cut, active):
    nodes = {cut[leaf] for leaf in record}
    return sorted(nodes | {tree.below(cut[leaf], leaf) for leaf in record if cut[leaf] in active})


def _breaking(extended, parent, size, k, labels, l):
    """Combinations with at least one child, none beside its parent, that too few records hold, or too alike ones."""
    counts, values = Counter(), {}
    for at, nodes in enumerate(extended):
        for c in combinations(nodes, size):
            parents = {parent[v] for v in c if v in parent}
            if parents and parents.isdisjoint(c):
                counts[c] += 1
                if labels is not None:
                    values.setdefault(c, Counter())[labels[at]] += 1
    rare = {c for c, n in counts.items() if n < k}
    return rare | {c for c, histogram in values.items() if too_alike(histogram, l)}
