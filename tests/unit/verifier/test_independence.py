"""The verifier shares no code with what it judges."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shoal

FOLDER = Path(shoal.__file__).parent / "verifier"
FILES = sorted(FOLDER.rglob("*.py"))
ALLOWED = {
    "shoal.errors",
    "shoal.system",
    "shoal.data.schema",
    "shoal.data.trees",
    "shoal.hierarchies.hierarchy",
    "shoal.guarantees.guarantee",
    "shoal.verifier",
}


def imported(file: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name}: a relative import hides where it leads"
            module = node.module or ""
            modules |= {f"shoal.{alias.name}" for alias in node.names} if module == "shoal" else {module}
    return modules


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_imports_nothing_of_the_makers(file: Path) -> None:
    ours = {module for module in imported(file) if module.split(".")[0] == "shoal"}
    foreign = {module for module in ours if module not in ALLOWED and not module.startswith("shoal.verifier.")}
    assert not foreign


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_asks_no_guarantee_for_its_opinion(file: Path) -> None:
    """`failing` is the test the search uses; the verifier counts for itself."""
    tree = ast.parse(file.read_text("utf-8"))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert "failing" not in used | texts
    assert not used & {"import_module", "__import__"}


def test_there_is_one_file_per_guarantee() -> None:
    assert {"k_anonymity.py", "l_diversity.py", "t_closeness.py", "km.py", "lm.py"} <= {file.name for file in FILES}
