"""What one operating system has and another has not is named in `system/` alone, and both sides of it have the same functions."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "src" / "shoal"
LACKING = runpy.run_path(str(PROJECT / "tests" / "surroundings" / "windows_like" / "posix_names.py"))
POSIX = {"os": LACKING["OS"], "signal": LACKING["SIGNAL"]}
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE / "system"]


def foreign(source: str) -> list[str]:
    """What a file names that not every system has."""
    seen = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules = [name.name.partition(".")[0] for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [(node.module or "").partition(".")[0]]
            seen += [f"{modules[0]}.{name.name}" for name in node.names if name.name in POSIX.get(modules[0], ())]
        else:
            modules = []
        seen += [name for name in modules if name in LACKING["MODULES"] | LACKING["WINDOWS_MODULES"]]
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.attr in POSIX.get(node.value.id, ()):
                seen.append(f"{node.value.id}.{node.attr}")
            if node.attr in LACKING["WINDOWS_NAMES"] or ast.unparse(node) in (
                "sys.platform",
                "os.name",
                "sys.getwindowsversion",
            ):
                seen.append(ast.unparse(node))
        if isinstance(node, ast.keyword) and node.arg in LACKING["ARGUMENTS"]:
            seen.append(f"{node.arg}=")
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.startswith(("/dev/", "/proc/", "/sys/"))
        ):
            seen.append(node.value)
    return seen


def test_no_file_names_what_one_system_has_alone() -> None:
    named = {path.relative_to(PACKAGE).as_posix(): foreign(path.read_text(encoding="utf-8")) for path in FILES}
    assert {name: what for name, what in named.items() if what} == {}


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import fcntl", "fcntl"),
        ("def f():\n    import resource", "resource"),
        ("from os import geteuid", "os.geteuid"),
        ("import os\nos.open(p, os.O_RDONLY | os.O_NOFOLLOW)", "os.O_NOFOLLOW"),
        ("os.kill(1, signal.SIGKILL)", "signal.SIGKILL"),
        ("Popen(a, start_new_session=True)", "start_new_session="),
        ("open('/proc/self/status')", "/proc/self/status"),
        ("import msvcrt", "msvcrt"),
        ("if sys.platform == 'win32': pass", "sys.platform"),
    ],
)
def test_the_check_sees_it(source: str, what: str) -> None:
    assert what in foreign(source)


def _signatures(name: str) -> dict[str, str]:
    tree = ast.parse((PACKAGE / "system" / f"{name}.py").read_text(encoding="utf-8"))
    kept = {
        one.name: ast.unparse(one.args) + str(one.returns and ast.unparse(one.returns))
        for one in tree.body
        if isinstance(one, ast.FunctionDef)
    }
    for one in tree.body:
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        kept |= {target.id: "" for target in targets if isinstance(target, ast.Name)}
    return {key: value for key, value in kept.items() if not key.startswith("_")}


def test_both_systems_have_the_same_functions() -> None:
    posix, windows = _signatures("posix"), _signatures("windows")
    assert posix == windows
    import shoal.system

    assert set(shoal.system.__all__) == set(posix)
