"""What other packages add: it is found, named and held to the same verdict; what lies or fails is refused with its reason."""

from __future__ import annotations

import sys
from textwrap import dedent

import pyarrow as pa
import pytest

import shoal
from shoal.guarantees import GUARANTEES
from shoal.loss import LOSSES
from shoal.methods.registry import METHODS, accepted
from shoal.release.compare import _known
from shoal.verifier.verdict import ADDED

FRAME = pa.table(
    {"age": [str(20 + i) for i in range(24)], "town": ["Ulm", "Kiel"] * 12, "illness": ["flu", "none", "flu"] * 8}
)
RECIPE = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20], "from": 0, "to": 100}},
        "town": {"role": "quasi"},
        "illness": {"role": "sensitive"},
    },
    "guarantee": [{"name": "k-anonymity", "k": 3}],
    "method": {"name": "optimal"},
}
METHOD = """
from shoal.extend import Table
class Top:
    name, kind, title, keys = "top", "tables", "Everything at the top", {}
    def problems(self, options):
        return [f"no key {key}" for key in options]
    def decide(self, engine, problem, listener, **options):
        table = Table(engine, problem, listener)
        return table.at_levels(table.heights)
class Liar(Top):
    name = "liar"
    def decide(self, engine, problem, listener, **options):
        from dataclasses import replace
        honest = Table(engine, problem, listener)
        loose = Table(engine, replace(problem, guarantees=(), suppression=problem.suppression), listener)
        return replace(loose.at_levels([0] * len(honest.columns)), limit=0)
class Crash(Top):
    name = "crash"
    def decide(self, engine, problem, listener, **options):
        raise KeyError("Ulm, a cell of the data")
class Nothing(Top):
    name = "nothing"
    def decide(self, engine, problem, listener, **options):
        return None
class Boaster(Top):
    name = "boaster"
    def decide(self, engine, problem, listener, **options):
        from dataclasses import replace
        from fractions import Fraction
        decision = super().decide(engine, problem, listener)
        return replace(decision, loss=Fraction(0), optimal=True, bound=1.0, floor=0.9)
class Empty(Top):
    name = "empty"
    def decide(self, engine, problem, listener, **options):
        from dataclasses import replace
        return replace(super().decide(engine, problem, listener), recoding=None)
class Kindless(Top):
    name, kind = "kindless", "lists"
class Misnamed(Top):
    name = "top"
"""
METHODS_OF = dedent(
    """
    [shoal.methods]
    top = added_methods:Top
    liar = added_methods:Liar
    crash = added_methods:Crash
    nothing = added_methods:Nothing
    boaster = added_methods:Boaster
    empty = added_methods:Empty
    kindless = added_methods:Kindless
    misnamed = added_methods:Misnamed
    gone = no_such_module:Method
    optimal = added_methods:Top
    """
)
PROMISE = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
@dataclass(frozen=True)
class Pairs:
    least: int
    name: ClassVar = "pairs"
    kind: ClassVar = "tables"
    k: ClassVar = None
    l: ClassVar = None
    m: ClassVar = None
    n: ClassVar = None
    sensitive: ClassVar = None
    monotone: ClassVar = True
    monotone_with_suppression: ClassVar = True
    def sentence(self):
        return "Nobody is alone."
    def technical(self):
        return f"pairs of {self.least}"
    def failing(self, classes):
        return classes.sizes < self.least
@dataclass(frozen=True)
class Unchecked(Pairs):
    name: ClassVar = "unchecked"
@dataclass(frozen=True)
class Lie(Pairs):
    name: ClassVar = "lie"
    def failing(self, classes):
        return np.zeros(len(classes.sizes), bool)
def check(classes, parameters):
    return [i for i, one in enumerate(classes) if one.size < parameters["least"]]
def crash(classes, parameters):
    raise ValueError("a cell of the data")
def strange(classes, parameters):
    return [len(classes)]
@dataclass(frozen=True)
class Crashing(Pairs):
    name: ClassVar = "crashing"
@dataclass(frozen=True)
class Strange(Pairs):
    name: ClassVar = "strange"
"""
PROMISES_OF = dedent(
    """
    [shoal.guarantees]
    pairs = added_promises:Pairs
    unchecked = added_promises:Unchecked
    lie = added_promises:Lie
    crashing = added_promises:Crashing
    strange = added_promises:Strange
    [shoal.checks]
    pairs = added_promises:check
    lie = added_promises:check
    crashing = added_promises:crash
    strange = added_promises:strange
    """
)


def forget() -> None:
    for registry in (METHODS, LOSSES, GUARANTEES):
        registry.forget()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a package where Python finds it, as pip would leave it."""

    def put(module: str, source: str, entry_points: str, name: str = "") -> None:
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{name or module}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name or module}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(entry_points)
        monkeypatch.syspath_prepend(tmp_path)
        forget()

    yield put
    for module in [name for name in sys.modules if name.startswith("added_")]:
        del sys.modules[module]
    monkeypatch.undo()
    forget()


def recipe(**more: object) -> dict:
    return {**RECIPE, **more}


