"""An outsider's check of a published file: `verify_by_recipe(file, recipe)` gives a verdict, with witnesses when it fails.

This file stays light: whoever only asks for a verdict's type loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.verifier.verdict import Check, Verdict, Witness

if TYPE_CHECKING:
    from shoal.verifier.audit import verify_release
    from shoal.verifier.by_recipe import verify_by_recipe
    from shoal.verifier.terms import Terms

__all__ = ["Check", "Terms", "Verdict", "Witness", "verify_by_recipe", "verify_release"]

_HOMES = {"Terms": "terms", "verify_by_recipe": "by_recipe", "verify_release": "audit"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal.verifier' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"shoal.verifier.{_HOMES[name]}"), name)
