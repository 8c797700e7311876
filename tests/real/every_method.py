"""One method on one table: the release is written, and verified from the files alone."""

from __future__ import annotations

import gzip
import tomllib
from itertools import islice
from pathlib import Path
from typing import Any

import shoal
from real.tables import SHARED, TABLES
from shoal.errors import Infeasible, RecipeError
from shoal.io.publishing.publish import ASSIGNMENT, sidecar
from shoal.release.init import propose

RAW = "adult_raw"  # with missing values, thirteen quasi-identifiers and 2-diversity, as `shoal init` proposes it


def recipe_of(folder: Path, table: str, k: int, method: dict[str, Any], suppression: float, rows: int | None) -> dict:
    if table in TABLES:
        data = TABLES[table].first(rows, folder / f"{table}.csv") if rows else TABLES[table].path()
        return TABLES[table].recipe(k, method=method, suppression=suppression, data=data)
    data = folder / f"{table}.csv"
    with gzip.open(SHARED / "data/relational/adult/adult_raw_32561.csv.gz", "rt") as source, data.open("w") as target:
        target.writelines(islice(source, None if rows is None else rows + 1))
    recipe = tomllib.loads(propose(data, folder / "recipe.toml").text)
    columns = {
        name: {key: v for key, v in spec.items() if key != "suggested"} for name, spec in recipe["columns"].items()
    }
    guarantee = [{**one, "k": k} if one["name"] == "k-anonymity" else one for one in recipe["guarantee"]]
    changed = {"columns": columns, "guarantee": guarantee, "method": method, "suppression": {"limit": suppression}}
    return {**recipe, **changed, "input": {**recipe["input"], "path": str(data)}}


def check(
    folder: Path,
    table: str,
    method: dict[str, Any],
    k: int,
    *,
    suppression: float = 0.01,
    rows: int | None = None,
    form: str = "parquet",
) -> dict[str, Any]:
    """What came of it: verified; refused, when the method says that it cannot do this; failure. method: as in a recipe."""
    recipe = recipe_of(folder, table, k, method, suppression, rows)
    file = folder / f"release/{table}.{form}"
    recipe = {**recipe, "output": {"path": str(file)}}
    try:
        release = shoal.run(shoal.Recipe.of(recipe))
    except (Infeasible, RecipeError) as reason:
        return {"outcome": "refused", "detail": str(reason)}
    beside = sidecar(file, ASSIGNMENT)
    verdict = shoal.verify(
        file, recipe, original=recipe["input"]["path"], assignment=beside if beside.exists() else None
    )
    told = [check.name for check in verdict.checks if not check.passed]
    if verdict.records + release.suppressed != release.records_in:
        told.append("records are missing")
    if verdict.smallest_class < k:
        told.append("a class is too small")
    return {
        "outcome": "failure" if told else "verified",
        "detail": ", ".join(told),
        "loss": release.loss,
        "records": verdict.records,
        "suppressed": release.suppressed,
        "classes": verdict.classes,
        "smallest_class": verdict.smallest_class,
    }
