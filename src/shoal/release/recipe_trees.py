"""What a recipe may say of trees: records in which values hang below one another.

A quasi column of kind "node" is a class of nodes. Where there is one, all are: who knows a node and its place in the tree knows
more than the values of a row, and no promise here speaks of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.lookalikes import appearance
from shoal.data.paths import FieldPath
from shoal.data.schema import Role
from shoal.data.trees import TREE
from shoal.errors import DataError, did_you_mean
from shoal.io.columns import check_names
from shoal.io.location import is_uri
from shoal.io.trees.keys import Key
from shoal.io.trees.unfold import VALUE
from shoal.io.trees.urls import url_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shoal.release.sections import ColumnSpec, Input, LossSpec, Output

METHOD_FOR_TREES = "ocs"  # that of the method "auto": it moves no node, so no place tells what is hidden
LOSSES_FOR_TREES = ("tree-loss",)
SUFFIXES_FOR_TREES = (".parquet", ".jsonl")


def tree_problems(
    columns: Mapping[str, ColumnSpec],
    input_: Input | None,
    output: Output | None,
    loss: LossSpec,
    missing: str,
    *,
    limit: float,
    is_trees: bool,
) -> list[str]:
    """Mistakes between the sections of a recipe that have to do with trees. limit: the fraction of records that may be left out."""
    nodes = {name: spec for name, spec in columns.items() if spec.kind == "node"}
    if not nodes:
        return [*_only_of_trees(columns, input_, output)]
    problems = [
        f"columns.{name}.role: a column of kind \"node\" has the role 'quasi'; '{spec.role}' is for single values of a record "
        "(without `kind`)" + (", or for what is removed." if spec.role is not Role.IDENTIFYING else ".")
        for name, spec in nodes.items()
        if spec.role is not Role.QUASI
    ]
    problems += [
        f"columns.{name}.kind: where one quasi column is a class of nodes (kind = \"node\"), all are; '{name}' is not."
        for name, spec in columns.items()
        if spec.role is Role.QUASI and spec.kind != "node"
    ]
    problems += [
        f'columns.{name}.kind: a column that is not quasi needs no kind here; "set" is for tables.'
        for name, spec in columns.items()
        if spec.role is not Role.QUASI and spec.kind == "set"
    ]
    problems += [
        f"columns.{name}.parent: only classes of nodes hang below one another."
        for name, spec in columns.items()
        if spec.parent is not None and spec.kind != "node"
    ]
    problems += [
        f"columns.{name}.negated: is for classes of nodes (kind = \"node\"); '{name}' is none."
        for name, spec in columns.items()
        if spec.negated and spec.kind != "node"
    ]
    paths = _paths(columns, problems)
    problems += [*_parent_problems(nodes, paths), *_path_problems(columns, paths), *_name_problems(columns)]
    if output is not None and is_trees and not output.path.endswith(SUFFIXES_FOR_TREES):
        problems.append(f"output.path: a release of trees ends in {' or '.join(SUFFIXES_FOR_TREES)}.")
    if output is not None and output.tables and is_uri(output.path):
        problems.append("output.tables: tables are written here, beside the release; a URI has no place for them.")
    if missing == "refuse":
        problems.append("missing: 'refuse' cannot be kept for trees: what has no value is no node. Use 'value'.")
    if loss.weights:
        problems.append("loss.weights: weights are of columns of single values; classes of nodes have none.")
    if limit:
        problems.append(
            "suppression.limit: of trees no record is left out; values are, where nothing else helps. Leave [suppression] out."
        )
    return problems


def method_problems(method: str, options: Iterable[str]) -> list[str]:
    """Keys that "auto" has for tables only: here they would be without effect."""
    if method != "auto":
        return []  # its keys were held against it already
    return [
        f"method.{key}: is for tables. Of trees \"auto\" is '{METHOD_FOR_TREES}', which has no such key; leave it out, or name "
        "the method."
        for key in options
    ]


def input_problems(spec: Input) -> list[str]:
    """Mistakes within [input]: a file, tables with keys, or a database."""
    given = [key for key, value in (("path", spec.path), ("tables", spec.tables), ("url", spec.url)) if value]
    if not given:
        return ["input.path: must be given; or, of trees, `tables` or `url`."]
    of_tables = not spec.path
    problems = (
        []
        if of_tables or len(given) == 1
        else ["input.path: is given beside `tables` or `url`; data comes from one place."]
    )
    if of_tables:
        if not spec.tables:
            problems.append(
                'input.tables: must be given with `url`: the tables that make up a record, ["customer", "orders"].'
            )
        elif not spec.url and isinstance(spec.tables, list):
            problems.append(
                'input.tables: names a file for each table: { customer = "customer.parquet", orders = "orders.csv" }.'
            )
        if isinstance(spec.tables, list) and len(set(spec.tables)) < len(spec.tables):
            problems.append(
                'input.tables: a table is named twice; give it a second name: { nation = "nation", home = "nation" }.'
            )
        if not spec.record:
            problems.append("input.record: must be given: the table that has one row for each person.")
        if spec.mapping:
            problems.append("input.mapping: is for FHIR files, not for tables.")
    elif spec.keys:
        problems.append("input.keys: tie tables together, and `path` is one file or folder.")
    if spec.url:
        problems += url_problems(spec.url)
    for number, key in enumerate(spec.keys):
        try:
            Key.of(key)
        except ValueError as mistake:
            problems.append(f"input.keys.{number}: {mistake}")
    return problems


def _only_of_trees(columns: Mapping[str, ColumnSpec], input_: Input | None, output: Output | None) -> Iterator[str]:
    for key in ("tables", "url", "record", "keys", "mapping"):
        if input_ is not None and getattr(input_, key):
            yield f'input.{key}: is for trees, and no quasi column has kind = "node".'
    for name, spec in columns.items():
        for key, given in (
            ("path", bool(spec.path)),
            ("parent", spec.parent is not None),
            ("negated", bool(spec.negated)),
        ):
            if given:
                yield f'columns.{name}.{key}: is for trees, and no quasi column has kind = "node".'
    if output is not None and output.tables:
        yield 'output.tables: is for trees, and no quasi column has kind = "node".'
    if output is not None and output.path.endswith(".jsonl"):
        yield 'output.path: JSON lines (.jsonl) hold trees, and no quasi column has kind = "node".'


def _parent_problems(nodes: Mapping[str, ColumnSpec], paths: Mapping[str, FieldPath]) -> Iterator[str]:
    quasi = [name for name, spec in nodes.items() if spec.role is Role.QUASI]
    for name, spec in nodes.items():
        if spec.parent is None:
            continue
        if spec.parent not in quasi:
            others = [one for one in quasi if one != name]
            yield f"columns.{name}.parent: there is no class of nodes '{spec.parent}'.{did_you_mean(spec.parent, others)}"
            continue
        if _in_circle(name, nodes):
            yield f"columns.{name}.parent: the parents go round in a circle; some class must hang below the root."
        if name not in paths or spec.parent not in paths:
            continue
        above, mine = paths[spec.parent].scope, paths[name].scope
        if mine[: len(above)] != above:
            yield (
                f"columns.{name}.parent: '{spec.parent}' lies in another list, so which of its nodes is above one of '{name}' "
                "cannot be told; the lists of a class begin with those of its parent."
            )


def _in_circle(name: str, nodes: Mapping[str, ColumnSpec]) -> bool:
    """Whether the class is its own ancestor; those that only hang below a circle are not told again."""
    seen: set[str] = set()
    at = nodes[name].parent
    while at is not None and at in nodes and at not in seen:
        if at == name:
            return True
        seen.add(at)
        at = nodes[at].parent
    return False


def _path_problems(columns: Mapping[str, ColumnSpec], paths: Mapping[str, FieldPath]) -> Iterator[str]:
    first: dict[FieldPath, str] = {}
    for name, path in paths.items():
        spec = columns[name]
        if path in first:
            yield f"columns.{name}.path: '{first[path]}' has the same path; a value belongs to one column."
        first.setdefault(path, name)
        if spec.role in (Role.SENSITIVE, Role.PLAIN) and spec.kind != "node" and path.scope:
            yield (
                f"columns.{name}.path: a column with the role '{spec.role}' holds one value of each record, and this path goes "
                "through a list."
            )
    values = {path: name for path, name in first.items() if columns[name].role is not Role.IDENTIFYING}
    for path, name in values.items():
        for other, below in values.items():
            if path != other and path.covers(other):
                yield f"columns.{below}.path: lies below the path of '{name}', which is a single value."


def _name_problems(columns: Mapping[str, ColumnSpec]) -> Iterator[str]:
    published = [name for name, spec in columns.items() if spec.role is not Role.IDENTIFYING]
    try:
        check_names(published, "columns")
    except DataError:
        yield (
            "columns: the names of published columns must be told apart by eye and in SQL: no two that differ only in case or look "
            "alike, none empty, padded or with unseen characters."
        )
    for name in published:
        spec = columns[name]
        looks = appearance(name).casefold()
        if spec.kind == "node" and looks == VALUE:
            yield f"columns.{name}: a published node has a field of this name; call the class something else."
        if spec.kind != "node" and looks == TREE:
            yield f"columns.{name}: this name is taken; call the column something else, and give its `path`."


def _paths(columns: Mapping[str, ColumnSpec], problems: list[str]) -> dict[str, FieldPath]:
    made = {}
    for name, spec in columns.items():
        try:
            made[name] = FieldPath.of(spec.path or name)
        except ValueError:
            problems.append(f"columns.{name}: the name is no path of fields; give its `path`.")
    return made
