"""Every layer is sliced alike, and the kind of data is asked once per layer: a newcomer may rely on it when looking for a line."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
SLICES = ("tables", "sets", "mixed", "trees")
AFFIXES = {"table", "tables", "set", "sets", "itemset", "itemsets", "mixed", "tree", "trees"}
MAY_USE = {"mixed": {"tables", "sets"}}  # no other slice sees another
MOST_FILES = 25  # in a folder

# where the kind may be asked: the registry of each layer, and the schema, which answers
REGISTRIES = {
    "data/schema.py",
}
FILES = sorted(PACKAGE.rglob("*.py"))


def of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def slice_of(module: str) -> str | None:
    """shoal.loss.trees.rpd → trees; of what is common: None."""
    return next((part for part in module.split(".")[2:-1] if part in SLICES), None)


def module_of(path: Path) -> str:
    return ".".join(("shoal", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


MODULES = {module_of(path) for path in FILES}


def imported(path: Path) -> dict[str, str]:
    """Every name that a file imports from shoal, wherever in the file: name → module it comes from."""
    names = {}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "shoal":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                names[alias.asname or alias.name] = inner if inner in MODULES else node.module
        elif isinstance(node, ast.Import):
            names |= {a.asname or a.name: a.name for a in node.names if a.name.startswith("shoal.")}
    return names


def asks_for_the_kind(path: Path) -> list[str]:
    """Comparisons with the name of a kind; a class of a slice asked for outside it."""
    # a file may be a slice of its own: engines/driver/trees.py. About its own kind a slice may ask
    here, names, questions = slice_of(f"{module_of(path)}.x"), imported(path), []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Compare):
            constants = {
                c.value
                for side in (node.left, *node.comparators)
                for c in ast.walk(side)
                if isinstance(c, ast.Constant)
            }
            sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
            if (constants & set(SLICES)) - {here} and any(side.split(".")[-1].rstrip("()") == "kind" for side in sides):
                questions.append(f"{of(path)}:{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            classes = [n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)]
            kinds = (
                {slice_of(names[name]) for name in classes if name in names}
                - {None, here}
                - MAY_USE.get(str(here), set())
            )
            if kinds:
                questions.append(f"{of(path)}:{node.lineno}: {ast.unparse(node)}")
    return questions


def test_the_kind_is_asked_in_registries_only():
    questions = [question for path in FILES if of(path) not in REGISTRIES for question in asks_for_the_kind(path)]
    assert not questions, "\n".join(["ask the registry of the layer instead:", *questions])


def test_no_file_name_carries_a_kind():
    """The folder says it. A name that is a kind and nothing else is a noun: data/trees.py."""
    names = [
        of(path)
        for path in FILES
        for parts in [path.stem.split("_")]
        if len(parts) > 1 and {parts[0], parts[-1]} & AFFIXES
    ]
    assert not names


def test_slices_do_not_see_each_other():
    seen = []
    for path in FILES:
        here = slice_of(module_of(path))
        if here is not None:
            others = {module: slice_of(f"{module}.x") for module in imported(path).values()}
            allowed = {None, here, *MAY_USE.get(here, ())}
            seen += [f"{of(path)} imports {module}" for module, other in others.items() if other not in allowed]
    assert not seen, "\n".join(seen)


def test_spark_does_not_import_the_local_engine():
    for path in (PACKAGE / "engines" / "spark").rglob("*.py"):
        assert not [m for m in imported(path).values() if m.startswith("shoal.engines.local")], of(path)


def test_a_folder_is_small_enough_to_look_through():
    sizes = Counter(path.parent for path in FILES if path.name != "__init__.py")
    assert {of(folder): size for folder, size in sizes.items() if size > MOST_FILES} == {}


def test_a_file_of_tests_has_a_name_of_its_own():
    """pytest imports them by their names alone: of two that are called alike, the second is not run."""
    names = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name, files in names.items() if files > 1] == []


@pytest.mark.parametrize("name", [name for name in shoal.__all__ if not name.startswith("__")])
def test_every_public_name_says_what_it_is(name):
    """And so does everything public that hangs on it."""
    value = getattr(shoal, name)
    assert inspect.getdoc(value), name
    if inspect.isclass(value) and value.__module__.startswith("shoal"):
        for member, inner in vars(value).items():
            if not member.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property | classmethod)):
                assert inspect.getdoc(inner), f"{name}.{member}"
