"""Every figure and table of the five papers: which step draws it and what it says, or why it is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.papers import findings
from benchmarks.papers.findings import Finding

PAPERS = {
    "000": "Gkountouna, Terrovitis: Anonymizing Collections of Tree-Structured Data",
    "001": "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing Data with Relational and Transaction Attributes",
    "002": "Venkata Ramana, Valli Kumari: Achieving k-anonymity using Minimum Spanning Tree based Partitioning",
    "003": "Xue, Karras, Raïssi, Vaidya, Tan: Anonymizing set-valued data by nonreciprocal recoding",
    "004": "Dewri, Ray, Ray, Whitley: POkA: Identifying Pareto-Optimal k-Anonymous Nodes in a Domain Hierarchy Lattice",
}


@dataclass(frozen=True)
class Figure:
    """`says`: what the paper reads from it. `step`: which one draws it; without one, `why` it is left out.

    `measures`: whether anything is measured in it at all.
    """

    paper: str
    name: str
    says: str
    step: str = ""
    check: Callable[[dict[str, Any]], Finding] | None = None
    why: str = ""
    measures: bool = True


def _examples(paper: str, names: str, shows: str) -> Iterable[Figure]:
    """Nothing was measured in them."""
    for name in names.split(", "):
        yield Figure(
            paper,
            name,
            shows,
            why="an illustration, no measurement; what figures it has are worked examples in the tests",
            measures=False,
        )


def _figures() -> Iterable[Figure]:
    yield from _examples("000", "Fig. 1, Fig. 2, Fig. 3, Fig. 4, Fig. 5", "the example, an attack, two releases of it")
    yield from _examples(
        "000", "Fig. 6, Fig. 7, Fig. 8, Fig. 9, Fig. 10", "a cut, disassociation, the synopsis, the search"
    )
    yield Figure(
        "000",
        "Table 1",
        "the data",
        why="a description; ours is in docs/evidence/trees.md: 11.8 nodes, 276 values, fanout 5",
        measures=False,
    )
    yield Figure("000", "Fig. 11", "from g = 2 on, a larger g changes nothing", "trees", findings.larger_g)
    yield Figure("000", "Fig. 12", "GCS loses about what ACS loses", "acs", findings.as_good_as_acs)
    yield Figure("000", "Fig. 13", "GCS is ten times faster than ACS in most settings", "acs", findings.faster_than_acs)
    yield Figure("000", "Fig. 14", "RPD: GCS below OCS below MiRaCle", "trees", findings.rpd)
    yield Figure("000", "Fig. 15", "ML²: the same, mostly", "trees", findings.ml2)
    yield Figure("000", "Fig. 16", "dML²: the same", "trees", findings.dml2)
    yield Figure("000", "Fig. 17", "GCS takes less time the larger k is", "trees", findings.quicker_with_k)
    yield Figure("000", "Fig. 18", "knowing what somebody lacks helps little", "negation", findings.negation)

    yield from _examples("001", "Fig. 1, Fig. 2, Fig. 3", "the example, releases of it, its hierarchies")
    yield Figure(
        "001",
        "Table 1",
        "the data",
        why="a description; ours is in docs/data.md: 26,854 of 36,553 people, 7,649 of 131,780 videos",
        measures=False,
    )
    yield Figure("001", "Fig. 4a–c, h", "INFORMS: what one side gains, the other loses", "mixed", findings.conflict)
    yield Figure("001", "Fig. 4d–g", "YouTube: the same", "youtube", findings.conflict)
    yield Figure("001", "Fig. 5", "the same with (k, l^m)-diversity", "diverse", findings.conflict)
    yield Figure(
        "001",
        "Fig. 6a, c",
        "INFORMS: merge r has the largest classes and the lowest UL",
        "mixed",
        findings.largest_by_values,
    )
    yield Figure("001", "Fig. 6b, d", "YouTube: the same", "youtube", findings.largest_by_values)
    yield Figure(
        "001",
        "Fig. 7a",
        "time over the number of records: merge t is the fastest, rt the slowest",
        "sizes",
        findings.slowest_by_both,
    )
    yield Figure("001", "Fig. 7b", "time falls with k", "ks", findings.quicker_with_larger_k)
    yield Figure("001", "Fig. 7c, e", "Rum-Bound: BTD is ten times faster, with the same UL", "order", findings.btd)
    yield Figure("001", "Fig. 7d, f", "Tum-Bound: the same", "order-tum", findings.btd)
    yield Figure("001", "Fig. 7g, h", "UL never rises by a merge", "merges", findings.never_rises)

    yield from _examples("002", "Table 1, Table 2, Table 3, Table 4", "the example, its distances, definitions")
    yield from _examples(
        "002", "Fig. 1, Fig. 2, Fig. 3, Fig. 4, Fig. 5, Fig. 6 (clusters)", "hierarchies, the steps of the method"
    )
    yield Figure(
        "002",
        "Table 5",
        "the data",
        why="a description; ours is in examples/adult/mstk, with the same heights",
        measures=False,
    )
    yield Figure("002", "Fig. 6(a)", "information loss is lower than Incognito's", "mstk", findings.information_loss)
    yield Figure("002", "Fig. 6(b)", "so is discernibility", "mstk", findings.discernibility)
    yield Figure("002", "Fig. 6(c)", "so is the average class", "mstk", findings.class_size)
    yield Figure(
        "002", "running times (text)", "MSTK takes longer than Incognito", "mstk", findings.slower_than_incognito
    )

    yield from _examples(
        "003", "Table 1, Table 2, Table 3, Table 4, Table 5", "the example, releases of it, Gray codes"
    )
    yield from _examples("003", "Fig. 1, Fig. 2, Fig. 3, Fig. 4, Fig. 5", "the graph, assignments, walks")
    yield Figure(
        "003",
        "Table 6",
        "the data",
        why="a description; ours is in docs/data.md: Chess as there, 4,334 of 49,046 records of Pumsb",
        measures=False,
    )
    yield Figure(
        "003", "Fig. 6a, e", "error rate over k: lower along Gray-TSP than along Gray", "matching", findings.tour_pays
    )
    yield Figure("003", "Fig. 6b, f", "error rate over l: lower than CAHD's", "matching", findings.below_cahd)
    yield Figure(
        "003", "Fig. 6c, d, g, h", "query error: lower than Gray's, and than CAHD's", "matching", findings.queries
    )
    yield Figure("003", "Fig. 7a", "time over k: closed walks beat backtracking", "walk", findings.walks_over_k)
    yield Figure("003", "Fig. 7b", "time over the size: the same", "walk", findings.walks_over_size)
    yield Figure(
        "003",
        "Fig. 7c",
        "l-diversification takes longer than CAHD, and grows alike",
        "matching",
        findings.slower_than_cahd,
    )

    yield from _examples(
        "004", "Fig. 1, Table 1, Fig. 2, Fig. 3", "hierarchies and lattice, optimal nodes, the searches"
    )
    yield Figure(
        "004",
        "Table 2",
        "the data",
        why="a description; ours is in examples/adult/poka, with the same lengths",
        measures=False,
    )
    yield Figure(
        "004",
        "Fig. 4",
        "POkA finds every optimal node with GLM and CE, nearly all with DM",
        "poka",
        findings.found_by_loss,
    )
    yield Figure("004", "Fig. 5", "depth 3 finds all, 2 misses some, 1 many", "poka", findings.found_by_depth)
    yield Figure("004", "Table 3", "the share of nodes that is looked at, by depth", "poka", findings.looked_at)
    yield Figure("004", "Fig. 6", "the larger the lattice, the smaller that share", "poka", findings.falls_with_size)


FIGURES = tuple(_figures())
