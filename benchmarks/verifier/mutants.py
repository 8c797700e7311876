"""Mutation testing of the verifier and of the publish path: one small fault at a time, and whether the tests notice.

    python -m benchmarks.verifier.mutants --of sets [--seconds 600] [--most 100] [--keep FILE] [--reach FILE] [--again] \\
        [--tests FILE…] [--thorough] [--list]

The tests of a part are collected once, and run once to see which functions each of them enters. Then every mutant
(`mutations.py`) is put into a process forked from this one (`swapping.py`), which runs the tests that enter its function, the
shortest first. A mutant is killed when a test fails or takes far more processor time than without it. Mutants that cannot be told
from the original are listed with the reason in `equivalent.py`, and are not made. They come in an order that is the same each time
and has no pattern, so that a run that ends early has tried a random sample. `--keep` goes on where the last run ended; `--again`
tries those that survived. Without `--thorough` tests of more than four seconds are left out. Prints one JSON object: mutants,
tried, killed, survivors, those of functions that no test enters; the exit code is 1 when one survived.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import shoal
from benchmarks.lib.places import PROJECT
from benchmarks.lib.sums import read, this_run, write
from benchmarks.verifier.equivalent import EQUIVALENT
from benchmarks.verifier.mutations import Mutant, mutants_of
from benchmarks.verifier.parts import PARTS
from benchmarks.verifier.swapping import swap

SOURCE = PROJECT / "src"
LONGEST = 4.0  # CPU seconds of a test
FEWER = {"CASES": 40, "JUDGEMENTS": 60, "PLANTED": 6}  # what tests against brute force draw here
STUCK = 600.0  # seconds after which a process that uses no processor is ended


@dataclass(frozen=True)
class Reach:
    """What a test enters: (file, function), and the CPU seconds it takes."""

    seconds: float
    entered: frozenset[tuple[str, str]]


class Plugin:
    """In the place of pytest's loop over tests: the loop over mutants."""

    def __init__(self, mutants: list[Mutant], options: argparse.Namespace, kept: dict[str, Any]) -> None:
        self.mutants, self.options, self.kept = mutants, options, kept

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for module in {item.module for item in session.items if isinstance(item, pytest.Function)}:
            for name, few in FEWER.items():
                if hasattr(module, name):
                    setattr(module, name, min(few, getattr(module, name)))
        gc.collect()
        gc.freeze()
        reach = self.reach(session)
        started = time.monotonic()
        for mutant in self.mutants:
            if time.monotonic() - started > self.options.seconds:
                break
            self.judge(session, mutant, reach)
        gc.unfreeze()
        return True

    def reach(self, session: pytest.Session) -> dict[int, Reach]:
        """By number of a test; those that fail without any mutant, or take too long, are left out."""
        folder = str(SOURCE / "shoal")
        longest = float("inf") if self.options.thorough else LONGEST

        def look() -> dict[int, Any]:
            found: dict[int, Any] = {}
            for i, item in enumerate(session.items):
                entered: set[tuple[str, str]] = set()

                def note(frame: Any, event: str, _: Any, entered: set[tuple[str, str]] = entered) -> None:
                    if event == "call" and (code := frame.f_code).co_filename.startswith(folder):
                        entered.add((code.co_filename, code.co_qualname))

                before, failed = time.process_time(), session.testsfailed
                threading.setprofile(note)
                sys.setprofile(note)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_of(session, i))
                sys.setprofile(None)
                took = time.process_time() - before
                if session.testsfailed == failed and took < longest:
                    found[i] = took, sorted(entered)
            return found

        names = [item.nodeid for item in session.items]
        known = read(self.options.reach).get(self.options.of, {}) if self.options.reach else {}
        told = known["found"] if known.get("tests") == names else in_child(look, None)[1] or {}
        if self.options.reach:
            write(self.options.reach, {**read(self.options.reach), self.options.of: {"tests": names, "found": told}})
        return {int(i): Reach(took, frozenset(map(tuple, entered))) for i, (took, entered) in told.items()}

    def judge(self, session: pytest.Session, mutant: Mutant, reach: dict[int, Reach]) -> None:
        place = str(mutant.path), mutant.scope
        inner = f"{mutant.scope}.<locals>."
        near = {
            i: one.seconds
            for i, one in reach.items()
            if place in one.entered
            or any(file == place[0] and name.startswith(inner) for file, name in one.entered)
            or (not mutant.in_function and any(file == place[0] for file, _ in one.entered))
        }
        tests = sorted(near, key=near.__getitem__)

        def look() -> bool:
            swap(mutant)
            for i, after in zip(tests, [*tests[1:], None], strict=True):
                item, following = session.items[i], None if after is None else session.items[after]
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    return True
            return False

        told = mutant.name
        if not tests and self.options.tests and told in self.kept["survivors"]:
            pass  # other tests enter it, and did not notice
        elif not tests:
            self.kept["not_reached"] = sorted({*self.kept["not_reached"], told})
        else:
            status, noticed = in_child(look, 3 * sum(near.values()) + 5)
            dead = status != 0 or noticed is not False
            self.kept["killed"] += dead
            if dead:
                self.kept["survivors"] = [one for one in self.kept["survivors"] if one != told]
            elif told not in self.kept["survivors"]:
                self.kept["survivors"].append(told)
        if not self.options.again:
            self.kept["tried"] += 1
            self.kept["up_to"] = mutant.digest
        if self.options.keep:
            write(self.options.keep, {**read(self.options.keep), self.options.of: self.kept})
        shown = f"{self.kept['tried']} tried, {self.kept['killed']} killed, {len(self.kept['survivors'])} survived"
        print(f"\r{shown}, {len(self.kept['not_reached'])} not reached", end="", file=sys.stderr, flush=True)


