"""The verifier for trees: every record a tree of values, held against what was promised about them.

Published records are judged from the release alone. With the original it is also checked that nothing was lost or invented: by the
rules that the release tells, or by an assignment; neither is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from shoal.errors import DataError, InternalError
from shoal.verifier.codes import is_hidden
from shoal.verifier.columns import check_columns, item_warnings, missing_columns, sensitive_warnings
from shoal.verifier.finding import counted
from shoal.verifier.order import check_tree_order
from shoal.verifier.originals import original_stream
from shoal.verifier.originals.flat import uri_frame
from shoal.verifier.recipe.places import Frame, Input
from shoal.verifier.records import check_records
from shoal.verifier.source import open_source
from shoal.verifier.sql.spark import SparkSql, is_frame
from shoal.verifier.sql.spark_batches import batches_of
from shoal.verifier.text import HIDDEN
from shoal.verifier.trees import assignment as assignments
from shoal.verifier.trees.behind import Behind
from shoal.verifier.trees.candidates import decide_behind
from shoal.verifier.trees.counting import Rows
from shoal.verifier.trees.cover import NAME, check_rules
from shoal.verifier.trees.denials import with_denials
from shoal.verifier.trees.facts import facts_of
from shoal.verifier.trees.judging import Bound
from shoal.verifier.trees.labels import check_labels, label_warnings, moved_warnings
from shoal.verifier.trees.nested import VALUE
from shoal.verifier.trees.promises import decide
from shoal.verifier.trees.reading import Stream, read_facts, read_trees
from shoal.verifier.trees.rules import Rules
from shoal.verifier.trees.singles import singles_of
from shoal.verifier.unique import AsTheyAre, check_unique
from shoal.verifier.verdict import Check, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.verifier.base import Case
    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.terms import Terms
    from shoal.verifier.trees.cover import Side
    from shoal.verifier.trees.facts import Facts
    from shoal.verifier.trees.nodes import Trees
    from shoal.verifier.verdict import Witness

T = TypeVar("T")

# by guarantee: the least that each parameter may be
_PARAMETERS = {
    "kmn-anonymity": {"k": 2, "m": 1, "n": 0},
    "kmn-diversity": {"k": 2, "m": 1, "n": 0, "l": 2},
}
# what somebody may know besides, where labels are left out in place
RULES, ONCE = "to whoever knows the rules", "to whoever knows the rules, and that values occur once"
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
    scratch: Path | None = None  # a private folder


def audit_trees(case: Case, terms: Terms) -> Verdict:
    """The verdict on trees, which are counted here, wherever they lie."""
    for guarantee in terms.guarantees:
        _refuse_odd(guarantee)
    with _original_of(case, terms) as original:
        release, assignment = _streamed(case.sql, case.release), _brought(case.sql, case.assignment)
        here = replace(case, sql=case.sql.here, assignment=assignment)
        given = GivenTrees(
            here.sql,
            release,
            original,
            case.original_missing,
            case.records_in,
            case.rules,
            here.assignment_opener(),
            case.scratch,
        )
        try:
            return _Audit(given, terms).verdict()
        except MemoryError:
            raise DataError(
                "What is to be counted does not fit in memory; nothing is verified. Promise a smaller m."
            ) from None


@contextmanager
def _original_of(case: Case, terms: Terms) -> Iterator[Any]:
    """In the published form."""
    if not isinstance(case.original, Input | Frame):
        yield _streamed(case.sql, case.original)
        return
    data = case.original.data if isinstance(case.original, Frame) else case.original
    session = case.sql.session if isinstance(case.sql, SparkSql) else None
    with original_stream(data, terms.schema, session=session, memory=case.memory) as formed:
        yield formed


def _streamed(sql: Sql, data: Any) -> Any:
    """What lies in Spark a few records at a time; everything else as it is."""
    if isinstance(data, str):
        data = uri_frame(sql, data)
    return Stream(*batches_of(data)) if isinstance(sql, SparkSql) and is_frame(data) else data


def _brought(sql: Sql, data: Any) -> Any:
    """What lies in Spark as an Arrow table; everything else as it is."""
    if isinstance(data, str):
        data = uri_frame(sql, data)
    return sql.run(data.toArrow) if isinstance(sql, SparkSql) and is_frame(data) else data


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
        self.before: tuple[Trees, Facts] | None = None
        self._meter = _Meter()

    def verdict(self) -> Verdict:
        given = self.given
        if self.terms.forms:
            self._build()
        terms = self.terms
        in_place = isinstance(given.rules, Mapping) and bool(given.rules.get("out"))
        nodes = in_place or bool(terms.schema.negated)  # they are looked at one by one
        with self.sql.runner.part(0.0, 0.2):
            trees, facts = self._run(lambda meter: self._read("release", given.release, nodes=nodes))
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
        meter = self._meter = _Meter()
        return self.sql.runner.run(lambda: work(meter), lambda: meter.share, meter.stop)

    def _read(self, view: str, data: Any, *, nodes: bool = False) -> tuple[Trees, Facts]:
        """nodes: whether they are kept; else a stretch of records is read after the other."""
        shape = self.terms.schema.shape
        if VALUE in shape.names:
            raise DataError(f"A class cannot be named '{VALUE}': that is what the value of a node is called.")
        if isinstance(data, Stream):
            data = replace(data, batches=self._heeded(data.batches))
        if not nodes:
            return read_facts(view, data, shape, self.terms.others, self.given.scratch)
        trees = read_trees(view, data, shape, self.terms.others)
        return trees, facts_of(trees)

    def _heeded(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The same; between two of them reading can be stopped."""
        for batch in batches:
            self._meter(0.0)
            yield batch

    def _build(self) -> None:
        """The hierarchies, over the values of the original where there is one."""
        if self.given.original is None:
            self.terms = self.terms.over(lambda names: None)
            return
        trees, _ = self.before = self._run(lambda meter: self._original())
        values = {name: trees.texts(number) for number, name in enumerate(trees.shape.names)}
        self.terms = self.terms.over(lambda names: {}, values)

    def _codes(self) -> list[tuple[str, tuple[str, ...]]]:
        """Of the original: each single value, with what stands for a missing one."""
        return [(name, (*self.given.original_missing, *self.terms.schema.codes(name))) for name in self.terms.others]

    def _original(self) -> tuple[Trees, Facts]:
        """Without records that have no node and no single value. (A published tree may have lost all its nodes.)"""
        trees, facts = self._read("original", self.given.original)
        empty = (np.diff(facts.offsets) == 0)[facts.tree] if trees.records else np.zeros(0, np.bool_)
        for name, codes in self._codes():
            if name in trees.names and empty.any():
                column = singles_of(self.sql, trees, name, codes)
                empty &= np.array([is_hidden(text) and text != HIDDEN for text in column.texts], np.bool_)[
                    column.number
                ]
        if not empty.any():
            return trees, facts
        self.facts["empty_rows_in"] = int(empty.sum())
        return trees.without(empty), facts.without(empty)

    def _columns(self, trees: Trees) -> bool:
        """Whether columns are missing."""
        terms = self.terms
        source = open_source(self.sql, "singles", trees.others, wanted=())
        whole = replace(source, what=trees.what, names=trees.names)
        self.checks.append(check_columns(whole, terms))
        if missing_columns(whole, terms):
            return True
        source.single_valued(source.names)
        found = AsTheyAre.of(source, terms)
        checks, figures = check_unique(found, source.records, terms.schema.accepted, terms.guarantees)
        self.checks += checks
        self.facts |= figures
        return False

    def _nodes(self, trees: Trees, facts: Facts) -> None:
        if facts.twins:
            detail = f"{counted(facts.twins, 'node')} beside an equal one below the same node."
            self.checks.append(Check("each node once", False, detail))
        else:
            self.checks.append(Check("each node once", True, "No two nodes below the same node are equal."))
        self.checks.append(_one_form(trees))
        if isinstance(self.given.release, Path) and not self.terms.any_order:
            self.checks += check_tree_order(facts.tree)
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
            "nodes": facts.nodes,
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
            column = singles_of(self.sql, trees, name, self.terms.schema.codes(name))
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
        rules = None if self.given.rules is None else Rules.read(self.given.rules)
        if rules is not None and rules.out:
            self._behind(trees, rules)
        return least

    def _behind(self, trees: Trees, rules: Rules) -> None:
        """Labels are left out below others: whoever knows the rules looks among the records that may hide one, too."""
        name = "left out in place"
        problems = list(rules.problems(trees.shape, self.terms.hierarchies))
        if self.terms.schema.negated:
            problems.append("Values may be known to be absent, and a record that hides one would seem to lack it.")
        problems += [
            f"Class '{name}': some values are left out, others are shown, and what hung below tells which."
            for number, name in enumerate(trees.shape.names)
            if None in rules.shown.get(name, {}).values() and trees.shape.under(name) and trees.texts(number)
        ]
        if problems:
            self.checks.append(Check(name, False, " ".join(["Not decided, and so does not pass.", *problems])))
            return
        behind = Behind(trees, rules, self.terms.hierarchies)
        if behind.contradicted:
            detail = (
                f"In {counted(behind.contradicted, 'path')} the release shows what the rules say is left out there."
            )
            self.checks.append(Check(name, False, detail))
            return
        telling = list(behind.bare(max(guarantee.k for guarantee in self.terms.guarantees)))
        kept = "No record shows a label below one below which it is left out, and none tells by what is not there."
        self.checks.append(Check(name, not telling, " ".join(telling) or kept))
        for guarantee in self.terms.guarantees:
            at_most, surely = behind.at_most(), behind.surely(guarantee.k, guarantee.m)
            for reading, candidates in ((RULES, at_most), (ONCE, surely)):
                found = self._run(partial(decide_behind, guarantee, at_most, candidates, reading))
                self.checks.append(found.check)
                self.witnesses += found.witnesses

    def _with_denials(self, trees: Trees) -> tuple[Trees, Facts]:
        terms = self.terms
        rules = None if self.given.rules is None else Rules.read(self.given.rules)
        promised: tuple[Any, ...] = terms.guarantees
        most = max(guarantee.m for guarantee in promised)
        denying, check = with_denials(trees, terms.schema.negated, terms.hierarchies, rules, most)
        self.checks.append(check)
        return denying, self._run(lambda meter: facts_of(denying))

    def _against_original(self, trees: Trees, facts: Facts) -> None:
        given, terms = self.given, self.terms
        before: Side | None = None
        if given.original is not None:
            original, shown = self.before or self._run(lambda meter: self._original())
            lacking = [name for name in terms.schema.published if name not in original.names]
            if lacking:
                raise DataError(f"{original.what}: there is no column {', '.join(map(repr, lacking))}.")
            before = (original, shown, [singles_of(self.sql, original, *one) for one in self._codes()])
        checks, figures = check_records(
            trees.records, None if before is None else before[0].records, given.records_in, terms.suppression_limit
        )
        self.checks += checks
        self.facts |= figures
        if before is None:
            self.warnings.append("The release was not compared with the original, which was not given.")
            return
        codes = terms.schema.codes
        release: Side = (trees, facts, [singles_of(self.sql, trees, name, codes(name)) for name in terms.others])
        if given.opened is not None:
            source = given.opened("assignment", assignments.columns_of(terms.others))
            self.checks.append(assignments.check_assignment(source, release, before, terms.others, terms.hierarchies))
        elif given.rules is not None:
            self.warnings += moved_warnings(given.rules)
            self.checks += self._run(
                lambda meter: check_rules(given.rules, release, before, terms.hierarchies, given.scratch)
            )
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
