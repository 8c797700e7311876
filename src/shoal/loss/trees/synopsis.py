"""All records laid upon each other: the synopsis tree of paper 000."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.trees.kept_relations import depths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.trees import Forest


class Synopsis(NamedTuple):
    """All paths of all records, each once; a path stands after the one above it."""

    parents: NDArray[np.int64]  # -1 below the root
    labels: NDArray[np.int64]
    depths: NDArray[np.int64]
    supports: NDArray[np.int64]  # records that have the path


def synopsis(forest: Forest) -> Synopsis:
    """The paper's synopsis tree, without its lists of records."""
    numbers, paths = trie(forest, forest.labels)
    records = np.repeat(forest.records, np.diff(forest.offsets))
    supports = np.bincount(numbers, weights=records, minlength=len(paths.labels)).astype(np.int64)
    return paths._replace(supports=supports)


def trie(forest: Forest, labels: NDArray[np.int32]) -> tuple[NDArray[np.int64], Synopsis]:
    """The number of each node's path, and the paths, shortest first; their supports are not counted. labels: of the nodes."""
    deep = depths(forest.offsets, forest.parents)
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    width = np.int64(labels.max(initial=0)) + 1
    numbers = np.empty(len(labels), np.int64)
    parents, called, depth_of, count = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for depth in range(1, int(deep.max(initial=0)) + 1):
        at = np.flatnonzero(deep == depth)
        above = numbers[begin[at] + forest.parents[at]] if depth > 1 else np.full(len(at), -1, np.int64)
        keys, inverse = np.unique((above + 1) * width + labels[at], return_inverse=True)
        numbers[at] = count + inverse
        parents.append(keys // width - 1)
        called.append(keys % width)
        depth_of.append(np.full(len(keys), depth, np.int64))
        count += len(keys)
    nothing = np.empty(0, np.int64)
    return numbers, Synopsis(np.concatenate(parents), np.concatenate(called), np.concatenate(depth_of), nothing)
