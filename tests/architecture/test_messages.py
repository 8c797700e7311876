"""Messages are for people: no name of a class of the code stands in a text that could be printed."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "shoal"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
LOSSES = re.compile(r"[A-Z]{2,3}")  # NCP, DM: also how the field calls them


def _classes() -> set[str]:
    names = {node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return {name for name in names if re.search(r"[A-Z].*[A-Z]", name) and not LOSSES.fullmatch(name)}


def _docstrings(tree: ast.AST) -> set[int]:
    bodies = (getattr(node, "body", None) for node in ast.walk(tree))
    lines = (line for body in bodies if isinstance(body, list) for line in body if isinstance(line, ast.Expr))
    return {id(line.value) for line in lines if isinstance(line.value, ast.Constant)}


def _texts(tree: ast.AST) -> list[tuple[int, str]]:
    """Sentences: texts with a blank in them that are no docstrings."""
    docs = _docstrings(tree)
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs)
    return [(node.lineno, node.value) for node in constants if isinstance(node.value, str) and " " in node.value]


def test_no_class_of_the_code_is_named_in_a_message() -> None:
    classes = _classes()
    assert {"KAnonymity", "ReleasedFile"} <= classes
    named = [
        f"{path.relative_to(SOURCE)}:{line}: {word}"
        for path, tree in TREES.items()
        for line, text in _texts(tree)
        for word in re.findall(r"\b[A-Za-z]\w+\b", text)
        if word in classes and not text.startswith("InternalError:")  # the form in which workers hand errors on
    ]
    assert named == []


def test_a_parameter_belongs_to_something_a_user_can_name() -> None:
    """'`k` of KAnonymity' and '`gap` of Search' alike, also where the name is one word."""
    spoken = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path, tree in TREES.items()
        for line, text in _texts(tree)
        if re.search(r"` of [A-Z][a-z]", text)
    ]
    assert spoken == []


def test_no_guarantee_speaks_of_its_class() -> None:
    from shoal.guarantees import GUARANTEES

    for guarantee in GUARANTEES.values():
        values = dict.fromkeys((field.name for field in fields(guarantee)), -1)
        try:
            guarantee(**values)
        except ValueError as mistake:
            assert guarantee.__name__ not in str(mistake) and f"of {guarantee.name} must" in str(mistake)
        else:
            raise AssertionError(f"{guarantee.name} takes nonsense")
