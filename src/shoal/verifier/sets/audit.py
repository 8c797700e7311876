"""The verifier for sets of items: one column of sets, held against what was promised about it.

Published sets are judged from the release alone; with the original it is also checked that nothing was lost or invented. Published
records that stand for any of many sets are judged with the original, because what they may be depends on who is in the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import InternalError
from shoal.verifier.base import values_of, with_empty, with_empty_before
from shoal.verifier.columns import check_columns, item_warnings, missing_columns
from shoal.verifier.finding import counted
from shoal.verifier.order import check_order
from shoal.verifier.records import check_records
from shoal.verifier.sets import assignment as assignments
from shoal.verifier.sets import cover, graph, km, lm, matched, published
from shoal.verifier.sets.form import check_written
from shoal.verifier.sets.list_types import check_others
from shoal.verifier.sets.reading import SetColumn, hold, lists_of
from shoal.verifier.sets.released import count_sets
from shoal.verifier.unique import AsTheyAre, check_unique
from shoal.verifier.verdict import Check, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.verifier.base import Case
    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.sets.published import Published
    from shoal.verifier.sets.released import Released
    from shoal.verifier.source import Source
    from shoal.verifier.terms import Terms
    from shoal.verifier.verdict import Witness

_FINDERS = {"km-anonymity": km.find, "lm-diversity": lm.find}
_MATCHING = frozenset({"k-matching", "l-matching"})
_OF_VALUES = frozenset({"lm-diversity", "l-matching"})
# by guarantee: the least that each parameter may be
_PARAMETERS = {
    "km-anonymity": {"k": 2, "m": 1},
    "lm-diversity": {"l": 2, "m": 1},
    "k-matching": {"k": 2},
    "l-matching": {"l": 2},
}


@dataclass(frozen=True)
class Given:
    """Where everything is. `opened`: opens what stands beside the release, by its view and the columns it must have."""

    source: Source
    original: Source | None
    records_in: int | None
    opened: Callable[[str, tuple[str, ...]], Source] | None  # of the assignment, if there is one
    in_order: bool = False  # whether the order of the rows counts: that of a file does


def audit_sets(case: Case, terms: Terms) -> Verdict:
    """The verdict on one column of sets."""
    source, beside = case.open_release(terms, sets=True, keep_empty=True)
    before = case.open_original(terms, alone=True)
    in_order = case.in_order and not terms.any_order
    given = Given(source, before, case.records_in, case.assignment_opener(), in_order)
    return with_empty(source, beside, with_empty_before(before, _judged(given, terms)))


def _judged(given: Given, terms: Terms) -> Verdict:
    for guarantee in terms.guarantees:
        _refuse_odd(guarantee)
    names = {guarantee.name for guarantee in terms.guarantees}
    if names <= _MATCHING:
        return _Matching(given, terms).verdict()
    if names <= set(_FINDERS):
        return _Sets(given, terms).verdict()
    raise InternalError(f"The verifier does not know these guarantees together: {', '.join(sorted(names))}.")


def _refuse_odd(guarantee: Any) -> None:
    """Parameters that the guarantee itself should have refused are not counted with."""
    for parameter, least in _PARAMETERS.get(guarantee.name, {}).items():
        value = getattr(guarantee, parameter, None)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InternalError(f"{guarantee.name} with {parameter} = {value!r} cannot be verified.")
    if guarantee.name in _OF_VALUES and not isinstance(getattr(guarantee, "column", None), str):
        raise InternalError(f"{guarantee.name} without a column cannot be verified.")


class _Audit:
    def __init__(self, given: Given, terms: Terms) -> None:
        self.given, self.terms, self.source = given, terms, given.source
        (self.name,) = terms.schema.sets
        self.lists: Lists = lists_of(given.source.sql)
        self.checks: list[Check] = []
        self.witnesses: list[Witness] = []
        self.warnings: list[str] = []
        self.facts: dict[str, Any] = {}

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are counted beside the sets: those a promise speaks of, and all where there is an original."""
        return self.terms.protected if self.given.original is None else self.terms.others

    def column(self, source: Source, name: str) -> SetColumn:
        return SetColumn(source, name, self.lists, self.terms.items)

    def lacking(self, more: tuple[str, ...] = ()) -> Verdict | None:
        """The verdict when columns are missing."""
        self.checks.append(check_columns(self.source, self.terms, more))
        if not missing_columns(self.source, self.terms, more):
            terms = self.terms
            checks, figures = check_unique(
                AsTheyAre.of(self.source, terms), self.source.records, terms.schema.accepted, terms.guarantees
            )
            self.checks += checks
            self.facts |= figures
            return None
        because = "Not checked, because a column is missing."
        self.checks += [Check(g.technical(), False, because) for g in self.terms.guarantees]
        return Verdict(False, tuple(self.checks), warnings=tuple(self.warnings), records=self.source.records)

    def written(self, *columns: SetColumn) -> None:
        check, warnings = check_written(columns)
        self.checks.append(check)
        self.warnings += warnings

    def check_records(self) -> None:
        """Records in = records out + suppressed."""
        original = None if self.given.original is None else self.given.original.records
        checks, figures = check_records(
            self.source.records, original, self.given.records_in, self.terms.suppression_limit
        )
        self.checks += checks
        self.facts |= figures

    def judged(self, classes: int, least: int) -> Verdict:
        if self.source.records == 0:
            self.warnings.append(
                "The release has no records. It keeps every promise about its records, and says nothing."
            )
        return Verdict(
            passed=all(check.passed for check in self.checks),
            checks=tuple(self.checks),
            witnesses=tuple(self.witnesses),
            warnings=tuple(self.warnings),
            records=self.source.records,
            classes=classes,
            smallest_class=least,
            facts=self.facts,
        )


