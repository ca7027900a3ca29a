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
        if len(cells) < 2:
            continue
        fastest, runner_up, *_ = cells
        base = report.baseline_of(fastest)
        framework = next(filter(imports, cells[1:]), runner_up)
        others = [runner_up, framework]
        if base in cells[1:] and base.implementation == report.run["baseline"]:
            others.append(base)
        pairs += [(fastest, other) for other in dict.fromkeys(others)]
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


def rules_of_both(report, *cells):
    """Margin, whether a control forbids verdicts, and its words: the stricter of the scenarios'."""
    rules = [report.rules(cell.scenario) for cell in cells]
    words = [report.unfit_words(cell.scenario) for cell in cells]
    return max(margin for margin, _ in rules), any(unfit for _, unfit in rules), next(filter(None, words), "")


def difference(report, cell, base, cell_steps=1, base_steps=1):
    """Of so many steps each: paired where one scenario has both, else of their typical times."""
    margin, unfit, words = rules_of_both(report, cell, base)
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
    comparison = estimates.verdict_of(ratio, margin, unfit=unfit)
    return {
        "cell": cell.id, "base": base.id, "difference_ns": found,
        "comparison": estimates.judged(comparison, unfit=words),
    }


def flattened(value, key=""):
    if not isinstance(value, dict):
        return {key: json.dumps(value, separators=(",", ":"), ensure_ascii=False)}
    keys = {}
    for name, member in value.items():
        keys.update(flattened(member, f"{key}.{name}" if key else name))
    return keys


def differing_keys(report, a, b):
    of_a, of_b = (flattened(report.scenarios[cell.scenario]["resolved"]) for cell in (a, b))
    keys = sorted({**of_a, **of_b})
    both = [{"key": key, "a": of_a.get(key, ""), "b": of_b.get(key, "")} for key in keys]
    return [entry for entry in both if entry["a"] != entry["b"]]


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
    return any("import_seconds" in launch for launch in cell.record["launches"])


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
        there = [c for c in report.everything if c.scenario == a.scenario and c.is_timed]
        found = [c for c in there if coordinates_of(c) == tuple(here)]
        step = b if number == len(order) else next(iter(found), None)
        if step is None or not pairs_of(cell, step):
            return None
        part = {"axis": axis_name(axis, a, b), "value": value, "base_value": here[axis]}
        parts.append({**part, "difference": difference(report, cell, step)})
        cell = step
    return path_of(parts, whole)


def paths_between(report, a, b, whole):
    order = [axis for axis, (x, y) in enumerate(zip(coordinates_of(a), coordinates_of(b))) if x != y]
    if not 0 < len(order) <= MOST_AXES:
        return []
    return list(filter(None, (walk(report, a, b, way, whole) for way in itertools.permutations(order))))


def path_over_a_row(report, a, b, whole):
    """Over the fastest cell between the two in time that is one axis away from the faster one."""
    faster, slower = (a, b) if whole["difference_ns"].value < 0 else (b, a)
    away = lambda cell, other: sum(x != y for x, y in zip(coordinates_of(cell), coordinates_of(other)))
    between = [
        cell for cell in report.cells
        if cell.scenario == a.scenario and cell.is_ranked and away(cell, faster) == 1 and away(cell, slower) > 0
        if faster.step.value < cell.step.value < slower.step.value and pairs_of(cell, a) and pairs_of(cell, b)
    ]
    if not between:
        return []
    row = min(between, key=lambda cell: cell.step.value)
    parts = [
        {
            "axis": WHOLE, "value": cell.implementation, "base_value": base.implementation,
            "difference": difference(report, cell, base),
        }
        for cell, base in ((a, row), (row, b))
    ]
    path = path_of(parts, whole)
    return [{**path, "parts": parts}]
