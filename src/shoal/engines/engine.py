"""What runs over the data: a few verbs, the same on every engine. Methods see this file and nothing behind it.

What comes back to the caller depends on the number of different combinations, never on the number of records: an engine
may run on a cluster, and the caller is one process. Nearly all trees are different: of these a bounded sample comes back to a
caller that says how many it takes (`forest`), and counts of all of them (`same_trees`, `count_trees`).

What is sent to the workers (counters, keys of blocks, kernels) is a frozen value of an importable class, and gives the same result
however often, in whatever order and in whatever pieces it is run: a worker may die, and its work is done again. Kernels that draw
at random are the exception: of each block one result counts.

A column of sets is handed to all of these as lists of texts (plain, or as dictionaries), sorted and distinct in each record, never
missing: `ItemSets.of_lists` takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from shoal.data.blocks import BlockOf
    from shoal.data.frequency import FrequencySet
    from shoal.data.itemsets import ItemSets
    from shoal.data.schema import Schema
    from shoal.data.trees import Forest
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.location import Location
    from shoal.io.source import Source
    from shoal.recoding.mixed.clusters import MixedRecoding
    from shoal.recoding.sets.items import ItemRecoding
    from shoal.recoding.sets.matching import MatchingRecoding
    from shoal.recoding.tables.groups import GroupRecoding
    from shoal.recoding.tables.levels import LevelRecoding
    from shoal.recoding.trees.classes import TreeClassRecoding
    from shoal.recoding.trees.rules import TreeRecoding

    Recoding: TypeAlias = (
        LevelRecoding
        | GroupRecoding
        | ItemRecoding
        | MatchingRecoding
        | MixedRecoding
        | TreeRecoding
        | TreeClassRecoding
    )

RECORDS = "records"  # the column that holds how many records, in what counters and blocks hand over


@dataclass(frozen=True)
class Progress:
    """One step of long work: the bar, the studio and the tests read the same events.

    Examples
    --------
    >>> import shoal
    >>> stages = []
    >>> answer = shoal.risk("demo/patients.csv", quasi="sex", listener=lambda event: stages.append(event.stage))
    >>> stages[0]
    'load'
    """

    stage: str
    message: str = ""
    done: float | None = None  # between 0 and 1, when it can be known


# An engine calls it while it works. Raising stops the work: the engine ends what runs, and the exception comes back from the verb.
Listener = Callable[[Progress], None]


class Counter(Protocol):
    """Numbers of records by key, for keys that SQL is slow to make: item pairs, fragments of trees."""

    @property
    def keys(self) -> pa.Schema:
        """The columns of a key."""
        ...

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Of some of the records: keys, and how many records have each (`records`, int64).

        A key may come more than once; the engine adds up. Counting many batches before handing over is what makes it fast.
        """
        ...


class Kernel(Protocol):
    """What is worked out for one block."""

    def __call__(self, block: pa.Table) -> pa.Table: ...


@dataclass(frozen=True)
class Domain:
    """The distinct values of one column as text, with counts. None stands for a missing value.

    Of a column of sets: its items, each with the number of records that hold it. Of a class of nodes: its values, in the same way.
    """

    counts: Mapping[str | None, int]


@dataclass(frozen=True)
class Written:
    """What a draft holds."""

    records: int
    suppressed: int


@dataclass(frozen=True)
class Alike:
    """Classes in which everyone has the same value of a column."""

    classes: int  # all there are
    alike: int
    records: int  # in those that are alike


@dataclass(frozen=True)
class SameTrees:
    """Records by how many have the very same tree."""

    sizes: Mapping[int, int]  # records that share a tree → such trees
    nodes: int  # of all records
    different_nodes: int  # of the different trees

    @property
    def records(self) -> int:
        """All there are."""
        return sum(size * trees for size, trees in self.sizes.items())


@dataclass(frozen=True, eq=False)
class People:
    """Record by record, in the order of the source: what names each, and values of its columns."""

    names: pa.Array | None  # texts; None where no column was said to hold them
    columns: Mapping[str, pa.DictionaryArray]  # as they are read for a release
    sets: Mapping[str, ItemSets] = field(default_factory=dict)  # of each column of sets
    forest: Forest | None = None  # of trees: one for each record


EngineName = Literal["local", "spark"]