class _Sets(_Audit):
    """Published sets of labels."""

    def verdict(self) -> Verdict:
        lacking = self.lacking()
        if lacking is not None:
            return lacking
        given, terms, sql = self.given, self.terms, self.source.sql
        self.source.single_valued(terms.protected)
        column = self.column(self.source, self.name)
        if given.in_order:
            self.checks += check_order(self.source, [self.lists.first(column.texts)])
        labels = column.words("release_words")
        tables, assignment = ["release_words"], None
        items: tuple[str, ...] = ()
        if given.original is not None:
            before = self.column(given.original, self.name)
            items = before.words("original_words")
            tables.append("original_words")
            if given.opened is not None:
                assignment = given.opened("assignment", assignments.columns_of(self.name, terms.others))
                for side in ("raw", "shown"):
                    self.column(assignment, f"{side}:{self.name}").words(f"{side}_words")
                    tables.append(f"{side}_words")
        terms = self.terms = terms.over(lambda names: values_of(given.original, names), {self.name: items})
        hold(self.lists, sql, tables)
        with sql.runner.part(0.0, 0.3):
            release = count_sets(column, "release", self.others)
        self.warnings += item_warnings(self.name, labels)
        hierarchy = terms.hierarchies.get(self.name)
        if hierarchy is not None:
            self.checks.append(cover.check_labels(self.name, labels, hierarchy))
        least = self._promises(release)
        self.written(column)
        self.facts |= {"distinct_sets": release.sets[1], "empty_sets": release.empty, "labels": len(labels)}
        self.check_records()
        if given.original is not None:
            with sql.runner.part(0.6, 0.95):
                original = count_sets(before, "original", self.others)
                left_out = frozenset(items) if terms.left_out and not labels else frozenset()
                covers = cover.covers_of(items, labels, hierarchy, left_out)
                self.checks.append(cover.check_cover(release, original, covers, terms, assignment))
        return self.judged(release.sets[1], least)

    def _promises(self, release: Released) -> int:
        """The fewest records that hold a combination."""
        least = self.source.records
        with self.source.sql.runner.part(0.3, 0.6):
            for guarantee in self.terms.guarantees:
                found = _FINDERS[guarantee.name](guarantee, release)
                self.checks.append(found.check)
                self.witnesses += found.witnesses
                least = least if found.least is None else min(least, found.least)
        return least


class _Matching(_Audit):
    """Published records that stand for any of many sets."""

    def verdict(self) -> Verdict:
        more = published.columns_of(self.name)[1:]
        lacking = self.lacking(more)
        if lacking is not None:
            return lacking
        given, terms, sql = self.given, self.terms, self.source.sql
        self.source.single_valued(terms.protected)
        base, differ = self.column(self.source, self.name), self.column(self.source, more[0])
        if given.in_order:
            shown = (self.name, *more)
            self.checks += check_order(self.source, [self.source.column(name) for name in shown])
        words = set(base.words("base_words")) | set(differ.words("differ_words"))
        tables, certificate = ["base_words", "differ_words"], None
        if given.original is not None:
            before = self.column(given.original, self.name)
            words |= set(before.words("original_words"))
            tables.append("original_words")
            if given.opened is not None:
                certificate = given.opened("assignment", matched.columns_of(self.name))
                columns = matched.sets_of(certificate, self.name, self.lists, terms.items)
                for i, one in enumerate(columns):
                    one.words(f"assigned_words_{i}")
                    tables.append(f"assigned_words_{i}")
        hold(self.lists, sql, tables)
        with sql.runner.part(0.0, 0.3):
            release = published.count_published((base, differ), self.name, self.others)
        self.warnings += item_warnings(self.name, words)
        self._exact(release)
        self.check_records()
        if given.original is None:
            because = (
                "Cannot be decided from the release alone, and so does not pass: whom a published record may be depends on who is "
                "in the data. Give the original (--original)."
            )
            self.checks += [Check(g.technical(), False, because) for g in terms.guarantees]
            self.written(base, differ)
            return self.judged(release.number, 0)
        with sql.runner.part(0.3, 0.9):
            original = count_sets(before, "original", self.others)
            if self.source.records != original.source.records:
                found = matched.Matching("Not every original record is published, so that no matching is perfect.")
            elif original.source.records == 0:
                found = matched.Matching("There are no records, and so nothing that could be matched.")
            else:
                bounds = matched.Bounds.of(terms.guarantees)
                if certificate is not None:
                    found = matched.Certificate(columns, certificate, release, original, self.name).judge(bounds)
                else:
                    found = graph.judge(release, original, sorted(words), bounds)
            self.checks += matched.checks(terms.guarantees, found, original.source.records)
            self.written(base, differ)
            self.checks.append(check_others(release, original))
        return self.judged(release.number, 0 if found.records is None else found.records.least)

    def _exact(self, release: Published) -> None:
        """Records that may be one set only: their items are published as they are."""
        ((exact,),) = self.source.sql.rows(
            f"SELECT coalesce(sum(c) FILTER (WHERE t = 0 OR {self.lists.number('d')} = 0), 0) AS n FROM {release.shown} AS g"
        )
        self.facts["exact_records"] = int(exact)
        if exact:
            self.warnings.append(
                f"{counted(int(exact), 'record')} may be one set only: who is in the data is not told by them, but which items "
                "someone has is."
            )
