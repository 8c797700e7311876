"""One promise about trees, decided: sizes one after the other, from knowing nothing at all up to m values.

The smallest fragment is the best witness, so the first size at which one breaks the promise is the last that is counted. What would
take too long, or would not fit in a number, is not decided and does not pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from shoal.errors import InternalError
from shoal.verifier.finding import ROWS, WITNESSES, counted
from shoal.verifier.trees import counting, on_one_path
from shoal.verifier.trees.judging import Bound, Found, Fragment, Meaning, judge
from shoal.verifier.trees.tally import summed
from shoal.verifier.trees.witnesses import drawn, matching
from shoal.verifier.verdict import Check, Witness

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.verifier.trees.counting import Rows
    from shoal.verifier.trees.nodes import Trees
    from shoal.verifier.trees.tally import Run

MOST = 5_000_000_000  # combinations that are counted


@dataclass(frozen=True)
class Judged:
    check: Check
    witnesses: tuple[Witness, ...] = ()
    least: int | None = None  # the fewest records that fit something that was counted


def decide(
    guarantee: Any,
    bound: Bound,
    trees: Trees,
    rows: Rows,
    watch: Callable[[float], None],
    most: int = MOST,
) -> Judged:
    """watch: told the share that is done. most: how many combinations are counted, and no more."""
    promise = guarantee.technical()
    if trees.records == 0:
        return Judged(Check(promise, True, "There are no records, and so none that breaks the promise."))
    least = trees.records
    sizes = [size for size in range(guarantee.m + 1) if size == 0 or rows.combinations(size)[0]]
    work = [max(rows.combinations(size)[0], 1) for size in sizes]
    for i, size in enumerate(sizes):
        found = size_judged(guarantee, bound, rows, size, most, partial(tell, watch, work, i))
        if isinstance(found, str):
            detail = (
                f"Could not be decided, and so does not pass. {found} Promise a smaller m, or publish smaller trees."
            )
            return Judged(Check(promise, False, detail), least=least)
        least = min([least, *(one.least for one in found if one.least is not None)])
        broken = sum(one.broken for one in found)
        if broken:
            worst = sorted(fragment for one in found for fragment in one.worst)[:WITNESSES]
            witnesses = tuple(_witness(guarantee, trees, rows, fragment) for fragment in worst)
            larger = " Larger ones were not counted." if size < guarantee.m else ""
            some = "1 breaks" if broken == 1 else f"{broken:,} break"
            number = sum(one.number for one in found)
            detail = (
                f"{some} the promise, of {counted(number, 'combination')} of {counted(size, 'value')}.{larger} "
                f"The worst: {witnesses[0].reason}"
            )
            return Judged(Check(promise, False, detail), witnesses, least)
    return Judged(Check(promise, True, _kept(guarantee, least)), least=least)


def tell(watch: Callable[[float], None], work: list[int], i: int, done: float) -> None:
    """How much of the work of all sizes is done."""
    watch((sum(work[:i]) + work[i] * done) / sum(work))


def size_judged(
    guarantee: Any, bound: Bound, rows: Rows, size: int, most: int, watch: Callable[[float], None]
) -> list[Found] | str:
    """What was found of one size; a text when it cannot be counted."""
    keys = counting.Keys(size, rows.facts.labels, rows.values, paired=guarantee.n > 0 and size > 1)
    number, records = rows.combinations(size)
    what = f"The published trees hold {number:,} combinations of {counted(size, 'value')}"
    if number > most:
        return f"{what}; up to {most:,} are counted."
    if not keys.fits:
        return f"{what}, of {rows.facts.labels:,} different ones; they do not fit in {counting.BITS} bits."
    together = Found()
    meaning = Meaning(keys.value_bits, keys.pairs, keys.known)
    runs = counting.count(rows, keys, watch) if size else [_nothing_known(rows)]
    for run in runs:
        judge(together, run, bound, meaning, guarantee.n)
    if together.records != records:
        raise InternalError(f"{together.records} combinations of {size} values were counted, and there are {records}.")
    # of two values that stand on one path the pair says so, if it may be known
    if guarantee.mode != "strict" or size < (3 if guarantee.n else 2):
        return [together]
    sets = on_one_path.PathSets.of(rows.facts.paths, size, rows.facts.labels)
    number = sets.expected(rows)
    if number > most:
        return f"The published trees hold {number:,} sets of {size} values on one path; up to {most:,} are counted."
    path = Found()
    chain = Meaning(keys.value_bits, (), lambda one: tuple(sets.labels[one].tolist()), on_one_path=True)
    judge(path, on_one_path.count(rows, sets, keys.value_bits, watch), bound, chain, 0)
    return [together, path]


def _nothing_known(rows: Rows) -> Run:
    """The combination of no labels: all records, by their value."""
    return summed([(rows.value, rows.records)])


def _witness(guarantee: Any, trees: Trees, rows: Rows, fragment: Fragment) -> Witness:
    positions = matching(rows.facts, fragment)
    if len(positions) != fragment.records:
        raise InternalError(
            f"{guarantee.technical()}: {fragment.records} records fit what breaks the promise, and {len(positions)} were found."
        )
    names = trees.shape.names
    return Witness(
        guarantee=guarantee.technical(),
        reason=_reason(guarantee, fragment),
        values=tuple((names[of], text) for of, text in (trees.labels[label] for label in fragment.labels)),
        size=fragment.records,
        rows=tuple(int(at) + 1 for at in positions[:ROWS]),
        drawn=drawn(trees, fragment),
    )


def _reason(guarantee: Any, fragment: Fragment) -> str:
    what = "These values"
    if not fragment.labels:
        what = "All records"
    elif fragment.on_one_path:
        what = "These values on one path"
    elif fragment.related:
        what = f"These values, {counted(len(fragment.related), 'pair')} of them one above the other,"
    fits = "1 record fits." if fragment.records == 1 else f"{fragment.records:,} records fit."
    if fragment.records < guarantee.k:
        return f"{what}: {fits[:-1]}; {guarantee.k} are promised."
    if guarantee.form == "frequency":
        return (
            f"{what}: {fragment.most:,} of the {counted(fragment.records, 'record')} that fit may have one value of "
            f"'{guarantee.column}'; one in {guarantee.l} is promised."
        )
    have = "1 value" if fragment.values == 1 else f"{fragment.values:,} different values"
    return (
        f"{what}: the {counted(fragment.records, 'record')} that fit have {have} of '{guarantee.column}'; "
        f"{guarantee.l} are promised."
    )


def _kept(guarantee: Any, least: int) -> str:
    known = f"up to {counted(guarantee.m, 'value')}"
    if guarantee.n and guarantee.m > 1:
        known += f" and up to {counted(guarantee.n, 'pair')} of them"
    if guarantee.mode == "strict" and guarantee.m > 1:
        known += ", or of those on one path,"
    sentence = f"Every combination of {known} that a record holds is held by {least:,} records or more; {guarantee.k} are promised."
    if guarantee.name != "kmn-diversity":
        return sentence
    if guarantee.form == "frequency":
        return f"{sentence} Among them no value of '{guarantee.column}' is held by more than one in {guarantee.l}."
    return f"{sentence} Among them are {guarantee.l} different values of '{guarantee.column}' or more."
