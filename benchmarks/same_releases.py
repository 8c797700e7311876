"""Whether two versions of shoal release the same: every example recipe, and every method on the made-up data of its kind.

    python -m benchmarks.same_releases > before.json                      in the one version
    python -m benchmarks.same_releases --against before.json              in the other

Prints one JSON object: of each case the SHA-256 of the published file where the method is reproducible (two runs in a row published
the same bytes), and always loss, verdict and numbers of records. With `--against` the cases that differ, and exit code 1 if there
are some. It imports nothing below the public names, so that it runs against any version.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import shoal
from benchmarks.lib.places import PROJECT, SHARED

EXAMPLES = {  # what `shoal example` writes, and the methods that go with its promises
    "table": ("optimal", "frontier", "poka", "mstk", "mondrian", "incognito", "cluster", "auto"),
    "baskets": ("apriori", "nonreciprocal", "gray-tsp", "cahd"),
    "patients": ("rum-bound", "tum-bound", "rfirst", "tfirst"),
    "trees": ("ocs", "gcs", "acs", "tree-cluster"),
}
TIMED = ("auto",)  # searches until a budget is used up: only the verdict can be compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    chosen = parser.parse_args()
    started = time.monotonic()
    cases = {}
    with TemporaryDirectory() as folder:
        for name, recipe in sorted(_recipes(Path(folder)).items()):
            if chosen.only in name:
                print(name, file=sys.stderr)
                cases[name] = _outcome(recipe)
    result: dict[str, Any] = {
        "version": shoal.__version__,
        "seconds": round(time.monotonic() - started),
        "cases": cases,
    }
    if chosen.against:
        before = json.loads(chosen.against.read_text())["cases"]
        result["differ"] = [name for name in cases.keys() | before.keys() if cases.get(name) != before.get(name)]
        result["equal"] = len(cases) - len(result["differ"])
    print(json.dumps(result, indent=1))
    sys.exit(bool(result.get("differ")))


def _recipes(folder: Path) -> dict[str, Path]:
    """Every recipe, each writing into a folder of its own."""
    recipes = {}
    for path in sorted((PROJECT / "examples").rglob("*.toml")):
        if SHARED.is_dir():
            recipes[f"examples/{path.relative_to(PROJECT / 'examples')}"] = _placed(path, folder)
    for kind, methods in EXAMPLES.items():
        home = folder / kind
        command = [sys.executable, "-c", "from shoal.cli import main; main()", "example", kind, str(home)]
        subprocess.run(command, check=True, capture_output=True)
        text = (home / "recipe.toml").read_text()
        for method in methods:
            copy = home / f"{method}.toml"
            copy.write_text(_with_method(text, method))
            recipes[f"{kind}/{method}"] = copy
    return recipes


def _placed(path: Path, folder: Path) -> Path:
    """The recipe with its output in our folder, and paths of its input that hold from there."""
    text = path.read_text()
    name = "-".join(path.relative_to(PROJECT / "examples").with_suffix("").parts)
    copy = folder / f"{name}.toml"
    here = path.parent

    def moved(found: re.Match[str]) -> str:
        place = here / found[1]
        return f'"{place.resolve()}"' if place.exists() else found[0]

    text = re.sub(r'"([^"\n]+)"', moved, text)
    text = re.sub(
        r'(\[output\][^\[]*?path\s*=\s*")[^"]*?([^/"]+)"', rf"\g<1>{folder / name}-\g<2>" + '"', text, flags=re.S
    )
    copy.write_text(text)
    return copy


def _with_method(text: str, method: str) -> str:
    """The recipe with another method, without keys of the one it named."""
    without = re.sub(r"\n\[method\][^\[]*", "\n", text)
    return f'{without}\n[method]\nname = "{method}"\n'


def _outcome(recipe: Path) -> dict[str, Any]:
    first = _run(recipe)
    if "refused" in first or recipe.stem in TIMED or 'name = "auto"' in recipe.read_text():
        return {key: first[key] for key in ("refused", "verdict", "records_in") if key in first}
    second = _run(recipe)
    if first["sha256"] != second["sha256"]:  # drawn at random: what must not differ is what it costs
        first["sha256"] = "random"
    return first


def _run(recipe: Path) -> dict[str, Any]:
    try:
        release = shoal.run(recipe, replace=True)
    except shoal.ShoalError as refusal:
        return {"refused": type(refusal).__name__, "message": str(refusal).replace(str(recipe.parent), "")}
    published = [Path(file) for file in release.files if ".report" not in str(file) and ".private" not in str(file)]
    return {
        "verdict": release.verdict.passed,
        "loss": round(float(release.loss), 9),
        "records_in": release.records_in,
        "records_out": release.records_out,
        "suppressed": release.suppressed,
        "checks": [check.name for check in release.verdict.checks],
        "sha256": _digest(published),
    }


def _digest(files: list[Path]) -> str:
    """Of all published files, folders included; without what says when and by which version they were made."""
    digest = hashlib.sha256()
    for file in sorted(files):
        for part in sorted(file.rglob("*")) if file.is_dir() else [file]:
            if part.is_file() and part.suffix in (".csv", ".parquet", ".dat", ".jsonl"):
                digest.update(part.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
