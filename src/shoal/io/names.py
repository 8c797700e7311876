"""The names of the files of a release."""

from __future__ import annotations

from pathlib import Path

ASSIGNMENT = "assignment.private.parquet"
SIDECARS = ("report.html", "report.json", "codebook.json", "manifest.private.json", ASSIGNMENT)
TABLES = "tables"  # a folder with a table for each class, of a release of trees
DATA_SUFFIXES = (".parquet", ".csv.gz", ".tsv.gz", ".dat.gz", ".csv", ".tsv", ".dat", ".jsonl")


def sidecar(destination: Path, kind: str) -> Path:
    """`release/people.parquet`, `report.html` → `release/people.report.html`."""
    return destination.with_name(sidecar_name(destination.name, kind))


def sidecar_name(name: str, kind: str) -> str:
    """`people.parquet`, `report.html` → `people.report.html`."""
    for suffix in DATA_SUFFIXES:
        if name.lower().endswith(suffix):
            return f"{name[: -len(suffix)]}.{kind}"
    return f"{Path(name).stem}.{kind}"
