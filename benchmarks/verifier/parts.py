"""The parts of the verifier and the publish path, and the tests of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.lib.places import PROJECT

_UNITS = "tests/unit/verifier"
_BRUTE = "tests/properties/verifier"


@dataclass(frozen=True)
class Part:
    folder: str  # below src/shoal
    tests: tuple[str, ...]
    deep: bool = True  # with the folders below

    def files(self) -> list[Path]:
        folder = PROJECT / "src/shoal" / self.folder
        return sorted(folder.rglob("*.py") if self.deep else folder.glob("*.py"))


PARTS = {
    "tables": Part(
        "verifier/tables",
        (
            f"{_UNITS}/tables",
            f"{_UNITS}/test_verify_release.py",
            f"{_UNITS}/test_verify_matching.py",
            f"{_BRUTE}/test_verify_brute_force.py",
            f"{_BRUTE}/test_assignments_are_checked.py",
            f"{_BRUTE}/test_verify_against_originals.py",
        ),
    ),
    "sets": Part("verifier/sets", (f"{_UNITS}/sets", f"{_BRUTE}/test_verify_sets_brute_force.py")),
    "mixed": Part("verifier/mixed", (f"{_UNITS}/mixed", f"{_BRUTE}/test_verify_mixed_brute_force.py")),
    "trees": Part(
        "verifier/trees",
        (
            f"{_UNITS}/trees",
            f"{_BRUTE}/test_verify_trees_brute_force.py",
            f"{_BRUTE}/test_verify_trees_originals.py",
            f"{_BRUTE}/test_verify_trees_denials.py",
            f"{_BRUTE}/test_verify_trees_stretches.py",
        ),
    ),
    "files": Part(
        "verifier/files",
        (
            f"{_UNITS}/files",
            f"{_UNITS}/trees/test_verify_one_form.py",
            "tests/unit/io/footers",
            "tests/unit/io/test_parquet_sizes.py",
            "tests/unit/io/stores/test_store_addresses.py",
            "tests/unit/release/test_what_is_beside.py",
            "tests/properties/tables/test_office_readers.py",
        ),
    ),
    "originals": Part("verifier/originals", (f"{_UNITS}/originals", "tests/properties/test_originals_agree.py")),
    "recipe": Part("verifier/recipe", (f"{_UNITS}/recipe", f"{_UNITS}/test_verify_terms.py")),
    "hierarchies": Part("verifier/hierarchies", ("tests/properties/test_verifier_hierarchies.py", f"{_UNITS}/recipe")),
    "sql": Part("verifier/sql", (f"{_UNITS}/test_verify_running.py", f"{_UNITS}/test_verify_release.py")),
    "shared": Part(
        "verifier",
        (
            *(f"{_UNITS}/test_verify_{name}.py" for name in ("domain", "matching", "order", "other_tools", "release")),
            *(f"{_UNITS}/test_verify_{name}.py" for name in ("running", "source", "terms", "text", "unique", "values")),
            f"{_UNITS}/test_cautions.py",
            f"{_UNITS}/tables",
        ),
        deep=False,
    ),
    "publish": Part("io/publishing", ("tests/unit/io/publishing",)),
}
