"""The labels that classes show their items as, each once, whichever classes show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.recoding.mixed.clusters import ClassItems, set_label
from shoal.recoding.tables.recoded import ShownValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.mixed.item_mapping import ClassMapping, ItemDomain


def class_items(mappings: Sequence[ClassMapping], domain: ItemDomain, hierarchies: Sequence[Hierarchy]) -> ClassItems:
    """mappings: by class; hierarchies: of the families."""
    texts = [str(label) for h in hierarchies for label in h.labels[: h.leaf_count]]
    texts += [str(label) for h in hierarchies for label in h.labels[h.leaf_count :]]
    taken = frozenset(texts)
    known: dict[tuple[int, ...], int] = {}
    labels: list[str] = []
    shows: list[int] = []
    for mapping in mappings:
        own: dict[int, int] = {}  # node, or first item → number of the label
        for place, shown in enumerate(mapping.shows.tolist()):
            if shown not in own:
                leaves = tuple(domain.leaves_of(mapping, place).tolist())
                if leaves not in known:
                    known[leaves] = len(labels)
                    alone = domain.hierarchical or len(leaves) == 1
                    labels.append(texts[shown] if alone else set_label([texts[leaf] for leaf in leaves], taken))
                own[shown] = known[leaves]
            shows.append(own[shown])
    sizes = [len(leaves) for leaves in known]
    flat = np.fromiter((leaf for leaves in known for leaf in leaves), np.int32, sum(sizes))
    lengths = [len(mapping.items) for mapping in mappings]
    return ClassItems(
        np.cumsum([0, *lengths], dtype=np.int64),
        np.concatenate([np.empty(0, np.int32), *(mapping.items for mapping in mappings)]).astype(np.int32),
        np.array(shows, np.int32),
        ShownValues(tuple(labels), np.cumsum([0, *sizes], dtype=np.int64), flat),
        domain.family[[leaves[0] for leaves in known]] if known else np.empty(0, np.int32),
    )
