"""A promise about trees, counted over what may stand behind them: whoever knows the rules is left with k records as well.

Of two readings of a release the first says what a record may hold at most, the second what it surely may hold. What one record may
hold at most, k records surely may. Where both say the same, one is counted.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.verifier.finding import ROWS, WITNESSES, counted
from shoal.verifier.trees.counting import Rows
from shoal.verifier.trees.facts import facts_of
from shoal.verifier.trees.judging import Bound
from shoal.verifier.trees.promises import MOST, Judged, size_judged, tell
from shoal.verifier.trees.witnesses import drawn, matching
from shoal.verifier.verdict import Check, Witness

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.verifier.trees.judging import Fragment
    from shoal.verifier.trees.nodes import Trees


def decide_behind(
    guarantee: Any,
    at_most: Trees,
    surely: Trees,
    reading: str,
    watch: Callable[[float], None],
    most: int = MOST,
) -> Judged:
    """reading: what is known besides the rules, as the name of the check says it. most: how many combinations are counted."""
    name = f"{guarantee.technical()}, {reading}"
    records = at_most.records
    if guarantee.name != "kmn-anonymity":
        because = "Not decided, and so does not pass: which sensitive values may stand behind records is not counted."
        return Judged(Check(name, False, because))
    if guarantee.n > 1:
        because = (
            "Not decided, and so does not pass: with rules that leave out in place, one relation is counted, not more."
        )
        return Judged(Check(name, False, because))
    if records == 0:
        return Judged(Check(name, True, "There are no records, and so none that breaks the promise."))
    same = len(at_most.record) == len(surely.record)
    trees = at_most if same else _together(at_most, surely)
    facts = facts_of(trees)
    # a record of the second counts for more than all of the first
    weight = 1 if same else records + 1
    of = np.ones(trees.records, np.int64)
    of[records:] = weight
    rows = replace(Rows.of(facts), records=np.bincount(facts.tree, of, len(facts.counts)).astype(np.int64))
    sizes = [size for size in range(1, guarantee.m + 1) if rows.combinations(size)[0]]
    work = [max(rows.combinations(size)[0], 1) for size in sizes]
    bound = Bound(guarantee.k * weight)
    for i, size in enumerate(sizes):
        found = size_judged(guarantee, bound, rows, size, most, partial(tell, watch, work, i))
        if isinstance(found, str):
            detail = (
                f"Could not be decided, and so does not pass. {found} Promise a smaller m, or publish smaller trees."
            )
            return Judged(Check(name, False, detail))
        broken = sum(one.broken for one in found)
        if broken:
            worst = sorted(fragment for one in found for fragment in one.worst)[:WITNESSES]
            first = 0 if same else records
            witnesses = tuple(_witness(guarantee, name, trees, facts, fragment, first) for fragment in worst)
            some = "1 breaks" if broken == 1 else f"{broken:,} break"
            detail = (
                f"{some} the promise, of {counted(sum(one.number for one in found), 'combination')} of {counted(size, 'value')} "
                f"that records show, or may have though it is left out. The worst: {witnesses[0].reason}"
            )
            return Judged(Check(name, False, detail), witnesses)
    detail = (
        f"What a record shows, or may have though it is left out below something else, {guarantee.k:,} records or more show or may "
        "have."
    )
    return Judged(Check(name, True, detail))


def _together(first: Trees, second: Trees) -> Trees:
    return replace(
        first,
        record=np.concatenate((first.record, second.record + first.records)),
        label=np.concatenate((first.label, second.label)),
        parent=np.concatenate((first.parent, np.where(second.parent < 0, -1, second.parent + len(first.parent)))),
        records=first.records + second.records,
    )


def _witness(guarantee: Any, name: str, trees: Trees, facts: Any, fragment: Fragment, first: int) -> Witness:
    """first: the first record of those that count."""
    positions = matching(facts, fragment)
    positions = positions[positions >= first] - first
    names = trees.shape.names
    fit = "1 record may" if len(positions) == 1 else f"{len(positions):,} records may"
    return Witness(
        guarantee=name,
        reason=f"{fit} have these values, shown or left out; {guarantee.k} are promised.",
        values=tuple((names[of], text) for of, text in (trees.labels[label] for label in fragment.labels)),
        size=len(positions),
        rows=tuple(int(at) + 1 for at in positions[:ROWS]),
        drawn=drawn(trees, fragment),
    )
