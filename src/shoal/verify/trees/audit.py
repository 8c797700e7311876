"""The verifier for trees: every record a tree of values, held against what was promised about them.

Published records are judged from the release alone. With the original it is also checked that nothing was lost or invented: by the
rules that the release tells, or by an assignment; neither is believed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.errors import DataError, InternalError
from shoal.verify.columns import check_columns, column_warnings, missing_columns, sensitive_warnings
from shoal.verify.finding import counted
from shoal.verify.itemsets.reading import item_warnings
from shoal.verify.records import check_records
from shoal.verify.source import open_source
from shoal.verify.trees import told
from shoal.verify.trees.counting import Rows
from shoal.verify.trees.cover import NAME, check_rules
from shoal.verify.trees.denials import with_denials
from shoal.verify.trees.facts import facts_of
from shoal.verify.trees.judging import Bound
from shoal.verify.trees.labels import check_labels, label_warnings, moved_warnings
from shoal.verify.trees.nested import VALUE
from shoal.verify.trees.promises import decide
from shoal.verify.trees.reading import read_trees
from shoal.verify.trees.rules import Rules
from shoal.verify.trees.singles import singles_of
from shoal.verify.verdict import Check, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.verify.source import Source
    from shoal.verify.sql import Sql
    from shoal.verify.terms import Terms
    from shoal.verify.trees.cover import Side
    from shoal.verify.trees.facts import Facts
    from shoal.verify.trees.reading import Trees
    from shoal.verify.verdict import Witness

T = TypeVar("T")

# by guarantee: the least that each parameter may be
_PARAMETERS = {
    "kmn-anonymity": {"k": 2, "m": 1, "n": 0},
    "kmn-diversity": {"k": 2, "m": 1, "n": 0, "l": 2},
}
_MODES, _FORMS = ("strict", "pairwise"), ("distinct", "frequency")


@dataclass(frozen=True)
class GivenTrees:
    """Where everything is. `opened`: opens the assignment, if there is one, by its view and the columns it must have."""

    sql: Sql
    release: Any
    original: Any
    original_missing: tuple[str, ...]
    records_in: int | None
    rules: Any
    opened: Callable[[str, tuple[str, ...]], Source] | None


def audit_trees(given: GivenTrees, terms: Terms) -> Verdict:
    for guarantee in terms.guarantees:
        _refuse_odd(guarantee)
    try:
        return _Audit(given, terms).verdict()
    except MemoryError:
        raise DataError(
            "What is to be counted does not fit in memory; nothing is verified. Promise a smaller m."
        ) from None


def _refuse_odd(guarantee: Any) -> None:
    """Parameters that the guarantee itself should have refused are not counted with."""
    if guarantee.name not in _PARAMETERS:
        raise InternalError(f"The verifier does not know the guarantee '{guarantee.name}'. Nothing is verified.")
    for parameter, least in _PARAMETERS[guarantee.name].items():
        value = getattr(guarantee, parameter, None)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InternalError(f"{guarantee.name} with {parameter} = {value!r} cannot be verified.")
    if guarantee.mode not in _MODES:
        raise InternalError(f"{guarantee.name} with mode = {guarantee.mode!r} cannot be verified.")
    if guarantee.name == "kmn-diversity" and (guarantee.form not in _FORMS or not isinstance(guarantee.column, str)):
        raise InternalError(f"{guarantee.name} without a column, or of an unknown form, cannot be verified.")


def _one_form(trees: Trees) -> Check:
    """What is said in one way only cannot tell records apart that show the same."""
    marks = list(trees.marks)
    if trees.disordered:
        marks.append(
            f"{counted(trees.disordered, 'node')} not in the order of their texts among their siblings. The order may tell records "
            "apart that show the same. Sort them."
        )
    return Check("one form", not marks, " ".join(marks) or "Nothing but values tells records apart.")


class _Meter:
    """How far the counting is, for who watches; and what stops it, between two steps."""

    def __init__(self) -> None:
        self.share: float | None = 0.0
        self._stopped = False

    def __call__(self, share: float) -> None:
        if self._stopped:
            raise _Stopped
        self.share = share

    def stop(self) -> None:
        self._stopped = True


class _Stopped(Exception):  # noqa: N818  # nothing went wrong
    pass


class _Audit:
    def __init__(self, given: GivenTrees, terms: Terms) -> None:
        self.given, self.terms, self.sql = given, terms, given.sql
        self.checks: list[Check] = []
        self.witnesses: list[Witness] = []
        self.warnings: list[str] = []
        self.facts: dict[str, Any] = {}

    def verdict(self) -> Verdict:
        given, terms = self.given, self.terms
        with self.sql.runner.part(0.0, 0.2):
            trees, facts = self._run(lambda meter: self._read("release", given.release))
        if self._columns(trees):
            because = "Not checked, because a column is missing."
            self.checks += [Check(g.technical(), False, because) for g in terms.guarantees]
            return self._judged(trees, 0, 0)
        self._nodes(trees, facts)
        with self.sql.runner.part(0.2, 0.7):
            least = self._promises(trees, facts)
        with self.sql.runner.part(0.7, 0.95):
            self._against_original(trees, facts)
        return self._judged(trees, len(facts.counts), least)

    def _run(self, work: Callable[[_Meter], T]) -> T:
        meter = _Meter()
        return self.sql.runner.run(lambda: work(meter), lambda: meter.share, meter.stop)

    def _read(self, view: str, data: Any) -> tuple[Trees, Facts]:
        shape = self.terms.schema.shape
        if VALUE in shape.names:
            raise DataError(f"A class cannot be named '{VALUE}': that is what the value of a node is called.")
        trees = read_trees(view, data, shape, self.terms.others)
        return trees, facts_of(trees)

    def _columns(self, trees: Trees) -> bool:
        """Whether columns are missing."""
        terms = self.terms
        source = open_source(self.sql, "singles", trees.others, wanted=())
        whole = replace(source, what=trees.what, names=trees.names)
        check = check_columns(whole, terms)
        strangers = [name for name in trees.names if name not in terms.schema.names()]
        if strangers:
            listed = ", ".join(f"'{name}'" for name in strangers)
            detail = f"Columns that are not in the recipe: {listed}. A release of trees has no others."
            check = Check("columns", False, detail if check.passed else f"{check.detail} {detail}")
        self.checks.append(check)
        if missing_columns(whole, terms):
            return True
        source.single_valued(source.names)
        self.warnings += column_warnings(source, terms)
        return False

    def _nodes(self, trees: Trees, facts: Facts) -> None:
        if facts.twins:
            detail = f"{counted(facts.twins, 'node')} beside an equal one below the same node."
            self.checks.append(Check("each node once", False, detail))
        else:
            self.checks.append(Check("each node once", True, "No two nodes below the same node are equal."))
        self.checks.append(_one_form(trees))
        for number, name in enumerate(trees.shape.names):
            words, hierarchy = trees.texts(number), self.terms.hierarchies.get(name)
            self.warnings += item_warnings(name, words)
            if hierarchy is not None:
                self.checks.append(check_labels(name, words, hierarchy))
                if self.given.rules is None:  # with rules it is known which values each label stands for
                    self.warnings += label_warnings(name, words, hierarchy)
        self.facts |= {
            "different_trees": len(facts.counts),
            "empty_trees": int(facts.counts[facts.offsets[1:] == facts.offsets[:-1]].sum()),
            "nodes": len(trees.label),
            "labels": len(trees.labels),
        }
        if trees.records == 0:
            self.warnings.append(
                "The release has no records. It keeps every promise about its records, and says nothing."
            )

    def _promises(self, trees: Trees, facts: Facts) -> int:
        """The fewest records that fit something somebody may know."""
        if self.terms.schema.negated:
            trees, facts = self._with_denials(trees)
        least = trees.records
        rows: dict[str | None, tuple[Rows, int]] = {None: (Rows.of(facts), 0)}
        for name in self.terms.protected:
            column = singles_of(self.sql, trees, name)
            self.warnings += sensitive_warnings(column.holdings())
            seen, number = column.as_seen()
            rows[name] = Rows.of(facts, seen, number + 1), number
        promised = self.terms.guarantees
        for i, guarantee in enumerate(promised):
            mine, values = rows[guarantee.sensitive]
            bound = Bound.of(guarantee, values)

            def work(
                meter: _Meter, i: int = i, guarantee: Any = guarantee, mine: Rows = mine, bound: Bound = bound
            ) -> Any:
                return decide(guarantee, bound, trees, mine, lambda done: meter((i + done) / len(promised)))

            found = self._run(work)
            self.checks.append(found.check)
            self.witnesses += found.witnesses
            least = least if found.least is None else min(least, found.least)
        self.facts["fewest_holders"] = least
        return least

    def _with_denials(self, trees: Trees) -> tuple[Trees, Facts]:
        terms = self.terms
        rules = None if self.given.rules is None else Rules.read(self.given.rules)
        promised: tuple[Any, ...] = terms.guarantees
        most = max(guarantee.m for guarantee in promised)
        told, check = with_denials(trees, terms.schema.negated, terms.hierarchies, rules, most)
        self.checks.append(check)
        return told, self._run(lambda meter: facts_of(told))

    def _against_original(self, trees: Trees, facts: Facts) -> None:
        given, terms = self.given, self.terms
        before: Side | None = None
        if given.original is not None:
            original, shown = self._run(lambda meter: self._read("original", given.original))
            lacking = [name for name in terms.schema.published if name not in original.names]
            if lacking:
                raise DataError(f"{original.what}: there is no column {', '.join(map(repr, lacking))}.")
            missing = given.original_missing
            singles = [singles_of(self.sql, original, name, missing) for name in terms.others]
            before = (original, shown, singles)
        checks, figures = check_records(
            trees.records, None if before is None else before[0].records, given.records_in, terms.suppression_limit
        )
        self.checks += checks
        self.facts |= figures
        if before is None:
            self.warnings.append("The release was not compared with the original, which was not given.")
            return
        release: Side = (trees, facts, [singles_of(self.sql, trees, name) for name in terms.others])
        if given.opened is not None:
            source = given.opened("assignment", told.columns_of(terms.others))
            self.checks.append(told.check_told(source, release, before, terms.others, terms.hierarchies))
        elif given.rules is not None:
            self.warnings += moved_warnings(given.rules)
            self.checks += self._run(lambda meter: check_rules(given.rules, release, before, terms.hierarchies))
        else:
            detail = (
                "Not compared, and so does not pass: neither the rules that the release tells nor an assignment says what became "
                "of the original records."
            )
            self.checks.append(Check(NAME, False, detail))

    def _judged(self, trees: Trees, classes: int, least: int) -> Verdict:
        return Verdict(
            passed=all(check.passed for check in self.checks),
            checks=tuple(self.checks),
            witnesses=tuple(self.witnesses),
            warnings=tuple(self.warnings),
            records=trees.records,
            classes=classes,
            smallest_class=least,
            facts=self.facts,
        )