def next_of(session: pytest.Session, i: int) -> pytest.Item | None:
    return session.items[i + 1] if i + 1 < len(session.items) else None


def in_child(work: Callable[[], Any], limit: float | None) -> tuple[int, Any]:
    """What it returns, by way of a file, and how the process ended. limit: CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        child = os.fork()
        if not child:
            code = 1
            try:
                quiet = os.open(os.devnull, os.O_WRONLY)
                os.dup2(quiet, 1)
                os.dup2(quiet, 2)
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                if limit is not None:
                    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
                answer.write_text(json.dumps(work()))
                code = 0
            finally:
                os._exit(code)
        status = None
        try:
            end = time.monotonic() + (STUCK if limit is not None else 3600)
            while status is None and time.monotonic() < end:
                done, ended = os.waitpid(child, os.WNOHANG)
                status = ended if done else None
                time.sleep(0 if done else 0.01)
        finally:  # also when this process is told to end
            if status is None:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        text = answer.read_text() if answer.exists() else ""
        return (1 if status is None else status), json.loads(text) if text else None


def all_mutants(part: str) -> list[Mutant]:
    found = [mutant for path in PARTS[part].files() for mutant in mutants_of(path, SOURCE)]
    return sorted((one for one in found if one.name not in EQUIVALENT), key=lambda one: one.digest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=list(PARTS), required=True, help="the part")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after so many no further mutant is tried")
    parser.add_argument("--most", type=int, help="no more than so many mutants in this run")
    parser.add_argument("--keep", type=Path, help="file with what was tried so far: go on from there, and add to it")
    parser.add_argument("--reach", type=Path, help="file for what tests enter: found out once for several runs")
    parser.add_argument("--tests", nargs="+", help="only these, in the place of all tests of the part")
    parser.add_argument("--again", action="store_true", help="try those that survived or were not reached")
    parser.add_argument("--thorough", action="store_true", help="with tests that take long")
    parser.add_argument("--list", action="store_true", help="only say how many mutants there are")
    options = parser.parse_args()
    for name in ("keep", "reach"):
        if place := getattr(options, name):
            setattr(options, name, place.resolve())
    if not Path(shoal.__file__).is_relative_to(SOURCE):  # mutants would be put nowhere, and all would seem to survive
        sys.exit("shoal is loaded from elsewhere: set PYTHONPATH=src")
    os.chdir(PROJECT)
    every = all_mutants(options.of)
    if options.list:
        print(json.dumps({"part": options.of, "mutants": len(every), "equivalent": len(EQUIVALENT)}))
        return 0
    kept = {"tried": 0, "killed": 0, "survivors": [], "not_reached": [], "up_to": "", "runs": []}
    kept |= read(options.keep).get(options.of, {}) if options.keep else {}
    kept["mutants"] = len(every)
    kept["runs"] = [*kept["runs"], this_run()]
    names = {one.name for one in every}
    for what in ("survivors", "not_reached"):  # what is equivalent by now, or no longer there, was not tried
        left = [one for one in kept[what] if one in names]
        kept["tried"] -= len(kept[what]) - len(left)
        kept[what] = left
    if options.again:
        again = {*kept["survivors"], *kept["not_reached"]}
        chosen = [one for one in every if one.name in again]
        kept["not_reached"] = []
    else:
        chosen = [one for one in every if one.digest > kept["up_to"]][: options.most]
    for path in {one.path for one in every}:
        importlib.import_module(
            str(path.relative_to(SOURCE)).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        )
    with tempfile.TemporaryDirectory() as folder:
        asked = ["-q", "-p", "no:cacheprovider", "-m", "not spark and not faults", f"--basetemp={folder}/tests"]
        said = [*asked, "--hypothesis-profile=quick", "--no-header", *(options.tests or PARTS[options.of].tests)]
        out, sys.stdout = sys.stdout, sys.stderr
        pytest.main(said, plugins=[Plugin(chosen, options, kept)])
        sys.stdout = out
    print(file=sys.stderr)
    print(json.dumps({"part": options.of, **kept}, indent=1, ensure_ascii=False))
    return 1 if kept["survivors"] else 0


if __name__ == "__main__":
    sys.exit(main())