def test_a_method_is_listed_runs_and_is_named_in_the_report(install) -> None:
    install("added_methods", METHOD, METHODS_OF)
    assert METHODS.added == ("top", "liar", "crash", "nothing", "boaster", "empty")
    assert METHODS.package("top").version == "1.2" and METHODS.package("optimal") is None
    release = shoal.anonymize(FRAME, recipe(method={"name": "top"}))
    assert release.verdict.passed and release.verdict.smallest_class == 24
    assert ("added_methods", "1.2") in release.described.facts.identity.versions


def test_what_shoal_has_itself_cannot_be_replaced(install) -> None:
    before = METHODS["optimal"]
    install("added_methods", METHOD, METHODS_OF)
    assert METHODS["optimal"] is before


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("kindless", "declares no kind"),
        ("misnamed", "calls itself 'top'"),
        ("gone", "failed while it was loaded .ModuleNotFoundError"),
    ],
)
def test_one_that_cannot_be_used_says_why_when_it_is_named(install, name, reason) -> None:
    install("added_methods", METHOD, METHODS_OF)
    assert name not in list(METHODS) and name in METHODS.broken
    with pytest.raises(shoal.RecipeError, match=reason):
        shoal.Recipe.of(recipe(method={"name": name}))
    assert shoal.anonymize(FRAME, RECIPE).verdict.passed  # others are not disturbed


def test_a_method_that_lies_about_its_guarantee_is_refused(install) -> None:
    install("added_methods", METHOD, METHODS_OF)
    with pytest.raises(shoal.NotAnonymous, match="nothing was published"):
        shoal.anonymize(FRAME, recipe(method={"name": "liar"}))


def test_methods_are_compared_and_one_that_lies_fails_beside_the_others(install) -> None:
    install("added_methods", METHOD, METHODS_OF)
    assert {"top", "optimal"} <= set(_known(None, "tables"))  # also where the studio compares: it names none
    facts = {one.method: one for one in shoal.compare(FRAME, RECIPE, ["optimal", "top", "liar", "crash"]).methods}
    assert [facts[name].outcome for name in ("optimal", "top", "liar", "crash")] == ["pass", "pass", "fail", "none"]


@pytest.mark.parametrize(
    ("name", "reason"), [("crash", "failed .KeyError"), ("nothing", "decided nothing"), ("empty", "decided nothing")]
)
def test_a_method_that_fails_quotes_no_cell(install, name, reason) -> None:
    install("added_methods", METHOD, METHODS_OF)
    with pytest.raises(shoal.RecipeError, match=reason) as refused:
        shoal.anonymize(FRAME, recipe(method={"name": name}))
    assert "Ulm" not in str(refused.value)


def test_what_a_method_says_of_itself_is_measured_and_not_believed(install) -> None:
    install("added_methods", METHOD, METHODS_OF)
    honest, boaster = (shoal.anonymize(FRAME, recipe(method={"name": name})) for name in ("top", "boaster"))
    assert boaster.loss == honest.loss == 1.0
    assert not boaster.decision.optimal and boaster.decision.bound == 0.0


def test_keys_of_a_method_are_its_own_matter(install) -> None:
    install("added_methods", METHOD, METHODS_OF)
    with pytest.raises(shoal.RecipeError, match="no key depth"):
        shoal.Recipe.of(recipe(method={"name": "top", "depth": 2}))


def test_two_packages_that_add_the_same_name_are_both_refused(install) -> None:
    install("added_methods", METHOD, "[shoal.methods]\ntop = added_methods:Top\n")
    install("added_others", METHOD, "[shoal.methods]\ntop = added_others:Top\n")
    with pytest.raises(shoal.RecipeError, match="two packages add it"):
        shoal.Recipe.of(recipe(method={"name": "top"}))


def test_a_promise_is_judged_by_its_own_check_and_the_verdict_says_so(install) -> None:
    install("added_promises", PROMISE, PROMISES_OF)
    release = shoal.anonymize(FRAME, recipe(guarantee=[{"name": "pairs", "least": 4}]))
    assert release.verdict.smallest_class >= 4
    assert ADDED in release.verdict.codes
    assert "added_promises 1.2" in "".join(release.warnings)
    breach = shoal.verify(FRAME, recipe(guarantee=[{"name": "pairs", "least": 4}]))
    assert not breach.passed and breach.witnesses


def test_a_promise_without_a_check_is_refused(install) -> None:
    install("added_promises", PROMISE, PROMISES_OF)
    with pytest.raises(shoal.RecipeError, match="ships no check"):
        shoal.Recipe.of(recipe(guarantee=[{"name": "unchecked", "least": 4}]))


@pytest.mark.parametrize(
    ("name", "error", "reason"),
    [
        ("lie", shoal.NotAnonymous, "nothing was published"),
        ("crashing", shoal.RecipeError, "failed .ValueError"),
        ("strange", shoal.RecipeError, "failed .ValueError"),
    ],
)
def test_a_promise_that_lies_or_whose_check_fails_is_refused(install, name, error, reason) -> None:
    install("added_promises", PROMISE, PROMISES_OF)
    with pytest.raises(error, match=reason) as refused:
        shoal.anonymize(FRAME, recipe(guarantee=[{"name": name, "least": 4}]))
    assert "a cell of the data" not in str(refused.value)


def test_what_has_lost_a_part_is_refused_when_it_is_accepted() -> None:
    class Half:
        name, kind, title = "half", "tables", "Half a method"

    with pytest.raises(TypeError, match="`keys`, `problems`, `decide`"):
        accepted("half", Half())
