"""Whether what was measured is what the paper says: one function a figure, from the JSON of the step that draws it.

Each answers with a finding: whether it agrees, and the figures that say so. Where it differs, the reason is added only if it is
known; the papers' own faults have their numbers in docs/about/errata.md.
"""

from __future__ import annotations

import statistics
from itertools import pairwise
from typing import Any, NamedTuple

Told = dict[str, Any]


class Finding(NamedTuple):
    agrees: bool
    words: str

    def __str__(self) -> str:
        return f"{'agrees' if self.agrees else 'differs'}: {self.words}"


# ---- paper 000 -------------------------------------------------------------------------------------------------------


def _passed(told: Told) -> list[Told]:
    return [point for point in told["points"] if point["verdict"] == "pass"]


def _over_k(told: Told, key: str) -> dict[int, dict[str, float]]:
    """For each k, the figure of every method; all else at the paper's defaults."""
    found: dict[int, dict[str, float]] = {}
    sizes = [point.get("records") for point in _passed(told)]
    usual = max(set(sizes), key=sizes.count) if sizes else None  # a sweep over sizes has others besides
    for point in _passed(told):
        if (point["m"], point["n"], point["g"]) == (3, 2, 2) and point.get("records") == usual:
            found.setdefault(point["k"], {})[point["method"]] = point[key]
    return {k: found[k] for k in sorted(found)}


def larger_g(told: Told) -> Finding:
    """Fig. 11: from g = 2 on a larger g changes nothing."""
    sizes = [point.get("records") for point in _passed(told)]
    mine = [p for p in _passed(told) if p["method"] == "gcs" and p.get("records") == max(set(sizes), key=sizes.count)]
    by_g = {p["g"]: p["rpd"] for p in mine if (p["k"], p["m"], p["n"]) == (20, 3, 2)}
    words = ", ".join(f"g = {g}: {by_g[g]:.5f}" for g in sorted(by_g))
    return Finding(len(by_g) > 1 and len({v for g, v in by_g.items() if g >= 2}) == 1, f"RPD {words}")


def as_good_as_acs(told: Told) -> Finding:
    """Fig. 12: GCS loses about what ACS loses."""
    both = [row for row in _over_k(told, "rpd").values() if {"gcs", "acs"} <= set(row)]
    same = sum(row["gcs"] <= row["acs"] * 1.0001 for row in both)
    return Finding(
        bool(both) and same * 2 > len(both),
        f"RPD of gcs is no higher than that of acs in {same} of {len(both)} settings",
    )


def faster_than_acs(told: Told) -> Finding:
    """Fig. 13: GCS is at least ten times faster in most settings."""
    times = [row["acs"] / row["gcs"] for row in _over_k(told, "seconds").values() if {"gcs", "acs"} <= set(row)]
    words = ", ".join(f"{one:.1f}" for one in times)
    more = sum(one >= 10 for one in times) * 2 > len(times)
    return Finding(
        more, f"{words} times faster" + ("" if more else "; with more records it is more (docs/evidence/trees.md)")
    )


def _order(told: Told, key: str, name: str) -> Finding:
    """Figs. 14 to 16: GCS loses least, then OCS, then MiRaCle (here: tree-cluster)."""
    rows = _over_k(told, key)
    rows = {k: row for k, row in rows.items() if len(row) == 3}  # a sweep that was stopped may lack a method
    right = [k for k, row in rows.items() if row["gcs"] <= row["ocs"] <= row["tree-cluster"]]
    last = [k for k, row in rows.items() if max(row["gcs"], row["ocs"]) < row["tree-cluster"]]
    words = f"{name}: gcs ≤ ocs ≤ tree-cluster for {len(right)} of {len(rows)} k; tree-cluster is last for {len(last)}"
    if len(right) < len(rows):
        words += "; gcs may end in another cut than ocs, and parts relations only where blurring costs more (000-6)"
    return Finding(bool(rows) and len(right) == len(rows), words)


def rpd(told: Told) -> Finding:
    return _order(told, "rpd", "RPD")


def ml2(told: Told) -> Finding:
    return _order(told, "ml2", "ML²")


def dml2(told: Told) -> Finding:
    return _order(told, "dml2", "dML²")


