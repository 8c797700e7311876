"""What was promised about a release: all the verifier is told, and all it holds the file against."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError, did_you_mean
from shoal.verifier.files.dialect import Dialect
from shoal.verifier.hierarchies.needed import hierarchies_of, single_columns
from shoal.verifier.looks import looks_like
from shoal.verifier.schema import KIND_WORDS, Column, Role, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from shoal.verifier.hierarchies.build import Form
    from shoal.verifier.hierarchies.hierarchy import Hierarchy, Label
    from shoal.verifier.recipe.guarantees import Guarantee

MISSING_POLICIES = ("value", "refuse")


@dataclass(frozen=True)
class Terms:
    """Roles, guarantees and limits. `hierarchies` may be empty for a release that another tool made."""

    schema: Schema
    guarantees: tuple[Guarantee, ...]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=lambda: MappingProxyType({}))
    suppression_limit: Fraction = Fraction(0)  # of the original records
    missing: str = "value"  # or "refuse": then a missing value in a quasi column is a breach
    exempt_suppressed: bool = False  # rows whose quasi columns are all `*` need not keep the promise
    spreadsheet_safe: bool = False  # a `'` before = + - @ in the release is an escape, not part of the value
    items: str = "|"  # between the items of a set, where a set is a text
    any_order: bool = (
        False  # rows were shuffled, as whoever asks knows; otherwise records that show the same stand together
    )
    left_out: bool = False  # all items may be missing from the published sets, as was said openly; never some of them
    dialect: Dialect = field(default_factory=Dialect)  # of the release, where it is a CSV file
    # By column: how its hierarchy is said, where that is still to be built over the values of the original (`over`).
    forms: Mapping[str, Form] = field(default_factory=lambda: MappingProxyType({}))
    labels: bool = True  # in a file of SPSS or Stata, labelled codes stand for their labels

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise RecipeError(*problems)

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are published as they are."""
        return tuple(name for name in self.schema.published if name not in self.schema.quasi)

    @property
    def protected(self) -> tuple[str, ...]:
        """The sensitive columns that a guarantee speaks of, each once, in the order of the guarantees."""
        return tuple(dict.fromkeys(name for name in map(sensitive_column, self.guarantees) if name is not None))

    def over(
        self,
        values: Callable[[tuple[str, ...]], Mapping[str, Collection[Label]] | None],
        more: Mapping[str, Collection[Label]] | None = None,
    ) -> Terms:
        """With the hierarchies over the values that were found. values: of columns of single values, by their names; None where
        there is no original. more: of the other columns, the items or nodes."""
        if not self.forms:
            return self
        found = values(single_columns(self.schema, self.guarantees))
        known = None if found is None else {**found, **(more or {})}
        return replace(self, hierarchies=hierarchies_of(self.schema, self.guarantees, self.forms, known), forms={})

    def _problems(self) -> Iterator[str]:
        names = self.schema.names()
        for name, times in Counter(names).items():
            if times > 1:
                yield f"columns: '{name}' is named {times} times; a column has one role."
        if not self.schema.quasi:
            yield "columns: no column has the role 'quasi'; there is nothing to verify without one."
        if not self.guarantees:
            yield "guarantee: none is stated; a release cannot be verified against nothing."
        yield from self._problems_of_sets()
        for name in self.protected:
            if name not in names:
                yield f"guarantee: column '{name}' is not in the recipe.{did_you_mean(name, names)}"
            elif name in self.schema.quasi_sets and self.schema.sensitive_items(name):
                pass  # the promise speaks of those items
            elif name not in self.schema.names(Role.SENSITIVE):
                yield f"guarantee: column '{name}' must have the role 'sensitive'."
        for name in self.hierarchies:
            if name not in names:
                yield f"columns: a hierarchy is given for '{name}', which is not in the recipe.{did_you_mean(name, names)}"
        limit: Any = self.suppression_limit
        if isinstance(limit, bool) or not isinstance(limit, (int, Fraction)) or not 0 <= limit <= 1:
            yield f"suppression.limit: must be a fraction of the records between 0 and 1; got {limit!r}."
        if self.missing not in MISSING_POLICIES:
            yield f"missing: must be 'value' or 'refuse'; got {self.missing!r}."
        if not isinstance(self.spreadsheet_safe, bool):
            yield f"spreadsheet_safe: must be true or false; got {self.spreadsheet_safe!r}."
        if (
            not isinstance(self.items, str)
            or len(self.items) != 1
            or not self.items.isascii()
            or self.items in '"\r\n\0'
        ):
            yield "items: the delimiter of items must be one ASCII character that is neither a quote nor a line end."
        if not isinstance(self.left_out, bool):
            yield f"left_out: must be true or false; got {self.left_out!r}."
        if not isinstance(self.any_order, bool):
            yield f"any_order: must be true or false; got {self.any_order!r}."
        if not isinstance(self.exempt_suppressed, bool):
            yield f"exempt_suppressed: must be true or false; got {self.exempt_suppressed!r}."

    def _problems_of_sets(self) -> Iterator[str]:
        sets = self.schema.sets
        for guarantee in self.guarantees:
            # one that does not say what it is about is refused where it would be counted
            kind = getattr(guarantee, "kind", self.schema.kind)
            if kind != self.schema.kind:
                promised, held = KIND_WORDS.get(kind, "something else"), KIND_WORDS[self.schema.kind]
                yield f"guarantee: {guarantee.technical()} is a promise about {promised}, and the columns are {held}."
        if self.schema.nodes and set(self.schema.quasi) != set(self.schema.nodes):
            yield "columns: beside classes of nodes every column with the role 'quasi' must be one; no other is verified."
        if any(column.kind == "node" and column.name not in self.schema.nodes for column in self.schema):
            yield "columns: a column of kind \"node\" must have the role 'quasi'; no other role is verified."
        if any(name not in self.schema.quasi for name in sets):
            yield "columns: a column of kind \"set\" must have the role 'quasi'; no other role is verified."
        if len(sets) > 1 and not (self.schema.quasi_values or self.schema.nodes):
            yield 'columns: several of kind "set" can be verified only beside a quasi column of single values.'
        for column in self.schema:
            yield from self._problems_of_items(column)

    def _problems_of_items(self, column: Column) -> Iterator[str]:
        name, items = column.name, column.sensitive_items
        if any(name.startswith(f"{other}:") for other in self.schema.quasi_sets):
            yield f"columns: items of another column could read like items of '{name}'; one of the two must be renamed."
        beside = self.schema.quasi_values and not self.schema.nodes
        if items and not (beside and name in self.schema.quasi_sets):
            yield f"columns: '{name}' cannot have sensitive items here; only sets beside single values can."
        if "" in items or len({looks_like(item) for item in items}) < len(items):
            yield f"columns: the sensitive items of '{name}' must be texts of which no two look the same."
        hierarchy = self.hierarchies.get(name)
        if hierarchy is not None and any(hierarchy.node(i) is not None and hierarchy.code(i) is None for i in items):
            yield f"columns: a sensitive item of '{name}' is a label of its hierarchy that stands for several items."


def sensitive_column(guarantee: Guarantee) -> str | None:
    """The sensitive column of a guarantee: its parameter `column`, if it has one."""
    column: str | None = getattr(guarantee, "column", None)
    return column
