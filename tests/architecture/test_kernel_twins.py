"""Every kernel is held against a plain twin: some test of kernels or properties imports it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shoal.kernels

KERNELS = Path(shoal.kernels.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
MODULES = {
    ".".join(("shoal.kernels", *path.relative_to(KERNELS).with_suffix("").parts))
    for path in KERNELS.rglob("*.py")
    if path.name != "__init__.py"
}


def imported(path: Path) -> set[str]:
    """Modules and names below `shoal.kernels` that a file imports."""
    made: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shoal.kernels"):
            made |= {str(node.module), *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            made |= {name.name for name in node.names}
    return made


@pytest.fixture(scope="module")
def tested() -> set[str]:
    files = [path for folder in ("unit/kernels", "properties") for path in (TESTS / folder).rglob("test_*.py")]
    return set().union(*map(imported, files))


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_test_imports_it(module: str, tested: set[str]) -> None:
    assert module in tested, f"{module} has no test in tests/unit/kernels or tests/properties"
