"""Nothing lost, nothing invented, for sets: every published set is an original one, blurred, with all other columns unchanged.

The claim: published records can be given distinct original records such that each published label covers an item of its original,
each item of the original is covered by a label (or is one that was openly left out), and the other columns are equal. When
every original item is covered by one published label at most, as with one cut through the hierarchy, the published form of an
original is known, and the claim is a comparison of two group-bys. Otherwise (local recoding) it is a matching: one that is handed
over is checked row by row, and without one it is decided up to the size stated below; beyond that the check does not pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.domain import Domain
from shoal.verifier.finding import counted
from shoal.verifier.matching import unmatched
from shoal.verifier.sets.assignment import Assignment
from shoal.verifier.sets.list_types import shaped, shapes_of
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.comparing import Form
    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.sets.released import Released
    from shoal.verifier.source import Source
    from shoal.verifier.terms import Terms

NAME = "nothing lost or invented"
_KEPT = (
    "Every published record stands for an original record of its own: each label covers an item, each item has a label, and all "
    "other columns are unchanged."
)
_NONE = "No item is published, as was said openly; every record is there, and all other columns are unchanged."
_PAIRS = 2_000_000  # (published, original) pairs of different records that are looked at without an assignment


@dataclass(frozen=True)
class Covers:
    """Original item → the published labels that cover it."""

    labels: Mapping[str, tuple[str, ...]]
    left_out: frozenset[str]

    @property
    def is_ambiguous(self) -> bool:
        """Whether an original set could be published in more than one way."""
        return any(len(labels) + (item in self.left_out) > 1 for item, labels in self.labels.items())


def check_labels(name: str, words: Sequence[str], hierarchy: Hierarchy) -> Check:
    """Every published label is one of the hierarchy."""
    unknown = sum(hierarchy.node(word) is None for word in words)
    if unknown:
        return Check(
            "labels", False, f"Column '{name}' has {counted(unknown, 'label')} that the hierarchy does not know."
        )
    return Check("labels", True, f"All {len(words):,} labels of column '{name}' are of its hierarchy.")


def covers_of(
    items: Sequence[str], labels: Sequence[str], hierarchy: Hierarchy | None, left_out: frozenset[str]
) -> Covers:
    domain = Domain(items, hierarchy)
    found: dict[str, list[str]] = {item: [] for item in items}
    for label in labels:
        if hierarchy is not None and hierarchy.node(label) is None:
            continue  # it stands for nothing that is known
        for number in domain.covered_by(label):
            found[items[number]].append(label)
    return Covers({item: tuple(covering) for item, covering in found.items()}, left_out)


def check_cover(
    release: Released, original: Released, covers: Covers, terms: Terms, assignment: Source | None
) -> Check:
    shapes = shapes_of(release, original)
    kept = _NONE if covers.left_out else _KEPT
    if assignment is not None:
        wrong = Assignment(assignment, release, original, terms.items).misfit(covers.labels, covers.left_out)
        return Check(NAME, wrong is None, kept if wrong is None else f"The assignment does not fit. {wrong}")
    if not covers.is_ambiguous:
        groups, records = _compare(release, _images(original, covers), shapes, original)
    elif release.number * original.number > _PAIRS:
        return Check(
            NAME,
            False,
            "Could not be decided, and so does not pass. Items are covered by several labels, and the records are too many to try "
            "all ways. Whoever made the release may have an assignment (--assignment) that decides it.",
        )
    else:
        groups, records = _pair(release, original, covers, shapes)
    if groups:
        detail = (
            f"For {counted(records, 'published record')} in {counted(groups, 'group')} there is no original to cover."
        )
        return Check(NAME, False, detail)
    return Check(NAME, True, kept)


def _images(original: Released, covers: Covers) -> str:
    """The originals by what they would be published as: `s`, other columns, c records; without those that cannot be published."""
    import pyarrow as pa

    sql, lists = original.source.sql, original.lists
    rows = [(item, labels[0]) for item, labels in covers.labels.items() if labels]
    dead = [item for item, labels in covers.labels.items() if not labels and item not in covers.left_out]
    table = pa.table(
        {
            "item": pa.array([*(item for item, _ in rows), *dead], pa.string()),
            "label": pa.array([*(label for _, label in rows), *(None for _ in dead)], pa.string()),
        }
    )
    sql.driver.register("images_found", table)
    sql.driver.execute("CREATE TEMP TABLE images AS SELECT item, label FROM images_found").fetchall()
    sql.driver.unregister("images_found")
    sent = f"(SELECT {lists.item('item')} AS item, {lists.item('label')} AS label FROM {sql.send('images')} AS m)"
    sets, _ = original.sets
    (key,) = lists.key(["s"])
    each = f"SELECT g.{key} AS k, {lists.each('g.s')} AS i FROM {sets} AS g"
    image, _ = sql.make(
        "original_images",
        f"SELECT k, {lists.gathered('m.label')} AS s, max(CASE WHEN m.label IS NULL THEN 1 ELSE 0 END) AS dead "
        f"FROM ({each}) AS e JOIN {sent} AS m ON e.i = m.item GROUP BY k",
    )
    # a set whose items are all left out, or that has none, has no row there: it is published as the empty set
    shown = f"coalesce(m.s, {lists.canonical('NULL')})"
    others = "".join(f", g.o{i} AS o{i}" for i in range(len(original.others)))
    if original.others:
        inner = f"(SELECT g.{key} AS k, g.s AS raw FROM {sets} AS g) AS d"
        joined = f"{original.table} AS g JOIN {inner} ON g.s = d.raw LEFT JOIN {image} AS m ON d.k = m.k"
    else:
        joined = f"{sets} AS g LEFT JOIN {image} AS m ON g.{key} = m.k"
    table_, _ = sql.make(
        "original_shown", f"SELECT {shown} AS s, coalesce(m.dead, 0) AS dead{others}, g.c AS c FROM {joined}"
    )
    return table_


def _compare(
    release: Released, images: str, shapes: Sequence[tuple[Form, Form]], original: Released
) -> tuple[int, int]:
    """Published groups with more records than originals that become them, and how many more."""
    sql = release.source.sql
    keys = ", ".join(["s", *(f"x{i}" for i in range(len(shapes)))])
    first = shaped(
        sql, release.table, ["g.s"], [one for one, _ in shapes], "g.c AS c, CAST(0 AS BIGINT) AS o, 0 AS dead"
    )
    second = shaped(
        sql, images, ["g.s"], [two for _, two in shapes], "CAST(0 AS BIGINT) AS c, g.c AS o, g.dead AS dead"
    )
    both = (
        f"SELECT {keys}, dead, CAST(sum(c) AS BIGINT) AS c, CAST(sum(o) AS BIGINT) AS o "
        f"FROM ({first} UNION ALL {second}) AS sides GROUP BY {keys}, dead"
    )
    ((groups, by, all_c, all_o),) = sql.rows(
        f"SELECT count(*) FILTER (WHERE c > o) AS n, coalesce(sum(c - o) FILTER (WHERE c > o), 0) AS b, "
        f"coalesce(sum(c), 0) AS c, coalesce(sum(o), 0) AS o FROM ({both}) AS compared"
    )
    if (int(all_c), int(all_o)) != (release.source.records, original.source.records):
        raise InternalError(f"Comparing lost or doubled records of {release.source.what} or {original.source.what}.")
    return int(groups), int(by)


def _pair(
    release: Released, original: Released, covers: Covers, shapes: Sequence[tuple[Form, Form]]
) -> tuple[int, int]:
    """The same by trying which published groups each original may have become."""
    sql = release.source.sql
    sides = []
    for side, table in enumerate((release.table, original.table)):
        select = shaped(sql, table, ["g.s AS s"], [both[side] for both in shapes], "g.c AS c")
        others = "".join(f", x{i}" for i in range(len(shapes)))
        texts = release.lists.texts("s")
        sql.bring(f"paired_{side}", f"SELECT {texts} AS s{others}, c FROM ({select}) AS g")
        sides.append(sql.driver.execute(f"SELECT * FROM paired_{side}").fetchall())
    published, originals = sides
    by_others: dict[object, list[int]] = {}
    for number, row in enumerate(published):
        by_others.setdefault(repr(row[1:-1]), []).append(number)
    shown = [frozenset(row[0]) for row in published]
    edges: list[tuple[int, int]] = []
    for number, row in enumerate(originals):
        takers = by_others.get(repr(row[1:-1]), ())
        edges += [(number, t) for t in takers if fits(row[0], shown[t], covers.labels, covers.left_out)]
    left = unmatched([int(row[-1]) for row in originals], [int(row[-1]) for row in published], edges)
    return sum(lack > 0 for lack in left), sum(left)


def fits(
    items: Sequence[str], labels: frozenset[str], covering: Mapping[str, Sequence[str]], left_out: frozenset[str]
) -> bool:
    """Whether a set of labels may be what is published of these items."""
    used: set[str] = set()
    for item in items:
        beside = labels.intersection(covering[item])
        if not beside and item not in left_out:
            return False
        used |= beside
    return used == labels
