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
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.io.columns import check_names
from shoal.io.location import is_uri
from shoal.io.trees.unfold import VALUE
from shoal.loss.trees.pair_loss import TreeDistance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.guarantees.guarantee import Guarantee
    from shoal.release.recipe.contents import Contents
    from shoal.release.recipe.sections import ColumnSpec, Input, Output

# Those of the method "auto": they move no node, so no place tells what is hidden. The first takes the better of both.
_IN_PLACE, _EVERYWHERE = "inplace", "ocs"
_SUFFIXES = (".parquet", ".jsonl")


class TreeDialect:
    """What a recipe may say of trees."""

    title = "trees"
    losses = (TreeDistance.name,)
    leaves_out = False
    can_be_seeded = False
    can_be_unsteered = False

    def default_method(self, guarantees: Sequence[Guarantee]) -> str:
        """Labels are left out in place where what may stand behind them can be counted."""
        counted = all(isinstance(promise, KMNAnonymity) and promise.n <= 1 for promise in guarantees)
        return _IN_PLACE if counted else _EVERYWHERE

    def loss(self, contents: Contents, method: str) -> str:
        """One for all methods."""
        return TreeDistance.name

    def can_protect(self, column: ColumnSpec) -> bool:
        """A single value of a record."""
        return column.role is Role.SENSITIVE

    def misuses(self, contents: Contents) -> list[str]:
        """Of classes of nodes where there are some, and of keys of trees where there are none."""
        nodes = {name: spec for name, spec in contents.columns.items() if spec.kind == "node"}
        if not nodes:
            return [*_only_of_trees(contents.columns, contents.input, contents.output)]
        return _node_problems(contents, nodes)

    def problems(self, contents: Contents) -> list[str]:
        """Where it is written, and keys that "auto" has for tables only: here they would be without effect."""
        problems = []
        if contents.output is not None and not contents.output.path.endswith(_SUFFIXES):
            problems.append(f"output.path: a release of trees ends in {' or '.join(_SUFFIXES)}.")
        if contents.method.name != "auto":
            return problems  # its keys were held against it already
        return problems + [
            f"method.{key}: is for tables. Of trees \"auto\" is '{_IN_PLACE}' or '{_EVERYWHERE}', which have no such key; leave it "
            "out, or name the method."
            for key in contents.method.options
        ]


def _node_problems(contents: Contents, nodes: Mapping[str, ColumnSpec]) -> list[str]:
    columns, output = contents.columns, contents.output
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
    if output is not None and output.tables and is_uri(output.path):
        problems.append("output.tables: tables are written here, beside the release; a URI has no place for them.")
    if contents.input is not None and (contents.input.table or contents.input.query):
        problems.append(
            "input.table: its rows are records of single values; trees are read from `tables` that keys tie."
        )
    if contents.missing == "refuse":
        problems.append("missing: 'refuse' cannot be kept for trees: what has no value is no node. Use 'value'.")
    if contents.loss.weights:
        problems.append("loss.weights: weights are of columns of single values; classes of nodes have none.")
    if contents.suppression.limit:
        problems.append(
            "suppression.limit: of trees no record is left out; values are, where nothing else helps. Leave [suppression] out."
        )
    return problems


def _only_of_trees(columns: Mapping[str, ColumnSpec], input_: Input | None, output: Output | None) -> Iterator[str]:
    rows = input_ is not None and (input_.table or input_.query)
    for key in ("tables", "record", "keys", "mapping", *(() if rows else ("url",))):
        if input_ is not None and getattr(input_, key):
            hint = (
                " Name the rows of the database by `table` or `query`."
                if key in ("tables", "url") and input_.url
                else ""
            )
            yield f'input.{key}: is for trees, and no quasi column has kind = "node".{hint}'
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
    paths = {}
    for name, spec in columns.items():
        try:
            paths[name] = FieldPath.of(spec.path or name)
        except ValueError:
            problems.append(f"columns.{name}: the name is no path of fields; give its `path`.")
    return paths
