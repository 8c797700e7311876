"""Measure anyone's table: no recipe, no promise, only what it attains.

In each class the values of a private column have counts r_1 ≥ r_2 ≥ …; a missing value counts as the most frequent one, as in the
promises (`guarantees/l_diversity.py`). What is given is that of the worst class. Losses against an original are in `against.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.schema import Column, Role, Schema
from shoal.engines.driver.stages import logged
from shoal.errors import RecipeError, did_you_mean
from shoal.guarantees.earth_mover import EqualMover, OrderedMover
from shoal.guarantees.guarantee import Histogram
from shoal.hierarchies import decimals
from shoal.hierarchies.build import build
from shoal.io.lazy_frames import takes_lazy_frames
from shoal.io.source import set_columns
from shoal.methods.method import Progress
from shoal.release.assess import risk
from shoal.release.engines import open_engine, session_of
from shoal.release.recipe.recipe import Recipe
from shoal.release.short.against import Counted, losses_against
from shoal.release.short.blur import Blur
from shoal.release.short.roles import Names, measured_recipe, names_in, source_of
from shoal.report.steward.attained import Attained, Diversity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shoal.data.frequency import SensitiveCounts
    from shoal.engines.engine import Engine
    from shoal.io.source import Source
    from shoal.methods.method import Listener


@takes_lazy_frames
def measure(
    data: Any,
    *,
    quasi: Names,
    sensitive: Names = None,
    original: Any = None,
    listener: Listener = lambda _: None,
) -> Attained:
    """The k that a table attains by the columns that others could know; of private columns the l, in three forms, and the t.

    Nothing is promised and nothing is judged; `verify` does that. Labels such as `20-29` or `*` are values like others.

    Parameters
    ----------
    data : frame or path
        A table in whatever dialect it is written; original, or released by any tool.
    quasi : str, list of str, or dict
        The columns that others could know. With an original, a dictionary may say how a column was blurred:
        `{"age": shoal.intervals(5, 10, start=0, stop=120), "sex": None}`.
    sensitive : str or list of str
        Columns of private facts.
    original : frame or path
        What `data` was made of: the losses are measured against it. A release does not tell which record became which, so only
        what follows without that is measured; for any other loss `reason` says why not.

    Returns
    -------
    Attained
        Of item sets: who knows one, two or three items of a person finds how many records.

    Examples
    --------
    >>> import polars, shoal
    >>> before = polars.DataFrame({"age": ["31", "32", "38", "39"], "flu": ["yes", "no", "no", "no"]})
    >>> after = polars.DataFrame({"age": ["30-39"] * 4, "flu": ["no", "no", "no", "yes"]})
    >>> shoal.measure(after, quasi="age", sensitive="flu", original=before)
    Attained(k 4 of 4 records, flu: l 2, t 0.000, NCP 1)
    """
    listener = logged(listener)
    source, section = source_of(data)
    names, private = tuple(names_in(quasi)), tuple(names_in(sensitive))
    sets = set_columns(source) & set(names)
    problems = _missing_columns("sensitive", private, source)
    if private and sets:
        problems.append("sensitive: is measured beside single values; of item sets and mixed tables k alone is.")
    if original is not None and sets:
        problems.append(
            "original: losses are measured of tables with single values; those of item sets and mixed tables are in the report of "
            "a release."
        )
    if problems:
        raise RecipeError(*problems)
    assessed = risk(data, quasi=names, listener=listener)
    figures = assessed.risk
    known = {one.items: one.smallest for one in getattr(assessed, "known", ())}
    recipe = measured_recipe(names, source, section)
    attained = Attained(
        names,
        figures.records,
        figures.classes,
        figures.smallest_class,
        figures.sample_uniques,
        known,
        _diversities(recipe, source, private, listener) if private else (),
    )
    if original is None:
        return attained
    listener(Progress("measure", "measuring what was lost"))
    after = _counted(recipe, source, dict.fromkeys(names), private, listener)
    before = _original(original, names_in(quasi), listener)
    return replace(
        attained,
        losses=losses_against(after, before, attained.k),
        original_records=before.frequency.rows,
    )


def _missing_columns(key: str, names: Iterable[str], source: Source) -> list[str]:
    return [
        f"{key}: there is no column '{name}'.{did_you_mean(name, source.columns)}"
        for name in names
        if name not in source.columns
    ]


def _original(data: Any, quasi: Mapping[str, Any], listener: Listener) -> Counted:
    """quasi: with the blur rules that were given."""
    source, section = source_of(data)
    problems = _missing_columns("original", quasi, source)
    if problems:
        raise RecipeError(*problems)
    return _counted(measured_recipe(tuple(quasi), source, section), source, quasi, (), listener)


def _counted(
    recipe: Recipe, source: Source, quasi: Mapping[str, Any], private: Sequence[str], listener: Listener
) -> Counted:
    """Other columns are loaded too: a row that has a value in one of them is a record."""
    sets = set_columns(source)
    roles = {**dict.fromkeys(quasi, Role.QUASI), **dict.fromkeys(private, Role.SENSITIVE)}
    schema = Schema(tuple(Column(name, roles.get(name, Role.PLAIN)) for name in source.columns if name not in sets))
    with open_engine(recipe, session=session_of(source), listener=listener) as engine:
        engine.load(source, schema)
        trees = {
            name: build(blur.spec if isinstance(blur, Blur) else blur, list(engine.domain(name).counts))
            for name, blur in quasi.items()
        }
        return Counted(engine.frequency_set(trees, dict.fromkeys(private)), trees)


def _diversities(recipe: Recipe, source: Source, private: Sequence[str], listener: Listener) -> tuple[Diversity, ...]:
    quasi = recipe.schema_.quasi
    roles = {**dict.fromkeys(quasi, Role.QUASI), **dict.fromkeys(private, Role.SENSITIVE)}
    schema = Schema(tuple(Column(name, roles[name]) for name in source.columns if name in roles))
    with open_engine(recipe, session=session_of(source), listener=listener) as engine:
        engine.load(source, schema)
        flat = {name: build(None, list(engine.domain(name).counts)) for name in quasi}
        frequency = engine.frequency_set(flat, dict.fromkeys(private))
        return tuple(_diversity(name, frequency.sensitive[name], len(frequency.counts), engine) for name in private)


def _diversity(name: str, counted: SensitiveCounts, classes: int, engine: Engine) -> Diversity:
    """Each tuple of raw values is a class."""
    present = counted.values != (-1 if counted.missing is None else counted.missing)
    missing = np.bincount(counted.tuples[~present], counted.counts[~present], classes)
    distinct, entropy, recursive = math.inf, math.inf, 0.0
    of, counts = counted.tuples[present], counted.counts[present]
    starts = np.searchsorted(of, np.arange(classes + 1))
    for one in range(classes):
        held = np.sort(counts[starts[one] : starts[one + 1]])[::-1].astype(float)
        if not len(held):
            distinct, entropy, recursive = 0, 0.0, math.inf
            break
        held[0] += missing[one]
        share = held / held.sum()
        distinct = min(distinct, len(held))
        entropy = min(entropy, math.exp(float(-(share * np.log(share)).sum())))
        recursive = max(recursive, held[0] / held[1:].sum() if len(held) > 1 else math.inf)
    histogram = Histogram(
        counted.tuples, counted.values, counted.counts, counted.value_count, None, counted.missing, counted.places
    )
    ordered = None
    if all(decimals.parse(value) is not None for value in engine.domain(name).counts if value is not None):
        ordered = max(
            float(OrderedMover(histogram, classes, missing_first=first).distances().max()) for first in (False, True)
        )
    return Diversity(
        name,
        int(distinct),
        entropy,
        None if math.isinf(recursive) else float(recursive),
        float(EqualMover(histogram, classes).distances().max()),
        ordered,
    )