def quicker_with_k(told: Told) -> Finding:
    """Fig. 17: the larger k, the less time."""
    rows = {k: row["gcs"] for k, row in _over_k(told, "seconds").items() if "gcs" in row}
    ks = sorted(rows)
    words = ", ".join(f"k = {k}: {rows[k]:.2f} s" for k in ks)
    return Finding(len(ks) > 1 and rows[ks[-1]] < rows[ks[0]], words)


def negation(told: Told) -> Finding:
    """Fig. 18: at k = 20 with four values, fewer than 0.001 individuals (original) and 0.21 (generalized)."""
    at = {p["of"]: p["breached"] for p in told["lacking"] if p["lacking"] == 4 and p["k"] == 20}
    words = ", ".join(f"{of}: {value:.4f}" for of, value in at.items())
    return Finding(
        at.get("original", 1) <= 0.001 and at.get("generalized", 1) <= 0.21,
        f"individuals breached an attack, k = 20, four values lacking: {words} (the paper: 0.001 and 0.21)",
    )


# ---- paper 001 -------------------------------------------------------------------------------------------------------


def _points(told: Told, method: str = "rum-bound") -> dict[str, list[Told]]:
    """Passed ones by merge, from the least delta to the largest."""
    found: dict[str, list[Told]] = {}
    for point in sorted(told["points"], key=lambda one: one.get("delta", 0)):
        if point.get("verdict") == "pass" and point["method"] == method:
            found.setdefault(point["merge"], []).append(point)
    return found


def conflict(told: Told) -> Finding:
    """Figs. 4 and 5: a larger bound for the single values costs them more, and spares the items."""
    lines = {merge: points for merge, points in _points(told).items() if len(points) > 1}
    kept = all(point["within_bound"] for points in lines.values() for point in points)
    falls = [merge for merge, points in lines.items() if points[-1]["are_0_2"] <= points[0]["are_0_2"]]
    rises = [merge for merge, points in lines.items() if points[-1]["are_1_0"] >= points[0]["are_1_0"]]
    words = f"with delta, ARE of (0,2) falls for {len(falls)} of {len(lines)} merges, that of (1,0) rises for {len(rises)}; "
    words += "every bound is kept" if kept else "a bound is broken"
    return Finding(bool(lines) and kept and len(falls) == len(rises) == len(lines), words)


def largest_by_values(told: Told) -> Finding:
    """Fig. 6: merge r makes the largest classes, with the lowest UL."""
    lines = _points(told)
    rows = list(zip(*(lines.get(merge, []) for merge in ("r", "t", "rt")), strict=False))
    largest = sum(r["largest"] >= max(t["largest"], rt["largest"]) for r, t, rt in rows)
    lowest = sum(r["ul"] <= min(t["ul"], rt["ul"]) for r, t, rt in rows)
    words = f"of {len(rows)} deltas merge r has the largest class for {largest} and the lowest UL for {lowest}"
    return Finding(bool(rows) and largest == lowest == len(rows), words)


def _seconds(told: Told) -> dict[int, dict[str, float]]:
    key = "records" if told["over"] == "size" else "k"
    found: dict[int, dict[str, float]] = {}
    for point in told["points"]:
        if point.get("verdict") == "pass" and point["method"] == "rum-bound":
            found.setdefault(point[key], {})[point["merge"]] = point["cpu_s"]
    return {one: found[one] for one in sorted(found)}


def slowest_by_both(told: Told) -> Finding:
    """Fig. 7a: merge t is the fastest, rt the slowest, at the largest size."""
    size, row = list(_seconds(told).items())[-1]
    words = ", ".join(f"{merge} {seconds:.2f} s" for merge, seconds in row.items())
    return Finding(row["t"] <= row["r"] <= row["rt"], f"{size:,} records: {words}")


def quicker_with_larger_k(told: Told) -> Finding:
    """Fig. 7b: time falls with k."""
    rows = _seconds(told)
    first, last = rows[min(rows)], rows[max(rows)]
    words = ", ".join(f"{merge} {first[merge]:.2f} to {last[merge]:.2f} s" for merge in first if merge in last)
    return Finding(
        all(last[merge] <= first[merge] for merge in first if merge in last), f"k = {min(rows)} to {max(rows)}: {words}"
    )


