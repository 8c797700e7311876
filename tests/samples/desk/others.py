"""Databases, Parquet, item sets, nested records; and files whose suffix says something else."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import duckdb
import pandas as pd

from samples.desk.file import DeskFile, people
from samples.desk.texts import HEAD, plain, saved, text

ITEMS = ("Brot", "Käse", "Milch", "Äpfel", "Bier", "Wein")


def _frame() -> pd.DataFrame:
    return pd.DataFrame(plain(), columns=list(HEAD))


def _parquet(path: Path) -> None:
    _frame().to_parquet(path, index=False)


def _sqlite(path: Path) -> None:
    with sqlite3.connect(path) as con:
        _frame().to_sql("patienten", con, index=False)
    con.close()


def _duckdb(path: Path) -> None:
    frame = _frame()
    with duckdb.connect(str(path)) as con:
        con.register("frame", frame)
        con.execute("CREATE TABLE patienten AS SELECT * FROM frame")


def _baskets() -> list[list[str]]:
    return [[ITEMS[(i * 7 + j) % 6] for j in range(1 + i % 3)] for i in range(240)]


def _jsonl(path: Path) -> None:
    records = [{"sex": p.sex, "visits": [{"code": p.ill}, {"code": p.ward}]} for p in people()]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def files() -> list[DeskFile]:
    rows = [[p.sex, "|".join(items)] for p, items in zip(people(), _baskets(), strict=True)]
    numbers = "".join(" ".join(str(ITEMS.index(item)) for item in items) + "\n" for items in _baskets())
    names = [[p.name, *(f"{p.name}{i}" for i in range(1, 6))] for p in people()]
    return [
        DeskFile("patients.parquet", _parquet),
        DeskFile(
            "patients.sqlite", _sqlite, ("--table", "patienten"), "sqlite:///patients.sqlite", ('table = "patienten"',)
        ),
        DeskFile(
            "patients.duckdb", _duckdb, ("--table", "patienten"), "duckdb:///patients.duckdb", ('table = "patienten"',)
        ),
        DeskFile(
            "baskets.csv", saved(text(rows, ("Geschlecht", "Einkauf"), delimiter=",")), proposes=('kind = "set"',)
        ),
        DeskFile("baskets.dat", saved(numbers)),
        DeskFile("visits.jsonl", _jsonl, proposes=('kind = "node"',)),
        DeskFile(
            "names_everywhere.csv",
            saved(text(names, [f"Feld {i}" for i in range(6)])),
            proposes=("Feld 5",),
            stopped=".",
        ),
        DeskFile("letter.docx", saved(b"PK\x03\x04"), refused="suffix"),
        DeskFile("scan.pdf", saved(b"%PDF-1.7"), refused="suffix"),
    ]
