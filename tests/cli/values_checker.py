"""Proves the figures of a CSV and of a report's JSON, which are not rounded."""

import csv
import functools
import io
import json
import math

import thread_tables
import value_tables
from break_even import ready
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
SUMMARY = ("step_ns", "first_step_ns", "ready_ns", "single_steps")
SAME = 1e-9  # relative: what two ways of computing a value may differ by


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


def check_estimate(name, found, expected, slack):
    if not found:
        return [f"{name} is missing"]
    values = (found["value"], found["interval"]["low"], found["interval"]["high"], found["launches"])
    alone = found["within_one_process"] == (expected.launches == 1)
    same = lambda f, e: f is None if math.isinf(e) else f is not None and abs(f - e) <= allowed(e, name, slack)
    fits = alone and all(map(same, values, expected))
    return [] if fits else [f"{name}: {values}, expected {expected}"]


@functools.lru_cache(maxsize=None)
def record_of(report, cell):
    """Column of the CSV -> value; empty where there is none."""
    scenario, comparison = report.scenarios[cell.scenario], report.to_baseline(cell)
    verdict = comparison.verdict if comparison else "baseline" if is_beside_others(report, cell) else "-"
    values = {
        "scenario": scenario["name"], "label": scenario["label"], "scenario_key": cell.scenario, "cell": cell.id,
        "implementation": cell.implementation, "threads": cell.threads, "arm": cell.arm, "state": cell.state,
        "reason": cell.reason, "options": " ".join(f"{key}={value}" for key, value in cell.options.items()),
        "dtype": scenario["resolved"].get("dtype", ""), "repeat": cell.record["repeat"],
        **{key: scenario[key] for key in SCENARIO_FIELDS}, "verdict": verdict if cell.is_timed else "",
        "ranked": "true" if cell.record["ranked"] and (cell.keeps_to_its_threads or not cell.is_timed) else "false",
        "baseline_cell": comparison and report.baseline_of(cell).id,
        "gflop_per_second": scenario["operations_per_step"] / cell.step.value if cell.is_ranked else None,
        **ends("step{}_ns", cell.step), **ends("ratio{}", comparison and comparison.ratio),
        **ends("time_to_target{}_ns", cell.time_to_target()), **of_target(cell), **of_launches(cell),
        **of_profile(cell),
    }
    return {key: "" if value is None else value for key, value in values.items()}


def ends(name, estimate):
    return dict(zip(map(name.format, ("", "_low", "_high")), estimate[:3] if estimate else (None,) * 3))


def of_launches(cell):
    times = [time for times in cell.times.values() for time in times]
    single, _ = cell.single_steps()
    values = {
        "launches": len(cell.times), "samples": len(times),
        "within_one_process": "true" if len(cell.times) == 1 else "false",
        "median_absolute_deviation_ns": median([abs(time - median(times)) for time in times]),
        "cpu_per_wall": cell.processors, "page_faults_per_step": cell.page_faults,
        **{column: cell.median_of(key) for column, key in MEDIANS.items()},
        **{key: max(cell.of_launches(key), default=None) for key in LARGEST},
        **{column: single and single[key] for column, key in SINGLE_STEPS.items()},
    }
    if not cell.of_launches("import_seconds"):
        values["import_seconds"] = None
    return values if cell.is_timed else dict.fromkeys(values)


def of_profile(cell):
    profile = cell.profile or {"records": (), "profiled_step_ns": 1}
    data = sum(record["time_ns"] for record in profile["records"] if record["phase"] == "data")
    values = {"data_share": data / profile["profiled_step_ns"], "kernel_calls_per_step": cell.calls(),
              **{key: profile.get(key) for key in ALLOCATIONS}}
    return values if cell.profile else dict.fromkeys(values)


def of_target(cell):
    target = cell.target or {}
    seconds = target.get("evaluation_seconds")
    evaluated = cell.time_to_target() and seconds is not None
    return {
        "target_state": target.get("state"), "target_loss": target.get("target_loss"),
        "target_steps": target.get("steps"), "final_loss": target.get("loss"),
        "time_to_target_with_evaluations_ns":
        cell.time_for(target["stopped_after"], seconds * 1e9).value if evaluated else None,
    }