def btd(told: Told) -> Finding:
    """Figs. 7c to 7f: at least ten times faster, with the same UL."""
    runs = [run for run in told["runs"] if "times_faster" in run and run["merge"] != "r"]
    slowest = min((run["times_faster"] for run in runs), default=0.0)
    over = [run["ul_over_exact"]["mean"] for run in runs]
    words = f"at least {slowest:.1f} times faster; UL beside the exact order {min(over):+.1%} to {max(over):+.1%} on the mean"
    return Finding(slowest >= 10 and max(map(abs, over)) <= 0.02, words + _no_stand_in(over))


def _no_stand_in(over: list[float]) -> str:
    return "" if max(map(abs, over)) <= 0.02 else ": BTD follows the largest set of a partner, it is no stand-in for UL"


def never_rises(told: Told) -> Finding:
    """Figs. 7g and 7h: UL never rises by a merge."""
    rises = sum(one["rises"] for one in told["rises"].values())
    merges = sum(one["merges"] for one in told["rises"].values())
    highest = max(one["highest_rise"] for one in told["rises"].values())
    words = f"UL rises after {rises:,} of {merges:,} merges, by up to {highest:.4f}"
    return Finding(rises == 0, words + ("" if rises == 0 else ": that it never does is false (001-7)"))


# ---- paper 002 -------------------------------------------------------------------------------------------------------


def _below_incognito(told: Told, key: str, name: str) -> Finding:
    rows = told["by_k"]
    below = sum(row["mstk"][key] < row["incognito"][key] for row in rows)
    mine, theirs = (f"{x:,.0f}" if x >= 1000 else f"{x:.3g}" for x in (rows[0][m][key] for m in ("mstk", "incognito")))
    words = f"{name} of mstk is lower for {below} of {len(rows)} k (at the first k {mine} against {theirs})"
    return Finding(below == len(rows), words)


def information_loss(told: Told) -> Finding:
    return _below_incognito(told, "il", "IL")


def discernibility(told: Told) -> Finding:
    return _below_incognito(told, "dm", "DM")


def class_size(told: Told) -> Finding:
    return _below_incognito(told, "c_avg", "C_avg")


def slower_than_incognito(told: Told) -> Finding:
    """In the text: MSTK takes longer than Incognito."""
    rows = [(row["mstk"]["seconds"], row["incognito"]["seconds"]) for row in told["by_k"]]
    slower = sum(mine > theirs for mine, theirs in rows)
    means = [statistics.mean(one) for one in zip(*rows, strict=True)]
    words = f"mstk is slower for {slower} of {len(rows)} k; {means[0]:.2f} and {means[1]:.2f} CPU s on the mean"
    agrees = slower * 2 > len(rows)
    return Finding(
        agrees,
        words + ("" if agrees else ": the tree is found without looking at all pairs, as the paper does (002-10)"),
    )


# ---- paper 003 -------------------------------------------------------------------------------------------------------


def _cases(told: Told, promise: str) -> list[tuple[str, Told]]:
    return [
        (f"{name}, {number}", found) for name, one in told["sets"].items() for number, found in one[promise].items()
    ]


def tour_pays(told: Told) -> Finding:
    """Figs. 6a and 6e: rings along the Gray-TSP order have a lower error rate than along the Gray order."""
    cases = _cases(told, "k-matching")
    lower = [name for name, found in cases if found["gray-tsp"]["ring"]["er"] < found["gray"]["ring"]["er"]]
    higher = [name for name, _ in cases if name not in lower]
    words = f"ER of the Gray-TSP ring is lower in {len(lower)} of {len(cases)} cases"
    return Finding(not higher, words + (f"; not for {'; '.join(higher)}" if higher else ""))


def below_cahd(told: Told) -> Finding:
    """Figs. 6b and 6f: a lower error rate than CAHD."""
    cases = _cases(told, "l-matching")
    lower = sum(found["nonreciprocal"]["er"] < found["cahd"]["er"] for _, found in cases)
    words = (
        f"ER of nonreciprocal (blocks: the paper's own way is unsafe, 003-4) is lower in {lower} of {len(cases)} cases"
    )
    return Finding(lower == len(cases), words)


