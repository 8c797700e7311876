"""What is measured at scale, the same for every engine: the recipe, and the statements that do its work bare.

The bare statements: a group-by of the quasi-identifiers; a join through the level of each column, written as Parquet; one group-by
over what was written. They are SQL that every engine understands; only the sign around names differs. With a nearly unique column
also the join with what it writes in an order of chance: the least that says nothing of the order of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows.people import KEY, QUASI, SENSITIVE, hierarchy_file
from shoal.hierarchies.files import read_hierarchy


def recipe_text(
    data: Path, k: int, engine: str, *, output: str = "release/out.parquet", identified: bool = False
) -> str:
    """`engine`: the lines of the section [engine]. The hierarchy that is made with the data lies beside it."""
    columns = "\n".join(
        f'{name} = {{ role = "quasi", hierarchy = "{hierarchy_file(data.parent, name)}" }}' for name in QUASI
    )
    plain = (
        f'\n{KEY} = {{ role = "plain", accept_unique = true, reason = "drawn for the benchmark" }}'
        if identified
        else ""
    )
    return f'''shoal = 1
[input]
path = "{data}"
[output]
path = "{output}"
[columns]
{columns}
{SENSITIVE} = {{ role = "sensitive" }}{plain}
[[guarantee]]
name = "k-anonymity"
k = {k}
[method]
name = "optimal"
[loss]
name = "glm"
[suppression]
limit = 0.01
[engine]
{engine}
'''


@dataclass(frozen=True)
class LevelMap:
    """What each raw value of a column is published as."""

    raw: tuple[str, ...]
    shown: tuple[str, ...]


def level_maps(folder: Path, levels: Mapping[str, int]) -> dict[str, LevelMap]:
    """`levels`: as a run decided them."""
    made = {}
    for name in QUASI:
        tree = read_hierarchy(hierarchy_file(folder, name))
        leaves = range(tree.leaf_count)
        made[name] = LevelMap(
            tuple(tree.labels[: tree.leaf_count]), tuple(tree.label(leaf, levels[name]) for leaf in leaves)
        )
    return made


@dataclass(frozen=True)
class Bare:
    """`data` stands after FROM; `quote` is the sign around names; tables map_0, map_1, … have the columns raw and shown."""

    data: str
    quote: str = '"'
    identified: bool = False
    random: str = "random()"  # a random number in SQL

    def count(self) -> str:
        return self._group(self.data)

    def map(self) -> str:
        shown = [f"map_{i}.shown AS {self._name(name)}" for i, name in enumerate(QUASI)]
        others = [f"d.{self._name(name)}" for name in (SENSITIVE, *([KEY] if self.identified else []))]
        joins = " ".join(f"JOIN map_{i} ON d.{self._name(name)} = map_{i}.raw" for i, name in enumerate(QUASI))
        return f"SELECT {', '.join([*shown, *others])} FROM {self.data} AS d {joins}"

    def map_in_random_order(self) -> str:
        return f"{self.map()} ORDER BY {self.random}"

    def verify(self, written: str) -> str:
        return self._group(written)

    def _group(self, origin: str) -> str:
        names = ", ".join(map(self._name, QUASI))
        return f"SELECT {names}, count(*) AS n FROM {origin} GROUP BY {names}"

    def _name(self, name: str) -> str:
        return f"{self.quote}{name}{self.quote}"
