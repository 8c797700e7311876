"""How many records went in, came out and were suppressed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from fractions import Fraction


def check_suppression(published: int, starred: int, records_in: int, limit: Fraction) -> tuple[Check, int]:
    """Records in = records out + suppressed, and no more are suppressed than the recipe allows.

    `starred` rows stand in the file and are suppressed all the same: their quasi columns are all `*`, and they were exempt from the
    promise for that reason.
    """
    suppressed = records_in - published + starred
    allowed = math.floor(limit * records_in)
    counts = f"{records_in:,} records in, {published:,} out, {suppressed:,} suppressed"
    if published > records_in:
        detail = f"{published:,} records are published, but only {records_in:,} went in."
    elif suppressed > allowed:
        detail = f"{counts}; at most {allowed:,} may be."
    else:
        detail = f"{counts}; up to {allowed:,} may be."
    return Check("suppression", published <= records_in and suppressed <= allowed, detail, compared=True), suppressed


def check_records(
    published: int, original: int | None, records_in: int | None, limit: Fraction
) -> tuple[list[Check], dict[str, int]]:
    """The same where nothing stands starred in the file, with its figures. records_in: what is said to have gone in."""
    checks: list[Check] = []
    if original is not None:
        if records_in is not None and records_in != original:
            detail = f"{records_in} records are said to have gone in, but the original has {original}."
            checks.append(Check("records", False, detail, compared=True))
        records_in = original
    if records_in is None:
        return checks, {}
    check, suppressed = check_suppression(published, 0, records_in, limit)
    return [*checks, check], {"records_in": records_in, "suppressed": suppressed}
