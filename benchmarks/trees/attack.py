"""How few records fit somebody who knows some values of a person, and how some of them belong together? And with what they lack?

    python -m benchmarks.trees.attack RECIPE.toml | TPCH.parquet [--k 20] [--m 3] [--n 2] [--mode strict] [--attacks 10000]

The method of the recipe decides, or `ocs` on the paper's trees, and 10,000 people each are attacked by somebody who knows up to the
promised m values and n relations, then more, and values on one path. `least` is the fewest records that fitted anyone: no fewer
than k as long as no more is known than is promised. As in the paper's Fig. 18 somebody also knows 1 to 4 values that a person does
*not* have, original or generalized; that is promised of no one. Prints one JSON object; where a promise is undercut, the exit code
is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import shoal
from benchmarks.rows.tpch import recipe
from shoal.attacks.trees.fragments import ATTACKS, TreeAttacker
from shoal.attacks.trees.negation import attack_by_absence
from shoal.loss.trees.release import TreeRelease
from shoal.methods.trees.decision import promise_of
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.engines import open_engine
from shoal.release.hierarchies import build_hierarchies
from shoal.release.make import problem_of
from shoal.release.plan import make_plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    for name, value in (("k", 20), ("m", 3), ("n", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--mode", choices=("pairwise", "strict"), default="strict")
    parser.add_argument("--attacks", type=int, default=ATTACKS)
    asked = parser.parse_args()
    if asked.source.suffix == ".toml":
        made = shoal.Recipe.load(asked.source)
    else:
        told = recipe(asked.source, asked.source.with_name("unwritten.parquet"), asked.k, asked.m, asked.n)
        told["method"]["name"], told["guarantee"][0]["mode"] = "ocs", asked.mode
        made = shoal.Recipe.of(told)
    begun = time.process_time()
    release, promise = released(made)
    attacker, rows = TreeAttacker(release), []
    k, m, n = promise.k, promise.m, promise.n
    for known, pairs, path in (
        *((values, min(n, values * (values - 1) // 2), False) for values in range(1, m + 1)),
        *((values, 0, True) for values in range(2, m + 1)),
        (m + 1, n, False),
        (m + 1, n + 1, False),
        (m + 2, n + 1, False),
    ):
        found = attacker.attack(known, pairs, path=path, attacks=asked.attacks)
        promised = known <= m and pairs <= n and (promise.strict or not path)
        low, high = found.meter.interval
        rows.append(
            {
                "values": known,
                "relations": pairs,
                "on_one_path": path,
                "promised": promised,
                "least": found.least,
                "fewer_than_k": found.below(k).successes,
                "right": found.meter.rate,
                "interval": [low, high],
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    lacking: list[dict[str, Any]] = []
    for values in ("original", "generalized"):
        for absent in range(1, 5):
            missed = attack_by_absence(attacker, m, n, absent, k, values, attacks=asked.attacks)  # type: ignore[arg-type]
            lacking.append(
                {
                    "lacking": absent,
                    "of": values,
                    "fewer_than_k": missed.below.rate,
                    "breached": missed.breached,
                    "least": missed.least,
                    "sizes": dict(missed.sizes),
                }
            )
            print(json.dumps(lacking[-1]), file=sys.stderr, flush=True)
    undercut = [row for row in rows if row["promised"] and row["least"] < k]
    about = {"source": asked.source.name, "records": release.rows, "promise": str(promise), "attacks": asked.attacks}
    print(
        json.dumps(
            {
                **about,
                "known": rows,
                "lacking": lacking,
                "undercut": len(undercut),
                "cpu_s": time.process_time() - begun,
            },
            indent=1,
        )
    )
    sys.exit(1 if undercut else 0)


def released(made: shoal.Recipe) -> tuple[TreeRelease, Any]:
    """Decided and applied as a run does it, but in memory."""
    plan = make_plan(made)
    with open_engine(plan.recipe) as engine:
        engine.load(plan.source, plan.schema)
        problem = problem_of(plan, build_hierarchies(plan, engine))
        decision = plan.method.decide(engine, problem, lambda _: None, **plan.recipe.method.options)
        recoding = decision.recoding
        if isinstance(recoding, TreeRecoding):
            return TreeRelease.of(recoding, engine.forest(problem.hierarchies)), promise_of(problem.guarantees)
        return TreeRelease.of_classes(recoding), promise_of(problem.guarantees)


if __name__ == "__main__":
    main()
