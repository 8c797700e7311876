"""Kinds of data do not see each other in the layers that make a release: only mixed tables build on tables and sets."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
LAYERS = ("kernels", "data", "hierarchies", "guarantees", "recoding", "io", "engines", "loss", "methods", "attacks")
SLICES = frozenset({"tables", "sets", "mixed", "trees"})
MAY_SEE = {"mixed": {"tables", "sets"}}


def slice_of(module: str) -> str | None:
    """Of a module of one of the layers: the kind it speaks of; None of what several kinds use."""
    return next((part for part in module.split(".")[2:] if part in SLICES), None)


def name_of(path: Path) -> str:
    return ".".join(("shoal", *path.relative_to(PACKAGE).with_suffix("").parts))


def targets(tree: ast.Module) -> set[str]:
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("shoal."):
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return named


@pytest.mark.parametrize("layer", LAYERS)
def test_no_kind_sees_another(layer):
    broken = []
    for path in (PACKAGE / layer).rglob("*.py"):
        name = name_of(path)
        own = slice_of(name)
        if own is None:
            continue
        for target in targets(ast.parse(path.read_text(encoding="utf-8"))):
            other = slice_of(target)
            layer_of_target = target.split(".")[1]
            if layer_of_target in LAYERS and other not in (None, own, *MAY_SEE.get(own, ())):
                broken.append(f"{name} → {target}")
    assert not broken, broken


def test_slices_are_found():
    assert slice_of("shoal.methods.trees.gcs") == "trees"
    assert slice_of("shoal.engines.local.sets") == "sets"
    assert slice_of("shoal.methods.method") is None
    for layer in ("kernels", "recoding", "loss", "methods", "attacks"):
        assert {slice_of(name_of(path)) for path in (PACKAGE / layer).rglob("*.py")} == {None, *SLICES}, layer
