"""The bar: every line rests on tests and modules that are there, or says what is missing; figures come from what ran."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from datetime import date

import pytest
from doc_pages import PROJECT

sys.path.insert(0, str(PROJECT))
from benchmarks.bar import records
from benchmarks.bar.lines import LINES
from benchmarks.bar.records import Mutants, Record, Summed, Swept, look_up
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
    """A file of sums comes with the first run that is kept."""
    for record in (record for line in LINES for many in line.records.values() for record in many):
        assert (records.EVIDENCE / record.file).exists() or record.file.endswith(".json"), record


def test_sums_of_runs_count_by_their_least_kind_and_not_at_all_with_a_disagreement(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(records, "EVIDENCE", tmp_path)
    assert look_up(Summed("sets", "cases")).day is None
    kinds = {"a": {"cases": 9, "planted": 3}, "b": {"cases": 7, "planted": 4}, "covered": {"cases": 1}}
    kept = {"kinds": kinds, "disagreements": 0, "runs": [{"date": "2026-01-02"}, {"date": "2026-01-03"}]}
    (tmp_path / "verifier.json").write_text(json.dumps({"sets": kept}))
    found = look_up(Summed("sets", "cases"))
    assert (found.figure, found.day) == (7, date(2026, 1, 3))
    assert look_up(Summed("sets", "planted")).figure == 3
    assert look_up(Summed("trees", "planted")).day is None
    (tmp_path / "verifier.json").write_text(json.dumps({"sets": {**kept, "disagreements": 1}}))
    assert look_up(Summed("sets", "cases")).figure == 0


def test_mutants_count_when_every_part_was_tried_and_when_none_lives(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(records, "EVIDENCE", tmp_path)
    one = {"mutants": 10, "tried": 10, "survivors": [], "not_reached": [], "runs": [{"date": "2026-01-02"}]}
    path = tmp_path / "mutants.json"
    path.write_text(json.dumps({"a": one, "b": {**one, "tried": 5, "survivors": ["x"], "not_reached": ["y"]}}))
    assert look_up(Mutants(("a", "b"))).figure == 75
    assert look_up(Mutants(("a", "b", "c"))).figure == 0
    assert look_up(Mutants(("a", "b"), dead=True)).figure == 100 * 13 // 15
    assert look_up(Mutants(("a",), dead=True)).figure == 100


def test_a_sweep_counts_what_is_verified_or_refused_unless_one_fails(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(records, "EVIDENCE", tmp_path)
    rows = {name: {"outcome": name, "date": "2026-01-02"} for name in ("verified", "refused", "unfinished")}
    path = tmp_path / "real.json"
    path.write_text(json.dumps({"cases": rows}))
    assert look_up(Swept((*rows, "not there"))).figure == 2
    path.write_text(json.dumps({"cases": {**rows, "other": {"outcome": "failure", "date": "2026-01-02"}}}))
    assert look_up(Swept(tuple(rows))).figure == 0


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
