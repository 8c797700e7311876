"""A person says how the dates or numbers of a column are written: the column is looked at again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.io.tally import column_tally
from shoal.io.written import form_of
from shoal.release.looking.input import Looked
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary
from shoal.release.suggest.written import canonical_counts

if TYPE_CHECKING:
    from pathlib import Path

FORMS = ("dd.mm.yyyy", "d.m.yyyy", "mm/dd/yyyy", "dd/mm/yyyy", "yyyymmdd", "1234,5", "1.234,5", "1,234.5")


def unfit(recipe: Path, name: str, form: str) -> tuple[int, Any]:
    """How many different values do not have the form; and the hierarchy that suits the column when it is read so."""
    try:
        reading = form_of(form)
    except ValueError as reason:
        raise RecipeError(f"columns.{name}.written: {reason}") from None
    looked = Looked.of(recipe).without_forms()
    with looked.rows() as source:
        counts = column_tally(source, name, looked.words(name, "missing")).some()
    wrong = sum(reading.canonical(value) is None for value in counts)
    summary = ColumnSummary.of_counts(name, "text", canonical_counts(counts, (form,)))
    return wrong, suggest([summary])[0].hierarchy
