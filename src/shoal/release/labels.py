"""What a file of SPSS, Stata or SAS says beside its values, in the codebook: titles, codes with labels, codes for no value.

The codebook says no more than the release does: of the labels only those are listed whose values the release holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.io.counts import column_counts
from shoal.io.source import from_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine
    from shoal.io.office.confined import Notes


def with_labels(book: Mapping[str, Any], notes: Notes, engine: Engine) -> Mapping[str, Any]:
    """The codebook of a release with what its original says. engine: that has just applied a recoding."""
    if not (notes.labels or notes.missing or notes.titles):
        return book
    source = from_frame(engine.frame(), None)
    columns = []
    for column in book["columns"]:
        name = column["name"]
        labels = notes.labels.get(name, {})
        more: dict[str, Any] = {}
        if name in notes.titles:
            more["title"] = notes.titles[name]
        if labels:
            held = column_counts(source, name).keys()
            of_labels = name in notes.by_label
            codes = {code: label for code, label in labels.items() if (label if of_labels else code) in held}
            more |= {"codes": codes} if codes else {}
        if name in notes.missing:
            more["missing_codes"] = list(notes.missing[name])
        columns.append(column | more)
    return {**book, "columns": columns}
