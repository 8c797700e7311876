"""An outsider's check of a published file: `verify_release(file, terms)` gives a verdict, with witnesses when it fails.

This file stays light: `shoal` imports it at once, so that the function `shoal.verify` can have the package's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.verify.verdict import Check, Verdict, Witness

if TYPE_CHECKING:
    from shoal.verify.audit import verify_release
    from shoal.verify.terms import Terms

__all__ = ["Check", "Terms", "Verdict", "Witness", "verify_release"]


def __getattr__(name: str) -> Any:
    if name == "verify_release":
        from shoal.verify.audit import verify_release

        return verify_release
    if name == "Terms":
        from shoal.verify.terms import Terms

        return Terms
    raise AttributeError(f"module 'shoal.verify' has no attribute '{name}'")
