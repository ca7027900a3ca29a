"""Proves the figures of a CSV and of a report's JSON, which are not rounded."""

import json

import thread_tables
import value_tables
from estimates import Estimate, median

SCENARIO_FIELDS = ("rows", "features", "outputs", "parameters", "batch_rows", "operations_per_step")
MEDIANS = {
    "first_step_ns": "first_step_ns",
    "start_seconds": "start_seconds",
    "load_seconds": "load_seconds",
    "prepare_seconds": "prepare_seconds",
    "launch_seconds": "total_seconds",
    "import_seconds": "import_seconds",
}
LARGEST = ("peak_resident_bytes", "imported_resident_bytes", "peak_anonymous_bytes")
ALLOCATIONS = ("allocations_per_step", "allocated_bytes_per_step", "prepared_bytes")
SAME = 1e-9  # relative: what two ways of computing a value may differ by


def same(found, expected):
    if isinstance(expected, (bool, str)) or expected is None:
        return found == expected
    return abs(float(found) - expected) <= SAME * abs(expected)


def mismatches(found, expected, place="", slack=0.0):
    """Complaints where a JSON value is not what is expected. None: it is absent; `slack`: nanoseconds that differences
    of times may be off by."""
    if isinstance(expected, Estimate):
        return check_estimate(place, found, expected, slack)
    if hasattr(expected, "_asdict"):
        expected = expected._asdict()
    if isinstance(expected, dict) and isinstance(found, dict):
        absent = [key for key, value in expected.items() if value is None and found.get(key) is None]
        keys = [key for key in {**expected, **found} if key not in absent]
        return [m for key in keys for m in mismatches(found.get(key), expected.get(key), f"{place}/{key}", slack)]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = zip(found, expected)
        return [m for number, pair in enumerate(pairs) for m in mismatches(*pair, f"{place}/{number}", slack)]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (found, expected))
    if found == expected or (numbers and abs(found - expected) <= allowed(expected, place, slack)):
        return []
    return [f"{place}: {found!r}, expected {expected!r}"]


def allowed(expected, place, slack):
    return SAME * abs(expected) + (slack if "_ns" in place else 0)


def expected_record(context, cell):
    """Column of the CSV -> value; empty where there is none."""
    scenario = context.report.scenarios[cell.scenario]
    record = {
        "scenario": scenario["name"],
        "label": scenario["label"],
        "scenario_key": cell.scenario,
        "cell": cell.id,
        "implementation": cell.implementation,
        "threads": cell.threads,
        "arm": cell.arm,
        "state": cell.state,
        "reason": cell.reason,
        "options": " ".join(f"{key}={value}" for key, value in cell.options.items()),
        "dtype": scenario["resolved"].get("dtype", ""),
        "repeat": cell.record["repeat"],
    }
    record.update({key: scenario[key] for key in SCENARIO_FIELDS})
    ranked = cell.record["ranked"] and (cell.keeps_to_its_threads or not cell.is_timed)
    record["ranked"] = "true" if ranked else "false"
    comparison = context.report.to_baseline(cell)
    step, time = cell.step, cell.time_to_target()
    values = {
        "step_ns": step and step.value,
        "step_low_ns": step and step.low,
        "step_high_ns": step and step.high,
        "launches": step and step.launches,
        "samples": step and sum(map(len, cell.times.values())),
        "within_one_process": step and ("true" if step.launches == 1 else "false"),
        "ratio": comparison and comparison.ratio.value,
        "ratio_low": comparison and comparison.ratio.low,
        "ratio_high": comparison and comparison.ratio.high,
        "baseline_cell": comparison and context.report.baseline_of(cell).id,
        "gflop_per_second": scenario["operations_per_step"] / step.value if cell.is_ranked else None,
        "time_to_target_ns": time and time.value,
        "time_to_target_low_ns": time and time.low,
        "time_to_target_high_ns": time and time.high,
        **of_launches(cell),
        **of_profile(cell),
        **of_target(cell),
    }
    record.update({key: "" if value is None else value for key, value in values.items()})
    verdict = comparison.verdict if comparison else "baseline" if context.is_baseline(cell) else "-"
    record["verdict"] = verdict if cell.is_timed else ""
    return record


