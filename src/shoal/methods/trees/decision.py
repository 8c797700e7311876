"""From a promise and an engine to a ground, and from a cut to a decision: what the searches over cuts share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.trees import HIDDEN
from shoal.errors import Infeasible, InternalError, RecipeError
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.guarantees.kmn_diversity import KMNDiversity
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods.method import Attempt, Decision
from shoal.methods.trees import everyone
from shoal.methods.trees.counting import TooMany
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.repair import mended
from shoal.methods.trees.settle import settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from shoal.data.trees import Forest
    from shoal.engines.engine import Engine
    from shoal.guarantees.guarantee import Guarantee
    from shoal.methods.trees.ground import Pair
    from shoal.methods.trees.problem import TreeProblem
    from shoal.methods.trees.search import Found


def ground_of(engine: Engine, problem: TreeProblem) -> Ground:
    """Counts the distinct trees, and refuses what cannot be kept at all."""
    promise = promise_of(problem.guarantees)
    column = column_of(problem.guarantees)
    # of sensitive values, and of values that may be known to be absent, all trees are needed
    most = None if column is not None or problem.negated else everyone.MOST
    forest = engine.forest(problem.hierarchies, column, most=most)
    records = int(forest.records.sum()) if forest.sampled_from is None else forest.sampled_from
    if records < promise.k:
        raise Infeasible(
            f"There are {records:,} records, and whoever looks is to find {promise.k:,} that fit. Promise a smaller k."
        )
    asked, all_records = promise, None
    if forest.sampled_from is not None:
        asked = everyone.of_sample(promise, forest)
        all_records = everyone.Everyone(engine, promise)
    ground = Ground(forest, problem.shape, problem.hierarchies, asked, problem.negated, everyone=all_records)
    if column is not None:
        refuse_uniform(ground, column)
    return ground


def refuse_uniform(ground: Ground, column: str) -> None:
    """Whoever knows nothing of someone finds all records, so they must be diverse, or nothing is that shows fewer of them."""
    counts = np.bincount(ground.trees.values, ground.trees.records).astype(np.int64)
    hidden, shown = int(counts[HIDDEN]), counts[HIDDEN + 1 :]
    different, most = int((shown > 0).sum()), int(shown.max(initial=0)) + hidden
    bounds = ground.promise.bounds
    if bounds.one_in and most * bounds.one_in > ground.records:
        without = f" ({hidden:,} without a value count as if they had it too)" if hidden else ""
        raise Infeasible(
            f"In the whole data {most:,} of {ground.records:,} records may have the same value of '{column}'{without}, and it is "
            f"to be no more than one in {bounds.one_in}. Promise a smaller l."
        )
    if different < bounds.different:
        raise Infeasible(
            f"The whole data has {different:,} different values of '{column}', and whoever looks is to find {bounds.different:,} "
            "of them. Promise a smaller l."
        )


def column_of(guarantees: Sequence[Guarantee]) -> str | None:
    """The sensitive column that is promised to be diverse."""
    columns = sorted({one.column for one in guarantees if isinstance(one, KMNDiversity)})
    if len(columns) > 1:
        listed = ", ".join(f"'{name}'" for name in columns)
        raise RecipeError(f"guarantee: a search over cuts keeps the promise of one sensitive column, not of {listed}.")
    return columns[0] if columns else None


def promise_of(guarantees: Sequence[Guarantee]) -> Promise:
    """One promise that keeps all of them."""
    promises = [one for one in guarantees if isinstance(one, KMNAnonymity | KMNDiversity)]
    if len(promises) < len(guarantees):
        others = ", ".join(sorted({one.name for one in guarantees if one not in promises}))
        raise RecipeError(f"method: a search over cuts decides kmn-anonymity and kmn-diversity only, not {others}.")
    diverse = [one for one in promises if isinstance(one, KMNDiversity)]
    return Promise(
        max(one.k for one in promises),
        max(one.m for one in promises),
        max(one.n for one in promises),
        any(one.mode == "strict" for one in promises),
        max((one.l for one in diverse if one.form == "distinct"), default=0),
        max((one.l for one in diverse if one.form == "frequency"), default=0),
    )


def decision_of(
    ground: Ground,
    found: Found,
    started: float,
    name: str,
    unfinished: str = "more could have been tried",
    *,
    may_part: bool = True,
) -> Decision:
    """The search counted combinations where they were new; here all are counted, until no fragment is rare: of a sample first, then
    of all records. unfinished: what to say of a search that did not come to its end; may_part: whether labels may be kept apart."""
    cut = found.cut
    try:
        apart = mended(ground, cut.shown_as, cut.apart)
        if apart is None:
            raise InternalError("A cut whose values keep the promise was found to break it.")
        shown: tuple[NDArray[np.int32], frozenset[Pair]] = (cut.shown_as, apart)
        if ground.everyone is not None:
            shown = settled(ground, *shown, may_part=may_part)
    except TooMany:  # each step counted its own share; the whole is more than is counted at once
        raise Infeasible(
            f"There are more combinations of {ground.promise.m} values than can be counted at once, so nothing can be promised "
            "about them. Promise a smaller m, or leave out what records have most of."
        ) from None
    return decision_from(ground, shown, found, started, name, unfinished)


def decision_from(
    ground: Ground,
    shown: tuple[NDArray[np.int32], Iterable[Pair]],
    found: Found,
    started: float,
    name: str,
    unfinished: str = "more could have been tried",
) -> Decision:
    """Of a cut and what is kept apart in it, which were counted as a whole."""
    recoding = ground.recoding(*shown)
    release = TreeRelease.of(recoding, ground.forest)
    loss, seconds = TreeDistance().of(release), time.monotonic() - started
    ended = "nothing was left to try" if found.complete else unfinished
    if ground.everyone is not None:
        ended += f"; decided on {len(ground.forest):,} different trees, counted over all {ground.forest.sampled_from:,} records"
    return Decision(
        recoding,
        loss,
        0,
        0,
        different(release.shown),
        optimal=False,
        bound=0.0,
        seconds=seconds,
        evaluated=found.tried,
        tried=(Attempt(name, float(loss), seconds, f"{found.tried:,} openings of labels tried; {ended}"),),
    )


def different(forest: Forest) -> int:
    """How many different trees there are."""
    packed = forest.packed().values.to_numpy()
    ends = forest.offsets.tolist()
    return len({packed[ends[i] : ends[i + 1]].tobytes() for i in range(len(forest))})
