"""Tests of one's own data: the fixture `assert_anonymous`, which pytest finds by itself where shoal is installed.

    def test_export(assert_anonymous):
        assert_anonymous("export.parquet", quasi=["age", "sex", "postcode"], k=5)

Only pytest is imported here: this module is loaded by every run of pytest beside shoal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from shoal.verifier.verdict import Verdict


def check_anonymous(
    data: Any,
    recipe: Any = None,
    *,
    quasi: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741  # the name of the parameter in the literature and in every recipe
    t: float | None = None,
    original: Path | str | Any = None,
) -> Verdict:
    """The verdict of `shoal.verify`; an AssertionError unless it passed. What it says names counts, rows and columns, never a cell:
    the log of a test is read by many.

    `any_order` is taken for granted: a table in a test need not be in the order of a release.
    """
    __tracebackhide__ = True
    import shoal

    verdict = shoal.verify(
        data, recipe, quasi=quasi, sensitive=sensitive, k=k, l=l, t=t, original=original, any_order=True
    )
    if not verdict.passed:
        failed = [f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed]
        rows = [f"for example rows {', '.join(map(str, w.rows))}" for w in verdict.witnesses[:1] if w.rows]
        raise AssertionError("Does not meet the stated guarantee. " + " ".join([*failed, *rows]))
    return verdict


@pytest.fixture  # type: ignore[untyped-decorator,unused-ignore]  # as it is seen where pytest is not installed
def assert_anonymous() -> Callable[..., Verdict]:
    """Fails unless a table keeps its promise: `assert_anonymous(data, quasi=[…], k=5)`, or with a recipe."""
    return check_anonymous