def check_csv(report, text):
    """A row for each cell."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    expected = {cell.id: record_of(report, cell) for cell in report.cells}
    if sorted(row["cell"] for row in rows) != sorted(expected):
        return ["the rows are not the report's cells"]
    return [
        f"{row['cell']}, {key}: {row.get(key)!r}, expected {value!r}" for row in rows
        for key, value in expected[row["cell"]].items() if not matches(row.get(key), value)
    ]


def matches(text, value):
    if isinstance(value, str) or text in ("", None):
        return text == value
    return abs(float(text) - value) <= SAME * abs(value)


def check_json(report, text):
    """Of `gdbench report --json`: each cell's summary, controls, and what threads and values bring."""
    document = json.loads(text)
    summaries = {record["id"]: record.get("summary") for record in document["cells"]}
    found = {
        "summaries": {cell: of and {key: of.get(key) for key in SUMMARY} for cell, of in summaries.items()},
        "ratios": {cell: of.get("ratio") and bare(of["ratio"]["comparison"]) for cell, of in summaries.items() if of},
        "controls": {control["cell"]: bare(control["comparison"]) for control in document.get("controls", [])},
        "scaling": document.get("scaling", []),
        "values": [{**value, "comparison": bare(value["comparison"])} for value in document.get("values", [])],
    }
    timed = [cell for cell in report.everything if cell.is_timed]
    expected = {
        "summaries": {cell.id: dict(zip(SUMMARY, summary_of(cell))) if cell.is_timed else None
                      for cell in report.everything},
        "ratios": {cell.id: compared(report.to_baseline(cell)) for cell in timed},
        "controls": {cell.id: compared(comparison) for cell, _, comparison in report.controls},
        "scaling": [{"cell": of.cell.id, "single": of.single.id, "speed_up": of.speed_up, "efficiency": of.efficiency,
                     "undivided_ns": of.undivided, "verdict": of.verdict,
                     "smallest": of in thread_tables.smallest_of(report)} for of in thread_tables.scaling_of(report)],
        "values": [{"cell": of.cell.id, "first": of.first.id, "key": of.key, "operations_ratio": of.work,
                    "comparison": compared(of.comparison)} for of in value_tables.values_of(report)],
    }
    slack = SAME * max((cell.step.value for cell in timed), default=0)
    return mismatches(found, expected, slack=slack) + fits_complaints(report, document)


def bare(comparison):
    return {"ratio": comparison["ratio"], "verdict": comparison["verdict"]}


def compared(comparison):
    return comparison and {"ratio": comparison.ratio, "verdict": comparison.verdict}


def summary_of(cell):
    return cell.step, cell.median_of("first_step_ns"), ready(cell), cell.single_steps()[0]


def fits_complaints(report, document):
    """Of what size costs: the worst miss is that of the coefficients beside it. That no others are better, and how sure
    they are, is for tests of the fit."""
    complaints = []
    for told in document.get("attribution", {}).get("fits", []):
        a, b, c = (told.get(key, {"value": 0})["value"] for key in ("step_ns", "call_ns", "operation_ns"))
        same = lambda cell: (cell.implementation, cell.threads, cell.arm,
                             report.scenarios[cell.scenario]["resolved"].get("dtype", ""))
        cells = [cell for cell in report.everything if cell.is_timed and cell.profile and not cell.options
                 and same(cell) == (told["implementation"], told["threads"], told["arm"], told["dtype"])]
        times = [median(list(map(min, cell.times.values()))) for cell in cells]
        sums = [a + b * cell.calls() + c * report.scenarios[cell.scenario]["operations_per_step"] for cell in cells]
        expected = [len(cells), max(abs(time - sum_) / time for time, sum_ in zip(times, sums))]
        complaints += mismatches([told["scenarios"], told["largest_relative_residual"]], expected, "fit")
    return complaints
