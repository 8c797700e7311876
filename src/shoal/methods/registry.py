"""The methods a recipe can name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.methods.itemsets.apriori import Apriori
from shoal.methods.itemsets.cahd import Cahd
from shoal.methods.itemsets.nonreciprocal import Nonreciprocal
from shoal.methods.mixed.rfirst import RFirst
from shoal.methods.mixed.rum_bound import RumBound
from shoal.methods.mixed.tfirst import TFirst
from shoal.methods.mixed.tum_bound import TumBound
from shoal.methods.tables.auto import Auto
from shoal.methods.tables.cluster import Cluster
from shoal.methods.tables.frontier import FrontierMethod
from shoal.methods.tables.incognito import Incognito
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.mstk import Mstk
from shoal.methods.tables.optimal import Optimal
from shoal.methods.tables.poka import Poka
from shoal.methods.trees.acs import Acs
from shoal.methods.trees.gcs import Gcs
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.tree_cluster import TreeCluster

if TYPE_CHECKING:
    from shoal.methods.method import Method

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Auto(),
        Optimal(),
        FrontierMethod(),
        Poka(),
        Mstk(),
        Mondrian(),
        Incognito(),
        Cluster(),
        Apriori(),
        Nonreciprocal(),
        Cahd(),
        RumBound(),
        TumBound(),
        RFirst(),
        TFirst(),
        Gcs(),
        Ocs(),
        Acs(),
        TreeCluster(),
    )
}


def kind_of(name: str) -> str:
    """Of what data a method works on: "table", "sets", "mixed" or "trees"."""
    kind: str = getattr(METHODS[name], "kind", "table")
    return kind


def method_from(name: str) -> Method:
    return METHODS[name]
