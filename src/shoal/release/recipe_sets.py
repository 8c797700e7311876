"""What a recipe may say of sets of items, and what is not offered yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.io.items import MARK, check_mark
from shoal.recoding.matching import AT_MOST, DIFFER
from shoal.release.recipe_mixed import LOSSES_FOR_BOTH
from shoal.release.recipe_trees import LOSSES_FOR_TREES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe import Recipe
    from shoal.release.sections import ColumnSpec, Input, Output


def set_problems(
    columns: Mapping[str, ColumnSpec],
    guarantees: Sequence[Guarantee],
    input_: Input | None,
    output: Output | None,
    missing: str,
) -> list[str]:
    """Mistakes between the sections of a recipe that have to do with sets of items."""
    sets = {name: spec for name, spec in columns.items() if spec.kind == "set"}
    problems = [
        f"columns.{name}.sensitive_items: for a column with kind = \"set\" and the role 'quasi'."
        for name, spec in columns.items()
        if spec.sensitive_items and not (name in sets and spec.role is Role.QUASI)
    ]
    problems += [
        f"columns.{name}.kind: a column of sets can have the role 'quasi' or 'identifying'; the role '{spec.role}' is not "
        "offered yet."
        for name, spec in sets.items()
        if spec.role not in (Role.QUASI, Role.IDENTIFYING)
    ]
    if input_ is not None and input_.items is not None:
        problems += _mark_problems(input_.items, input_.delimiter, used=bool(sets))
    quasi = [name for name, spec in columns.items() if spec.role is Role.QUASI]
    published = [name for name in quasi if name in sets]
    if not published:
        return problems + _format_problems(output)
    if missing == "refuse":
        problems.append(
            f"missing: 'refuse' cannot be kept for '{published[0]}': a missing set is read as an empty one, and in CSV both "
            "look the same. Use 'value'."
        )
    alone = len(quasi) == len(published)
    if alone and len(published) > 1:
        problems.append(
            f"columns: {len(published)} columns of sets have the role 'quasi', and no column of single values; only one is "
            "offered yet."
        )
    problems += [
        f"columns.{name}.sensitive_items: for sets beside quasi columns of single values; here they are not offered yet."
        for name in published
        if alone and sets[name].sensitive_items
    ]
    promised = {guarantee.name for guarantee in guarantees if guarantee.kind == "sets"}
    for name in published if alone else ():
        if not is_matching(guarantees) and promised and sets[name].hierarchy is None:
            problems.append(
                f"columns.{name}.hierarchy: must be given for {', '.join(sorted(promised))}: items are shown as labels of it. "
                "k-matching needs none."
            )
        taken = [f"{name}:{what}" for what in (DIFFER, AT_MOST) if f"{name}:{what}" in columns]
        problems += [f"columns.{one}: the release has a column of this name already; rename yours." for one in taken]
    others = [name for name, spec in columns.items() if spec.role in (Role.SENSITIVE, Role.PLAIN)]
    if output is not None and output.path.endswith(".dat") and (others or not alone or is_matching(guarantees)):
        problems.append(
            "output.path: a FIMI file (.dat) holds one column of items, and this release has more; write .csv or .parquet."
        )
    return problems


def choice_problems(kind: str, method: str, loss: str | None) -> list[str]:
    """A method or loss of the other kind of data. loss: None when the recipe names none."""
    from shoal.loss import LOSSES, SET_LOSSES
    from shoal.methods.registry import METHODS, kind_of

    problems = []
    of = {
        "table": "tables of single values",
        "sets": "sets of items",
        "mixed": "single values beside sets of items",
        "trees": "trees",
    }
    if kind_of(method) != kind and not (kind != "table" and method == "auto"):
        fitting = ", ".join(name for name in METHODS if kind_of(name) == kind)
        problems.append(f"method.name: '{method}' is not for {of[kind]}. Methods here: {fitting}.")
    losses = {
        "table": list(LOSSES),
        "sets": list(SET_LOSSES),
        "mixed": list(LOSSES_FOR_BOTH),
        "trees": list(LOSSES_FOR_TREES),
    }[kind]
    if loss is not None and loss not in losses:
        problems.append(f"loss.name: '{loss}' is not for {of[kind]}. Losses here: {', '.join(losses)}.")
    return problems


def method_for_sets(guarantees: Sequence[Guarantee]) -> str:
    """The method that goes with a promise about sets, where the recipe leaves the choice."""
    return "nonreciprocal" if is_matching(guarantees) else "apriori"


def set_loss(guarantees: Sequence[Guarantee]) -> str:
    """What a method makes small, which depends on how sets are shown."""
    return "er" if is_matching(guarantees) else "item-ncp"


def refuse_sets(recipe: Recipe, what: str) -> None:
    if recipe.schema_.kind != "table":
        column = [*recipe.schema_.nodes, *recipe.schema_.quasi_sets][0]
        holds = "is a class of nodes of a tree" if recipe.schema_.nodes else "holds sets of items"
        raise RecipeError(f"{what} is for tables of single values, and '{column}' {holds}.")


def is_matching(guarantees: Sequence[Guarantee]) -> bool:
    """Whether a release that keeps these promises shows bases and distance sets, and no labels of a hierarchy."""
    return any(guarantee.name in ("k-matching", "l-matching") for guarantee in guarantees)


def item_mark(input_: Input | None) -> str:
    """What separates items in CSV, in what is read and in what is written."""
    return input_.items if input_ is not None and input_.items is not None else MARK


def _mark_problems(mark: str, delimiter: str | None, *, used: bool) -> list[str]:
    if not used:
        return ['input.items: separates the items of sets, and no column has kind = "set".']
    try:
        check_mark(mark, delimiter)
    except RecipeError as mistake:
        return [f"input.items: {problem}" for problem in mistake.problems]
    return []


def _format_problems(output: Output | None) -> list[str]:
    if output is not None and output.path.endswith(".dat"):
        return ['output.path: a FIMI file (.dat) holds sets of items, and no quasi column has kind = "set".']
    return []
