"""Mutation testing of the verifier: one small fault at a time, and whether the tests notice.

    python -m benchmarks.verifier.mutants [--of tables] [--piece 1/10] [--seconds 600] [--thorough] [--list]

Every file of a part of `shoal.verifier` is changed in one place: a comparison, `and` and `or`, `not`, a number, a sign, a truth
value, a returned value, or a word of SQL inside a text. The tests of the part are run on each mutant in a process of its own,
forked from one that has loaded everything but the verifier; a mutant is killed when a test fails, or when they do not end in time.
Mutants that cannot be told from the original are listed with the reason in EQUIVALENT, and are not made. Pieces are every nth
mutant in an order that is the same each time, so that all pieces together are all mutants. Prints one JSON object: mutants, killed,
survivors (file, line, what was changed) and how many were left for want of time; the exit code is 1 when one survived.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lib.places import PROJECT

SOURCE = PROJECT / "src"
TESTS = {  # part of the verifier → its units
    "tables": (
        "tests/unit/verifier/tables",
        "tests/unit/verifier/test_verify_release.py",
        "tests/unit/verifier/test_verify_matching.py",
    ),
}
SLOW = {  # what is asked of those that survive, with --thorough
    "tables": (
        "tests/properties/verifier/test_assignments_are_checked.py",
        "tests/properties/verifier/test_verify_against_originals.py",
        "tests/properties/verifier/test_verify_brute_force.py",
    ),
}
EQUIVALENT: dict[tuple[str, int, str], str] = {}  # (file, line, change) → why nobody could tell

_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult}
_SQL = (
    (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "), (" <> ", " = "), (" AND ", " OR "), (" OR ", " AND "),
    ("min(", "max("), ("max(", "min("), ("count(DISTINCT ", "count("), ("IS NOT NULL", "IS NULL"), ("LEFT JOIN", "JOIN"),
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    file: str  # below src
    line: int
    change: str
    tree: ast.Module

    @property
    def told(self) -> dict[str, object]:
        return {"file": self.file, "line": self.line, "change": self.change}


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every place that can be changed, each once for every way to change it."""
    text = path.read_text(encoding="utf-8")
    original = ast.parse(text)
    places = list(_places(original))
    for at, node in enumerate(places):
        for change, apply in _changes(node):
            tree = copy.deepcopy(original)
            apply(list(_places(tree))[at])
            name = str(path.relative_to(SOURCE))
            if (name, node.lineno, change) not in EQUIVALENT:
                yield Mutant(name, node.lineno, change, ast.fix_missing_locations(tree))


def _places(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes in which something happens: no annotations, docstrings, imports for types, or texts of errors."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "exc"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                continue
            if hasattr(child, "lineno"):
                yield child
            yield from _places(child)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    if isinstance(node, ast.Compare):
        old = type(node.ops[0])
        new = _COMPARISONS[old]
        yield f"{old.__name__} → {new.__name__}", lambda one: one.ops.__setitem__(0, new())
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
        yield "condition negated", lambda one: setattr(one, "test", ast.UnaryOp(ast.Not(), one.test))


def _constants(node: ast.Constant) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} → {not value}", lambda one: setattr(one, "value", not value)
    elif isinstance(value, int):
        yield f"{value} → {value + 1}", lambda one: setattr(one, "value", value + 1)
    elif isinstance(value, str):
        for old, new in _SQL:
            if old in value:
                changed = value.replace(old, new, 1)
                yield f"SQL: {old.strip()} → {new.strip()}", lambda one, changed=changed: setattr(one, "value", changed)


def _unwrap(node: ast.AST) -> None:
    """`not x` becomes `not not x`, which has the truth of x."""
    node.operand = ast.UnaryOp(ast.Not(), node.operand)  # type: ignore[attr-defined]


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) or _text(side) for side in (node.left, node.right))


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant in the place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.path = SOURCE / mutant.file
        self.name = mutant.file.removesuffix(".py").replace("/", ".")
        self.code = compile(mutant.tree, str(self.path), "exec")

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name != self.name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=str(self.path))

    def exec_module(self, module) -> None:  # type: ignore[no-untyped-def]
        module.__file__ = str(self.path)
        exec(self.code, module.__dict__)


def fails(tests: tuple[str, ...], mutant: Mutant | None, limit: float) -> bool:
    """Whether a test fails, or they do not end in time; in a process of its own."""
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if mutant is not None:
            loader = _Loader(mutant)
            sys.meta_path.insert(0, loader)
            # at once: pytest reads a package that has a plugin, as ours does, past all loaders. What cannot be loaded is dead
            try:
                importlib.import_module(loader.name)
            except Exception:
                os._exit(1)
        import pytest

        code = 1
        try:
            code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=ci", *tests]))
        finally:
            os._exit(code)
    status = None
    try:
        end = time.monotonic() + limit
        while status is None and time.monotonic() < end:
            done, ended = os.waitpid(child, os.WNOHANG)
            status = ended if done else None
            time.sleep(0 if done else 0.02)
    finally:  # also when this process is told to end
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return status != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=list(TESTS), default="tables", help="the part of the verifier")
    parser.add_argument("--file", default="", help="only files whose name has this in it")
    parser.add_argument("--piece", default="1/1", help="i/n: every nth mutant, from the ith")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after so many no further mutant is tried")
    parser.add_argument(
        "--thorough", action="store_true", help="run slow tests of properties on what survives the units"
    )
    parser.add_argument("--list", action="store_true", help="only say how many mutants there are, by file")
    options = parser.parse_args()
    which, pieces = (int(part) for part in options.piece.split("/"))
    if not 1 <= which <= pieces:
        parser.error("a piece is i/n, with i from 1 to n")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.chdir(PROJECT)
    sys.path[:0] = [str(SOURCE)]
    files = sorted((SOURCE / "shoal/verifier" / options.of).glob("*.py"))
    mutants = [mutant for file in files if options.file in file.name for mutant in mutants_of(file)]
    if options.list:
        print(json.dumps({"mutants": len(mutants), "equivalent": len(EQUIVALENT)}))
        return 0
    random.Random(1).shuffle(mutants)
    mutants = mutants[which - 1 :: pieces]
    for heavy in ("duckdb", "pyarrow", "pyarrow.parquet", "numpy", "pytest", "hypothesis", "pydantic"):
        importlib.import_module(heavy)
    started, tests = time.monotonic(), TESTS[options.of]
    if fails(tests, None, 600):
        print("The tests fail without any mutant; nothing can be learnt from them.", file=sys.stderr)
        return 2
    usual = time.monotonic() - started
    killed, survivors = 0, []
    for mutant in mutants:
        if time.monotonic() - started > options.seconds:
            break
        if fails(tests, mutant, 3 * usual + 10) or (options.thorough and fails(SLOW[options.of], mutant, 1800)):
            killed += 1
        else:
            survivors.append(mutant.told)
        print(f"{killed} killed, {len(survivors)} survived, of {len(mutants)}", end="\r", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    tried = killed + len(survivors)
    report = {
        "part": options.of,
        "piece": options.piece,
        "thorough": options.thorough,
        "mutants": len(mutants),
        "tried": tried,
        "killed": killed,
        "survivors": survivors,
        "left": len(mutants) - tried,
        "equivalent": len(EQUIVALENT),
        "seconds": round(time.monotonic() - started, 1),
    }
    print(json.dumps(report, indent=1))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
