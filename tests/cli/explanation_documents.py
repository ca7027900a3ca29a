"""Why one cell is faster than another, computed again from a report's samples: what `gdbench explain --json` must say.
Nothing is rounded; keys are those of the JSON, and None is what is absent.

Taken on trust: how the settings of two commands become one (the reports of the tests have none; unit tests have), and
the machine's ceilings, which these reports lack."""

import itertools

from explanations import WHOLE, difference, differing_keys, imports, path_over_a_row, paths_between, target_difference
from profile_shares import Side, profile_difference, usable_profiles
from break_even import overtaking_of
from value_tables import are_side_by_side

ENOUGH_PROFILES = 5
MANY_LAUNCHES = 12


def start_difference(report, a, b, verdict):
    pair = lambda key, factor: {"a": a.median_of(key) * factor, "b": b.median_of(key) * factor}
    own = {side: cell.median_of("import_seconds") * 1e9 for side, cell in (("a", a), ("b", b)) if imports(cell)}
    faster, slower = (a, b) if verdict == "faster" else (b, a)
    return {
        "load_ns": pair("load_seconds", 1e9), "prepare_ns": pair("prepare_seconds", 1e9),
        "first_step_ns": pair("first_step_ns", 1), "import_ns": own or None,
        "break_even": {"cell": faster.id, "other": slower.id, **overtaking_of(report, faster, slower)},
    }


def script_of(cell):
    return dict(zip(("ratio", "page_faults"), cell.script())) if cell.script() else None


def dispatch_cost(cell):
    """What the calls into its framework cost at least."""
    calls, floor = ((cell.profile or {}).get(key) for key in ("dispatches_per_step", "floor"))
    if calls is None or not floor:
        return None
    floor = sorted(floor, key=lambda part: part["time_ns"])
    parts = [part for profile in usable_profiles(cell) for part in profile.get("floor", [])]
    times = [part["time_ns"] for part in parts if part["op"] == floor[0]["op"]]
    least = calls * floor[0]["time_ns"]
    return {
        "dispatches": calls, "floor": floor, "cheapest_ns": {"low": min(times), "high": max(times)}, "least_ns": least,
        "share": least / cell.step.value,
    }


def largest_ops(cell):
    """Of its framework, by the framework's own profiler."""
    ops = (cell.profile or {}).get("ops")
    if not ops:
        return None
    shares = [
        {**{key: record.get(key) for key in ("phase", "op", "layers")}, "share": record["time_ns"] / ops["step_ns"]}
        for record in ops["records"][:3]
    ]
    return {"profiler": ops["profiler"], "slowdown": ops["step_ns"] / cell.profile["step_ns"], "ops": shares}


def calls_share(a, b, costs, difference_ns):
    """The part of the difference that calls into frameworks are, each at the price of the cheapest."""
    uncounted = [cell for cell, cost in zip((a, b), costs) if cost is None and imports(cell)]
    if not any(costs) or uncounted or difference_ns.low * difference_ns.high <= 0:
        return None
    nothing = {"dispatches": 0.0, "least_ns": 0.0, "cheapest_ns": {"low": 0.0, "high": 0.0}}
    of_a, of_b = (cost or nothing for cost in costs)
    ends = [[cost["dispatches"] * cost["cheapest_ns"][end] for end in ("low", "high")] for cost in (of_a, of_b)]
    differences = (ends[0][0] - ends[1][1], ends[0][1] - ends[1][0])
    share = (of_a["least_ns"] - of_b["least_ns"]) / difference_ns.value
    corners = [d / whole for d, whole in itertools.product(differences, (difference_ns.low, difference_ns.high))]
    return {
        "a_calls": of_a["dispatches"], "b_calls": of_b["dispatches"], "share": share,
        "interval": {"low": min(share, *corners), "high": max(share, *corners)},
    }


