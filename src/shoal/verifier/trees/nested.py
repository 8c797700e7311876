"""Lists of structs within structs, unfolded to nodes: whole columns at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError
from shoal.verifier.finding import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.trees.nodes import Nodes
    from shoal.verifier.trees.shape import TreeShape

VALUE = "value"


def check_form(what: str, kind: Any, shape: TreeShape, name: str, above: tuple[str, ...] = ()) -> None:
    """Refuse a column that is not a list of nodes of this class, as they are published."""
    import pyarrow as pa

    place = ".".join((*above, name))
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)) or not pa.types.is_struct(kind.value_type):
        raise DataError(f"{what}: '{place}' is not a list of nodes (structs with `{VALUE}`).")
    fields = [kind.value_type.field(i) for i in range(kind.value_type.num_fields)]
    names, expected = [field.name for field in fields], {VALUE, *shape.under(name)}
    if len(set(names)) < len(names):
        raise DataError(f"{what}: '{place}' has two fields of one name.")
    if set(names) != expected:
        lacking, unknown = sorted(expected - set(names)), sorted(set(names) - expected)
        faults = [
            f"{word} {', '.join(map(repr, some))}" for word, some in (("lacks", lacking), ("has", unknown)) if some
        ]
        listed = ", ".join(f"'{one}'" for one in (VALUE, *shape.under(name)))
        raise DataError(f"{what}: a node of '{place}' {' and '.join(faults)}; its fields must be {listed}.")
    for field in fields:
        if field.name != VALUE:
            check_form(what, field.type, shape, field.name, (*above, name))
        elif not _is_text(field.type):
            raise DataError(f"{what}: '{place}.{VALUE}' has the type {field.type}; values are texts.")


def unfold(what: str, batch: pa.RecordBatch, classes: Sequence[str], nodes: Nodes, first: int) -> None:
    """Add the nodes of a batch, whose columns have been checked. first: the number of its first record."""
    records = np.arange(first, first + batch.num_rows, dtype=np.int64)
    root = np.full(batch.num_rows, -1, np.int64)
    for name in classes:
        _walk(what, batch.column(name), name, nodes, records, root)


def _walk(
    what: str,
    lists: Any,
    name: str,
    nodes: Nodes,
    record: NDArray[np.int64],
    above: NDArray[np.int64],
) -> None:
    """lists: (nodes above,) of the nodes of one class; record and above: of the nodes above, their record and number."""
    _none_missing(what, name, "list", lists)
    lengths = np.diff(lists.offsets.to_numpy()).astype(np.int64)
    structs = lists.flatten()
    _none_missing(what, name, "node", structs)
    fields = dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))
    number = nodes.shape.names.index(name)
    word = _words(what, name, fields[VALUE], nodes.words[number])
    record, parent = np.repeat(record, lengths), np.repeat(above, lengths)
    mine = nodes.add(record, number, word, parent)
    for below in nodes.shape.under(name):
        _walk(what, fields[below], below, nodes, record, mine)


def _words(what: str, name: str, values: Any, words: dict[str, int]) -> NDArray[np.int64]:
    import pyarrow as pa

    _none_missing(what, name, "value", values)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    coded = values.dictionary_encode()
    texts = coded.dictionary.to_pylist()
    if "" in texts:
        raise DataError(f"{what}: class '{name}' has a value that is an empty text.")
    numbers = np.array([words.setdefault(text, len(words)) for text in texts], np.int64)
    return numbers[coded.indices.to_numpy(zero_copy_only=False)] if len(values) else np.zeros(0, np.int64)


def _none_missing(what: str, name: str, noun: str, values: Any) -> None:
    if values.null_count:
        raise DataError(f"{what}: class '{name}': {counted(values.null_count, noun)} missing; none may be.")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
