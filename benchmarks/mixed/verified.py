"""The six algorithms of paper 001 and both baselines over delta, |D| and k, as in Figs. 4 to 7; every release is verified.

    python -m benchmarks.mixed.verified --set informs|youtube [--rows N] [--over delta|size|k] [--k 25,100] [--m 2] [--l L] \
        [--deltas 5] [--sizes 5000,10000,…] [--rum 0.65] [--tum 0.5] [--methods rum-bound,tum-bound] [--merges r,t,rt] \
        [--to 1] [--limit 120] [--until 1200]

Over delta: rum-bound from the loss of `rfirst` (the first classes) towards `--to`, tum-bound between the UL of `tfirst` and that of
`rfirst`, both at even steps. Over size (subsets of each other) and over k: with `--rum` and `--tum`. Each release is made as by
`shoal run` (decided, applied, judged against recipe, data and assignment); one that is not passed, or that breaks its bound, makes
the exit code 1. A point for which there is no release is told as such. A point that takes longer than `--limit` seconds is stopped
and told as such, and then the harder deltas of that algorithm are left out; after `--until` seconds nothing more is begun.
With `--l` the promise is (k, l^m)-diversity (Fig. 5) of every twentieth item. Columns of single values, and SYNTHETIC records: see
`rows/mixed.py`. UL is the loss of the items, as in the paper; they are shown as sets of items. Seconds are of deciding, the records
being in the engine and everything compiled. Prints one JSON object, and each point on stderr as soon as it is there.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import shoal
from benchmarks.rows.mixed import PAPER

QUERIES = ((1, 0), (0, 2), (1, 2), (2, 1))
BASELINES = ("rfirst", "tfirst")
Point = dict[str, Any]


# ---- in a process of its own -----------------------------------------------------------------------------------------


def serve() -> None:
    """One point a line in, one result a line out. A table is kept until another one is asked for."""
    from benchmarks.rows import mixed as mixed_rows
    from shoal.errors import Infeasible

    kept: dict[Any, Any] = {}
    warm = mixed_rows.read("informs", 300)
    for method in ("rum-bound", "tum-bound"):
        made({"k": 5, "m": 2, "method": method, "merge": "rt", "delta": 1.0}, warm)  # compile
    print("ready", flush=True)
    for line in sys.stdin:
        point = json.loads(line)
        key = (point["set"], point["rows"])
        if key not in kept:
            kept = {key: mixed_rows.read(*key)}
        mixed = kept[key]
        told = {**point, "records": mixed.table.num_rows, "synthetic": mixed.synthetic}
        try:
            told |= made(point, mixed)
        except Infeasible as why:
            told["infeasible"] = str(why)
        print(json.dumps({**told, "load": round(os.getloadavg()[0], 1)}), flush=True)


def named(mixed: Any, folder: Path) -> dict[str, dict[str, str]]:
    """The hierarchies as files, and what a recipe says of them: else the verifier could not read the labels of a release."""
    said: dict[str, dict[str, str]] = {}
    for column, tree in mixed.hierarchies.items():
        said[column] = {}
        if column == mixed.sets and tree.height <= 1:  # no hierarchy was given
            continue
        file = folder / f"{column}.csv"
        with file.open("w", newline="", encoding="utf-8") as lines:
            writer = csv.writer(lines, delimiter=";", lineterminator="\n")
            for leaf in range(tree.leaf_count):
                path = [leaf]
                while (above := int(tree.parents[path[-1]])) >= 0:
                    path.append(above)
                writer.writerow(tree.labels[node] for node in path)
        said[column] = {"hierarchy": str(file)}
    return said


def made(point: Point, mixed: Any) -> dict[str, Any]:
    """A release, as by `shoal run`, and what it lost."""
    with tempfile.TemporaryDirectory() as folder:
        return _made(point, mixed, named(mixed, Path(folder)))


def _made(point: Point, mixed: Any, stated: dict[str, dict[str, str]]) -> dict[str, Any]:
    from shoal.io.source import from_frame
    from shoal.loss import MIXED_LOSSES
    from shoal.loss.mixed.are import MixedARE, MixedWorkload
    from shoal.loss.mixed.release import MixedRelease
    from shoal.methods.registry import METHODS
    from shoal.release.engines import open_engine
    from shoal.release.judge import judge
    from shoal.release.make import problem_of
    from shoal.release.plan import Hierarchies, make_plan
    from shoal.release.recipe.recipe import Recipe

    options = {key: point[key] for key in ("merge", "delta") if point.get(key) is not None}
    sets, trees = mixed.sets, mixed.hierarchies
    promise: dict[str, Any] = {"name": "k-km-anonymity", "k": point["k"], "m": point["m"]}
    of_sets: dict[str, Any] = {"kind": "set"}
    if point.get("l"):
        promise |= {"name": "k-lm-diversity", "l": point["l"], "column": sets}
        of_sets["sensitive_items"] = sensitive(mixed)
    recipe = Recipe.of(
        {
            "columns": {n: {"role": "quasi", **stated[n], **(of_sets if n == sets else {})} for n in trees},
            "guarantee": [promise],
            "method": {"name": point["method"], **options},
            "loss": {"name": "ul"},
            "engine": {"threads": 1},
        }
    )
    plan = make_plan(recipe, from_frame(mixed.table, [sets]))
    flat = frozenset([sets] if trees[sets].height <= 1 else [])  # no hierarchy was given
    hierarchies = Hierarchies(trees, {}, flat)
    with open_engine(recipe) as engine:
        records = engine.load(plan.source, plan.schema)
        wall, cpu = time.perf_counter(), _cpu()
        decision = METHODS[point["method"]].decide(
            engine, problem_of(plan, hierarchies), lambda _: None, **recipe.method.options
        )
        seconds, used = time.perf_counter() - wall, _cpu() - cpu
        started = time.perf_counter()
        written = engine.apply(decision.recoding)
        assert written.records == records and not written.suppressed
        frame, assignment = engine.frame(), engine.assignment()
    applied = time.perf_counter()
    verdict = judge(plan, frame, assignment, records)
    verified = time.perf_counter()
    release = MixedRelease.of(decision.recoding)  # type: ignore[arg-type]
    weights = [Fraction(1, len(trees) - 1)] * (len(trees) - 1)
    lost = {name: MIXED_LOSSES[name]().of(release, weights) for name in ("ncp", "item-ncp", "ul")}
    bounded = {"rum-bound": "ncp", "tum-bound": "ul"}.get(point["method"])
    return {
        "verdict": "pass" if verdict.passed else "fail",
        **({} if verdict.passed else {"why": [f"{c.name}: {c.detail}" for c in verdict.checks if not c.passed]}),
        **({} if bounded is None else {"within_bound": lost[bounded] <= Fraction(str(point["delta"]))}),
        "table_ncp": round(float(lost["ncp"]), 5),
        "item_ncp": round(float(lost["item-ncp"]), 5),
        "ul": round(float(lost["ul"]), 5),
        **{
            f"are_{x}_{y}": round(float(MixedARE(MixedWorkload.random(release, x, y)).of(release)), 4)
            for x, y in QUERIES
        },
        "classes": verdict.classes,
        "smallest": verdict.smallest_class,
        "largest": int(release.recoded.class_sizes.max()),
        "blocks": decision.blocks,
        "seconds": round(seconds, 2),
        "cpu_s": round(used, 2),
        "apply_s": round(applied - started, 2),
        "verify_s": round(verified - applied, 2),
    }


def sensitive(mixed: Any) -> list[str]:
    """Every twentieth item by how often it occurs: which ones the paper took, it does not say."""
    items = Counter(mixed.table.column(mixed.sets).combine_chunks().flatten().to_pylist())
    return sorted(sorted(items, key=lambda item: (-items[item], item))[19::20])


def _cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class Worker:
    """A process that makes one release after the other, and can be stopped in the middle of one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, point: Point, limit: float) -> dict[str, Any]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __spec__.name, "--serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            if self._answer(600) != "ready":
                raise SystemExit("The process that makes the releases did not start.")
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(point).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._answer(limit)
        if answer is None:
            self.close()
            return {**point, "stopped": f"after {limit:g} s", "load": round(os.getloadavg()[0], 1)}
        if not answer:
            raise SystemExit(f"The process that makes the releases ended at {point}.")
        found: dict[str, Any] = json.loads(answer)
        return found

    def _answer(self, limit: float) -> str | None:
        """None: not in time; empty: it ended."""
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], limit)
        return self._process.stdout.readline().decode().strip() if ready else None

    def close(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)  # with the processes it started
            self._process.wait()
            self._process = None


