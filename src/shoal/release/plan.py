"""What would run: the recipe held against the data, before anything is decided or written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.lookalikes import appearance, lookalikes
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, HierarchyError, RecipeError, did_you_mean
from shoal.hierarchies.build import build
from shoal.hierarchies.decimals import parse
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.source import Source, open_source
from shoal.io.trees.fhir_mapping import MAPPINGS
from shoal.loss import loss_from
from shoal.methods.method import Method, Problem
from shoal.methods.registry import method_from
from shoal.release.input_tables import hint_at_tables, open_tables
from shoal.release.recipe_mixed import item_loss
from shoal.release.recipe_sets import item_mark
from shoal.release.sections import LossSpec
from shoal.verify.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shoal.engines.engine import Engine
    from shoal.io.location import Location
    from shoal.release.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Plan:
    recipe: Recipe
    source: Source
    schema: Schema
    method: Method
    output: Location | None


@dataclass(frozen=True, eq=False)
class Hierarchies:
    quasi: Mapping[
        str, Hierarchy
    ]  # of a column of sets, or a class, without a hierarchy: one that groups nothing but all
    sensitive: Mapping[str, Hierarchy | None]  # of the columns a guarantee or the loss speaks of
    unstated: frozenset[str] = frozenset()  # columns of sets, and classes of nodes, without a hierarchy

    @property
    def stated(self) -> dict[str, Hierarchy]:
        """Of the quasi-identifiers, those that the recipe gives a hierarchy."""
        return {name: tree for name, tree in self.quasi.items() if name not in self.unstated}


def make_plan(
    recipe: Recipe, source: Source | None = None, *, session: Any = None, scratch: Path | None = None
) -> Plan:
    """Resolve a recipe against its input (or a source at hand). Every column must have a role.

    `session`: of Spark, for a URI. `scratch`: a private folder for what has to be read in another form first.
    """
    if source is None:
        source = open_input(recipe, session=session, scratch=scratch)
    given, named = source.columns, list(recipe.columns)
    problems = [
        f"columns.{name}: not a column of {source.name}. Columns: {', '.join(given)}.{did_you_mean(name, given)}"
        for name in named
        if name not in given
    ]
    problems += [
        f"columns: '{name}' of {source.name} has no role. Give it one: identifying, quasi, sensitive or plain."
        for name in given
        if name not in recipe.columns
    ]
    if problems:
        raise RecipeError(*problems)
    output = recipe.place(recipe.output.path) if recipe.output else None
    return Plan(recipe, source, recipe.schema_, method_from(recipe.method_name), output)


def open_input(
    recipe: Recipe,
    path: Location | None = None,
    *,
    session: Any = None,
    scratch: Path | None = None,
    named: Recipe | None = None,
) -> Source:
    """The recipe's input, or another file that is written the same way. `named`: the recipe whose input is meant, if not this."""
    home = named or recipe
    spec, trees = home.input, tree_schema(recipe)
    if spec is None:
        if path is None:
            raise RecipeError("input.path: must be given.")
        return open_source(path, sets=recipe.schema_.sets, session=session, trees=trees, scratch=scratch)
    if trees is not None and path is None and not spec.path:
        return open_tables(home, spec, trees, scratch)
    with hint_at_tables(wanted=not spec.path):
        return open_source(
            path if path is not None else home.place(spec.path),
            delimiter=spec.delimiter,
            missing=tuple(spec.missing),
            multiline=spec.multiline,
            sets=recipe.schema_.sets,
            items=item_mark(spec),
            session=session,
            trees=trees,
            scratch=scratch,
            record=spec.record,
            mapping=spec.mapping if spec.mapping in MAPPINGS or not spec.mapping else home.folder / spec.mapping,
        )


def tree_schema(recipe: Recipe) -> Schema | None:
    """Of a recipe for trees: where the values lie in nested records."""
    return recipe.schema_ if recipe.schema_.kind == "trees" else None


def build_hierarchies(plan: Plan, engine: Engine) -> Hierarchies:
    """The hierarchy of every quasi-identifier, and of sensitive columns that need one. Mistakes are reported together."""
    recipe = plan.recipe
    counted = {recipe.loss.column, *(g.sensitive for g in recipe.guarantees)} - {None, *plan.schema.quasi}
    quasi: dict[str, Hierarchy] = {}
    sensitive: dict[str, Hierarchy | None] = {}
    faults: list[str] = []
    grouping = (*plan.schema.sets, *plan.schema.nodes)
    unstated = [name for name in grouping if recipe.columns[name].hierarchy is None]
    for name in recipe.columns:
        if name not in plan.schema.quasi and name not in counted:
            continue
        counts = engine.domain(name).counts
        _refuse_unclear(name, counts, recipe.missing if name in plan.schema.quasi else "value")
        if name in plan.schema.nodes:
            refuse_star(name, counts.get("*", 0))
        if kept := plan.schema.sensitive_items(name):
            _refuse_misspelt(name, counts, kept)
        if name in counted and not needs_hierarchy(recipe, name, counts):
            sensitive[name] = None
            continue
        if name in unstated or (
            name in plan.schema.nodes and not counts
        ):  # of a class that no record has, nothing is asked
            quasi[name] = flat(counts)
            continue
        try:
            made = hierarchy_of(recipe, name, counts)
        except HierarchyError as found:
            faults += [f"columns.{name}.hierarchy: {fault}" for fault in found.faults]
            continue
        if name in plan.schema.quasi:
            quasi[name] = made
        else:
            sensitive[name] = made
    if faults:
        raise HierarchyError(*faults)
    _refuse_unknown(plan.schema, quasi)
    return Hierarchies(quasi, sensitive, frozenset(unstated))


