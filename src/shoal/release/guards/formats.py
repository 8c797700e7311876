"""What the format of the output has no room for is refused before anything is decided."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.io.office.write_excel import MOST_ROWS
from shoal.io.office.write_statistics import check_names

if TYPE_CHECKING:
    from shoal.release.plan import Plan

_LABELLED = (".sav", ".dta")


def refuse_names(plan: Plan) -> None:
    """Names that SPSS or Stata cannot have; and a format without what writes it."""
    suffix = _suffix(plan)
    if suffix not in _LABELLED:
        return
    for package in ("pandas", "pyreadstat"):
        if find_spec(package) is None:
            raise RecipeError(
                f"output.path: {suffix} is written with {package}, which is not installed: pip install 'shoal[office]'."
            )
    check_names((column.name for column in plan.schema if column.role is not Role.IDENTIFYING), suffix)


def refuse_rows(plan: Plan, records: int) -> None:
    """More rows than a sheet has."""
    if _suffix(plan) == ".xlsx" and records > MOST_ROWS:
        raise RecipeError(
            f"output.path: a sheet of a workbook has {MOST_ROWS:,} rows below its header, and {plan.source.name} has {records:,} "
            "records. Write .csv or .parquet."
        )


def _suffix(plan: Plan) -> str:
    path = "" if plan.recipe.output is None else plan.recipe.output.path
    return path[path.rfind(".") :]
