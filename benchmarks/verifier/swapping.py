"""Putting a mutant into a process that has the module loaded: code is swapped in the functions that there are.

Nobody who imported a function holds the old one then, and nothing has to be loaded again. What is computed when a module is loaded
(tables, defaults, values of classes) is computed again, and put where the old one stands.
"""

from __future__ import annotations

import gc
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

from benchmarks.verifier.mutations import Mutant


def swap(mutant: Mutant) -> None:
    """May raise what the mutant raises when it is loaded."""
    code = compile(mutant.tree(), str(mutant.path), "exec")
    codes: dict[tuple[str, int], CodeType] = {}
    _gather(code, codes)
    gc.unfreeze()  # what is frozen is not listed
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename == str(mutant.path):
            new = codes.get((one.__code__.co_qualname, one.__code__.co_firstlineno))
            if new is not None and len(new.co_freevars) == len(one.__code__.co_freevars):
                one.__code__ = new
    if not mutant.in_function:
        module = sys.modules[mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")]
        _load_again(module, code)


def _gather(code: CodeType, found: dict[tuple[str, int], CodeType]) -> None:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            found[one.co_qualname, one.co_firstlineno] = one
            _gather(one, found)


def _load_again(module: ModuleType, code: CodeType) -> None:
    fresh: dict[str, Any] = {key: module.__dict__[key] for key in ("__name__", "__package__", "__file__", "__spec__")}
    exec(code, fresh)
    for name, new in fresh.items():
        old = module.__dict__.get(name)
        if name.startswith("__") or old is new:
            continue
        if isinstance(new, FunctionType) and isinstance(old, FunctionType):
            old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
        elif isinstance(new, type) and isinstance(old, type):
            _same_class(old, new)
        elif not isinstance(new, type | FunctionType) and repr(new) != repr(old):
            for other in [one for key, one in list(sys.modules.items()) if key.startswith("shoal")]:
                if other.__dict__.get(name) is old:
                    setattr(other, name, new)


def _same_class(old: type, new: type) -> None:
    for name, value in vars(new).items():
        before = vars(old).get(name)
        if isinstance(value, FunctionType) and isinstance(before, FunctionType):
            before.__defaults__, before.__kwdefaults__ = value.__defaults__, value.__kwdefaults__
        elif isinstance(value, bool | int | str | tuple | frozenset) and not name.startswith("__") and value != before:
            setattr(old, name, value)