# ---- which points ----------------------------------------------------------------------------------------------------


def over_delta(asked: argparse.Namespace) -> Iterator[list[Point]]:
    """Lists of points, each from the easiest to the hardest; what was found is sent back."""
    every = {"set": asked.set, "rows": asked.rows, "m": asked.m, **({"l": asked.l} if asked.l else {})}
    for k in map(int, asked.k.split(",")):
        found = {}
        for method in BASELINES:
            (found[method],) = yield [{**every, "k": k, "method": method}]
        first, top = found["rfirst"], found["tfirst"].get("ul", 0.0)
        if "ul" not in first:
            continue
        steps = [step / asked.deltas for step in range(asked.deltas)]
        values = [_up(first["table_ncp"] + (asked.to - first["table_ncp"]) * step) for step in steps]
        between = [top + (first["ul"] - top) * (step + 0.5 / asked.deltas) for step in steps]
        # the more is merged, the longer it takes
        deltas = {"rum-bound": values, "tum-bound": [round(delta, 4) for delta in reversed(between)]}
        for merge, method in product(asked.merges.split(","), asked.methods.split(",")):
            yield [{**every, "k": k, "method": method, "merge": merge, "delta": delta} for delta in deltas[method]]


def over_one(asked: argparse.Namespace) -> Iterator[list[Point]]:
    key, texts = ("rows", asked.sizes) if asked.over == "size" else ("k", asked.k)
    every = {"set": asked.set, "rows": asked.rows, "m": asked.m, "k": 25}
    deltas = {"rum-bound": asked.rum, "tum-bound": asked.tum}
    ways: list[Point] = [{"method": "rfirst"}]
    for method, merge in product(asked.methods.split(","), asked.merges.split(",")):
        ways.append({"method": method, "merge": merge, "delta": deltas[method]})
    for number in map(int, texts.split(",")):
        for way in ways:
            yield [{**every, key: number, **way}]


