"""The bar: every line rests on tests and modules that are there, or says what is missing; figures come from what ran."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from datetime import date

import pytest
from doc_pages import PROJECT

sys.path.insert(0, str(PROJECT))
from benchmarks.bar import records
from benchmarks.bar.lines import LINES
from benchmarks.bar.records import Record, look_up
from benchmarks.bar.steps import Outcome, Script, Selection, counted
from benchmarks.trust import closing, judge, page, renewed, table

STEPS = [step for line in LINES for step in (*line.short, *line.long)]


def test_there_are_fourteen_lines_and_each_rests_on_something() -> None:
    assert [line.number for line in LINES] == list(range(1, 15))
    assert all(line.short or line.missing for line in LINES)
    assert all(set(line.records) <= set(line.wanted) for line in LINES)


def test_scripts_are_there() -> None:
    for step in STEPS:
        if isinstance(step, Script):
            assert importlib.util.find_spec(step.arguments[0]), step.command


@pytest.mark.slow
def test_tests_are_there() -> None:
    """Each selection collects something; what does not exist makes pytest fail."""
    for step in {step.command: step for step in STEPS if isinstance(step, Selection)}.values():
        collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *step.arguments]
        done = subprocess.run(collect, cwd=PROJECT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{step.command}\n{done.stdout[-500:]}"


def test_files_of_records_are_there() -> None:
    for record in (record for line in LINES for many in line.records.values() for record in many):
        assert (records.EVIDENCE / record.file).exists(), record


def test_tests_are_counted_from_what_pytest_says(tmp_path) -> None:
    told = tmp_path / "tests.xml"
    good = '<testcase name="a"><properties><property name="bombs" value="7"/></properties></testcase>'
    told.write_text(f'<testsuites><testsuite>{good}<testcase name="b"><skipped/></testcase></testsuite></testsuites>')
    assert counted(told, "cases") == ({"cases": 1, "bombs": 7, "skipped": 1}, "")
    told.write_text(f'<testsuites><testsuite>{good}<testcase name="b"><failure/></testcase></testsuite></testsuites>')
    assert counted(told, "cases")[1] == "1 failed: b"
    told.write_text('<testsuites><testsuite><testcase name="b"><skipped/></testcase></testsuite></testsuites>')
    assert counted(told, "cases")[1] == "1 failed: no test was run"


def test_a_record_is_the_newest_with_the_command_and_its_least_figure(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(records, "EVIDENCE", tmp_path)
    old = "## 2026-01-02\n```bash\nrun it\n```\n| what | cases |\n|---|---|\n| a | 1,000 |\n| b | 900 (cut) |\n"
    old += "\n| other | x |\n|---|---|\n| c | 3 |\n"
    (tmp_path / "a.md").write_text(
        f"# T\n{old}## 2026-03-04\n```bash\nrun that\n```\n| what | cases |\n|---|---|\n| a | 5 |\n"
    )
    assert look_up(Record("x", "a.md", "run it", "cases")).figure == 900
    assert look_up(Record("x", "a.md", "run it", "cases", "a")).figure == 1000
    assert look_up(Record("x", "a.md", "run it")).day == date(2026, 1, 2)
    assert look_up(Record("x", "a.md", "run nothing")).day is None


def test_a_line_holds_only_when_nothing_is_wrong_or_too_few() -> None:
    line = next(line for line in LINES if line.number == 13)
    good = Outcome("pytest", {"requests": 100}, "", 1, 1)
    assert judge(line, (good,)).holds
    assert not judge(line, (Outcome("pytest", {"requests": 99}, "", 1, 1),)).holds
    assert not judge(line, (Outcome("pytest", {"requests": 100}, "1 failed", 1, 1),)).holds
    assert not judge(next(line for line in LINES if line.missing), (good,)).holds
    both = [judge(line, (good,)), judge(line, ())]
    assert closing(both) == "1 of 2 hold"
    assert "does not hold: requests: 0 of 100" in table(both)[-1]


def test_a_line_that_is_run_again_changes_its_own_row_alone() -> None:
    line = next(line for line in LINES if line.number == 13)
    other = next(line for line in LINES if line.number == 6)
    good, bad = Outcome("pytest", {"requests": 100}, "", 1, 1), Outcome("pytest", {"requests": 100}, "1 failed", 1, 1)
    whole = Outcome("frontier", {"lattices": 10_000}, "", 1, 1)
    before = page([judge(other, (whole,)), judge(line, (bad,))], 5)
    assert "1 of 2 hold. 5 s" in before
    after = renewed(before, [judge(line, (good,))])
    assert "2 of 2 hold. 5 s" in after
    assert after.count("run again on") == 1
    assert "1 of 2 hold. 5 s" in renewed(after, [judge(line, (bad,))])
    assert [row for row in after.splitlines() if row.startswith("| 6 |")] == [
        row for row in before.splitlines() if row.startswith("| 6 |")
    ]
