"""Check a release that somebody handed over, and say what was found: verdict, witnesses, signature, risk."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.release.assess import risk
from shoal.release.check import check_release
from shoal.release.recipe.recipe import Recipe
from shoal.release.signature.check import check_signature
from shoal.report.charts.people import people

if TYPE_CHECKING:
    from shoal.methods.method import Listener
    from shoal.verifier.verdict import Witness

_WITNESSES = 5  # that are shown


def examine(
    release: Path,
    recipe: Path,
    *,
    original: Path | str | None = None,
    exempt_suppressed: bool = False,
    any_order: bool = False,
    listener: Listener = lambda _: None,
) -> dict[str, Any]:
    """As JSON holds it. The verdict is the verifier's; a signature that does not fit is one more failed check."""
    stated = Recipe.load(recipe)
    verdict = check_release(
        release,
        stated,
        original=original,
        exempt_suppressed=exempt_suppressed,
        any_order=any_order,
        engine="local",
        listener=listener,
    )
    signature = check_signature(release, recipe)
    return {
        "passed": verdict.passed,
        "verdict": f"{'Meets' if verdict.passed else 'Does not meet'} the stated guarantee",
        "checks": [asdict(check) for check in verdict.checks],
        "witnesses": [_shown(one, stated.smallest_class) for one in verdict.witnesses[:_WITNESSES]],
        "warnings": list(map(str, verdict.warnings)),
        "promises": [{"sentence": one.sentence(), "technical": one.technical()} for one in stated.guarantees],
        "records": verdict.records,
        "classes": verdict.classes,
        "smallest_class": verdict.smallest_class,
        "kind": verdict.kind,
        "signature": None if signature is None else signature.to_json(),
        "risk": _risk(release, stated, listener),
        "compared": original is not None,
    }


def _shown(witness: Witness, promised: int) -> dict[str, Any]:
    counts_people = witness.guarantee.endswith("-anonymity") and 0 < witness.size < promised
    return {**asdict(witness), "picture": people(witness.size, promised) if counts_people else ""}


def _risk(release: Path, recipe: Recipe, listener: Listener) -> dict[str, str]:
    """The figures of `shoal risk` about the release; none where they cannot be counted from the release alone."""
    try:
        return dict(risk(release, recipe, listener=listener).rows())
    except ShoalError:
        return {}
