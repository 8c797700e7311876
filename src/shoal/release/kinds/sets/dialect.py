"""What a recipe may say of sets of items, also where they stand beside single values; and what is not offered yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.io.sets.items import check_mark
from shoal.loss import SET_LOSSES
from shoal.loss.sets.er import ER
from shoal.loss.sets.ncp import ItemNCP
from shoal.recoding.sets.matching import AT_MOST, DIFFER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe.contents import Contents
    from shoal.release.recipe.sections import ColumnSpec, Output


class SetDialect:
    """What a recipe may say of sets of items."""

    title = "sets of items"
    losses = tuple(SET_LOSSES)
    leaves_out = False
    can_be_seeded = False
    can_be_unsteered = False

    def default_method(self, guarantees: Sequence[Guarantee]) -> str:
        """The one that goes with the promise."""
        return "nonreciprocal" if is_matching(guarantees) else "apriori"

    def loss(self, contents: Contents, method: str) -> str:
        """It depends on how sets are shown."""
        return ER.name if is_matching(contents.guarantees) else ItemNCP.name

    def can_protect(self, column: ColumnSpec) -> bool:
        """A single value beside the set."""
        return column.role is Role.SENSITIVE

    def misuses(self, contents: Contents) -> list[str]:
        """Of columns of sets, alone or beside single values, and of keys of sets where there are none."""
        return _set_problems(contents)

    def problems(self, contents: Contents) -> list[str]:
        """Nothing that would not be wrong in a mixed table as well."""
        return []


def _set_problems(contents: Contents) -> list[str]:
    columns, guarantees = contents.columns, contents.guarantees
    input_, output = contents.input, contents.output
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
    if contents.missing == "refuse":
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
    promised = {guarantee.name for guarantee in guarantees if guarantee.kind == contents.schema_.kind}
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


def is_matching(guarantees: Sequence[Guarantee]) -> bool:
    """Whether a release that keeps these promises shows bases and distance sets, and no labels of a hierarchy."""
    return any(guarantee.name in ("k-matching", "l-matching") for guarantee in guarantees)


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