def queries(told: Told) -> Finding:
    """Figs. 6c, d, g and h: lower query errors than Gray, and than CAHD."""
    rings = [
        found["gray-tsp"]["ring"][key] <= found["gray"]["ring"][key]
        for _, found in _cases(told, "k-matching")
        for key in ("qe_1", "qe_2")
    ]
    rival = [
        found["nonreciprocal"][key] <= found["cahd"][key]
        for _, found in _cases(told, "l-matching")
        for key in ("qe_1", "qe_2")
    ]
    words = f"QE is no higher than along the Gray order in {sum(rings)} of {len(rings)} cases, "
    words += f"than that of CAHD in {sum(rival)} of {len(rival)}"
    return Finding(all(rings) and all(rival), words)


def _walks(found: list[Told]) -> Finding:
    one = found[-1]
    walk, kept, forgotten = (
        one[key] for key in ("closed walk", "backtracking, marks kept", "backtracking, marks forgotten")
    )
    words = f"{one['records']:,} records, k = {one['k']}: closed walk {walk['seconds']} s; backtracking that remembers dead ends "
    words += f"{kept['seconds']} s, that forgets them "
    ended = forgotten["rounds"] == one["k"]
    words += f"{forgotten['seconds']} s" if ended else f"stopped after {forgotten['steps']:,} steps"
    return Finding(walk["seconds"] < kept["seconds"], words + ". Which of them the paper means it does not say")


def walks_over_k(told: Told) -> Finding:
    return _walks(told["as many records as Pumsb"])


def walks_over_size(told: Told) -> Finding:
    return _walks(told["1 to 16 times Chess, k = 16"])


def slower_than_cahd(told: Told) -> Finding:
    """Fig. 7c: more time than CAHD, with a like growth."""
    sizes = told["diverse_scale"]
    slower = sum(row["nonreciprocal"] > row["cahd"] for row in sizes)
    growth = {name: sizes[-1][name] / max(sizes[0][name], 1e-3) for name in ("nonreciprocal", "cahd")}
    more = sizes[-1]["records"] / sizes[0]["records"]
    words = f"slower than CAHD at {slower} of {len(sizes)} sizes; for {more:.0f} times the records "
    words += ", ".join(f"{name} takes {one:.1f} times as long" for name, one in growth.items())
    return Finding(slower == len(sizes), words)


# ---- paper 004 -------------------------------------------------------------------------------------------------------


def found_by_loss(told: Told) -> Finding:
    """Fig. 4: all points with GLM and CE; one or two missing with DM."""
    runs = told["by_loss"]
    words = ", ".join(f"{name.upper()} {run['found']} of {run['true']} points" for name, run in runs.items())
    all_but_dm = all(run["found"] == run["true"] for name, run in runs.items() if name != "dm")
    ce = runs.get("ce")
    if ce and ce["found"] < ce["true"]:
        words += "; with CE no neighbour of the top loses less than the top, and the search as printed ends there"
    return Finding(all_but_dm, words)


def found_by_depth(told: Told) -> Finding:
    """Fig. 5: all at depth 3, some missed at 2, many at 1."""
    runs = told["by_depth"].values()
    found = {run["depth"]: run["found"] for run in runs}
    true = max(run["true"] for run in runs)
    words = ", ".join(f"depth {depth}: {count} of {true}" for depth, count in sorted(found.items()))
    return Finding(found.get(3) == true and found.get(1, 0) < found.get(2, 0) < true, words)


def looked_at(told: Told) -> Finding:
    """Table 3: the share of nodes that is looked at, by depth. Agrees within five points of 100."""
    runs = {run["depth"]: run for run in told["by_depth"].values()}
    total = 17_920
    pairs = {
        d: (100 * run["share"], 100 * told["paper"][str(d)]["evaluated"] / total) for d, run in sorted(runs.items())
    }
    words = ", ".join(
        f"depth {depth}: {mine:.1f} % (the paper {theirs:.1f})" for depth, (mine, theirs) in pairs.items()
    )
    near = all(abs(mine - theirs) <= 5 for mine, theirs in pairs.values())
    return Finding(near, f"{words}; the hierarchies are ours, with the paper's lengths")


def falls_with_size(told: Told) -> Finding:
    """Fig. 6: the larger the lattice, the smaller the share that is looked at."""
    shares = [(run["nodes"], 100 * run["share"]) for run in told["by_size"]]
    steps = sum(after <= before for (_, before), (_, after) in pairwise(shares))
    words = ", ".join(f"{nodes:,} nodes: {share:.0f} %" for nodes, share in shares)
    return Finding(shares[-1][1] < shares[0][1] and steps >= len(shares) - 2, words)