def advice(a, b, told):
    """The change that would help the slower cell most: one axis, or one phase where axes say no more."""
    a_is_slower = told["whole"]["comparison"].verdict == "slower"
    slower, sign, end = (a, 1, "cell") if a_is_slower else (b, -1, "base")
    step = slower.step.value
    remedy = lambda kind, subject, value, saving: {
        "remedy": kind, "cell": slower.id, "subject": subject, "value": value, "saving_ns": saving,
        "share": saving / step,
    }
    # Of the slower cell's time: `ratio` is that of a part's cell to its base.
    by_ratio = lambda ratio: step * (1 - (1 / ratio if a_is_slower else ratio))
    axes = [
        remedy("axis", part["axis"], part["base_value" if a_is_slower else "value"],
               by_ratio(part["difference"]["comparison"].ratio.value))
        for path in told["paths"] for part in path["parts"]
        if part["axis"] != WHOLE and part["difference"][end] == slower.id
        if part["difference"]["comparison"].verdict == told["whole"]["comparison"].verdict
    ]
    phases = [remedy("phase", part["phase"], "", min(sign * part["difference_ns"], step))
              for part in (told["profiles"] or {"phases": []})["phases"]
              if part["standing"] == "cause" and not part["only_bounded"]]
    several = bool(told["paths"]) and len(told["paths"][0]["parts"]) > 1
    choice = axes if axes and several else phases
    return max(choice, key=lambda change: change["saving_ns"], default=None)


def is_explained(told):
    """Whether a phase is a cause, or every part of a walk over the axes is told."""
    phases = (told["profiles"] or {"phases": []})["phases"]
    ways = [path["parts"] for path in told["paths"] if len(path["parts"]) > 1 and path["parts"][0]["axis"] != WHOLE]
    decided = lambda parts: all(part["difference"]["comparison"].verdict != "inconclusive" for part in parts)
    return any(part["standing"] == "cause" for part in phases) or any(map(decided, ways))


def missing(report, a, b, told):
    whole = told["whole"]
    if whole["comparison"].verdict == "equivalent":
        return []
    threads = f" --threads {a.threads} --threads {b.threads}" if a.threads != b.threads else ""
    both = f"gdbench run{threads} --launches {max(MANY_LAUNCHES, 2 * whole['comparison'].ratio.launches)}"
    if not whole["comparison"].is_told:
        return [{"lack": "launches", "cell": "", "command": both}]
    if is_explained(told):
        return []
    lacks = [lack_of(report, cell, both, whole) for cell in (a, b)]
    repeatable = any(len(usable_profiles(cell)) < ENOUGH_PROFILES for cell in (a, b))
    again = {"lack": "repeats" if repeatable else "launches", "cell": "", "command": both}
    return list(filter(None, lacks)) or [again]


def lack_of(report, cell, both, whole):
    side = Side(cell, cell.step.value)
    if not side.profiles and f"{cell.implementation} offers no profile" in report.document["notes"]:
        return {"lack": "no profile", "cell": cell.id, "command": ""}
    if not side.profiles:
        return {"lack": "profile", "cell": cell.id, "command": both}
    if side.one_piece:
        command = f"gdbench run floor --impl {cell.implementation}" if imports(cell) else ""
        return {"lack": "one piece", "cell": cell.id, "command": command}
    if side.overhead_ns > abs(whole["difference_ns"].value) / 2:
        return {"lack": "clock", "cell": cell.id, "command": ""}
    return None


def explain(report, a, b):
    whole = difference(report, a, b)
    within, told = a.scenario == b.scenario, whole["comparison"].is_told
    costs = [dispatch_cost(cell) if told else None for cell in (a, b)]
    found = {
        "scenario": report.label(a), "b_scenario": report.label(b), "a": a.id, "b": b.id, "a_step_ns": a.step,
        "b_step_ns": b.step, "whole": whole, "paired": are_side_by_side(report, a, b),
        "differing": [] if within else differing_keys(report, a, b), "target": target_difference(report, a, b),
        "paths": paths_between(report, a, b, whole) if told and within else [],
        "profiles": profile_difference(a, b, whole["comparison"]) if told else None, "a_dispatches": costs[0],
        "b_dispatches": costs[1], "a_ops": largest_ops(a) if told else None, "b_ops": largest_ops(b) if told else None,
        "calls": calls_share(a, b, costs, whole["difference_ns"]) if told else None,
        "start": start_difference(report, a, b, whole["comparison"].verdict) if told and within else None,
        "a_script": script_of(a), "b_script": script_of(b),
    }
    if told and within and not found["paths"] and not found["profiles"]:
        found["paths"] = path_over_a_row(report, a, b, whole)
    found["advice"] = advice(a, b, found) if told and within else None
    return {**found, "missing": missing(report, a, b, found)}
