"""Which role suits a column: by its name, by what its values look like, by how many there are. In doubt it is `quasi`.

A wrong `quasi` costs detail; a wrong `plain` or `sensitive` publishes a value as it is. So `plain` is proposed only for what
is the same in every record or clearly about the file, and `sensitive` only for what the name says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.release.suggest import patterns, words
from shoal.release.suggest.groups import two_letter_codes
from shoal.release.suggest.hierarchies import hierarchy_for
from shoal.release.suggest.summary import ColumnSummary, Suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEARLY = 0.9  # of the records have a value of their own
_ENOUGH = 20  # records, before "nearly every one" means anything
_TELLING = 0.1  # different values per record, from which a private number also tells people apart
_FILE_VALUES = 20  # a batch or a version has few values

_PHRASES = {
    Role.IDENTIFYING: "names a person, removed",
    Role.QUASI: "could be recognised by others",
    Role.SENSITIVE: "private fact, protected",
    Role.PLAIN: "left as it is",
}


def suggest(columns: Sequence[ColumnSummary]) -> list[Suggestion]:
    """A proposal for every column, in the same order. A person has to confirm each."""
    return [
        _of_sets(column) if column.kind == "set" else _Column(column).suggestion(columns[:position])
        for position, column in enumerate(columns)
    ]


def _of_sets(column: ColumnSummary) -> Suggestion:
    """Somebody knows some of what a person bought or was treated for; no hierarchy can be guessed."""
    reason = f"sets of {column.distinct:,} items: {_PHRASES[Role.QUASI]}"
    return Suggestion(column.name, Role.QUASI, None, reason, kind="set")


class _Column:
    def __init__(self, column: ColumnSummary) -> None:
        self.column = column
        self.concepts = words.concepts_in(column.name)
        counted = dict(column.most_common)
        seen = list(dict.fromkeys([*counted, *column.sample_values]))
        country = any(concept.kind == "country" for concept in self.concepts)
        codes = country and two_letter_codes([v for v in seen if v == "NA" or not patterns.stands_for_missing(v)])
        self.markers = tuple(v for v in seen if patterns.stands_for_missing(v) and not (codes and v == "NA"))
        self.values = [v for v in seen if v not in self.markers]
        self.complete = len(counted) == column.distinct
        self.distinct = column.distinct - len(self.markers)
        self.empty = column.missing + sum(counted.get(marker, 0) for marker in self.markers)
        self.filled = column.records - self.empty
        self.nearly_unique = self.filled >= _ENOUGH and self.distinct >= _NEARLY * self.filled

    def suggestion(self, before: Sequence[ColumnSummary]) -> Suggestion:
        role, kind, what = self._role()
        hierarchy, remarks = None, [f"{what}: {_PHRASES[role]}"]
        if role is Role.QUASI:
            hierarchy, blurred = hierarchy_for(self.column, kind, self.values, complete=self.complete)
            remarks.append(blurred)
            if self.nearly_unique and not self.column.numeric:
                remarks.append("nearly every record has a value of its own")
        if role is Role.SENSITIVE and self.distinct >= _TELLING * self.filled >= 1:
            remarks.append("but so many different values tell people apart: take quasi if others may know it")
        twin = next((other for other in before if _same_information(other, self.column)), None)
        if twin is not None and role is not Role.IDENTIFYING:
            remarks.append(f"seems to say the same as '{twin.name}': make one of them identifying to leave it out")
        return Suggestion(self.column.name, role, hierarchy, "; ".join(remarks), self.markers)

    def _role(self) -> tuple[Role, str, str]:
        """The role, the kind of hierarchy, and what the column is."""
        pattern = patterns.identifier_in(self.values)
        if pattern is not None:
            return Role.IDENTIFYING, "", f"looks like {pattern}"
        for concept in self.concepts:
            if concept.role is Role.IDENTIFYING and self._names_a_person(concept.kind):
                return Role.IDENTIFYING, "", concept.what
        text = not self.column.numeric and not patterns.are_dates(self.values)
        if text and patterns.is_free_text(self.values):
            return Role.IDENTIFYING, "", "free text, in which people may be named"
        if self.distinct <= 1 and not self.empty:
            return Role.PLAIN, "", "the same in every record"
        other = next((concept for concept in self.concepts if concept.role is not Role.IDENTIFYING), None)
        if other is not None and (other.role is not Role.PLAIN or self.distinct <= _FILE_VALUES):
            if other.role is Role.SENSITIVE and patterns.are_dates(self.values):
                return Role.QUASI, other.kind, f"a date ({other.what})"
            if other.role is Role.SENSITIVE and self.distinct < 2:  # no two values, so no diversity to promise
                return Role.QUASI, other.kind, f"{other.what}, either stated or not"
            return other.role, other.kind, other.what
        if self.nearly_unique and (text or self.column.integer):
            return Role.IDENTIFYING, "", "nearly every record has a value of its own"
        if patterns.are_dates(self.values):
            return Role.QUASI, "", "a date"
        if any(concept.kind == "id" for concept in self.concepts):
            return Role.QUASI, "code", "a number or code that several records share"
        return Role.QUASI, "", "nothing says that nobody knows it"

    def _names_a_person(self, kind: str) -> bool:
        """`name` and `id` are also said of places and things; then several records share the value."""
        if kind == "name":
            return not words.speaks_of_things(self.column.name)
        if kind == "id":
            alone = self.filled > 0 and self.distinct >= _NEARLY * self.filled
            return alone or words.speaks_of_people(self.column.name)
        return True


def _same_information(a: ColumnSummary, b: ColumnSummary) -> bool:
    """As many values, each as frequent as its twin. Columns of two values can agree by chance, of more hardly."""
    counts = [tuple(count for _, count in one.most_common) for one in (a, b)]
    complete = all(len(one.most_common) == one.distinct for one in (a, b))
    return complete and a.distinct >= 3 and counts[0] == counts[1] and len(set(counts[0])) > 1
