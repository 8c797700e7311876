"""write: the release as a Parquet, FIMI, JSON or CSV file, or one of an office program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.engines.local.release import Release
    from shoal.io.dialect import Dialect
    from shoal.io.office.confined import Notes


def write(
    release: Release,
    draft: Path,
    notes: Notes,
    *,
    spreadsheet_safe: bool = False,
    items: str = "|",
    dialect: Dialect | None = None,
) -> None:
    """notes: what the file that was read says beside its values. items: what separates the items of a set in a cell.
    dialect: of CSV."""
    if draft.suffix == ".parquet":
        from shoal.io.parquet import write_parquet

        write_parquet(release.rows(), draft)
    elif release.shape is not None:
        from shoal.io.trees.write_json import write_json_lines

        write_json_lines(release.rows(), release.shape, draft)
    elif draft.suffix == ".dat":
        from shoal.io.sets.fimi import write_fimi

        write_fimi(release.rows(), draft)
    elif draft.suffix == ".xlsx":
        from shoal.io.office.write_excel import write_excel

        write_excel(release.rows(), draft, items=items)
    elif draft.suffix in (".sav", ".dta"):
        from shoal.io.office.write_statistics import write_statistics

        write_statistics(release.rows(), draft, notes, items=items)
    else:
        from shoal.io.csv_write import write_csv

        write_csv(release.rows(), draft, spreadsheet_safe=spreadsheet_safe, items=items, dialect=dialect)
