"""How two columns hang together, in the original and in the release: a table of counts each. For the custodian only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.release.rehearsal.relabelling import plain, relabelled
from shoal.report.words import MISSING, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

MOST = 12  # rows and columns of a table of counts
COLUMNS = 10  # of which every two are crossed
_BINS = 8  # of numbers
OTHERS = "all others"


@dataclass(frozen=True)
class Grouped:
    """A column in few values: those that most records have, or ranges of numbers."""

    labels: tuple[str, ...]
    codes: NDArray[np.int64]  # (records,) places in labels


@dataclass(frozen=True)
class Counts:
    """`counts[i][j]`: records with the i-th value of the first column and the j-th of the second."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Crossed:
    """Two columns, before and after."""

    first: str
    second: str
    before: Counts | None
    after: Counts


def crossed(
    before: pa.Table | None, after: pa.Table, names: Sequence[str], book: Mapping[str, Mapping[str, Any]]
) -> tuple[Crossed, ...]:
    """Every two of the first few columns. before: None where it cannot be read again. book: of the codebook, by column."""
    names = [name for name in names if _single(after, name) and (before is None or _single(before, name))][:COLUMNS]
    old: dict[str, Grouped] = {}
    new: dict[str, Grouped] = {}
    for name in names:
        shown = plain(after.column(name))
        if before is None:
            new[name] = grouped(shown)
        else:
            old[name], new[name] = _both(before.column(name), shown, book.get(name))
    return tuple(
        Crossed(one, other, counted(old[one], old[other]) if old else None, counted(new[one], new[other]))
        for one, other in combinations(names, 2)
    )


def _both(before: pa.ChunkedArray, shown: pa.Array, entry: Mapping[str, Any] | None) -> tuple[Grouped, Grouped]:
    """With the same values, where the original can be told under the names of the release."""
    renamed = relabelled(before, entry)
    if renamed is None:
        return grouped(plain(before)), grouped(shown)
    together = grouped(pa.concat_arrays([renamed, shown]))
    cut = len(renamed)
    return Grouped(together.labels, together.codes[:cut]), Grouped(together.labels, together.codes[cut:])


def grouped(values: pa.Array) -> Grouped:
    """Of texts the most frequent ones; numbers with many values as ranges of equal width."""
    texts = values.dictionary_encode()
    labels = texts.dictionary.to_pylist()
    codes = np.asarray(pc.fill_null(texts.indices, len(labels)).to_numpy(zero_copy_only=False), dtype=np.int64)
    sizes = np.bincount(codes, minlength=len(labels) + 1)
    numbers = _numbers(labels) if len(labels) > MOST else None
    if numbers is not None:
        return _ranges(numbers, codes, has_missing=bool(sizes[-1]))
    frequent = sorted(range(len(labels)), key=lambda i: (-int(sizes[i]), labels[i]))
    kept = frequent if len(frequent) <= MOST else frequent[: MOST - 1]
    kept.sort(key=lambda i: _order(labels[i]))
    words = [labels[i] for i in kept]
    place = np.full(len(labels) + 1, len(kept), dtype=np.int64)
    place[kept] = np.arange(len(kept))
    if len(kept) < len(labels):
        words.append(OTHERS)
    place[-1] = len(words)
    return Grouped((*words, *([MISSING] if sizes[-1] else [])), place[codes])


def counted(first: Grouped, second: Grouped) -> Counts:
    """Records by both."""
    wide = max(len(second.labels), 1)
    flat = np.bincount(first.codes * wide + second.codes, minlength=len(first.labels) * wide)
    table = flat.reshape(-1, wide)
    return Counts(first.labels, second.labels, tuple(tuple(int(cell) for cell in row) for row in table))


def _ranges(numbers: NDArray[np.float64], codes: NDArray[np.int64], *, has_missing: bool) -> Grouped:
    edges = np.linspace(numbers.min(), numbers.max(), _BINS + 1)
    whole = bool(np.all(numbers == np.round(numbers)))
    if whole:
        edges = np.unique(np.floor(edges))
    bins = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    last = len(edges) - 2
    words = [
        f"{_figure(low)} to {'' if i == last else 'below '}{_figure(high)}"
        for i, (low, high) in enumerate(pairwise(edges))
    ]
    place = np.append(bins, len(words))
    return Grouped((*words, *([MISSING] if has_missing else [])), place[codes])


def _numbers(labels: Sequence[str]) -> NDArray[np.float64] | None:
    try:
        numbers = np.array([float(label) for label in labels])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() and numbers.min() < numbers.max() else None


def _order(label: str) -> tuple[int, float, str]:
    """Numbers, and ranges by where they begin, before words; what stands for anything last."""
    start = "".join(sign for sign in label.lstrip("[]<>=( ") if sign.isdigit() or sign in ".-").partition("-")
    try:
        return 0, float(start[0] or f"-{start[2]}"), label
    except ValueError:
        return (2 if label == "*" else 1), 0.0, label


def _figure(value: float) -> str:
    return number(int(value)) if float(value).is_integer() and abs(value) >= 10_000 else f"{value:g}"


def _single(table: pa.Table, name: str) -> bool:
    return name in table.column_names and not pa.types.is_nested(table.schema.field(name).type)
