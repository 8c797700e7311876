"""Made-up patients: single values, sets of diagnoses with two that are sensitive, and somebody with a diagnosis of their own."""

from __future__ import annotations

import random
from itertools import count

from shoal.release.recipe.recipe import Recipe

DIAGNOSES = {
    "flu": 9,
    "cold": 8,
    "asthma": 5,
    "ulcer": 4,
    "gastritis": 4,
    "rash": 3,
    "eczema": 2,
    "hiv": 2,
    "hepatitis": 1,
}
SENSITIVE = ("hiv", "hepatitis")
ALONE = "kuru"
DRUGS = ("aspirin", "insulin", "statin")
TREE = """flu;airways;any
cold;airways;any
asthma;airways;any
ulcer;stomach;any
gastritis;stomach;any
rash;skin;any
eczema;skin;any
hiv;blood;any
hepatitis;blood;any
kuru;brain;any
"""
WAYS = {
    "sets": {"name": "rum-bound", "items": "sets", "delta": 0.6},
    "hierarchy": {"name": "tum-bound", "items": "hierarchy", "delta": 0.9},
    "two": {"name": "rum-bound", "items": "sets", "delta": 0.6},  # two columns of sets, and no hierarchy
    "one class": {"name": "tfirst", "items": "sets"},
}
_NAMES = count()


def patients(records: int = 240, seed: int = 3) -> list[tuple[int, str, list[str], list[str], str]]:
    """Age, town, diagnoses, drugs, insurance. One of them has `kuru`, and nobody else."""
    draw = random.Random(seed)
    made = []
    for _ in range(records):
        size = draw.choice([0, 1, 2, 2, 3])
        held = sorted(set(draw.choices(list(DIAGNOSES), list(DIAGNOSES.values()), k=size)))
        drugs = sorted(set(draw.choices(DRUGS, k=draw.choice([0, 1, 1, 2]))))
        made.append((draw.choice(range(20, 80, 3)), draw.choice("AAABBC"), held, drugs, draw.choice("xyz")))
    age, town, held, drugs, insurance = made[7]
    made[7] = (age, town, sorted({*held, ALONE}), drugs, insurance)
    return made


def mixed_recipe(folder, way: str, output: str = "parquet", promises: str = "") -> Recipe:
    """A recipe file with its data, in a folder that may hold others."""
    number = next(_NAMES)
    lines = [
        "name,age,town,ill,drugs,insurance",
        *(
            f"P{i},{age},{town},{'|'.join(held)},{'|'.join(drugs)},{insurance}"
            for i, (age, town, held, drugs, insurance) in enumerate(patients())
        ),
    ]
    (folder / "patients.csv").write_text("\n".join(lines) + "\n")
    (folder / "tree.csv").write_text(TREE)
    hierarchy = ', hierarchy = "tree.csv"' if way == "hierarchy" else ""
    drugs = 'role = "quasi", kind = "set", reason = "from the shelf"' if way == "two" else 'role = "plain"'
    method = "".join(f"{key} = {value!r}\n".replace("'", '"') for key, value in WAYS[way].items())
    promises = promises or '[[guarantee]]\nname = "k-km-anonymity"\nk = 4\nm = 2\n'
    text = (
        f'[input]\npath = "patients.csv"\nitems = "|"\n[output]\npath = "release{number}/patients.{output}"\n'
        '[columns]\nname = { role = "identifying" }\n'
        'age = { role = "quasi", hierarchy = { intervals = [10, 30], from = 20, to = 80 } }\ntown = { role = "quasi" }\n'
        f'ill = {{ role = "quasi", kind = "set", sensitive_items = ["hiv", "hepatitis"]{hierarchy} }}\n'
        f'drugs = {{ {drugs} }}\ninsurance = {{ role = "sensitive" }}\n{promises}[method]\n{method}'
    )
    path = folder / f"mixed{number}.toml"
    path.write_text(text)
    return Recipe.load(path)
