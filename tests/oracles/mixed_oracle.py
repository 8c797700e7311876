"""Tables with item sets from the definitions, in plain Python: what paper 001 says as ERRATA 001 corrects it.

A record is a number; `table` and `sets` give its single values and its items. Scores are exact fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

TRIED, LOOKED = 8, 64  # as in `shoal.kernels.mixed.item_groups`


# ---- losses ----------------------------------------------------------------------------------------------------------


def btd(one, two):
    """ERRATA 001-5."""
    one, two = set(one), set(two)
    return Fraction((len(one ^ two) + 1) * len(one | two), len(one & two) + 1)


def cluster_btd(sets):
    return max((btd(one, two) for one, two in combinations(sets, 2)), default=Fraction(0))


def utility_loss(labels, single=0):
    """ERRATA 001-6. labels: of one record, each a set of items; single: the weight of a label of one item."""
    if not labels:
        return Fraction(0)
    together = 2 ** sum(map(len, labels)) - 1
    return Fraction(sum((2 ** len(u) - 1) * (1 if len(u) > 1 else single) for u in labels), together)


def item_cost(sets, label_of):
    """Item NCP times the number of items there are: for every item of a record, the items behind its label if it is not alone."""
    sizes = [len(label_of[item]) for one in sets for item in one]
    return sum(size for size in sizes if size > 1)


def labels_of(one, label_of):
    return {label_of[item] for item in one}


class Numbers:
    """Ranges of numbers (ERRATA 001-10)."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def ncp(self, values):
        return Fraction(max(values) - min(values), self.high - self.low) if self.high > self.low else Fraction(0)


class Categories:
    """groups: sets of values, all values among them; the smallest one around some values stands for them."""

    def __init__(self, groups):
        self.groups = sorted((frozenset(group) for group in groups), key=len)

    def ncp(self, values):
        if len(set(values)) == 1:
            return Fraction(0)
        around = next(group for group in self.groups if group >= set(values))
        return Fraction(len(around), len(self.groups[-1]))


def ncp(columns, weights, rows):
    """Of a record in a cluster of these rows."""
    return sum(
        (
            weight * column.ncp([row[c] for row in rows])
            for c, (column, weight) in enumerate(zip(columns, weights, strict=True))
        ),
        Fraction(0),
    )


def merged_ncp(total, size, one, two, merged):
    """The incremental update of ERRATA 001-10. one, two: (records, NCP); merged: NCP; size: of the data."""
    return total + ((one[0] + two[0]) * merged - one[0] * one[1] - two[0] * two[1]) / Fraction(size)


# ---- k^m -------------------------------------------------------------------------------------------------------------


def holds(published, k, m, secrets=(), l=2):
    """ERRATA 001-1 and 001-12 inside one class. published: labels of each record; secrets: by value, who may hold it."""
    known = {frozenset()} | {
        frozenset(c) for labels in published for size in range(1, m + 1) for c in combinations(labels, size)
    }
    for some in known:
        fitting = {at for at, labels in enumerate(published) if some <= set(labels)}
        if len(fitting) < k or any(len(fitting & set(held)) * l > len(fitting) for held in secrets):
            return False
    return True


def feasible(sets, k):
    """ERRATA 001-8."""
    holding = sum(bool(one) for one in sets)
    return holding == 0 or holding >= k