class Engine(Protocol):
    """Where the records are, and what can be asked of them."""

    name: ClassVar[EngineName]

    @property
    def versions(self) -> Mapping[str, str]:
        """Of what does the work, beside the packages of this process: name and version."""
        ...

    def load(self, source: Source, schema: Schema) -> int:
        """Make the data available; returns the number of records. A row without any published value is none."""
        ...

    @property
    def empty_rows(self) -> int:
        """After `load`: rows without any published value."""
        ...

    def domain(self, column: str) -> Domain:
        """The distinct values of a quasi-identifier or sensitive column."""
        ...

    def uniques(self, columns: Sequence[str]) -> tuple[int, int]:
        """Of the loaded records, by columns that hold single values: different combinations, and those that one record has."""
        ...

    def people(
        self, columns: Sequence[str], person: str | None = None, *, trees: Mapping[str, Hierarchy] | None = None
    ) -> People | None:
        """The loaded records one by one, with the column `person`, which need not be published. None where an engine does not hand
        out single records. trees: where records are trees, the hierarchies by which these are numbered, as in `forest`."""
        ...

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        """Distinct tuples of the quasi-identifiers as leaf codes with counts, and sensitive values per tuple."""
        ...

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        """The distinct trees of the records with the number of records of each. hierarchies: by class, in the order of the schema.

        A label is the first label of its class plus the leaf code of its value. With a sensitive column: the distinct trees with a
        value of it, as a number. most: of more distinct trees only so many come back, those whose hash is the lowest, each with all
        its records: the same ones from every engine and in every run. `sampled_from` tells.
        """
        ...

    def same_trees(self) -> SameTrees:
        """How many records share their tree with how many, counted where they are: no tree comes back."""
        ...

    def count_trees(
        self,
        counter: Counter,
        hierarchies: Mapping[str, Hierarchy],
        *,
        at_least: int | None = None,
        at_most: int | None = None,
    ) -> pa.Table:
        """As `count`, over the trees of all records: a counter is handed one column, `tree`, packed, with labels as in `forest`."""
        ...

    def count(
        self, counter: Counter, columns: Sequence[str], *, at_least: int | None = None, at_most: int | None = None
    ) -> pa.Table:
        """Keys with the number of records that have each (`records`), sorted by key. Only numbers within the limits come back."""
        ...

    @property
    def workers(self) -> int:
        """How many kernels `map_blocks` runs at the same time, if there are as many blocks."""
        ...

    def map_blocks(self, columns: Sequence[str], block_of: BlockOf, kernel: Kernel, schema: pa.Schema) -> pa.Table:
        """Run a kernel on each block of records and put what it returns together, in the order of the block numbers.

        A block is a table of the distinct records of these columns with their number (`records`, last), sorted by all its columns:
        nothing depends on the order in which records arrive. `schema` is that of what the kernel returns.
        """
        ...

    def apply(self, recoding: Recoding) -> Written:
        """Recode all records. Fails unless every record is either published or suppressed.

        Where records of one tuple, or set, go to several classes, the operating system's generator decides which goes where.
        """
        ...

    def alike(self, column: str) -> Alike:
        """After `apply`, of a sensitive column. `*` counts as missing, and missing as a value."""
        ...

    def write(self, draft: Location) -> None:
        """Write the recoded records, in an order that says nothing, in the format of the file's suffix."""
        ...

    def write_assignment(self, draft: Location) -> bool:
        """Write which records show what, after `apply`: distinct combinations with their numbers. It holds the original values.

        Columns `raw:NAME` and `shown:NAME` for each quasi-identifier, `other:NAME` for the others, and `records`. Nothing is
        written after a recoding by levels: there the published value follows from the raw one. Whether it was written.

        After a matching: the counted edges, see `shoal.engines.driver.matching.certificate`. Of trees, where classes show one
        tree: `raw` and `shown`, the trees as JSON texts, `other:NAME` and `records`; nothing where labels are shown by rules.
        """
        ...

    def frame(self) -> Any:
        """The recoded records as the engine's own kind of frame, in the same order as they are written."""
        ...

    def assignment(self) -> Any | None:
        """What `write_assignment` writes, as the engine's own kind of frame; None where it writes nothing."""
        ...

    def close(self) -> None: ...