def _up(delta: float) -> float:
    """Rounded up, so that the bound can be kept."""
    return min(1.0, math.ceil(delta * 1000 + 1e-2) / 1000)


def measured(points: Iterator[list[Point]], limit: float, until: float) -> Iterator[dict[str, Any]]:
    worker, started = Worker(), time.monotonic()
    try:
        group = next(points)
        while True:
            found: list[dict[str, Any]] = []
            for point in group:
                if time.monotonic() - started > until:
                    found.append({**point, "left_out": "the time was up"})
                elif any("stopped" in one for one in found):
                    found.append({**point, "left_out": "an easier delta was stopped"})
                else:
                    found.append(worker.ask(point, limit))
                print(json.dumps(found[-1]), file=sys.stderr, flush=True)
            yield from found
            group = points.send(found)  # type: ignore[attr-defined]
    except StopIteration:
        return
    finally:
        worker.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", choices=tuple(PAPER), default="informs")
    arguments.add_argument("--rows", type=int)
    arguments.add_argument("--over", choices=("delta", "size", "k"), default="delta")
    arguments.add_argument("--k", default="25,100")
    arguments.add_argument("--m", type=int, default=2)
    arguments.add_argument("--l", type=int, default=0)
    arguments.add_argument("--deltas", type=int, default=5)
    arguments.add_argument("--to", type=float, default=1.0)
    arguments.add_argument("--sizes", default="5000,10000,15000,20000,26854")
    arguments.add_argument("--rum", type=float, default=0.65)
    arguments.add_argument("--tum", type=float, default=0.5)
    arguments.add_argument("--methods", default="rum-bound,tum-bound")
    arguments.add_argument("--merges", default="r,t,rt")
    arguments.add_argument("--limit", type=float, default=120)
    arguments.add_argument("--until", type=float, default=1200)
    arguments.add_argument("--serve", action="store_true")
    asked = arguments.parse_args()
    if asked.serve:
        serve()
        return 0
    points = over_delta(asked) if asked.over == "delta" else over_one(asked)
    found = list(measured(points, asked.limit, asked.until))
    outcomes = [next(key for key in ("verdict", "infeasible", "stopped", "left_out") if key in one) for one in found]
    wrong = [one for one in found if one.get("verdict") == "fail" or one.get("within_bound") is False]
    print(
        json.dumps(
            {
                "set": asked.set,
                "over": asked.over,
                "shoal": shoal.__version__,
                "passed": sum(one.get("verdict") == "pass" for one in found),
                **{key: outcomes.count(key) for key in ("infeasible", "stopped", "left_out")},
                "wrong": len(wrong),
                "points": found,
            },
            indent=1,
        )
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
