"""The benchmark tables as recipes: which columns are quasi-identifiers, and where their hierarchies lie."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[3] / "shared"))
RELATIONAL = "data/relational"


@dataclass(frozen=True)
class Table:
    name: str
    folder: str
    file: str
    quasi: tuple[str, ...]  # in the order of publication

    def path(self, shared: Path = SHARED) -> Path:
        return shared / RELATIONAL / self.folder / self.file

    def hierarchy(self, column: str, shared: Path = SHARED) -> Path:
        plain = shared / RELATIONAL / self.folder / "hierarchies" / f"{column}.csv"
        return plain if plain.exists() else plain.with_name(f"{column}.csv.gz")

    def header(self, shared: Path = SHARED) -> list[str]:
        with gzip.open(self.path(shared), "rt", newline="") as file:
            return next(csv.reader(file))

    def records(self, shared: Path = SHARED) -> list[dict[str, str]]:
        with gzip.open(self.path(shared), "rt", newline="") as file:
            return list(csv.DictReader(file))

    def recipe(
        self,
        k: int,
        *,
        method: dict[str, Any],
        suppression: float = 0.0,
        data: Path | None = None,
        output: Path | None = None,
        shared: Path = SHARED,
    ) -> dict[str, Any]:
        """Loss GLM. data: other records with the same columns. Columns that are no quasi-identifiers are left out."""
        columns: dict[str, Any] = {name: {"role": "identifying"} for name in self.header(shared)}
        columns |= {name: {"role": "quasi", "hierarchy": str(self.hierarchy(name, shared))} for name in self.quasi}
        recipe = {
            "input": {"path": str(data or self.path(shared))},
            "columns": columns,
            "guarantee": [{"name": "k-anonymity", "k": k}],
            "method": method,
            "loss": {"name": "glm"},
            "suppression": {"limit": suppression},
        }
        return recipe if output is None else {**recipe, "output": {"path": str(output)}}

    def first(self, rows: int, target: Path, shared: Path = SHARED) -> Path:
        """The first records of the table as a file of their own."""
        with gzip.open(self.path(shared), "rt", newline="") as file:
            target.write_text("".join(islice(file, rows + 1)))
        return target


ADULT = Table(
    "adult",
    "adult",
    "adult_arx_30162.csv.gz",
    (
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
        "salary-class",
    ),
)
FARS = Table(
    "fars",
    "fars_int",
    "fars_int.csv.gz",
    ("iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"),
)
# BILL_AMT1 and PAY_AMT1 have large domains: 22,723 and 7,943 values in 30,000 records
CREDIT_CARD = Table(
    "creditcard",
    "creditcard_int",
    "creditcard_int.csv.gz",
    ("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "BILL_AMT1", "PAY_AMT1"),
)
TABLES = {table.name: table for table in (ADULT, FARS, CREDIT_CARD)}
