"""The methods for single values beside item sets, from an engine's records to a recoding: it keeps the promise from the definition,
and the losses of it are those counted record by record."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles import mixed_oracle as oracle
from oracles.random_trees import hierarchies
from oracles.table_engine import TableEngine
from shoal.errors import Infeasible
from shoal.guarantees.k_km_anonymity import KKMAnonymity
from shoal.guarantees.k_lm_diversity import KLMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import MIXED_LOSSES
from shoal.loss.mixed.are import MixedARE, MixedWorkload
from shoal.loss.mixed.release import MixedRelease
from shoal.methods.mixed.problem import MixedProblem
from shoal.methods.registry import METHODS

QUIET = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=120
)
NAMES = ["rum-bound", "tum-bound", "rfirst", "tfirst"]


@st.composite
def cases(draw):
    values = {name: draw(hierarchies(name)) for name in "ab"[: draw(st.integers(1, 2))]}
    sets = {}
    for name in ["s", "t"][: draw(st.integers(1, 2))]:
        sets[name] = draw(hierarchies(f"{name}i", most=5))
        assume(None not in sets[name].labels)
    records = draw(st.integers(3, 20))
    table = {}
    for name, tree in values.items():
        leaves = st.sampled_from(tree.labels[: tree.leaf_count])
        table[name] = draw(st.lists(leaves, min_size=records, max_size=records))
    for name, tree in sets.items():
        items = st.sets(st.sampled_from(tree.labels[: tree.leaf_count]), max_size=3).map(sorted)
        table[name] = draw(st.lists(items, min_size=records, max_size=records))
    ill = st.sampled_from([*"xyzwuv" * 3, None])
    table["ill"] = draw(st.lists(ill, min_size=records, max_size=records))
    return values, sets, table


def decide(case, name, guarantees, kept=None, loss="item-ncp", **options):
    values, sets, table = case
    kinds = {n: pa.list_(pa.string()) if n in sets else pa.string() for n in table}
    engine = TableEngine(pa.table({n: pa.array(column, kinds[n]) for n, column in table.items()}))
    kept = kept or {}
    problem = MixedProblem(
        {**values, **sets},
        {},
        tuple(guarantees),
        {},
        sets={name: kept.get(name, ()) for name in sets},
        item_loss=loss,
    )
    return METHODS[name].decide(engine, problem, lambda progress: None, **options)


def published(recoding):
    """Of each class what it shows, and of each of its records the original values, items and the labels shown."""
    recoded, found = recoding.groups.recoded, defaultdict(list)
    texts = recoding.sets.vocabulary.to_pylist()
    labels = recoding.items.labels
    for part, count in enumerate(recoded.counts.tolist()):
        one = int(recoded.classes[part])
        shows = tuple(recoded.shown[c].labels[v] for c, v in enumerate(recoded.values[one].tolist()))
        items = frozenset(texts[item] for item in recoding.sets.record(part).tolist())
        numbers = recoding.shown.record(part).tolist()
        shown = {frozenset(texts[leaf] for leaf in labels.leaves_of(number).tolist()) for number in numbers}
        raw = tuple(h.labels[code] for h, code in zip(recoded.hierarchies, recoded.codes[part].tolist(), strict=True))
        found[shows] += [(raw, items, frozenset(shown))] * count
    return found


def originals(case, kept=None):
    values, sets, table = case
    kept = kept or {}
    made = []
    for at in range(len(table["ill"])):
        items = set()
        for name in sets:
            prefix = f"{name}:" if len(sets) > 1 else ""
            items |= {prefix + item for item in table[name][at] if item not in kept.get(name, ())}
        made.append((tuple(table[name][at] for name in values), frozenset(items)))
    return made


@QUIET
@given(
    cases(),
    st.sampled_from(NAMES),
    st.integers(2, 3),
    st.integers(1, 2),
    st.sampled_from(["sets", "hierarchy"]),
    st.sampled_from(["r", "t", "rt"]),
    st.sampled_from(["item-ncp", "ul"]),
)
def test_methods_keep_the_promise(case, name, k, m, items, merge, loss):
    values, sets, table = case
    options = {"items": items}
    if name.endswith("bound"):
        options |= {"merge": merge, "delta": 0.8}
    try:
        decision = decide(case, name, [KKMAnonymity(k, m)], loss=loss, **options)
    except Infeasible:
        return
    found = published(decision.recoding)
    assert Counter((raw, own) for members in found.values() for raw, own, _ in members) == Counter(originals(case))
    for members in found.values():
        assert oracle.holds([shown for _, _, shown in members], k, m)
        for _, own, shown in members:
            assert all(any(item in label for label in shown) for item in own)
            assert all(label & own for label in shown)  # nothing is shown that stands for none of its items
            assert all(len({item.split(":")[0] for item in label}) == 1 for label in shown) or len(sets) == 1
    release = MixedRelease.of(decision.recoding)
    weights = [Fraction(1, len(values))] * len(values)
    table_loss, item_loss = (MIXED_LOSSES[figure]().of(release, weights) for figure in ("ncp", loss))
    measured = table_loss if name in ("tum-bound", "tfirst") else item_loss
    assert float(decision.loss) == pytest.approx(float(measured), abs=1e-9)
    if name == "rum-bound":
        assert table_loss <= Fraction(4, 5)
    if name == "tum-bound":
        assert item_loss <= Fraction(4, 5) + Fraction(1, 10**9)


@QUIET
@given(
    cases(),
    st.sampled_from(NAMES),
    st.integers(2, 3),
    st.integers(1, 2),
    st.booleans(),
    st.sampled_from(["sets", "hierarchy"]),
)
def test_methods_keep_diversity(case, name, k, m, of_items, items):
    """Sensitive values of a column, or sensitive items of a column of sets."""
    values, sets, table = case
    kept = {"s": tuple(sets["s"].labels[:2])} if of_items else {}
    options = {"items": items} | ({"delta": 1.0} if name.endswith("bound") else {})
    promise = KLMDiversity(k, 2, m, "s" if of_items else "ill")
    try:
        recoding = decide(case, name, [promise], kept, **options).recoding
    except Infeasible:
        return
    found = published(recoding)
    assert Counter((raw, own) for members in found.values() for raw, own, _ in members) == Counter(
        originals(case, kept)
    )
    shows = {(raw, own): (one, shown) for one, members in found.items() for raw, own, shown in members}
    classes = defaultdict(list)  # every record whole: equal ones are in one class
    for at, original in enumerate(originals(case, kept)):
        one, shown = shows[original]
        secret = {i for i in table["s"][at] if i in kept["s"]} if of_items else table["ill"][at]
        classes[one].append((shown, secret))
    for members in classes.values():
        told = [secret for _, secret in members]
        if of_items:
            held = [[at for at, secret in enumerate(told) if item in secret] for item in kept["s"]]
        else:
            held = [[at for at, secret in enumerate(told) if secret in (value, None)] for value in [*"xyzwuv", None]]
        assert oracle.holds([shown for shown, _ in members], k, m, held)


@QUIET
@given(cases(), st.integers(0, 2), st.integers(0, 2), st.sampled_from(["sets", "hierarchy"]))
def test_are_record_by_record(case, x, y, items):
    assume(x + y and any(own for _, own in originals(case)))
    try:
        recoding = decide(case, "rfirst", [KKMAnonymity(2, 1)], items=items).recoding
    except Infeasible:
        return
    release = MixedRelease.of(recoding)
    workload = MixedWorkload.random(release, x, y, queries=5)
    texts, errors = recoding.sets.vocabulary.to_pylist(), []
    columns = case[0]
    below = {
        (c, shown.labels[v]): [tree.labels[leaf] for leaf in shown.leaves_of(v)]
        for c, (tree, shown) in enumerate(zip(columns.values(), release.recoded.shown, strict=True))
        for v in range(len(shown.labels))
    }
    for query in workload.queries:
        truth, estimate = 0, 0.0
        wanted = {} if query.values is None else query.values.wanted
        asked = {
            c: {tree.labels[leaf] for leaf in np.flatnonzero(wanted[c])}
            for c, tree in enumerate(columns.values())
            if c in wanted
        }
        for shows, members in published(recoding).items():
            for raw, own, shown in members:
                truth += all(raw[c] in some for c, some in asked.items()) and all(texts[i] in own for i in query.items)
                share = 1.0
                for c, some in asked.items():
                    stands = below[c, shows[c]]
                    share *= sum(value in some for value in stands) / len(stands)
                for i in query.items:
                    share *= sum(1 / len(label) for label in shown if texts[i] in label)
                estimate += share
        errors.append(abs(estimate - truth) / max(truth, 1))
    assert float(MixedARE(workload).of(release)) == pytest.approx(sum(errors) / len(errors))


def test_keys_are_checked():
    method = METHODS["rum-bound"]
    assert method.problems({"delta": 0.65, "merge": "rt", "items": "sets", "order": "btd", "seed": 3}) == []
    for wrong in (
        {"delta": 1.5},
        {"delta": True},
        {"merge": "x"},
        {"items": "all"},
        {"order": "no"},
        {"seed": -1},
        {"k": 2},
    ):
        assert len(method.problems(wrong)) == 1
    assert METHODS["tfirst"].problems({"delta": 0.5})


def test_too_few_records_with_items_are_told():
    tree = Hierarchy.from_paths([("u", "*"), ("v", "*")])
    items = Hierarchy.from_paths([("i", "*"), ("j", "*")])
    case = {"a": tree}, {"s": items}, {"a": ["u", "v", "v"], "s": [["i"], [], []], "ill": [None] * 3}
    with pytest.raises(Infeasible, match="Only 1 of the 3 records have any item"):
        decide(case, "rfirst", [KKMAnonymity(2, 1)])
    with pytest.raises(Infeasible, match="There are 3 records"):
        decide(case, "rum-bound", [KKMAnonymity(4, 1)])
    with pytest.raises(Infeasible, match="already"):
        decide(case, "rum-bound", [KKMAnonymity(3, 1)], delta=0.0)
