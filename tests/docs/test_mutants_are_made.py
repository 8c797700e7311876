"""The tools behind the bar: mutants are made, named and put in place; sums of runs add up and no block counts twice."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

from doc_pages import PROJECT

sys.path.insert(0, str(PROJECT))
from benchmarks.lib.sums import Sums, read
from benchmarks.verifier.mutations import mutants_of
from benchmarks.verifier.swapping import swap
from shoal.verifier import whole_numbers
from shoal.verifier.sets.audit import _PARAMETERS

SOURCE = Path(whole_numbers.__file__).parents[2]  # what this process has loaded: an installed package, or the source


def test_every_mutant_has_a_name_of_its_own_and_differs(tmp_path) -> None:
    path = tmp_path / "some.py"
    path.write_text(
        "LEAST = 2\n\n\ndef enough(n, k):\n    if n >= k and not k < LEAST:\n        return [n]\n    return None\n"
    )
    found = list(mutants_of(path, tmp_path))
    assert len({one.name for one in found}) == len(found)
    assert Counter(one.change for one in found) == {
        "2 → 3": 1, "condition negated": 1, "And → Or": 1, "GtE → Gt": 1, "not removed": 1, "Lt → LtE": 1, "returns nothing": 1,
    }  # fmt: skip
    assert [one.in_function for one in found] == [False, *[True] * 6]
    assert found[0].name == "some.py top: `LEAST = 2` [2 → 3]"


def test_a_mutant_is_what_everybody_calls() -> None:
    """In a process of its own, which says by its exit code what it saw."""
    path = SOURCE / "shoal/verifier/sets/audit.py"
    table = next(one for one in mutants_of(path, SOURCE) if one.change == "2 → 3" and not one.in_function)
    path = SOURCE / "shoal/verifier/whole_numbers.py"
    function = next(one for one in mutants_of(path, SOURCE) if one.change == "returns nothing")
    call = getattr(whole_numbers, function.scope)
    before = call.__code__
    child = os.fork()
    if not child:
        try:
            swap(table)
            swap(function)
            from shoal.verifier.sets import audit

            os._exit(0 if call.__code__ != before and audit._PARAMETERS["km-anonymity"]["k"] == 3 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert _PARAMETERS["km-anonymity"]["k"] == 2


def test_sums_go_on_where_they_ended(tmp_path) -> None:
    path = tmp_path / "sums.json"
    first = Sums(path, "sets", {"date": "2026-01-02"})
    first.add("cases", 0, Counter({("a", "cases"): 5, ("b", "cases"): 7, ("rare", "cases"): 1}), 0, 1.2)
    first.add("cases", 1, Counter({("a", "cases"): 5}), 1, 1.0)
    Sums(path, "trees", {"date": "2026-01-02"}).add("planted", 4, Counter({("c", "planted"): 2}), 0, 0.1)
    again = Sums(path, "sets", {"date": "2026-01-03"})
    assert (again.least("cases", "ab"), again.least("planted", "ab"), again.disagreements) == (7, 0, 1)
    assert again.done == {"cases": {0, 1}}
    again.add("cases", 3, Counter({("b", "cases"): 1}), 0, 3.0)
    told = read(path)
    assert told["sets"]["blocks"] == {"cases": [[0, 1], [3, 3]]}
    assert [run["cpu_seconds"] for run in told["sets"]["runs"]] == [2, 3]
    assert told["trees"]["kinds"] == {"c": {"planted": 2}}
