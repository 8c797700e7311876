"""The codebook of a mixed table: values as in any table, and the labels that items are shown as.

As there, a label is listed only when the release holds it, and nothing is told of it that it does not say itself, unless the recipe
or a file states it. A label in brackets names its items, so they can be listed.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shoal.report.codebook import CodebookColumn, without_defaults
from shoal.report.meaning import CodebookValue, node_of, of_node
from shoal.report.sets.codebook import EMPTY_POLICY, LIST
from shoal.report.tables.codebook import codebook
from shoal.report.words import ROLE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.report.tables.codebook import PublishedColumn

_LABELS = "each item is shown as itself or as a label; a label in brackets, (a,b), stands for one or more of the items it names"
_KEPT = "; sensitive items are shown as they are"


def items_column(
    name: str,
    hierarchy: Hierarchy,
    held: Sequence[tuple[str, NDArray[np.int32]]],
    sensitive: Sequence[str] = (),
    *,
    stated: bool,
    levels: int,
    keeps: bool = False,
    records: Mapping[str, int] | None = None,
) -> CodebookColumn:
    """held: labels that some published record shows, each with the leaves it stands for; sensitive: such that some record shows.

    stated: the hierarchy names its items without a look at the data. levels: of it, 0 where there is none. keeps: whether items are
    declared sensitive. records: of each label, how many published records show it.
    """
    ordered = sorted(held, key=lambda one: (int(one[1][0]), -len(one[1]), one[0]))
    values = [
        replace(_value(hierarchy, label, leaves, stated=stated), records=(records or {}).get(label))
        for label, leaves in ordered
    ]
    values += [CodebookValue(item, "exact") for item in sorted(sensitive)]
    means = f"{ROLE['quasi'][0]}: {_LABELS}{_KEPT if keeps else ''}"
    return CodebookColumn(name, "quasi", means, LIST, None, levels, tuple(values))


def mixed_codebook(
    schema: Schema,
    published: Mapping[str, PublishedColumn],
    sets: Sequence[CodebookColumn],
    *,
    stated: Collection[str] = (),
    missing: Literal["value", "refuse"] = "value",
) -> dict[str, Any]:
    """published: the quasi-identifying columns of single values; sets: those of items."""
    book = codebook(schema, published, stated=stated, missing=missing)
    items = {column.name: without_defaults(asdict(column)) for column in sets}
    book["columns"] = [items.get(column["name"], column) for column in book["columns"]]
    book["missing"] = f"{book['missing']} {EMPTY_POLICY}"
    return book


def _value(hierarchy: Hierarchy, label: str, leaves: NDArray[np.int32], *, stated: bool) -> CodebookValue:
    node = node_of(hierarchy, label, leaves)
    if node is not None:
        return of_node(hierarchy, node, stated, ())
    items = tuple(str(hierarchy.labels[leaf]) for leaf in leaves.tolist())
    return CodebookValue(label, "set", raw_values=len(items), members=items)
