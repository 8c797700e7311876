"""Real data of every kind is released and attacked: how often each attack was made, and whether its bound is kept. One JSON object.

    python -m benchmarks.attacked_data [--only adult,retail,informs,tpch]

The recipes are those in examples/ (retail: km.toml); TPC-H is made for 15,000 customers (scale 0.1), by tpchgen-cli. Salary is the
sensitive value of Adult, with 2-diversity. A population of ten times the records is assumed where a register would be asked.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import shoal
from benchmarks.lib.places import PROJECT, SHARED

RECIPES = {
    "adult": "adult/recipe.toml",
    "retail": "retail/km.toml",
    "informs": "informs/recipe.toml",
    "tpch": "tpch/recipe.toml",
}
_SALARY = 'salary-class   = { role = "quasi", hierarchy = "'
_DIVERSE = '\n[[guarantee]]\nname = "l-diversity"\nl = 2\ncolumn = "salary-class"\n\n[method]\nname = "optimal"'


def recipe_in(folder: Path, name: str) -> Path:
    """The recipe, to be run in another folder."""
    source = PROJECT / "examples" / RECIPES[name]
    text = source.read_text(encoding="utf-8").replace("../../../shared", str(SHARED))
    if name == "adult":
        lines = [
            line if not line.startswith(_SALARY) else 'salary-class = { role = "sensitive" }'
            for line in text.splitlines()
        ]
        text = "\n".join(lines).replace('\n[method]\nname = "optimal"', _DIVERSE)
    if name == "tpch":
        shutil.copy(source.parent / "brands.csv", folder)
        made = [
            str(Path(sys.executable).with_name("tpchgen-cli")),
            "parquet",
            "-s",
            "0.1",
            f"--output-dir={folder / 'data'}",
        ]
        subprocess.run(made, check=True, capture_output=True)
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def attacked(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        recipe = recipe_in(Path(place), name)
        started = time.process_time()
        release = shoal.run(recipe)
        told = shoal.attack(release.files[0], recipe, population=10 * release.verdict.records).to_json()
        return {**told, "records": release.verdict.records, "cpu_seconds": round(time.process_time() - started, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(RECIPES), help="names, with commas")
    names = parser.parse_args().only.split(",")
    print(json.dumps({"kinds": {name: attacked(name) for name in names}}))


if __name__ == "__main__":
    main()
