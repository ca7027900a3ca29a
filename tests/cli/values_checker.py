"""Proves the figures of a CSV and of a report's JSON, which are not rounded."""

import json

import thread_tables
import value_tables
from estimates import Estimate, median
from report_figures import is_beside_others

SCENARIO_FIELDS = ("rows", "features", "outputs", "parameters", "batch_rows", "operations_per_step")
MEDIANS = {
    "first_step_ns": "first_step_ns", "start_seconds": "start_seconds", "load_seconds": "load_seconds",
    "prepare_seconds": "prepare_seconds", "launch_seconds": "total_seconds", "import_seconds": "import_seconds",
}
SINGLE_STEPS = {
    "single_steps": "steps", "single_step_cost": "cost",
    **{f"step_{name}_ns": f"{name}_ns" for name in ("p50", "p95", "p99", "max")},
}
LARGEST = ("peak_resident_bytes", "imported_resident_bytes", "peak_anonymous_bytes")
ALLOCATIONS = ("allocations_per_step", "allocated_bytes_per_step", "prepared_bytes")
SAME = 1e-9  # relative: what two ways of computing a value may differ by


def same(found, expected):
    if isinstance(expected, (bool, str)) or expected is None:
        return found == expected
    return abs(float(found) - expected) <= SAME * abs(expected)


def mismatches(found, expected, place="", slack=0.0):
    """Complaints where a JSON value is not what is expected. None: it is absent; `slack`: nanoseconds that
    differences of times may be off by."""
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
        "scenario": scenario["name"], "label": scenario["label"], "scenario_key": cell.scenario, "cell": cell.id,
        "implementation": cell.implementation, "threads": cell.threads, "arm": cell.arm, "state": cell.state,
        "reason": cell.reason, "options": " ".join(f"{key}={value}" for key, value in cell.options.items()),
        "dtype": scenario["resolved"].get("dtype", ""), "repeat": cell.record["repeat"],
    }
    record.update({key: scenario[key] for key in SCENARIO_FIELDS})
    ranked = cell.record["ranked"] and (cell.keeps_to_its_threads or not cell.is_timed)
    record["ranked"] = "true" if ranked else "false"
    comparison = context.report.to_baseline(cell)
    step, time = cell.step, cell.time_to_target()
    values = {
        "step_ns": step and step.value, "step_low_ns": step and step.low, "step_high_ns": step and step.high,
        "launches": step and step.launches, "samples": step and sum(map(len, cell.times.values())),
        "within_one_process": step and ("true" if step.launches == 1 else "false"),
        "ratio": comparison and comparison.ratio.value, "ratio_low": comparison and comparison.ratio.low,
        "ratio_high": comparison and comparison.ratio.high,
        "baseline_cell": comparison and context.report.baseline_of(cell).id,
        "gflop_per_second": scenario["operations_per_step"] / step.value if cell.is_ranked else None,
        "time_to_target_ns": time and time.value, "time_to_target_low_ns": time and time.low,
        "time_to_target_high_ns": time and time.high, **of_launches(cell), **of_profile(cell), **of_target(cell),
    }
    record.update({key: "" if value is None else value for key, value in values.items()})
    verdict = comparison.verdict if comparison else "baseline" if is_beside_others(context.report, cell) else "-"
    record["verdict"] = verdict if cell.is_timed else ""
    return record


def of_launches(cell):
    if not cell.is_timed:
        return dict.fromkeys(("median_absolute_deviation_ns", "cpu_per_wall", "page_faults_per_step", *SINGLE_STEPS,
                              *MEDIANS, *LARGEST))
    times = [time for times in cell.times.values() for time in times]
    single, _ = cell.single_steps()
    values = {
        **{column: single and single[key] for column, key in SINGLE_STEPS.items()},
        "median_absolute_deviation_ns": median([abs(time - median(times)) for time in times]),
        "cpu_per_wall": cell.processors, "page_faults_per_step": cell.page_faults,
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
        "data_share": data / profile["profiled_step_ns"], "kernel_calls_per_step": cell.calls(),
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
        "target_state": target["state"], "target_loss": target["target_loss"], "target_steps": target["steps"],
        "final_loss": target["loss"],
        "time_to_target_with_evaluations_ns": cell.time_for(target["stopped_after"], seconds * 1e9).value if evaluated
        else None,
    }


def check_record(context, cell, record):
    expected = expected_record(context, cell)
    return [
        f"{cell.id}, {key}: {record.get(key)!r}, expected {value!r}" for key, value in expected.items()
        if not matches(record.get(key), value)
    ]


def matches(text, value):
    if isinstance(value, str) or text in ("", None):
        return text == value
    return same(text, value)


def check_summaries(context, text):
    """Of `gdbench report --json`: each cell's summary, controls, and what threads and values bring."""
    report, document = context.report, json.loads(text)
    kept = ("step_ns", "first_step_ns", "ready_ns", "ratio", "single_steps")
    summaries = {record["id"]: record.get("summary") for record in document["cells"]}
    found = {
        "summaries": {cell: of and {key: of.get(key) for key in kept} for cell, of in summaries.items()},
        "controls": {control["cell"]: bare(control["comparison"]) for control in document.get("controls", [])},
        "scaling": document.get("scaling", []),
        "values": [{**value, "comparison": bare(value["comparison"])} for value in document.get("values", [])],
    }
    for of in filter(None, found["summaries"].values()):
        of["ratio"] = of["ratio"] and bare(of["ratio"]["comparison"])
    expected = {
        "summaries": {cell.id: summary_of(report, cell) if cell.is_timed else None for cell in report.everything},
        "controls": {cell.id: compared(comparison) for cell, _, comparison in report.controls},
        "scaling": thread_tables.scaling_records(report),
        "values": [{**of, "comparison": compared(of["comparison"])} for of in value_tables.value_records(report)],
    }
    slack = SAME * max((cell.step.value for cell in report.everything if cell.is_timed), default=0)
    return mismatches(found, expected, slack=slack)


def bare(comparison):
    return {"ratio": comparison["ratio"], "verdict": comparison["verdict"]}


def compared(comparison):
    return {"ratio": comparison.ratio, "verdict": comparison.verdict}


def summary_of(report, cell):
    comparison = report.to_baseline(cell)
    return {
        "step_ns": cell.step, "first_step_ns": cell.median_of("first_step_ns"),
        "ready_ns": median([ready for ready, _ in cell.launch_costs().values()]),
        "ratio": comparison and compared(comparison), "single_steps": cell.single_steps()[0],
    }


def check_estimate(name, found, expected, slack=0.0):
    if not found:
        return [f"{name} is missing"]
    values = (found["value"], found["interval"]["low"], found["interval"]["high"], found["launches"])
    alone = found["within_one_process"] == (expected.launches == 1)
    fits = alone and all(abs(f - e) <= allowed(e, name, slack) for f, e in zip(values, expected))
    return [] if fits else [f"{name}: {values}, expected {expected}"]