def of_launches(cell):
    if not cell.is_timed:
        return dict.fromkeys(("median_absolute_deviation_ns", "cpu_per_wall", "page_faults_per_step", *MEDIANS, *LARGEST))
    times = [time for times in cell.times.values() for time in times]
    values = {
        "median_absolute_deviation_ns": median([abs(time - median(times)) for time in times]),
        "cpu_per_wall": cell.processors,
        "page_faults_per_step": cell.page_faults,
    }
    for column, key in MEDIANS.items():
        found = any(key in launch for launch in cell.record["launches"])
        values[column] = cell.median_of(key) if found or column != "import_seconds" else None
    for key in LARGEST:
        values[key] = max((launch[key] for launch in cell.record["launches"] if key in launch), default=None)
    return values


def of_profile(cell):
    profile = cell.profile
    if not profile:
        return dict.fromkeys(("data_share", "kernel_calls_per_step", *ALLOCATIONS))
    data = sum(record["time_ns"] for record in profile["records"] if record["phase"] == "data")
    return {
        "data_share": data / profile["profiled_step_ns"],
        "kernel_calls_per_step": cell.calls(),
        **{key: profile.get(key) for key in ALLOCATIONS},
    }


def of_target(cell):
    target = cell.target
    if not target:
        return dict.fromkeys(
            ("target_state", "target_loss", "target_steps", "final_loss", "time_to_target_with_evaluations_ns")
        )
    seconds = target.get("evaluation_seconds")
    evaluated = cell.time_to_target() and seconds is not None
    return {
        "target_state": target["state"],
        "target_loss": target["target_loss"],
        "target_steps": target["steps"],
        "final_loss": target["loss"],
        "time_to_target_with_evaluations_ns": cell.time_for(target["stopped_after"], seconds * 1e9).value
        if evaluated
        else None,
    }


def check_record(context, cell, record):
    expected = expected_record(context, cell)
    return [
        f"{cell.id}, {key}: {record.get(key)!r}, expected {value!r}"
        for key, value in expected.items()
        if not matches(record.get(key), value)
    ]


def matches(text, value):
    if isinstance(value, str) or text in ("", None):
        return text == value
    return same(text, value)


def check_summaries(context, text):
    """Of `gdbench report --json`: each cell's summary, controls and what threads bring."""
    document, complaints = json.loads(text), []
    cells = {cell.id: cell for cell in context.report.everything}
    for record in document["cells"]:
        cell, summary = cells[record["id"]], record.get("summary")
        if (summary is None) == cell.is_timed:
            complaints.append(f"{cell.id}: a summary is there or not, unlike its times")
        if summary and cell.is_timed:
            complaints += check_summary(context, cell, summary)
    controls = {cell.id: comparison for cell, _, comparison in context.report.controls}
    for control in document.get("controls", []):
        complaints += check_comparison(control["cell"], control["comparison"], controls.pop(control["cell"], None))
    complaints += thread_tables.check_records(context, document.get("scaling", []), check_estimate)
    complaints += value_tables.check_records(context, document.get("values", []), check_comparison)
    return complaints + [f"{cell}: its control is missing" for cell in controls]


def check_summary(context, cell, summary):
    complaints = check_estimate(cell.id, summary["step_ns"], cell.step)
    if not same(summary["first_step_ns"], cell.median_of("first_step_ns")):
        complaints.append(f"{cell.id}: first step {summary['first_step_ns']}")
    ready = [ready for ready, _ in cell.launch_costs().values()]
    if not same(summary["ready_ns"], median(ready)):
        complaints.append(f"{cell.id}: ready {summary['ready_ns']}, expected {median(ready)}")
    comparison = context.report.to_baseline(cell)
    ratio = summary.get("ratio")
    if (ratio is None) != (comparison is None):
        return complaints + [f"{cell.id}: a ratio is there or not, unlike its pairs"]
    return complaints + (check_comparison(cell.id, ratio["comparison"], comparison) if ratio else [])


def check_estimate(name, found, expected, slack=0.0):
    if not found:
        return [f"{name} is missing"]
    values = (found["value"], found["interval"]["low"], found["interval"]["high"], found["launches"])
    alone = found["within_one_process"] == (expected.launches == 1)
    fits = alone and all(abs(f - e) <= allowed(e, name, slack) for f, e in zip(values, expected))
    return [] if fits else [f"{name}: {values}, expected {expected}"]


def check_comparison(name, found, expected):
    if expected is None:
        return [f"{name}: nothing was measured side by side"]
    verdict = (
        [] if found["verdict"] == expected.verdict else [f"{name}: {found['verdict']}, expected {expected.verdict}"]
    )
    return verdict + check_estimate(name, found["ratio"], expected.ratio)
