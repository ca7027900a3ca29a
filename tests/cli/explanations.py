"""Which cells `gdbench explain` compares, and what they differ by along the axes of their names, computed
again from a report's samples. Keys are those of its JSON, and None is what is absent."""

import itertools
import json

import estimates
from report_figures import pairs_of
from value_tables import are_side_by_side

AXES = ("strategy", "backend", "policy", "environment", "options", "threads", "arm")
MOST_AXES = 3
WHOLE = "implementation"


def usual_pairs(report):
    """The fastest of each scenario beside the runner-up, the best framework and the baseline."""
    pairs = []
    for scenario in report.scenarios:
        cells = candidates_in(report, scenario)
        base = report.baseline_of(cells[0]) if cells else None
        is_own = base in cells[1:] and base.implementation == report.run["baseline"]
        others = [*cells[1:2], *list(filter(imports, cells[1:]))[:1], *([base] if is_own else [])]
        pairs += [(cells[0], other) for other in dict.fromkeys(others)]
    return pairs or pairs_across(report)


def candidates_in(report, scenario):
    cells = [cell for cell in report.cells if cell.scenario == scenario and cell.is_ranked]
    cells.sort(key=lambda cell: cell.step.value)
    return [cell for cell in cells if (cell.threads, cell.arm) == (cells[0].threads, cells[0].arm)]


def pairs_across(report):
    """Each cell beside the first one that has it under other overrides."""
    pairs, first = [], {}
    for key, scenario in report.scenarios.items():
        for cell in candidates_in(report, key):
            same = (scenario["name"], cell.variant, cell.threads, cell.arm)
            if same in first:
                pairs.append((cell, first[same]))
            first.setdefault(same, cell)
    return pairs


def difference(report, cell, base, cell_steps=1, base_steps=1):
    """Of so many steps each: paired where one scenario has both, else of their typical times."""
    margin, unfit = report.rules(cell.scenario, base.scenario)
    if are_side_by_side(report, cell, base):
        pairs = {
            launch: [(below * base_steps, above * cell_steps) for below, above in own]
            for launch, own in pairs_of(base, cell).items()
        }
        ratio, found = estimates.paired_ratio(pairs), estimates.paired_difference(pairs)
    else:
        sides = [
            {launch: [time * steps for time in times] for launch, times in side.times.items()}
            for side, steps in ((base, base_steps), (cell, cell_steps))
        ]
        ratio, found = estimates.unpaired_ratio(*sides), estimates.unpaired_difference(*sides)
    comparison = estimates.judged(estimates.verdict_of(ratio, margin, unfit=unfit), unfit=unfit)
    return {"cell": cell.id, "base": base.id, "difference_ns": found, "comparison": comparison}


def flattened(value, key=""):
    if not isinstance(value, dict):
        return {key: json.dumps(value, separators=(",", ":"), ensure_ascii=False)}
    keys = {}
    for name, member in value.items():
        keys.update(flattened(member, f"{key}.{name}" if key else name))
    return keys


def differing_keys(report, a, b):
    of_a, of_b = (flattened(report.scenarios[cell.scenario]["resolved"]) for cell in (a, b))
    both = {key: {"key": key, "a": of_a.get(key, ""), "b": of_b.get(key, "")} for key in sorted({**of_a, **of_b})}
    return [entry for entry in both.values() if entry["a"] != entry["b"]]


def target_difference(report, a, b):
    if not a.target or not b.target:
        return None
    runs = (a.target, b.target)
    reached = all(run["state"] == "reached" and run["steps"] > 0 for run in runs)
    time = difference(report, a, b, *(run["steps"] for run in runs)) if reached else None
    return {"a": a.target, "b": b.target, "time": time if time and time["comparison"].ratio.launches else None}


def coordinates_of(cell):
    options = "&".join(f"{key}={value}" for key, value in cell.options.items())
    name, _, environment = cell.implementation.partition("@")
    policy = name.partition("+")[2]
    return (cell.strategy, cell.backend, policy, environment, options, str(cell.threads), cell.arm)


def imports(cell):
    return bool(cell.of_launches("import_seconds"))


def axis_name(axis, a, b):
    frameworks = {"strategy": "framework", "backend": "mode"} if imports(a) and imports(b) else {}
    return frameworks.get(AXES[axis], AXES[axis])


def path_of(parts, whole):
    size = lambda part: abs(part["difference"]["difference_ns"].value)
    rest = whole["difference_ns"].value - sum(part["difference"]["difference_ns"].value for part in parts)
    return {"parts": sorted(parts, key=lambda part: -size(part)), "rest_ns": rest}


def walk(report, a, b, order, whole):
    """Changes the axes in this order; None where a cell on the way is missing."""
    here, cell, parts = list(coordinates_of(a)), a, []
    for number, axis in enumerate(order, 1):
        value, here[axis] = here[axis], coordinates_of(b)[axis]
        found = [c for c in report.everything
                 if c.scenario == a.scenario and c.is_timed and coordinates_of(c) == tuple(here)]
        step = b if number == len(order) else next(iter(found), None)
        if step is None or not pairs_of(cell, step):
            return None
        part = {"axis": axis_name(axis, a, b), "value": value, "base_value": here[axis]}
        parts.append({**part, "difference": difference(report, cell, step)})
        cell = step
    return path_of(parts, whole)


def away(a, b):
    """The axes that they differ along."""
    return [axis for axis, (x, y) in enumerate(zip(coordinates_of(a), coordinates_of(b))) if x != y]


def paths_between(report, a, b, whole):
    ways = itertools.permutations(away(a, b)) if 0 < len(away(a, b)) <= MOST_AXES else ()
    return list(filter(None, (walk(report, a, b, way, whole) for way in ways)))


def path_over_a_row(report, a, b, whole):
    """Over the fastest cell between the two in time that is one axis away from the faster one."""
    faster, slower = (a, b) if whole["difference_ns"].value < 0 else (b, a)
    between = [
        cell for cell in report.cells
        if cell.scenario == a.scenario and cell.is_ranked and len(away(cell, faster)) == 1 and away(cell, slower)
        if faster.step.value < cell.step.value < slower.step.value and pairs_of(cell, a) and pairs_of(cell, b)
    ]
    if not between:
        return []
    row = min(between, key=lambda cell: cell.step.value)
    parts = [{"axis": WHOLE, "value": cell.implementation, "base_value": base.implementation,
              "difference": difference(report, cell, base)} for cell, base in ((a, row), (row, b))]
    return [{**path_of(parts, whole), "parts": parts}]