def refuse_star(name: str, records: int) -> None:
    """`*` stands for all values of a class. Were another mark taken then, it would tell that somebody has this value."""
    if records:
        raise DataError(
            f"Class '{name}': the value '*' occurs ({records:,} times), which stands for any value here. Write it otherwise."
        )


def flat(items: Iterable[str | None]) -> Hierarchy:
    """Of items or nodes that need no hierarchy: each stands for itself, or for all."""
    known = sorted(item for item in items if item is not None)
    top = "*"
    while top in known:
        top += "*"
    return Hierarchy.from_paths([(item, top) for item in known] or [(top,)])


def hierarchy_of(recipe: Recipe, name: str, values: Iterable[str | None]) -> Hierarchy:
    """The hierarchy of a column that has these values."""
    if name not in recipe.schema_.quasi:  # a reader takes a sensitive value `*` for hidden, as if it were missing
        values = {None if value == "*" else value for value in values}
    # sorted: nothing about the release may depend on the order in which an engine met the values
    domain = sorted(values, key=lambda value: (value is None, value))
    return build(recipe.columns[name].hierarchy, domain, base=recipe.folder)


def needs_hierarchy(recipe: Recipe, name: str, counts: Mapping[str | None, int]) -> bool:
    """Whether a guarantee measures distances between the values of a sensitive column along its hierarchy."""
    distances = {getattr(g, "distance", "equal") for g in recipe.guarantees if g.sensitive == name}
    if "hierarchical" in distances:
        return True
    if "ordered" not in distances or all(parse(value) is not None for value in counts if value is not None):
        return False  # numbers have an order of their own
    if recipe.columns[name].hierarchy is None:
        raise RecipeError(
            f"guarantee: t-closeness of '{name}' with ordered distance needs numbers, or a hierarchy of that column whose "
            f'values are in order: {{ order = ["low", "middle", "high"], sizes = [3] }}.'
        )
    return True


def _refuse_unclear(name: str, counts: Mapping[str | None, int], missing: str) -> None:
    if missing == "refuse" and counts.get(None):
        raise DataError(
            f"Column '{name}': {counts[None]:,} records have no value, and the recipe says missing = \"refuse\"."
        )
    alike = lookalikes(value for value in counts if value is not None)
    if alike:
        raise DataError(
            f"Column '{name}': {alike:,} values look like another value but are spelled differently (blanks at the edges, "
            f"invisible characters or another Unicode form). They would split people who belong together; clean them first."
        )


def _refuse_misspelt(name: str, counts: Iterable[str | None], sensitive: Sequence[str]) -> None:
    """A sensitive item that the data spells in another way would be shown, and no promise would count it."""
    held = {value for value in counts if value is not None}
    looks = {appearance(value) for value in held}
    wrong = sum(item not in held and appearance(item) in looks for item in sensitive)
    if wrong:
        looking = "item of the recipe looks" if wrong == 1 else "items of the recipe look"
        raise DataError(
            f"Column '{name}': {wrong:,} sensitive {looking} like an item of the data but with another spelling (blanks at the "
            "edges, invisible characters or another Unicode form). It would be shown and not be protected; spell both the same."
        )


def _refuse_unknown(schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> None:
    """A value that nobody can have, and that is spelt like none, would protect nobody."""
    problems = []
    for name, values in schema.negated.items():
        unknown = sum(hierarchies[name].code(value) is None for value in values)
        if unknown:
            are = "value is not one" if unknown == 1 else "values are not among those"
            problems.append(
                f"columns.{name}.negated: {unknown:,} {are} of the class (of its hierarchy or, without one, of the data). Nothing "
                "would be protected by it; check the spelling."
            )
    if problems:
        raise RecipeError(*problems)


def problem_of(plan: Plan, hierarchies: Hierarchies) -> Problem:
    recipe = plan.recipe
    kept = recipe.schema_.sensitive_items
    return Problem(
        hierarchies.quasi,
        hierarchies.sensitive,
        recipe.guarantees,
        loss_from(recipe.loss.name if recipe.schema_.kind == "table" else LossSpec().name, recipe.loss.column),
        recipe.loss.weights,
        recipe.suppression_limit,
        frozenset(name for name, spec in recipe.columns.items() if spec.states_its_values),
        {name: kept(name) for name in recipe.schema_.quasi_sets} if recipe.schema_.kind == "mixed" else {},
        item_loss(recipe),
        recipe.schema_.shape if recipe.schema_.kind == "trees" else None,
        recipe.schema_.negated,
    )


def terms_of(recipe: Recipe, hierarchies: Mapping[str, Hierarchy], *, exempt_suppressed: bool = False) -> Terms:
    """What the verifier holds a release against."""
    return Terms(
        _held_to(recipe.schema_),
        recipe.guarantees,
        dict(hierarchies),
        recipe.suppression_limit,
        recipe.missing,
        exempt_suppressed,
        bool(recipe.output and recipe.output.spreadsheet_safe),
        item_mark(recipe.input),
        bool(recipe.method.options.get("leave_out", False)),
    )


def _held_to(schema: Schema) -> Schema:
    """The schema that a release is held against: what is removed needs no kind."""
    columns = (Column(c.name, c.role) if c.role is Role.IDENTIFYING else c for c in schema)
    return Schema(tuple(columns))
