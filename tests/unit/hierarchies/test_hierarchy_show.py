"""The tree in the terminal."""

from __future__ import annotations

from shoal.hierarchies.hierarchy import Hierarchy
from shoal.hierarchies.show import as_dict, show

PLACES = Hierarchy.from_paths([("FR", "Europe", "*"), ("DE", "Europe", "*"), ("JP", "Asia", "*"), (None, None, "*")])


def test_a_tree_with_the_number_of_values() -> None:
    assert show(PLACES).splitlines() == [
        "*  (4 values)",
        "├── Europe  (2 values)",
        "│   ├── FR",
        "│   └── DE",
        "├── Asia  (1 value)",
        "│   └── JP",
        "└── (missing)",
    ]


def test_a_tree_with_the_number_of_records() -> None:
    counts = {"FR": 1200, "JP": 1, None: 3, "XX": 2}
    assert show(PLACES, counts, ascii_only=True).splitlines() == [
        "*  (1,204 records)",
        "|-- Europe  (1,200 records)",
        "|   |-- FR  (1,200 records)",
        "|   `-- DE  (0 records)",
        "|-- Asia  (1 record)",
        "|   `-- JP  (1 record)",
        "`-- (missing)  (3 records)",
        "2 records with values that are not in the hierarchy",
    ]


def test_depth_cuts_the_tree() -> None:
    assert show(PLACES, depth=1).splitlines() == [
        *("*  (4 values)", "├── Europe  (2 values)", "├── Asia  (1 value)", "└── (missing)"),
    ]
    assert show(PLACES, depth=0) == "*  (4 values)"


def test_long_lists_are_folded() -> None:
    wide = Hierarchy.from_paths([(str(n), "*") for n in range(100)])
    lines = show(wide, fold=5).splitlines()
    assert lines[1:] == ["├── 0", "├── 1", "├── 2", "├── 3", "└── … 96 more  (96 values)"]
    assert len(show(wide, fold=100).splitlines()) == 101
    assert show(wide, {"7": 4}, fold=5).splitlines()[-1] == "└── … 96 more  (4 records)"


def test_a_label_cannot_command_the_terminal() -> None:
    wild = Hierarchy.from_paths([("\x1b[31mred\u202e", "*"), ("", "*")])
    assert show(wild).splitlines()[1:] == ["├── \\x1b[31mred\\u202e", "└── (empty)"]


def test_a_very_wide_tree_is_quick() -> None:
    wide = Hierarchy.from_paths([(str(n), f"g{n // 10}", "*") for n in range(50_000)])
    assert len(show(wide).splitlines()) == 1 + 11 * 11 + 1


def test_the_same_for_machines() -> None:
    tree = as_dict(PLACES, {"FR": 2})
    assert tree["records"] == 2
    europe = {"label": "FR", "values": 1, "records": 2}, {"label": "DE", "values": 1, "records": 0}
    assert tree["children"][0] == {"label": "Europe", "values": 2, "records": 2, "children": list(europe)}  # type: ignore[index]
