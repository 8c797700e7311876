"""The names of the files of a release."""

from __future__ import annotations

from pathlib import Path

ASSIGNMENT = "assignment.private.parquet"
SIGNATURE = "signature.json"  # who signed what is published; it goes when the release is replaced
PRIVATE_SIGNATURE = "signature.private.json"  # the same of all files, also of those that stay with the custodian
SIDECARS = (
    "report.html",
    "report.json",
    "codebook.json",
    "codebook.csv",
    "report.private.html",
    "manifest.private.json",
    ASSIGNMENT,
)
SIGNATURES = (SIGNATURE, PRIVATE_SIGNATURE)  # come later, if somebody signs
TABLES = "tables"  # a folder with a table for each class, of a release of trees
DATA_SUFFIXES = (".parquet", ".csv.gz", ".tsv.gz", ".dat.gz", ".csv", ".tsv", ".dat", ".jsonl", ".xlsx", ".sav", ".dta")


def sidecar(destination: Path, kind: str) -> Path:
    """`release/people.parquet`, `report.html` → `release/people.report.html`."""
    return destination.with_name(sidecar_name(destination.name, kind))


def sidecar_name(name: str, kind: str) -> str:
    """`people.parquet`, `report.html` → `people.report.html`."""
    for suffix in DATA_SUFFIXES:
        if name.lower().endswith(suffix):
            return f"{name[: -len(suffix)]}.{kind}"
    return f"{Path(name).stem}.{kind}"


def family(name: str) -> tuple[str, ...]:
    """Every name that a release of this name may take in its folder, the data first."""
    return (name, *(sidecar_name(name, kind) for kind in (*SIDECARS, *SIGNATURES, TABLES)))
