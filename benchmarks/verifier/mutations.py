"""Small faults, one at a time: every place of a file that can be changed, each once for every way to change it.

What is changed: a comparison, `and` and `or`, `not`, a number, a sign, a truth value, a returned value, a condition, or a word of
SQL inside a text. A mutant is named by its file, function, line of source and change, so that it keeps its name when lines move.
Mutants of a part are ordered by the digest of their names, so that the first so many of them are a random sample, always the same.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult}
_SQL = (
    (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "), (" <> ", " = "), (" AND ", " OR "), (" OR ", " AND "),
    ("min(", "max("), ("max(", "min("), ("count(DISTINCT ", "count("), ("IS NOT NULL", "IS NULL"), ("LEFT JOIN", "JOIN"),
)  # fmt: skip
_SAID = ("annotation", "returns", "decorator_list", "exc")  # types, and texts of errors
_DEFAULTS = ("defaults", "kw_defaults")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Change = tuple[str, Callable[[ast.AST], None]]


@dataclass(frozen=True)
class Mutant:
    path: Path
    file: str  # below src
    line: int
    scope: str  # qualified name of the function or class, nothing at the top
    in_function: bool
    source: str  # the line, without its margin
    change: str
    at: int  # which place of the file
    which: int  # which change of this place
    nth: int  # of those that would have the same name

    @property
    def name(self) -> str:
        again = f" #{self.nth}" if self.nth > 1 else ""
        return f"{self.file} {self.scope or 'top'}: `{self.source}` [{self.change}]{again}"

    @cached_property
    def digest(self) -> str:
        return sha256(self.name.encode()).hexdigest()[:16]

    def tree(self) -> ast.Module:
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        node = list(_places(tree))[self.at][0]
        list(_changes(node))[self.which][1](node)
        return ast.fix_missing_locations(tree)


def mutants_of(path: Path, below: Path) -> Iterator[Mutant]:
    text = path.read_text(encoding="utf-8")
    lines, seen = text.splitlines(), Counter[tuple[str, str, str]]()
    for at, (node, scope, inside) in enumerate(_places(ast.parse(text))):
        for which, (change, _) in enumerate(_changes(node)):
            line = node.lineno  # type: ignore[attr-defined]
            source = lines[line - 1].strip()
            seen[scope, source, change] += 1
            nth = seen[scope, source, change]
            yield Mutant(path, str(path.relative_to(below)), line, scope, inside, source, change, at, which, nth)


def _places(node: ast.AST, scope: str = "", inside: bool = False) -> Iterator[tuple[ast.AST, str, bool]]:
    """Nodes in which something happens, each with where it stands, and whether a function has to be called for it."""
    for name, value in ast.iter_fields(node):
        if name in _SAID:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_said(child):
                continue
            within, called = scope, inside and name not in _DEFAULTS
            if isinstance(child, _SCOPES):
                joint = ".<locals>." if inside else "."
                within = f"{scope}{joint}{child.name}" if scope else child.name
                called = inside or not isinstance(child, ast.ClassDef)
            if hasattr(child, "lineno"):
                yield child, within, called
            yield from _places(child, within, called)


def _is_said(node: ast.AST) -> bool:
    """Docstrings, and imports for types."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        old = type(node.ops[0])
        new = _COMPARISONS[old]
        yield f"{old.__name__} → {new.__name__}", lambda one: one.ops.__setitem__(0, new())  # type: ignore[attr-defined]
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{type(node.op).__name__} → {other.__name__}", lambda one: setattr(one, "op", other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not removed", _unwrap
    elif isinstance(node, ast.BinOp) and type(node.op) in _SIGNS and not _is_text(node):
        sign = _SIGNS[type(node.op)]
        yield f"{type(node.op).__name__} → {sign.__name__}", lambda one: setattr(one, "op", sign())
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "returns nothing", lambda one: setattr(one, "value", ast.Constant(None))
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition negated", lambda one: setattr(one, "test", ast.UnaryOp(ast.Not(), one.test))  # type: ignore[attr-defined]


def _constants(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} → {not value}", lambda one: setattr(one, "value", not value)
    elif isinstance(value, int):
        yield f"{value} → {value + 1}", lambda one: setattr(one, "value", value + 1)
    elif isinstance(value, str):
        for old, new in _SQL:
            if old in value:
                changed = value.replace(old, new, 1)
                yield f"SQL: {old.strip()} → {new.strip()}", lambda one, changed=changed: setattr(one, "value", changed)  # type: ignore[misc]


def _unwrap(node: ast.AST) -> None:
    """`not x` becomes `not not x`, which has the truth of x."""
    node.operand = ast.UnaryOp(ast.Not(), node.operand)  # type: ignore[attr-defined]


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) or _text(side) for side in (node.left, node.right))


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
