"""What is proposed to be promised of a table of single values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.kinds.wanted import Wanted


def promise(private: Sequence[str]) -> list[str]:
    """k-anonymity, with l-diversity for every private fact. private: names of the sensitive columns."""
    lines = ["", "[[guarantee]]", 'name = "k-anonymity"', "k = 5"]
    for name in private:
        lines += ["", "[[guarantee]]", 'name = "l-diversity"', "l = 2", f"column = {inline(name)}"]
    lines += ["", "[suppression]", "limit = 0.01  # the fraction of the records that may be left out"]
    return [*lines, "", "[loss]", 'name = "glm"']


def promises(wanted: Wanted) -> list[dict[str, Any]]:
    """k-anonymity; with l or t, of every private fact."""
    wanted.only("k", "l", "t", about="a table of single values")
    found: list[dict[str, Any]] = [{"name": "k-anonymity", "k": wanted.k}]
    for column in wanted.private:
        if wanted.l is not None:
            found.append({"name": "l-diversity", "l": wanted.l, "column": column})
        if wanted.t is not None:
            found.append({"name": "t-closeness", "t": wanted.t, "column": column})
    return found
