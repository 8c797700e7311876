"""No module of the package leads back to itself. Imports for types only, and those within functions, count like any others."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import shoal

PACKAGE = Path(shoal.__file__).parent


def module(path: Path) -> str:
    parts = ("shoal", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> dict[str, set[str]]:
    """Each module with those it names in an import. `from package import module` names the module."""
    trees = {module(path): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    named: dict[str, set[str]] = {}
    for name, tree in trees.items():
        targets = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name} imports by a relative name"
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                targets |= {one if one in trees else str(node.module) for one in inner}
        named[name] = (targets & trees.keys()) - {name}
    return named


def components(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The strongly connected components of more than one module."""

    def reached(start: str, edges: dict[str, set[str]]) -> set[str]:
        seen, waiting = {start}, [start]
        while waiting:
            for other in edges[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        return seen

    back: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets:
            back[target].add(name)
    left, cycles = set(graph), set()
    while left:
        start = min(left)
        together = reached(start, graph) & reached(start, back)
        left -= together
        if len(together) > 1:
            cycles.add(frozenset(together))
    return cycles


def test_a_cycle_is_found():
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set(), "e": {"a"}}
    assert components(graph) == {frozenset({"a", "b", "c"})}


def test_no_module_leads_back_to_itself():
    cycles = components(imports())
    assert not cycles, sorted(map(sorted, cycles))
