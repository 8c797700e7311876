"""Calls as users write them, and slips of the pen that a type checker must see: mypy and pyright, in `test_type_checkers.py`.

A line that ends in `# slip` is wrong on purpose, and both must say so; no other line may be found fault with.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

import shoal

frame = pl.DataFrame({"age": [31, 32], "sex": ["f", "f"], "diagnosis": ["flu", "gout"]})

# ---- what users write ------------------------------------------------------------------------------------------------

release: shoal.Release[pl.DataFrame] = shoal.anonymize(
    frame,
    quasi={"age": shoal.intervals(5, 10, start=0, stop=120), "sex": None},
    sensitive="diagnosis",
    drop=["name"],
    guarantees=[shoal.KAnonymity(2), shoal.LDiversity(2, column="diagnosis", variant="entropy")],
    suppression=0.01,
    method="mondrian",
)
columns: list[str] = release.data.columns
share: float = release.loss
verdict: shoal.Verdict = shoal.verify(release.data, quasi=["age", "sex"], k=2)
passed: bool = verdict.passed
checks: tuple[shoal.Check, ...] = verdict.checks
published: shoal.Release[None] = shoal.run(Path("recipe.toml"), replace=True)
recipe: shoal.Recipe = shoal.Recipe.of({"columns": {"age": {"role": "quasi"}}, "guarantee": [shoal.KAnonymity(5)]})
text: str = recipe.to_toml()
promised: tuple[shoal.Guarantee, ...] = recipe.guarantees
smallest: int = shoal.risk(frame, recipe).risk.smallest_class
compared: shoal.Comparison = shoal.compare(frame, recipe, ["optimal"])
attained: shoal.Attained = shoal.measure(frame, quasi="age", sensitive=["diagnosis"], original=frame)
lost: float | None = attained.loss("ncp").value
names: tuple[str, ...] = shoal.methods().of("tables").names
titles: list[str] = [entry.title for entry in shoal.guarantees()]
formulas: list[str] = [entry.formula for entry in shoal.losses()]
front: shoal.FrontierResult | shoal.MixedFrontierResult | shoal.SweptFrontierResult = shoal.frontier(frame, recipe)


def told(event: shoal.Progress) -> None:
    """Take what happens."""
    stage: str = event.stage
    del stage


shoal.risk(frame, quasi="age", listener=told)
try:
    shoal.KAnonymity(1)
except shoal.ParameterError as mistake:
    problems: tuple[str, ...] = mistake.problems

# ---- slips -----------------------------------------------------------------------------------------------------------

shoal.anonimize(frame, recipe)  # slip
shoal.anonymize(frame, quazi=["age"], k=5)  # slip
shoal.anonymize(frame, quasi=["age"], k="5")  # slip
shoal.anonymize(frame, quasi=["age"], guarantees=[5])  # slip
shoal.KAnonymty(5)  # slip
shoal.KAnonymity(kk=5)  # slip
shoal.LDiversity(2, column="diagnosis", variant="entropie")  # slip
shoal.intervals(5, 10, begin=0, stop=120)  # slip
shoal.mask("middle")  # slip
shoal.methods().of("table")  # slip
shoal.import_module("os")  # slip
print(release.data.colums)  # slip
print(release.recods_out)  # slip
print(verdict.pased)  # slip
print(attained.kk)  # slip
shoal.Recipe.laod("recipe.toml")  # slip
shoal.run("recipe.toml", engine="dask")  # slip