def partitions(items):
    """Every mapping of items to sets of items that contain them, one for all records."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = [item for item in rest if item not in others]
            for more in partitions(left):
                yield [frozenset((first, *others)), *more]


def mappings(sets, k, m):
    """Mappings of a class that keep k^m."""
    for parts in partitions(sorted({item for one in sets for item in one})):
        label_of = {item: part for part in parts for item in part}
        if holds([labels_of(one, label_of) for one in sets], k, m) or not sets:
            yield label_of


def mean_ul(sets, label_of, single=0):
    return sum((utility_loss(labels_of(one, label_of), single) for one in sets), Fraction(0)) / len(sets)


# ---- generalizing the items of a class -------------------------------------------------------------------------------


def too_few_or_alike(found, k, secrets=(), l=2):
    return bool(found) and (len(found) < k or any(len(found & set(held)) * l > len(found) for held in secrets))


def merge_items(sets, k, m, secrets=(), l=2, family=lambda item: 0, weights=None):
    """Set-based generalization. Item → its label: the set of items it stands for; None when the promise cannot be kept.

    Labels of one family may be merged. secrets: as in `holds`. weights: item → what hiding it costs; else the records that hold it.
    """
    weights = weights or {item: sum(item in one for one in sets) for one in sets for item in one}
    groups = {item: frozenset([item]) for one in sets for item in one}

    def records(combination):
        return frozenset(
            at for at, one in enumerate(sets) if all(any(item in group for item in one) for group in combination)
        )

    def breaks(combination):
        return too_few_or_alike(records(combination), k, secrets, l)

    def cost(group):
        return sum(weights[item] for item in group) * len(group) if len(group) > 1 else 0

    def choices(group):
        """(price, key, groups that become one)."""
        others = {g for g in groups.values() if g != group and family(min(g)) == family(min(group))}
        return [
            (cost(group | other) - cost(group) - cost(other), tuple(sorted((min(group), min(other)))), {group, other})
            for other in others
        ]

    def after(combination, merged):
        return {frozenset().union(*merged) if group in merged else group for group in combination}

    def mend(pending):
        """Of the first of these combinations of items. False when nothing can be done."""
        now = [{groups[item] for item in combination} for combination in pending]
        if not breaks(now[0]):
            return True
        every = {choice[1]: choice for group in now[0] for choice in choices(group)}
        mending = sorted((c for c in every.values() if not breaks(after(now[0], c[2]))), key=lambda c: c[:2])[:TRIED]
        steps = sorted((c for c in every.values() if breaks(after(now[0], c[2]))), key=lambda c: c[:2])[:1]
        best = mending or steps
        if mending and steps and len(now[0]) == 1 and steps[0][0] < mending[0][0]:
            (group,), missing = now[0], k - len(records(now[0]))
            held = sum(weights[item] for item in group)
            alone = (held + missing) * (len(group) + missing) - cost(group)
            best = steps if missing > 0 and (missing + 1) * mending[0][0] > alone else mending
        if not best:
            return False
        if len(best) > 1:
            worth = []
            for price, _, merged in best:
                touched = [c for c in now[:LOOKED] if c & merged and breaks(c)]
                worth.append(Fraction(price, sum(not breaks(after(c, merged)) for c in touched)))
            best = [best[worth.index(min(worth))]]
        union = frozenset().union(*best[0][2])
        groups.update(dict.fromkeys(union, union))
        return True

    again = True
    while again:
        again = False
        for size in range(1, m + 1):
            while found := [c for c in combinations(sorted(set(groups.values()), key=min), size) if breaks(c)]:
                again = bool(secrets)
                rarest = sorted(found, key=lambda c: (len(records(c)), tuple(map(min, c))))
                pending = [tuple(map(min, c)) for c in rarest]
                for place in range(len(pending)):
                    if not mend(pending[place:]):
                        return None
    return groups


def ul_weights(sets):
    """Item → what hiding it alone adds to UL, for the records that hold it; scaled to the number of items held. At least 1."""
    adds = {item: sum(2.0 ** (1 - len(one)) for one in sets if item in one) for one in sets for item in one}
    scale = sum(map(len, sets)) / sum(adds.values())
    return {item: max(1, round(one * scale)) for item, one in adds.items()}


def merge_items_for_ul(sets, k, m):
    """By item NCP or by what each item adds to UL, whichever loses less UL; of equal ones the lower item NCP, then the first."""
    first = merge_items(sets, k, m)
    if first is not None and not mean_ul(sets, first):
        return first
    both = [one for one in (first, merge_items(sets, k, m, weights=ul_weights(sets))) if one is not None]
    return min(both, key=lambda one: (mean_ul(sets, one), item_cost(sets, one)), default=None)


def cut_items(sets, k, m, tree, secrets=(), l=2):
    """AA from the root downwards. Item → the items below its node. tree: a `km_oracle.Tree`, whose leaves are the items."""
    items = sorted({item for one in sets for item in one})
    if not items:
        return {}
    held = [sum(node in tree.paths[item] for one in sets for item in one) for node in range(len(tree.parents))]
    shown, tried = dict.fromkeys(items, tree.root), set()

    def fine(shown):
        published = [{shown[item] for item in one} for one in sets]
        known = {c for labels in published for size in range(1, m + 1) for c in combinations(sorted(labels), size)}
        return not any(
            too_few_or_alike({at for at, labels in enumerate(published) if labels >= set(c)}, k, secrets, l)
            for c in known
        )

    if not fine(shown):
        return None
    while waiting := {v for v in shown.values() if v not in tried and tree.children[v]}:
        node = min(waiting, key=lambda v: (-held[v] * tree.sizes[v] if tree.sizes[v] > 1 else 0, v))
        tried.add(node)
        lower = {item: tree.below(v, item) if v == node else v for item, v in shown.items()}
        if fine(lower):
            shown = lower
    return {item: frozenset(leaf for leaf in range(tree.leaves) if v in tree.paths[leaf]) for item, v in shown.items()}


# ---- clusters --------------------------------------------------------------------------------------------------------


def form_clusters(rows, k, seeds, price):
    """Cluster (ERRATA 001-11). seeds: record numbers in the order they are drawn; price: NCP of some rows in one cluster.

    Clusters that show the same are not joined here.
    """
    if len(rows) < k:
        raise ValueError("fewer than k records")
    left, clusters = set(range(len(rows))), []
    for seed in seeds:
        if len(left) < k:
            break
        if seed in left:
            near = sorted(left - {seed}, key=lambda r: (price([rows[seed], rows[r]]), r))[: k - 1]
            clusters.append(sorted([seed, *near]))
            left -= {seed, *near}
    for record in sorted(left):
        best = min(range(len(clusters)), key=lambda c: (price([rows[r] for r in [*clusters[c], record]]), c))
        clusters[best].append(record)
    return [sorted(cluster) for cluster in clusters]


class Clusters:
    """Merging, one cluster after the other; a cluster is a sorted tuple of record numbers.

    price(rows): NCP of a record; look(rows): what a cluster shows; mapping(sets): item → label, or None; tum: of pairs of sets and
    their mapping, what all items lose; order(sets): the score by which partners are sorted.
    """

    def __init__(self, rows, sets, clusters, price, look, mapping, tum, order):
        self.rows, self.sets, self.price, self.look = rows, sets, price, look
        self.mapping, self.tum, self.order = mapping, tum, order
        self.clusters = set()
        for cluster in clusters:
            self.add(tuple(cluster))

    def add(self, cluster):
        look = self.shows(cluster)
        for other in [c for c in self.clusters if self.shows(c) == look]:
            self.clusters.remove(other)
            cluster = tuple(sorted(cluster + other))
        self.clusters.add(cluster)

    def shows(self, cluster):
        return self.look([self.rows[r] for r in cluster])

    def paid(self, cluster):
        return self.price([self.rows[r] for r in cluster])

    def held(self, cluster):
        return [self.sets[r] for r in cluster]

    def ncp(self, clusters=None):
        return sum((len(c) * self.paid(c) for c in clusters or self.clusters), Fraction(0)) / len(self.rows)

    def loss(self):
        """Of the items."""
        return self.tum([(self.held(c), self.mapping(self.held(c))) for c in self.clusters])

    def seeds(self, among=None):
        return sorted(among or self.clusters, key=lambda c: (self.paid(c), c[0]))

    def partners(self, seed, merge):
        others = self.clusters - {seed}
        by_values = sorted(others, key=lambda c: (self.paid(seed + c), c[0]))
        by_items = sorted(others, key=lambda c: (self.order(self.held(seed + c)), c[0]))
        if merge == "rt":
            return sorted(others, key=lambda c: (by_values.index(c) + by_items.index(c), c[0]))
        return by_values if merge == "r" else by_items

    def joined(self, seed, other):
        made = Clusters(self.rows, self.sets, [], self.price, self.look, self.mapping, self.tum, self.order)
        made.clusters = self.clusters - {seed, other}
        made.add(tuple(sorted(seed + other)))
        return made

    def unfinished(self):
        return [c for c in self.clusters if self.mapping(self.held(c)) is None]


def merged_somewhere(now, seeds, merge, delta):
    """The first pair, by seed and then by partner, that keeps the bound; None when there is none."""
    for seed in seeds:
        for partner in now.partners(seed, merge):
            made = now.joined(seed, partner)
            if delta is None or made.ncp() <= delta:
                return made
    return None


def finished(now, merge, delta):
    """ERRATA 001-8. None when it cannot be."""
    while now is not None and (among := now.unfinished()):
        now = merged_somewhere(now, now.seeds(among)[:1], merge, delta)
    return now


def rum_bound(now, merge, delta):
    """The clusters kept, or None. Of all states met, the one whose items lose least, the earliest of these."""
    if now.ncp() > delta:
        return None
    best = now = finished(now, merge, delta)
    while now is not None and best.loss() and len(now.clusters) > 1:
        now = merged_somewhere(now, now.seeds(), merge, delta)
        if now is not None and now.loss() < best.loss():
            best = now
    return best


def tum_bound(now, merge, delta):
    """The first clusters whose items lose at most delta, or None (ERRATA 001-3, 001-4)."""
    now = finished(now, merge, None)
    while now is not None and now.loss() > delta:
        now = merged_somewhere(now, now.seeds()[:1], merge, None)
    return now


def tum_bound_literal(now, merge, delta):
    """As printed: one merge is tried, and kept only when it reaches delta at once."""
    if now.loss() <= delta:
        return now
    made = merged_somewhere(now, now.seeds()[:1], merge, None)
    return made if made is not None and made.loss() <= delta else None
