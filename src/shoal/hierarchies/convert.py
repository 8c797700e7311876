"""ARX ⇄ anjana ⇄ Amnesia text ⇄ Amnesia JSON. shoal's own form is the ARX table, which holds everything a hierarchy is.

What a target cannot hold is said in sentences, and refused unless the loss is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import HierarchyError
from shoal.hierarchies import amnesia
from shoal.hierarchies.edges import MISSING
from shoal.hierarchies.files import hierarchy_of, read_stated, write_hierarchy
from shoal.hierarchies.hierarchy import Hierarchy, depth_cuts
from shoal.hierarchies.stated import Format, Header

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.hierarchies.hierarchy import Label


def convert(source: Path, target: Path, to: Format | str, *, allow_loss: bool = False) -> tuple[str, ...]:
    """Write `source` as `target` in another format, and return what the target does not keep.

    What would change the hierarchy itself is refused, unless `allow_loss`.
    """
    stated = read_stated(source)
    hierarchy = hierarchy_of(stated, str(source))
    form = Format(to)
    lost = losses(hierarchy, form, stated.header)
    if lost and not allow_loss:
        raise HierarchyError(*lost, "Nothing was written. Allow the loss (--allow-loss) to convert all the same.")
    if lost:
        hierarchy = _reduced(hierarchy, form)
    header = stated.header
    if header is None and form in (Format.AMNESIA, Format.AMNESIA_JSON):
        header = amnesia.header_of(hierarchy, name=_word(target.name.partition(".")[0]))
    write_hierarchy(hierarchy, target, form, header=header)
    if header is not None and form in (Format.ARX, Format.ANJANA):
        lost = (*lost, "A table has no header: the name and the type of the Amnesia file are not kept.")
    return lost


def losses(hierarchy: Hierarchy, form: Format, header: Header | None = None) -> tuple[str, ...]:
    """What a format cannot hold of a hierarchy, one sentence each."""
    if form in (Format.ARX, Format.ANJANA):
        if header is not None and header.kind == "range":
            return (
                "A table lists values: the ranges are kept as if they were values, and no number is found in them.",
            )
        return ()
    labels = [label for label in hierarchy.labels if label is not None]
    sentences = []
    if form is Format.AMNESIA:
        blanks = sum(any(c.isspace() for c in label) for label in labels)
        if blanks:
            sentences.append(
                f"Amnesia text separates labels by blanks: in {blanks:,} of {len(labels):,} labels a blank becomes `_`."
            )
        if "has" in labels:
            sentences.append("Amnesia text cannot hold the label `has`: it becomes `has_`.")
    null = sum(label in MISSING for label in labels)
    if null:
        sentences.append(
            f"Amnesia reads `(null)` and `NaN` as missing: {null} of {len(labels):,} labels get a `_` at the end."
        )
    skipping = _skipping(hierarchy)
    if skipping:
        sentences.append(
            f"Amnesia counts levels from the top and cannot repeat a group: "
            f"{skipping:,} of {hierarchy.leaf_count:,} values are blurred at other levels than before."
        )
    return tuple(sentences)


def _skipping(hierarchy: Hierarchy) -> int:
    """How many values a tree without stated levels would show differently at some level."""
    cuts = depth_cuts(hierarchy.parents, hierarchy.leaf_count)
    if cuts.shape != hierarchy.levels.shape:
        return hierarchy.leaf_count
    return int(np.count_nonzero((cuts != hierarchy.levels).any(axis=0)))


def _reduced(hierarchy: Hierarchy, form: Format) -> Hierarchy:
    """The hierarchy with labels the format can hold; refuses when two labels would become one."""
    if form in (Format.ARX, Format.ANJANA):
        return hierarchy
    names: dict[Label, Label] = {None: None}
    for label in hierarchy.labels:
        if label is not None:
            safe = _word(label) if form is Format.AMNESIA else label
            names[label] = f"{safe}_" if safe in (*MISSING, *(("has",) if form is Format.AMNESIA else ())) else safe
    if len(set(names.values())) != len(names):
        raise HierarchyError("Two labels would become the same in the target format; rename one of them first.")
    return Hierarchy.from_paths(
        [tuple(names[label] for label in hierarchy.path(leaf)) for leaf in range(hierarchy.leaf_count)]
    )


def _word(label: str) -> str:
    return "".join("_" if c.isspace() else c for c in label)
