"""The methods a recipe can name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from shoal.data.registry import Registry, asked_of
from shoal.data.schema import Kind
from shoal.methods.added import AddedMethod
from shoal.methods.mixed.rfirst import RFirst
from shoal.methods.mixed.rum_bound import RumBound
from shoal.methods.mixed.tfirst import TFirst
from shoal.methods.mixed.tum_bound import TumBound
from shoal.methods.sets.apriori import Apriori
from shoal.methods.sets.cahd import Cahd
from shoal.methods.sets.nonreciprocal import Nonreciprocal
from shoal.methods.tables.auto import Auto
from shoal.methods.tables.cluster import Cluster
from shoal.methods.tables.frontier import FrontierMethod
from shoal.methods.tables.incognito import Incognito
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.mstk import Mstk
from shoal.methods.tables.optimal import Optimal
from shoal.methods.tables.poka import Poka
from shoal.methods.trees.acs import Acs
from shoal.methods.trees.cluster import TreeCluster
from shoal.methods.trees.gcs import Gcs
from shoal.methods.trees.inplace import Inplace
from shoal.methods.trees.ocs import Ocs

if TYPE_CHECKING:
    from shoal.methods.method import Method


def accepted(name: str, method: Any) -> Method:
    """A method that does not declare its kind is refused: nothing would tell what data it may be asked about."""
    own = type(method).__module__.startswith("shoal.")
    if isinstance(method, type):  # of another package
        method, own = method(), False
    if getattr(method, "kind", None) not in get_args(Kind):
        raise TypeError(f"The method {type(method).__name__} declares no kind: {', '.join(get_args(Kind))}.")
    asked_of(method, ("name", "title", "keys", "problems", "decide"), "method")
    if method.name != name:
        raise TypeError(f"It calls itself '{method.name}'.")
    return cast("Method", method if own else AddedMethod(method))


def registered(*methods: Method) -> Registry[Method]:
    """By name; and what other packages add."""
    return Registry("shoal.methods", "method", accepted, ((method.name, method) for method in methods))


METHODS: Registry[Method] = registered(
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
    Inplace(),
    Acs(),
    TreeCluster(),
)


def kind_of(name: str) -> Kind:
    """Of what data a method works on."""
    return METHODS[name].kind


def method_from(name: str) -> Method:
    """The method of this name."""
    return METHODS[name]
