"""What this run means to promise, to be held against what the verifier read in the recipe by itself."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.errors import InternalError
from shoal.guarantees import GUARANTEES

if TYPE_CHECKING:
    from shoal.data.schema import Column
    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.plan import Plan
    from shoal.release.recipe.sections import GuaranteeSpec
    from shoal.verifier.verdict import Verdict


def refuse_other_promise(plan: Plan, verdict: Verdict) -> None:
    """Two readings of one recipe must agree, or one of them is wrong: what was verified is not what was meant."""
    meant = _promise(plan)
    if verdict.promise == meant:
        return
    differing = sorted({str(part[0]) for part in {*verdict.promise} ^ {*meant}})
    raise InternalError(
        f"The verifier read another promise in the recipe than was kept here ({', '.join(differing) or 'its order'}); nothing "
        "was published."
    )


def _promise(plan: Plan) -> tuple[tuple[Any, ...], ...]:
    recipe = plan.recipe
    return (
        *(("column", column.name, str(column.role), *_details(column)) for column in plan.schema),
        *(  # one that got lost on the way is missing here, and is missed
            ("guarantee", spec.name, technical_name(spec, g))
            for spec, g in zip_longest(recipe.guarantee, recipe.guarantees)
            if g is not None
        ),
        ("suppression", str(recipe.suppression_limit)),
        ("missing", recipe.missing),
        ("left out", bool(recipe.method.options.get("leave_out", False))),
        ("spreadsheet safe", bool(recipe.output and recipe.output.spreadsheet_safe)),
    )


def technical_name(spec: GuaranteeSpec, guarantee: Guarantee) -> str:
    """The technical name; of a promise that another package adds, what the recipe says of it, which is all the verifier knows."""
    if GUARANTEES.package(spec.name) is None:
        return guarantee.technical()
    said = spec.model_extra or {}
    listed = ", ".join(f"{key} = {said[key]!r}" for key in sorted(said))
    return f"{spec.name} ({listed})" if listed else spec.name


def _details(column: Column) -> tuple[Any, ...]:
    if column.role is Role.IDENTIFYING:  # what is removed needs no more
        return ("scalar", column.place, None, (), (), (), False)
    return (
        column.kind,
        column.place,
        column.parent,
        column.missing,
        column.sensitive_items,
        column.negated,
        column.accept_unique,
    )
