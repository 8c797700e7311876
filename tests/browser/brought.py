"""What people bring to the studio: small parts of the benchmark data, and a file as a German office has it."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path


def german(folder: Path, people: int = 400) -> Path:
    """Windows-1252, `;`, decimal commas, dates as 31.12.1980, umlauts in names, an empty row."""
    chance = random.Random(17)
    diagnoses = ["Grippe", "Bluthochdruck", "Rückenschmerzen", "Asthma", "Müdigkeit"]
    lines = ["Patient;Geburtsdatum;Geschlecht;PLZ;Größe;Diagnose"]
    for number in range(1, people + 1):
        born = f"{chance.randint(1, 28):02}.{chance.randint(1, 12):02}.{chance.randint(1940, 2004)}"
        size = f"{chance.randint(150, 199) / 100:.2f}".replace(".", ",")
        place = chance.choice(["10115", "10117", "10119", "20095", "20097", "80331"])
        words = [f"Müller {number}", born, chance.choice("mwd"), place, size, chance.choice(diagnoses)]
        lines.append(";".join(words))
        if number == people // 2:
            lines.append(";;;;;")
    path = folder / "Patienten Köln.csv"
    path.write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))
    return path


def adult(folder: Path, shared: Path, rows: int = 1500) -> Path:
    """Eight columns that others could know, and the salary class."""
    kept = [0, 1, 3, 5, 6, 8, 9, 13, 14]
    path = folder / "adult.csv"
    with gzip.open(shared / "data/relational/adult/adult_complete_30162.csv.gz", "rt", encoding="utf-8") as lines:
        rest = (line.rstrip("\n").split(",") for _, line in zip(range(rows + 1), lines, strict=False))
        path.write_text("".join(",".join(cells[place] for place in kept) + "\n" for cells in rest))
    return path


def retail(folder: Path, shared: Path, rows: int = 800) -> Path:
    """Baskets, a line each."""
    path = folder / "retail.dat"
    with gzip.open(shared / "data/transaction/retail.dat.gz", "rt", encoding="utf-8") as lines:
        path.write_text("".join(line for _, line in zip(range(rows), lines, strict=False)))
    return path


def informs(folder: Path, shared: Path, rows: int = 600) -> Path:
    """Patients with their diagnoses in one column."""
    path = folder / "informs.csv"
    with gzip.open(shared / "data/rt/informs_2005/informs_2005.csv.gz", "rt", encoding="utf-8") as lines:
        path.write_text("".join(line for _, line in zip(range(rows + 1), lines, strict=False)))
    return path


def synthea(folder: Path, shared: Path, people: int = 80) -> Path:
    """Patients with encounters with conditions: nested records."""
    path = folder / "synthea.jsonl"
    with gzip.open(shared / "data/tree/synthea_patients.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for _, line in zip(range(people), lines, strict=False)]
    kept = [
        {
            "id": record["id"],
            "gender": record["gender"],
            "city": record["city"],
            "encounters": [
                {"class": one["class"], "conditions": one["conditions"]} for one in record["encounters"][:6]
            ],
        }
        for record in records
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in kept))
    return path


def given_release(folder: Path) -> Path:
    """As ARX writes one: ranges, `*` for what is suppressed, `;`; one person stands alone."""
    rows = (
        [("[20, 30[", "M", "8033*", "Flu")] * 6
        + [("[30, 40[", "F", "8033*", "Asthma")] * 7
        + [("*", "*", "*", "*")] * 5
    )
    breach = [("[40, 50[", "F", "1011*", "Back pain")]
    path = folder / "given.csv"
    lines = ["age;sex;zip;diagnosis", *(";".join(row) for row in rows + breach)]
    path.write_text("\n".join(lines) + "\n")
    return path
