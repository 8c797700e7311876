"""An outsider's check of a published file: `verify_release(file, terms)` gives a verdict, with witnesses when it fails."""

from shoal.verify.audit import verify_release
from shoal.verify.terms import Terms
from shoal.verify.verdict import Check, Verdict, Witness

__all__ = ["Check", "Terms", "Verdict", "Witness", "verify_release"]
