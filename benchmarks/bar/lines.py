"""The fourteen lines of the bar, and for each the tests and scripts that stand behind it.

A line holds when all its commands go well now, each figure in `wanted` is reached, by this run or by a long run on record, and
nothing is `missing`. What no test or script shows is written as missing, so that the line does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.bar.records import Kept, Mutants, Record, Summed, Swept
from benchmarks.bar.steps import Figures, Script, Selection
from benchmarks.every_kind import whole
from benchmarks.verifier.parts import PARTS

Step = Selection | Script


@dataclass(frozen=True)
class Line:
    number: int
    claim: str
    short: tuple[Step, ...]
    long: tuple[Step, ...] = ()  # none: the short form is the whole
    wanted: Mapping[str, int] = field(default_factory=dict)  # at least so much of a figure
    records: Mapping[str, tuple[Kept, ...]] = field(default_factory=dict)  # of a figure in `wanted`
    missing: str = ""


def _judged(printed: dict) -> tuple[Figures, str]:
    kinds = printed.get("guarantees") or printed["kinds"]
    figures = {
        "cases for each promise": min(one["cases"] for one in kinds.values() if one.get("planted")),
        "breaches for each promise": min(one["planted"] for one in kinds.values() if one.get("planted")),
    }
    missed = sum(one.get("planted", 0) - one.get("caught", 0) for one in kinds.values())
    one_sided = [kind for kind, one in kinds.items() if not 0 < one["kept"] < one["cases"]]
    fault = f"{printed['disagreements']} disagreements, {missed} missed" if printed["disagreements"] or missed else ""
    return figures, fault or (f"all cases alike: {', '.join(one_sided)}" if one_sided else "")


def _judges(tables: tuple[int, int], others: tuple[int, int]) -> tuple[Script, ...]:
    steps = []
    for kind in ("tables", "sets", "mixed", "trees"):
        cases, planted = tables if kind == "tables" else others
        numbers = ("--cases", str(cases), "--planted", str(planted))
        steps.append(Script((f"benchmarks.verifier.{kind}", *numbers), _judged))
    return tuple(steps)


def _judge_records(column: str, what: str) -> tuple[Record | Summed, ...]:
    """Of tables a table of the evidence, of the others the sums of all runs."""
    tables = Record("tables", "verifier.md", "python -m benchmarks.verifier.tables --cases 100000", column)
    return (tables, *(Summed(kind, what) for kind in ("sets", "mixed", "trees")))


def _lattices(printed: dict) -> tuple[Figures, str]:
    wrong = printed["mismatches"]
    return {"lattices": printed["lattices"]}, f"{wrong} lattices differ" if wrong else ""


def _methods(printed: dict) -> tuple[Figures, str]:
    figures = {"releases verified": printed["verified"], "cases that a method refuses": len(printed["refused"])}
    wrong = len(printed["failures"]), len(printed["unfinished"])
    return figures, "{} failures, {} not finished".format(*wrong) if any(wrong) else ""


def _meters(printed: dict) -> tuple[Figures, str]:
    every = [one for kind in printed["kinds"].values() for one in kind["attacks"]]
    left = [name for kind in printed["kinds"].values() for name in kind["left_out"]]
    broken = [one["name"] for one in every if one["kept"] is False]
    figures = {"kinds of attack": len(every), "attacks of each": min(one["attacks"] for one in every)}
    return figures, ", ".join(
        [f"{name}: more than promised" for name in broken] + [f"{name}: left out" for name in left]
    )


def _mutants(printed: dict) -> tuple[Figures, str]:
    alive = len(printed["survivors"]) + len(printed["not_reached"])
    figures = {"mutants tried now": printed["tried"], "killed": printed["killed"]}
    return figures, f"{alive} survived" if alive else ""


def _fuzzed(printed: dict) -> tuple[Figures, str]:
    figures = {"readers fuzzed": printed["readers"], "files tried": printed["inputs"]}
    return figures, f"{printed['faults']} faults found" if printed["faults"] else ""


def _office(printed: dict) -> tuple[Figures, str]:
    figures = {"office files": printed["files"]}
    slow = [name for name, one in printed["results"].items() if max(one[who]["seconds"] for who in _READERS) >= 5]
    large = [name for name, one in printed["results"].items() if max(one[who]["megabytes"] for who in _READERS) >= 512]
    most = f"{printed['most_seconds']} s and {printed['most_megabytes']} MB at most"
    return figures, f"above 5 s or 512 MB ({most}): {', '.join(sorted({*slow, *large}))}" if slow or large else ""


_TRIED, _DEAD = "percent of the mutants tried", "percent of those tried that died or are equivalent"
_SWEPT, _TABLES = "cases of sets, mixed tables and trees in full", "the sweep of tables in full"
_SMALL = "chess,informs_sets,informs,congress"  # a file of each kind, and every method of sets, mixed tables and trees
_READERS = ("makers", "verifier")
_FAULTS = ("tests/faults/test_run_faults.py", "tests/faults/test_publish_faults.py")
_EVERY = "SHOAL_FAULTS=all pytest tests/faults"

LINES = (
    Line(
        1,
        "the verifier agrees with brute force from the definition",
        _judges((300, 100), (100, 50)),
        _judges((100_000, 10_000), (100_000, 10_000)),
        {"cases for each promise": 100_000},
        {"cases for each promise": _judge_records("releases judged", "cases")},
    ),
    Line(
        2,
        "the verifier catches planted breaches",
        _judges((300, 100), (100, 50)),
        _judges((100_000, 10_000), (100_000, 10_000)),
        {"breaches for each promise": 10_000},
        {"breaches for each promise": _judge_records("breaches planted", "planted")},
    ),
    Line(
        3,
        "mutation testing of the verifier and of the publish path",
        (Script(("benchmarks.verifier.mutants", "--of", "mixed", "--seconds", "60"), _mutants),),
        tuple(Script(("benchmarks.verifier.mutants", "--of", part, "--thorough"), _mutants) for part in PARTS),
        {_TRIED: 100, _DEAD: 100},
        {_TRIED: (Mutants(tuple(PARTS)),), _DEAD: (Mutants(tuple(PARTS), dead=True),)},
    ),
    Line(
        4,
        "real data end to end: the file that is read again verifies",
        (
            Selection(("tests/real/test_every_method.py",), "releases of tables"),
            Script(("benchmarks.every_kind", "--data", _SMALL, "--k", "5", "--rows", "300", "--budget", "2"), _methods),
        ),
        (Script(("benchmarks.tables.every_method",), _methods), Script(("benchmarks.every_kind",), _methods)),
        {_SWEPT: len(whole()), _TABLES: 1},
        {
            _SWEPT: (Swept(tuple(whole())),),
            _TABLES: (Record("tables", "tables.md", "python -m benchmarks.tables.every_method"),),
        },
    ),
    Line(
        5,
        "nothing lost: records in = records out + suppressed, and every value covers its original",
        (
            Selection(
                (
                    "tests/properties/verifier/test_verify_against_originals.py",
                    "tests/properties/verifier/test_verify_trees_originals.py",
                    "tests/properties/verifier/test_assignments_are_checked.py",
                    "tests/properties/test_originals_agree.py",
                    "tests/unit/verifier/originals",
                    "tests/properties/tables/test_methods_are_verified.py",
                    "tests/properties/test_random_recipes.py",
                ),
                "tests",
            ),
        ),
    ),
    Line(
        6,
        "the exact frontier equals exhaustive enumeration",
        (Script(("benchmarks.tables.frontier_long_run", "--cases", "10000"), _lattices),),
        wanted={"lattices": 10_000},
    ),
    Line(
        7,
        "bad input: none releases, hangs, shows a traceback or passes the memory cap",
        (
            Selection(
                (
                    "tests/unit/io/test_bad_input.py",
                    "tests/unit/io/test_damaged_parquet.py",
                    "tests/unit/io/trees/test_strict_json.py",
                    "tests/unit/hierarchies/test_malformed.py",
                    "tests/unit/verifier/originals/test_bad_csv.py",
                ),
                "cases",
            ),
            Script(("benchmarks.fuzz", "--together", "--seconds", "20"), _fuzzed),
        ),
        (Script(("benchmarks.fuzz", "--seconds", "600"), _fuzzed),),
        wanted={"cases": 1_000},
    ),
    Line(
        8,
        "crash: killed at every operation and at random, the output is absent or verified",
        (Selection(_FAULTS, "tests", "killed or kills or replace_each_other or shim"),),
        (Selection(_FAULTS, "tests", "killed or kills or shim", {"SHOAL_FAULTS": "all", "SHOAL_KILLS": "1300"}),),
        {"random kills": 1_000},
        {
            "random kills": (
                Record(
                    "random kills", "crash.md", "SHOAL_KILLS=1300 pytest", "how often", "SIGKILL after a random time"
                ),
            )
        },
    ),
    Line(
        9,
        "full disk, I/O error: no release, exit ≠ 0",
        (Selection(_FAULTS, "tests", "failed or failure or fault_is or shim"),),
        (Selection(_FAULTS, "tests", "failed or failure or fault_is or shim", {"SHOAL_FAULTS": "all"}),),
        {"all operations": 1},
        {"all operations": (Record("every operation", "crash.md", _EVERY),)},
    ),
    Line(
        10,
        "attack meters: at least 10,000 attacks each, none above its bound, and a planted leak is found",
        (
            Script(("benchmarks.attacked_data",), _meters),
            Selection(("tests/unit/attacks", "tests/unit/release/test_attack.py"), "tests, planted leaks among them"),
        ),
        wanted={"attacks of each": 10_000},
    ),
    Line(
        11,
        "canaries: no input cell in logs, temporary files, errors, report or metadata",
        (
            Selection(
                (
                    "tests/unit/io/test_canary.py",
                    "tests/unit/release/test_where_cells_stand.py",
                    "tests/unit/release/test_canaries.py",
                    "tests/properties/test_random_recipes.py",
                ),
                "tests",
            ),
        ),
    ),
    Line(
        12,
        "bombs are refused in less than 5 s and 512 MB",
        (
            Selection(("tests/faults/test_every_bomb.py", "tests/faults/test_bombs_in_originals.py"), "tests"),
            Script(("benchmarks.office_bombs",), _office),
        ),
        wanted={"bombs": 100},
    ),
    Line(
        13,
        "local server: hostile requests, none accepted",
        (Selection(("tests/unit/studio/test_guard.py",), "requests", "hostile_requests_are_refused"),),
        wanted={"requests": 100},
    ),
    Line(
        14,
        "supply chain: lock with hashes, list of contents in the wheel, no known high CVE",
        (Selection(("tests/surroundings/test_package.py",), "tests"),),
        missing="known faults are asked of safety-db alone (benchmarks.known_faults), whose last free database is of 2021; newer "
        "ones take pip-audit and a network",
    ),
)
